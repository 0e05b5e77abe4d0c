// SPDX-License-Identifier: Apache-2.0
// Messages of the diagnosis with no field at its default.
#pragma once

#include <limits>

#include "engine/experiment/messages.h"

namespace mantissa::test {

inline Examination sampleExamination() {
    Examination e{.step = 12, .policy = "fp16", .lossScale = 65536, .wasSkipped = true};
    e.card = {.layer = "layers.2",
              .operation = "linear_grad_weight",
              .phase = "backward",
              .tensor = "layers.2.weight.grad",
              .cls = "-Inf",
              .format = "fp16",
              .storage = "fp32",
              .shape = {10, 128},
              .instruction = 41,
              .instructions = 63,
              .element = {6, 81},
              .nonFinite = 351,
              .elements = 1280,
              .bits = 0xfc00,
              .isProducer = false,
              .wide = -67411,
              .wideMax = std::numeric_limits<double>::infinity(),
              .wideMaxAt = {0, 1},
              .formatMax = 65504,
              .productSum = 64,
              .operands = {{"a", "fp16", {64, 10}, 1, 1e-7, 59840}},
              .chain = {{"layers.0", "linear", "forward", "layers.0.output", "fp16", 2.21, 3}},
              .foundInf = {"layers.2.weight"},
              .parameters = 16};
    e.trials = {{.label = "FP16"_text,
                 .policy = "fp16",
                 .scale = 2,
                 .overriddenLayer = "x",
                 .isAsUsed = true,
                 .isReference = true,
                 .isForwardFinite = false,
                 .nonFinite = 357,
                 .flushedShare = std::numeric_limits<double>::quiet_NaN(),
                 .difference = 0.5,
                 .failure = "none"}};
    e.verdict = {StepVerdict::ForwardOverflow,
                 "h"_text,
                 {"%1 %2 %3 %4 %5 %6"_text, 1LL << 40, Figure{0.5, 3}, Percent{0.25}, PowerOfTwo{4}, "n", Text("t"_text)},
                 true,
                 4,
                 "layers.2",
                 2.45,
                 {"w"_text}};
    e.remedies = {{.label = "l"_text,
                   .pointer = "/scaler/scale",
                   .value = "4",
                   .steps = 20,
                   .skips = 1,
                   .nonFinite = 2,
                   .helps = true,
                   .sentence = "s"_text}};
    e.cardMs = 61.5;
    e.allMs = 99;
    return e;
}

inline RunsCompared sampleCompared() {
    const LayerDifference gradient{"layers.1", TensorRole::WeightGradient, "layers.1.weight.grad", 0.125, 0x1p-149, 1LL << 40, 3, 4};
    const LayerDifference value{"loss", TensorRole::Value, "loss", std::numeric_limits<double>::infinity(), 2, 1, 5, 6};
    return {.commandId = 7,
            .run = 2,
            .other = 1,
            .comparison = {1LL << 33, {gradient, value}, Dtype::BF16},
            .note = "They train on different batches."};
}

inline TensorsMeasured sampleMeasured() {
    TensorStats gradient{.tensor = "layers.1.weight.grad",
                         .layer = "layers.1",
                         .operation = "linear_grad_weight",
                         .phase = "backward",
                         .role = TensorRole::WeightGradient,
                         .storage = Dtype::F16,
                         .isScaled = true,
                         .elements = 1LL << 40,
                         .classes = {1, 2, 3, 4, 5, 6, 7, 8.5},
                         .smallest = 0x1p-149,
                         .passed = 0x1p16,
                         .magnitudes = {{{0, 1}, {1, 127}, {300, 128}, {kCellCount - 1, std::numeric_limits<std::uint32_t>::max()}}},
                         .sketch = Sketch(64, 0.1f),
                         .meant = 9,
                         .lost = 10};
    TensorStats empty{.role = TensorRole::Statistic, .storage = Dtype::E5M2};
    return {.run = 2,
            .stats = {.step = 1LL << 40, .lossScale = 0x1p100, .tensors = {gradient, empty}, .isBeforeClipping = true},
            .cost = 1.03,
            .wasAskedFor = true};
}

inline TimesMeasured sampleTimes() {
    StepTimes times;
    times.device = "cuda:0";
    times.operations = {{.operation = "linear",
                         .kind = OperationKind::Product,
                         .compute = Dtype::BF16,
                         .runs = 1LL << 33,
                         .flops = 1e15,
                         .bytes = 2,
                         .seconds = 0.25,
                         .limit = TimeLimit::Compute,
                         .peakTflops = 989}};
    times.byLimit = {0.25, 0.5, 1};
    times.seconds = 1.75;
    times.shortSeconds = 1;
    times.stepSeconds = 2;
    times.notes = {"Products take %1 of the time."_text};
    StepTimes predicted = times;
    predicted.device = "h200";
    return {9, 1, 1LL << 40, times, {predicted}};
}

inline OperandBlocks sampleBlocks() {
    constexpr float kInfinite = std::numeric_limits<float>::infinity();
    return {
        .tensor = "layers.0.weight",
        .layer = "layers.0",
        .products = {Direction::Forward, Direction::InputGrad},
        .operand = LinearOperand::Weight,
        .format = "nvfp4",
        .rows = 1LL << 33,
        .cols = 40,
        .blockRows = 16,
        .blockCols = 16,
        .isRequantized = true,
        .isRotated = true,
        .isStochastic = true,
        .nonZero = 1LL << 34,
        .flushed = 7,
        .saturated = 8,
        .blocks = 9,
        .zeroBlocks = 3,
        .zeroScales = 2,
        .nanScales = 1,
        .scales = {{-127, 4}, {127, 2}},
        .smallestScale = 0x1p-127,
        .largestScale = 0x1p127,
        .factor = 0x1p-149,
        .sqnr = static_cast<double>(kInfinite),
        .largest = 16,
        .largestRotated = 4,
        .map = {.rows = 1, .cols = 2, .blockRowsPerCell = 5, .blockColsPerCell = 6, .sqnr = {-kInfinite, 20.5f}, .flushed = {1, 0.25f}}};
}

inline ReadElements sampleElementsRequest() {
    ElementRequest request{.kind = ElementKind::Flushed, .from = 0x1p-149, .limit = 7};  // `below` is infinite
    request.tensors = {{"layers.1.weight", "layers.1", "update", "optimizer", TensorRole::Update}, {}};
    return {.run = 3, .step = 1LL << 40, .request = request};
}

inline ElementsRead sampleElements() {
    constexpr double kInfinite = std::numeric_limits<double>::infinity();
    return {.commandId = std::numeric_limits<std::uint64_t>::max(),
            .run = 3,
            .step = 1LL << 40,
            .found = {.lossScale = 0x1p100,
                      .total = 1LL << 33,
                      .elements = {{"layers.1.weight.grad", {106, 10}, Dtype::F16, true, kInfinite, 0x7C00, 68688},
                                   {"loss", {}, Dtype::F32, false, -0.0, 0x80000000u, std::numeric_limits<double>::quiet_NaN()}}}};
}

}  // namespace mantissa::test
