// SPDX-License-Identifier: Apache-2.0
// Which elements a look sees of a tensor: all, or in each step an eighth, and in eight steps each of them once.
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "kernels/stats_operations.h"

namespace mantissa {
namespace {

TEST(SeenPart, EightStepsInARowSeeEachElementOnce) {
    for (const std::int64_t count : {4096, 4097, 4607, 4608, 8191, 70001}) {
        std::vector<int> seen(static_cast<std::size_t>(count));
        for (std::int64_t step = 5; step < 5 + kStatsPeriod; ++step) {
            const SeenPart part = seenPart(count, true, step);
            EXPECT_GT(part.size(), 0);
            EXPECT_LE(part.size(), seenPart(count, true, 0).size()) << "what a launch is made for";
            for (std::int64_t i = 0; i < part.size(); ++i) {
                const std::int64_t element = part.elementAt(i);
                ASSERT_LT(element, count);
                EXPECT_EQ(element / kStatsBlock % kStatsPeriod, step % kStatsPeriod);
                ++seen[static_cast<std::size_t>(element)];
            }
        }
        EXPECT_EQ(std::count(seen.begin(), seen.end(), 1), count);
    }
}

TEST(SeenPart, IsAllOfWhatIsSmallOrNotSeenInPart) {
    for (const std::int64_t count : {0, 1, 512, 4095, 5000}) {
        const SeenPart part = seenPart(count, count < 5000, 3);
        EXPECT_EQ(part.size(), count);
        for (const std::int64_t i : {std::int64_t{0}, count / 2}) EXPECT_EQ(part.elementAt(i), i);
    }
}

}  // namespace
}  // namespace mantissa
