// SPDX-License-Identifier: Apache-2.0
// Attention in bf16 has a biased rounding error where the maximum of a row of scores occurs more than once (Qiu and Yao 2025, arXiv
// 2510.04212). Exponentials of tied maxima are exactly 1, so their part of the product with the values is a sum of bf16 numbers, which
// often lies exactly between two bf16 numbers. The small rest of the row, of the values' sign, then always decides the rounding.
//
// Scores: rows of 16; row i has the maximum i + 1, one, two or three times, and otherwise i - 9. Values: -(1 + x), x uniform below 1,
// rounded to bf16. Error: (rounded - exact) / the ulp of the exact product of the rounded factors. 512 heads of 16 rows and 64 columns.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "kernels/dtype/rounding.h"
#include "kernels/random/philox.h"
#include "tests/support/operands.h"

namespace mantissa::test {
namespace {

namespace tied {

constexpr std::size_t kHeads = 512, kRows = 16, kDim = 64;
constexpr float kGap = 10;  // from the maximum of a row to its other scores

std::shared_ptr<Backend> cpu() {
    static const std::shared_ptr<Backend> kBackend = createCpuBackend();
    return kBackend;
}
GuardedBuffer operand(Dtype dtype, const std::vector<float>& values) {
    return {*cpu(), stored(dtype, values)};
}
GuardedBuffer zeros(Dtype dtype, std::size_t count) {
    return operand(dtype, std::vector<float>(count));
}
float bf16(float x) {
    return roundTo(Dtype::BF16, x);
}

/// Keys [kRows, kDim]: key j is 1 at j and at the last column. Their products with the queries are then the scores, without rounding.
std::vector<float> keys() {
    std::vector<float> k(kRows * kDim);
    for (std::size_t j = 0; j < kRows; ++j) k[j * kDim + j] = k[j * kDim + kDim - 1] = 1;
    return k;
}
/// Queries [kRows, kDim] for rows with `tops` scores at the maximum. Without ties two scores: the maximum, and one (i + 1) / 16 below it.
std::vector<float> queries(std::size_t tops, bool areTied) {
    std::vector<float> q(kRows * kDim);
    for (std::size_t i = 0; i < kRows; ++i) {
        q[i * kDim + kDim - 1] = static_cast<float>(i + 1) - kGap;
        for (std::size_t t = 0; t < tops; ++t) q[i * kDim + (i + t) % kRows] = kGap;
        if (!areTied) q[i * kDim + (i + 1) % kRows] -= static_cast<float>(i + 1) / 16;
    }
    return q;
}
/// Values [kHeads, kRows, kDim]
const std::vector<float>& values() {
    static const std::vector<float> kValues = [] {
        std::vector<float> v(kHeads * kRows * kDim);
        for (std::size_t i = 0; i < v.size(); ++i)
            v[i] = -bf16(1 + static_cast<float>(randomBits(1, RandomUse::SyntheticData, 0, i) >> 8) * 0x1p-24f);
        return v;
    }();
    return kValues;
}

/// Mean rounding error in ulps, and the standard error of it, from the heads, whose values are independent.
struct Bias {
    double mean = 0, standardError = 0;
};
template <typename Rounded, typename Exact>
Bias biasOf(Rounded&& rounded, Exact&& exact) {
    double sum = 0, squares = 0;
    for (std::size_t head = 0; head < kHeads; ++head) {
        double own = 0;
        for (std::size_t i = 0; i < kRows * kDim; ++i) {
            const double expected = exact(head, i / kDim, i % kDim);
            own += (rounded(head * kRows * kDim + i) - expected) / std::ldexp(1.0, std::ilogb(expected) - 7);
        }
        own /= kRows * kDim;
        sum += own, squares += own * own;
    }
    const double n = kHeads, mean = sum / n;
    return {mean, std::sqrt((squares / n - mean * mean) / (n - 1))};
}

/// Sum over j of factors[row, j] values[head, j, col].
double product(const std::vector<double>& factors, std::size_t head, std::size_t row, std::size_t col) {
    double sum = 0;
    for (std::size_t j = 0; j < kRows; ++j)
        sum += factors[row * kRows + j] * static_cast<double>(values()[(head * kRows + j) * kDim + col]);
    return sum;
}

/// Row i's exponentials exp(score - maximum - shift * (i + 1)) in fp32, or rounded to bf16.
std::vector<double> exponentials(const std::vector<float>& q, float shift, bool areRounded) {
    std::vector<double> p(kRows * kRows);
    for (std::size_t i = 0; i < kRows; ++i) {
        for (std::size_t j = 0; j < kRows; ++j) {
            const float below = q[i * kDim + j] - kGap - shift * static_cast<float>(i + 1);
            const double e = std::exp(static_cast<double>(below));
            p[i * kRows + j] = areRounded ? static_cast<double>(bf16(static_cast<float>(e))) : e;
        }
    }
    return p;
}

struct Attended {
    std::vector<double> out;
    std::vector<float> logSumExp;
};
/// The program's fused attention, with q, k, v and out in `dtype`.
Attended attend(const std::vector<float>& q, Dtype dtype, Dtype compute, bool shiftsTies) {
    const std::int64_t matrix = kRows * kDim;
    const BatchStrides shared{.row = kDim}, own{.row = kDim, .outer = matrix};
    const FusedAttentionDesc desc{.outer = kHeads,
                                  .length = kRows,
                                  .headDim = kDim,
                                  .causal = false,
                                  .q = shared,
                                  .k = shared,
                                  .v = own,
                                  .out = own,
                                  .dtype = dtype,
                                  .compute = compute,
                                  .shiftsTies = shiftsTies};
    const GuardedBuffer bufferQ = operand(dtype, q), bufferK = operand(dtype, keys()), bufferV = operand(dtype, values()),
                        out = zeros(dtype, values().size()), logs = zeros(Dtype::F32, kHeads * kRows);
    runOperation(*cpu(), desc, {&bufferQ, &bufferK, &bufferV, &out, &logs});
    return {valuesOf(dtype, out), logs.read<float>()};
}

/// Error of the product P V in bf16, in fused attention that computes in bf16. It keeps q, k, v and out in fp32 here, so the product can be
/// taken back from its quotient.
Bias productBias(const std::vector<float>& q, bool shiftsTies) {
    const Attended a = attend(q, Dtype::F32, Dtype::BF16, shiftsTies);
    const float shift = shiftsTies ? 1.0f : 0.0f;
    const std::vector<double> p = exponentials(q, shift, true);
    std::array<double, kRows> sums{};
    for (std::size_t i = 0; i < kRows; ++i) {
        for (std::size_t j = 0; j < kRows; ++j) sums[i] += p[i * kRows + j];
        const double subtracted = (1 + static_cast<double>(shift)) * static_cast<double>(i + 1);
        EXPECT_NEAR(static_cast<double>(a.logSumExp[i]), subtracted + std::log(sums[i]), 1e-5) << "row " << i;
    }
    double furthest = 0;  // of a product taken back, relative to the bf16 number next to it
    const auto rounded = [&](std::size_t i) {
        const double undivided = a.out[i] * sums[i / kDim % kRows];
        const auto u = static_cast<double>(bf16(static_cast<float>(undivided)));
        furthest = std::max(furthest, std::fabs(undivided / u - 1));
        return u;
    };
    const Bias bias = biasOf(rounded, [&](std::size_t head, std::size_t row, std::size_t col) { return product(p, head, row, col); });
    EXPECT_LE(furthest, 0x1p-20);
    return bias;
}

/// Error of an output in bf16 against attention without rounding.
Bias outputBias(const std::vector<float>& q, const std::vector<double>& out) {
    std::vector<double> p = exponentials(q, 0, false);
    for (std::size_t i = 0; i < kRows; ++i) {
        double sum = 0;
        for (std::size_t j = 0; j < kRows; ++j) sum += p[i * kRows + j];
        for (std::size_t j = 0; j < kRows; ++j) p[i * kRows + j] /= sum;
    }
    return biasOf([&](std::size_t i) { return out[i]; },
                  [&](std::size_t head, std::size_t row, std::size_t col) { return product(p, head, row, col); });
}
Bias fusedBias(const std::vector<float>& q, Dtype compute, bool shiftsTies) {
    return outputBias(q, attend(q, Dtype::BF16, compute, shiftsTies).out);
}

/// Materialised attention under bf16 autocast: scores in bf16, softmax in fp32, its result rounded to bf16 for the product.
Bias materialisedBias(const std::vector<float>& q) {
    const std::int64_t rows = kRows, dim = kDim;
    const GuardedBuffer bufferQ = operand(Dtype::BF16, q), bufferK = operand(Dtype::BF16, keys()), bufferV = operand(Dtype::BF16, values()),
                        scores = zeros(Dtype::BF16, kRows * kRows), weights = zeros(Dtype::BF16, kRows * kRows),
                        out = zeros(Dtype::BF16, values().size());
    runOperation(*cpu(),
                 BatchedMatmulDesc{.m = rows,
                                   .n = rows,
                                   .k = dim,
                                   .transposeB = true,
                                   .aStrides = {.row = dim},
                                   .bStrides = {.row = dim},
                                   .outStrides = {.row = rows},
                                   .a = Dtype::BF16,
                                   .b = Dtype::BF16,
                                   .out = Dtype::BF16,
                                   .compute = Dtype::BF16},
                 {&bufferQ, &bufferK, &scores});
    runOperation(*cpu(), SoftmaxDesc{.rows = rows, .cols = rows, .from = Dtype::BF16, .to = Dtype::BF16}, {&scores, &weights});
    runOperation(*cpu(),
                 BatchedMatmulDesc{.outer = kHeads,
                                   .m = rows,
                                   .n = dim,
                                   .k = rows,
                                   .aStrides = {.row = rows},
                                   .bStrides = {.row = dim, .outer = rows * dim},
                                   .outStrides = {.row = dim, .outer = rows * dim},
                                   .a = Dtype::BF16,
                                   .b = Dtype::BF16,
                                   .out = Dtype::BF16,
                                   .compute = Dtype::BF16},
                 {&weights, &bufferV, &out});
    return outputBias(q, valuesOf(Dtype::BF16, out));
}

/// Mean error of a row with `tops` tied maxima, from all values of theirs: |v| = n / 128 with n from 128 to 256, the ends half as likely.
/// The rest of the row is its mean, kRows - tops values of 1.5: it is less than a quarter of an ulp, so the error is linear in it.
double expectedBias(int tops) {
    const double rest = 128 * 1.5 * (static_cast<double>(kRows) - tops) * static_cast<double>(bf16(std::exp(-kGap)));
    std::vector<double> chance{1};  // of a sum of n
    for (int t = 0; t < tops; ++t) {
        std::vector<double> next(chance.size() + 256);
        for (std::size_t sum = 0; sum < chance.size(); ++sum) {
            for (std::size_t n = 128; n <= 256; ++n) next[sum + n] += chance[sum] * (n == 128 || n == 256 ? 0.5 : 1) / 128;
        }
        chance = next;
    }
    double mean = 0;
    for (std::size_t sum = 1; sum < chance.size(); ++sum) {
        const double exact = static_cast<double>(sum) + rest, ulp = std::ldexp(1.0, std::ilogb(exact) - 7);
        mean -= chance[sum] * (std::nearbyint(exact / ulp) - exact / ulp);  // the values are negative
    }
    return mean;
}

/// Four standard errors: one run in 16,000 is further away by chance.
void expectBias(const Bias& bias, double expected, double systematic = 0) {
    EXPECT_LE(bias.standardError, 0.0007) << "0.29 / sqrt(512 * 16 * 64) = 0.0004 where all errors are independent";
    EXPECT_NEAR(bias.mean, expected, 4 * bias.standardError + systematic);
}
/// A product with an exponential of 8 bits lies on a grid of at most 2^8 points an ulp, which leaves up to 0.016 ulp. Its sign depends on
/// the exponential, and 16 of them are averaged.
constexpr double kGrid = 0.016 / 4;

}  // namespace tied

TEST(TiedMaxima, ProductInBf16IsBiasedByTheTieAlone) {
    const double two = tied::expectedBias(2), three = tied::expectedBias(3);
    EXPECT_NEAR(two, -0.189, 0.0005);
    EXPECT_NEAR(three, -0.1125, 0.0005);
    tied::expectBias(tied::productBias(tied::queries(2, true), false), two);
    tied::expectBias(tied::productBias(tied::queries(3, true), false), three);
    tied::expectBias(tied::productBias(tied::queries(2, false), false), 0, tied::kGrid);
}

TEST(TiedMaxima, AShiftedMaximumRemovesTheBias) {
    tied::expectBias(tied::productBias(tied::queries(2, true), true), 0, tied::kGrid);
    tied::expectBias(tied::productBias(tied::queries(3, true), true), 0, tied::kGrid);
}

// Two tied maxima: half of the sums of their values lie between two bf16 numbers and are rounded in the same direction, by half an ulp. The
// division by the sum of all exponentials takes away the mean of the rest, so -1/4 remains.
TEST(TiedMaxima, TheOutputIsBiasedWhereTheProductIsRoundedBeforeTheDivision) {
    constexpr double kRest = 0.001;  // sums between 2 and 4 are no longer uniform after the division by 2 + 14 exp(-10)
    const std::vector<float> none = tied::queries(2, false), two = tied::queries(2, true), three = tied::queries(3, true);
    for (const auto& q : {none, two, three}) tied::expectBias(tied::fusedBias(q, Dtype::F32, false), 0, kRest);
    tied::expectBias(tied::fusedBias(none, Dtype::BF16, false), 0, tied::kGrid);
    tied::expectBias(tied::fusedBias(two, Dtype::BF16, false), -0.25, kRest);
    tied::expectBias(tied::materialisedBias(two), -0.25, kRest);
    for (const auto& q : {two, three}) tied::expectBias(tied::fusedBias(q, Dtype::BF16, true), 0, 2 * tied::kGrid);  // product, quotient
}

TEST(TiedMaxima, TheFiguresOfTheGuideAreMeasured) {
    const std::vector<float> none = tied::queries(2, false), two = tied::queries(2, true), three = tied::queries(3, true);
    constexpr double kPrinted = 0.0005;
    tied::expectBias(tied::productBias(none, false), 0, kPrinted);
    tied::expectBias(tied::productBias(two, true), -0.001, kPrinted);
    tied::expectBias(tied::productBias(three, true), 0, kPrinted);
    tied::expectBias(tied::fusedBias(three, Dtype::BF16, false), -0.167, kPrinted);
    tied::expectBias(tied::fusedBias(two, Dtype::BF16, true), 0.006, kPrinted);
    tied::expectBias(tied::fusedBias(three, Dtype::BF16, true), 0.003, kPrinted);
    tied::expectBias(tied::materialisedBias(none), -0.056, kPrinted);
    tied::expectBias(tied::materialisedBias(three), -0.339, kPrinted);
}

}  // namespace
}  // namespace mantissa::test
