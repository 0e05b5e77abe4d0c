// SPDX-License-Identifier: Apache-2.0
// What the Diagnose layout says of an examination: words, bits, rows of its tables.
#include <gtest/gtest.h>

#include <QAbstractItemModelTester>
#include <QSignalSpy>
#include <QTest>
#include <bitset>
#include <cmath>

#include "gui/diagnosis/captured_model.h"
#include "gui/diagnosis/chain_table.h"
#include "gui/diagnosis/examination_text.h"
#include "gui/diagnosis/pause_watch.h"
#include "gui/diagnosis/trials_table.h"
#include "tests/gui/diagnosis/sample_examination.h"
#include "tests/gui/support/session_by_hand.h"

namespace mantissa::gui {
namespace {

QString lineOf(const std::vector<CardLine>& lines, const QString& label) {
    for (const CardLine& line : lines)
        if (line.label == label) return line.text;
    return QStringLiteral("(none)");
}

TEST(ExaminationText, BitsStandInTheFormatsGroups) {
    const BitGroups minusInf = bitGroups(0xfc00, "fp16");
    EXPECT_EQ(minusInf.text(), QStringLiteral("1 11111 0000000000"));
    EXPECT_TRUE(minusInf.isExponentFull);
    // every code of fp16: put together again they are the code
    for (std::uint32_t code = 0; code < 0x10000; ++code) {
        const BitGroups bits = bitGroups(code, "fp16");
        ASSERT_EQ((bits.sign + bits.exponent + bits.mantissa).toStdString(), std::bitset<16>(code).to_string());
        ASSERT_EQ(bits.isExponentFull, (code & 0x7c00) == 0x7c00) << code;
    }
    EXPECT_EQ(bitGroups(0x7f, "fp8_e4m3").text(), QStringLiteral("0 1111 111"));
    EXPECT_EQ(bitGroups(0x7fc00000, "fp32").text(), QStringLiteral("0 11111111 ") + QStringLiteral("1") + QString(22, u'0'));
    EXPECT_TRUE(bitGroups(1, "fp7").isEmpty());
}

TEST(ExaminationText, TheCardSaysWhatIsKnown) {
    const Examination found = skippedStep(236);
    const std::vector<CardLine> lines = cardLines(found);
    EXPECT_EQ(lineOf(lines, QStringLiteral("element")), QStringLiteral("[0, 0], the first of 351 among 1\u202F280"));
    EXPECT_EQ(lineOf(lines, QStringLiteral("in FP32")), QStringLiteral("−67\u202F411 with the loss scale, a sum of 64 products"));
    EXPECT_EQ(lineOf(lines, QStringLiteral("largest")), QStringLiteral("160\u202F634 at [6, 81], 2.45 times the limit of 65\u202F504"));
    EXPECT_EQ(lineOf(lines, QStringLiteral("stored")), QStringLiteral("FP16 −Inf"));
    EXPECT_EQ(lineOf(lines, QStringLiteral("reads")),
              QStringLiteral("layers.7.output.grad, 64 × 10, FP16, finite, magnitudes 0.5 to 59\u202F840"));
    EXPECT_EQ(lineOf(lines, QStringLiteral("found_inf")), QStringLiteral("layers.7.weight, layers.7.bias"));
    EXPECT_EQ(lines.back().text, QStringLiteral("14 other parameters are finite"));
    EXPECT_EQ(placeText(found.card), QStringLiteral("linear, weight gradient · instruction 41 of 63"));
    EXPECT_EQ(tensorTitle(found.card.tensor), QStringLiteral("layers.7.weight, gradient"));
    const QString copied = examinationText(QStringLiteral("fp16"), found);
    for (const CardLine& line : lines) EXPECT_TRUE(copied.contains(line.text)) << line.text.toStdString();
    EXPECT_TRUE(copied.contains(QStringLiteral("1 11111 0000000000")));
}

TEST(ExaminationText, TheCardSaysWhichSampleItCameFrom) {
    Examination found = skippedStep(236);
    EXPECT_EQ(lineOf(cardLines(found), QStringLiteral("from")), QStringLiteral("(none)")) << "of a weight's gradient none is known";
    found.card.dataRow = 713;
    EXPECT_EQ(lineOf(cardLines(found), QStringLiteral("from")), QStringLiteral("row 713 of the data set"));
    found.card.microBatch = 2, found.card.microBatches = 4;
    EXPECT_EQ(lineOf(cardLines(found), QStringLiteral("from")), QStringLiteral("micro-batch 2 of 4, row 713 of the data set"));
    found.card.isRowOfText = true;
    EXPECT_TRUE(lineOf(cardLines(found), QStringLiteral("from")).endsWith(QStringLiteral("the text from token 713 on")));
}

TEST(ExaminationText, WhoMadeItIsTheOperationOneBeforeItOrTheData) {
    Examination found = skippedStep(236);
    found.card.operands = {{"layers.7.output.grad", "fp16", {64, 10}, 0, 0.5, 59840}};
    EXPECT_EQ(producerText(found.card), QStringLiteral("producer: its inputs are finite"));
    found.card.isProducer = false;
    EXPECT_EQ(producerText(found.card), QStringLiteral("passed on: the data held it"));
    EXPECT_TRUE(examinationText(QStringLiteral("fp16"), found).contains(QStringLiteral("passed on: the data held it")));
    found.card.operands.front().nonFinite = 2;
    EXPECT_EQ(producerText(found.card), QStringLiteral("passed on: what it reads is not finite"));
    found.card.instructions = 0;  // of a watched run, whose probe does not know it
    EXPECT_EQ(producerText(found.card), QString());
    EXPECT_TRUE(examinationText(QStringLiteral("fp16"), found).contains(QStringLiteral("backward\n")));
    found.card.layer.clear();
    found.card.tensor = "input.0";
    EXPECT_EQ(producerText(found.card), QStringLiteral("passed on: the data held it"));
}

TEST(ExaminationText, WhatIsNotKnownIsNotSaid) {
    Examination found = skippedStep(236);
    found.card.wide = found.card.wideMax = std::nan("");
    found.card.operands.clear();
    const std::vector<CardLine> lines = cardLines(found);
    EXPECT_EQ(lineOf(lines, QStringLiteral("in FP32")), QStringLiteral("(none)"));
    EXPECT_EQ(lineOf(lines, QStringLiteral("largest")), QStringLiteral("(none)"));
    EXPECT_EQ(lineOf(lines, QStringLiteral("reads")), QStringLiteral("(none)"));
    EXPECT_TRUE(cardLines(Examination{}).empty());
    EXPECT_EQ(lineOf(cardLines(soundStep(3)), QStringLiteral("found_inf")), QStringLiteral("in none of 16 parameters"));
}

TEST(ExaminationText, TheElementsClassIsThatOfItsBits) {
    Examination found = skippedStep(236);
    found.card.cls = "+Inf";  // of most elements; the one that is shown is another
    EXPECT_EQ(lineOf(cardLines(found), QStringLiteral("stored")), QStringLiteral("FP16 −Inf"));
    found.card.bits = 0x7e00;
    EXPECT_EQ(lineOf(cardLines(found), QStringLiteral("stored")), QStringLiteral("FP16 NaN"));
}

TEST(ExaminationText, SharesHaveOneNumberOfDecimals) {
    EXPECT_EQ(percentText(0.00047), QStringLiteral("0.047\u202F%"));
    EXPECT_EQ(percentText(0.25), QStringLiteral("25.000\u202F%"));
    EXPECT_EQ(percentText(0), QStringLiteral("0"));
    EXPECT_EQ(percentText(1e-9), QStringLiteral("< 0.001\u202F%")) << "what is there is not rounded away";
    EXPECT_EQ(percentText(std::nan("")), QStringLiteral("–"));
}

TEST(ExaminationText, TheFirstRemedyIsOneThatWasSeenToHelp) {
    Examination found = skippedStep(236);
    ASSERT_NE(mainRemedy(found), nullptr);
    EXPECT_EQ(mainRemedy(found)->label.english(), "Set scale 2¹⁹");
    EXPECT_EQ(changeName(*mainRemedy(found)), QStringLiteral("scale 2¹⁹"));
    found.remedies[1].steps = 0;
    EXPECT_EQ(mainRemedy(found), nullptr) << "what was not tried is not recommended";
    found.remedies[3].helps = true;
    EXPECT_EQ(mainRemedy(found), nullptr) << "leaving it changes nothing";
}

TEST(TrialsModel, SaysEachTrialInARow) {
    TrialsModel model;
    const QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::Fatal);
    model.show(skippedStep(236));
    const auto row = [&](int at) {
        QStringList cells;
        for (int column = 0; column < model.columnCount(); ++column) cells << model.index(at, column).data().toString();
        return cells.join(u'|');
    };
    ASSERT_EQ(model.rowCount(), 4);
    EXPECT_EQ(row(0), QStringLiteral("FP16 × 2²², in use|357|–|–|skip"));
    EXPECT_EQ(row(1), QStringLiteral("FP32, not scaled|0|–|reference|finite"));
    EXPECT_EQ(row(2), QStringLiteral("FP16 × 2²⁰|0|0.090\u202F%|0.047\u202F%|finite"));
    EXPECT_EQ(row(3), QStringLiteral("BF16|–|–|–|not run"));
    EXPECT_EQ(model.index(3, 0).data(Qt::ToolTipRole).toString(), QStringLiteral("this backend has none"));
    TrialsTable table(&model, nullptr);
    const QStringList copied = table.selectedText().split(u'\n');
    ASSERT_EQ(copied.size(), 5);
    EXPECT_EQ(copied[1], row(0).replace(u'|', u'\t'));
    table.selectRow(2);
    EXPECT_EQ(table.selectedText().split(u'\n').size(), 2) << "heads and the chosen row";
    model.show({});
    EXPECT_EQ(model.rowCount(), 0);
}

TEST(ChainModel, PhasesHaveHeadsAndTheCulpritItsValueInFp32) {
    ChainModel model;
    const QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::Fatal);
    model.show(skippedStep(236));
    ASSERT_EQ(model.rowCount(), 6);
    EXPECT_EQ(model.index(0, 0).data().toString(), QStringLiteral("Forward"));
    EXPECT_EQ(model.index(3, 0).data().toString(), QStringLiteral("Backward, loss × 2²²"));
    EXPECT_EQ(model.culprit(), 4);
    EXPECT_EQ(model.index(4, ChainModel::ValueColumn).data().toString(), QStringLiteral("160\u202F634"));
    EXPECT_EQ(model.index(2, ChainModel::ValueColumn).data().toString(), QStringLiteral("0.351"));
    EXPECT_DOUBLE_EQ(model.limit(), std::log2(65504.0));
    EXPECT_LE(model.axis().first, std::log2(0.351));
    EXPECT_GE(model.axis().last, std::log2(160634.0));
    EXPECT_EQ(model.limitText(), QStringLiteral("FP16 limit 65\u202F504"));
    model.show(soundStep(3));
    EXPECT_EQ(model.culprit(), -1);
    EXPECT_DOUBLE_EQ(model.limit(), std::log2(65504.0)) << "how much room there is";
    model.show({});
    EXPECT_EQ(model.rowCount(), 0);
    EXPECT_LT(model.axis().first, model.axis().last);
}

