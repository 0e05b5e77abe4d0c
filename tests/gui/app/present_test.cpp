// SPDX-License-Identifier: Apache-2.0
// The Present layout: what is there, that nothing in it is cut, and the ways in and out.
#include <gtest/gtest.h>

#include <QMenuBar>
#include <QPushButton>
#include <QTemporaryDir>

#include "gui/app/style_sheet.h"
#include "gui/plots/canvas.h"
#include "gui/plots/end_labels.h"
#include "gui/plots/panel.h"
#include "tests/gui/support/live_window.h"

namespace mantissa::gui {
namespace {

/// A window that presents, in the size of a projector.
struct Room : LiveWindow {
    PlotBoard* board = nullptr;
    PresentPage* page = nullptr;
    bool enter(QSize size) {
        if (!open(size)) return false;
        engine.send(SingleStep{});
        engine.send(SingleStep{});
        if (!reaches(2)) return false;
        window->actionList().layoutPresent->trigger();
        window->setWindowState(Qt::WindowNoState);
        window->resize(size);
        board = window->findChild<PlotBoard*>();
        page = window->presentPage();
        return QTest::qWaitFor([&] { return window->size() == size && page->isVisible() && page->width() == size.width(); }, kPatienceMs);
    }
};

void expectNothingCut(const Room& room) {
    int checked = 0;
    for (const QLabel* label : room.page->findChildren<QLabel*>()) {
        if (!label->isVisible() || label->text().isEmpty()) continue;
        ++checked;
        if (label->wordWrap())
            EXPECT_LE(label->heightForWidth(label->width()), label->height()) << label->text().toStdString();
        else
            EXPECT_LE(label->minimumSizeHint().width(), label->width()) << label->text().toStdString();
        EXPECT_LE(label->fontMetrics().height(), label->height()) << label->text().toStdString();
    }
    for (const QPushButton* button : room.page->findChildren<QPushButton*>()) {
        if (!button->isVisible() || button->parentWidget() != room.page) continue;
        ++checked;
        EXPECT_LE(button->fontMetrics().horizontalAdvance(button->text()), button->width()) << button->text().toStdString();
        EXPECT_LE(button->fontMetrics().height(), button->height()) << button->text().toStdString();
    }
    for (const RunChip* chip : room.page->findChildren<RunChip*>()) {
        if (!chip->isVisible()) continue;
        ++checked;
        EXPECT_LE(chip->fontMetrics().horizontalAdvance(chip->text()), chip->textRect().width()) << chip->text().toStdString();
        EXPECT_LE(chip->geometry().right(), chip->parentWidget()->width());
        EXPECT_LE(chip->geometry().bottom(), chip->parentWidget()->height());
    }
    EXPECT_GT(checked, 9);
    // words at the lines' ends: within the picture, and none over another
    const QRectF picture(room.board->canvas()->viewport());
    const auto& labels = room.board->endLabels().labels();
    EXPECT_GE(labels.size(), 3u) << "two runs' losses, and one loss scale";
    const QFontMetricsF bold(pixelFont(room.board->canvas()->font(), kTickPixels, true));
    for (std::size_t i = 0; i < labels.size(); ++i) {
        EXPECT_TRUE(picture.contains(labels[i].box)) << labels[i].name.toStdString();
        EXPECT_LE(bold.horizontalAdvance(labels[i].name), labels[i].box.width()) << labels[i].name.toStdString();
        for (std::size_t j = 0; j < i; ++j) EXPECT_FALSE(labels[i].box.intersects(labels[j].box));
    }
    for (const QWidget* widget : room.page->findChildren<QWidget*>()) {
        if (!widget->isVisible() || widget->isWindow()) continue;
        EXPECT_TRUE(room.page->rect().contains(QRect(widget->mapTo(room.page, QPoint()), widget->size())))
            << widget->metaObject()->className();
    }
}

TEST(Present, NothingIsCutOnAProjector) {
    for (const QSize size : {QSize(1920, 1080), QSize(1280, 720)}) {
        Room room;
        ASSERT_TRUE(room.enter(size)) << size.width();
        room.board->refreshNow();
        expectNothingCut(room);
        // with a lesson beside the plots, and a hidden run
        QLabel lesson(QStringLiteral("What would help?"));
        room.page->setSide(&lesson);
        room.session.setHidden(room.session.runs()[1]->id, true);
        room.session.setHidden(room.session.runs()[1]->id, false);
        QTest::qWait(50);
        room.board->refreshNow();
        expectNothingCut(room);
        EXPECT_NEAR(lesson.width(), 0.27 * size.width(), 2);
        room.page->setSide(nullptr);
        EXPECT_EQ(lesson.parentWidget(), nullptr);
    }
}

TEST(Present, TypeAndLinesAreLarge) {
    Room room;
    ASSERT_TRUE(room.enter({1920, 1080}));
    const double zoom = room.board->canvas()->zoom();
    EXPECT_GE(kTickPixels * zoom, 20);
    EXPECT_GE(runLine(Theme::light().run(1)).width * zoom, 3);
    EXPECT_GE(room.page->font().pixelSize(), 20) << "1.6 times 13";
    EXPECT_EQ(room.board->panels().shown().size(), 2u) << "the loss and one more";
    EXPECT_FALSE(room.window->menuBar()->isVisible());
    EXPECT_FALSE(room.window->findChild<RunsDock*>()->isVisible());
}

TEST(Present, APointOfTheEnlargedPlotIsTheStepUnderIt) {
    Room room;
    ASSERT_TRUE(room.enter({1920, 1080}));
    room.board->refreshNow();
    const QCPAxisRect* loss = room.board->panels().all()[0]->rect();
    const QPointF place = QPointF(loss->right() - 1, loss->center().y()) * room.board->canvas()->zoom();
    QTest::mouseClick(room.board->canvas(), Qt::LeftButton, {}, place.toPoint());
    EXPECT_EQ(room.board->cursors().heldStep(), 1) << "the right edge is the last of two steps";
}

TEST(Present, TheKeysLeadInAndOutAndTheDeskIsAsItWas) {
    LiveWindow live;
    ASSERT_TRUE(live.open());
    auto* board = live.window->findChild<PlotBoard*>();
    const QSize before = board->size();
    for (const auto key : {Qt::Key_Escape, Qt::Key_F11}) {
        QTest::keyClick(live.window.get(), Qt::Key_F11);
        EXPECT_TRUE(live.window->presentPage()->isVisible());
        EXPECT_TRUE(live.window->isFullScreen());
        EXPECT_TRUE(board->canvas()->isEnlarged());
        EXPECT_EQ(Theme::current().ink, Theme::of(ThemeKind::Light, Contrast::High).ink) << "by default";
        QTest::keyClick(live.window.get(), key);
        ASSERT_TRUE(QTest::qWaitFor([&] { return !live.window->presentPage()->isVisible(); }, kPatienceMs));
        EXPECT_FALSE(live.window->isFullScreen());
        EXPECT_FALSE(board->canvas()->isEnlarged());
        EXPECT_TRUE(live.window->menuBar()->isVisible());
        EXPECT_EQ(Theme::current().ink, Theme::light().ink);
        EXPECT_TRUE(live.window->actionList().layoutExplore->isChecked());
        live.window->resize(1920, 1080);
        EXPECT_TRUE(QTest::qWaitFor([&] { return board->size() == before; }, kPatienceMs));
    }
}

TEST(Present, AThemeChosenThereHoldsThereAlone) {
    LiveWindow live;
    ASSERT_TRUE(live.open());
    const Actions& actions = live.window->actionList();
    actions.layoutPresent->trigger();
    actions.themeDark->trigger();
    EXPECT_EQ(Theme::current().kind, ThemeKind::Dark);
    actions.layoutExplore->trigger();
    EXPECT_EQ(Theme::current().kind, ThemeKind::Light);
    actions.layoutPresent->trigger();
    EXPECT_EQ(Theme::current().kind, ThemeKind::Dark);
    EXPECT_TRUE(actions.themeDark->isChecked());
    actions.leavePresent->trigger();
    EXPECT_TRUE(actions.themeLight->isChecked());
}

TEST(Present, AChipHidesItsRunAndItsName) {
    Room room;
    ASSERT_TRUE(room.enter({1920, 1080}));
    const auto chips = room.page->findChildren<RunChip*>();
    ASSERT_EQ(chips.size(), 2);
    QTest::mouseClick(chips[1], Qt::LeftButton);
    EXPECT_TRUE(room.session.runs()[1]->isHidden);
    EXPECT_EQ(chips[1]->text(), QStringLiteral("run 2, hidden"));
    EXPECT_FALSE(chips[1]->accessibleName().contains(QStringLiteral("narrow")));
    room.board->refreshNow();
    for (const EndLabels::Label& label : room.board->endLabels().labels()) EXPECT_NE(label.name, QStringLiteral("narrow"));
    for (const auto& panel : room.board->panels().all())
        if (panel->rect()->visible()) {
            EXPECT_FALSE(panel->title().note.contains(QStringLiteral("narrow"))) << panel->title().note.toStdString();
        }
    QTest::mouseClick(chips[1], Qt::LeftButton);
    EXPECT_FALSE(room.session.runs()[1]->isHidden);
    EXPECT_EQ(chips[1]->text(), QStringLiteral("narrow"));
}

TEST(Present, OneKeyGoesFromBeforeToAfter) {
    Room room;
    ASSERT_TRUE(room.enter({1920, 1080}));
    const auto shown = [&] {
        QString names;
        for (const auto& run : room.session.runs())
            if (!run->isHidden) names += run->name() + u' ';
        return names;
    };
    for (const char* expected : {"wide ", "narrow ", "wide ", "narrow "}) {
        QTest::keyClick(room.window.get(), Qt::Key_O);
        EXPECT_EQ(shown(), QString::fromLatin1(expected));
    }
    QTest::keyClick(room.window.get(), Qt::Key_O, Qt::ShiftModifier);
    EXPECT_EQ(shown(), QStringLiteral("wide narrow "));
}

TEST(Present, ResetRestoresTheOriginalSettings) {
    Room room;
    ASSERT_TRUE(room.enter({1920, 1080}));
    const RunId wide = room.session.runs()[0]->id;
    const double lr = room.session.runs()[0]->info.settings.training.optimizer.lr;
    room.engine.change(wide, QStringLiteral("/optimizer/lr"), 0.123, QStringLiteral("0.123"));
    room.engine.send(SingleStep{});
    ASSERT_TRUE(room.reaches(3));
    ASSERT_EQ(room.session.runs()[0]->info.settings.training.optimizer.lr, 0.123);
    room.child<QPushButton>(QStringLiteral("Reset with the original settings"))->click();
    ASSERT_TRUE(QTest::qWaitFor([&] { return room.session.stepCount() == 0 && !room.session.runs().empty(); }, kPatienceMs));
    EXPECT_EQ(room.session.runs()[0]->info.settings.training.optimizer.lr, lr);
    EXPECT_EQ(room.session.runs()[0]->name(), QStringLiteral("wide"));
    EXPECT_EQ(room.session.state().state, LabState::Paused);
    EXPECT_TRUE(room.page->isVisible());
}

TEST(Present, ResetFindsDataBesideTheExperiment) {
    QTemporaryDir folder;
    const auto write = [&](const QString& name, const QByteArray& text) {
        QFile file(folder.filePath(name));
        EXPECT_TRUE(file.open(QIODevice::WriteOnly) && file.write(text) == text.size());
    };
    write(QStringLiteral("words.txt"), QByteArray("to be or not to be, that is the question. ").repeated(40));
    write(QStringLiteral("own.json"), R"({"title": "Own", "data": {"name": "text", "path": "words.txt", "batch_size": 2, "context": 8},
        "model": {"kind": "gpt", "n_layer": 1, "n_head": 1, "n_embd": 8}, "steps": 9, "runs": [{"name": "wide"}]})");
    LiveWindow live;
    ASSERT_TRUE(live.open());
    live.window->openExperiment(folder.filePath(QStringLiteral("own.json")));
    ASSERT_TRUE(
        QTest::qWaitFor([&] { return live.session.experiment().title == "Own" && !live.session.originalText().isEmpty(); }, kPatienceMs));
    live.engine.send(SingleStep{});
    ASSERT_TRUE(QTest::qWaitFor([&] { return live.session.stepCount() > 0; }, kPatienceMs));
    live.window->actionList().restore->trigger();
    EXPECT_TRUE(QTest::qWaitFor([&] { return live.session.stepCount() == 0; }, kPatienceMs));
    EXPECT_EQ(live.shownBanner(), nullptr);
    EXPECT_EQ(live.session.experiment().title, "Own");
}

TEST(Present, ALessonCanBeOpenedThere) {
    Room room;
    ASSERT_TRUE(room.enter({1280, 720}));
    int menus = 0;
    for (const QPushButton* button : room.page->findChildren<QPushButton*>()) {
        if (!button->menu()) continue;
        ++menus;
        emit button->menu()->aboutToShow();
        EXPECT_EQ(button->menu()->actions().front(), room.window->actionList().lessonList)
            << "on a small screen the menu's end is not seen";
    }
    EXPECT_EQ(menus, 1);
}

TEST(Present, PanelsAreChosenAndResetGoesBackToTwo) {
    Room room;
    ASSERT_TRUE(room.enter({1920, 1080}));
    room.page->setPlots({"loss", "skipped_total", "val_accuracy"});
    const auto shown = [&] {
        std::vector<std::string> keys;
        for (const Panel* panel : room.board->panels().shown()) keys.push_back(panel->key());
        return keys;
    };
    EXPECT_EQ(shown(), (std::vector<std::string>{"loss", "skipped_total", "val_accuracy"}));
    room.window->actionList().resetLayout->trigger();
    EXPECT_EQ(shown(), (std::vector<std::string>{"loss", "loss_scale"})) << "the loss, and the loss scale, as a run scales its loss";
    room.window->actionList().leavePresent->trigger();
    EXPECT_EQ(shown().size(), 5u);
}

TEST(Present, TheStyleSheetGrowsByOneFactor) {
    const QString sheet = styleSheet(Theme::light(), 1.6);
    EXPECT_TRUE(sheet.contains(QStringLiteral("QLabel[kind=\"question\"] { font-size: 32px;")));
    EXPECT_TRUE(sheet.contains(QStringLiteral("min-height: 42px"))) << "26 px of a button";
    EXPECT_TRUE(sheet.contains(QStringLiteral("border: 1px solid"))) << "hairlines stay";
}

}  // namespace
}  // namespace mantissa::gui
