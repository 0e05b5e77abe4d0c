// SPDX-License-Identifier: Apache-2.0
// What unscaling and the optimizers promise case by case, and where PyTorch's rules surprise. The conformance suite judges their
// arithmetic.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include "kernels/conformance/tolerance.h"
#include "tests/support/non_finite.h"
#include "tests/support/operands.h"

namespace mantissa::test {
namespace {

using conformance::chainLimit;
using conformance::roundingLimit;

std::vector<float> normals(std::size_t count, unsigned seed, float deviation = 1) {
    std::mt19937 random(seed);
    std::normal_distribution<float> normal(0, deviation);
    std::vector<float> values(count);
    for (float& v : values) v = normal(random);
    return values;
}

class Optimizer : public ::testing::Test {
protected:
    std::shared_ptr<Backend> m_backend = createCpuBackend();

    struct Unscaled {
        std::vector<float> gradients, foundInf;
        StepScalars scalars;
    };
    Unscaled unscale(const Segments& segments, const std::vector<float>& gradients, const StepScalars& scalars) {
        const GuardedBuffer g(*m_backend, gradients), found(*m_backend, std::vector<float>(segments.size() - 1, -1.0f)),
            s(*m_backend, std::vector{scalars});
        runOperation(*m_backend, UnscaleDesc{segments}, {&g, &found, &s});
        return {g.read<float>(), found.read<float>(), s.read<StepScalars>().front()};
    }
};

TEST_F(Optimizer, UnscaleMultipliesAndMeasures) {
    const Segments segments{0, 5, 5, 40, 1000};  // one parameter is empty
    const std::vector<float> gradients = normals(1000, 1, 100);
    const Unscaled u = unscale(segments, gradients, {.inverseScale = 1.0f / 3, .maxGradNorm = 2, .skipOnFoundInf = 1});
    std::vector<double> expected;
    double squares = 0;
    for (const float g : gradients) {
        expected.push_back(static_cast<double>(g * (1.0f / 3)));
        squares += expected.back() * expected.back();
    }
    EXPECT_TRUE(compareExact(toDouble(u.gradients), expected));
    EXPECT_EQ(u.foundInf, std::vector<float>(4, 0.0f));
    EXPECT_EQ(u.scalars.foundInf, 0);
    EXPECT_EQ(u.scalars.skipped, 0);
    const double norm = std::sqrt(squares);
    EXPECT_LE(std::fabs(u.scalars.gradNorm - norm), roundingLimit(Dtype::F32, norm) * 1.001);  // the sum in double is far finer
    EXPECT_LE(std::fabs(u.scalars.clipCoefficient - 2 / (norm + 1e-6)), chainLimit(Dtype::F32, 3, 2 / norm, 2 / norm));
}

TEST_F(Optimizer, TheLargestGradientIsThatOfAllParametersUnscaled) {
    EXPECT_EQ(unscale({0, 3, 3, 20}, std::vector<float>(20, -0.5f), {.inverseScale = 0.25f}).scalars.gradAbsMax, 0.125f);
    std::vector<float> gradients = normals(99, 5);
    gradients[30] = -77;
    EXPECT_EQ(unscale({0, 30, 65, 99}, gradients, {.inverseScale = 0.5f}).scalars.gradAbsMax, 38.5f);
    EXPECT_EQ(unscale({0, 2}, {0, -0.0f}, {.inverseScale = 0.5f}).scalars.gradAbsMax, 0);
    EXPECT_EQ(unscale({0, 3}, {1, -kInf, 2}, {.inverseScale = 0.5f}).scalars.gradAbsMax, kInf);
    EXPECT_TRUE(std::isnan(unscale({0, 3}, {1, kNan, kInf}, {.inverseScale = 0.5f}).scalars.gradAbsMax));
}

TEST_F(Optimizer, ClippingNeverAmplifies) {
    EXPECT_EQ(unscale({0, 3}, {1, 2, 2}, {.maxGradNorm = 4}).scalars.clipCoefficient, 1);
    EXPECT_EQ(unscale({0, 3}, {1, 2, 2}, {.maxGradNorm = 0}).scalars.clipCoefficient, 1);
    EXPECT_EQ(unscale({0, 3}, {1, 2, 2}, {}).scalars.gradNorm, 3);
}

// clip_grad_norm_ divides by the norm plus 1e-6, which counts where the norm itself is as small.
TEST_F(Optimizer, ClippingAddsAMillionthToTheNorm) {
    const Unscaled u = unscale({0, 1}, {0x1p-20f}, {.maxGradNorm = 0x1p-21f});
    EXPECT_EQ(u.scalars.gradNorm, 0x1p-20f);
    EXPECT_EQ(u.scalars.clipCoefficient, 0x1p-21f / (0x1p-20f + 1e-6f));
    EXPECT_EQ(unscale({0, 1}, {0}, {.maxGradNorm = 0x1p-21f}).scalars.clipCoefficient, 0x1p-21f / 1e-6f);
}

// The wrong order: the bound meets gradients that are still scaled by 2^10.
TEST_F(Optimizer, ClippingScaledGradientsIsAnOrderOfItsOwn) {
    const StepScalars wrong{.inverseScale = 0x1p-10f, .maxGradNorm = 1.5f, .clipsScaled = 1, .skipOnFoundInf = 1};
    const Unscaled u = unscale({0, 1, 3}, {1024, -2048, 2048}, wrong);  // norm 3072
    const float coefficient = 1.5f / (3072 + 1e-6f);
    EXPECT_EQ(u.gradients, (std::vector<float>{coefficient, -2 * coefficient, 2 * coefficient}));
    EXPECT_EQ(u.scalars.clipCoefficient, 1) << "the optimizer has nothing left to clip";
    EXPECT_EQ(u.scalars.gradNorm, 3) << "unscaled, before clipping";
    EXPECT_EQ(u.scalars.gradAbsMax, 2 * coefficient);
    EXPECT_EQ(u.scalars.foundInf, 0);

    const Unscaled bad = unscale({0, 1, 3}, {1024, kInf, 1}, wrong);
    EXPECT_EQ(bad.scalars.foundInf, 1) << "clipping makes it NaN, which is found as well";
    EXPECT_EQ(bad.scalars.skipped, 1);
    EXPECT_EQ(bad.foundInf, (std::vector<float>{0, 1})) << "a bound over an infinite norm makes zeros of the others";

    StepScalars unbounded = wrong;
    unbounded.maxGradNorm = 0;
    EXPECT_EQ(unscale({0, 1, 3}, {1024, -2048, 2048}, unbounded).gradients, (std::vector<float>{1, -2, 2}));
}

// What frameworks take for an overflow: gradients that pass one test and not another.
TEST_F(Optimizer, EachOverflowTestIsItsFrameworks) {
    using enum OverflowTest;
    const float huge = 3e38f, aboveRoot = 0x1.1p64f;
    struct Case {
        std::vector<float> gradients;
        float inverseScale;
        std::vector<OverflowTest> found;
        const char* what;
    };
    for (const Case& c : {Case{{1, 2, 3}, 0.5f, {}, "nothing"},
                          {{1, kNan, 3}, 0.5f, {Elements, UnscaledElements, Sums, Norm}, "NaN"},
                          {{1, kInf, 3}, 0.5f, {Elements, UnscaledElements, Sums, Norm}, "Inf"},
                          {{1, huge, 3}, 4, {UnscaledElements, Norm}, "unscaling overflows"},
                          {{1, huge, huge}, 0.5f, {Sums, Norm}, "a parameter's sum overflows"},
                          {{huge, huge, -huge}, 0.5f, {Norm}, "sums of parameters are apart, and signs cancel"},
                          {{0, aboveRoot, 0}, 0.5f, {Norm}, "a square overflows"},
                          {{0x1p63f, 0x1p63f, 0x1p63f}, 0.5f, {}, "squares add up below 2^128"},
                          {{0x1.8p63f, 0x1.8p63f, 0}, 0.5f, {Norm}, "squares of two parameters add up beyond it"}}) {
        for (const OverflowTest test : {Elements, UnscaledElements, Sums, Norm}) {
            const bool expected = std::find(c.found.begin(), c.found.end(), test) != c.found.end();
            const StepScalars in{.inverseScale = c.inverseScale, .skipOnFoundInf = 1, .overflowTest = test};
            const Unscaled u = unscale({0, 1, 3}, c.gradients, in);
            EXPECT_EQ(u.scalars.foundInf, expected ? 1 : 0) << c.what << ", test " << static_cast<int>(test);
            EXPECT_EQ(u.scalars.skipped, expected ? 1 : 0);
        }
    }
}

TEST_F(Optimizer, SumsOfLongParametersAreTestedWhole) {
    for (const std::size_t length : {std::size_t{15}, std::size_t{1023}, std::size_t{1025}, std::size_t{4000}}) {
        std::vector<float> gradients(length, 0.0f);
        gradients.front() = gradients.back() = 3e38f;
        const auto last = static_cast<std::int64_t>(length);
        EXPECT_EQ(unscale({0, last}, gradients, {.overflowTest = OverflowTest::Sums}).foundInf, std::vector<float>{1}) << length;
        gradients.back() = -3e38f;
        EXPECT_EQ(unscale({0, last}, gradients, {.overflowTest = OverflowTest::Sums}).foundInf, std::vector<float>{0}) << length;
    }
}

TEST_F(Optimizer, NonFiniteGradientsAreFoundPerParameter) {
    for (const float bad : {kInf, -kInf, kNan, -kNan}) {
        for (const std::int64_t place : {0, 15, 16, 17, 34}) {
            std::vector<float> gradients = normals(99, 2);
            gradients[static_cast<std::size_t>(30 + place)] = bad;
            const Unscaled u = unscale({0, 30, 65, 99}, gradients, {.inverseScale = 0.5f, .maxGradNorm = 1, .skipOnFoundInf = 1});
            EXPECT_EQ(u.foundInf, (std::vector<float>{0, 1, 0})) << bad << " at " << place;
            EXPECT_EQ(u.scalars.foundInf, 1);
            EXPECT_EQ(u.scalars.skipped, 1);
            EXPECT_EQ(std::isnan(u.scalars.gradNorm), std::isnan(bad));
            EXPECT_TRUE(std::isnan(u.scalars.clipCoefficient) || u.scalars.clipCoefficient == 0);
        }
    }
    EXPECT_EQ(unscale({0, 1}, {kInf}, {.skipOnFoundInf = 0}).scalars.skipped, 0);
}

TEST_F(Optimizer, LargeFiniteGradientsAreNotAnOverflow) {
    const float largest = std::numeric_limits<float>::max();
    const Unscaled u = unscale({0, 2}, {largest, -largest}, {.inverseScale = 0x1p-16f, .skipOnFoundInf = 1});
    EXPECT_EQ(u.scalars.foundInf, 0);
    EXPECT_EQ(u.scalars.gradNorm, static_cast<float>(static_cast<double>(largest) * 0x1p-16 * std::sqrt(2.0)));
}

// A scale of 2^-128 or less has no finite reciprocal in fp32: PyTorch checks first, so the step goes on with poisoned gradients.
TEST_F(Optimizer, InfiniteInverseScalePoisonsUnseen) {
    const Unscaled u = unscale({0, 3}, {1, 0, -2}, {.inverseScale = kInf, .skipOnFoundInf = 1});
    EXPECT_EQ(u.scalars.foundInf, 0);
    EXPECT_EQ(u.scalars.skipped, 0);
    EXPECT_TRUE(compareExact(toDouble(u.gradients), std::vector<double>{kInf, kNan, -kInf}));
    EXPECT_TRUE(std::isnan(u.scalars.gradNorm));
}

TEST_F(Optimizer, SubnormalGradientsSurviveUnscaling) {
    const Unscaled u = unscale({0, 2}, {0x1p-126f, 0x1p-148f}, {.inverseScale = 0.5f});
    EXPECT_EQ(u.gradients, (std::vector<float>{0x1p-127f, 0x1p-149f}));
}

// torch.optim adds weight_decay * w only when there is a decay: 0 * Inf would make a NaN of an infinite weight.
TEST_F(Optimizer, WithoutDecayAnInfiniteWeightStaysInfinite) {
    for (const SgdDesc& desc :
         {SgdDesc{.count = 2}, SgdDesc{.count = 2, .momentum = 0.9}, SgdDesc{.count = 2, .momentum = 0.9, .nesterov = true}}) {
        const GuardedBuffer w(*m_backend, std::vector{kInf, 1.0f}), g(*m_backend, std::vector{1.0f, 1.0f}),
            buffer(*m_backend, std::vector<float>(2)), s(*m_backend, std::vector{StepScalars{.lr = 0.5}});
        runOperation(*m_backend, desc, {&w, &g, &buffer, &s});
        EXPECT_EQ(w.read<float>().front(), kInf);
    }
}

}  // namespace
}  // namespace mantissa::test
