// SPDX-License-Identifier: Apache-2.0
// Two runs held against each other: the differences against sums over all elements, and what first parts them.
#include "engine/diagnosis/run_comparison.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <random>

namespace mantissa {
namespace {

constexpr float kNaN = std::numeric_limits<float>::quiet_NaN(), kInf = std::numeric_limits<float>::infinity();

StepTensor valueOf(const std::string& layer, std::vector<float> values) {
    return {layer, "linear", layer + ".output", TensorRole::Value, 1, std::move(values)};
}

/// The only layer's difference.
LayerDifference differenceOf(std::vector<float> a, std::vector<float> b) {
    const auto layers = layerDifferences({valueOf("x", std::move(a))}, {valueOf("x", std::move(b))});
    EXPECT_EQ(layers.size(), 1u);
    return layers.at(0);
}

TEST(RunComparison, DifferencesAreThoseOfSumsOverAllElementsOfALayer) {
    std::mt19937 random(7);
    std::normal_distribution<float> normal(0, 3);
    const auto draw = [&](std::size_t count) {
        std::vector<float> values(count);
        for (float& value : values) value = normal(random);
        return values;
    };
    const std::vector<float> weightA = draw(40), weightB = draw(40), biasA = draw(5), biasB = draw(5), valueA = draw(64), valueB = draw(64);
    const auto gradient = [](const char* name, double scale, const std::vector<float>& values) {
        return StepTensor{"layers.0", "linear_grad", name, TensorRole::WeightGradient, scale, values};
    };
    const StepTensors a{valueOf("layers.0", valueA), gradient("layers.0.weight.grad", 1024, weightA),
                        gradient("layers.0.bias.grad", 1024, biasA)};
    const StepTensors b{gradient("layers.0.bias.grad", 0.5, biasB), gradient("layers.0.weight.grad", 0.5, weightB),
                        valueOf("layers.0", valueB)};
    const auto layers = layerDifferences(a, b);
    ASSERT_EQ(layers.size(), 2u);
    EXPECT_EQ(layers[0].role, TensorRole::Value) << "in the order in which they were made";
    EXPECT_EQ(layers[1].role, TensorRole::WeightGradient);

    long double distance = 0, length = 0;
    const auto add = [&](const std::vector<float>& x, const std::vector<float>& y, long double scaleX, long double scaleY) {
        for (std::size_t i = 0; i < x.size(); ++i) {
            distance += (x[i] / scaleX - y[i] / scaleY) * (x[i] / scaleX - y[i] / scaleY);
            length += (y[i] / scaleY) * (y[i] / scaleY);
        }
    };
    add(weightA, weightB, 1024, 0.5L);
    add(biasA, biasB, 1024, 0.5L);
    EXPECT_NEAR(layers[1].relative(), static_cast<double>(std::sqrt(distance / length)), 1e-12);
    EXPECT_NEAR(layers[1].length, static_cast<double>(std::sqrt(length)), 1e-10);
    EXPECT_EQ(layers[1].elements, 45);
    EXPECT_EQ(layers[1].tensor, "layers.0.weight.grad") << "most of the distance is its";
    distance = length = 0;
    add(valueA, valueB, 1, 1);
    EXPECT_NEAR(layers[0].relative(), static_cast<double>(std::sqrt(distance / length)), 1e-12);
}

TEST(RunComparison, GradientsAreComparedWithoutTheirLossScales) {
    const auto gradient = [](double scale, std::vector<float> values) {
        return StepTensors{{"l", "g", "l.grad", TensorRole::Gradient, scale, std::move(values)}};
    };
    EXPECT_EQ(layerDifferences(gradient(65536, {65536, -131072}), gradient(1, {1, -2}))[0].relative(), 0);
    EXPECT_EQ(layerDifferences(gradient(0, {0, 1}), gradient(1, {1, -2}))[0].broken, 2) << "a scale that has fallen to 0 leaves nothing";
}

TEST(RunComparison, WhatOnlyOneRunMakesIsLeftOut) {
    const StepTensors a{
        valueOf("x", {1}), {"x", "cast", "x.input as fp16", TensorRole::Value, 1, {1}}, valueOf("y", {1, 2}), valueOf("z", {})};
    const StepTensors b{
        valueOf("x", {1}), {"x", "cast", "x.input as bf16", TensorRole::Value, 1, {9}}, valueOf("y", {1, 2, 3}), valueOf("z", {})};
    const auto layers = layerDifferences(a, b);
    ASSERT_EQ(layers.size(), 1u) << "neither the cast nor what is of another size, nor what is empty";
    EXPECT_EQ(layers[0].layer, "x");
    EXPECT_EQ(layers[0].relative(), 0);
    EXPECT_EQ(layers[0].elements, 1);
    EXPECT_TRUE(layerDifferences({}, b).empty());
}

TEST(RunComparison, NonFiniteElementsAreCountedAndNeverHidden) {
    EXPECT_EQ(differenceOf({1, kNaN}, {1, 2}).relative(), INFINITY);
    EXPECT_EQ(differenceOf({1, 2}, {1, kInf}).relative(), INFINITY);
    EXPECT_EQ(differenceOf({1, kInf}, {1, -kInf}).relative(), INFINITY) << "not the same infinity";
    EXPECT_EQ(differenceOf({1, kInf}, {1, kNaN}).broken, 1);
    const LayerDifference masked = differenceOf({-kInf, 3}, {-kInf, 4});
    EXPECT_EQ(masked.relative(), 0.25) << "what both hide is no difference";
    EXPECT_EQ(masked.alike, 1);
    EXPECT_EQ(masked.broken, 0);
    EXPECT_TRUE(std::isnan(differenceOf({kNaN, kInf}, {kNaN, kInf}).relative())) << "nothing can be compared";
    EXPECT_EQ(differenceOf({0, 0}, {0, -0.0F}).relative(), 0);
    EXPECT_EQ(differenceOf({1, 0}, {0, 0}).relative(), INFINITY) << "nothing to be relative to";
}

LayerDifference row(const std::string& layer, TensorRole role, double relative) {
    LayerDifference difference{layer, role, layer + ".t", relative, 1, 10, 0, 0};
    if (std::isinf(relative)) difference.broken = 3;
    if (std::isnan(relative)) difference.alike = 10;
    return difference;
}

TEST(RunComparison, TheFirstStepAndInItTheFirstLayerIsNamed) {
    using enum TensorRole;
    const std::vector<StepComparison> steps{{0, {row("a", Weight, 0), row("a", Value, 0.001), row("b", Gradient, NAN)}},
                                            {1, {row("a", Weight, 0), row("a", Value, 0.01), row("b", Gradient, 0.002)}},
                                            {5, {row("a", Weight, 0), row("a", Value, 0.001), row("b", Gradient, 0.5)}},
                                            {6, {row("a", Weight, 0.2), row("a", Value, 7), row("b", Gradient, INFINITY)}}};
    const auto at = [&](double bound) {
        const auto found = firstApart(steps, bound);
        return found ? std::pair(static_cast<int>(found->comparison), static_cast<int>(found->layer)) : std::pair(-1, -1);
    };
    EXPECT_EQ(at(0.0005), std::pair(0, 1));
    EXPECT_EQ(at(0.005), std::pair(1, 1));
    EXPECT_EQ(at(0.01), std::pair(2, 2)) << "above the bound, not at it";
    EXPECT_EQ(at(0.5), std::pair(3, 1));
    EXPECT_EQ(at(10), std::pair(3, 2)) << "no bound is above what is not finite";
    EXPECT_EQ(firstApart(std::span(steps).first(3), 10), std::nullopt);
    EXPECT_EQ(largestDifference(std::span(steps).first(3)), 0.5);
    EXPECT_EQ(largestDifference(std::span(steps).first(3), Value), 0.01);
    EXPECT_EQ(largestDifference(std::span(steps).first(1), Gradient), 0) << "what cannot be compared counts for nothing";

    EXPECT_EQ(comparisonSentence("p", "q", steps, 0.0005), "First apart at step 0, the first compared: a, 0.1 % (forward, most in a.t).");
    EXPECT_EQ(comparisonSentence("p", "q", steps, 0.005),
              "First apart at step 1: a, 1 % (forward, most in a.t). Until step 0 both agree to 0.1 %.");
    EXPECT_EQ(comparisonSentence("p", "q", steps, 0.01),
              "First apart between steps 2 and 5: b, 50 % at 5 (backward, most in b.t). Until step 1 both agree to 1 %.");
    EXPECT_EQ(comparisonSentence("p", "q", std::span(steps).subspan(3), 10),
              "First apart at step 6, the first compared: b, not finite in 3 elements, unlike in the other run (backward, most in b.t).");
    EXPECT_EQ(comparisonSentence("p", "q", std::span(steps).first(3), 10), "p and q agree to 50 % in all 3 compared steps, 0 to 5.");
    EXPECT_EQ(comparisonSentence("p", "q", {}, 10), "No step of p and q was compared yet.");
    const std::vector<StepComparison> equal{{4, {row("a", Weight, 0), row("b", Value, NAN)}}};
    EXPECT_EQ(comparisonSentence("p", "q", equal, 0.01), "p and q are equal at step 4.");
}

TEST(Sketches, OneOfAnElementHasItInOneSumWithEitherSign) {
    for (const std::size_t place : {0u, 1u, 63u, 64u, 1000u}) {
        std::vector<float> values(1001, 0.0f);
        values[place] = 3;
        const Sketch sketch = sketchOf(values);
        ASSERT_EQ(sketch.size(), 64u);
        EXPECT_EQ(std::count(sketch.begin(), sketch.end(), 0.0f), 63) << place;
        EXPECT_EQ(std::count_if(sketch.begin(), sketch.end(), [](float sum) { return std::abs(sum) == 3; }), 1) << place;
    }
    EXPECT_EQ(sketchOf(std::vector<float>{kNaN, kInf, -kInf}), Sketch(64, 0.0f)) << "what is not finite counts as 0";
    EXPECT_EQ(sketchOf({}), Sketch(64, 0.0f));
}

TEST(Sketches, AreThoseOfTheProbe) {
    // mantissa_probe.sketches.sketch_of(torch.arange(1., 131.)), torch 2.15, its first and last sums
    std::vector<float> values(130);
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i + 1);
    const Sketch sketch = sketchOf(values);
    const std::vector<float> first(sketch.begin(), sketch.begin() + 4), last(sketch.end() - 4, sketch.end());
    EXPECT_EQ(first, (std::vector<float>{-112, -110, 108, 108}));
    EXPECT_EQ(last, (std::vector<float>{-144, -20, 20, -146}));
}

/// Root mean square and mean of estimate / truth over 400 pairs of tensors; `draw` makes the difference.
TEST(Sketches, KnowTheDifferenceToAboutATenth) {
    std::mt19937 random(11);
    std::normal_distribution<float> normal;
    const auto ratioOf = [&](const std::function<float(int)>& difference) {
        double sum = 0, square = 0;
        constexpr int kPairs = 400;
        for (int pair = 0; pair < kPairs; ++pair) {
            std::vector<float> a(3000), b(3000);
            double apart = 0;
            for (int i = 0; i < 3000; ++i) {
                const auto at = static_cast<std::size_t>(i);
                b[at] = normal(random);
                a[at] = b[at] + difference(i);
                apart += std::pow(static_cast<double>(a[at]) - static_cast<double>(b[at]), 2);
            }
            const Sketch one = sketchOf(a), other = sketchOf(b);
            double estimate = 0;
            for (std::size_t i = 0; i < one.size(); ++i) estimate += std::pow(static_cast<double>(one[i] - other[i]), 2);
            const double ratio = std::sqrt(estimate / apart);
            sum += ratio, square += ratio * ratio;
        }
        return std::pair(sum / kPairs, std::sqrt(square / kPairs - sum * sum / kPairs / kPairs));
    };
    // the standard deviation of the root of a mean of 64 squares is 1 / sqrt(128) = 0.088
    const auto everywhere = ratioOf([&](int) { return 1e-3f * normal(random); });
    const auto inAColumn = ratioOf([&](int i) { return i % 64 == 5 ? 1e-2f * normal(random) : 0.0f; });  // as an outlier feature is
    for (const auto& [mean, deviation] : {everywhere, inAColumn}) {
        EXPECT_NEAR(mean, 1, 0.03);
        EXPECT_LT(deviation, 0.11);
    }
}

TensorStats seen(const std::string& tensor, TensorRole role, std::vector<float> values, bool isScaled = false) {
    TensorStats stats{.tensor = tensor, .layer = "l", .role = role, .isScaled = isScaled};
    stats.elements = static_cast<std::int64_t>(values.size());
    for (const float value : values) stats.classes.nan += std::isnan(value) ? 1 : 0;
    stats.sketch = sketchOf(values);
    return stats;
}

TEST(Sketches, TensorsArePairedByNameAndRoleWithoutTheirScales) {
    using enum TensorRole;
    const StepStats a{.step = 3,
                      .lossScale = 1024,
                      .tensors = {seen("l.output", Value, {1, 2}), seen("l.grad", Gradient, {1024, -2048}, true), seen("l.w", Weight, {4}),
                                  seen("l.w.update", Update, {1}), seen("only", Value, {1})}};
    StepStats b{.step = 3,
                .tensors = {seen("l.output", Value, {1, 2}), seen("l.grad", Gradient, {1, -2}), seen("l.w", Weight, {8}),
                            seen("l.w.update", Update, {9}), seen("l.output", Gradient, {7, 7}), seen("other", Value, {1})}};
    b.tensors[0].storage = Dtype::BF16;
    const StepComparison found = compared(a, b);
    ASSERT_EQ(found.layers.size(), 3u) << "no update, and nothing that one of them has alone";
    EXPECT_EQ(found.layers[0].role, Weight) << "that the step began with";
    EXPECT_EQ(found.layers[0].relative(), 0.5);
    EXPECT_EQ(found.layers[1].relative(), 0);
    EXPECT_EQ(found.layers[2].relative(), 0) << "1024 of a scaled gradient is 1";
    EXPECT_EQ(found.coarsest, Dtype::BF16);
    EXPECT_EQ(found.inRoundoffs(0.0078125), 2) << "2^-7 is two unit roundoffs of BF16";
}

TEST(Sketches, ElementsThatAreNotFiniteAreNeverHidden) {
    using enum TensorRole;
    const auto differenceOf = [](std::vector<float> a, std::vector<float> b) {
        return sketchedDifferences({.tensors = {seen("t", Value, std::move(a))}}, {.tensors = {seen("t", Value, std::move(b))}}).at(0);
    };
    EXPECT_EQ(differenceOf({1, kNaN}, {1, 2}).relative(), INFINITY);
    EXPECT_EQ(differenceOf({1, kNaN}, {1, kNaN}).relative(), 0);
    EXPECT_TRUE(std::isnan(differenceOf({kNaN}, {kNaN}).relative())) << "nothing can be compared";
    EXPECT_TRUE(std::isnan(differenceOf(std::vector<float>(6400, 3e38f), std::vector<float>(6400, 3e38f)).relative()))
        << "beyond FP32's sums";
}

TEST(Sketches, WeightGradientsOfAClippedStepAreComparedAtOneNorm) {
    using enum TensorRole;
    StepStats a{.tensors = {seen("w.grad", WeightGradient, {3, 4}), seen("x.grad", Gradient, {1})}};
    const StepStats b{.tensors = {seen("w.grad", WeightGradient, {6, 8}), seen("x.grad", Gradient, {2})}};
    EXPECT_EQ(sketchedDifferences(a, b)[0].relative(), 0.5) << "both clipped or neither";
    a.isBeforeClipping = true;
    EXPECT_NEAR(sketchedDifferences(a, b)[0].relative(), 0, 1e-7);
    EXPECT_EQ(sketchedDifferences(a, b)[1].relative(), 0.5) << "clipping is of weight gradients";
}

TEST(Sketches, AnOwnStepsWeightGradientsAreClippedAsItsOptimizerGetsThem) {
    using enum TensorRole;
    const StepTensors step{{"l", "g", "w.grad", WeightGradient, 2, {99}},  // a first term of the sum
                           {"l", "h", "w.grad", WeightGradient, 2, {6}},
                           {"l", "h", "v.grad", WeightGradient, 2, {8}},
                           {"l", "h", "l.output", Value, 1, {kNaN, 5}, Dtype::F16}};
    const auto sumOf = [](const TensorStats& tensor) {
        return std::abs(
            *std::max_element(tensor.sketch.begin(), tensor.sketch.end(), [](float a, float b) { return std::abs(a) < std::abs(b); }));
    };
    const StepStats clipped = sketched(7, step, false, 1.0), whole = sketched(7, step, true, 1.0), free = sketched(7, step, false, {});
    ASSERT_EQ(clipped.tensors.size(), 3u);
    EXPECT_NEAR(sumOf(clipped.tensors[0]), 0.6, 1e-6) << "3 and 4 have the norm 5";
    EXPECT_NEAR(sumOf(clipped.tensors[1]), 0.8, 1e-6);
    EXPECT_EQ(sumOf(whole.tensors[0]), 3);
    EXPECT_EQ(sumOf(free.tensors[0]), 3);
    EXPECT_TRUE(whole.isBeforeClipping);
    EXPECT_EQ(clipped.tensors[2].classes.nan, 1);
    EXPECT_EQ(clipped.tensors[2].storage, Dtype::F16);
    EXPECT_EQ(clipped.step, 7);
}

TEST(RunComparison, DifferencesAreSaidInTheCoarsestFormatsRoundoffs) {
    const std::vector<StepComparison> steps{{0, {row("a", TensorRole::Value, 0.125)}, Dtype::BF16}};
    EXPECT_EQ(comparisonSentence("p", "q", steps, 0.01),
              "First apart at step 0, the first compared: a, 12 % (32 unit roundoffs of BF16, forward, most in a.t).");
}

}  // namespace
}  // namespace mantissa
