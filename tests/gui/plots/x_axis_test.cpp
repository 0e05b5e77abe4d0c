// SPDX-License-Identifier: Apache-2.0
// What an x axis counts: what runs have used up, where their steps lie by it, and how it is written.
#include "gui/plots/x_axis.h"

#include <gtest/gtest.h>

#include <cmath>

#include "gui/plots/tickers.h"
#include "tests/gui/plots/session_fixture.h"

namespace mantissa::gui {
namespace {

/// `batch` samples a step of 1000; steps of 10 ms, every tenth one validated for 40 ms.
std::function<void(StepRecord&)> trainedWith(std::int64_t batch, double startSeconds = 0) {
    return [=](StepRecord& r) {
        const auto done = static_cast<double>(r.step + 1);
        r.samples = batch * (r.step + 1);
        r.epoch = static_cast<double>(r.samples) / 1000;
        r.stepMs = 10;
        r.wallSeconds = startSeconds + 0.01 * done + 0.04 * std::floor(done / 10);
    };
}

class ProgressTest : public testing::Test {
protected:
    ProgressTest() { loadRuns(m_session, {makeRun(0, "small"), makeRun(1, "large")}); }
    const Progress& of(RunId run) { return m_session.run(run)->progress; }
    SessionModel m_session;
};

TEST_F(ProgressTest, KnowsWhatEachStepHadUsedUp) {
    appendSteps(m_session, 0, 0, 100, trainedWith(32));
    for (const std::int64_t step : {0, 1, 9, 10, 57, 99}) {
        const auto done = static_cast<double>(step + 1), at = static_cast<double>(step);
        EXPECT_NEAR(of(0).at(XQuantity::Samples, at), 32 * done, 1e-6) << step;
        EXPECT_NEAR(of(0).at(XQuantity::Epoch, at), 0.032 * done, 1e-9) << step;
        EXPECT_DOUBLE_EQ(of(0).at(XQuantity::WallTime, at), 0.01 * done + 0.04 * std::floor(done / 10)) << step;
        EXPECT_NEAR(of(0).at(XQuantity::TrainingTime, at), 0.01 * done, 1e-12) << step;
    }
}

TEST_F(ProgressTest, StepsAreFoundAgain) {
    appendSteps(m_session, 0, 0, 100, trainedWith(32));
    for (const XQuantity quantity : kXQuantities)
        for (const double step : {-1.0, 0.0, 8.5, 9.25, 41.0, 99.0, 120.0})
            EXPECT_NEAR(of(0).stepAt(quantity, of(0).at(quantity, step)), step, 1e-9) << static_cast<int>(quantity) << " " << step;
}

TEST_F(ProgressTest, SamplesAStepMayChange) {
    appendSteps(m_session, 0, 0, 100, [](StepRecord& r) { r.samples = r.step < 40 ? 32 * (r.step + 1) : 32 * 40 + 64 * (r.step - 39); });
    EXPECT_EQ(of(0).at(XQuantity::Samples, 39), 1280);
    EXPECT_EQ(of(0).at(XQuantity::Samples, 40), 1344);
    EXPECT_EQ(of(0).at(XQuantity::Samples, 99), 1280 + 64 * 60);
    EXPECT_EQ(of(0).at(XQuantity::Samples, 39.5), 1312);
}

TEST_F(ProgressTest, NeverGoesBackWhenARunIsTrainedAgain) {
    appendSteps(m_session, 0, 0, 100, trainedWith(32));
    const double before = of(0).at(XQuantity::WallTime, 49);
    m_session.handle(Event(RunRewound{0, 50}));
    EXPECT_DOUBLE_EQ(m_session.run(0)->last.wallSeconds, before);
    EXPECT_EQ(m_session.run(0)->last.samples, 50 * 32);
    // The way back was quicker than the first time.
    appendSteps(m_session, 0, 50, 80, trainedWith(32, -0.1));
    for (double step = 1; step < 80; ++step)
        EXPECT_GE(of(0).at(XQuantity::WallTime, step), of(0).at(XQuantity::WallTime, step - 1)) << step;
}

TEST_F(ProgressTest, AForkBeginsWhereItsParentWas) {
    appendSteps(m_session, 0, 0, 100, trainedWith(32));
    RunInfo fork = makeRun(5, "fork");
    fork.parent = 0;
    fork.firstStep = 60;
    m_session.handle(Event(RunAdded{fork}));
    appendSteps(m_session, 5, 60, 80, trainedWith(32));
    for (const XQuantity quantity : kXQuantities) {
        EXPECT_DOUBLE_EQ(of(5).at(quantity, 59), of(0).at(quantity, 59)) << static_cast<int>(quantity);
        EXPECT_NEAR(of(5).at(quantity, 75), of(0).at(quantity, 75), 1e-9) << static_cast<int>(quantity);
    }
}

TEST_F(ProgressTest, ImportedRunsKnowTheirStepsOnly) {
    RunInfo imported = makeRun(7, "theirs");
    imported.kind = RunKind::Recorded;
    m_session.handle(Event(RunAdded{imported}));
    m_session.handle(Event(SeriesImported{7, Metric::Loss, {0, 100, 200}, {3, 2, 1}}));
    EXPECT_TRUE(of(7).has(XQuantity::Step));
    EXPECT_FALSE(of(7).has(XQuantity::Samples));
    EXPECT_FALSE(of(7).has(XQuantity::WallTime));
}

TEST_F(ProgressTest, EveryExtremeIsShownOnAnUnevenAxis) {
    // The second half takes a hundred times as long: it fills the axis, and the first half has a few pixels.
    appendSteps(m_session, 0, 0, 20000, [](StepRecord& r) {
        r.stepMs = r.step < 10000 ? 1 : 100;
        r.wallSeconds = r.step < 10000 ? 0.001 * static_cast<double>(r.step + 1) : 10 + 0.1 * static_cast<double>(r.step - 9999);
        r.loss = r.step == 4321 ? 77 : r.step == 15678 ? -55 : std::sin(static_cast<double>(r.step));
    });
    const RunState& run = *m_session.run(0);
    const StepPlaces places(run, {XQuantity::WallTime, false});
    ASSERT_TRUE(places.isUneven());
    std::vector<SeriesPoint> points = visiblePoints(run.loss, places, {0, 1010}, 640, 20000);
    EXPECT_TRUE(std::any_of(points.begin(), points.end(), [](const SeriesPoint& p) { return p.y == 77; }));
    EXPECT_TRUE(std::any_of(points.begin(), points.end(), [](const SeriesPoint& p) { return p.y == -55; }));
    EXPECT_TRUE(std::is_sorted(points.begin(), points.end(), [](const SeriesPoint& a, const SeriesPoint& b) { return a.x < b.x; }));
    // Half of the axis' columns belong to the half of its length, not to the steps that they hold.
    placeOn(places, points);
    const auto inLastTenth = std::count_if(points.begin(), points.end(), [](const SeriesPoint& p) { return p.x > 909; });
    EXPECT_GT(inLastTenth, 200);
}

TEST(XAxis, ALogarithmicAxisHasNoStepZero) {
    SessionModel session;
    loadRuns(session, {makeRun(0, "fp32")});
    appendSteps(session, 0, 0, 100);
    const StepPlaces places(*session.run(0), {XQuantity::Step, true});
    EXPECT_TRUE(std::isinf(places.x(0)));
    EXPECT_EQ(places.x(1), 0);
    EXPECT_NEAR(places.step(places.x(57)), 57, 1e-9);
    std::vector<SeriesPoint> points{{0, 1}, {1, 2}, {10, 3}};
    placeOn(places, points);
    ASSERT_EQ(points.size(), 2u);
    EXPECT_EQ(points.back().x, 1);
}

TEST(XAxis, TimesAreWrittenAsPeopleDo) {
    const std::tuple<double, double, const char*> cases[] = {{0, 0.1, "0"},           {0.25, 0.05, "0.25 s"}, {12, 2, "12 s"},
                                                             {90, 30, "1:30"},        {65, 5, "1:05"},        {119.99999, 0.1, "2:00.0"},
                                                             {3600, 1800, "1:00:00"}, {3900, 300, "1:05:00"}, {7200, 3600, "2 h"},
                                                             {259200, 86400, "3 d"}};
    for (const auto& [seconds, resolution, text] : cases) EXPECT_EQ(durationText(seconds, resolution), QString::fromUtf8(text)) << text;
}

QStringList labelsOf(const XAxis& axis, double first, double last) {
    XTicker ticker;
    ticker.setAxis(axis);
    ticker.setTickCount(6);
    QVector<double> ticks;
    QVector<QString> labels;
    ticker.generate({first, last}, QLocale::c(), 'g', 6, ticks, nullptr, &labels);
    return {labels.begin(), labels.end()};
}

TEST(XAxis, TicksAreRoundInWhatItCounts) {
    EXPECT_EQ(labelsOf({XQuantity::WallTime, false}, 0, 170), QStringList({"0", "30 s", "1:00", "1:30", "2:00", "2:30"}));
    EXPECT_EQ(labelsOf({XQuantity::WallTime, false}, 0, 36000), QStringList({"0", "2 h", "4 h", "6 h", "8 h", "10 h"}));
    EXPECT_EQ(labelsOf({XQuantity::Epoch, false}, 0, 2.3), QStringList({"0.0", "0.5", "1.0", "1.5", "2.0"}));
    EXPECT_EQ(labelsOf({XQuantity::Step, false}, 0, 4), QStringList({"0", "1", "2", "3", "4"}));
    EXPECT_EQ(labelsOf({XQuantity::Step, true}, 0, 3), QStringList({"1", "10", "100", QString::fromUtf8("1\u202F000")}));
    EXPECT_EQ(labelsOf({XQuantity::TrainingTime, true}, 0, 4), QStringList({"1 s", "10 s", "1:00", "10:00", "1 h"}));
}

TEST(XAxis, ANarrowLogarithmicAxisStillHasNumbers) {
    for (const double length : {0.02, 0.1, 0.4}) EXPECT_GE(labelsOf({XQuantity::Samples, true}, 3.31, 3.31 + length).size(), 2) << length;
}

TEST(ValueAxis, LabelsOfALowLogarithmicAxisLieApart) {
    ValueTicker ticker;
    ticker.setScale(AxisScale::Log10);
    for (const int count : {2, 3, 5})
        for (double lower = -6.05; lower < 3; lower += 0.1)
            for (double length = 0.1; length < 12; length *= 1.3) {
                ticker.setTickCount(count);
                QVector<double> ticks;
                QVector<QString> labels;
                ticker.generate({lower, lower + length}, QLocale::c(), 'g', 6, ticks, nullptr, &labels);
                for (qsizetype i = 1; i < ticks.size(); ++i)
                    ASSERT_GT(ticks[i] - ticks[i - 1], length / count / 3)
                        << QStringList(labels).join(u' ').toStdString() << " of " << count;
            }
}

}  // namespace
}  // namespace mantissa::gui
