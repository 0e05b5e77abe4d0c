// SPDX-License-Identifier: Apache-2.0
// The tables beside the plots: read-out, memory, events.
#include <gtest/gtest.h>

#include <QAbstractItemModelTester>
#include <QLabel>
#include <QListView>
#include <QSignalSpy>
#include <QTest>
#include <algorithm>
#include <limits>

#include "gui/controls/number_text.h"
#include "gui/plots/event_bar.h"
#include "gui/plots/event_model.h"
#include "gui/plots/memory_model.h"
#include "gui/plots/memory_panel.h"
#include "gui/plots/metric_panels.h"
#include "gui/plots/overlays.h"
#include "gui/plots/ranges.h"
#include "gui/plots/readout_model.h"
#include "gui/plots/run_trace.h"
#include "tests/gui/plots/session_fixture.h"

namespace mantissa::gui {
namespace {

using Tester = QAbstractItemModelTester;

QString text(const QAbstractItemModel& model, int row, int column) {
    return model.index(row, column).data().toString();
}

TEST(ReadoutModel, IsASoundModel) {
    SessionModel session;
    ReadoutModel model(&session);
    Tester tester(&model, Tester::FailureReportingMode::Fatal);
    loadRuns(session, {makeRun(0, "fp32"), makeRun(1, "fp16", "pytorch")});
    model.resetRuns();
    appendSteps(session, 0, 0, 50);
    model.refresh();
    model.setStep(20);
    session.handle(Event(RunRemoved{0}));
    model.resetRuns();
    EXPECT_EQ(model.columnCount(), 1);
}

TEST(ReadoutModel, ARowHasOneNumberOfDecimals) {
    SessionModel session;
    loadRuns(session, {makeRun(0, "fp32"), makeRun(1, "tf32")});
    appendSteps(session, 0, 0, 10, [](StepRecord& r) { r.loss = 0.0047; });
    appendSteps(session, 1, 0, 10, [](StepRecord& r) { r.loss = 0.5; });
    ReadoutModel model(&session);
    EXPECT_EQ(text(model, ReadoutModel::Raw, 0), QStringLiteral("0.0047"));
    EXPECT_EQ(text(model, ReadoutModel::Raw, 1), QStringLiteral("0.5000"));
    EXPECT_EQ(text(model, ReadoutModel::LossScale, 0), QStringLiteral("\u2013"));
    EXPECT_EQ(text(model, ReadoutModel::Throughput, 0), groupedText(100'000));
    EXPECT_EQ(text(model, ReadoutModel::Throughput, 1), groupedText(100'000));
}

TEST(ReadoutModel, ASpeedStandsBesideWhatTheDeviceCouldDo) {
    SessionModel session;
    RunInfo card = makeRun(0, "bf16");
    card.products = {.format = "bf16", .flopsPerSample = 3e9, .tokensPerSample = 64, .peak = 989, .measuredPeak = 750};
    loadRuns(session, {card, makeRun(1, "imported")});
    appendSteps(session, 0, 0, 10);
    appendSteps(session, 1, 0, 10);
    ReadoutModel model(&session);
    EXPECT_EQ(text(model, ReadoutModel::Tflops, 0), QStringLiteral("300"));
    EXPECT_EQ(text(model, ReadoutModel::Tflops, 1), QStringLiteral("\u2013")) << "nobody knows its arithmetic";
    const auto hint = [&](int row, int column) { return model.index(row, column).data(Qt::ToolTipRole).toString(); };
    EXPECT_EQ(hint(ReadoutModel::Tflops, 0),
              QStringLiteral("300 TFLOP/s in bf16 products\n6\u202f400\u202f000 tokens/s\n30.3 % of the GPU's peak of 989\n"
                             "40 % of the 750 that a large product reaches on this device"));
    EXPECT_EQ(hint(ReadoutModel::Throughput, 0), hint(ReadoutModel::Tflops, 0));
    EXPECT_EQ(hint(ReadoutModel::Throughput, 1), QString());
    EXPECT_EQ(hint(ReadoutModel::Loss, 0), QString());
    card.products.peak = card.products.measuredPeak = 0;
    session.handle(Event(RunChanged{card}));
    EXPECT_TRUE(hint(ReadoutModel::Tflops, 0).endsWith(QStringLiteral("the device's peak: n/a")));
}

TEST(ThroughputLine, SaysWhereRunsShareTheDevice) {
    SessionModel session;
    loadRuns(session, {makeRun(0, "fp32"), makeRun(1, "tf32")});
    RunTrace first, second;
    first.run = session.run(0), second.run = session.run(1);
    ThroughputLine line(nullptr);
    const auto says = [&](bool isShared, const std::vector<const RunTrace*>& traces) {
        line.setTraces(traces, isShared);
        return line.accessibleDescription().contains(QStringLiteral("share the device"));
    };
    EXPECT_TRUE(says(true, {&first, &second}));
    EXPECT_FALSE(says(false, {&first, &second})) << "in lock-step";
    EXPECT_FALSE(says(true, {&first})) << "alone";
}

TEST(ThroughputPanel, SaysSoToo) {
    struct Panel : ThroughputPanel {
        using ThroughputPanel::noteFor;
        using ThroughputPanel::ThroughputPanel;
    };
    SessionModel session;
    RunInfo emulated = makeRun(1, "tf32");
    emulated.isEmulated = true;
    loadRuns(session, {makeRun(0, "fp32"), emulated});
    RunTrace first, second;
    first.run = session.run(0), second.run = session.run(1);
    QCustomPlot plot;
    QCPMarginGroup margins(&plot);
    const Panel panel(&plot, &margins);
    PlotFrame frame;
    frame.runs = {&first, &second};
    EXPECT_EQ(panel.noteFor(frame), QStringLiteral("TF32 is emulated: not a hardware speed"));
    frame.isShared = true;
    EXPECT_EQ(panel.noteFor(frame), QStringLiteral("TF32 is emulated: not a hardware speed; the runs share the device by turns"));
    frame.runs = {&first};
    EXPECT_EQ(panel.noteFor(frame), QString()) << "alone";
}

TEST(MemoryModel, SaysByCategoryWhyAFormatNeedsLittleLess) {
    SessionModel session;
    RunInfo fp32 = makeRun(0, "fp32"), fp16 = makeRun(1, "fp16", "pytorch");
    fp32.memory = {.weights = 100'000, .gradients = 100'000, .optimizer = 200'000, .activations = 80'000, .workspace = 60'000};
    fp16.memory = fp32.memory;
    loadRuns(session, {fp32, fp16});
    MemoryModel model(&session);
    EXPECT_TRUE(model.comparison().isEmpty()) << "both need the same";
    fp16.memory.weights = 50'000, fp16.memory.masterWeights = 100'000, fp16.memory.activations = 40'000;
    fp16.memory.workspace = 160'000, fp16.memory.scratch = 130'000;
    session.handle(Event(RunChanged{fp16}));
    model.noteRun(1);
    EXPECT_EQ(
        model.comparison(),
        QStringLiteral("fp16 beside fp32: weights \u221250, masters +100, activations \u221240, workspace \u221230. The masters are the "
                       "FP32 copy of the weights, which the optimizer updates."));
}

TEST(MemoryPanel, ThreeFiguresOfMemory) {
    SessionModel session;
    RunInfo run = makeRun(0, "fp32");
    run.allocatedBytes = 1'200'000;
    loadRuns(session, {run});
    MemoryPanel panel(&session);
    const auto note = [&] { return panel.findChild<QLabel*>(QStringLiteral("memoryTaken"))->text(); };
    EXPECT_EQ(note(), QStringLiteral("Allocated with the data: 1.2\u202fMB."));
    run.deviceUsedBytes = 3'000'000'000;
    session.handle(Event(RunChanged{run}));
    EXPECT_EQ(note(), QStringLiteral("Allocated with the data: 1.2\u202fMB. In use of the device: %1.").arg(bytesText(3'000'000'000)));
    StepsRecorded told{.run = 0, .records = {StepRecord{}}, .allocatedBytes = 2'400'000, .deviceUsedBytes = 4'000'000'000};
    session.handle(Event(told));
    EXPECT_TRUE(QTest::qWaitFor([&] { return note().contains(bytesText(4'000'000'000)); })) << "with the steps";
    EXPECT_EQ(note(), QStringLiteral("Allocated with the data: 2.4\u202fMB. In use of the device: %1.").arg(bytesText(4'000'000'000)));
}

TEST(MemoryPanel, ANarrowPanelHasRoomForItsNote) {
    SessionModel session;
    loadRuns(session, {makeRun(0, "fp16")});
    StepsRecorded told{.run = 0, .records = {StepRecord{}}, .allocatedBytes = 2'400'000, .deviceUsedBytes = 4'000'000'000};
    session.handle(Event(told));
    MemoryPanel panel(&session);
    panel.setFixedWidth(120);
    panel.show();
    const auto* note = panel.findChild<QLabel*>(QStringLiteral("memoryTaken"));
    EXPECT_EQ(note->textFormat(), Qt::PlainText) << "a run may be named <img src=...>";
    const auto* list = panel.findChild<QListView*>();
    ASSERT_TRUE(QTest::qWaitFor([&] { return note->height() >= note->heightForWidth(note->width()); }));
    panel.resize(120, panel.sizeHint().height());
    EXPECT_GT(note->height(), 2 * note->fontMetrics().height());
    EXPECT_LT(note->geometry().bottom(), list->geometry().top()) << "what explains the bars is above them";
    EXPECT_LE(list->geometry().bottom(), panel.height());
}

TEST(MemoryPanel, HasNoLegendWithoutBars) {
    SessionModel session;
    RunInfo watched = makeRun(0, "fp16");
    watched.kind = RunKind::Watched;
    loadRuns(session, {watched});
    MemoryPanel panel(&session);
    const QList<QLabel*> labels = panel.findChildren<QLabel*>();
    const auto shown = std::count_if(labels.begin(), labels.end(), [](const QLabel* label) { return !label->isHidden(); });
    EXPECT_EQ(shown, 2) << "the title and why";
    EXPECT_EQ(panel.findChild<QLabel*>(QStringLiteral("memoryTaken"))->text(),
              QStringLiteral("Memory by purpose is known for the lab's own runs only."));
    EXPECT_TRUE(panel.findChild<QListView*>()->isHidden());
    loadRuns(session, {makeRun(0, "fp16")});
    EXPECT_FALSE(panel.findChild<QListView*>()->isHidden());
}

TEST(ReadoutModel, RowsThatNoRunCanFillAreLeftOut) {
    SessionModel session;
    RunInfo watched = makeRun(0, "theirs");
    watched.kind = RunKind::Watched;
    watched.products = {};
    loadRuns(session, {watched});
    ReadoutModel model(&session);
    const std::vector<int> unfilled{ReadoutModel::Validation, ReadoutModel::Accuracy, ReadoutModel::Tflops};
    const auto leftOut = [&] {
        std::vector<int> rows;
        for (int row = 0; row < model.rowCount(); ++row)
            if (!model.isApplicable(row)) rows.push_back(row);
        return rows;
    };
    EXPECT_EQ(leftOut(), unfilled);
    appendSteps(session, 0, 0, 3, [](StepRecord&) {});
    EXPECT_EQ(leftOut(), unfilled) << "no step was validated";
    appendSteps(session, 0, 3, 4, [](StepRecord& r) { r.flags |= kFlagValidated; });
    EXPECT_EQ(leftOut(), std::vector<int>{ReadoutModel::Tflops});
    loadRuns(session, {watched, makeRun(1, "ours")});
    model.resetRuns();
    EXPECT_EQ(leftOut(), std::vector<int>{}) << "a run that is trained here may get them all";
}

TEST(ReadoutModel, ALargeNumberBesideASmallOneKeepsFourDigits) {
    SessionModel session;
    loadRuns(session, {makeRun(0, "fp32"), makeRun(1, "tf32"), makeRun(2, "bf16")});
    appendSteps(session, 0, 0, 10, [](StepRecord& r) { r.loss = 0.689; });
    appendSteps(session, 1, 0, 10, [](StepRecord& r) { r.loss = 3129.259; });
    appendSteps(session, 2, 0, 10, [](StepRecord& r) { r.loss = 73.1234; });
    ReadoutModel model(&session);
    EXPECT_EQ(text(model, ReadoutModel::Raw, 0), QStringLiteral("0.689"));
    EXPECT_EQ(text(model, ReadoutModel::Raw, 1), QStringLiteral("3\u202f129"));
    EXPECT_EQ(text(model, ReadoutModel::Raw, 2), QStringLiteral("73.12"));
}

TEST(ReadoutModel, TightNumbersHaveSixCharactersAtMost) {
    SessionModel session;
    loadRuns(session, {makeRun(0, "a"), makeRun(1, "b"), makeRun(2, "c")});
    const double losses[] = {0.00047, 2.314, 73.1234};
    for (RunId run = 0; run < 3; ++run)
        appendSteps(session, run, 0, 1, [&](StepRecord& record) { record.loss = record.gradNorm = losses[run]; });
    ReadoutModel model(&session);
    model.setTight(true);
    for (const auto row : {ReadoutModel::Loss, ReadoutModel::Raw, ReadoutModel::GradNorm}) {
        for (int run = 0; run < 3; ++run) EXPECT_LE(text(model, row, run).size(), 6) << text(model, row, run).toStdString();
        EXPECT_EQ(text(model, row, 0), QStringLiteral("0.0005")) << "no number becomes nothing";
        EXPECT_TRUE(text(model, row, 1).startsWith(QStringLiteral("2.3")));
        EXPECT_EQ(text(model, row, 2), QStringLiteral("73.12"));
    }
    model.setTight(false);
    EXPECT_EQ(text(model, ReadoutModel::Raw, 1), QStringLiteral("2.314"));
}

TEST(ReadoutModel, WithoutClassesAccuracyIsAbsent) {
    SessionModel session;
    loadRuns(session, {makeRun(0, "fp32")});
    appendSteps(session, 0, 0, 10, [](StepRecord& r) {
        r.flags |= kFlagValidated;
        r.validationLoss = 0.5;
        r.validationAccuracy = std::nan("");
    });
    ReadoutModel model(&session);
    EXPECT_EQ(text(model, ReadoutModel::Validation, 0), QStringLiteral("0.500"));
    EXPECT_EQ(text(model, ReadoutModel::Accuracy, 0), QStringLiteral("\u2013"));
}

TEST(ReadoutModel, ShowsTheStepAskedForAndNothingBeyond) {
    SessionModel session;
    loadRuns(session, {makeRun(0, "fp32"), makeRun(1, "tf32")});
    appendSteps(session, 0, 0, 100, [](StepRecord& r) { r.loss = static_cast<double>(r.step); });
    appendSteps(session, 1, 0, 10, [](StepRecord& r) { r.loss = 1; });
    ReadoutModel model(&session);
    model.setStep(40);
    EXPECT_EQ(text(model, ReadoutModel::Raw, 0), QStringLiteral("40.0"));
    EXPECT_EQ(text(model, ReadoutModel::Raw, 1), QStringLiteral("\u2013"));
    EXPECT_TRUE(model.waits()) << "for the second run";
    appendSteps(session, 1, 10, 50, [](StepRecord& r) { r.loss = 1; });
    EXPECT_TRUE(model.waits()) << "it is not shown yet";
    model.refresh();
    EXPECT_FALSE(model.waits());
    RunInfo late = makeRun(2, "late");
    late.firstStep = 40;
    session.handle(Event(RunAdded{late}));
    model.resetRuns();
    EXPECT_TRUE(model.waits());
    EXPECT_EQ(model.shownStep(), 40);
    EXPECT_DOUBLE_EQ(model.shownEpoch().value(), 41.0 / 20);
    model.setStep(-1);
    EXPECT_EQ(text(model, ReadoutModel::Raw, 0).left(2), QStringLiteral("99"));
}

TEST(ReadoutModel, WhileRunsTrainTheirColumnsAreOfOneStep) {
    SessionModel session;
    loadRuns(session, {makeRun(0, "fp32"), makeRun(1, "fp16"), makeRun(2, "late")});
    const auto ofStep = [](StepRecord& r) { r.loss = static_cast<double>(r.step); };
    appendSteps(session, 0, 0, 100, ofStep);
    appendSteps(session, 1, 0, 97, ofStep);
    appendSteps(session, 2, 0, 10, ofStep);
    session.handle(Event(StateChanged{.state = LabState::Training, .lockstep = true}));
    ReadoutModel model(&session);
    EXPECT_EQ(model.shownStep(), 96);
    EXPECT_EQ(text(model, ReadoutModel::Raw, 0).left(2), QStringLiteral("96"));
    EXPECT_EQ(text(model, ReadoutModel::Raw, 1).left(2), QStringLiteral("96"));
    EXPECT_EQ(text(model, ReadoutModel::Raw, 2).left(1), QStringLiteral("9")) << "it catches up";
    session.handle(Event(StateChanged{.state = LabState::Paused, .lockstep = true}));
    model.refresh();
    EXPECT_EQ(model.shownStep(), 99);
}

TEST(ReadoutModel, NonFiniteValuesAreWords) {
    SessionModel session;
    loadRuns(session, {makeRun(0, "fp16")});
    appendSteps(session, 0, 0, 10, [](StepRecord& r) {
        r.loss = kNaN;
        r.gradNorm = -std::numeric_limits<double>::infinity();
    });
    ReadoutModel model(&session);
    EXPECT_EQ(text(model, ReadoutModel::Loss, 0), QStringLiteral("NaN"));
    EXPECT_EQ(text(model, ReadoutModel::GradNorm, 0), QStringLiteral("\u2212Inf"));
    EXPECT_TRUE(model.index(ReadoutModel::Raw, 0).data(ReadoutModel::IsNonFiniteRole).toBool());
}

TEST(MemoryModel, IsASoundModelAndRemembersTheSwitch) {
    SessionModel session;
    loadRuns(session, {makeRun(0, "fp32"), makeRun(1, "fp16")});
    MemoryModel model(&session);
    Tester tester(&model, Tester::FailureReportingMode::Fatal);
    appendSteps(session, 1, 0, 10);
    EXPECT_TRUE(model.isAsPlanned());
    RunInfo switched = makeRun(1, "fp16");
    switched.memory.weights /= 2;
    session.handle(Event(RunChanged{switched}));
    model.noteRun(1);
    ASSERT_TRUE(model.row(1).before);
    EXPECT_EQ(model.row(1).before->total(), 540'000);
    EXPECT_EQ(model.row(1).ledger.total(), 490'000);
    EXPECT_FALSE(model.row(0).before);
    EXPECT_TRUE(text(model, 1, 0).contains(QStringLiteral("before the last switch")));
    session.handle(Event(RunRemoved{0}));
    model.resetRuns(false);
    EXPECT_EQ(model.rowCount(), 1);
    EXPECT_TRUE(model.row(0).before);
}

TEST(MemoryModel, ComparesWithFp32) {
    SessionModel session;
    RunInfo half = makeRun(1, "fp16");
    half.memory = {50'000, 0, 50'000, 100'000, 40'000, 30'000};
    loadRuns(session, {makeRun(0, "fp32"), half});
    const MemoryModel model(&session);
    EXPECT_EQ(model.row(1).note, QStringLiteral("50 % less than fp32"));
    EXPECT_TRUE(model.row(0).note.isEmpty());
    half.isEmulated = true;
    half.memory.workspace += 400'000, half.memory.scratch = 400'000;  // what the emulation needs is none of the format's
    session.handle(Event(RunChanged{half}));
    const MemoryModel emulated(&session);
    EXPECT_EQ(emulated.row(1).note, QStringLiteral("50 % less than fp32"));
    EXPECT_EQ(categoriesOf(emulated.row(1).ledger), categoriesOf(model.row(1).ledger));
    EXPECT_TRUE(text(emulated, 1, 0).contains(QStringLiteral("scratch 400")));
}

TEST(SkipBursts, AStormIsOneLine) {
    std::vector<std::int64_t> skips{10};
    for (std::int64_t s = 1238; s <= 1290; ++s) skips.push_back(s);
    std::vector<StepBurst> bursts;
    appendBursts(bursts, skips, 0);
    ASSERT_EQ(bursts.size(), 2u);
    EXPECT_EQ(bursts[1].count, 53);
    EXPECT_EQ(bursts[1].last, 1290);

    // Taken in piece by piece, the same.
    std::vector<StepBurst> slowly;
    for (std::size_t i = 0; i < skips.size(); ++i)
        appendBursts(slowly, {skips.begin(), skips.begin() + static_cast<std::ptrdiff_t>(i) + 1}, i);
    ASSERT_EQ(slowly.size(), 2u);
    EXPECT_EQ(slowly[1].count, 53);
}

TEST(EventModel, SaysInWordsWhatHappened) {
    SessionModel session;
    loadRuns(session, {makeRun(0, "fp32"), makeRun(1, "fp16", "pytorch")});
    EventModel model(&session);
    Tester tester(&model, Tester::FailureReportingMode::Fatal);
    applySetting(session, 1, 640, "/scaler/scale", "loss scale", "2^18", "2^26");
    appendSteps(session, 1, 0, 1300, [](StepRecord& r) {
        if (r.step >= 1238 && r.step <= 1290) r.flags |= kFlagSkipped;
    });
    model.refresh();
    NonFiniteFound found;
    found.run = 1;
    found.first = {1238, "layers.1", "softmax", "forward", "layers.1.output", "NaN"};
    session.handle(Event(found));
    model.refresh();
    ASSERT_EQ(model.rowCount(), 3);
    EXPECT_EQ(text(model, 0, EventModel::WordsColumn), QStringLiteral("fp16: first NaN, layers.1 softmax, forward"));
    EXPECT_EQ(text(model, 1, EventModel::WordsColumn), QStringLiteral("fp16: 53 steps skipped, 1\u202F238 to 1\u202F290"));
    EXPECT_EQ(text(model, 2, EventModel::WordsColumn), QStringLiteral("fp16: scale 2\u00B9\u2078 \u2192 2\u00B2\u2076 is effective"));
    const auto firstText = [&](FirstNonFinite first) {  // as a watched training says it
        session.handle(Event(NonFiniteFound{1, std::move(first)}));
        model.refresh();
        return text(model, 0, EventModel::WordsColumn);
    };
    EXPECT_EQ(firstText({1238, "head", "", "backward", "head.weight.grad", "NaN"}), QStringLiteral("fp16: first NaN, head, backward"));
    EXPECT_EQ(firstText({1238, "", "", "forward", "loss", "NaN"}), QStringLiteral("fp16: first NaN, loss, forward"));
    session.handle(Event(found));
    EXPECT_EQ(model.firstNonFinite(), 1238);
    EXPECT_EQ(model.nextStep(640), 1238);
    EXPECT_EQ(model.previousStep(1238), 640);
    EXPECT_FALSE(model.nextStep(1238));
}

TEST(EventModel, AGrowingStormChangesOneRowInPlace) {
    SessionModel session;
    loadRuns(session, {makeRun(0, "fp16", "pytorch")});
    EventModel model(&session);
    Tester tester(&model, Tester::FailureReportingMode::Fatal);
    const auto skip = [](StepRecord& r) { r.flags |= kFlagSkipped; };
    appendSteps(session, 0, 0, 5, skip);
    model.refresh();
    QSignalSpy resets(&model, &QAbstractItemModel::modelReset), changes(&model, &QAbstractItemModel::dataChanged);
    appendSteps(session, 0, 5, 90, skip);
    model.refresh();
    model.refresh();
    EXPECT_EQ(resets.count(), 0);
    EXPECT_EQ(changes.count(), 1);
    EXPECT_TRUE(text(model, 0, EventModel::WordsColumn).contains(QStringLiteral("90 steps skipped")));
    session.handle(Event(ExperimentReset{}));
    model.restart();
    EXPECT_EQ(model.rowCount(), 0);
}

TEST(EventBar, JumpsFromEventToEvent) {
    SessionModel session;
    loadRuns(session, {makeRun(0, "fp16", "pytorch")});
    EventBar bar(&session);
    appendSteps(session, 0, 0, 300, [](StepRecord& r) {
        if (r.step == 100 || r.step == 200) r.flags |= kFlagSkipped;
    });
    QSignalSpy jumps(&bar, &EventBar::jumpRequested);
    bar.jumpToNext();
    bar.jumpToNext();
    bar.jumpToNext();  // there is no third one
    ASSERT_EQ(jumps.count(), 2);
    EXPECT_EQ(jumps[0][0].toLongLong(), 100);
    EXPECT_EQ(jumps[1][0].toLongLong(), 200);
    bar.jumpToPrevious();
    EXPECT_EQ(jumps[2][0].toLongLong(), 100);
    const int folded = bar.sizeHint().height();
    bar.setExpanded(true);
    EXPECT_GT(bar.sizeHint().height(), folded);
}

}  // namespace
}  // namespace mantissa::gui
