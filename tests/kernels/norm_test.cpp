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

constexpr std::int64_t kNarrowRows = 400, kNarrowCols = 16;

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
            const std::vector<float> x = quarters(kNarrowRows * kNarrowCols, 1), weight = quarters(kNarrowCols, 2),
                                     bias = quarters(kNarrowCols, 3);
            const auto r = [format](float value) { return roundTo(format, value); };
            std::vector<double> expected;
            for (std::size_t row = 0; row < kNarrowRows; ++row) {
                float sum = 0, squares = 0;
                for (std::size_t i = 0; i < kNarrowCols; ++i) sum += x[row * kNarrowCols + i];
                const float mean = centres ? r(sum / kNarrowCols) : 0;
                for (std::size_t i = 0; i < kNarrowCols; ++i) {
                    const float difference = r(x[row * kNarrowCols + i] - mean);
                    squares += r(difference * difference);
                }
                const float inverse = r(1 / std::sqrt(r(r(squares / kNarrowCols) + 1e-5f)));
                for (std::size_t i = 0; i < kNarrowCols; ++i) {
                    const float product = r(r(r(x[row * kNarrowCols + i] - mean) * inverse) * weight[i]);
                    expected.push_back(static_cast<double>(centres ? r(product + bias[i]) : product));
                }
            }
            const std::size_t bytes = facts(format).storageBytes();
            const GuardedBuffer in(*backend, stored(format, x)), w(*backend, stored(format, weight)), b(*backend, stored(format, bias)),
                out(*backend, x.size() * bytes), means(*backend, kNarrowRows * sizeof(float)),
                inverses(*backend, kNarrowRows * sizeof(float));
            const LayerNormDesc desc{.rows = kNarrowRows,
                                     .cols = kNarrowCols,
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
