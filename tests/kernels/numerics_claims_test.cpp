// SPDX-License-Identifier: Apache-2.0
// Sentences of resources/guide/numerics.md about single operations, one test each, with arithmetic of their own. What the rounding proofs
// and the conformance suite already show is not here.
#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cmath>
#include <limits>

#include "kernels/dtype/rounding.h"
#include "kernels/random/philox.h"
#include "tests/support/operands.h"

namespace mantissa::test {
namespace {

namespace claims {

/// Philox4x32-10 as its paper writes it: ten rounds, keys raised between them.
std::uint32_t philoxWord(std::uint64_t seed, std::uint32_t use, std::uint32_t stream, std::uint64_t i) {
    std::array<std::uint64_t, 2> key{seed % (1ull << 32), seed >> 32};
    const std::uint64_t block = i / 4;
    std::array<std::uint64_t, 4> c{block % (1ull << 32), block >> 32, stream, use};
    const auto high = [](std::uint64_t x) { return x >> 32; };
    const auto low = [](std::uint64_t x) { return x % (1ull << 32); };
    for (int round = 0; round < 10; ++round) {
        const std::uint64_t a = 0xD2511F53ull * c[0], b = 0xCD9E8D57ull * c[2];
        c = {high(b) ^ c[1] ^ key[0], low(b), high(a) ^ c[3] ^ key[1], low(a)};
        key = {low(key[0] + 0x9E3779B9), low(key[1] + 0xBB67AE85)};
    }
    return static_cast<std::uint32_t>(c[i % 4]);
}

/// Rounds to m fraction bits, nearest even, far from the ends of the format.
double rounded(double x, int m) {
    if (x == 0) return x;
    const double ulp = std::ldexp(1.0, std::ilogb(x) - m);
    return std::nearbyint(x / ulp) * ulp;
}
double bf16(double x) {
    return rounded(x, 7);
}

std::shared_ptr<Backend> cpu() {
    static const std::shared_ptr<Backend> kBackend = createCpuBackend();
    return kBackend;
}
GuardedBuffer fp32(const std::vector<float>& values) {
    return {*cpu(), values};
}
GuardedBuffer narrow(Dtype dtype, const std::vector<float>& values) {
    return {*cpu(), stored(dtype, values)};
}
GuardedBuffer scalarsOf(const StepScalars& scalars) {
    return {*cpu(), std::vector{scalars}};
}

/// One step of an optimizer with two moments on one weight.
struct Adam {
    float w, m, v;
};
Adam adamStep(const AdamWDesc& desc, Adam before, float g, double lr, std::int64_t stepsBefore = 0) {
    const GuardedBuffer w = fp32({before.w}), grad = fp32({g}), m = fp32({before.m}), v = fp32({before.v}),
                        s = scalarsOf({.lr = lr, .optimizerStep = stepsBefore});
    runOperation(*cpu(), desc, {&w, &grad, &m, &v, &s});
    return {w.read<float>()[0], m.read<float>()[0], v.read<float>()[0]};
}

/// The weight and the buffer after one step of SGD.
std::pair<float, float> sgdStep(const SgdDesc& desc, float weight, float g, float u, double lr, bool isFirst = false) {
    const GuardedBuffer w = fp32({weight}), grad = fp32({g}), buffer = fp32({u}), s = scalarsOf({.lr = lr, .hasMomentum = isFirst ? 0 : 1});
    runOperation(*cpu(), desc, {&w, &grad, &buffer, &s});
    return {w.read<float>()[0], buffer.read<float>()[0]};
}

double relativeError(double actual, double expected) {
    return std::fabs(actual - expected) / std::fabs(expected);
}
constexpr double kFewRoundings = 8 * 0x1p-24;

}  // namespace claims

TEST(NumericsClaims, Seed1Stream0Use3BeginsWith695407f3) {
    const std::array<std::uint32_t, 4> first{0x695407f3, 0xac25b124, 0x63d480de, 0xc6a68483};
    for (std::uint64_t i = 0; i < 4; ++i) {
        EXPECT_EQ(claims::philoxWord(1, 3, 0, i), first[i]);
        EXPECT_EQ(randomBits(1, RandomUse::StochasticRounding, 0, i), first[i]);
    }
}

TEST(NumericsClaims, ARandomNumberIsWordIMod4OfTheBlockThatKeyAndCounterName) {
    const std::array<std::pair<RandomUse, std::uint32_t>, 7> uses{{{RandomUse::InitialWeights, 1},
                                                                   {RandomUse::Shuffle, 2},
                                                                   {RandomUse::StochasticRounding, 3},
                                                                   {RandomUse::Dropout, 4},
                                                                   {RandomUse::WindowStart, 5},
                                                                   {RandomUse::SyntheticData, 6},
                                                                   {RandomUse::TextSample, 7}}};
    for (const auto& [use, number] : uses) {
        for (const std::uint64_t seed : {1ull, 0xFEDCBA9876543210ull}) {
            for (const std::uint32_t stream : {0u, 5u}) {
                for (const std::uint64_t i : {0ull, 3ull, 6ull, (1ull << 36) + 1})
                    EXPECT_EQ(randomBits(seed, use, stream, i), claims::philoxWord(seed, number, stream, i));
            }
        }
    }
}

TEST(NumericsClaims, StochasticRoundingOverflowsWithTheFractionOfTheWayToTheNextNumberIfTheFormatWentOn) {
    struct Case {
        Dtype dtype;
        float largest, next;
    };
    for (const Case& c : {Case{Dtype::E4M3, 448, 480}, Case{Dtype::F16, 65504, 65536}, Case{Dtype::E5M2, 57344, 65536}}) {
        for (const double f : {0.25, 0.5, 0.875}) {
            const auto x = static_cast<float>(static_cast<double>(c.largest) + f * static_cast<double>(c.next - c.largest));
            int overflows = 0;
            for (std::uint64_t i = 0; i < 200; ++i) {
                const double r = claims::philoxWord(9, 3, 0, i) * 0x1p-32;
                const float y = roundTo(c.dtype, x, {.rounding = Rounding::Stochastic, .seed = 9}, i);
                ASSERT_EQ(!std::isfinite(y), f + r >= 1) << facts(c.dtype).name << ' ' << i;
                overflows += std::isfinite(y) ? 0 : 1;
            }
            EXPECT_GT(overflows, 0);
        }
        for (std::uint64_t i = 0; i < 200; ++i)
            EXPECT_FALSE(std::isfinite(roundTo(c.dtype, c.next, {.rounding = Rounding::Stochastic, .seed = 9}, i)));
    }
}

TEST(NumericsClaims, DropoutKeepsElementIWhereNumberN2To34PlusIOfItsStreamIsAtLeastP2To32) {
    const std::vector<float> x{1, -2, 3, 0.7f, -5, 6, 1e-3f, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20};
    const double p = 0.3;
    const auto factor = static_cast<float>(1 / (1 - p));
    for (const std::int64_t passes : {0, 1, 5}) {
        const GuardedBuffer in = claims::fp32(x), out(*claims::cpu(), x.size() * sizeof(float)),
                            s = claims::scalarsOf({.dropoutStep = passes});
        const DropoutDesc desc{static_cast<std::int64_t>(x.size()), p, 77, 3, Dtype::F32};
        runOperation(*claims::cpu(), desc, {&in, &s, &out});
        const std::vector<float> y = out.read<float>();
        int kept = 0;
        for (std::size_t i = 0; i < x.size(); ++i) {
            const std::uint64_t number = (static_cast<std::uint64_t>(passes) << 34) + i;
            const bool isKept = claims::philoxWord(77, 4, 3, number) >= p * 0x1p32;
            EXPECT_EQ(y[i], isKept ? x[i] * factor : 0.0f) << passes << ' ' << i;
            kept += isKept ? 1 : 0;
        }
        EXPECT_GT(kept, 5);
        EXPECT_LT(kept, 20);
    }
}

TEST(NumericsClaims, TheGradientOfAnEmbeddingIsSummedInAscendingOrderInFp32) {
    const GuardedBuffer g = claims::fp32({1e8f, 1, -1e8f, 7, 1e8f, -1e8f, 1, 7}),
                        indices(*claims::cpu(), std::vector<std::int32_t>{2, 2, 2, 1, 0, 0, 0, 1}),
                        table(*claims::cpu(), 4 * sizeof(float));
    runOperation(*claims::cpu(), EmbeddingGradDesc{.rows = 8, .cols = 1, .tableRows = 4}, {&g, &indices, &table});
    EXPECT_EQ(table.read<float>(), (std::vector<float>{1, 14, 0, 0})) << "1e8 + 1 is 1e8 in fp32, 1e8 - 1e8 + 1 is 1";
}

TEST(NumericsClaims, TheGradientOfFusedAttentionIsTheOneOfItsFormulasWithTheOutputAsItIsStored) {
    // one head, three rows of two; the stored output is not softmax times v, so that it shows whether it is read
    const std::vector<float> q{1, 0.5f, -1, 2, 0.25f, 1}, k{0.5f, 1, 2, -1, 1, 1}, v{1, 2, -3, 1, 0.5f, -1}, g{1, -1, 2, 0.5f, -0.25f, 1},
        y{1, 1.5f, -2, 0.5f, 3, -1};
    const float scale = 0.75f;
    constexpr std::size_t kRows = 3, kDim = 2;
    const auto at = [](const std::vector<float>& x, std::size_t row, std::size_t i) { return static_cast<double>(x[row * kDim + i]); };
    const auto dot = [&](const std::vector<float>& a, std::size_t i, const std::vector<float>& b, std::size_t j) {
        return at(a, i, 0) * at(b, j, 0) + at(a, i, 1) * at(b, j, 1);
    };
    std::vector<float> logSumExp;
    std::vector<double> dq(6), dk(6), dv(6);
    for (std::size_t i = 0; i < kRows; ++i) {
        double sum = 0;
        for (std::size_t j = 0; j <= i; ++j) sum += std::exp(static_cast<double>(scale) * dot(q, i, k, j));
        logSumExp.push_back(static_cast<float>(std::log(sum)));
        for (std::size_t j = 0; j <= i; ++j) {
            const double p = std::exp(static_cast<double>(scale) * dot(q, i, k, j) - std::log(sum));
            const double d = static_cast<double>(scale) * p * (dot(g, i, v, j) - dot(g, i, y, i));
            for (std::size_t e = 0; e < kDim; ++e) {
                dq[i * kDim + e] += d * at(k, j, e);
                dk[j * kDim + e] += d * at(q, i, e);
                dv[j * kDim + e] += p * at(g, i, e);
            }
        }
    }
    const BatchStrides rows{2, 6, 2};
    const FusedAttentionDesc forward{
        .length = 3, .headDim = 2, .scale = scale, .q = rows, .k = rows, .v = rows, .out = rows, .dtype = Dtype::BF16};
    const auto store = [](const std::vector<float>& x) { return claims::narrow(Dtype::BF16, x); };
    const GuardedBuffer gradOut = store(g), bufferQ = store(q), bufferK = store(k), bufferV = store(v), out = store(y),
                        sums = claims::fp32(logSumExp), gradQ(*claims::cpu(), 12), gradK(*claims::cpu(), 12), gradV(*claims::cpu(), 12);
    runOperation(*claims::cpu(), FusedAttentionGradDesc{forward},
                 {&gradOut, &bufferQ, &bufferK, &bufferV, &out, &sums, &gradQ, &gradK, &gradV});
    for (const auto& [buffer, expected] : {std::pair{&gradQ, &dq}, {&gradK, &dk}, {&gradV, &dv}}) {
        const std::vector<double> actual = valuesOf(Dtype::BF16, *buffer);
        for (std::size_t i = 0; i < actual.size(); ++i) EXPECT_EQ(actual[i], claims::bf16((*expected)[i])) << i;
    }
}

TEST(NumericsClaims, ARowWithPlusInfOrNanOrNothingButMinusInfBecomesNanInSoftmax) {
    constexpr float kInf = std::numeric_limits<float>::infinity(), kNan = std::numeric_limits<float>::quiet_NaN();
    const GuardedBuffer x = claims::fp32({kInf, 1, kNan, 1, -kInf, -kInf, -kInf, 0}), y(*claims::cpu(), 8 * sizeof(float));
    runOperation(*claims::cpu(), SoftmaxDesc{.rows = 4, .cols = 2}, {&x, &y});
    const std::vector<float> values = y.read<float>();
    for (std::size_t i = 0; i < 6; ++i) EXPECT_TRUE(std::isnan(values[i])) << i;
    EXPECT_EQ(values[6], 0);
    EXPECT_EQ(values[7], 1);
}

TEST(NumericsClaims, ExponentialsOfTheNaiveSoftmaxOverflowFrom8873OnAndInFp16From11094On) {
    const auto first = [](Dtype compute, float x) {
        const GuardedBuffer in = claims::fp32({x, 0}), out(*claims::cpu(), 2 * sizeof(float));
        runOperation(*claims::cpu(), SoftmaxDesc{.rows = 1, .cols = 2, .subtractsMax = false, .compute = compute}, {&in, &out});
        return out.read<float>()[0];
    };
    EXPECT_TRUE(std::isfinite(first(Dtype::F32, 88.72f)));
    EXPECT_TRUE(std::isnan(first(Dtype::F32, 88.73f)));
    const float above = 11.09375f, below = above - 0x1p-7f;  // neighbours in fp16
    EXPECT_EQ(roundTo(Dtype::F16, below), below);
    EXPECT_TRUE(std::isfinite(first(Dtype::F16, below)));
    EXPECT_TRUE(std::isnan(first(Dtype::F16, above)));
}

TEST(NumericsClaims, TheGradientOfTheMeanSquaredErrorIsTwiceTheDifferenceTimesSOverN) {
    const std::vector<float> y{1, -2.5f, 1e-3f, 700}, t{0.25f, 4, 0, 699};
    const GuardedBuffer prediction = claims::fp32(y), target = claims::fp32(t), s = claims::scalarsOf({.lossGrad = 1000}),
                        out(*claims::cpu(), 4 * sizeof(float));
    runOperation(*claims::cpu(), MeanSquaredErrorGradDesc{4}, {&prediction, &target, &s, &out});
    for (std::size_t i = 0; i < 4; ++i) {
        const double expected = 2 * (static_cast<double>(y[i]) - static_cast<double>(t[i])) * 1000 / 4;
        EXPECT_LE(claims::relativeError(static_cast<double>(out.read<float>()[i]), expected), claims::kFewRoundings);
    }
}

TEST(NumericsClaims, RunningStatisticsFollowTheBatchsMeanAndItsUnbiasedVariance) {
    const GuardedBuffer x = claims::fp32({1, 2, 6, 7}), weight = claims::fp32({1}), bias = claims::fp32({0}), mean = claims::fp32({10}),
                        variance = claims::fp32({2}), y(*claims::cpu(), 16), m = claims::fp32({0}), inverse = claims::fp32({0});
    runOperation(*claims::cpu(), BatchNormDesc{.rows = 4, .channels = 1, .epsilon = 0.25, .momentum = 0.1},
                 {&x, &weight, &bias, &mean, &variance, &y, &m, &inverse});
    // mean 4, squared differences 9 + 4 + 4 + 9 = 26
    EXPECT_EQ(mean.read<float>()[0], static_cast<float>(0.9 * 10 + 0.1 * 4));
    EXPECT_EQ(variance.read<float>()[0], static_cast<float>(0.9 * 2 + 0.1 * 26 / 3));
    EXPECT_EQ(inverse.read<float>()[0], static_cast<float>(1 / std::sqrt(26.0 / 4 + 0.25))) << "the root of the biased one, and epsilon";
}

TEST(NumericsClaims, AdamWAddsEpsilonAfterTheCorrectionOfV) {
    // g is so small that epsilon is as large as the root of v: corrected v is g^2, corrected m is g
    const double g = 1e-8, epsilon = 1e-8, lr = 0.5;
    const claims::Adam after = claims::adamStep({.count = 1, .epsilon = epsilon, .weightDecay = 0}, {0, 0, 0}, static_cast<float>(g), lr);
    EXPECT_LE(claims::relativeError(static_cast<double>(after.w), -lr * g / (g + epsilon)), 1e-6);
}

TEST(NumericsClaims, AdamWIsItsFormula) {
    const double b1 = 0.8, b2 = 0.95, eps = 1e-3, lambda = 0.1, lr = 0.02, g = 0.7, w = 1.5, m = -0.3, v = 0.2;
    for (const std::int64_t t : {1, 2, 50}) {
        const claims::Adam after = claims::adamStep({.count = 1, .beta1 = b1, .beta2 = b2, .epsilon = eps, .weightDecay = lambda},
                                                    {1.5f, -0.3f, 0.2f}, 0.7f, lr, t - 1);
        const double m1 = m + (1 - b1) * (g - m), v1 = b2 * v + (1 - b2) * g * g;
        const double root = std::sqrt(v1) / std::sqrt(1 - std::pow(b2, t)) + eps;
        EXPECT_LE(claims::relativeError(static_cast<double>(after.m), m1), claims::kFewRoundings);
        EXPECT_LE(claims::relativeError(static_cast<double>(after.v), v1), claims::kFewRoundings);
        EXPECT_LE(claims::relativeError(static_cast<double>(after.w), w * (1 - lr * lambda) - lr / (1 - std::pow(b1, t)) * m1 / root),
                  claims::kFewRoundings);
    }
}

TEST(NumericsClaims, AdamAddsItsDecayToTheGradientAndShrinksNoWeight) {
    const double b1 = 0.9, b2 = 0.999, lambda = 0.5, w = 2, g = 0.25 + lambda * w;
    const claims::Adam after =
        claims::adamStep({.count = 1, .epsilon = 0, .weightDecay = lambda, .isDecoupled = false}, {2, 0, 0}, 0.25f, 0.125);
    EXPECT_LE(claims::relativeError(static_cast<double>(after.m), (1 - b1) * g), claims::kFewRoundings);
    EXPECT_LE(claims::relativeError(static_cast<double>(after.v), (1 - b2) * g * g), claims::kFewRoundings);
    EXPECT_LE(claims::relativeError(static_cast<double>(after.w), w - 0.125), claims::kFewRoundings) << "the first step is as long as lr";
}

TEST(NumericsClaims, TheFirstStepOfSgdWithMomentumSetsUToTheGradientWhateverTheDampening) {
    const SgdDesc desc{.count = 1, .momentum = 0.5, .dampening = 0.75, .weightDecay = 0.25};
    EXPECT_EQ(claims::sgdStep(desc, 4, 2, 99, 0.5, true), (std::pair{4 - 0.5f * 3, 3.0f})) << "g + 0.25 w = 3";
    EXPECT_EQ(claims::sgdStep(desc, 4, 2, 8, 0.5), (std::pair{4 - 0.5f * 4.75f, 4.75f})) << "0.5 u + 0.25 g";
}

TEST(NumericsClaims, NesterovStepsAlongGPlusMuU) {
    const SgdDesc desc{.count = 1, .momentum = 0.5, .nesterov = true};
    EXPECT_EQ(claims::sgdStep(desc, 4, 2, 8, 0.5), (std::pair{4 - 0.5f * (2 + 0.5f * 6), 6.0f}));
}

TEST(NumericsClaims, StepsWithoutMomentumLeaveUAsItIs) {
    EXPECT_EQ(claims::sgdStep({.count = 1}, 4, 2, 8, 0.5), (std::pair{3.0f, 8.0f}));
}

TEST(NumericsClaims, LionTakesTheSignOfTheMeanBeforeItMovesAndNaNHasTheSign0) {
    const GuardedBuffer w = claims::fp32({1, 1, 1, 1}), g = claims::fp32({1, -4, 0, std::nanf("")}),
                        m = claims::fp32({-0.05f, 0.25f, 0, 0}), s = claims::scalarsOf({.lr = 0.25});
    runOperation(*claims::cpu(), LionDesc{.count = 4, .beta1 = 0.9, .beta2 = 0.5, .weightDecay = 0.5}, {&w, &g, &m, &s});
    const float shrunk = 1 - 0.25f * 0.5f;
    EXPECT_EQ(w.read<float>(), (std::vector<float>{shrunk - 0.25f, shrunk + 0.25f, shrunk, shrunk}));
    const std::vector<float> moments = m.read<float>();
    EXPECT_EQ(moments[0], 0.5f * -0.05f + 0.5f);
    EXPECT_EQ(moments[1], 0.5f * 0.25f - 2);
    EXPECT_TRUE(std::isnan(moments[3]));
}

TEST(NumericsClaims, ClippingDividesByTheNormPlus1em6) {
    const GuardedBuffer g = claims::fp32({3e-6f, 4e-6f}), found(*claims::cpu(), sizeof(float)),
                        s = claims::scalarsOf({.maxGradNorm = 1e-6f});
    runOperation(*claims::cpu(), UnscaleDesc{{0, 2}}, {&g, &found, &s});
    const StepScalars after = s.read<StepScalars>()[0];
    EXPECT_LE(claims::relativeError(static_cast<double>(after.gradNorm), 5e-6), claims::kFewRoundings);
    EXPECT_LE(claims::relativeError(static_cast<double>(after.clipCoefficient), 1.0 / 6), claims::kFewRoundings);
}

TEST(NumericsClaims, GradNormIsThe2NormOfTheParameters2Norms) {
    const GuardedBuffer g = claims::fp32({3, 4, 12, 0, 84}), found(*claims::cpu(), 3 * sizeof(float)),
                        s = claims::scalarsOf({.inverseScale = 0.5f});
    runOperation(*claims::cpu(), UnscaleDesc{{0, 2, 4, 5}}, {&g, &found, &s});
    EXPECT_EQ(s.read<StepScalars>()[0].gradNorm, 42.5f) << "of 5, 12 and 84 it is 85, unscaled half of that";
}

TEST(NumericsClaims, AStochasticUpdateDrawsNumberIOfStreamTMinus1) {
    constexpr std::int64_t kFirst = 1000, kCount = 300;
    const double lr = 0x1p-10;  // w' = 1 - lr lies a quarter of the way from 1 to 1 - 2^-8
    for (const std::int64_t t : {1, 2, 9}) {
        const std::vector<float> ones(kCount, 1.0f);
        const GuardedBuffer w = claims::narrow(Dtype::BF16, ones), g = claims::narrow(Dtype::BF16, ones),
                            s = claims::scalarsOf({.lr = lr, .optimizerStep = t - 1});
        const ParameterStorage storage{Dtype::BF16, WeightUpdate::Stochastic, 42, kFirst};
        runOperation(*claims::cpu(), SgdDesc{.count = kCount, .storage = storage}, {&w, &g, nullptr, &s});
        const std::vector<double> weights = valuesOf(Dtype::BF16, w);
        for (std::int64_t i = 0; i < kCount; ++i) {
            // the larger magnitude is 1: three quarters of the way up from 1 - 2^-8
            const double r = claims::philoxWord(42, 3, static_cast<std::uint32_t>(t - 1), static_cast<std::uint64_t>(kFirst + i)) * 0x1p-32;
            ASSERT_EQ(weights[static_cast<std::size_t>(i)], 0.75 + r >= 1 ? 1 : 1 - 0x1p-8) << t << ' ' << i;
        }
    }
}

TEST(NumericsClaims, KahanWritesWPrimePlusCAndKeepsWhatTheWriteLost) {
    const double lr = 0x1.3p-11;
    double w = 1, c = 0;
    const GuardedBuffer weight = claims::narrow(Dtype::BF16, {1}), g = claims::narrow(Dtype::BF16, {1}),
                        lost = claims::narrow(Dtype::BF16, {0});
    for (std::int64_t t = 0; t < 20; ++t) {
        const GuardedBuffer s = claims::scalarsOf({.lr = lr, .optimizerStep = t});
        runOperation(*claims::cpu(), SgdDesc{.count = 1, .storage = {Dtype::BF16, WeightUpdate::Kahan}}, {&weight, &g, nullptr, &s, &lost});
        const double sum = w - lr + c;
        w = claims::bf16(sum);
        c = claims::bf16(sum - w);
        ASSERT_EQ(valuesOf(Dtype::BF16, weight)[0], w) << t;
        ASSERT_EQ(valuesOf(Dtype::BF16, lost)[0], c) << t;
    }
    EXPECT_LT(w, 1);
}

}  // namespace
}  // namespace mantissa::test
