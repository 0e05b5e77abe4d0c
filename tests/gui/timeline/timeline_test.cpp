// SPDX-License-Identifier: Apache-2.0
// The way back: which verbs a step offers, what the fork dialog sends, how the family of runs is shown.
#include "gui/timeline/timeline.h"

#include <gtest/gtest.h>

#include <QAction>
#include <QMenu>
#include <QSignalSpy>
#include <QSpinBox>

#include "gui/controls/parts.h"
#include "gui/controls/run_note.h"
#include "gui/controls/runs_dock.h"
#include "gui/picker/draft_form.h"
#include "gui/plots/event_bar.h"
#include "gui/plots/event_model.h"
#include "gui/recordings/session_memory.h"
#include "gui/timeline/fork_dialog.h"
#include "tests/gui/support/live_session.h"
#include "tests/gui/support/session_by_hand.h"

namespace mantissa::gui {
namespace {

RunInfo forkInfo(RunId id, RunId parent, std::int64_t firstStep, RunKind kind = RunKind::Live) {
    RunInfo info = runInfo(id, "fork " + std::to_string(id), "fp16", "pytorch");
    info.parent = parent;
    info.firstStep = firstStep;
    info.kind = kind;
    return info;
}

/// The commands go nowhere: there is no engine.
struct TimelineTest : testing::Test {
    SessionModel session;
    EngineClient engine{&session, {QStringLiteral("/nowhere")}};
    QWidget window;
    Timeline timeline{&session, &engine, &window};

