// SPDX-License-Identifier: Apache-2.0
#include "engine/telemetry/thin_records.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <set>

namespace mantissa {
namespace {

std::vector<StepRecord> randomRecords(std::int64_t count) {
    std::mt19937 random(7);
    std::uniform_real_distribution<double> number(0.5, 2);
    std::vector<StepRecord> made;
    for (std::int64_t k = 0; k < count; ++k)
        made.push_back(
            {.step = k, .loss = number(random), .lossScale = 65536, .gradNorm = number(random), .samplesPerSecond = number(random)});
    return made;
}

double StepRecord::*const kDrawn[] = {&StepRecord::loss, &StepRecord::gradNorm, &StepRecord::lossScale, &StepRecord::samplesPerSecond};

TEST(ThinRecords, KeepsTheExtremesOfEveryStretch) {
    const std::vector<StepRecord> all = randomRecords(64 * 100 + 17);
    std::vector<StepRecord> kept = all;
    thinRecords(kept, 101);
    EXPECT_LT(kept.size(), all.size() * 20 / 64);
    EXPECT_EQ(kept.front().step, 0);
    EXPECT_EQ(kept.back().step, all.back().step);
    for (const auto value : kDrawn) {
        for (std::int64_t begin = 0; begin < static_cast<std::int64_t>(all.size()); begin += 64) {
            const auto extremes = [&](const std::vector<StepRecord>& from) {
                double least = INFINITY, greatest = -INFINITY;
                for (const StepRecord& record : from) {
                    if (record.step < begin || record.step >= begin + 64) continue;
                    least = std::min(least, record.*value);
                    greatest = std::max(greatest, record.*value);
                }
                return std::pair(least, greatest);
            };
            ASSERT_EQ(extremes(kept), extremes(all)) << begin;
        }
    }
}

TEST(ThinRecords, KeepsWhatIsMarkedInPlots) {
    std::vector<StepRecord> kept = randomRecords(640);
    kept[70].loss = NAN;
    kept[75].loss = INFINITY;
    kept[76].loss = -INFINITY;
    kept[140].gradNorm = NAN;
    kept[150].flags = kFlagSkipped | kFlagFoundInf;
    kept[200].flags = kept[210].flags = kFlagValidated;
    kept[300].loss = kept[301].loss = kept[302].loss = NAN;
    thinRecords(kept, 10);
    std::set<std::int64_t> steps;
    for (const StepRecord& record : kept) steps.insert(record.step);
    for (const std::int64_t step : {70, 75, 76, 140, 150, 210, 300}) EXPECT_TRUE(steps.contains(step)) << step;
}

TEST(ThinRecords, StaysSmallWhateverIsAdded) {
    std::vector<StepRecord> kept;
    for (std::int64_t k = 0; k < 200'000; ++k) {
        kept.push_back(
            {.step = k, .loss = NAN, .gradNorm = k % 2 == 0 ? INFINITY : -INFINITY, .flags = static_cast<std::uint32_t>(k % 512)});
        if (kept.size() > 4096) thinRecords(kept, 128);
    }
    EXPECT_LE(kept.size(), 4096u);
    EXPECT_EQ(kept.front().step, 0);
    for (std::size_t i = 1; i < kept.size(); ++i) ASSERT_LT(kept[i - 1].step, kept[i].step);
    std::vector<StepRecord> none;
    thinRecords(none, 10);
    EXPECT_TRUE(none.empty());
}

}  // namespace
}  // namespace mantissa
