// SPDX-License-Identifier: Apache-2.0
// Examinations as the engine could send them.
#pragma once

#include <cmath>

#include "engine/diagnosis/examination.h"

namespace mantissa::gui {

/// fp16 at 2^22: the weight gradient of the last layer is beyond 65504; 2^20 and below would fit. One remedy helps, one does not, one was
/// not tried.
inline Examination skippedStep(std::int64_t step) {
    Examination found{.step = step, .policy = "fp16", .lossScale = 4194304, .wasSkipped = true};
    found.card = {.layer = "layers.7",
                  .operation = "linear_grad_weight",
                  .phase = "backward",
                  .tensor = "layers.7.weight.grad",
                  .cls = "-Inf",
                  .format = "fp16",
                  .storage = "fp16",
                  .shape = {10, 128},
                  .instruction = 41,
                  .instructions = 63,
                  .element = {0, 0},
                  .nonFinite = 351,
                  .elements = 1280,
                  .bits = 0xfc00,
                  .wide = -67411,
                  .wideMax = 160634,
                  .wideMaxAt = {6, 81},
                  .formatMax = 65504,
                  .productSum = 64,
                  .operands = {{"layers.7.output.grad", "fp16", {64, 10}, 0, 0.5, 59840}, {"layers.7.input", "fp16", {64, 128}, 3, 0, 0}},
                  .chain = {{"layers.0", "linear", "forward", "layers.0.output", "fp16", 2.21, 0},
                            {"layers.7", "linear", "forward", "layers.7.output", "fp16", 0.351, 0},
                            {"layers.7", "linear_grad_weight", "backward", "layers.7.weight.grad", "fp16", 65000, 351},
                            {"layers.6", "linear_grad_weight", "backward", "layers.6.weight.grad", "fp16", 14792, 0}},
                  .foundInf = {"layers.7.weight", "layers.7.bias"},
                  .parameters = 16};
    Trial used{.label = "FP16 × 2²², in use"_text, .policy = "fp16", .scale = 4194304, .isAsUsed = true, .nonFinite = 357};
    used.flushedShare = used.difference = std::nan("");
    const Trial wide{.label = "FP32, not scaled"_text, .policy = "fp32", .isReference = true};
    const Trial lower{.label = "FP16 × 2²⁰"_text, .policy = "fp16", .scale = 1048576, .flushedShare = 0.0009, .difference = 0.00047};
    const Trial refused{.label = "BF16"_text, .policy = "bf16", .failure = "this backend has none"};
    found.trials = {used, wide, lower, refused};
    found.verdict.kind = StepVerdict::ScaleTooHigh;
    found.verdict.headline = "The loss scale was too high."_text;
    found.verdict.explanation = "The same batch gives finite gradients at 2²⁰ and below."_text;
    found.verdict.safeScale = 1048576;
    found.verdict.wouldNotHelp = {"Clipping would not help."_text};
    found.remedies = {
        {.label = "layers.7 in FP32"_text,
         .pointer = "/precision/overrides/layers.7",
         .value = "\"fp32\"",
         .steps = 20,
         .skips = 3,
         .nonFinite = 3,
         .sentence = "3 skips in the next 20 steps."_text},
        {.label = "Set scale 2¹⁹"_text,
         .pointer = "/scaler/scale",
         .value = "524288",
         .steps = 20,
         .helps = true,
         .sentence = "No skip, nothing non-finite in the next 20 steps."_text},
        {.label = "Switch to BF16"_text, .pointer = "/precision", .value = "\"bf16\""},
        {.label = "Leave it"_text, .steps = 20, .skips = 20, .nonFinite = 20, .sentence = "20 skips in the next 20 steps."_text}};
    found.cardMs = 61;
    return found;
}

/// A step in which all is well, looked at because somebody asked.
inline Examination soundStep(std::int64_t step) {
    Examination found{.step = step, .policy = "fp16", .lossScale = 65536};
    found.card.chain = {{"layers.0", "linear", "forward", "layers.0.output", "fp16", 2.21, 0}};
    found.card.parameters = 16;
    found.verdict.kind = StepVerdict::Sound;
    found.verdict.headline = "Nothing is wrong with this step."_text;
    return found;
}

}  // namespace mantissa::gui