    TimelineTest() {
        loadThreeRuns(session);
        for (RunId run = 0; run < 3; ++run) session.handle(steps(run, 0, 100));
    }
    QStringList entries(std::int64_t step, RunId run) {
        QMenu menu;
        timeline.fillMenu(&menu, step, session.run(run));
        QStringList texts;
        for (const QAction* action : menu.actions())
            if (!action->isSeparator()) texts << action->text();
        return texts;
    }
};

TEST_F(TimelineTest, AStepOffersWhatCanBeDoneThere) {
    EXPECT_EQ(entries(50, 1),
              (QStringList{QStringLiteral("Step 50"), QStringLiteral("Rewind all runs to step 50"), QStringLiteral("Rewind fp16 alone"),
                           QStringLiteral("Fork fp16 before step 50…"), QStringLiteral("What if, with fp16 before step 50…")}));
    EXPECT_EQ(entries(-1, 1)[1], QStringLiteral("Fork fp16 from here…")) << "without a step, from where it stands";
    session.handle(steps(1, 100, 4, kFlagSkipped));
    session.handle(NonFiniteFound{1, {70, "layers.2", "linear", "forward", "layers.2.output", "+Inf"}});
    const QStringList texts = entries(50, 1);
    EXPECT_TRUE(texts.contains(QStringLiteral("Rewind fp16 to step 70, the first non-finite one"))) << texts.join(u'|').toStdString();
    EXPECT_TRUE(texts.contains(QStringLiteral("Rewind fp16 to step 100, the last skip"))) << "the whole burst";
}

TEST_F(TimelineTest, OnlyStepsThatARunHasCanBeGoneBackTo) {
    QSignalSpy asked(&timeline, &Timeline::rewindAsked), said(&timeline, &Timeline::said);
    timeline.rewind(1, 100);
    EXPECT_EQ(asked.count(), 0);
    EXPECT_EQ(said.count(), 1);
    timeline.rewind(1, 99);
    timeline.rewindAll(3);
    EXPECT_EQ(asked.count(), 2);
    session.handle(RunAdded{forkInfo(7, 1, 60)});
    session.handle(steps(7, 60, 5));
    EXPECT_FALSE(session.run(7)->canRewindTo(59)) << "before its own first step it was another run";
    EXPECT_TRUE(session.run(7)->canRewindTo(60));
    EXPECT_TRUE(session.run(7)->canForkAt(65));
}

TEST_F(TimelineTest, TheFamilyOfRunsIsATree) {
    RunsDock dock(&session, &engine, nullptr);
    dock.resize(344, 900);
    dock.show();
    session.handle(RunAdded{forkInfo(7, 0, 60)});
    session.handle(RunAdded{forkInfo(8, 7, 70, RunKind::WhatIf)});
    session.handle(RunAdded{forkInfo(9, 0, 80)});
    std::vector<RunId> order;
    for (const auto& run : session.runs()) order.push_back(run->id);
    EXPECT_EQ(order, (std::vector<RunId>{0, 7, 8, 9, 1, 2}));
    EXPECT_EQ(session.depthOf(*session.run(8)), 2);
    EXPECT_EQ(session.run(8)->identity, session.run(7)->identity + kWhatIfIdentity) << "a what-if wears its parent's colour";
    EXPECT_NE(session.run(7)->identity, session.run(0)->identity);
    EXPECT_EQ(session.selected(), 9) << "a new run is selected, a what-if is not";

    std::map<RunId, int> left;
    EXPECT_TRUE(QTest::qWaitFor([&] {
        for (const RunCard* card : dock.findChildren<RunCard*>()) left[card->run()] = card->mapTo(&dock, QPoint()).x();
        return left[7] == left[0] + 16;
    })) << left[7]
        << " right of " << left[0];
    EXPECT_EQ(left[8] - left[0], 32);
    EXPECT_EQ(left[9], left[7]);

    RunInfo kept = session.run(8)->info;
    kept.kind = RunKind::Live;
    session.handle(RunChanged{kept});
    EXPECT_LT(session.run(8)->identity, kWhatIfIdentity) << "one that is kept gets a look of its own";
}

TEST_F(TimelineTest, ANoteSaysWhereARunComesFrom) {
    session.handle(RunAdded{forkInfo(7, 1, 60, RunKind::WhatIf)});
    session.handle(steps(7, 60, 5));
    RunNote note(&session, &engine, nullptr);
    note.show(*session.run(7));
    QStringList texts;
    for (const QLabel* label : note.findChildren<QLabel*>()) texts << label->text();
    EXPECT_TRUE(texts.join(u'|').contains(QStringLiteral("from fp16 at step 60"))) << texts.join(u'|').toStdString();
    EXPECT_TRUE(texts.join(u'|').contains(QStringLiteral("5 steps"))) << texts.join(u'|').toStdString();
    QStringList buttons;
    for (const QPushButton* button : note.findChildren<QPushButton*>()) buttons << button->text();
    EXPECT_EQ(buttons, (QStringList{QStringLiteral("Keep"), QStringLiteral("Dismiss")}));
    note.show(*session.run(0));
    EXPECT_TRUE(note.isHidden()) << "a run that began here comes from nowhere";
}

TEST_F(TimelineTest, AnEventRowOffersTheWayBack) {
    session.handle(steps(1, 100, 2, kFlagSkipped));
    EventModel model(&session);
    ASSERT_EQ(model.rowCount(), 1);
    EXPECT_EQ(model.index(0, EventModel::BackColumn).data().toString(), QStringLiteral("Rewind to step 100"));
    session.handle(RunAdded{forkInfo(7, 1, 60)});
    model.refresh();
    ASSERT_EQ(model.rowCount(), 2);
    EXPECT_EQ(model.index(1, EventModel::WordsColumn).data().toString(), QStringLiteral("fork 7: forked from fp16"));
    EXPECT_EQ(model.index(1, EventModel::BackColumn).data().toString(), QString());
}

TEST_F(TimelineTest, AForkAsksForTheSettingsThatMayChange) {
    std::vector<std::string> pointers;
    for (const DraftRow& row : forkRows(session, *session.run(1), 100)) pointers.push_back(row.pointer);
    ASSERT_GE(pointers.size(), 5u);
    EXPECT_EQ(pointers[0], "/precision");
    EXPECT_EQ(pointers[1], "/scaler/scale");
    EXPECT_NE(std::find(pointers.begin(), pointers.end(), "/optimizer/lr"), pointers.end());
    EXPECT_EQ(std::find(pointers.begin(), pointers.end(), "/data/batch_size"), pointers.end()) << "that is fixed for the life of a run";
}

TEST_F(TimelineTest, AForkBeginsWithWhatWasInForceThen) {
    RunInfo changed = session.run(1)->info;
    const double lr = changed.settings.training.optimizer.lr;
    changed.settings.training.optimizer.lr = 2 * lr;
    session.handle(SettingApplied{0, 1, 50, "/optimizer/lr", "lr", "old", "new"});
    session.handle(RunChanged{changed});
    const auto lrAt = [&](std::int64_t step) {
        for (const DraftRow& row : forkRows(session, *session.run(1), step))
            if (row.pointer == "/optimizer/lr") return row.value.get<double>();
        return 0.0;
    };
    EXPECT_EQ(lrAt(20), lr);
    EXPECT_EQ(lrAt(50), lr) << "before the step from which the change holds";
    EXPECT_EQ(lrAt(51), 2 * lr);
}

TEST(ForkDialog, MakesARunWithOneThingChanged) {
    LiveSession live;
    ASSERT_TRUE(live.begin());
    live.engine.send(SetPace{0});
    live.engine.send(Train{});
    ASSERT_TRUE(live.reaches(30));
    live.engine.send(Pause{});
    const RunId parent = live.session.runs().back()->id;
    // what is wanted then is what the run has now
    live.engine.change(parent, QStringLiteral("/optimizer/lr"), 0.5, QStringLiteral("0.5"));
    ASSERT_TRUE(live.settles());
    auto* dialog = new ForkDialog(&live.session, &live.engine, parent, 20, false, nullptr);
    dialog->show();
    auto* change = dialog->findChild<ComboBox*>();
    change->setCurrentIndex(change->findText(QStringLiteral("lr")));
    auto* cell = dialog->findChild<DraftCell*>();
    ASSERT_NE(cell, nullptr);
    auto* edit = qobject_cast<QLineEdit*>(cell->control());
    edit->clear();
    QTest::keyClicks(edit, QStringLiteral("0.5"));
    QTest::mouseClick(dialog->findChild<QPushButton*>(QStringLiteral("fork")), Qt::LeftButton);
    ASSERT_TRUE(QTest::qWaitFor([&] { return live.session.runs().size() == 3; }, kPatienceMs));
    const RunState& fork = *live.session.runs().back();
    EXPECT_EQ(fork.info.parent, parent);
    EXPECT_EQ(fork.info.firstStep, 20);
    EXPECT_EQ(fork.name(), QStringLiteral("narrow, lr 0.5"));
    EXPECT_TRUE(QTest::qWaitFor([&] { return fork.info.settings.training.optimizer.lr == 0.5; }, kPatienceMs));
}

TEST(SessionMemory, AWindowThatEndedWithoutAWordIsRemembered) {
    QTemporaryDir folder;
    const QString path = folder.filePath(QStringLiteral("a.mantissa"));
    QFile(path).open(QIODevice::WriteOnly);
    {
        SessionMemory first(folder.path());
        EXPECT_EQ(first.unfinished(), QString());
        first.noteRecording(path);
        SessionMemory beside(folder.path());
        EXPECT_EQ(beside.unfinished(), QString()) << "the other window is still at it";
    }
    {
        SessionMemory second(folder.path());
        EXPECT_EQ(second.unfinished(), path);
        second.noteEnd();
    }
    EXPECT_EQ(SessionMemory(folder.path()).unfinished(), QString());
}

}  // namespace
}  // namespace mantissa::gui
