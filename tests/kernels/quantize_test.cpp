// SPDX-License-Identifier: Apache-2.0
// fp8 tensors with scales: what quantising stores, and the scales of delayed scaling against the recipe written down once more.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <deque>
#include <limits>
#include <random>

#include "kernels/dtype/rounding.h"
#include "tests/support/non_finite.h"
#include "tests/support/operands.h"

namespace mantissa::test {
namespace {

/// A scale with its history in backend memory.
class Scale {
public:
    Scale(Backend& backend, std::int64_t historyLength)
        : m_buffer(backend, std::vector<std::byte>(quantScaleBytes(historyLength))), m_backend(backend), m_historyLength(historyLength) {}

    QuantScale read() const {
        QuantScale scale;
        const auto bytes = m_buffer.read<std::byte>();
        std::memcpy(&scale, bytes.data(), sizeof scale);
        return scale;
    }

    /// Quantises fp32 values; what is stored, as numbers.
    std::vector<double> quantize(const std::vector<float>& values, Dtype to, ScaleSource source, int margin = 0) const {
        const GuardedBuffer src(m_backend, values), dst(m_backend, values.size());
        runOperation(m_backend, QuantizeDesc{static_cast<std::int64_t>(values.size()), Dtype::F32, to, source, margin},
                     {&src, &dst, &m_buffer});
        return valuesOf(to, dst);
    }

    void update(Dtype format, bool usesNewestOnly = false, int margin = 0) const {
        runOperation(m_backend, UpdateScalesDesc{{format}, m_historyLength, usesNewestOnly, margin}, {&m_buffer});
    }

private:
    GuardedBuffer m_buffer;
    Backend& m_backend;
    std::int64_t m_historyLength;
};

TEST(Quantize, CurrentScalingTakesTheLargestMagnitudeToTheFormatsLargest) {
    const auto backend = createCpuBackend();
    for (const Dtype to : {Dtype::E4M3, Dtype::E5M2}) {
        const Scale scale(*backend, 0);
        std::vector<float> values(2500);  // more than a block; its largest in the last one
        for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i) * (i % 2 == 0 ? 1e-3f : -1e-3f);
        const std::vector<double> codes = scale.quantize(values, to, ScaleSource::Current);
        const float expected = static_cast<float>(facts(to).maxFinite) / std::fabs(values.back());
        EXPECT_EQ(scale.read().scale, expected);
        EXPECT_EQ(scale.read().inverse, 1 / expected);
        EXPECT_EQ(codes.back(), -facts(to).maxFinite);
        for (std::size_t i = 0; i < values.size(); ++i) {
            ASSERT_EQ(codes[i], static_cast<double>(roundTo(to, values[i] * expected, {.saturate = true}))) << i;
        }
    }
}

TEST(Quantize, CurrentScalingOfWhatHasNoUsableMagnitudeIsOne) {
    const auto backend = createCpuBackend();
    const Scale scale(*backend, 0);
    EXPECT_EQ(scale.quantize({0, 0}, Dtype::E4M3, ScaleSource::Current), (std::vector<double>{0, 0}));
    EXPECT_EQ(scale.read().scale, 1);
    EXPECT_EQ(scale.quantize({kInf, 2}, Dtype::E4M3, ScaleSource::Current), (std::vector<double>{448, 2}));  // Inf saturates: nothing tells
    EXPECT_EQ(scale.read().scale, 1);
    const std::vector<double> codes =
        scale.quantize({std::nanf(""), 7}, Dtype::E4M3, ScaleSource::Current);  // NaN is passed over, and stays
    EXPECT_TRUE(std::isnan(codes[0]));
    EXPECT_EQ(scale.read().scale, 64);
    scale.quantize({1e-40f}, Dtype::E5M2, ScaleSource::Current);
    EXPECT_EQ(scale.read().scale, std::numeric_limits<float>::max());
}

TEST(Quantize, AMarginHalvesTheScale) {
    const auto backend = createCpuBackend();
    const Scale scale(*backend, 0);
    EXPECT_EQ(scale.quantize({7}, Dtype::E4M3, ScaleSource::Current, 2), (std::vector<double>{112}));
    EXPECT_EQ(scale.read().scale, 16);
}

TEST(Quantize, FrozenScalesAreReadAndNotTaught) {
    const auto backend = createCpuBackend();
    const Scale scale(*backend, 4);
    scale.quantize({7}, Dtype::E4M3, ScaleSource::Delayed);
    scale.update(Dtype::E4M3);
    EXPECT_EQ(scale.quantize({14, 1}, Dtype::E4M3, ScaleSource::Frozen), (std::vector<double>{448, 64}));
    EXPECT_EQ(scale.read().absMax, 0);
    EXPECT_EQ(scale.read().scale, 64);
}

/// Transformer Engine's DelayedScaling: slot 0 of the history takes this step's magnitude, the scale follows from the largest slot, then
/// the slots roll. An all-zero step changes nothing.
struct DelayedReference {
    std::deque<float> slots;
    float scale = 1;

