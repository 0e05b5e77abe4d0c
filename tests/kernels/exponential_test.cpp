// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>

#include "kernels/cpu/vector_math.h"

namespace mantissa {

TEST(Exponential, BelowFortyThreeHasTheSameBits) {
    std::uint32_t compared = 0;
    for (std::uint64_t bits = 0; bits <= 0xFFFFFFFF; bits += 1009) {
        const float x = floatFromBits(static_cast<std::uint32_t>(bits));
        if (!(x <= 43)) continue;
        ASSERT_EQ(floatBits(cpu::exponentialBelow43(x)), floatBits(cpu::exponential(x))) << x;
        ++compared;
    }
    EXPECT_GT(compared, 3'000'000u);
    EXPECT_TRUE(std::isnan(cpu::exponentialBelow43(std::nanf(""))));
}

}  // namespace mantissa
