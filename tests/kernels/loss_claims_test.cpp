// SPDX-License-Identifier: Apache-2.0
// Sentences of resources/guide/numerics.md about cross-entropy in the format of its logits, one test each, with arithmetic of their own.
#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/operands.h"

namespace mantissa::test {
namespace {

constexpr std::int64_t kLossRows = 2, kLossClasses = 3;
const std::vector<float> kLossLogits{1, 2, 3, 0.5f, -1, 0.25f};
const std::vector<std::int32_t> kLossLabels{0, 2};

/// To bf16's seven fraction bits, nearest even, far from the ends of the format.
double toBf16(double x) {
    if (x == 0) return x;
    const double ulp = std::ldexp(1.0, std::ilogb(x) - 7);
    return std::nearbyint(x / ulp) * ulp;
}

/// l = R(z - max z - log of the sum of exp(z - max z)) of each class of a row.
std::vector<double> logProbabilitiesOf(std::int64_t row) {
    double sum = 0;
    std::vector<double> l;
    for (std::int64_t c = 0; c < kLossClasses; ++c)
        sum += std::exp(static_cast<double>(kLossLogits[static_cast<std::size_t>(row * kLossClasses + c)]));
    for (std::int64_t c = 0; c < kLossClasses; ++c)
        l.push_back(toBf16(static_cast<double>(kLossLogits[static_cast<std::size_t>(row * kLossClasses + c)]) - std::log(sum)));
    return l;
}

struct NarrowLoss {
    double loss = 0;
    std::vector<double> gradient;
};
NarrowLoss narrowLossOf(Dtype format, float lossGrad, double smoothing) {
    const auto backend = createCpuBackend();
    const GuardedBuffer logits(*backend, stored(format, kLossLogits)), labels(*backend, kLossLabels), loss(*backend, 4),
        correct(*backend, 4), scalars(*backend, std::vector{StepScalars{.lossGrad = lossGrad}}), gradient(*backend, kLossLogits.size() * 2);
    runOperation(*backend, SoftmaxCrossEntropyDesc{kLossRows, kLossClasses, smoothing, format, format},
                 {&logits, &labels, &loss, &correct});
    runOperation(*backend, SoftmaxCrossEntropyGradDesc{kLossRows, kLossClasses, smoothing, format, format},
                 {&logits, &labels, &scalars, &gradient});
    return {static_cast<double>(loss.read<float>()[0]), valuesOf(format, gradient)};
}

TEST(NumericsClaims, TheLossIsTheMeanOfTheRoundedLogProbabilitiesOfTheLabels) {
    EXPECT_NEAR(narrowLossOf(Dtype::BF16, 1, 0).loss, -(logProbabilitiesOf(0)[0] + logProbabilitiesOf(1)[2]) / 2, 1e-6);
}

/// g = R(-S / B) at the label, R(g - exp(l) * sum of g); with smoothing a = R(-s S / (C B)) everywhere, and R(R(-(1 - s) S / B) + a) there.
TEST(NumericsClaims, TheLossesGradientIsRoundedAtTheLogProbabilitiesAndAtTheLogits) {
    for (const double s : {0.0, 0.1}) {
        const double scale = 1000.0 / 3, a = toBf16(-s * scale / static_cast<double>(kLossClasses * kLossRows));
        const double atLabel = toBf16(toBf16(-(1 - s) * scale / kLossRows) + a), sum = atLabel + 2 * a;
        const std::vector<double> actual = narrowLossOf(Dtype::BF16, static_cast<float>(scale), s).gradient;
        for (std::int64_t row = 0; row < kLossRows; ++row) {
            for (std::int64_t c = 0; c < kLossClasses; ++c) {
                const double g = c == kLossLabels[static_cast<std::size_t>(row)] ? atLabel : a;
                const double expected = toBf16(g - std::exp(logProbabilitiesOf(row)[static_cast<std::size_t>(c)]) * sum);
                EXPECT_EQ(actual[static_cast<std::size_t>(row * kLossClasses + c)], expected)
                    << "row " << row << ", class " << c << ", s " << s;
            }
        }
    }
}

TEST(NumericsClaims, SmoothingAddsTheMeanOfAllLogProbabilities) {
    double all = 0, ofLabels = 0;
    for (std::int64_t row = 0; row < kLossRows; ++row) {
        const std::vector<double> l = logProbabilitiesOf(row);
        for (const double each : l) all -= each;
        ofLabels -= l[static_cast<std::size_t>(kLossLabels[static_cast<std::size_t>(row)])];
    }
    EXPECT_NEAR(narrowLossOf(Dtype::BF16, 1, 0.25).loss, 0.75 * ofLabels / kLossRows + 0.25 / kLossClasses * all / kLossRows, 1e-6);
}

TEST(NumericsClaims, InFp16TheLossOverflowsFrom65520ARowOn) {
    for (const double g : narrowLossOf(Dtype::F16, 65519.0f * kLossRows, 0).gradient) EXPECT_TRUE(std::isfinite(g));
    for (const double g : narrowLossOf(Dtype::F16, 65520.0f * kLossRows, 0).gradient) EXPECT_FALSE(std::isfinite(g));
    for (const double g : narrowLossOf(Dtype::BF16, 65520.0f * kLossRows, 0).gradient) EXPECT_TRUE(std::isfinite(g));
}

}  // namespace
}  // namespace mantissa::test