    void step(float absMax, std::size_t length, bool usesNewestOnly, float largest) {
        if (absMax == 0) return;
        slots.push_front(absMax);
        if (slots.size() > length) slots.pop_back();
        float chosen = absMax;
        if (!usesNewestOnly) {
            for (const float slot : slots) chosen = std::max(chosen, slot);
        }
        if (chosen > 0 && std::isfinite(chosen)) scale = largest / chosen;
    }
};

TEST(Quantize, DelayedScalesFollowTheRecipeForManySteps) {
    const auto backend = createCpuBackend();
    std::mt19937 random(5);
    std::uniform_int_distribution<int> dice(0, 19), exponent(-20, 20);
    std::uniform_real_distribution<float> significand(1, 2);
    for (const Dtype format : {Dtype::E4M3, Dtype::E5M2}) {
        for (const std::int64_t length : {1, 3, 16}) {
            for (const bool usesNewestOnly : {false, true}) {
                const Scale scale(*backend, length);
                DelayedReference reference;
                for (int step = 0; step < 300; ++step) {
                    const int thrown = dice(random);
                    const float absMax = thrown == 0 ? 0 : thrown == 1 ? kInf : std::ldexp(significand(random), exponent(random));
                    // Two tensors a step, as micro-batches are: the larger magnitude counts.
                    scale.quantize({absMax / 2, 0}, format, ScaleSource::Delayed);
                    const std::vector<double> codes = scale.quantize({-absMax, absMax / 4}, format, ScaleSource::Delayed);
                    ASSERT_EQ(codes[0], static_cast<double>(roundTo(format, -absMax * reference.scale, {.saturate = true})))
                        << "step " << step;
                    scale.update(format, usesNewestOnly);
                    reference.step(absMax, static_cast<std::size_t>(length), usesNewestOnly, static_cast<float>(facts(format).maxFinite));
                    ASSERT_EQ(scale.read().scale, reference.scale) << "step " << step << ", history " << length;
                    ASSERT_EQ(scale.read().inverse, 1 / reference.scale);
                }
            }
        }
    }
}

TEST(Quantize, AScaledProductUndoesItsScales) {
    const auto backend = createCpuBackend();
    const GuardedBuffer a(*backend, stored(Dtype::E4M3, std::vector<float>{1, 2, 3, 4})),
        b(*backend, stored(Dtype::E5M2, std::vector<float>{1, -2, 1, 2})), bias(*backend, stored(Dtype::BF16, std::vector<float>{0.5f, 1})),
        c(*backend, 8), scaleA(*backend, std::vector<QuantScale>{{.scale = 4, .inverse = 0.25f}}),
        scaleB(*backend, std::vector<QuantScale>{{.scale = 0.5f, .inverse = 2}});
    const MatmulDesc desc{.m = 2,
                          .n = 2,
                          .k = 2,
                          .hasBias = true,
                          .a = Dtype::E4M3,
                          .b = Dtype::E5M2,
                          .out = Dtype::BF16,
                          .compute = Dtype::E5M2,
                          .isScaled = true};
    runOperation(*backend, desc, {&a, &b, &bias, &scaleA, &scaleB, &c});
    // sums 3 2 / 7 2, halved, plus the bias
    EXPECT_EQ(valuesOf(Dtype::BF16, c), (std::vector<double>{2, 2, 4, 2}));
}

TEST(Quantize, OnlyFp8IsQuantisedTo) {
    EXPECT_EQ(createCpuBackend()->supports(QuantizeDesc{.count = 1, .to = Dtype::F16}).reason,
              "fp16 is not a format that tensors are quantised to");
}

}  // namespace
}  // namespace mantissa::test
