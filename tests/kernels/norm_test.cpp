// SPDX-License-Identifier: Apache-2.0
// Norms that compute in a narrow format, step by step. The conformance suite judges them within limits, which let one rounding too few
// pass.
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "kernels/dtype/rounding.h"
#include "tests/support/operands.h"

namespace mantissa::test {
namespace {

constexpr std::int64_t kRows = 400, kCols = 16;

/// Quarters from -16 to 16: sums of them and of their rounded squares are exact in fp32, whatever their order.
std::vector<float> quarters(std::size_t count, unsigned seed) {
    std::mt19937 random(seed);
    std::uniform_int_distribution<int> draw(-64, 64);
    std::vector<float> values(count);
    for (float& v : values) v = static_cast<float>(draw(random)) / 4;
    return values;
}

TEST(NarrowNorm, RoundsEachElementaryResult) {
    const auto backend = createCpuBackend();
    for (const Dtype format : {Dtype::F16, Dtype::BF16}) {
        for (const bool centres : {true, false}) {
            const std::vector<float> x = quarters(kRows * kCols, 1), weight = quarters(kCols, 2), bias = quarters(kCols, 3);
            const auto r = [format](float value) { return roundTo(format, value); };
            std::vector<double> expected;
            for (std::size_t row = 0; row < kRows; ++row) {
                float sum = 0, squares = 0;
                for (std::size_t i = 0; i < kCols; ++i) sum += x[row * kCols + i];
                const float mean = centres ? r(sum / kCols) : 0;
                for (std::size_t i = 0; i < kCols; ++i) {
                    const float difference = r(x[row * kCols + i] - mean);
                    squares += r(difference * difference);
                }
                const float deviation = r(std::sqrt(r(r(squares / kCols) + 1e-5f)));
                for (std::size_t i = 0; i < kCols; ++i) {
                    const float product = r(r(r(x[row * kCols + i] - mean) / deviation) * weight[i]);
                    expected.push_back(static_cast<double>(centres ? r(product + bias[i]) : product));
                }
            }
            const std::size_t bytes = facts(format).storageBytes();
            const GuardedBuffer in(*backend, stored(format, x)), w(*backend, stored(format, weight)), b(*backend, stored(format, bias)),
                out(*backend, x.size() * bytes), means(*backend, kRows * sizeof(float)), inverses(*backend, kRows * sizeof(float));
            const LayerNormDesc desc{.rows = kRows,
                                     .cols = kCols,
                                     .centres = centres,
                                     .hasBias = centres,
                                     .from = format,
                                     .parameters = format,
                                     .to = format,
                                     .compute = format};
            runOperation(*backend, desc, {&in, &w, centres ? &b : nullptr, &out, centres ? &means : nullptr, &inverses});
            EXPECT_TRUE(compareExact(valuesOf(format, out), expected)) << facts(format).name << (centres ? ", layer norm" : ", RMS norm");
        }
    }
}

}  // namespace
}  // namespace mantissa::test
