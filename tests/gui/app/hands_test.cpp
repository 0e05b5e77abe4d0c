// SPDX-License-Identifier: Apache-2.0
// Undo and redo, keys of the user's own, cursors and notes, in the whole window with a real engine behind it.
#include <gtest/gtest.h>

#include <QLineEdit>
#include <QMenuBar>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTimer>
#include <QTreeWidget>
#include <QUndoStack>
#include <map>
#include <set>

#include "gui/app/key_map.h"
#include "gui/app/keys_page.h"
#include "gui/app/undo_log.h"
#include "gui/diagnosis/diagnose_page.h"
#include "gui/plots/cursor_panel.h"
#include "gui/plots/note_field.h"
#include "tests/gui/support/live_window.h"

namespace mantissa::gui {
namespace {

QString keyOf(const QAction* action) {
    return action->shortcut().toString(QKeySequence::PortableText);
}

// ---- Keys ----

TEST(Keys, EveryActionIsListedOnceUnderANameAndAKeyOfItsOwn) {
    LiveWindow live;
    live.make();
    std::set<const QAction*> listed;
    std::set<QString> names, keys;
    for (const KeyMap::Entry& entry : live.window->keyMap()->entries()) {
        EXPECT_TRUE(listed.insert(entry.action).second) << entry.action->text().toStdString();
        EXPECT_TRUE(names.insert(entry.action->objectName()).second) << entry.action->objectName().toStdString();
        EXPECT_FALSE(entry.action->objectName().isEmpty());
        EXPECT_FALSE(entry.group.isEmpty());
        EXPECT_NE(entry.group, QStringLiteral("Other")) << entry.action->text().toStdString() << " is in no menu";
        for (const QKeySequence& key : entry.action->shortcuts())
            EXPECT_TRUE(keys.insert(key.toString()).second) << key.toString().toStdString();
    }
    for (const QAction* action : live.window->actions()) EXPECT_TRUE(listed.contains(action)) << action->text().toStdString();
}

TEST(Keys, TheUsualOnesAreThoseOfTheManual) {
    LiveWindow live;
    live.make();
    const Actions& actions = live.window->actionList();
    const std::pair<const QAction*, const char*> table[] = {{actions.freeze, "Space"},
                                                            {actions.train, "Ctrl+R"},
                                                            {actions.step, "."},
                                                            {actions.follow, "F"},
                                                            {actions.fit, "Home"},
                                                            {actions.previousView, "Backspace"},
                                                            {actions.nextView, "Shift+Backspace"},
                                                            {actions.previousRun, "PgUp"},
                                                            {actions.nextRun, "PgDown"},
                                                            {actions.crosshair, "C"},
                                                            {actions.cursorA, "A"},
                                                            {actions.cursorB, "B"},
                                                            {actions.note, "N"},
                                                            {actions.nextEvent, "J"},
                                                            {actions.previousEvent, "Shift+J"},
                                                            {actions.firstNonFinite, "Shift+N"},
                                                            {actions.logScale, "L"},
                                                            {actions.smoothing, "S"},
                                                            {actions.hide, "V"},
                                                            {actions.exporting, "Ctrl+E"},
                                                            {actions.copyPlot, "Ctrl+Shift+C"},
                                                            {actions.undo, "Ctrl+Z"},
                                                            {actions.redo, "Ctrl+Shift+Z"},
                                                            {actions.inject, "Shift+I"},
                                                            {actions.keys, "F1"}};
    for (const auto& [action, key] : table) EXPECT_EQ(keyOf(action).toStdString(), key) << action->text().toStdString();
    for (const QAction* action : live.window->actions()) EXPECT_NE(keyOf(action), QStringLiteral("Ctrl+Space")) << "which is the desktop's";
}

TEST(Keys, AreChangedKeptAndReset) {
    QTemporaryDir folder;
    {
        LiveWindow live;
        live.make(kDefaultExperiment, folder.path());
        KeyMap& map = *live.window->keyMap();
        QAction* freeze = live.window->actionList().freeze;
        const QString taken = map.assign(freeze, QKeySequence(Qt::Key_F));
        EXPECT_TRUE(taken.contains(QStringLiteral("Follow the tail"))) << taken.toStdString();
        EXPECT_EQ(keyOf(freeze), QStringLiteral("Space"));
        for (const int fixed : {int(Qt::Key_1), int(Qt::Key_Left), int(Qt::Key_Escape), int(Qt::Key_Return)})
            EXPECT_FALSE(map.assign(freeze, QKeySequence(fixed)).isEmpty()) << fixed;
        EXPECT_EQ(map.assign(freeze, QKeySequence(Qt::CTRL | Qt::Key_J)), QString());
        EXPECT_EQ(map.assign(live.window->actionList().note, {}), QString());
        EXPECT_TRUE(map.isChanged(freeze));
    }
    LiveWindow live;
    live.make(kDefaultExperiment, folder.path());
    KeyMap& map = *live.window->keyMap();
    QAction* freeze = live.window->actionList().freeze;
    EXPECT_EQ(keyOf(freeze), QStringLiteral("Ctrl+J"));
    EXPECT_TRUE(live.window->actionList().note->shortcuts().isEmpty());
    // The usual key may have another owner meanwhile.
    EXPECT_EQ(map.assign(live.window->actionList().follow, QKeySequence(Qt::Key_Space)), QString());
    EXPECT_TRUE(map.reset(freeze).contains(QStringLiteral("Follow")));
    EXPECT_EQ(keyOf(freeze), QStringLiteral("Ctrl+J"));
    map.resetAll();
    for (const KeyMap::Entry& entry : map.entries()) EXPECT_FALSE(map.isChanged(entry.action));
    EXPECT_EQ(keyOf(freeze), QStringLiteral("Space"));
}

TEST(Keys, ThePageFindsRecordsAndRefuses) {
    LiveWindow live;
    live.make();
    live.window->show();
    live.window->actionList().keys->trigger();
    auto* page = live.window->findChild<KeysPage*>();
    ASSERT_NE(page, nullptr);
    auto* list = page->findChild<QTreeWidget*>();
    auto* search = page->findChild<QLineEdit*>();
    const auto shownRows = [&] {
        QStringList rows;
        for (int i = 0; i < list->topLevelItemCount(); ++i)
            for (int j = 0; j < list->topLevelItem(i)->childCount(); ++j)
                if (!list->topLevelItem(i)->child(j)->isHidden()) rows << list->topLevelItem(i)->child(j)->text(0);
        return rows;
    };
    EXPECT_TRUE(shownRows().contains(QStringLiteral("Select a run"))) << "fixed keys are listed too";
    search->setText(QStringLiteral("ctrl+e"));
    EXPECT_EQ(shownRows(), QStringList{QStringLiteral("Export")});
    search->setText(QStringLiteral("freeze"));
    ASSERT_EQ(shownRows().size(), 1);
    QTreeWidgetItem* row = list->findItems(QStringLiteral("Freeze view"), Qt::MatchExactly | Qt::MatchRecursive).front();
    list->setCurrentItem(row);
    const auto press = [&](int key, Qt::KeyboardModifiers modifiers = {}) {
        page->record();
        auto* recorder = page->findChild<KeyRecorder*>();
        ASSERT_NE(recorder, nullptr);
        QTest::keyClick(recorder, Qt::Key(key), modifiers);
        ASSERT_TRUE(QTest::qWaitFor([&] { return list->itemWidget(row, 1) == nullptr; }, kPatienceMs));
    };
    press(Qt::Key_F);
    EXPECT_TRUE(page->word().contains(QStringLiteral("Follow the tail"))) << page->word().toStdString();
    EXPECT_EQ(row->text(1), QStringLiteral("Space"));
    press(Qt::Key_Escape);
    EXPECT_EQ(row->text(1), QStringLiteral("Space"));
    press(Qt::Key_J, Qt::ControlModifier);
    EXPECT_EQ(keyOf(live.window->actionList().freeze), QStringLiteral("Ctrl+J"));
    EXPECT_TRUE(row->text(1).contains(QStringLiteral("Ctrl+J")));
}

TEST(Keys, OfViewsWorkInTheWindow) {
    LiveWindow live;
    ASSERT_TRUE(live.open());
    for (int i = 0; i < 3; ++i) live.engine.send(SingleStep{});
    ASSERT_TRUE(live.reaches(3));
    auto* board = live.window->findChild<PlotBoard*>();
    board->cursors().setStep(1);
    QTest::keyClick(board->canvas(), Qt::Key_A);
    board->cursors().setStep(2);
    QTest::keyClick(board->canvas(), Qt::Key_B);
    EXPECT_EQ(board->cursors().pair().steps, (std::array<std::int64_t, 2>{1, 2}));
    auto* panel = live.window->findChild<CursorPanel*>();
    EXPECT_TRUE(panel->isVisible());
    QTest::keyClick(board->canvas(), Qt::Key_L, Qt::ControlModifier);
    EXPECT_TRUE(board->cursors().pair().isLocked);
    QTest::keyClick(board->canvas(), Qt::Key_A);
    EXPECT_EQ(board->cursors().pair().steps[0], 1) << "locked";
    live.window->resize(1280, 720);
    // what moved to the slim dock is shown when its layout is next activated
    EXPECT_TRUE(QTest::qWaitFor([&] { return panel->isVisible(); }, kPatienceMs)) << "in the slim form, too";
    live.window->actionList().removeCursors->trigger();
    EXPECT_FALSE(panel->isVisible());

    board->axes().setFollow(FollowMode::Window);
    QTest::keyClick(board->canvas(), Qt::Key_Home);
    EXPECT_EQ(board->axes().view().mode(), FollowMode::All);
    QTest::keyClick(board->canvas(), Qt::Key_Backspace);
    EXPECT_EQ(board->axes().view().mode(), FollowMode::Window);
    QTest::keyClick(board->canvas(), Qt::Key_Backspace, Qt::ShiftModifier);
    EXPECT_EQ(board->axes().view().mode(), FollowMode::All);
}

// ---- Undo ----

struct UndoWindow : LiveWindow {
    bool openAt(std::int64_t steps) {
        if (!open()) return false;
        for (std::int64_t i = 0; i < steps; ++i) engine.send(SingleStep{});
        return reaches(steps);
    }
    RunId id(int index) const { return session.runs()[static_cast<std::size_t>(index)]->id; }
    QAction* undo() const { return window->actionList().undo; }
    QAction* redo() const { return window->actionList().redo; }
    bool waitFor(const std::function<bool()>& isTrue) { return QTest::qWaitFor(isTrue, kPatienceMs); }
    double lr() const { return session.runs()[0]->info.settings.training.optimizer.lr; }
};

TEST(Undo, ASettingGoesBackFromTheNextStepAndAForkIsOffered) {
    UndoWindow live;
    ASSERT_TRUE(live.openAt(2));
    const double before = live.lr();
    EXPECT_FALSE(live.undo()->isEnabled());
    live.engine.change(live.id(0), QStringLiteral("/optimizer/lr"), 0.25, QStringLiteral("0.25"));
    EXPECT_TRUE(live.undo()->isEnabled()) << "what is still pending can be taken back";
    EXPECT_EQ(live.undo()->text(), QStringLiteral("Undo change of lr of wide"));
    ASSERT_TRUE(live.settles() && live.waitFor([&] { return live.lr() == 0.25; }));
    live.engine.send(SingleStep{});
    ASSERT_TRUE(live.reaches(3));
    live.undo()->trigger();
    ASSERT_TRUE(live.waitFor([&] { return live.lr() == before; }));
    ASSERT_TRUE(live.settles());
    EXPECT_EQ(live.session.stepCount(), 3) << "no step is undone";
    EXPECT_EQ(live.session.markers().back().step, 3);
    EXPECT_TRUE(live.window->actionList().forkUndone->isEnabled());
    EXPECT_FALSE(live.undo()->isEnabled());
    live.redo()->trigger();
    ASSERT_TRUE(live.waitFor([&] { return live.lr() == 0.25; }));
    ASSERT_TRUE(live.settles());
    EXPECT_FALSE(live.window->actionList().forkUndone->isEnabled());
    live.undo()->trigger();  // before any step was trained with it
    ASSERT_TRUE(live.waitFor([&] { return live.lr() == before; }));
    EXPECT_FALSE(live.window->actionList().forkUndone->isEnabled());
}

TEST(Undo, AFormatGoesBackWithItsScalerAndARefusedRequestLeavesNothing) {
    UndoWindow live;
    ASSERT_TRUE(live.openAt(1));
    const RunId narrow = live.id(1);
    const RunSettings before = live.session.run(narrow)->info.settings;
    const double scale = live.session.run(narrow)->nextScale;
    live.engine.change(narrow, QStringLiteral("/precision"), "bf16", QStringLiteral("BF16"));
    ASSERT_TRUE(live.settles() && live.waitFor([&] { return live.session.run(narrow)->info.policy == "bf16"; }));
    live.undo()->trigger();
    ASSERT_TRUE(live.waitFor([&] { return live.session.run(narrow)->info.policy == "fp16"; }));
    ASSERT_TRUE(live.settles());
    EXPECT_EQ(live.session.run(narrow)->info.settings.training.scaler, before.training.scaler);
    EXPECT_EQ(live.session.run(narrow)->nextScale, scale);
    EXPECT_EQ(live.window->undoStack()->index(), 0);

    live.engine.change(narrow, QStringLiteral("/optimizer/lr"), -1, QStringLiteral("-1"));
    EXPECT_TRUE(live.undo()->isEnabled());
    ASSERT_TRUE(live.waitFor([&] { return !live.undo()->isEnabled(); }));
    EXPECT_EQ(live.window->undoStack()->count(), 0);

    live.engine.send(RenameRun{narrow, ""});
    EXPECT_TRUE(live.undo()->isEnabled());
    ASSERT_TRUE(live.waitFor([&] { return !live.undo()->isEnabled(); }));
}

TEST(Undo, EntriesStandInTheOrderOfWhatWasDone) {
    UndoWindow live;
    ASSERT_TRUE(live.openAt(1));
    live.engine.send(RenameRun{live.id(1), "first"});
    live.engine.change(live.id(0), QStringLiteral("/optimizer/lr"), 0.25, QStringLiteral("0.25"));  // before the engine has answered
    ASSERT_TRUE(live.settles() && live.waitFor([&] { return live.session.run(live.id(1))->name() == QStringLiteral("first"); }));
    EXPECT_EQ(live.undo()->text(), QStringLiteral("Undo change of lr of wide"));
    EXPECT_EQ(live.window->undoStack()->text(0), QStringLiteral("renaming of narrow to first"));
}

TEST(Undo, ARunThatIsCalledByItsFormatFollowsIt) {
    UndoWindow live;
    ASSERT_TRUE(live.openAt(1));
    const RunId wide = live.id(0), narrow = live.id(1);
    const auto nameOf = [&](RunId run) { return live.session.run(run)->name(); };
    live.engine.send(RenameRun{narrow, "fp16"});
    ASSERT_TRUE(live.waitFor([&] { return nameOf(narrow) == QStringLiteral("fp16"); }));
    live.engine.send(RenameRun{wide, "bf16"});
    ASSERT_TRUE(live.waitFor([&] { return nameOf(wide) == QStringLiteral("bf16"); }));
    live.engine.change(narrow, QStringLiteral("/precision"), "bf16", QStringLiteral("BF16"));
    ASSERT_TRUE(live.waitFor([&] { return nameOf(narrow) == QStringLiteral("bf16 2"); })) << "the name is taken";
    live.engine.change(narrow, QStringLiteral("/precision"), "pure-fp16", QStringLiteral("pure FP16"));
    ASSERT_TRUE(live.waitFor([&] { return nameOf(narrow) == QStringLiteral("pure fp16"); }));
    ASSERT_TRUE(live.settles());
    live.undo()->trigger();
    ASSERT_TRUE(live.waitFor([&] { return nameOf(narrow) == QStringLiteral("bf16 2"); }) && live.settles());
    live.undo()->trigger();
    ASSERT_TRUE(live.waitFor([&] { return nameOf(narrow) == QStringLiteral("fp16"); })) << "no entry of its own";
    live.engine.change(narrow, QStringLiteral("/precision"), "bf16", QStringLiteral("BF16"));
    ASSERT_TRUE(live.waitFor([&] { return nameOf(narrow) == QStringLiteral("bf16 2"); }));
    live.engine.send(SingleStep{});
    ASSERT_TRUE(live.reaches(2));
    live.engine.send(RewindRuns{narrow, 0});
    ASSERT_TRUE(live.waitFor([&] { return nameOf(narrow) == QStringLiteral("fp16"); })) << "a rewind brings the format of that step back";
    live.undo()->trigger();
    ASSERT_TRUE(live.settles());
    live.undo()->trigger();
    ASSERT_TRUE(live.waitFor([&] { return nameOf(wide) == QStringLiteral("wide"); })) << "but a renaming by hand is one";
    live.engine.change(wide, QStringLiteral("/precision"), "bf16", QStringLiteral("BF16"));
    ASSERT_TRUE(live.settles() && live.waitFor([&] { return live.session.run(wide)->info.policy == "bf16"; }));
    EXPECT_EQ(nameOf(wide), QStringLiteral("wide")) << "a name of its own stays";
}

TEST(Undo, TheMessageHasTheNameAfterTheUndo) {
    UndoWindow live;
    ASSERT_TRUE(live.openAt(1));
    const RunId narrow = live.id(1);
    const auto isCalled = [&](const QString& name) { return live.waitFor([&] { return live.session.run(narrow)->name() == name; }); };
    live.engine.send(RenameRun{narrow, "fp16"});
    ASSERT_TRUE(isCalled(QStringLiteral("fp16")));
    live.engine.change(narrow, QStringLiteral("/precision"), "bf16", QStringLiteral("BF16"));
    ASSERT_TRUE(isCalled(QStringLiteral("bf16")) && live.settles());
    QSignalSpy said(live.window->findChild<UndoLog*>(), &UndoLog::said);
    live.undo()->trigger();
    ASSERT_TRUE(isCalled(QStringLiteral("fp16")));
    ASSERT_TRUE(live.waitFor([&] { return said.count() > 0; }));
    EXPECT_TRUE(said[0][0].toString().startsWith(QStringLiteral("precision of fp16 is FP16 again"))) << said[0][0].toString().toStdString();
}

TEST(Undo, ARemovedRunComesBackWithItsSteps) {
    UndoWindow live;
    ASSERT_TRUE(live.openAt(3));
    const RunId wide = live.id(0);
    const double loss = live.session.run(wide)->loss.exact(2);
    live.engine.send(RenameRun{wide, "first"});
    EXPECT_EQ(live.undo()->text(), QStringLiteral("Undo renaming of wide to first"));
    ASSERT_TRUE(live.waitFor([&] { return live.session.run(wide)->name() == QStringLiteral("first"); }));
    live.engine.send(RemoveRun{wide});
    ASSERT_TRUE(live.waitFor([&] { return live.undo()->text() == QStringLiteral("Undo removal of first"); }));
    live.undo()->trigger();
    ASSERT_TRUE(live.waitFor([&] { return live.session.run(wide) != nullptr; }));
    EXPECT_EQ(live.session.run(wide)->stepCount(), 3);
    EXPECT_EQ(live.session.run(wide)->loss.exact(2), loss);
    live.undo()->trigger();
    ASSERT_TRUE(live.waitFor([&] { return live.session.run(wide)->name() == QStringLiteral("wide"); })) << "and the renaming before";
    live.redo()->trigger();
    live.redo()->trigger();
    ASSERT_TRUE(live.waitFor([&] { return live.session.runs().size() == 1; }));
    live.engine.send(DuplicateRun{live.id(0)});
    ASSERT_TRUE(live.waitFor([&] { return live.session.runs().size() == 2; }));
    ASSERT_TRUE(live.waitFor([&] { return live.undo()->text().contains(QStringLiteral("adding")); }));
    live.undo()->trigger();
    ASSERT_TRUE(live.waitFor([&] { return live.session.runs().size() == 1; }));
    live.redo()->trigger();
    ASSERT_TRUE(live.waitFor([&] { return live.session.runs().size() == 2; }));
}

TEST(Undo, ARunThatIsGoneForGoodIsMadeAnewFromItsSettings) {
    UndoWindow live;
    ASSERT_TRUE(live.openAt(2));
    const RunId wide = live.id(0);
    live.engine.send(RemoveRun{wide});
    ASSERT_TRUE(live.waitFor([&] { return live.undo()->isEnabled(); }));
    // More are removed than are kept; by another hand, so that they are no entries.
    for (std::size_t i = 0; i < kMostRestorable; ++i) {
        live.engine.send(DuplicateRun{live.id(0)});
        ASSERT_TRUE(live.waitFor([&] { return live.session.runs().size() == 2; }));
        live.engine.send(RemoveRun{live.id(1)});
        ASSERT_TRUE(live.waitFor([&] { return live.session.runs().size() == 1; }));
    }
    ASSERT_TRUE(live.waitFor([&] { return live.window->undoStack()->count() == 1 + 2 * static_cast<int>(kMostRestorable); }));
    const auto undoOne = [&] {
        const std::size_t had = live.session.runs().size();
        live.undo()->trigger();
        return live.waitFor([&] { return live.session.runs().size() != had; });
    };
    for (std::size_t i = 0; i < 2 * kMostRestorable; ++i) ASSERT_TRUE(undoOne()) << i;
    ASSERT_TRUE(undoOne());
    ASSERT_EQ(live.session.runs().size(), 2u);
    const RunState& again = *live.session.runs().back();
    EXPECT_EQ(again.name(), QStringLiteral("wide"));
    EXPECT_EQ(again.stepCount(), 0) << "it trains its way again";
    ASSERT_TRUE(live.waitFor([&] { return live.redo()->isEnabled(); }));
    live.redo()->trigger();
    ASSERT_TRUE(live.waitFor([&] { return live.session.runs().size() == 1; })) << "its entries know its new number";
}

TEST(Rewinds, TheOneOfACapturedStepNamesIt) {
    UndoWindow live;
    ASSERT_TRUE(live.openAt(2));
    const Actions& actions = live.window->actionList();
    EXPECT_EQ(actions.forkCaptured->text(), QStringLiteral("Rewind to the captured step and fork"));
    actions.nextCaptured->trigger();
    auto* page = live.window->findChild<DiagnosePage*>();
    ASSERT_NE(page, nullptr);
    emit page->shownChanged(live.id(0), 1);
    EXPECT_EQ(actions.forkCaptured->text(), QStringLiteral("Rewind to step 1 and fork"));
}

TEST(Notes, AMenuWithoutAStepOffersOneAtTheLastStep) {
    UndoWindow live;
    ASSERT_TRUE(live.openAt(2));
    QStringList texts;
    QTimer close;
    QObject::connect(&close, &QTimer::timeout, [&] {
        for (QWidget* each : QApplication::topLevelWidgets())
            if (auto* menu = qobject_cast<QMenu*>(each); menu && menu->isVisible()) {
                for (const QAction* action : menu->actions()) texts << action->text();
                menu->close();
            }
    });
    close.start(50);
    emit live.window->findChild<EventBar*>()->menuRequested(live.id(0), -1, live.window->mapToGlobal(QPoint(200, 200)));
    close.stop();
    EXPECT_TRUE(texts.contains(QStringLiteral("Note at step 1\u2026"))) << texts.join(u'|').toStdString();
}

TEST(Undo, HidingAndNotesGoBackToo) {
    UndoWindow live;
    ASSERT_TRUE(live.openAt(2));
    live.session.select(live.id(1));
    QTest::keyClick(live.window.get(), Qt::Key_V);
    EXPECT_TRUE(live.session.run(live.id(1))->isHidden);
    QTest::keyClick(live.window.get(), Qt::Key_Z, Qt::ControlModifier);
    EXPECT_FALSE(live.session.run(live.id(1))->isHidden);
    QTest::keyClick(live.window.get(), Qt::Key_Z, Qt::ControlModifier | Qt::ShiftModifier);
    EXPECT_TRUE(live.session.run(live.id(1))->isHidden);

    auto* board = live.window->findChild<PlotBoard*>();
    board->cursors().setStep(1);
    QTest::keyClick(board->canvas(), Qt::Key_N);
    auto* field = live.window->findChild<NoteField*>();
    ASSERT_TRUE(field->isVisible());
    auto* text = field->findChild<QLineEdit*>();
    QTest::keyClicks(text, QStringLiteral("an apt note"));
    EXPECT_TRUE(board->cursors().pair().isEmpty()) << "letters are letters here";
    QTest::keyClick(text, Qt::Key_Return);
    ASSERT_TRUE(live.waitFor([&] { return live.session.notes().size() == 1; }));
    EXPECT_EQ(live.session.notes().begin()->second.step, 1);
    ASSERT_TRUE(live.waitFor([&] { return live.undo()->text().contains(QStringLiteral("note")); }));
    live.undo()->trigger();
    ASSERT_TRUE(live.waitFor([&] { return live.session.notes().empty(); }));
    live.redo()->trigger();
    ASSERT_TRUE(live.waitFor([&] { return live.session.notes().size() == 1; }));
    EXPECT_EQ(live.session.notes().begin()->second.text, "an apt note");
    live.engine.send(WriteNote{{0, -1, 1, "another"}});
    ASSERT_TRUE(live.waitFor([&] { return live.undo()->text() == QStringLiteral("Undo change of a note"); }));
    live.undo()->trigger();
    ASSERT_TRUE(live.waitFor([&] { return live.session.notes().at(0).text == "an apt note"; }));

    QSignalSpy loaded(&live.session, &SessionModel::experimentLoaded);
    live.engine.load(QStringLiteral("two"), smallExperiment());
    ASSERT_TRUE(loaded.wait(kPatienceMs));
    EXPECT_EQ(live.window->undoStack()->count(), 0) << "another experiment has another past";
}

}  // namespace
}  // namespace mantissa::gui
