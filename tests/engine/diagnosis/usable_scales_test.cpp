// SPDX-License-Identifier: Apache-2.0
// UsableScales and forecasts against the conversion of each gradient at each scale.
#include "engine/diagnosis/usable_scales.h"

#include <gtest/gtest.h>

#include <random>

#include "engine/diagnosis/predict.h"
#include "kernels/cpu/round_array.h"
#include "tests/engine/diagnosis/stats_values.h"

namespace mantissa {
namespace {

using test::histogramOfValues;
using test::statsOfValues;

/// Magnitudes over many powers of two about `center`, some of them 0.
std::vector<float> gradientsAbout(double center, unsigned seed) {
    std::mt19937 random(seed);
    std::normal_distribution<double> number, spread(0, 4);
    std::vector<float> values(500);
    for (std::size_t i = 0; i < values.size(); ++i)
        values[i] = i % 11 == 0 ? 0.0f : static_cast<float>(number(random) * std::exp2(spread(random)) * center);
    return values;
}

struct Stored {
    double flushed = 0;  // share of those that are not 0
    bool overflows = false;
};

Stored convertEach(Dtype format, const std::vector<float>& values, double factor) {
    std::vector<float> scaled, stored(values.size());
    for (const float value : values) scaled.push_back(static_cast<float>(static_cast<double>(value) * factor));
    roundArray(format, scaled.data(), stored.data(), stored.size());
    std::int64_t flushed = 0, numbers = 0;
    Stored result;
    for (std::size_t i = 0; i < values.size(); ++i) {
        numbers += values[i] != 0 ? 1 : 0;
        flushed += values[i] != 0 && stored[i] == 0 ? 1 : 0;
        result.overflows = result.overflows || !std::isfinite(stored[i]);
    }
    result.flushed = static_cast<double>(flushed) / static_cast<double>(numbers);
    return result;
}

class UsableScalesOf : public testing::TestWithParam<Dtype> {};

/// Three looks at other scales, as a scaler leaves them: what holds for a candidate is asked of every gradient.
TEST_P(UsableScalesOf, AgreesWithTheConversionOfEachGradient) {
    const Dtype format = GetParam();
    const double center = facts(format).maxFinite * facts(format).minSubnormal;  // squared: the middle of its range
    std::vector<StepStats> looks;
    std::vector<std::vector<float>> unscaled;
    const std::vector<double> scales{256, 512, 128};
    for (std::size_t i = 0; i < scales.size(); ++i) {
        const std::vector<float> gradients = gradientsAbout(std::sqrt(center) / 4096, static_cast<unsigned>(i));
        std::vector<float> scaled;
        for (const float g : gradients) scaled.push_back(g * static_cast<float>(scales[i]));
        unscaled.push_back(gradients);
        looks.push_back({static_cast<std::int64_t>(i),
                         scales[i],
                         {statsOfValues("layers.1", "layers.1.weight.grad", TensorRole::WeightGradient, scaled)}});
    }
    constexpr double kMost = 0.05;
    const std::vector<UsableScales> usableScales = usableScalesOf(looks, {.mostFlushed = kMost, .format = format});
    ASSERT_EQ(usableScales.size(), 1u);
    const UsableScales& usable = usableScales.front();
    for (int power = -30; power <= 60; ++power) {
        const double scale = std::exp2(power);
        double flushed = 0;
        bool overflows = false;
        for (const auto& gradients : unscaled) {
            const Stored stored = convertEach(format, gradients, scale);
            flushed += stored.flushed / 3;
            overflows = overflows || stored.overflows;
        }
        EXPECT_EQ(usable.holds(scale), flushed <= kMost && !overflows)
            << "2^" << power << ": " << flushed << " flushed, overflows " << overflows << "; " << usable.sentence.english();
        if (scale == scales.back()) {
            EXPECT_NEAR(usable.flushed, flushed, 1e-12);
        }
    }
    EXPECT_EQ(usable.layer, "layers.1");
    EXPECT_EQ(usable.highestBy, "layers.1.weight.grad");
    EXPECT_EQ(usable.isEmpty(), format == Dtype::E4M3) << "eight bits do not hold that many powers of two";
}
INSTANTIATE_TEST_SUITE_P(Formats, UsableScalesOf, testing::Values(Dtype::F16, Dtype::E4M3, Dtype::E5M2),
                         [](const auto& format) { return std::string(facts(format.param).name); });

TEST(UsableScales, OfSeveralLayersIsWhereAllOverlap) {
    const StepStats look{0,
                         1,
                         {statsOfValues("a", "a.grad", TensorRole::Gradient, {1, 2}),
                          statsOfValues("b", "b.grad", TensorRole::Gradient, {0x1p-40f, 0x1p-39f}),
                          statsOfValues("a", "a.output", TensorRole::Value, {1e30f})}};
    const std::vector<UsableScales> usableScales = usableScalesOf(std::span(&look, 1), {.format = Dtype::F16});
    ASSERT_EQ(usableScales.size(), 2u);
    EXPECT_EQ(usableScales[0].highest, 0x1p14);  // twice that: 65536
    EXPECT_EQ(usableScales[0].lowest, 0x1p-24);  // half that: 2^-25, which goes to 0
    EXPECT_EQ(usableScales[0].headroom, std::log2(65504.0 / 2));
    EXPECT_EQ(usableScales[0].sentence.english(), "any loss scale from 2⁻²⁴ to 2¹⁴ is safe");
    const UsableScales both = intersectionOf(usableScales);
    EXPECT_TRUE(both.isEmpty());
    EXPECT_EQ(both.lowestBy, "b");
    EXPECT_EQ(both.highestBy, "a.grad");
    EXPECT_EQ(both.sentence.english(),
              "no loss scale suits all layers: b loses its small gradients below a loss scale of 2¹⁶, and a.grad overflows above 2¹⁴");
}

TEST(UsableScales, EmptyOnesSayWhatToDo) {
    const StepStats look{0, 1, {statsOfValues("head", "head.weight.grad", TensorRole::WeightGradient, {0x1p-40f, 0x1p10f, -0x1p-40f})}};
    const UsableScales usable = usableScalesOf(std::span(&look, 1), {.format = Dtype::F16}).front();
    EXPECT_TRUE(usable.isEmpty());
    EXPECT_EQ(usable.sentence.english(),
              "FP16 cannot work here: override this layer (head loses its small gradients below a loss scale of 2¹⁶, and head.weight.grad "
              "overflows above 2⁵)");
}

TEST(UsableScales, WhatHasOverflowedNeedsALowerScaleThanItHad) {
    std::vector<StepStats> looks{{0, 1024, {statsOfValues("a", "a.grad", TensorRole::Gradient, {1, INFINITY}, Dtype::F16)}},
                                 {1, 256, {statsOfValues("a", "a.grad", TensorRole::Gradient, {1}, Dtype::F16)}}};
    const UsableScales open = usableScalesOf(looks).front();
    EXPECT_EQ(open.highest, 512);
    EXPECT_EQ(open.overflowedBy, "a.grad");
    EXPECT_EQ(open.sentence.english(),
              "no loss scale below 2⁻¹⁴ or above 2⁹ is usable; how far below 2⁹ it must be is not known, because a.grad overflowed");
    EXPECT_EQ(intersectionOf({&open, 1}).sentence, open.sentence);
    looks[0].tensors[0].classes.positiveInf = 0;
    EXPECT_EQ(usableScalesOf(looks).front().overflowedBy, "");
    EXPECT_EQ(usableScalesOf(looks).front().highest, 256 * 0x1p15);
}

TEST(UsableScales, AForwardPassThatFailedSaysNothingOfScales) {
    const auto value = [](float last) { return statsOfValues("a", "a.output", TensorRole::Value, {1, last}, Dtype::F16); };
    const auto gradient = [](float last) { return statsOfValues("a", "a.grad", TensorRole::Gradient, {1, last}, Dtype::F16); };
    const StepStats sound{0, 256, {value(2), gradient(1)}}, failed{1, 256, {value(INFINITY), gradient(NAN)}};
    EXPECT_TRUE(isForwardBroken(failed));
    EXPECT_FALSE(isForwardBroken({1, 256, {value(-INFINITY), gradient(INFINITY)}})) << "a mask, and an overflow";
    EXPECT_FALSE(isForwardBroken({1, 256, {value(INFINITY), gradient(1)}})) << "it reached no gradient";
    EXPECT_EQ(usableScalesOf(std::vector{sound, failed}).front().highest, usableScalesOf({&sound, 1}).front().highest);
    EXPECT_TRUE(usableScalesOf({&failed, 1}).empty());
    const std::vector<StepStats> gradients{sound, {1, 256, {gradient(NAN)}}};  // no value of the forward pass was measured
    EXPECT_EQ(usableScalesOf(gradients, {.failedSteps = {1}}).front().highest, usableScalesOf({&sound, 1}).front().highest);
    EXPECT_NE(usableScalesOf(gradients).front().overflowedBy, "");
}

TEST(UsableScales, ManyInfinitiesDoNotRaiseTheLowerBound) {
    const StepStats few{0, 1, {statsOfValues("a", "a.grad", TensorRole::Gradient, {1, 1, 1}, Dtype::F16)}};
    StepStats many{0, 1, {statsOfValues("a", "a.grad", TensorRole::Gradient, {1, 1, 1, 0x1p-24f}, Dtype::F16)}};
    many.tensors[0].classes.positiveInf = 96;  // with them, the smallest is one of a hundred
    EXPECT_EQ(usableScalesOf({&many, 1}).front().lowest, usableScalesOf({&few, 1}).front().lowest);
    many.tensors.push_back(statsOfValues("b", "b.grad", TensorRole::Gradient, {0, 0}, Dtype::F16));
    EXPECT_EQ(intersectionOf(usableScalesOf({&many, 1})).sentence.english(),
              "all gradients of b are 0 at this loss scale, and a.grad overflowed at it, so no scale can be called safe");
}

TEST(UsableScales, WhatPassesThroughTheLossCountsAsAnElement) {
    StepStats look{.lossScale = 1024, .tensors = {statsOfValues("loss", "layers.2.output.grad", TensorRole::Gradient, {0.001f, 0.002f})}};
    look.tensors[0].storage = Dtype::F16;
    const double free = usableScalesOf(std::span(&look, 1)).front().highest;
    look.tensors[0].passed = 1024.0 / 64;  // of 64 samples
    const UsableScales bounded = usableScalesOf(std::span(&look, 1)).front();
    EXPECT_GT(free, 0x1p22);
    EXPECT_EQ(bounded.highest, 0x1p21) << "2^22 / 64 overflows";
    EXPECT_EQ(bounded.highestBy, "layers.2.output.grad");
}

TEST(UsableScales, NothingToSay) {
    EXPECT_TRUE(usableScalesOf({}).empty());
    const StepStats zeros{0, 8, {statsOfValues("a", "a.grad", TensorRole::Gradient, {0, 0})}};
    EXPECT_EQ(usableScalesOf(std::span(&zeros, 1)).front().sentence.english(), "any loss scale is safe");
}

TEST(Forecast, AddsALayersTensorsOfOneRole) {
    const std::vector<float> first = gradientsAbout(1e-6, 1), second = gradientsAbout(1e-3, 2), values = gradientsAbout(100, 3);
    const StepStats look{
        0,
        1,
        {statsOfValues("a", "a.output", TensorRole::Value, values), statsOfValues("b", "b.grad", TensorRole::Gradient, first),
         statsOfValues("b", "b.input.grad", TensorRole::Gradient, second), statsOfValues("a", "a.weight", TensorRole::Weight, values),
         statsOfValues("a", "a.mean", TensorRole::Statistic, values)}};
    for (const Dtype format : {Dtype::F16, Dtype::BF16, Dtype::E5M2}) {
        const auto forecasts = forecast(look, {.format = format, .gradientShift = 10});
        ASSERT_EQ(forecasts.size(), 3u);
        EXPECT_EQ(forecasts[1].layer + std::string(roleName(forecasts[1].role)), "aweight") << "a layer's roles stand side by side";
        EXPECT_EQ(forecasts[0].stored, storedIn(format, histogramOfValues(values)));
        StoredCounts expected = storedIn(format, histogramOfValues(first), 10);
        const StoredCounts more = storedIn(format, histogramOfValues(second), 10);
        EXPECT_EQ(forecasts[2].stored.flushed, expected.flushed + more.flushed);
        EXPECT_EQ(forecasts[2].stored.total(), expected.total() + more.total());
        EXPECT_EQ(forecasts[2].shift, 10);
        EXPECT_EQ(forecasts[2].zeros, 2 * 46);
    }
}

TEST(Forecast, ScalesOfTheirOwnTakeEachTensorToTheTop) {
    const StepStats look{
        0, 1, {statsOfValues("a", "a.output", TensorRole::Value, {3, 0.001f}), statsOfValues("b", "b.output", TensorRole::Value, {0, 0})}};
    const auto forecasts = forecast(look, {.format = Dtype::E4M3, .scalesEachTensor = true});
    EXPECT_EQ(forecasts[0].shift, 7);  // 384; 768 is beyond 448
    EXPECT_EQ(forecasts[0].stored, (StoredCounts{.normal = 2}));
    EXPECT_EQ(forecasts[1].shift, 0);
}

/// What is 0 already says nothing of a scale: in FP16 it may have been flushed. In FP32 it is 0.
TEST(UsableScales, GradientsThatAreAllZeroMakeNoScaleSafe) {
    for (const Dtype storage : {Dtype::F16, Dtype::F32}) {
        StepStats look{.step = 0, .lossScale = 0x1p-30};
        look.tensors.push_back(test::statsOfValues("layers.1", "layers.1.weight.grad", TensorRole::WeightGradient, {0.5f, 0.25f}, storage));
        look.tensors.push_back(test::statsOfValues("layers.0", "layers.0.weight.grad", TensorRole::WeightGradient, {0, 0, 0}, storage));
        const std::vector<UsableScales> usableScales = usableScalesOf(std::span(&look, 1));
        const UsableScales all = intersectionOf(usableScales);
        EXPECT_EQ(all.isKnown(), storage == Dtype::F32);
        EXPECT_EQ(all.holds(0x1p-30), storage == Dtype::F32) << all.lowest;
        if (storage == Dtype::F16) {
            EXPECT_NE(all.sentence.english().find("all gradients of layers.0 are 0 at this loss scale"), std::string::npos)
                << all.sentence.english();
        }
    }
}

/// A probe counts weight gradients after GradScaler has unscaled them, in FP32; the backward pass made them in FP16 with the scale.
TEST(UnscaledGradients, BoundScalesAsTheScaledOnesDo) {
    constexpr double kScale = 65536;
    const std::vector<float> values = gradientsAbout(0x1p-14, 3);
    std::vector<float> scaled;
    for (const float value : values) scaled.push_back(value * static_cast<float>(kScale));
    const TensorStats output = statsOfValues("a", "a.output.grad", TensorRole::Gradient, {1, 2}, Dtype::F16);
    TensorStats unscaled = statsOfValues("a", "a.weight.grad", TensorRole::WeightGradient, values);
    unscaled.isScaled = false;
    const StepStats own{0, kScale, {output, statsOfValues("a", "a.weight.grad", TensorRole::WeightGradient, scaled, Dtype::F16)}};
    const StepStats watched{0, kScale, {output, unscaled}};
    const UsableScales expected = intersectionOf(usableScalesOf({&own, 1})), found = intersectionOf(usableScalesOf({&watched, 1}));
    EXPECT_EQ(found.highest, expected.highest);
    EXPECT_EQ(found.lowest, expected.lowest);
    EXPECT_EQ(found.highestBy, "a.weight.grad");
    EXPECT_NEAR(found.headroom, expected.headroom, 1e-9);
}

}  // namespace
}  // namespace mantissa
