// SPDX-License-Identifier: Apache-2.0
// A run that goes on for days: of its older steps only those stay that plots need.
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "gui/link/run_state.h"

namespace mantissa::gui {
namespace {

constexpr std::int64_t kMost = 20'000, kSteps = 300'000;

class LongRun : public testing::Test {
protected:
    RunState m_run;
    std::vector<StepRecord> m_records;

    LongRun() {
        m_run.info.kind = RunKind::Live;
        m_run.clearSeries();
        std::mt19937 random(3);
        std::uniform_real_distribution<double> number(0.5, 2);
        std::int64_t skips = 0;
        for (std::int64_t step = 0; step < kSteps; ++step) {
            StepRecord r{.step = step,
                         .samples = 32 * (step + 1),
                         .wallSeconds = 0.01 * static_cast<double>(step + 1),
                         .loss = number(random),
                         .lossScale = 65536,
                         .gradNorm = number(random),
                         .lr = 0.1,
                         .stepMs = 10,
                         .samplesPerSecond = 1000 * number(random)};
            if (step % 997 == 0) r.flags = kFlagSkipped | kFlagFoundInf, r.gradNorm = INFINITY;
            if (step % 1000 == 999) r.flags |= kFlagValidated, r.validationLoss = number(random);
            r.skippedTotal = skips += r.skipped() ? 1 : 0;
            m_records.push_back(r);
        }
        m_records[12'345].loss = 1e6;
        m_records[123'456].loss = NAN;
        m_records[200'001].loss = 1e-6;
    }
    void train(std::int64_t from, std::int64_t to) {
        for (std::int64_t step = from; step < to; ++step) {
            m_run.append(m_records[static_cast<std::size_t>(step)]);
            m_run.thinBeyond(kMost);
            ASSERT_LE(m_run.flags.size(), static_cast<std::size_t>(kMost));
        }
    }
    std::int64_t skipsBefore(std::int64_t step) const {
        return std::count_if(m_records.begin(), m_records.begin() + step, [](const StepRecord& r) { return r.skipped(); });
    }
};

TEST_F(LongRun, KeepsWhatPlotsNeed) {
    train(0, kSteps);
    EXPECT_EQ(m_run.stepCount(), kSteps);
    const auto all = m_run.loss.extremes(0, kSteps);
    EXPECT_EQ(all.min, 1e-6);
    EXPECT_EQ(all.max, 1e6);
    EXPECT_EQ(m_run.loss.value(12'345), 1e6);
    EXPECT_EQ(m_run.loss.valueClass(123'456), ValueClass::NaN);
    for (std::int64_t begin = 0; begin < kSteps; begin += 8192) {  // its stretches are shorter than that
        double low = INFINITY, high = -INFINITY;
        for (std::int64_t step = begin; step < std::min(begin + 8192, kSteps); ++step) {
            low = std::fmin(low, m_records[static_cast<std::size_t>(step)].loss);
            high = std::fmax(high, m_records[static_cast<std::size_t>(step)].loss);
        }
        const auto kept = m_run.loss.extremes(begin, begin + 8192);
        EXPECT_EQ(kept.min, low) << begin;
        EXPECT_EQ(kept.max, high) << begin;
    }
    for (const std::int64_t step : {0, 1, 500, 1000}) EXPECT_EQ(m_run.loss.value(step), m_records[static_cast<std::size_t>(step)].loss);
    for (std::int64_t step = kSteps - 2000; step < kSteps; ++step)
        ASSERT_EQ(m_run.loss.value(step), m_records[static_cast<std::size_t>(step)].loss);
    EXPECT_EQ(m_run.skipCount(), skipsBefore(kSteps));
    EXPECT_TRUE(std::is_sorted(m_run.skippedSteps.begin(), m_run.skippedSteps.end()));
    for (const std::int64_t step : m_run.skippedSteps) EXPECT_NE(m_run.flagsAt(step) & kFlagSkipped, 0u);
    EXPECT_GT(m_run.validationLoss.count(), 10u);
}

TEST_F(LongRun, StepsThatAreNotKeptAreReadAtTheOneBefore) {
    train(0, kSteps);
    for (std::int64_t step = 0; step < kSteps; step += 61) {
        EXPECT_NEAR(m_run.wallSecondsAt(step), 0.01 * static_cast<double>(step + 1), 1e-6) << step;
        EXPECT_NEAR(m_run.progress.at(XQuantity::TrainingTime, static_cast<double>(step)), 0.01 * static_cast<double>(step + 1), 1e-6)
            << step;
        EXPECT_NEAR(m_run.progress.stepAt(XQuantity::WallTime, m_run.wallSecondsAt(step)), static_cast<double>(step), 1e-3) << step;
        const std::int64_t place = m_run.placeIn(m_run.loss, step);
        ASSERT_GE(place, 0);
        ASSERT_LE(place, step);
        EXPECT_NE(m_run.loss.valueClass(place), ValueClass::Absent) << step;
    }
    EXPECT_EQ(m_run.placeIn(m_run.loss, kSteps - 1), kSteps - 1);
}

TEST_F(LongRun, GoesBackToWhereverItLikesAndOnAgain) {
    train(0, kSteps);
    for (const std::int64_t step : {kSteps - 100, std::int64_t{234'567}, std::int64_t{50'001}, std::int64_t{700}, std::int64_t{0}}) {
        m_run.rewind(step);
        EXPECT_EQ(m_run.stepCount(), step);
        EXPECT_NEAR(static_cast<double>(m_run.skipCount()), static_cast<double>(skipsBefore(step)), 3) << step;
        EXPECT_LE(m_run.loss.end(), step);
        if (step > 0) {
            EXPECT_EQ(m_run.last.step, step - 1);
            EXPECT_TRUE(std::isfinite(m_run.last.loss));
        }
        train(step, std::min(step + 30'000, kSteps));
        EXPECT_EQ(m_run.last.step, std::min(step + 30'000, kSteps) - 1);
        EXPECT_NEAR(m_run.wallSecondsAt(m_run.last.step), m_run.last.wallSeconds, 1e-6) << step;
    }
}

TEST_F(LongRun, AWatchedOneMayLeaveStepsOut) {
    m_run.info.kind = RunKind::Watched;
    std::int64_t last = -1;
    double seconds = 0;
    for (std::int64_t step = 0; step < kSteps; ++step) {
        StepRecord record = m_records[static_cast<std::size_t>(step)];
        if (step % 7 == 3 || step == 0) continue;  // dropped, the first one too
        if (step > kSteps / 2) record.step += 5'000'000;
        record.samples = -1;
        record.wallSeconds = seconds += 0.01;
        m_run.append(record);
        m_run.thinBeyond(kMost);
        last = record.step;
    }
    EXPECT_EQ(m_run.stepCount(), last + 1);
    EXPECT_EQ(m_run.loss.value(last), m_records[kSteps - 1].loss);
    EXPECT_DOUBLE_EQ(m_run.progress.at(XQuantity::WallTime, static_cast<double>(last)), seconds);
    const double begin = m_run.progress.at(XQuantity::WallTime, kSteps / 2),
                 end = m_run.progress.at(XQuantity::WallTime, kSteps / 2 + 5'000'001);
    EXPECT_GT(begin, 0);
    EXPECT_LT(end - begin, 1) << "no time is made up for steps that never came";
    EXPECT_NEAR(m_run.progress.stepAt(XQuantity::WallTime, seconds), static_cast<double>(last), 1);
}

TEST_F(LongRun, ExaminationsAreBounded) {
    for (std::int64_t step = 0; step < 5000; ++step) {
        Examination examination;
        examination.step = step;
        m_run.add(examination);
    }
    EXPECT_EQ(m_run.examinations.size(), 1000u);
    EXPECT_EQ(m_run.examinations.front().step, 0);
    EXPECT_EQ(m_run.examinations.back().step, 4999);
}

}  // namespace
}  // namespace mantissa::gui
