// SPDX-License-Identifier: Apache-2.0
// "Before a switch": what it says and shows of a look, and what the gauges beside it are fed with.
#include <gtest/gtest.h>

#include <QAbstractItemModelTester>
#include <QPushButton>
#include <QTest>
#include <cmath>

#include "gui/diagnosis/forecast_page.h"
#include "gui/diagnosis/gauge_list.h"
#include "tests/engine/diagnosis/stats_values.h"
#include "tests/gui/support/session_by_hand.h"

namespace mantissa::gui {
namespace {

using test::statsOfValues;

/// Gradients of layers.0 that fp16 flushes in part until they are scaled by 2^6; those of layers.1 overflow from 2^16 on.
TensorsMeasured statsOf(RunId run, double scale, Dtype storage = Dtype::F32) {
    TensorsMeasured event;
    event.run = run;
    event.cost = 1;
    event.stats = {96,
                   scale,
                   {statsOfValues("layers.0", "layers.0.output", TensorRole::Value, {1, 0x1p-20F, 0}, storage),
                    statsOfValues("layers.1", "layers.1.output", TensorRole::Value, {4}, storage),
                    statsOfValues("layers.1", "layers.1.weight.grad", TensorRole::WeightGradient, {static_cast<float>(scale)}),
                    statsOfValues("layers.0", "layers.0.weight.grad", TensorRole::WeightGradient,
                                  {static_cast<float>(scale) * 0x1p-30F, static_cast<float>(scale) * 0x1p-10F}),
                    statsOfValues("layers.0", "layers.0.weight", TensorRole::Weight, {1}),
                    statsOfValues("layers.0", "layers.0.weight", TensorRole::Update, {0x1p-10F})}};
    return event;
}

struct ForecastPageTest : testing::Test {
    SessionModel session;
    Measurements measurements{&session, nullptr};
    ForecastPage page{&session, &measurements, nullptr};
    ForecastPageTest() { loadThreeRuns(session); }

