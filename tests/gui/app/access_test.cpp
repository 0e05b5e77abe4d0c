// SPDX-License-Identifier: Apache-2.0
// Every part of every page can be named, told apart and reached without a mouse, and says what it must without being asked.
#include <gtest/gtest.h>
#include <signal.h>

#include <QAbstractItemView>
#include <QAbstractSpinBox>
#include <QAccessible>
#include <QLineEdit>
#include <map>

#include "gui/app/text_scale.h"
#include "gui/plots/canvas.h"
#include "tests/gui/support/window_walk.h"

namespace mantissa::gui {
namespace {

/// Its own name, or what its words are; of a box to choose from, Qt gives the choice as the name.
std::string spoken(QWidget* widget) {
    if (!widget->accessibleName().isEmpty() || qobject_cast<QComboBox*>(widget)) return widget->accessibleName().toStdString();
    QAccessibleInterface* interface = QAccessible::queryAccessibleInterface(widget);
    return interface ? interface->text(QAccessible::Name).toStdString() : std::string();
}

std::string place(const QWidget* widget) {
    std::string path;
    for (; widget; widget = widget->parentWidget()) path += std::string(" < ") + widget->metaObject()->className();
    return path;
}

/// A picture that is painted, and not put together from parts that can speak.
bool isPlot(const QWidget* widget) {
    const std::string name = widget->metaObject()->className();
    for (const char* end : {"Plot", "Map", "Curve", "Canvas", "LineView", "Microscope"})
        if (name.size() > std::string(end).size() && name.ends_with(end)) return true;
    return false;
}

void expectAccessible(const std::string& page, QWidget* shown) {
    std::map<std::pair<const QWidget*, std::string>, const QWidget*> taken;
    for (QWidget* widget : shown->findChildren<QWidget*>()) {
        if (!widget->isVisible() || widget->window() != shown) continue;
        if (qobject_cast<QAbstractSpinBox*>(widget->parentWidget()) || qobject_cast<QComboBox*>(widget->parentWidget())) continue;
        auto* button = qobject_cast<QAbstractButton*>(widget);
        const bool isPart = qobject_cast<QAbstractItemView*>(widget->parentWidget()) && button;  // the corner of a table
        if (isPart) continue;
        if (button || (widget->focusPolicy() & Qt::TabFocus)) {
            const std::string name = spoken(widget);
            EXPECT_FALSE(name.empty()) << page << ": no name:" << place(widget);
            const auto [other, isNew] = taken.emplace(std::pair(widget->parentWidget(), name), widget);
            EXPECT_TRUE(isNew || other->second->metaObject() != widget->metaObject())
                << page << ": two are called " << name << place(widget);
        }
        if (button && button->text().isEmpty() && !button->icon().isNull()) {
            EXPECT_FALSE(button->toolTip().isEmpty()) << page << ": an icon without a tool tip: " << spoken(widget) << place(widget);
        }
        if (isPlot(widget)) {
            EXPECT_FALSE(widget->accessibleName().isEmpty()) << page << ": a plot without a name" << place(widget);
            EXPECT_FALSE(widget->accessibleDescription().isEmpty()) << page << ": a plot without a description" << place(widget);
        }
    }
}

/// Whether what is said aloud, and so stands as a name, holds `part`.
bool wasSaid(const QWidget* window, const char* part) {
    for (const QWidget* widget : window->findChildren<QWidget*>())
        if (widget->accessibleName().contains(QString::fromUtf8(part))) return true;
    return false;
}

TEST(Access, EveryPartOfEveryPageHasAName) {
    for (const QSize size : {QSize(1920, 1080), QSize(1280, 720)}) {
        int pages = 0;
        walkWindow(size, [&](const std::string& page, QWidget* shown) {
            ++pages;
            const std::string where = page + " at " + std::to_string(size.width());
            expectAccessible(where, shown);
            for (const std::string& cut : cutTexts(shown)) ADD_FAILURE() << where << ": " << cut;
        });
        EXPECT_GT(pages, 20);
    }
}

TEST(Access, PanelsAreChartsWithNamesAndDescriptionsThatStayTrue) {
    LiveWindow live;
    ASSERT_TRUE(live.open());
    auto* canvas = live.window->findChild<Canvas*>();
    live.engine.send(SingleStep{});
    ASSERT_TRUE(live.reaches(1));
    QAccessibleInterface* board = QAccessible::queryAccessibleInterface(canvas);
    ASSERT_TRUE(QTest::qWaitFor([&] { return board->childCount() == 5; }, kPatienceMs));
    EXPECT_EQ(board->child(1)->role(), QAccessible::Chart);
    const auto name = [&] { return board->child(1)->text(QAccessible::Name); };
    EXPECT_TRUE(QTest::qWaitFor([&] { return name().startsWith(QStringLiteral("Loss scale, 2 runs")); }, kPatienceMs))
        << name().toStdString();
    const auto scale = [&] { return board->child(1)->text(QAccessible::Description).toStdString(); };
    ASSERT_TRUE(QTest::qWaitFor([&] { return scale().find("in the last 1 steps") != std::string::npos; }, kPatienceMs)) << scale();
    EXPECT_NE(scale().find("run wide: loss is not scaled"), std::string::npos) << scale();
    live.engine.send(SingleStep{});
    ASSERT_TRUE(live.reaches(2));
    EXPECT_TRUE(QTest::qWaitFor([&] { return scale().find("in the last 2 steps") != std::string::npos; }, kPatienceMs)) << scale();
    EXPECT_NE(board->child(0)->text(QAccessible::Description).indexOf(QStringLiteral("no NaN")), -1);
    const QRect place = board->child(0)->rect();
    EXPECT_EQ(board->childAt(place.center().x(), place.center().y()), board->child(0));
    EXPECT_EQ(board->indexOfChild(board->child(3)), 3);
}

TEST(Access, AKeyThatMovesTheCrosshairIsHeard) {
    LiveWindow live;
    ASSERT_TRUE(live.open());
    for (int step = 1; step <= 3; ++step) {
        live.engine.send(SingleStep{});
        ASSERT_TRUE(live.reaches(step));
    }
    auto* board = live.window->findChild<PlotBoard*>();
    board->cursors().setStep(2);
    QTest::keyClick(board->canvas(), Qt::Key_Left);
    EXPECT_EQ(board->cursors().step(), 1);
    EXPECT_TRUE(wasSaid(live.window.get(), "step 1; wide: loss "));
    QTest::keyClick(board->canvas(), Qt::Key_Home);
    EXPECT_EQ(board->axes().view().mode(), FollowMode::All);
}

TEST(Access, SkipStormRefusalAndALostEngineAreHeard) {
    LiveWindow live;
    ASSERT_TRUE(live.open());
    StepsRecorded lost;
    lost.run = live.session.runs()[0]->id;
    StepRecord record;
    record.step = 0;
    record.loss = std::nan("");
    record.lossScale = 1;
    lost.records.push_back(record);
    live.session.handle(lost);
    auto* message = live.child<QLabel>(QStringLiteral("wide: Not finite"));
    ASSERT_NE(message, nullptr);
    message->setAccessibleName({});
    record.step = 1;
    lost.records = {record};
    live.session.handle(lost);
    EXPECT_FALSE(wasSaid(live.window.get(), "wide: Not finite")) << "once is enough";
    live.session.handle(CommandRefused{.run = -1, .pointer = "/steps", .sentence = "must be at least 1"});
    EXPECT_TRUE(wasSaid(live.window.get(), "Not done"));
    ASSERT_EQ(kill(static_cast<pid_t>(live.engine.processId()), SIGKILL), 0);
    EXPECT_TRUE(QTest::qWaitFor([&] { return wasSaid(live.window.get(), "The engine stopped"); }, kPatienceMs));
}

TEST(Access, FocusIsSeenOnEveryPartOfTheWindow) {
    LiveWindow live;
    ASSERT_TRUE(live.open({1280, 720}));
    live.session.select(live.session.runs()[1]->id);
    QTest::qWait(100);
    for (const ThemeKind kind : {ThemeKind::Light, ThemeKind::Dark}) {
        Theme::apply(*qApp, kind);
        QTest::qWait(100);
        int checked = 0;
        for (QWidget* widget : live.window->findChildren<QWidget*>()) {
            if (!widget->isVisible() || !widget->isEnabled() || !(widget->focusPolicy() & Qt::TabFocus)) continue;
            if (qobject_cast<QAbstractSpinBox*>(widget->parentWidget()) || widget->inherits("QCustomPlot")) continue;
            if (widget->hasFocus()) widget->clearFocus();
            const QImage without = widget->grab().toImage();
            widget->setFocus(Qt::TabFocusReason);
            EXPECT_TRUE(!widget->hasFocus() || widget->grab().toImage() != without) << spoken(widget) << place(widget);
            ++checked;
        }
        EXPECT_GT(checked, 12);
    }
    Theme::apply(*qApp, ThemeKind::Light);
}

TEST(Access, HighContrastIsASwitchOverAnyTheme) {
    LiveWindow live;
    ASSERT_TRUE(live.open());
    const Actions& actions = live.window->actionList();
    actions.themeDark->trigger();
    actions.highContrast->trigger();
    EXPECT_EQ(live.window->palette().color(QPalette::Window), QColor(Qt::black));
    EXPECT_EQ(live.window->palette().color(QPalette::WindowText), QColor(Qt::white));
    actions.themeLight->trigger();
    EXPECT_EQ(live.window->palette().color(QPalette::Window), QColor(Qt::white)) << "it stays";
    actions.highContrast->trigger();
    EXPECT_EQ(live.window->palette().color(QPalette::Window), Theme::light().window);
}

TEST(Access, LargeTextMakesTheWindowLarger) {
    constexpr QSize kScreen(3840, 2160), kLeast(1000, 600);
    EXPECT_EQ(textScale(9, 96, kScreen, kLeast), 1);
    EXPECT_EQ(textScale(11, 96, kScreen, kLeast), 1) << "as desktops come";
    EXPECT_EQ(textScale(16.5, 96, kScreen, kLeast), 1.5);
    EXPECT_EQ(textScale(9, 144, kScreen, kLeast), 1.5) << "QT_FONT_DPI";
    EXPECT_EQ(textScale(6, 96, kScreen, kLeast), 1) << "never smaller";
    EXPECT_EQ(textScale(33, 96, QSize(1920, 1080), kLeast), 1.75) << "as far as the least window fits";
}

}  // namespace
}  // namespace mantissa::gui