TEST(ChainModel, ExtremesHaveAPlace) {
    ChainModel model;
    Examination found = skippedStep(1);
    found.card.chain[0].absMax = 0;
    found.card.chain[1].absMax = 1e-45;
    found.card.chain[3].absMax = INFINITY;
    found.card.wideMax = 3e38;
    model.show(found);
    EXPECT_TRUE(std::isfinite(model.axis().first) && std::isfinite(model.axis().last));
    EXPECT_GE(model.axis().last, 127);
    ChainTable table(&model, nullptr);
    table.resize(400, 300);
    EXPECT_FALSE(table.grab().isNull());
}

struct CapturedTest : testing::Test {
    SessionModel session;
    CapturedModel model{&session, nullptr};
    const QAbstractItemModelTester tester{&model, QAbstractItemModelTester::FailureReportingMode::Fatal};
    CapturedTest() {
        loadThreeRuns(session);
        for (RunId run = 0; run < 3; ++run) session.handle(steps(run, 0, 100));
    }
};

TEST_F(CapturedTest, HoldsTheStepsOfAllRunsTheNewestLast) {
    session.handle(StepExamined{1, skippedStep(40)});
    session.handle(StepExamined{2, soundStep(7)});
    session.handle(StepExamined{1, skippedStep(12)});
    EXPECT_EQ(model.steps(), (std::vector<CapturedStep>{{2, 7}, {1, 12}, {1, 40}}));
    EXPECT_EQ(model.index(2).data().toString(), QStringLiteral("step 40"));
    EXPECT_EQ(model.index(2).data(CapturedModel::ScaleRole).toString(), QStringLiteral("2²²"));
    EXPECT_EQ(model.index(2).data(CapturedModel::VerdictRole).toString(), QStringLiteral("scale too high · fp16"));
    EXPECT_EQ(model.index(2).data(CapturedModel::GlyphRole).toInt(), static_cast<int>(Glyph::Skipped));
    EXPECT_EQ(model.index(0).data(CapturedModel::VerdictRole).toString(), QStringLiteral("all finite · bf16"));
    EXPECT_FALSE(model.index(0).data(CapturedModel::GlyphRole).isValid());
    for (int row = 0; row < 3; ++row) EXPECT_FALSE(model.index(row).data(Qt::AccessibleTextRole).toString().isEmpty());
    session.handle(RunRewound{1, 40});
    EXPECT_EQ(model.rowCount(), 2);
    session.handle(RunRemoved{1});
    EXPECT_EQ(model.steps(), (std::vector<CapturedStep>{{2, 7}}));
}

