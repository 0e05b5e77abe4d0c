// SPDX-License-Identifier: Apache-2.0
// Operations of transformers other than products.
#include <utility>

#include "engine/plan/lowering.h"

namespace mantissa {

void lowerEmbedding(Lowering& l, const Node& node) {
    const int table = node.inputs[0], indices = node.inputs[1];
    const Dtype storage = l.storageOf(node, table);
    const Shape& shape = l.value(table).shape;
    const EmbeddingDesc desc{l.countOf(indices), shape[1], shape[0], storage, storage};
    const int from = l.as(table, storage, node), out = l.outputOf(node, 0, storage);
    l.appendNode(node, desc, {from, l.stored(indices), out}, out, storage, 0);
}

void lowerEmbeddingGrad(Lowering& l, const Node& node) {
    const int gradOutput = node.inputs[0], indices = node.inputs[1];
    const Dtype storage = l.storageOf(node, gradOutput);
    const Shape& shape = l.value(node.outputs[0]).shape;
    const EmbeddingGradDesc desc{l.countOf(indices), shape[1], shape[0], storage, storage};
    const int g = l.as(gradOutput, storage, node);
    l.parameterGradient(node, storage, [&](int out) {
        return l.instructionOf(node, desc, {g, l.stored(indices), out}, out, storage, static_cast<double>(desc.rows * desc.cols));
    });
}

/// Reads operands as stored: sums are in fp32 for all formats. A table of positions is a parameter; a narrow sum reads a copy in its own
/// format, as an embedding does.
void lowerAdd(Lowering& l, const Node& node) {
    const int a = node.inputs[0], b = node.inputs[1];
    // a gradient has the dtype of its value, which the last input names
    const Dtype widest = node.kind == OpKind::AddGradients ? l.resultDtype(node.inputs[2]) : l.promoted(node.inputs);
    const Dtype storage = l.storageOf(node, widest);
    const std::int64_t count = l.countOf(a), bCount = l.countOf(b);
    const bool readsTable = node.kind == OpKind::AddPositions && storage != Dtype::F32;
    const int second = readsTable ? l.as(b, storage, node) : l.stored(b);
    const AddDesc desc{.count = count, .a = l.storedDtype(a), .b = *l.buffer(second).dtype, .out = storage, .bCount = bCount};
    const Lowering::GradientTarget target = l.gradientTarget(node.outputs[0], storage, node.phase);
    l.appendNode(node, desc, {l.stored(a), second, target.made}, target.made, storage, static_cast<double>(count));
    l.keepGradient(node, target);
}

void lowerAddPositionsGrad(Lowering& l, const Node& node) {
    const int gradOutput = node.inputs[0];
    const Dtype storage = l.storageOf(node, gradOutput);
    const Shape& shape = l.value(gradOutput).shape;
    const BiasGradDesc desc{shape[0], shape[1] * shape[2], storage, storage};  // over samples, for each element of the table
    const int g = l.as(gradOutput, storage, node);
    l.parameterGradient(node, storage, [&](int out) {
        return l.instructionOf(node, desc, {g, out}, out, storage, static_cast<double>(elementCount(shape)));
    });
}

namespace {

struct NormFormats {
    Dtype result, compute;  // compute: F32, or what an override forces
};

/// If a list requests fp32, operands are read as stored, which gives equal results without a copy. Only an override changes the norm's own
/// arithmetic from fp32.
NormFormats normFormats(const Lowering& l, const Node& node, int x) {
    const Dtype compute = l.computeOf(node, x);
    const std::optional<Dtype> forced = forcedDtype(l.policy(), node.kind, node.layer);
    return {l.storageOf(compute), forced && l.storageOf(*forced) != Dtype::F32 ? *forced : Dtype::F32};
}

int normOperand(Lowering& l, const NormFormats& formats, int index, bool isParameter, const Node& node) {
    if (formats.compute != Dtype::F32) return l.as(index, formats.compute, node);
    return isParameter ? l.stored(index) : l.atMost(index, formats.result, node);
}

}  // namespace

void lowerNorm(Lowering& l, const Node& node) {
    const int x = node.inputs[0];
    const bool centres = node.kind == OpKind::LayerNorm, hasBias = node.inputs.size() > 2;
    const NormFormats formats = normFormats(l, node, x);
    const int in = normOperand(l, formats, x, false, node), weight = normOperand(l, formats, node.inputs[1], true, node),
              bias = hasBias ? normOperand(l, formats, node.inputs[2], true, node) : -1;
    const LayerNormDesc desc{.rows = l.rowsOf(x),
                             .cols = l.colsOf(x),
                             .epsilon = std::get<NormDetail>(node.detail).epsilon,
                             .centres = centres,
                             .hasBias = hasBias,
                             .from = *l.buffer(in).dtype,
                             .parameters = *l.buffer(weight).dtype,
                             .to = l.writtenFor(node.outputs[0], formats.result),
                             .compute = formats.compute};
    const int out = l.newRoundedOutput(node.outputs[0], formats.result, desc.to, node.phase);
    const int mean = centres ? l.outputOf(node, 1, Dtype::F32) : -1, deviation = l.outputOf(node, node.outputs.size() - 1, Dtype::F32);
    l.appendNode(node, desc, {in, weight, bias, out, mean, deviation}, out, formats.compute,
                 8.0 * static_cast<double>(desc.rows * desc.cols));
    l.alsoWrites({mean, deviation});
}

void lowerNormGrad(Lowering& l, const Node& node) {
    const int gradOutput = node.inputs[0], x = node.inputs[1];
    const bool centres = node.kind == OpKind::LayerNormGrad, hasBias = node.outputs.size() > 2;
    const NormFormats formats = normFormats(l, node, x);
    const bool isNarrow = formats.compute != Dtype::F32;
    const int g = isNarrow ? l.as(gradOutput, formats.compute, node) : l.stored(gradOutput), in = normOperand(l, formats, x, false, node),
              weight = normOperand(l, formats, node.inputs[2], true, node);
    const LayerNormGradDesc desc{.rows = l.rowsOf(x),
                                 .cols = l.colsOf(x),
                                 .centres = centres,
                                 .hasBias = hasBias,
                                 .gradOutput = *l.buffer(g).dtype,
                                 .x = *l.buffer(in).dtype,
                                 .parameters = *l.buffer(weight).dtype,
                                 .gradInput = l.storedDtype(x),
                                 .gradParameters = *l.buffer(weight).dtype,
                                 .compute = formats.compute};
    const int gradInput = l.outputOf(node, 0, desc.gradInput);
    const Lowering::GradientTarget gradWeight = l.gradientTarget(node.outputs[1], desc.gradParameters, node.phase),
                                   gradBias = hasBias ? l.gradientTarget(node.outputs[2], desc.gradParameters, node.phase)
                                                      : Lowering::GradientTarget{};
    l.appendNode(
        node, desc,
        {g, in, weight, centres ? l.stored(node.inputs[3]) : -1, l.stored(node.inputs.back()), gradInput, gradWeight.made, gradBias.made},
        gradInput, formats.compute, 16.0 * static_cast<double>(desc.rows * desc.cols));
    l.alsoWrites({gradWeight.made, gradBias.made});
    l.keepGradient(node, gradWeight);
    if (hasBias) l.keepGradient(node, gradBias);
}

/// Cosines and sines are fp32, so the operand is promoted to it unless a list requests less; its gradient is that of a value in fp32.
void lowerRotary(Lowering& l, const Node& node) {
    const int x = node.inputs[0];
    const auto& detail = std::get<RotaryDetail>(node.detail);
    const bool isGradient = node.kind == OpKind::RotaryGrad;
    const Dtype result = isGradient ? l.storedDtype(node.inputs[1]) : l.storageOf(node, Dtype::F32);
    const Dtype written = isGradient ? result : l.writtenFor(node.outputs[0], result);
    const Shape& shape = l.value(x).shape;
    const int in = isGradient ? l.stored(x) : l.atMost(x, result, node);
    const RotaryDesc desc{.rows = l.rowsOf(x),
                          .length = shape[shape.size() - 2],
                          .heads = detail.heads,
                          .headDim = shape.back() / detail.heads,
                          .srcStride = shape.back(),
                          .dstStride = shape.back(),
                          .base = detail.base,
                          .inverse = isGradient,
                          .roundsProducts = isGradient && !detail.isFused && written != Dtype::F32,
                          .from = *l.buffer(in).dtype,
                          .to = written};
    const int out = l.newRoundedOutput(node.outputs[0], result, written, node.phase);
    l.appendNode(node, desc, {in, out}, out, written, 6.0 * static_cast<double>(elementCount(shape)));
}

void lowerSwiGlu(Lowering& l, const Node& node) {
    const Dtype storage = l.storageOf(node, l.promoted(node.inputs));
    const SwiGluDesc desc{l.countOf(node.inputs[0]), storage, std::get<SwiGluDetail>(node.detail).isFused};
    const int gate = l.as(node.inputs[0], storage, node), up = l.as(node.inputs[1], storage, node), out = l.outputOf(node, 0, storage);
    l.appendNode(node, desc, {gate, up, out}, out, storage, 5.0 * static_cast<double>(desc.count));
}

void lowerSwiGluGrad(Lowering& l, const Node& node) {
    const int gate = node.inputs[1], up = node.inputs[2];
    const Dtype storage = l.storageOf(node, l.promoted({gate, up}));
    const SwiGluGradDesc desc{l.countOf(gate), storage, std::get<SwiGluDetail>(node.detail).isFused};
    const std::vector<int> operands{l.as(node.inputs[0], storage, node), l.as(gate, storage, node), l.as(up, storage, node),
                                    l.outputOf(node, 0, storage), l.outputOf(node, 1, storage)};
    l.appendNode(node, desc, operands, operands[3], storage, 10.0 * static_cast<double>(desc.count));
    l.alsoWrites({operands[4]});
}

void lowerScale(Lowering& l, const Node& node) {
    const int x = node.inputs[0];
    const Dtype storage = l.storageOf(node, node.inputs.back());
    const int in = l.atMost(x, storage, node), out = l.outputOf(node, 0, storage);
    const ScaleDesc desc{l.countOf(x), std::get<ScaleDetail>(node.detail).factor, *l.buffer(in).dtype, storage};
    l.appendNode(node, desc, {in, out}, out, storage, static_cast<double>(desc.count));
}

void lowerCausalMask(Lowering& l, const Node& node) {
    const int x = node.inputs[0];
    const Dtype storage = l.storageOf(node, x);
    const Shape& shape = l.value(x).shape;
    const float masked = node.kind == OpKind::CausalMask ? std::get<MaskDetail>(node.detail).value : 0;
    const CausalMaskDesc desc{elementCount(shape) / (shape.back() * shape.back()), shape.back(), storage, masked};
    // In place: no other operation reads the scores, or their gradient. -Inf is intended, so there is no output for an audit to check.
    const int scores = l.as(x, storage, node);
    l.place(node.outputs[0], scores);
    l.appendNode(node, desc, {scores, scores}, -1, storage, 0);
}

void lowerSoftmax(Lowering& l, const Node& node) {
    const int x = node.inputs[0];
    const Dtype storage = l.storageOf(node, x);
    const std::size_t before = l.plan().instructions.size();
    const int in = l.atMost(x, storage, node), out = l.outputOf(node, 0, storage);
    // the input has masked scores: -Inf in a copy is intended, too
    if (l.plan().instructions.size() > before) l.plan().instructions.back().output = -1;
    const bool subtractsMax = std::get<SoftmaxDetail>(node.detail).subtractsMax;
    const SoftmaxDesc desc{l.rowsOf(x), l.colsOf(x), *l.buffer(in).dtype, storage, subtractsMax, storage};
    l.appendNode(node, desc, {in, out}, out, storage, 5.0 * static_cast<double>(desc.rows * desc.cols));
}

void lowerSoftmaxGrad(Lowering& l, const Node& node) {
    const int gradOutput = node.inputs[0], x = node.inputs[1], y = node.inputs[2];
    const Dtype storage = l.storageOf(node, y);
    const int g = l.as(gradOutput, storage, node), weights = l.as(y, storage, node), out = l.outputOf(node, 0, l.storedDtype(x));
    const SoftmaxGradDesc desc{l.rowsOf(y), l.colsOf(y), storage, l.storedDtype(x)};
    l.appendNode(node, desc, {g, weights, out}, out, storage, 4.0 * static_cast<double>(desc.rows * desc.cols));
}

void lowerDropout(Lowering& l, const Node& node) {
    const int x = node.inputs[0];
    const auto& detail = std::get<DropoutDetail>(node.detail);
    if (!l.options().isTraining) return l.place(node.outputs[0], l.stored(x));
    const Dtype storage = l.storageOf(node, node.inputs.back());
    const std::int64_t count = l.countOf(x);
    const int in = l.as(x, storage, node), out = l.outputOf(node, 0, storage);
    const DropoutDesc desc{count, detail.probability, l.options().seed, detail.stream, storage};
    l.appendNode(node, desc, {in, l.plan().scalars, out}, out, storage, static_cast<double>(count));
}

}  // namespace mantissa
