// SPDX-License-Identifier: Apache-2.0
// Operations of transformers other than products.
#include <utility>

#include "engine/plan/lowering.h"

namespace mantissa {

void Lowering::embedding(const Node& node) {
    const int table = node.inputs[0], indices = node.inputs[1];
    const Dtype storage = storageOf(computeOf(node, table));
    const Shape& shape = value(table).shape;
    const EmbeddingDesc desc{elementCount(value(indices).shape), shape[1], shape[0], storage, storage};
    const int from = as(table, storage, node), out = outputOf(node, 0, storage);
    appendNode(node, desc, {from, stored(indices), out}, out, storage, 0);
}

void Lowering::embeddingGrad(const Node& node) {
    const int gradOutput = node.inputs[0], indices = node.inputs[1];
    const Dtype storage = storageOf(computeOf(node, gradOutput));
    const Shape& shape = value(node.outputs[0]).shape;
    const EmbeddingGradDesc desc{elementCount(value(indices).shape), shape[1], shape[0], storage, storage};
    const int g = as(gradOutput, storage, node);
    parameterGradient(node, storage, [&](int out) {
        return instructionOf(node, desc, {g, stored(indices), out}, out, storage, static_cast<double>(desc.rows * desc.cols));
    });
}

/// Reads operands as stored: sums are in fp32 for all formats. A table of positions is a parameter; a narrow sum reads a copy in its own
/// format, as an embedding does.
void Lowering::add(const Node& node) {
    const int a = node.inputs[0], b = node.inputs[1];
    // a gradient has the dtype of its value, which the last input names
    const Dtype widest = node.kind == OpKind::AddGradients ? resultDtype(node.inputs[2]) : promoted(node.inputs);
    const Dtype storage = storageOf(computeOf(node, widest));
    const std::int64_t count = elementCount(value(a).shape), bCount = elementCount(value(b).shape);
    const bool readsTable = node.kind == OpKind::AddPositions && storage != Dtype::F32;
    const int second = readsTable ? as(b, storage, node) : stored(b);
    const AddDesc desc{.count = count, .a = storedDtype(a), .b = *buffer(second).dtype, .out = storage, .bCount = bCount};
    const GradientTarget target = gradientTarget(node.outputs[0], storage, node.phase);
    appendNode(node, desc, {stored(a), second, target.made}, target.made, storage, static_cast<double>(count));
    keepGradient(node, target);
}

void Lowering::addPositionsGrad(const Node& node) {
    const int gradOutput = node.inputs[0];
    const Dtype storage = storageOf(computeOf(node, gradOutput));
    const Shape& shape = value(gradOutput).shape;
    const BiasGradDesc desc{shape[0], shape[1] * shape[2], storage, storage};  // over samples, for each element of the table
    const int g = as(gradOutput, storage, node);
    parameterGradient(node, storage, [&](int out) {
        return instructionOf(node, desc, {g, out}, out, storage, static_cast<double>(elementCount(shape)));
    });
}

/// If a list requests fp32, operands are read as stored, which gives equal results without a copy. Only an override changes the norm's own
/// arithmetic from fp32.
Lowering::NormFormats Lowering::normFormats(const Node& node, int x) const {
    const Dtype compute = computeOf(node, x);
    const std::optional<Dtype> forced = forcedDtype(m_plan.policy, node.kind, node.layer);
    return {storageOf(compute), forced && storageOf(*forced) != Dtype::F32 ? *forced : Dtype::F32};
}

int Lowering::normOperand(const NormFormats& formats, int index, bool isParameter, const Node& node) {
    if (formats.compute != Dtype::F32) return as(index, formats.compute, node);
    return isParameter ? stored(index) : atMost(index, formats.result, node);
}

void Lowering::norm(const Node& node) {
    const int x = node.inputs[0];
    const bool centres = node.kind == OpKind::LayerNorm, hasBias = node.inputs.size() > 2;
    const NormFormats formats = normFormats(node, x);
    const int in = normOperand(formats, x, false, node), weight = normOperand(formats, node.inputs[1], true, node),
              bias = hasBias ? normOperand(formats, node.inputs[2], true, node) : -1;
    const LayerNormDesc desc{.rows = rowsOf(x),
                             .cols = value(x).shape.back(),
                             .epsilon = std::get<NormDetail>(node.detail).epsilon,
                             .centres = centres,
                             .hasBias = hasBias,
                             .from = *buffer(in).dtype,
                             .parameters = *buffer(weight).dtype,
                             .to = writtenFor(node.outputs[0], formats.result),
                             .compute = formats.compute};
    const int out = newRoundedOutput(node.outputs[0], formats.result, desc.to, node.phase);
    const int mean = centres ? outputOf(node, 1, Dtype::F32) : -1, deviation = outputOf(node, node.outputs.size() - 1, Dtype::F32);
    appendNode(node, desc, {in, weight, bias, out, mean, deviation}, out, formats.compute,
               8.0 * static_cast<double>(desc.rows * desc.cols));
    alsoWrites({mean, deviation});
}

void Lowering::normGrad(const Node& node) {
    const int gradOutput = node.inputs[0], x = node.inputs[1];
    const bool centres = node.kind == OpKind::LayerNormGrad, hasBias = node.outputs.size() > 2;
    const NormFormats formats = normFormats(node, x);
    const bool isNarrow = formats.compute != Dtype::F32;
    const int g = isNarrow ? as(gradOutput, formats.compute, node) : stored(gradOutput), in = normOperand(formats, x, false, node),
              weight = normOperand(formats, node.inputs[2], true, node);
    const LayerNormGradDesc desc{.rows = rowsOf(x),
                                 .cols = value(x).shape.back(),
                                 .centres = centres,
                                 .hasBias = hasBias,
                                 .gradOutput = *buffer(g).dtype,
                                 .x = *buffer(in).dtype,
                                 .parameters = *buffer(weight).dtype,
                                 .gradInput = storedDtype(x),
                                 .gradParameters = *buffer(weight).dtype,
                                 .compute = formats.compute};
    const int gradInput = outputOf(node, 0, desc.gradInput);
    const GradientTarget gradWeight = gradientTarget(node.outputs[1], desc.gradParameters, node.phase),
                         gradBias = hasBias ? gradientTarget(node.outputs[2], desc.gradParameters, node.phase) : GradientTarget{};
    appendNode(
        node, desc,
        {g, in, weight, centres ? stored(node.inputs[3]) : -1, stored(node.inputs.back()), gradInput, gradWeight.made, gradBias.made},
        gradInput, formats.compute, 16.0 * static_cast<double>(desc.rows * desc.cols));
    alsoWrites({gradWeight.made, gradBias.made});
    keepGradient(node, gradWeight);
    if (hasBias) keepGradient(node, gradBias);
}

/// Cosines and sines are fp32, so the operand is promoted to it unless a list requests less; its gradient is that of a value in fp32.
void Lowering::rotary(const Node& node) {
    const int x = node.inputs[0];
    const auto& detail = std::get<RotaryDetail>(node.detail);
    const bool isGradient = node.kind == OpKind::RotaryGrad;
    const Dtype result = isGradient ? storedDtype(node.inputs[1]) : storageOf(computeOf(node, Dtype::F32));
    const Dtype written = isGradient ? result : writtenFor(node.outputs[0], result);
    const Shape& shape = value(x).shape;
    const int in = isGradient ? stored(x) : atMost(x, result, node);
    const RotaryDesc desc{.rows = rowsOf(x),
                          .length = shape[shape.size() - 2],
                          .heads = detail.heads,
                          .headDim = shape.back() / detail.heads,
                          .srcStride = shape.back(),
                          .dstStride = shape.back(),
                          .base = detail.base,
                          .inverse = isGradient,
                          .roundsProducts = isGradient && !detail.isFused && written != Dtype::F32,
                          .from = *buffer(in).dtype,
                          .to = written};
    const int out = newRoundedOutput(node.outputs[0], result, written, node.phase);
    appendNode(node, desc, {in, out}, out, written, 6.0 * static_cast<double>(elementCount(shape)));
}

void Lowering::swiGlu(const Node& node) {
    const Dtype storage = storageOf(computeOf(node, promoted(node.inputs)));
    const SwiGluDesc desc{elementCount(value(node.inputs[0]).shape), storage, std::get<SwiGluDetail>(node.detail).isFused};
    const int gate = as(node.inputs[0], storage, node), up = as(node.inputs[1], storage, node), out = outputOf(node, 0, storage);
    appendNode(node, desc, {gate, up, out}, out, storage, 5.0 * static_cast<double>(desc.count));
}

void Lowering::swiGluGrad(const Node& node) {
    const int gate = node.inputs[1], up = node.inputs[2];
    const Dtype storage = storageOf(computeOf(node, promoted({gate, up})));
    const SwiGluGradDesc desc{elementCount(value(gate).shape), storage, std::get<SwiGluDetail>(node.detail).isFused};
    const std::vector<int> operands{as(node.inputs[0], storage, node), as(gate, storage, node), as(up, storage, node),
                                    outputOf(node, 0, storage), outputOf(node, 1, storage)};
    appendNode(node, desc, operands, operands[3], storage, 10.0 * static_cast<double>(desc.count));
    alsoWrites({operands[4]});
}

void Lowering::split(const Node& node) {
    const int x = node.inputs[0];
    const Dtype storage = storageOf(computeOf(node, x));
    const int from = as(x, storage, node);
    const bool isCopied = !staysWhole(node, storage);
    std::int64_t first = 0;
    for (std::size_t i = 0; i < node.outputs.size(); ++i) {
        const std::int64_t cols = value(node.outputs[i]).shape.back();
        if (!isCopied) {
            placePart(node.outputs[i], from, std::exchange(first, first + cols));
            continue;
        }
        const int out = outputOf(node, i, storage);
        const CopyColumnsDesc desc{
            .rows = rowsOf(x), .cols = cols, .srcWidth = value(x).shape.back(), .srcFirst = first, .dstWidth = cols, .dtype = storage};
        appendNode(node, desc, {from, out}, out, storage, 0);
        first += cols;
    }
}

void Lowering::concat(const Node& node) {
    const int whole = node.outputs[0];
    if (stored(whole) >= 0) return;  // already in one piece
    const Dtype storage = storageOf(computeOf(node, promoted(node.inputs)));
    const int out = outputOf(node, 0, storage);
    std::int64_t first = 0;
    for (const int part : node.inputs) {
        const std::int64_t cols = value(part).shape.back(), width = value(whole).shape.back();
        const CopyColumnsDesc desc{
            .rows = rowsOf(whole), .cols = cols, .srcWidth = cols, .dstWidth = width, .dstFirst = first, .dtype = storage};
        first += cols;
        const int from = as(part, storage, node);
        appendNode(node, desc, {from, out}, first == width ? out : -1, storage, 0);  // complete with the last part
    }
}

void Lowering::scale(const Node& node) {
    const int x = node.inputs[0];
    const Dtype storage = storageOf(computeOf(node, node.inputs.back()));
    const int in = atMost(x, storage, node), out = outputOf(node, 0, storage);
    const ScaleDesc desc{elementCount(value(x).shape), std::get<ScaleDetail>(node.detail).factor, *buffer(in).dtype, storage};
    appendNode(node, desc, {in, out}, out, storage, static_cast<double>(desc.count));
}

void Lowering::causalMask(const Node& node) {
    const int x = node.inputs[0];
    const Dtype storage = storageOf(computeOf(node, x));
    const Shape& shape = value(x).shape;
    const float masked = node.kind == OpKind::CausalMask ? std::get<MaskDetail>(node.detail).value : 0;
    const CausalMaskDesc desc{elementCount(shape) / (shape.back() * shape.back()), shape.back(), storage, masked};
    // In place: no other operation reads the scores, or their gradient. -Inf is intended, so there is no output for an audit to check.
    const int scores = as(x, storage, node);
    place(node.outputs[0], scores);
    append(instructionOf(node, desc, {scores, scores}, -1, storage, 0));
}

void Lowering::softmax(const Node& node) {
    const int x = node.inputs[0];
    const Dtype storage = storageOf(computeOf(node, x));
    const std::size_t before = m_plan.instructions.size();
    const int in = atMost(x, storage, node), out = outputOf(node, 0, storage);
    // the input has masked scores: -Inf in a copy is intended, too
    if (m_plan.instructions.size() > before) m_plan.instructions.back().output = -1;
    const bool subtractsMax = std::get<SoftmaxDetail>(node.detail).subtractsMax;
    const SoftmaxDesc desc{rowsOf(x), value(x).shape.back(), *buffer(in).dtype, storage, subtractsMax, storage};
    appendNode(node, desc, {in, out}, out, storage, 5.0 * static_cast<double>(desc.rows * desc.cols));
}

void Lowering::softmaxGrad(const Node& node) {
    const int gradOutput = node.inputs[0], x = node.inputs[1], y = node.inputs[2];
    const Dtype storage = storageOf(computeOf(node, y));
    const int g = as(gradOutput, storage, node), weights = as(y, storage, node), out = outputOf(node, 0, storedDtype(x));
    const SoftmaxGradDesc desc{rowsOf(y), value(y).shape.back(), storage, storedDtype(x)};
    appendNode(node, desc, {g, weights, out}, out, storage, 4.0 * static_cast<double>(desc.rows * desc.cols));
}

void Lowering::dropout(const Node& node) {
    const int x = node.inputs[0];
    const auto& detail = std::get<DropoutDetail>(node.detail);
    if (!m_options.isTraining) return place(node.outputs[0], stored(x));
    const Dtype storage = storageOf(computeOf(node, node.inputs.back()));
    const std::int64_t count = elementCount(value(x).shape);
    const int in = as(x, storage, node), out = outputOf(node, 0, storage);
    const DropoutDesc desc{count, detail.probability, m_options.seed, detail.stream, storage};
    appendNode(node, desc, {in, m_plan.scalars, out}, out, storage, static_cast<double>(count));
}

}  // namespace mantissa