    QAbstractItemModel* table() { return page.findChild<ForecastTable*>()->model(); }
    QString row(int row) {
        QStringList cells;
        for (int column = 0; column < table()->columnCount(); ++column) cells << table()->index(row, column).data().toString();
        return cells.join(u'|');
    }
    bool says(const QString& words) {
        for (const QLabel* label : page.findChildren<QLabel*>())
            if (!label->isHidden() && label->text().contains(words)) return true;
        return false;
    }
    QPushButton* button(const QString& words) {
        for (QPushButton* each : page.findChildren<QPushButton*>())
            if (each->text() == words) return each;
        return nullptr;
    }
};

TEST_F(ForecastPageTest, ForecastsAnFp32RunAtASafeScale) {
    page.show(0, -1);
    EXPECT_TRUE(says(QStringLiteral("No tensor of this run was measured yet")));
    session.handle(statsOf(0, 1));
    page.refreshNow();
    EXPECT_FALSE(says(QStringLiteral("No tensor of this run was measured yet")));
    EXPECT_EQ(page.format(), Dtype::F16);
    // safe from 2^6 (2^-30 is above 2^-25 then) to 2^15; 1 is not, so four doublings inside
    EXPECT_EQ(page.scale(), 1024);
    EXPECT_TRUE(says(QStringLiteral("As FP16 with loss scale 2¹⁰ nothing would overflow or flush to zero.")));
    EXPECT_TRUE(says(QStringLiteral("Exact: this step kept everything in FP32.")));
    EXPECT_NE(button(QStringLiteral("safe: 2¹⁰")), nullptr);
    ASSERT_EQ(table()->rowCount(), 2);
    EXPECT_EQ(row(0), QStringLiteral("layers.1|0|0|0|14.0|0|0|0|6.0|–|–|–|–")) << "the output above";
    // forward: 2^-20 is subnormal; gradients: 2^-20 and 1 after scaling
    EXPECT_EQ(row(1), QStringLiteral("layers.0|0|50.000\u202F%|0|16.0|0|50.000\u202F%|0|16.0|0|0|0|26.0"));
}

TEST_F(ForecastPageTest, AnotherScaleAndFormatChangeWordsAndCells) {
    session.handle(statsOf(0, 1));
    page.show(0, -1);
    page.tryScale(1);
    EXPECT_TRUE(says(
        QStringLiteral("As FP16 without a loss scale nothing would overflow; 50 % of the gradients of layers.0 would flush to zero.")));
    EXPECT_TRUE(row(1).startsWith(QStringLiteral("layers.0|0|50.000\u202F%|0|16.0|50.000\u202F%|0|0|26.0")));
    for (int i = 0; i < 16; ++i) button(QStringLiteral("×2"))->click();
    EXPECT_EQ(page.scale(), 65536);
    EXPECT_TRUE(says(QStringLiteral("100 % of the gradients of layers.1 would overflow")));
    EXPECT_TRUE(says(QStringLiteral("From 2¹⁵ down none would.")));
    EXPECT_EQ(row(0), QStringLiteral("layers.1|0|0|0|14.0|0|0|100.000\u202F%|0.0|–|–|–|–")) << "2^16 is just beyond 65504";
    button(QStringLiteral("/2"))->click();
    EXPECT_FALSE(says(QStringLiteral("would overflow:")));
    button(QStringLiteral("safe: 2¹⁰"))->click();
    EXPECT_EQ(page.scale(), 1024);
    page.chooseFormat(Dtype::E4M3);
    EXPECT_TRUE(says(QStringLiteral("As FP8 E4M3, each tensor with a scale of its own,")));
    EXPECT_TRUE(says(QStringLiteral("each tensor has its own scale")));
    EXPECT_TRUE(button(QStringLiteral("×2"))->isHidden());
    EXPECT_TRUE(row(1).endsWith(QStringLiteral("|–|–|–|–"))) << "updates are kept wider";
}

TEST_F(ForecastPageTest, WhatARunHasLostIsSaid) {
    session.handle(statsOf(1, 65536, Dtype::F16));
    page.show(1, -1);
    EXPECT_EQ(page.format(), Dtype::BF16) << "it has FP16 already";
    EXPECT_TRUE(says(QStringLiteral("Tensors of this step were stored in FP16")));
    EXPECT_FALSE(says(QStringLiteral("Exact")));
    EXPECT_EQ(page.scale(), 65536) << "the used one is safe in BF16";
    EXPECT_NE(button(QStringLiteral("used: 2¹⁶")), nullptr);
    page.chooseFormat(Dtype::F16);
    EXPECT_EQ(page.scale(), 0x1p11) << "and not in FP16, which holds it up to 2^15";
    page.tryScale(3000);
    EXPECT_EQ(page.scale(), 4096) << "only doublings of the look's own scale can be told";
    page.tryScale(0);
    EXPECT_EQ(page.scale(), 4096);
    session.handle(statsOf(0, 1));
    page.show(0, -1);
    EXPECT_EQ(page.scale(), 1024) << "what was tried was of the other run";
}

TEST_F(ForecastPageTest, AScaleThatHasFallenToNothingBoundsNothing) {
    session.handle(statsOf(0, 0));
    page.show(0, -1);
    EXPECT_FALSE(page.findChild<ScaleSpin*>()->isEnabled());
    EXPECT_FALSE(page.grab().isNull());
}

TEST_F(ForecastPageTest, ItsModelIsSoundAndItsTablePaints) {
    session.handle(statsOf(0, 1));
    QAbstractItemModelTester tester(table(), QAbstractItemModelTester::FailureReportingMode::Fatal);
    page.show(0, -1);
    page.resize(1000, 340);
    EXPECT_FALSE(page.grab().isNull());
    page.tryScale(65536);  // the same layers: no reset
    EXPECT_FALSE(page.grab().isNull());
    for (const Dtype format : {Dtype::F16, Dtype::E4M3}) {
        page.chooseFormat(format);
        EXPECT_LE(page.minimumSizeHint().width(), 960) << "a window of 1280 px has this much beside the dock";
    }
    session.handle(RunRewound{0, 0});
    page.show(0, -1);
    EXPECT_TRUE(says(QStringLiteral("No tensor of this run was measured yet")));
    EXPECT_TRUE(table()->headerData(1, Qt::Horizontal).toString().contains(QStringLiteral("forward")));
}

TEST_F(ForecastPageTest, NewsAreShownWhileItIsSeen) {
    page.show(0, -1);
    page.QWidget::show();
    ASSERT_TRUE(QTest::qWaitForWindowExposed(&page));
    session.handle(statsOf(0, 1));
    EXPECT_TRUE(QTest::qWaitFor([&] { return says(QStringLiteral("As FP16")); }, 20'000));
}

TEST(ForecastRows, AddGradientsOfValuesAndOfWeights) {
    const StepStats stats{0,
                          1,
                          {statsOfValues("a", "a.output", TensorRole::Value, {70000}),
                           statsOfValues("a", "a.weight.grad", TensorRole::WeightGradient, {1, 0x1p-40F}),
                           statsOfValues("a", "a.input.grad", TensorRole::Gradient, {0x1p3F, 0x1p-40F, 0}),
                           statsOfValues("b", "b.weight", TensorRole::Weight, {1})}};
    const auto rows = forecastRows(forecast(stats, ForecastSettings::of(Dtype::F16, 0)));
    ASSERT_EQ(rows.size(), 1u) << "weights alone make no row";
    const auto& gradients = rows[0].groups[static_cast<std::size_t>(StripGroup::Gradients)];
    ASSERT_TRUE(gradients);
    EXPECT_EQ(gradients->stored, (StoredCounts{.flushed = 2, .normal = 2}));
    EXPECT_EQ(gradients->zeros, 1);
    EXPECT_EQ(gradients->tightest, "a.input.grad");
    EXPECT_DOUBLE_EQ(gradients->headroom, std::log2(65504.0 / 8));
    EXPECT_EQ(rows[0].groups[0]->stored.overflowed, 1);
    EXPECT_FALSE(rows[0].groups[static_cast<std::size_t>(StripGroup::Updates)]);
}

TEST(GaugesOfARun, AreFedWithItsFormatsAndItsSkips) {
    SessionModel session;
    Measurements measurements(&session, nullptr);
    GaugeList list(&session, &measurements, nullptr);
    ExperimentLoaded loaded = threeRuns();
    loaded.runs[0].layers = {{"layers.0", "linear", "tf32", 1, 1}, {"layers.1", "linear", "fp32", 1, 1}};
    loaded.runs[1].settings.training.optimizer.schedule.kind = "linear";
    loaded.runs[2].policy = "pure-fp16";
    session.handle(loaded);
    const auto gauge = [&](RunId run, GaugeKind kind) -> const Gauge* {
        list.show(run);
        for (const Gauge& each : list.gauges())
            if (each.kind == kind) return &each;
        return nullptr;
    };
    ASSERT_NE(gauge(0, GaugeKind::Tf32ForIeee), nullptr);
    EXPECT_EQ(gauge(0, GaugeKind::Tf32ForIeee)->severity, Severity::Note);
    EXPECT_NE(gauge(0, GaugeKind::Tf32ForIeee)->sentence.english().find("layers.0"), std::string::npos);
    StepsRecorded skipping = steps(1, 0, 10, kFlagSkipped);
    for (std::size_t i = 0; i < skipping.records.size(); ++i) skipping.records[i].skippedTotal = static_cast<std::int64_t>(i) + 1;
    session.handle(skipping);
    ASSERT_NE(gauge(1, GaugeKind::ScheduleAhead), nullptr);
    EXPECT_EQ(gauge(1, GaugeKind::ScheduleAhead)->value, 10);
    EXPECT_EQ(gauge(1, GaugeKind::Tf32ForIeee), nullptr) << "nobody asked for FP32";
    ASSERT_NE(gauge(2, GaugeKind::FlushedEpsilon), nullptr);
    EXPECT_EQ(gauge(2, GaugeKind::FlushedEpsilon)->severity, Severity::Note) << "1e-8 in fp16";
}

}  // namespace
}  // namespace mantissa::gui