TEST_F(CapturedTest, AFiniteStepWithASilentFailureHasNoCheckMark) {
    Examination found = soundStep(7);
    found.gauges = {{GaugeKind::BrokenStatistics, Severity::Bad, 2, "The running variance of 2 layers is not finite."_text}};
    session.handle(StepExamined{2, found});
    CapturedGroups groups(&model, &session, nullptr);
    EXPECT_EQ(groups.index(0).data().toString(), QStringLiteral("silent failure"));
    EXPECT_TRUE(groups.index(1).data(CapturedModel::SilentRole).toBool());
    EXPECT_EQ(groups.index(1).data(Qt::ToolTipRole).toString(), QStringLiteral("Finite, but running statistics are not."));
    found.gauges.front().severity = Severity::Good;
    session.handle(StepExamined{2, found});
    EXPECT_EQ(groups.index(0).data().toString(), QStringLiteral("all finite"));
    EXPECT_FALSE(groups.index(1).data(CapturedModel::SilentRole).toBool());
}

TEST_F(CapturedTest, AChoiceByKeyIsToldAndOutlivesNewRows) {
    session.handle(StepExamined{1, skippedStep(40)});
    session.handle(StepExamined{1, skippedStep(50)});
    CapturedList list(&model, &session, nullptr);
    QSignalSpy chosen(&list, &CapturedList::chosen);
    list.showChosen({1, 40});
    EXPECT_EQ(chosen.count(), 0) << "what is shown already is not news";
    QTest::keyClick(&list, Qt::Key_Down);
    ASSERT_EQ(chosen.count(), 1);
    EXPECT_EQ(chosen[0][1].toLongLong(), 50);
    list.showChosen({1, 50});
    session.handle(StepExamined{1, skippedStep(45)});
    EXPECT_EQ(list.currentIndex().row(), 3) << "below the line of its verdict";
    EXPECT_EQ(chosen.count(), 1);
    list.showChosen({1, 99});
    EXPECT_FALSE(list.currentIndex().isValid());
}

