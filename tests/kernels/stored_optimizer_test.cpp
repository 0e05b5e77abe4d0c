// SPDX-License-Identifier: Apache-2.0
// Optimizers whose weights, gradients and moments are stored in 16 bits: fp32 steps, one rounding, and the two ways to lose less by it.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>
#include <random>

#include "kernels/dtype/rounding.h"
#include "tests/support/operands.h"

namespace mantissa::test {
namespace {

constexpr std::size_t kCount = 2500;  // two whole blocks and a rest

std::vector<float> normals(unsigned seed, Dtype dtype) {
    std::mt19937 random(seed);
    std::normal_distribution<float> normal;
    std::vector<float> values(kCount);
    for (float& v : values) v = roundTo(dtype, normal(random));
    return values;
}

std::vector<float> magnitudes(std::vector<float> values) {
    for (float& v : values) v = std::fabs(v);
    return values;
}

class StoredOptimizer : public testing::TestWithParam<Dtype> {
protected:
    std::shared_ptr<Backend> m_backend = createCpuBackend();
    Dtype m_dtype = GetParam();

    GuardedBuffer store(const std::vector<float>& values) const { return {*m_backend, stored(m_dtype, values)}; }

    /// fp32's results rounded to the format.
    std::vector<double> rounded(const GuardedBuffer& fp32) const {
        std::vector<double> values;
        for (const float v : fp32.read<float>()) values.push_back(static_cast<double>(roundTo(m_dtype, v)));
        return values;
    }

