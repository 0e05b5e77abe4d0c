// SPDX-License-Identifier: Apache-2.0
// The exp of softmax, sigmoid and silu, held against the C library's in double.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "kernels/cpu/vector_math.h"

namespace mantissa::cpu {
namespace {

// Every 1009th number of both signs (a prime stride: it meets every exponent with changing fractions).
TEST(Exponential, IsWithinOneUlp) {
    double worst = 0;
    for (std::uint64_t bits = 0; bits < (std::uint64_t{1} << 32); bits += 1009) {
        const float x = floatFromBits(static_cast<std::uint32_t>(bits));
        if (!std::isfinite(x)) continue;
        const double expected = std::exp(static_cast<double>(x));
        const float y = exponential(x);
        if (expected >= 0x1.ffffffp127) {
            ASSERT_TRUE(std::isinf(y)) << x;
            continue;
        }
        const double ulp = std::ldexp(1.0, std::max(std::ilogb(std::max(expected, 0x1p-149)), -126) - 23);
        worst = std::max(worst, std::fabs(static_cast<double>(y) - expected) / ulp);
        ASSERT_LE(worst, 1) << x;
    }
    EXPECT_GT(worst, 0.5);  // it is no correctly rounded one
}

TEST(Exponential, SpecialValues) {
    constexpr float kInf = std::numeric_limits<float>::infinity();
    EXPECT_EQ(exponential(0), 1);
    EXPECT_EQ(exponential(-0.0f), 1);
    EXPECT_EQ(exponential(kInf), kInf);
    EXPECT_EQ(exponential(-kInf), 0);
    EXPECT_TRUE(std::isnan(exponential(std::nanf(""))));
    EXPECT_GT(exponential(-103), 0);  // subnormal
}

}  // namespace
}  // namespace mantissa::cpu