TEST_F(CapturedTest, StepsStandByVerdictAndWhatIsNormalIsFolded) {
    const auto normal = [](std::int64_t step) {
        Examination found = skippedStep(step);
        found.verdict.isNormalProbing = true;
        return found;
    };
    const auto diverged = [](std::int64_t step) {
        Examination found = skippedStep(step);
        found.verdict.kind = StepVerdict::Divergence;
        return found;
    };
    CapturedGroups groups(&model, &session, nullptr);
    const QAbstractItemModelTester watched(&groups, QAbstractItemModelTester::FailureReportingMode::Fatal);
    for (const std::int64_t step : {0, 1, 2}) session.handle(StepExamined{1, normal(step)});
    ASSERT_EQ(groups.rowCount(), 1) << "one line";
    EXPECT_EQ(groups.index(0).data(CapturedGroups::CountRole).toInt(), 3);
    EXPECT_TRUE(groups.index(0).data(CapturedGroups::FoldedRole).toBool());
    session.handle(StepExamined{2, soundStep(7)});
    session.handle(StepExamined{1, diverged(60)});
    session.handle(StepExamined{1, skippedStep(40)});
    session.handle(StepExamined{1, diverged(50)});
    QStringList shown;
    for (int row = 0; row < groups.rowCount(); ++row) shown << groups.index(row).data().toString();
    EXPECT_EQ(shown, (QStringList{QStringLiteral("scale too high"), QStringLiteral("step 40"), QStringLiteral("divergence"),
                                  QStringLiteral("step 50"), QStringLiteral("step 60"), QStringLiteral("all finite"),
                                  QStringLiteral("step 7"), QStringLiteral("normal for a dynamic scaler")}));
    EXPECT_EQ(groups.stepAt(groups.index(3)), (CapturedStep{1, 50}));
    EXPECT_FALSE(groups.stepAt(groups.index(2)));
    EXPECT_EQ(groups.indexOf({1, 1}).row(), 7) << "a folded step is where its line is";
    groups.toggle(groups.index(7));
    EXPECT_EQ(groups.rowCount(), 11);
    EXPECT_EQ(groups.indexOf({1, 1}).row(), 9);
    groups.toggle(groups.index(2));
    EXPECT_EQ(groups.rowCount(), 9);
    EXPECT_EQ(model.steps().size(), 7u) << "the buttons still go through all of them";
}