    /// `steps` steps of plain SGD with gradient 1 on weights that all begin at 1. What the weights are then.
    std::vector<double> walk(WeightUpdate update, double lr, int steps, std::uint64_t seed = 1) const {
        const GuardedBuffer w = store(std::vector<float>(kCount, 1)), g = store(std::vector<float>(kCount, 1)),
                            lost = store(std::vector<float>(kCount, 0));
        for (int step = 0; step < steps; ++step) {
            const GuardedBuffer scalars(*m_backend, std::vector{StepScalars{.lr = lr, .optimizerStep = step}});
            const SgdDesc desc{.count = kCount, .storage = {m_dtype, update, seed}};
            if (update == WeightUpdate::Kahan) {
                runOperation(*m_backend, desc, {&w, &g, nullptr, &scalars, &lost});
            } else {
                runOperation(*m_backend, desc, {&w, &g, nullptr, &scalars});
            }
        }
        return valuesOf(m_dtype, w);
    }
};

TEST_P(StoredOptimizer, AStepIsFp32sRoundedOnce) {
    const std::vector<float> w = normals(1, m_dtype), g = normals(2, m_dtype), m = normals(3, m_dtype), v = magnitudes(normals(4, m_dtype));
    const GuardedBuffer scalars(*m_backend,
                                std::vector{StepScalars{.lr = 0.01, .optimizerStep = 6, .hasMomentum = 1, .clipCoefficient = 0.5f}});
    {
        const GuardedBuffer w16 = store(w), g16 = store(g), m16 = store(m), v16 = store(v), w32(*m_backend, w), g32(*m_backend, g),
                            m32(*m_backend, m), v32(*m_backend, v);
        runOperation(*m_backend, AdamWDesc{.count = kCount, .storage = {.dtype = m_dtype}}, {&w16, &g16, &m16, &v16, &scalars});
        runOperation(*m_backend, AdamWDesc{.count = kCount}, {&w32, &g32, &m32, &v32, &scalars});
        EXPECT_EQ(valuesOf(m_dtype, w16), rounded(w32));
        EXPECT_EQ(valuesOf(m_dtype, m16), rounded(m32));
        EXPECT_EQ(valuesOf(m_dtype, v16), rounded(v32));
    }
    const GuardedBuffer w16 = store(w), g16 = store(g), m16 = store(m), w32(*m_backend, w), g32(*m_backend, g), m32(*m_backend, m);
    SgdDesc sgd{.count = kCount, .momentum = 0.9, .weightDecay = 0.1, .nesterov = true};
    runOperation(*m_backend, sgd, {&w32, &g32, &m32, &scalars});
    sgd.storage.dtype = m_dtype;
    runOperation(*m_backend, sgd, {&w16, &g16, &m16, &scalars});
    EXPECT_EQ(valuesOf(m_dtype, w16), rounded(w32));
    EXPECT_EQ(valuesOf(m_dtype, m16), rounded(m32));
}

TEST_P(StoredOptimizer, UpdatesBelowHalfAnUlpAreLostByNearestEvenAlone) {
    // An update of an eighth of the ulp below 1, 400 of them.
    const double lr = facts(m_dtype).epsilon / 16;
    const double exact = 1 - 400 * lr, ulp = facts(m_dtype).epsilon / 2;
    for (const double w : walk(WeightUpdate::NearestEven, lr, 400)) ASSERT_EQ(w, 1);
    for (const double w : walk(WeightUpdate::Kahan, lr, 400)) ASSERT_NEAR(w, exact, ulp);
    const std::vector<double> drawn = walk(WeightUpdate::Stochastic, lr, 400);
    const double mean = std::accumulate(drawn.begin(), drawn.end(), 0.0) / static_cast<double>(kCount);
    // each step moves by an ulp with probability 1/8: the mean's deviation is ulp * sqrt(400 * 7/64 / 2500)
    EXPECT_NEAR(mean, exact, 5 * ulp * std::sqrt(400.0 * 7 / 64 / kCount));
}

TEST_P(StoredOptimizer, StochasticRoundingIsAFunctionOfSeedStepAndElement) {
    const double lr = facts(m_dtype).epsilon / 4;
    EXPECT_EQ(walk(WeightUpdate::Stochastic, lr, 3, 7), walk(WeightUpdate::Stochastic, lr, 3, 7));
    EXPECT_NE(walk(WeightUpdate::Stochastic, lr, 3, 7), walk(WeightUpdate::Stochastic, lr, 3, 8));
    const std::vector<double> one = walk(WeightUpdate::Stochastic, lr, 1), two = walk(WeightUpdate::Stochastic, lr, 2);
    std::size_t movedTwice = 0;
    for (std::size_t i = 0; i < kCount; ++i) movedTwice += one[i] < 1 && two[i] < one[i] ? 1 : 0;
    EXPECT_GT(movedTwice, 0u);
    EXPECT_LT(movedTwice, kCount / 2) << "each step has draws of its own";
}

TEST_P(StoredOptimizer, StochasticRoundingDrawsByTheStepAndThePlaceAmongAllParameters) {
    const std::vector<float> w = normals(6, m_dtype), g = normals(7, m_dtype);
    constexpr std::int64_t kFirst = 1'000'003;
    for (const std::int64_t step : {0, 1, 77}) {
        const GuardedBuffer scalars(*m_backend, std::vector{StepScalars{.lr = 0.01, .optimizerStep = step}}),
            w16 = store(w), g16 = store(g), w32(*m_backend, w), g32(*m_backend, g);
        SgdDesc desc{.count = kCount};
        runOperation(*m_backend, desc, {&w32, &g32, nullptr, &scalars});
        desc.storage = {.dtype = m_dtype, .update = WeightUpdate::Stochastic, .seed = 9, .firstElement = kFirst};
        runOperation(*m_backend, desc, {&w16, &g16, nullptr, &scalars});
        const RoundingMode mode{.rounding = Rounding::Stochastic, .stream = static_cast<std::uint32_t>(step), .seed = 9};
        const std::vector<float> exact = w32.read<float>();
        std::vector<double> expected;
        for (std::size_t i = 0; i < kCount; ++i)
            expected.push_back(static_cast<double>(roundTo(m_dtype, exact[i], mode, static_cast<std::uint64_t>(kFirst) + i)));
        EXPECT_EQ(valuesOf(m_dtype, w16), expected) << "step " << step;
    }
}

TEST_P(StoredOptimizer, ASkippedStepLeavesAllAsItWas) {
    const GuardedBuffer w = store(normals(1, m_dtype)), g = store(normals(2, m_dtype)), m = store(normals(3, m_dtype)),
                        v = store(magnitudes(normals(4, m_dtype))), lost = store(normals(5, m_dtype)),
                        scalars(*m_backend, std::vector{StepScalars{.lr = 0.1, .skipped = 1}});
    const std::vector<double> before = valuesOf(m_dtype, w), kept = valuesOf(m_dtype, lost);
    const ParameterStorage storage{m_dtype, WeightUpdate::Kahan, 0};
    runOperation(*m_backend, AdamWDesc{.count = kCount, .storage = storage}, {&w, &g, &m, &v, &scalars, &lost});
    runOperation(*m_backend, SgdDesc{.count = kCount, .storage = storage}, {&w, &g, nullptr, &scalars, &lost});
    EXPECT_EQ(valuesOf(m_dtype, w), before);
    EXPECT_EQ(valuesOf(m_dtype, lost), kept);
}

TEST_P(StoredOptimizer, GradientsAreUnscaledAndCheckedAsTheyAreStored) {
    std::vector<float> gradients = normals(9, m_dtype);
    const Segments segments{0, 1500, static_cast<std::int64_t>(kCount)};
    const float factor = 1.0f / 3;
    for (const bool isFinite : {true, false}) {
        gradients[2000] = isFinite ? 1 : -std::numeric_limits<float>::infinity();
        const GuardedBuffer g = store(gradients), found(*m_backend, std::vector<float>(2, -1)),
                            scalars(*m_backend, std::vector{StepScalars{.inverseScale = factor, .skipOnFoundInf = 1}});
        runOperation(*m_backend, UnscaleDesc{segments, m_dtype}, {&g, &found, &scalars});
        double squares = 0;
        const std::vector<double> after = valuesOf(m_dtype, g);
        for (std::size_t i = 0; i < kCount; ++i) {
            ASSERT_EQ(after[i], static_cast<double>(roundTo(m_dtype, gradients[i] * factor)));
            squares += after[i] * after[i];
        }
        const StepScalars out = scalars.read<StepScalars>().front();
        EXPECT_EQ(found.read<float>(), (std::vector<float>{0, isFinite ? 0.0f : 1.0f}));
        EXPECT_EQ(out.skipped, isFinite ? 0 : 1);
        if (!isFinite) continue;
        EXPECT_NEAR(static_cast<double>(out.gradNorm), std::sqrt(squares), 1e-5 * std::sqrt(squares));
    }
}

TEST_P(StoredOptimizer, MicroBatchesAddUpInTheFormat) {
    const std::vector<float> a = normals(11, m_dtype), b = normals(12, Dtype::F32);
    const GuardedBuffer src(*m_backend, b), sums = store(a);
    runOperation(*m_backend, AccumulateDesc{kCount, Dtype::F32, m_dtype}, {&src, &sums});
    const std::vector<double> after = valuesOf(m_dtype, sums);
    for (std::size_t i = 0; i < kCount; ++i) ASSERT_EQ(after[i], static_cast<double>(roundTo(m_dtype, a[i] + b[i])));
}

INSTANTIATE_TEST_SUITE_P(Formats, StoredOptimizer, testing::Values(Dtype::F16, Dtype::BF16),
                         [](const auto& tested) { return std::string(facts(tested.param).name); });

}  // namespace
}  // namespace mantissa::test
