// SPDX-License-Identifier: Apache-2.0
#include "gui/link/session_model.h"

#include <gtest/gtest.h>

#include <QSignalSpy>
#include <cmath>
#include <ctime>
#include <limits>

#include "tests/gui/support/session_by_hand.h"

namespace mantissa::gui {
namespace {

SettingApplied applied(std::uint64_t id, RunId run, std::int64_t step, const std::string& pointer) {
    return {id, run, step, pointer, "precision", "FP32", "FP16"};
}

TEST(SessionModel, GivesTheLowestFreeIdentityAndKeepsItForLife) {
    SessionModel session;
    loadThreeRuns(session);
    EXPECT_EQ(session.run(2)->identity, 2);
    session.handle(RunRemoved{1});
    EXPECT_EQ(session.run(2)->identity, 2) << "a removal must not recolour the others";
    session.handle(RunAdded{runInfo(7, "late", "tf32")});
    EXPECT_EQ(session.run(7)->identity, 1);
    for (RunId id = 10; id < 14; ++id) session.handle(RunAdded{runInfo(id, std::to_string(id), "fp32")});
    for (const auto& run : session.runs()) EXPECT_LT(run->identity, 6);
}

TEST(SessionModel, ARestartedExperimentKeepsIdentitiesByName) {
    SessionModel session;
    loadThreeRuns(session);
    session.handle(RunRemoved{0});
    ExperimentLoaded again;
    again.name = "three";
    again.runs = {runInfo(0, "fp16", "fp16"), runInfo(1, "bf16", "bf16")};
    session.handle(again);
    EXPECT_EQ(session.run(0)->identity, 1);
    EXPECT_EQ(session.run(1)->identity, 2);
}

TEST(SessionModel, KeepsEveryStepAndItsFlags) {
    SessionModel session;
    loadThreeRuns(session);
    session.handle(steps(1, 0, 3));
    session.handle(steps(1, 3, 2, kFlagSkipped | kFlagScaleBackedOff));
    session.handle(steps(1, 5, 1, kFlagScaleGrew | kFlagValidated));
    const RunState& run = *session.run(1);
    EXPECT_EQ(run.stepCount(), 6);
    EXPECT_EQ(run.skippedSteps, (std::vector<std::int64_t>{3, 4}));
    ASSERT_EQ(run.validationLoss.count(), 1u);
    EXPECT_EQ(run.validationLoss.stepAt(0), 5);
    EXPECT_EQ(session.stepCount(), 6);
    EXPECT_EQ(run.nextScale, 65536);
}

TEST(SessionModel, StepsThatDoNotFollowEachOtherBreakTheProtocol) {
    SessionModel session;
    loadThreeRuns(session);
    session.handle(steps(0, 0, 2));
    for (const std::int64_t step : {std::int64_t{4}, std::int64_t{1} << 40, std::int64_t{1}, std::int64_t{-1}})
        EXPECT_THROW(session.handle(steps(0, step, 1)), WireError) << step;
    EXPECT_EQ(session.run(0)->loss.end(), 2);
}

TEST(SessionModel, NonFiniteValuesKeepTheirClass) {
    SessionModel session;
    loadThreeRuns(session);
    StepsRecorded event = steps(0, 0, 2);
    event.records[0].loss = std::numeric_limits<double>::quiet_NaN();
    event.records[1].gradNorm = std::numeric_limits<double>::infinity();
    session.handle(event);
    EXPECT_EQ(session.run(0)->loss.valueClass(0), ValueClass::NaN);
    EXPECT_EQ(session.run(0)->gradNorm.valueClass(1), ValueClass::PositiveInf);
}

TEST(SessionModel, AScaleOfOneBeforeAnyOtherStandsForNoScaler) {
    SessionModel session;
    loadThreeRuns(session);
    const auto scaleAt = [&](std::int64_t step, float scale) {
        StepsRecorded event = steps(1, step, 1);
        event.records[0].lossScale = scale;
        session.handle(event);
    };
    for (std::int64_t step = 0; step < 3; ++step) scaleAt(step, 1);
    scaleAt(3, 4);
    scaleAt(4, 1);
    const RunState& run = *session.run(1);
    EXPECT_EQ(run.firstScaled, 3);
    for (std::int64_t step = 0; step < 3; ++step) EXPECT_FALSE(run.scalesItsLossAt(step)) << step;
    EXPECT_TRUE(run.scalesItsLossAt(3));
    EXPECT_TRUE(run.scalesItsLossAt(4)) << "a scaler may come back to 1";
    session.run(1)->clearSeries();
    EXPECT_EQ(run.firstScaled, -1);
}

TEST(SessionModel, AScaleSetBeforeTheFirstStepOutlivesOtherChanges) {
    SessionModel session;
    loadThreeRuns(session);
    session.handle(SettingApplied{0, 1, 0, "/scaler/scale", "loss scale", "2^16", "2^20"});
    session.handle(RunChanged{session.run(1)->info});
    EXPECT_EQ(session.run(1)->nextScale, 1048576);
}

TEST(SessionModel, ARequestIsPendingUntilItIsAnswered) {
    SessionModel session;
    loadThreeRuns(session);
    session.notePending(0, {5, QStringLiteral("/precision"), "fp16", QStringLiteral("FP16")});
    session.notePending(0, {6, QStringLiteral("/optimizer/lr"), 0.1, QStringLiteral("0.1")});
    ASSERT_EQ(session.run(0)->pending.size(), 2u);
    session.handle(applied(5, 0, 12, "/precision"));
    ASSERT_EQ(session.run(0)->pending.size(), 1u);
    EXPECT_EQ(session.run(0)->effectiveAt.at(QStringLiteral("/precision")), 12);
    ASSERT_EQ(session.markers().size(), 1u);
    EXPECT_EQ(session.markers()[0].step, 12);

    QSignalSpy refusals(&session, &SessionModel::refused);
    session.handle(CommandRefused{6, 0, "/optimizer/lr", "must not be negative"});
    EXPECT_TRUE(session.run(0)->pending.empty());
    EXPECT_EQ(refusals.count(), 1);
}

TEST(SessionModel, AScaleSetByHandIsKnownBeforeTheNextStep) {
    SessionModel session;
    loadThreeRuns(session);
    session.handle(SettingApplied{1, 1, 0, "/scaler/scale", "loss scale", "2^16", "2^17"});
    EXPECT_EQ(session.run(1)->nextScale, 131072);
}

TEST(SessionModel, AScheduledChangeAnswersNoRequest) {
    SessionModel session;
    loadThreeRuns(session);
    session.notePending(0, {5, QStringLiteral("/precision"), "fp16", QStringLiteral("FP16")});
    session.handle(applied(0, 0, 12, "/precision"));
    EXPECT_EQ(session.run(0)->pending.size(), 1u);
    EXPECT_EQ(session.markers().size(), 1u);
}

TEST(SessionModel, ALostEngineTakesTheRequestsAndNothingElse) {
    SessionModel session;
    loadThreeRuns(session);
    session.handle(steps(0, 0, 9));
    session.notePending(0, {5, QStringLiteral("/precision"), "fp16", QStringLiteral("FP16")});
    session.engineLost();
    EXPECT_TRUE(session.run(0)->pending.empty());
    EXPECT_EQ(session.run(0)->stepCount(), 9);
}

TEST(SessionModel, AResetBeginsAllSeriesAnew) {
    SessionModel session;
    loadThreeRuns(session);
    session.handle(steps(1, 0, 4, kFlagSkipped));
    session.handle(applied(0, 1, 2, "/precision"));
    session.handle(NonFiniteFound{1, {}});
    QSignalSpy resets(&session, &SessionModel::seriesReset);
    session.handle(ExperimentReset{});
    EXPECT_EQ(resets.count(), 1);
    EXPECT_EQ(session.run(1)->stepCount(), 0);
    EXPECT_TRUE(session.run(1)->skippedSteps.empty());
    EXPECT_FALSE(session.run(1)->firstNonFinite.has_value());
    EXPECT_TRUE(session.markers().empty());
    EXPECT_EQ(session.run(1)->nextScale, 65536) << "the preset's own initial scale";
}

TEST(SessionModel, RemovingTheSelectedRunSelectsItsNeighbour) {
    SessionModel session;
    loadThreeRuns(session);
    session.select(1);
    session.handle(applied(0, 1, 3, "/precision"));
    session.handle(RunRemoved{1});
    EXPECT_EQ(session.selected(), 2);
    EXPECT_TRUE(session.markers().empty());
    session.handle(RunRemoved{2});
    EXPECT_EQ(session.selected(), 0);
    session.select(99);
    EXPECT_EQ(session.selected(), 0) << "there is no run 99";
}

TEST(SessionModel, EventsAboutRunsThatAreGoneAreHarmless) {
    SessionModel session;
    loadThreeRuns(session);
    session.handle(RunRemoved{2});
    session.handle(steps(2, 0, 5));
    session.handle(applied(1, 2, 3, "/precision"));
    session.handle(NonFiniteFound{2, {}});
    session.handle(RunStopped{2, 1, "gone"});
    EXPECT_EQ(session.runs().size(), 2u);
    EXPECT_TRUE(session.markers().empty());
}

TEST(SessionModel, AnotherEngineHasNotRecordedYet) {
    SessionModel session;
    session.handle(RecordingChanged{"a.mantissa", 1000, 20, "", true});
    QSignalSpy changed(&session, &SessionModel::recordingChanged);
    session.handle(Hello{});
    EXPECT_TRUE(session.recording().path.empty());
    EXPECT_EQ(changed.count(), 1);
}

TEST(SessionModel, ARewoundRunIsAsItWasThen) {
    SessionModel session;
    loadThreeRuns(session);
    const auto send = [&](std::int64_t first, std::int64_t count) {
        StepsRecorded event = steps(1, first, count);
        for (StepRecord& record : event.records) {
            record.lossScale = record.step < 50 ? 65536 : 32768;
            if (record.step == 49) record.flags |= kFlagSkipped | kFlagFoundInf | kFlagScaleBackedOff;
            if (record.step % 20 == 0) record.flags |= kFlagValidated;
            record.skippedTotal = record.step >= 49 ? 1 : 0;
            record.epoch = static_cast<double>(record.step + 1) / 10;
        }
        event.nextScale = 32768;
        event.cleanSteps = 7;
        session.handle(event);
    };
    send(0, 40);
    send(40, 30);
    session.handle(applied(0, 1, 30, "/optimizer/lr"));
    session.handle(applied(0, 1, 40, "/precision"));
    session.handle(NonFiniteFound{1, {49, "layers.2", "linear", "forward", "x", "+Inf"}});
    QSignalSpy rewound(&session, &SessionModel::runRewound);
    session.handle(RunRewound{1, 40});
    const RunState& run = *session.run(1);
    EXPECT_EQ(rewound.count(), 1);
    EXPECT_EQ(run.stepCount(), 40);
    EXPECT_EQ(run.nextScale, 65536) << "what step 40 began with the first time";
    EXPECT_EQ(run.cleanSteps, 40);
    session.handle(RunCaughtUp{1, 40, -1, 131072, 3});
    EXPECT_EQ(run.nextScale, 131072) << "what the engine says, once it knows";
    EXPECT_EQ(run.cleanSteps, 3);
    EXPECT_TRUE(run.skippedSteps.empty());
    EXPECT_FALSE(run.firstNonFinite.has_value());
    EXPECT_EQ(run.validationLoss.count(), 2u);
    EXPECT_EQ(run.last.step, 39);
    EXPECT_NEAR(run.last.epoch, 4, 1e-12);
    ASSERT_EQ(session.markers().size(), 1u) << "what took effect at the step itself is gone as well";
    EXPECT_EQ(session.markers()[0].step, 30);
    EXPECT_EQ(run.health.verdict(run.info, 1, 0, {}, "", {}).verdict, Verdict::Steady);
    send(40, 30);
    EXPECT_EQ(run.stepCount(), 70);
    EXPECT_EQ(run.skippedSteps, (std::vector<std::int64_t>{49}));
    session.handle(RecordingOpened{"a.mantissa", "", "", "", ""});
    EXPECT_EQ(run.cleanSteps, 20) << "a recording does not say: since step 49";
}

TEST(SessionModel, AForkHasNoStepsBeforeItsOwn) {
    SessionModel session;
    loadThreeRuns(session);
    session.handle(steps(0, 0, 50));
    RunInfo info = runInfo(7, "fork", "fp32");
    info.parent = 0;
    info.firstStep = 30;
    session.handle(RunAdded{info});
    EXPECT_THROW(session.handle(steps(7, 0, 1)), WireError);
    session.handle(steps(7, 30, 5));
    EXPECT_EQ(session.run(7)->stepCount(), 35);
    EXPECT_EQ(session.run(7)->loss.valueClass(29), ValueClass::Absent);
    session.handle(RunRewound{7, 31});
    EXPECT_EQ(session.run(7)->stepCount(), 31);
}

TEST(SessionModel, ARunToLookAtTakesValuesAtTheStepsThatItsFileHad) {
    SessionModel session;
    loadThreeRuns(session);
    session.handle(steps(0, 0, 50));
    RunInfo info = runInfo(7, "pytorch", "fp32");
    info.kind = RunKind::Recorded;
    info.origin = "/runs/events.out.tfevents.1";
    session.handle(RunAdded{info});
    const double inf = std::numeric_limits<double>::infinity();
    session.handle(SeriesImported{7, Metric::Loss, {0, 100, 200}, {3, inf, 1}});
    session.handle(SeriesImported{7, Metric::Loss, {300}, {0.5}});
    session.handle(SeriesImported{7, Metric::SkippedTotal, {100, 200, 300}, {0, 2, 2}});
    const RunState& run = *session.run(7);
    EXPECT_EQ(run.loss.valueClass(100), ValueClass::PositiveInf);
    EXPECT_EQ(run.loss.valueClass(150), ValueClass::Absent);
    EXPECT_EQ(run.loss.value(300), 0.5);
    EXPECT_EQ(run.skippedSteps, (std::vector<std::int64_t>{200}));
    EXPECT_EQ(session.plottedSteps(), 301);
    EXPECT_EQ(session.stepCount(), 50) << "training has not come so far";
    EXPECT_NE(session.selected(), 7);
    session.handle(SeriesImported{7, Metric::Other, {0, 400}, {5, 6}, "perplexity"});
    ASSERT_NE(session.run(7)->series("perplexity"), nullptr);
    EXPECT_EQ(session.run(7)->series("perplexity")->value(400), 6);
    EXPECT_EQ(session.run(7)->stepCount(), 401) << "it is as long as its longest series";
    EXPECT_EQ(session.run(7)->series("loss"), &session.run(7)->loss);
    EXPECT_EQ(session.run(7)->series("nothing"), nullptr);
    EXPECT_THROW(session.handle(SeriesImported{7, Metric::Loss, {200}, {1}}), WireError);
    EXPECT_THROW(session.handle(SeriesImported{7, Metric::Loss, {400, 500}, {1}}), WireError);
    session.handle(ExperimentReset{});
    EXPECT_EQ(run.loss.count(), 4u) << "a reset is of runs that train";
}

TEST(SessionModel, ALogThatIsReadAnewTakesBackWhatItHadSaid) {
    SessionModel session;
    loadThreeRuns(session);
    RunInfo info = runInfo(7, "log", "fp32");
    info.kind = RunKind::Recorded;
    session.handle(RunAdded{info});
    session.handle(SeriesImported{7, Metric::Loss, {0, 100, 200}, {3, 2, 1}});
    session.handle(SeriesImported{7, Metric::SkippedTotal, {100, 200}, {1, 2}});
    session.handle(SeriesImported{7, Metric::Other, {0, 200}, {5, 6}, "perplexity"});
    session.handle(RunRewound{7, 150});
    const RunState& run = *session.run(7);
    EXPECT_EQ(run.stepCount(), 101);
    EXPECT_EQ(run.skippedSteps, (std::vector<std::int64_t>{100}));
    EXPECT_EQ(run.series("perplexity")->count(), 1u);
    session.handle(SeriesImported{7, Metric::Loss, {160}, {0.5}});
    EXPECT_EQ(run.loss.value(160), 0.5);
    session.handle(RunRewound{7, 0});
    EXPECT_FALSE(run.hasSteps());
    session.handle(SeriesImported{7, Metric::Loss, {10, 20}, {2, 1}});
    EXPECT_EQ(run.loss.value(10), 2);
    EXPECT_EQ(run.stepCount(), 21);
}

TEST(SessionModel, WhatLooksComeToIsKeptByNameAndGoesBackWithTheRun) {
    SessionModel session;
    loadThreeRuns(session);
    session.handle(steps(0, 0, 100));
    session.handle(ValuesMeasured{0, 31, {{"lost_updates", 0.5}, {"zero_gradients", 0.25}}});
    session.handle(ValuesMeasured{0, 63, {{"lost_updates", 0.75}}});
    session.handle(ValuesMeasured{0, 40, {{"lost_updates", 0.1}}});  // of a step that is told already
    session.handle(ValuesMeasured{99, 63, {{"lost_updates", 1}}});   // of a run that is gone
    const Series& lost = *session.run(0)->series("lost_updates");
    EXPECT_EQ(lost.count(), 2u);
    EXPECT_EQ(lost.value(63), 0.75);
    session.handle(RunRewound{0, 50});
    EXPECT_EQ(lost.count(), 1u);
    session.handle(ExperimentReset{});
    EXPECT_TRUE(session.run(0)->series("lost_updates")->isEmpty());
}

TEST(SessionModel, AMillionStepsAreTakenInQuickly) {
    SessionModel session;
    loadThreeRuns(session);
    std::vector<Event> blocks;
    for (std::int64_t first = 0; first < 1'000'000; first += 50'000) blocks.emplace_back(steps(0, first, 50'000));
    const std::clock_t begin = std::clock();  // processor time: a test machine may be busy
    for (const Event& block : blocks) session.handle(block);
    const double seconds = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
    EXPECT_EQ(session.run(0)->stepCount(), 1'000'000);
    EXPECT_LT(seconds, 1.5) << "a recording's first plot is due within a second";  // measured: 0.4, with the older steps thinned
}

}  // namespace
}  // namespace mantissa::gui
