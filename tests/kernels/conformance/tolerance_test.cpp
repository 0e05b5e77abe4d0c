// SPDX-License-Identifier: Apache-2.0
// Limits held against models of what they allow for.
#include "kernels/conformance/tolerance.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "kernels/conformance/tensor_core_reference.h"
#include "kernels/dtype/rounding.h"

namespace mantissa::conformance {
namespace {

TEST(NarrowSumLimit, IsWhatFp8TensorCoresNeed) {
    std::mt19937 random(7);
    std::normal_distribution<float> normal;
    for (const Accumulator accumulator : {Accumulator::Ada, Accumulator::Hopper}) {
        for (const std::int64_t k : {16, 64, 1024}) {
            MatmulDesc desc{.m = 1, .n = 1, .k = k};
            desc.a = desc.b = desc.compute = Dtype::E4M3;
            int beyondFp32 = 0;
            double worst = 0;
            for (int i = 0; i < 200; ++i) {
                reference::Terms a{Dtype::E4M3, {}}, b{Dtype::E4M3, {}};
                double exact = 0, magnitude = 0;
                for (std::int64_t j = 0; j < k; ++j) {
                    a.values.push_back(roundTo(Dtype::E4M3, normal(random)));
                    b.values.push_back(roundTo(Dtype::E4M3, normal(random)));
                    const double product = static_cast<double>(a.values.back()) * static_cast<double>(b.values.back());
                    exact += product, magnitude += std::fabs(product);
                }
                const double error = std::fabs(reference::tensorCoreSum({accumulator, Dtype::E4M3, 0}, a, b) - exact);
                worst = std::fmax(worst, error / narrowSumLimit(desc, magnitude, 0, exact));
                beyondFp32 += error > productLimit(desc, magnitude, 0, exact) ? 1 : 0;
            }
            EXPECT_LE(worst, 1) << k;
            EXPECT_GT(beyondFp32, 0) << k << ": fp32's limit would do";
        }
    }
}

}  // namespace
}  // namespace mantissa::conformance
