// SPDX-License-Identifier: Apache-2.0
// What is said before a switch of format: each figure from the conversion of each number.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "engine/diagnosis/predict.h"
#include "engine/diagnosis/usable_scales.h"
#include "tests/engine/diagnosis/stats_values.h"

namespace mantissa {
namespace {

using test::statsOfValues;

/// Values that fp16 holds, and gradients of two layers: of layers.0 one of four is below what fp16 has, until they are scaled by 2^8.
StepStats soundLook() {
    return {40,
            1,
            {statsOfValues("layers.0", "layers.0.output", TensorRole::Value, {1, 2, 0}),
             statsOfValues("layers.1", "layers.1.output", TensorRole::Value, {4}),
             statsOfValues("layers.1", "layers.1.weight.grad", TensorRole::WeightGradient, {0.5f, 1}),
             statsOfValues("layers.0", "layers.0.weight.grad", TensorRole::WeightGradient, {0x1p-30f, 0x1p-10f}),
             statsOfValues("layers.0", "layers.0.input.grad", TensorRole::Gradient, {0x1p-9f, -0x1p-8f, 0}),
             statsOfValues("layers.0", "layers.0.weight", TensorRole::Weight, {1}),
             statsOfValues("layers.0", "layers.0.weight", TensorRole::Update, {0x1p-10f})}};
}

TEST(ForecastVerdict, SaysWhatWouldBeFlushedAtThatScale) {
    StepStats look = soundLook();
    ForecastVerdict said = forecastVerdict(look, ForecastSettings::of(Dtype::F16, 0));
    EXPECT_EQ(said.severity, Severity::Note);
    EXPECT_EQ(said.sentence.english(),
              "As FP16 without a loss scale nothing would overflow; 25 % of the gradients of layers.0 would flush to zero.");
    said = forecastVerdict(look, ForecastSettings::of(Dtype::F16, 8));
    EXPECT_EQ(said.severity, Severity::Good);
    EXPECT_EQ(said.sentence.english(), "As FP16 with loss scale 2⁸ nothing would overflow or flush to zero.");
    EXPECT_EQ(forecastVerdict(look, ForecastSettings::of(Dtype::BF16, 0)).severity, Severity::Good);
    look.tensors.push_back(statsOfValues("loss", "loss.grad", TensorRole::Gradient, {1, 0x1p-40f}));
    EXPECT_NE(forecastVerdict(look, ForecastSettings::of(Dtype::F16, 0)).sentence.english().find("50 % of the gradients of loss"),
              std::string::npos);
}

TEST(ForecastVerdict, ForwardValuesAndUpdatesHaveTheirWord) {
    StepStats look = soundLook();
    look.tensors[1] = statsOfValues("layers.1", "layers.1.output", TensorRole::Value, {4, 0x1p-40f});
    look.tensors.back() = statsOfValues("layers.0", "layers.0.weight", TensorRole::Update, {0x1p-10f, 0x1p-26f, 0x1p-26f, 0});
    EXPECT_EQ(forecastVerdict(look, ForecastSettings::of(Dtype::F16, 0)).sentence.english(),
              "As FP16 without a loss scale nothing would overflow; 25 % of the gradients of layers.0 and 50 % of the forward values of "
              "layers.1 would "
              "flush to zero. Weights kept in it would miss at least 67 % of the updates of layers.0.");
    EXPECT_EQ(
        forecastVerdict(look, ForecastSettings::of(Dtype::F16, 8)).sentence.english(),
        "As FP16 with loss scale 2⁸ nothing would overflow; 50 % of the forward values of layers.1 would flush to zero. Weights kept in it "
        "would miss at least 67 % of the updates of layers.0.");
}

TEST(ForecastVerdict, AValueThatDoesNotFitIsNamedAndWhetherBf16HoldsIt) {
    StepStats look = soundLook();
    look.tensors[1] = statsOfValues("layers.1", "layers.1.output", TensorRole::Value, {4, -275117, 70000});  // 4.2 times 65504
    ForecastVerdict said = forecastVerdict(look, ForecastSettings::of(Dtype::F16, 16));
    EXPECT_EQ(said.severity, Severity::Bad);
    EXPECT_EQ(said.sentence.english(),
              "FP16 cannot hold layers.1.output: its largest value is 4.2 times the limit of 65\u202F504, and no loss scale changes that. "
              "BF16 can.");
    look.tensors[1] = statsOfValues("layers.1", "layers.1.output", TensorRole::Value, {std::numeric_limits<float>::max()});
    EXPECT_NE(forecastVerdict(look, ForecastSettings::of(Dtype::F16, 0)).sentence.english().find("Nor can BF16."), std::string::npos);
    said = forecastVerdict(look, ForecastSettings::of(Dtype::BF16, 0));
    EXPECT_EQ(said.severity, Severity::Bad);
    EXPECT_EQ(said.sentence.english().find("BF16 can."), std::string::npos);
    look.tensors[1] = statsOfValues("layers.1", "layers.1.output", TensorRole::Value, {70000});  // the lesser of two
    look.tensors[5] = statsOfValues("layers.0", "layers.0.weight", TensorRole::Weight, {1e6f});
    EXPECT_EQ(forecastVerdict(look, ForecastSettings::of(Dtype::F16, 0)).sentence.english().substr(0, 33),
              "FP16 cannot hold layers.0.weight:");
}

TEST(ForecastVerdict, GradientsThatOverflowHaveAScaleThatHelps) {
    const StepStats look = soundLook();
    // the largest gradient is 1: 2^15 is the last power of two that fp16 has
    const ForecastVerdict said = forecastVerdict(look, ForecastSettings::of(Dtype::F16, 16));
    EXPECT_EQ(said.severity, Severity::Bad);
    EXPECT_EQ(said.sentence.english(),
              "As FP16 with loss scale 2¹⁶ 50 % of the gradients of layers.1 would overflow: the largest is 1 times the limit of "
              "65\u202F504. From "
              "2¹⁵ down none would.");
    EXPECT_NE(forecastVerdict(look, ForecastSettings::of(Dtype::F16, 15)).severity, Severity::Bad);
}

TEST(ForecastVerdict, ScalesOfTheirOwnNeedNoLossScale) {
    StepStats look = soundLook();
    look.tensors[1] = statsOfValues("layers.1", "layers.1.output", TensorRole::Value, {1e9f});
    const ForecastVerdict said = forecastVerdict(look, ForecastSettings::of(Dtype::E4M3, 30));
    EXPECT_EQ(
        said.sentence.english(),
        "As FP8 E4M3, each tensor with a scale of its own, nothing would overflow; 25 % of the gradients of layers.0 would flush to zero.");
    for (const LayerForecast& each : forecast(look, ForecastSettings::of(Dtype::E4M3, 30)))
        EXPECT_TRUE(each.role != TensorRole::Update && each.role != TensorRole::Weight) << "kept in a wider format";
}

TEST(ForecastVerdict, WhatIsLostAlreadyIsSaid) {
    StepStats look = soundLook();
    EXPECT_EQ(forecastVerdict(look, {}).caveat.english(), "");
    look.tensors[3].storage = Dtype::F16;
    EXPECT_EQ(forecastVerdict(look, {}).caveat.english(),
              "Tensors of this step were stored in FP16: what that rounding lost is not counted.");
    EXPECT_EQ(forecastVerdict({}, {}).sentence.english(), "");
}

TEST(ForecastVerdict, WhatWasNotLookedAtIsSaid) {
    StepStats look = soundLook();
    look.tensors[0].elements = 24;
    const std::string part = "One block in eight of the larger tensors was measured; the other blocks are not counted.";
    EXPECT_EQ(forecastVerdict(look, ForecastSettings::of(Dtype::F16, 8)).caveat.english(), part);
    look.tensors[1].storage = Dtype::F16;
    EXPECT_EQ(forecastVerdict(look, ForecastSettings::of(Dtype::F16, 8)).caveat.english(),
              part + " Tensors of this step were stored in FP16: what that rounding lost is not counted.");
    look.tensors[2].elements = 16;
    const UsableScales usable = intersectionOf(usableScalesOf({&look, 1}, {.format = Dtype::F16}));
    EXPECT_TRUE(usable.sentence.english().ends_with(" is safe, as far as one block in eight shows")) << usable.sentence.english();
    look.tensors[2].elements = 2;
    EXPECT_TRUE(intersectionOf(usableScalesOf({&look, 1}, {.format = Dtype::F16})).sentence.english().ends_with(" is safe"));
}

TEST(ForecastVerdict, OfWhatIsNotFiniteNothingIsPromised) {
    StepStats look = soundLook();
    look.tensors[2] = statsOfValues("layers.1", "layers.1.weight.grad", TensorRole::WeightGradient, {INFINITY, 1});
    const ForecastVerdict said = forecastVerdict(look, ForecastSettings::of(Dtype::F16, 8));
    EXPECT_EQ(said.severity, Severity::Note);
    EXPECT_EQ(said.sentence.english(),
              "Gradients of layers.1 are not finite in this step already. Choose a finite step for a forecast of FP16.");
    look.tensors[0] = statsOfValues("layers.0", "layers.0.output", TensorRole::Value, {NAN, 1});
    EXPECT_EQ(forecastVerdict(look, ForecastSettings::of(Dtype::F16, 8)).sentence.english(),
              "Forward values of layers.0 are not finite in this step already. Choose a finite step for a forecast of FP16.");
    look.tensors[1] = statsOfValues("layers.1", "layers.1.output", TensorRole::Value, {70000});
    EXPECT_EQ(forecastVerdict(look, ForecastSettings::of(Dtype::F16, 8)).severity, Severity::Bad) << "that is certain";
}

TEST(UsableScales, TheScaleToGoWithIsTheUsedOneWhereItIsSafe) {
    UsableScales usable{.lowest = 0x1p4, .highest = 0x1p15, .lowestBy = "a", .highestBy = "b"};
    EXPECT_EQ(scaleFrom(usable, 0x1p4), 0x1p4);
    EXPECT_EQ(scaleFrom(usable, 1000), 1000);
    EXPECT_EQ(scaleFrom(usable, 1), 0x1p8);
    EXPECT_EQ(scaleFrom(usable, 0x1p20), 0x1p11);
    usable.highest = 0x1p7;
    EXPECT_EQ(scaleFrom(usable, 1), 0x1p5) << "not beyond the middle";
    EXPECT_EQ(scaleFrom(usable, 0x1p20), 0x1p6);
    usable.highest = 0x1p3;
    EXPECT_EQ(scaleFrom(usable, 0x1p4), 0x1p3) << "it is empty";
    EXPECT_EQ(scaleFrom({.highest = 0x1p15, .highestBy = "b"}, 0x1p16), 0x1p11);
    EXPECT_EQ(scaleFrom({.lowest = 0x1p4, .lowestBy = "a"}, 1), 0x1p8);
    EXPECT_EQ(scaleFrom({}, 7), 7) << "nothing bounds it";
}

}  // namespace
}  // namespace mantissa
