// SPDX-License-Identifier: Apache-2.0
// No tool tip is wider than can be read.
#include "gui/controls/tip_width.h"

#include <gtest/gtest.h>

#include <QAbstractItemView>
#include <QApplication>
#include <QDirIterator>
#include <QFile>
#include <QHeaderView>
#include <QHelpEvent>
#include <QMenu>
#include <QMenuBar>
#include <QToolTip>
#include <set>

#include "tests/gui/support/window_walk.h"

namespace mantissa::gui {
namespace {

int widest(const QString& text) {
    int most = 0;
    for (const QString& line : text.split(u'\n')) {
        int columns = 0;
        for (const QChar each : line) columns += each.unicode() >= 0x2e80 ? 2 : 1;
        most = std::max(most, columns);
    }
    return most;
}

TEST(TipWidth, LinesAreBrokenBetweenWords) {
    EXPECT_EQ(wrappedTip(QStringLiteral("A short one\nof two lines")), QStringLiteral("A short one\nof two lines"));
    EXPECT_EQ(wrappedTip(QStringLiteral("Train the chosen recording once more and compare every value, bit by bit")),
              QStringLiteral("Train the chosen recording once more and compare every\nvalue, bit by bit"));
    const QString named = wrappedTip(QStringLiteral("<img src='/dev/zero'>"));
    EXPECT_FALSE(named.contains(QStringLiteral("<img"))) << "a name from a file is no markup";
    EXPECT_TRUE(named.contains(QStringLiteral("&lt;img")));
    const QString path = QStringLiteral("/home/somebody/.local/share/mantissa-lab/recordings/") + QString(150, u'a');
    const QString chinese = QString(95, QChar(0x5b57));
    for (const QString& text : {path, chinese, chinese + u' ' + path}) {
        QString wrapped = wrappedTip(text);
        EXPECT_LE(widest(wrapped), kTipColumns) << wrapped.toStdString();
        EXPECT_EQ(wrapped.remove(u'\n').remove(u' '), QString(text).remove(u' ')) << "nothing is lost";
    }
}

class ShownTips {
public:
    ShownTips() { qApp->installEventFilter(&m_filter); }
    /// What is shown when the pointer rests there.
    void rest(QWidget* widget, const QPoint& place, const QString& which) {
        QHelpEvent help(QEvent::ToolTip, place, widget->mapToGlobal(place));
        QApplication::sendEvent(widget, &help);
        ++m_count;
        const QString shown = QToolTip::text();
        if (!Qt::mightBeRichText(shown) && widest(shown) > kTipColumns) m_wide.insert((which + QStringLiteral(": ") + shown).toStdString());
        m_broken += shown.contains(u'\n');
        QToolTip::hideText();
    }
    void restOnAll(QWidget* shown, const QString& name) {
        for (QWidget* widget : shown->findChildren<QWidget*>()) {
            if (!widget->isVisible()) continue;
            if (!widget->toolTip().isEmpty()) rest(widget, widget->rect().center(), name);
            auto* view = qobject_cast<QAbstractItemView*>(widget);
            if (!view || !view->model()) continue;
            if (auto* header = qobject_cast<QHeaderView*>(view)) {
                for (int i = 0; i < header->count(); ++i) {
                    const int along = header->sectionViewportPosition(i) + 2;
                    rest(header->viewport(), header->orientation() == Qt::Horizontal ? QPoint(along, 2) : QPoint(2, along), name);
                }
            } else {
                const int rows = std::min(view->model()->rowCount(), 40), columns = view->model()->columnCount();
                for (int row = 0; row < rows; ++row)
                    for (int i = 0; i < columns; ++i) rest(view->viewport(), view->visualRect(view->model()->index(row, i)).center(), name);
            }
        }
    }
    void restOnEntries(QMenu* menu) {
        menu->popup({0, 0});
        for (QAction* action : menu->actions()) {
            if (action->menu())
                restOnEntries(action->menu());
            else
                rest(menu, menu->actionGeometry(action).center(), menu->title());
        }
        menu->close();
    }
    int count() const { return m_count; }
    int broken() const { return m_broken; }
    const std::set<std::string>& wide() const { return m_wide; }

private:
    TipWidth m_filter;
    int m_count = 0, m_broken = 0;
    std::set<std::string> m_wide;
};

TEST(TipWidth, NoPartOfTheWindowHasAWiderOne) {
    ShownTips tips;
    walkWindow({1600, 960}, [&](const std::string& name, QWidget* shown) {
        tips.restOnAll(shown, QString::fromStdString(name));
        auto* window = qobject_cast<QMainWindow*>(shown);
        if (window && name == "explore")
            for (QAction* action : window->menuBar()->actions()) tips.restOnEntries(action->menu());
    });
    for (const std::string& each : tips.wide()) ADD_FAILURE() << each;
    EXPECT_GT(tips.count(), 300);
    EXPECT_GT(tips.broken(), 5) << "some would have been wider";
}

TEST(TipWidth, NobodyElseShowsTips) {
    int files = 0;
    for (QDirIterator it(QStringLiteral(MANTISSA_GUI_SOURCES), {QStringLiteral("*.cpp")}, QDir::Files, QDirIterator::Subdirectories);
         it.hasNext();) {
        QFile file(it.next());
        ASSERT_TRUE(file.open(QIODevice::ReadOnly));
        ++files;
        if (file.fileName().endsWith(QStringLiteral("tip_width.cpp"))) continue;
        EXPECT_FALSE(file.readAll().contains("QToolTip::showText")) << file.fileName().toStdString() << ": showTip breaks its lines";
    }
    EXPECT_GT(files, 100);
}

}  // namespace
}  // namespace mantissa::gui