TEST_F(CapturedTest, ALineOpensByKeyAndSendsNothing) {
    for (const std::int64_t step : {3, 4}) {
        Examination found = skippedStep(step);
        found.verdict.isNormalProbing = true;
        session.handle(StepExamined{1, found});
    }
    CapturedList list(&model, &session, nullptr);
    QSignalSpy chosen(&list, &CapturedList::chosen);
    list.showChosen({1, 3});
    EXPECT_EQ(list.currentIndex().row(), 0);
    QTest::keyClick(&list, Qt::Key_Right);
    EXPECT_EQ(list.model()->rowCount(), 3);
    EXPECT_EQ(list.currentIndex().row(), 0);
    EXPECT_EQ(chosen.count(), 0);
    QTest::keyClick(&list, Qt::Key_Down);
    QTest::keyClick(&list, Qt::Key_Down);
    ASSERT_EQ(chosen.count(), 2);
    EXPECT_EQ(chosen[1][1].toLongLong(), 4);
    list.setCurrentIndex(list.model()->index(0, 0));
    QTest::keyClick(&list, Qt::Key_Space);
    EXPECT_EQ(list.model()->rowCount(), 1);
}

struct PauseTest : testing::Test {
    SessionModel session;
    PauseWatch watch{&session, nullptr};
    QSignalSpy requested{&watch, &PauseWatch::pauseRequested};
    PauseTest() {
        loadThreeRuns(session);
        session.handle(StateChanged{LabState::Training, 0, true});
    }
    void skip(RunId run, std::int64_t step, std::int64_t count = 1) { session.handle(steps(run, step, count, kFlagSkipped)); }
};

TEST_F(PauseTest, NothingPausesUnlessAsked) {
    skip(1, 0);
    EXPECT_EQ(requested.count(), 0);
}

TEST_F(PauseTest, AnySkipPausesOnceForEachBatchOfNews) {
    watch.setMode(PauseOn::AnySkip);
    session.handle(steps(1, 0, 10));
    EXPECT_EQ(requested.count(), 0);
    skip(1, 10, 3);
    ASSERT_EQ(requested.count(), 1);
    EXPECT_EQ(requested[0][0].toInt(), 1);
    EXPECT_EQ(requested[0][1].toLongLong(), 10) << "the first of them";
    session.handle(steps(1, 13, 5));
    EXPECT_EQ(requested.count(), 1);
    skip(1, 18);
    EXPECT_EQ(requested.count(), 2);
}

TEST_F(PauseTest, TheFirstSkipIsEachRunsOwn) {
    watch.setMode(PauseOn::FirstSkip);
    skip(1, 0);
    skip(1, 1);
    skip(0, 0);
    ASSERT_EQ(requested.count(), 2);
    EXPECT_EQ(requested[1][0].toInt(), 0);
    session.handle(RunRewound{1, 0});
    skip(1, 0);
    EXPECT_EQ(requested.count(), 3) << "after a rewind it is the first again";
}

TEST_F(PauseTest, WhatComesWhileNothingTrainsHappenedBefore) {
    watch.setMode(PauseOn::AnySkip);
    session.handle(StateChanged{LabState::Paused, 0, true});
    skip(1, 0);
    EXPECT_EQ(requested.count(), 0);
    session.handle(StateChanged{LabState::Training, 0, true});
    session.handle(steps(1, 1, 1));
    EXPECT_EQ(requested.count(), 0);
}

}  // namespace
}  // namespace mantissa::gui
