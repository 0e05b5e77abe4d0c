// SPDX-License-Identifier: Apache-2.0
#include "tests/gui/support/window_walk.h"

#include <gtest/gtest.h>
#include <signal.h>

#include <QAbstractButton>
#include <QHeaderView>
#include <QLabel>
#include <QScrollArea>
#include <QScrollBar>

#include "gui/bits/bits_window.h"
#include "gui/controls/run_controls.h"
#include "gui/diagnosis/instrument_pages.h"
#include "gui/exports/data_table.h"
#include "gui/exports/export_dialog.h"
#include "gui/gallery/gallery_page.h"
#include "gui/picker/picker_page.h"
#include "gui/recordings/recordings_page.h"
#include "gui/timeline/fork_dialog.h"

namespace mantissa::gui {
namespace {

void settle() {
    for (int i = 0; i < 4; ++i) {
        QCoreApplication::sendPostedEvents(nullptr, QEvent::LayoutRequest);
        QTest::qWait(20);
    }
}

class Walk {
public:
    Walk(LiveWindow& live, const std::function<void(const std::string&, QWidget*)>& visit) : m_live(live), m_visit(visit) {}

    void show(const std::string& name, QWidget* shown) {
        ASSERT_NE(shown, nullptr) << name;
        settle();
        m_visit(name, shown);
    }
    /// A page that `action` opens; it is closed again.
    template <class Page>
    void open(QAction* action, const std::string& name, const std::function<void(Page*)>& rest = {}) {
        action->trigger();
        Page* page = nullptr;
        // deleted ones linger until the event loop comes by
        for (Page* each : m_live.window->findChildren<Page*>())
            if (each->isVisible()) page = each;
        ASSERT_NE(page, nullptr) << name;
        show(name, page);
        if (rest) rest(page);
        page->close();
        QCoreApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete);
    }

private:
    LiveWindow& m_live;
    const std::function<void(const std::string&, QWidget*)>& m_visit;
};

QString brief(const QWidget* widget, const QString& text) {
    return QStringLiteral("%1 \"%2\" in %3")
        .arg(QString::fromLatin1(widget->metaObject()->className()), text.left(60),
             widget->parentWidget() ? QString::fromLatin1(widget->parentWidget()->metaObject()->className()) : QString());
}

QString plainText(QString text) {
    return text.remove(QRegularExpression(QStringLiteral("<[^>]*>")));
}

}  // namespace

void walkWindow(QSize size, const std::function<void(const std::string&, QWidget*)>& visit) {
    LiveWindow live;
    live.make();
    live.window->resize(size);
    live.window->show();
    ASSERT_TRUE(live.begin());
    const RunId narrow = live.session.runs()[1]->id;
    live.session.select(narrow);
    MainWindow* window = live.window.get();
    const Actions& actions = window->actionList();
    live.engine.send(SingleStep{});
    ASSERT_TRUE(live.reaches(1));
    actions.inject->trigger();
    ASSERT_TRUE(live.settles());
    for (int step = 2; step < 5; ++step) {
        live.engine.send(SingleStep{});
        ASSERT_TRUE(live.reaches(step));
    }
    Walk walk(live, visit);
    window->findChild<PlotBoard*>()->cursors().setStep(2);
    walk.show("explore", window);
    live.session.select(live.session.runs()[0]->id);
    walk.show("explore, the other run", window);
    live.session.select(narrow);
    actions.freeze->trigger();
    walk.show("explore, frozen", window);
    actions.freeze->trigger();
    window->findChild<PlotBoard*>()->cursors().setStep(2);

    walk.open<GalleryPage>(actions.gallery, "gallery");
    actions.create->trigger();  // as large as on a screen; the one without a display is small
    window->findChild<PickerPage*>()->resize(1180, 660);
    walk.open<PickerPage>(actions.create, "new experiment");
    walk.open<ExportDialog>(actions.exporting, "export", [&](ExportDialog* page) {
        for (const auto each : {ExportDialog::Picture, ExportDialog::Data, ExportDialog::Program}) {
            page->showPage(each);
            walk.show("export " + std::to_string(each), page);
        }
    });
    walk.open<ForkDialog>(actions.fork, "fork");
    walk.open<RecordingsPage>(actions.recordings, "recordings");
    walk.open<QDialog>(actions.symptoms, "symptoms");
    walk.open<QDialog>(actions.keys, "keys");
    walk.open<QDialog>(actions.about, "about");
    walk.open<QDialog>(actions.architecture, "architecture");
    walk.open<DataTable>(actions.dataTable, "data table");
    walk.open<BitsWindow>(actions.inspector, "number inspector", [&](BitsWindow* page) {
        page->showBench();
        walk.show("bench of dot products", page);
    });

    actions.layoutDiagnose->trigger();
    ASSERT_TRUE(QTest::qWaitFor([&] { return !live.session.run(narrow)->examinations.empty(); }, kPatienceMs));
    auto* pages = window->findChild<InstrumentPages*>();
    for (QAbstractButton* button : pages->findChildren<QAbstractButton*>(QString(), Qt::FindDirectChildrenOnly)) {
        if (!button->isCheckable()) continue;
        button->click();
        walk.show("diagnose, " + button->text().toStdString(), window);
    }
    ASSERT_EQ(kill(static_cast<pid_t>(live.engine.processId()), SIGKILL), 0);
    ASSERT_TRUE(QTest::qWaitFor([&] { return live.shownBanner() != nullptr; }, kPatienceMs));
    walk.show("diagnose, the engine lost", window);
    actions.layoutExplore->trigger();
    walk.show("explore, the engine lost", window);
}

