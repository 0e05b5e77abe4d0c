// SPDX-License-Identifier: Apache-2.0
// Compare runs: which steps are asked for, what is shown of them, and that the page follows training.
#include <gtest/gtest.h>

#include <cmath>

#include "gui/diagnosis/compare_page.h"
#include "gui/plots/marks.h"
#include "tests/gui/support/live_session.h"
#include "tests/gui/support/session_by_hand.h"

namespace mantissa::gui {
namespace {

constexpr std::int64_t kNever = 1LL << 40;

/// Runs 1 and 0 at a step: apart in a weight gradient of layers.1 from `apartFrom` on, else 0.05 % in all.
RunsCompared comparedAt(std::int64_t step, std::int64_t apartFrom) {
    RunsCompared compared{.run = 1, .other = 0, .comparison = {.step = step}};
    for (const TensorRole role : {TensorRole::Weight, TensorRole::Value, TensorRole::WeightGradient}) {
        for (const char* layer : {"layers.0", "layers.1"}) {
            const bool isApart = step >= apartFrom && role == TensorRole::WeightGradient && layer == std::string("layers.1");
            compared.comparison.layers.push_back({layer, role, layer + std::string(".tensor"), isApart ? 0.12 : 0.0005, 1, 10, 0, 0});
        }
    }
    return compared;
}

/// What the engine would answer of runs that have done `end` steps.
void answer(ComparisonRecord& record, const CompareRuns& question, std::int64_t end, std::int64_t apartFrom) {
    for (std::int64_t i = 0; i < question.count; ++i) {
        const std::int64_t step = question.firstStep + i * question.every;
        if (step < end) record.take(comparedAt(step, apartFrom));
    }
}

/// Asks and answers until all is known; returns how many questions that took.
int askAll(ComparisonRecord& record, std::int64_t first, std::int64_t end, std::int64_t apartFrom) {
    int questions = 0;
    while (const auto question = record.nextQuestion(first, end)) {
        EXPECT_GE(question->firstStep, first);
        EXPECT_LT(question->firstStep, end);
        EXPECT_GE(question->count, 1);
        EXPECT_LE(question->count, ComparisonRecord::kLastSteps);
        answer(record, *question, end, apartFrom);
        if (++questions == 100) break;
    }
    return questions;
}

bool knows(const ComparisonRecord& record, std::int64_t step) {
    return std::any_of(record.comparisons().begin(), record.comparisons().end(), [&](const auto& each) { return each.step == step; });
}

TEST(ComparisonRecordOf, TheWholeRunIsSampledAndSearchedWhereTheRunsPart) {
    for (const std::int64_t end : {1, 2, 47, 48, 49, 500, 20000}) {
        for (const std::int64_t apartFrom : {std::int64_t{7}, end / 2 + 8, kNever}) {
            ComparisonRecord record;
            record.begin(1, 0, ComparisonRange::WholeRun);
            const int questions = askAll(record, 5, end + 5, apartFrom);
            EXPECT_LT(questions, 5) << end;
            EXPECT_TRUE(knows(record, 5));
            EXPECT_EQ(record.nextQuestion(5, end + 5), std::nullopt);
            const auto apart = record.apart();
            ASSERT_EQ(apart.has_value(), apartFrom < end + 5) << end;
            if (!apart) {
                EXPECT_LE(record.comparisons().size(), static_cast<std::size_t>(ComparisonRecord::kPoints));
                continue;
            }
            EXPECT_EQ(record.comparisons()[apart->comparison].step, apartFrom) << "to the step, of " << end;
            EXPECT_TRUE(record.isDivergenceKnown());
        }
    }
}

TEST(ComparisonRecordOf, AsTheRunGrowsPointsThinOutButWhereTheyPart) {
    ComparisonRecord record;
    record.begin(1, 0, ComparisonRange::WholeRun);
    for (std::int64_t end = 10; end < 3000; end += 37) {
        askAll(record, 0, end, 41);
        ASSERT_LE(record.comparisons().size(), 200u);
        EXPECT_TRUE(knows(record, 0));
    }
    EXPECT_EQ(record.comparisons()[record.apart()->comparison].step, 41);
    EXPECT_TRUE(knows(record, 40));
    EXPECT_GT(record.comparisons().back().step, 2800) << "up to now";
    EXPECT_LE(record.comparisons().size(), 2u * ComparisonRecord::kPoints + 2);
}

TEST(ComparisonRecordOf, OfTheLastStepsEachIsKnownAndNoOther) {
    ComparisonRecord record;
    record.begin(1, 0, ComparisonRange::LastSteps);
    askAll(record, 0, 30, kNever);
    EXPECT_EQ(record.comparisons().size(), 30u);
    for (const std::int64_t end : {60, 61, 400}) {
        EXPECT_EQ(askAll(record, 0, end, kNever), 1);
        ASSERT_EQ(record.comparisons().size(), 50u);
        EXPECT_EQ(record.comparisons().front().step, end - 50);
        EXPECT_EQ(record.comparisons().back().step, end - 1);
    }
}

TEST(ComparisonRecordOf, ARewindTakesItsStepsAlongAndOthersAreNotTaken) {
    ComparisonRecord record;
    record.begin(1, 0, ComparisonRange::LastSteps);
    askAll(record, 0, 30, kNever);
    record.rewind(12);
    EXPECT_EQ(record.comparisons().back().step, 11);
    RunsCompared other = comparedAt(12, kNever);
    other.other = 2;
    record.take(other);
    EXPECT_FALSE(knows(record, 12));
    EXPECT_EQ(record.nextQuestion(0, 20)->firstStep, 12);
}

TEST(ComparisonPictures, DepthGoesWithTheLogarithm) {
    EXPECT_EQ(ComparisonMap::depthOf(0), 0);
    EXPECT_EQ(ComparisonMap::depthOf(1e-9), 0);
    EXPECT_NEAR(ComparisonMap::depthOf(1e-3), 0.5, 1e-12);
    EXPECT_EQ(ComparisonMap::depthOf(1), 1);
    EXPECT_EQ(ComparisonMap::depthOf(50), 1);
    EXPECT_EQ(differenceText(0), QStringLiteral("equal"));
    EXPECT_EQ(differenceText(INFINITY), QStringLiteral("infinite"));
}

QStringList comparisonTexts(const QWidget& part) {
    QStringList texts;
    for (const QLabel* label : part.findChildren<QLabel*>())
        if (label->isVisibleTo(&part)) texts << label->text();
    return texts;
}

struct ComparePageTest : testing::Test {
    SessionModel session;
    EngineClient engine{&session, {QStringLiteral("/nowhere")}};
    ComparePage page{&session, &engine, nullptr};
    void load(std::int64_t count = 100) {
        loadThreeRuns(session);
        for (RunId run = 0; run < 3 && count > 0; ++run) session.handle(steps(run, 0, count));
        page.refreshNow();
    }
    QString checkedRole() const {
        for (const QPushButton* button : page.findChildren<QPushButton*>())
            if (button->isChecked() && button->accessibleName().startsWith(QStringLiteral("Tensors that are compared")))
                return button->text();
        return {};
    }
    bool says(const QString& text) const { return comparisonTexts(page).join(u'|').contains(text); }
};

TEST_F(ComparePageTest, WithNothingItSaysWhatToDo) {
    EXPECT_TRUE(says(QStringLiteral("Add a run, fork one, or watch a PyTorch training.")));
    load(0);
    EXPECT_TRUE(says(QStringLiteral("Train a few steps"))) << comparisonTexts(page).join(u'|').toStdString();
    load(100);
    EXPECT_TRUE(says(QStringLiteral("Press Compare")));
    page.compare();
    EXPECT_TRUE(page.record().comparisons().empty()) << "there is no engine to ask";
    EXPECT_TRUE(says(QStringLiteral("Press Compare")));
}

TEST_F(ComparePageTest, TheSelectedRunIsHeldAgainstFp32) {
    load();
    session.select(2);
    EXPECT_EQ(std::pair(page.run(), page.other()), std::pair(2, 0));
    session.select(0);
    EXPECT_EQ(std::pair(page.run(), page.other()), std::pair(0, 1)) << "or the first other one";
    session.select(1);
    EXPECT_EQ(std::pair(page.run(), page.other()), std::pair(1, 0));
    session.handle(RunRemoved{0});
    EXPECT_EQ(std::pair(page.run(), page.other()), std::pair(1, 2));
    RunInfo recorded = runInfo(7, "old", "fp32");
    recorded.kind = RunKind::Recorded;
    session.handle(RunAdded{recorded});
    for (const auto* box : page.findChildren<ComboBox*>()) EXPECT_LT(box->findText(QStringLiteral("old")), 0) << "it has no tensors";
}

TEST_F(ComparePageTest, WhatIsFoundIsSaidAndShownWhereItIs) {
    load();
    session.select(1);
    for (const std::int64_t step : {36, 37, 38, 39, 40}) session.handle(comparedAt(step, 39));
    page.refreshNow();
    EXPECT_TRUE(
        says(QStringLiteral("First apart at step 39: layers.1, 12 % (backward, most in layers.1.tensor). Until step 38 both agree to "
                            "0.05 %.")))
        << comparisonTexts(page).join(u'|').toStdString();
    EXPECT_EQ(checkedRole(), QStringLiteral("weight gradients"));
    EXPECT_TRUE(says(QStringLiteral("layers.1, weight gradients")));
    EXPECT_TRUE(says(QStringLiteral("5 of 100 steps were compared.")));
    EXPECT_EQ(page.findChild<ComparisonMap*>()->accessibleDescription(), QStringLiteral("first apart: step 39, layers.1.tensor"));
    EXPECT_EQ(page.findChild<ComparisonCurve*>()->accessibleDescription(), QStringLiteral("layers.1 at step 40: 12 %"));
    for (QPushButton* button : page.findChildren<QPushButton*>())
        if (button->text() == QStringLiteral("forward")) button->click();
    EXPECT_EQ(checkedRole(), QStringLiteral("forward")) << "the user's choice stays";
    emit page.findChild<ComparisonMap*>()->layerChosen(QStringLiteral("layers.1"));
    EXPECT_TRUE(says(QStringLiteral("layers.1, forward")));
    EXPECT_FALSE(page.grab().isNull());
    session.handle(RunRewound{0, 38});
    page.refreshNow();
    EXPECT_TRUE(says(QStringLiteral("fp16 and fp32 agree to 0.05 % in all 2 compared steps, 36 to 37.")))
        << comparisonTexts(page).join(u'|').toStdString();
    session.select(2);
    EXPECT_EQ(page.run(), 2) << "nothing was asked for, so the page goes along";
    EXPECT_TRUE(page.record().comparisons().empty());
}

TEST_F(ComparePageTest, AnotherBoundIsAnotherPlace) {
    load();
    session.select(1);
    for (const std::int64_t step : {36, 37}) session.handle(comparedAt(step, 37));
    ComboBox* bounds = nullptr;
    for (auto* box : page.findChildren<ComboBox*>())
        if (box->findText(QStringLiteral("apart above 1 %")) >= 0) bounds = box;
    ASSERT_NE(bounds, nullptr);
    EXPECT_EQ(page.record().bound(), kComparisonBound);
    const auto choose = [&](int index) {
        bounds->setCurrentIndex(index);
        emit bounds->activated(index);
    };
    choose(3);
    EXPECT_EQ(page.record().bound(), 0.1);
    EXPECT_TRUE(says(QStringLiteral("at step 37")));
    choose(0);
    EXPECT_EQ(page.record().bound(), 0);
    EXPECT_TRUE(says(QStringLiteral("First apart at step 36, the first compared: layers.0, 0.05 % (weights")))
        << comparisonTexts(page).join(u'|').toStdString();
}

TEST_F(ComparePageTest, EveryControlHasANameAndNothingIsCutInASmallWindow) {
    load();
    session.select(1);
    for (const std::int64_t step : {36, 39, 40}) session.handle(comparedAt(step, 39));
    page.resize(1280 - 240 - 17, 600);
    page.show();
    page.refreshNow();
    ASSERT_TRUE(QTest::qWaitForWindowExposed(&page));
    EXPECT_LE(page.minimumSizeHint().width(), page.width());
    for (const QWidget* widget : page.findChildren<QWidget*>()) {
        const bool isControl = widget->window() == &page && widget->focusPolicy() != Qt::NoFocus;
        EXPECT_FALSE(isControl && widget->accessibleName().isEmpty()) << widget->metaObject()->className();
    }
    for (const QPushButton* button : page.findChildren<QPushButton*>()) {
        const bool isSegment = button->property("look").toString() == QStringLiteral("segment");  // bold when it is chosen
        const int words = QFontMetrics(pixelFont(page.font(), kTickPixels, true)).horizontalAdvance(button->text());
        EXPECT_GE(button->width(), isSegment ? words + 14 : button->sizeHint().width()) << button->text().toStdString();
    }
    for (const QLabel* label : page.findChildren<QLabel*>())
        EXPECT_TRUE(!label->isVisible() || label->wordWrap() || label->width() >= label->sizeHint().width()) << label->text().toStdString();
}

// ---- with the engine ----

TEST(ComparisonLive, TheAnswerGrowsWithTraining) {
    LiveSession live;
    ComparePage page{&live.session, &live.engine, nullptr};
    ASSERT_TRUE(live.begin());
    for (int i = 0; i < 4; ++i) live.engine.send(SingleStep{});
    ASSERT_TRUE(live.reaches(4));
    page.show();
    page.refreshNow();
    auto* button = page.findChild<QPushButton*>(QStringLiteral("compareRuns"));
    ASSERT_TRUE(button->isEnabled());
    button->click();
    ASSERT_TRUE(QTest::qWaitFor([&] { return page.record().comparisons().size() == 4; }, kPatienceMs));
    ASSERT_TRUE(QTest::qWaitFor([&] { return button->text() == QStringLiteral("Compare"); }, kPatienceMs));
    EXPECT_EQ(live.session.stepCount(), 4) << "the runs stay where they are";
    for (const StepComparison& each : page.record().comparisons()) EXPECT_GT(each.layers.size(), 5u);
    live.engine.send(SingleStep{});
    EXPECT_TRUE(QTest::qWaitFor([&] { return page.record().comparisons().size() == 5; }, kPatienceMs)) << "the page follows";
}

}  // namespace
}  // namespace mantissa::gui