std::vector<std::string> cutTexts(QWidget* shown) {
    std::vector<std::string> cut;
    const auto note = [&](const QWidget* widget, const QString& text, const QString& why) {
        cut.push_back((brief(widget, text) + QStringLiteral(": ") + why).toStdString());
    };
    std::vector<QWidget*> words;
    for (QWidget* widget : shown->findChildren<QWidget*>()) {
        if (!widget->isVisible() || widget->window() != shown || widget->visibleRegion().isEmpty()) continue;
        const bool hasTip = !widget->toolTip().isEmpty();
        if (auto* label = qobject_cast<QLabel*>(widget)) {
            if (label->text().isEmpty()) continue;
            words.push_back(label);
            const QSize request = label->sizeHint();
            if (label->wordWrap()) {
                if (label->heightForWidth(label->width()) > label->height() + 1)
                    note(label, plainText(label->text()),
                         QStringLiteral("%1 high, needs %2").arg(label->height()).arg(label->heightForWidth(label->width())));
            } else if (request.width() > label->width() + 1 && !hasTip) {
                note(label, plainText(label->text()), QStringLiteral("%1 wide, needs %2").arg(label->width()).arg(request.width()));
            }
        } else if (auto* button = qobject_cast<QAbstractButton*>(widget)) {
            if (button->text().isEmpty()) continue;
            words.push_back(button);
            if (button->sizeHint().width() > button->width() + 1 && !hasTip)
                note(button, button->text(), QStringLiteral("%1 wide, needs %2").arg(button->width()).arg(button->sizeHint().width()));
        } else if (auto* box = qobject_cast<QComboBox*>(widget)) {
            words.push_back(box);
            const int needs = box->fontMetrics().horizontalAdvance(box->currentText()) + 8 + 21;
            if (needs > box->width() && !hasTip)
                note(box, box->currentText(), QStringLiteral("%1 wide, needs %2").arg(box->width()).arg(needs));
        } else if (auto* header = qobject_cast<QHeaderView*>(widget);
                   header && header->model() && header->orientation() == Qt::Horizontal) {
            for (int i = 0; i < header->count(); ++i) {
                if (header->isSectionHidden(i)) continue;
                for (const QString& line : header->model()->headerData(i, Qt::Horizontal).toString().split(u'\n')) {
                    const int needs = header->fontMetrics().horizontalAdvance(line);
                    const bool hasHeadTip = !header->model()->headerData(i, Qt::Horizontal, Qt::ToolTipRole).toString().isEmpty();
                    if (needs > header->sectionSize(i) + 1 && !hasHeadTip)
                        note(header, line, QStringLiteral("%1 wide, needs %2").arg(header->sectionSize(i)).arg(needs));
                }
            }
        } else if (auto* area = qobject_cast<QScrollArea*>(widget)) {
            if (area->widget() && area->widget()->minimumSizeHint().width() > area->viewport()->width() + 1 && area->widgetResizable())
                note(area, area->accessibleName(),
                     QStringLiteral("holds %1, has %2").arg(area->widget()->minimumSizeHint().width()).arg(area->viewport()->width()));
        }
    }
    for (std::size_t i = 0; i < words.size(); ++i)
        for (std::size_t j = 0; j < i; ++j)
            if (words[i]->parentWidget() == words[j]->parentWidget() && words[i]->geometry().intersects(words[j]->geometry()))
                note(words[i], words[i]->accessibleName(), QStringLiteral("lies over ") + brief(words[j], words[j]->accessibleName()));
    return cut;
}

}  // namespace mantissa::gui
