// SPDX-License-Identifier: Apache-2.0
// Operations of convolutional networks.
#include "engine/plan/lowering.h"

namespace mantissa {
namespace {

Window windowOf(const WindowDetail& detail) {
    return {detail.size, detail.width > 0 ? detail.width : detail.size, detail.stride, detail.stride, detail.padding, detail.padding};
}

double flopsOf(const Convolution2dDesc& d) {
    const double outputs = static_cast<double>(d.samples * d.window.outHeight(d.height) * d.window.outWidth(d.width) * d.outChannels);
    return 2 * outputs * static_cast<double>(d.window.height * d.window.width * (d.inChannels / d.groups));
}

/// Keeps the stored formats; operands are rounded to `compute`.
Convolution2dDesc convolution(const Lowering& l, const Node& node, int x, int weight, Dtype compute) {
    const auto& detail = std::get<WindowDetail>(node.detail);
    const Shape &plane = l.value(x).shape, &w = l.value(weight).shape;
    const Dtype storage = l.storageOf(compute);
    const ProductSettings& products = l.policy().products;
    Convolution2dDesc desc{.samples = plane[0], .height = plane[1], .width = plane[2], .inChannels = plane[3], .outChannels = w[0]};
    desc.window = windowOf(detail);
    desc.groups = detail.groups;
    desc.x = desc.weight = desc.out = storage;
    desc.compute = compute;
    if (compute == Dtype::TF32) desc.operandRounding = products.tf32Rounding;
    desc.accumulator = products.accumulator;
    return desc;
}

PoolDesc poolDesc(const Lowering& l, const Node& node, int x, Dtype dtype) {
    const Shape& plane = l.value(x).shape;
    const bool isMax = opFacts(node.kind).forward == OpKind::MaxPool;
    PoolDesc desc{
        .kind = isMax ? Pooling::Max : Pooling::Average, .samples = plane[0], .height = plane[1], .width = plane[2], .channels = plane[3]};
    desc.window = windowOf(std::get<WindowDetail>(node.detail));
    desc.dtype = dtype;
    return desc;
}

}  // namespace

void lowerConv2d(Lowering& l, const Node& node) {
    const int x = node.inputs[0], weight = node.inputs[1];
    const Convolution2dDesc desc = convolution(l, node, x, weight, l.computeOf(node, x));
    const int in = l.as(x, desc.x, node), w = l.as(weight, desc.weight, node), out = l.outputOf(node, 0, desc.out);
    l.appendNode(node, desc, {in, w, -1, out}, out, desc.compute, flopsOf(desc));
}

void lowerConv2dGradInput(Lowering& l, const Node& node) {
    const int gradOutput = node.inputs[0], weight = node.inputs[1];
    const Dtype compute = l.computeOf(node, gradOutput);
    Convolution2dInputGradDesc desc{convolution(l, node, node.outputs[0], weight, compute)};
    desc.gradOutput = desc.gradInput = l.storageOf(compute);
    const int g = l.as(gradOutput, desc.gradOutput, node), w = l.as(weight, desc.forward.weight, node);
    const int out = l.outputOf(node, 0, desc.gradInput);
    l.appendNode(node, desc, {g, w, out}, out, compute, flopsOf(desc.forward));
}

void lowerConv2dGradWeight(Lowering& l, const Node& node) {
    const int gradOutput = node.inputs[0], x = node.inputs[1];
    const Dtype compute = l.computeOf(node, gradOutput);
    Convolution2dWeightGradDesc desc{convolution(l, node, x, node.outputs[0], compute)};
    desc.gradOutput = desc.gradWeight = l.storageOf(compute);
    const int g = l.as(gradOutput, desc.gradOutput, node), in = l.as(x, desc.forward.x, node);
    l.roundInPlace(node.outputs[0], desc, &Convolution2dWeightGradDesc::gradWeight);
    l.parameterGradient(node, desc.gradWeight, [&](int out) {
        return l.instructionOf(node, desc, {g, in, out}, out, compute, flopsOf(desc.forward));
    });
}

/// In the input's format, with fp32 statistics and factors, as in cuDNN. Validation uses the running statistics. Neither validation nor the
/// recomputation of a block changes them.
void lowerBatchNorm(Lowering& l, const Node& node) {
    const int x = node.inputs[0];
    const auto& detail = std::get<BatchNormDetail>(node.detail);
    const Dtype storage = l.storageOf(node, x);
    const int in = l.as(x, storage, node), weight = l.stored(node.inputs[1]), bias = l.stored(node.inputs[2]);
    const BatchNormDesc desc{.rows = l.rowsOf(x),
                             .channels = l.colsOf(x),
                             .epsilon = detail.epsilon,
                             .momentum = detail.momentum,
                             .training = l.options().isTraining,
                             .from = storage,
                             .parameters = *l.buffer(weight).dtype,
                             .to = storage};
    const int out = l.outputOf(node, 0, storage);
    const int mean = desc.training ? l.outputOf(node, 1, Dtype::F32) : -1, deviation = desc.training ? l.outputOf(node, 2, Dtype::F32) : -1;
    const bool isAgain = node.phase == Phase::Backward;
    const int runningMean = isAgain ? -1 : l.stored(node.inputs[3]), runningVariance = isAgain ? -1 : l.stored(node.inputs[4]);
    l.appendNode(node, desc, {in, weight, bias, runningMean, runningVariance, out, mean, deviation}, out, Dtype::F32,
                 8.0 * static_cast<double>(desc.rows * desc.channels));
    if (desc.training) l.alsoWrites({mean, deviation, runningMean, runningVariance});
}

void lowerBatchNormGrad(Lowering& l, const Node& node) {
    const int gradOutput = node.inputs[0], x = node.inputs[1], weight = l.stored(node.inputs[2]);
    const Dtype storage = l.storageOf(node, x), parameters = *l.buffer(weight).dtype;
    const int g = l.as(gradOutput, storage, node), in = l.as(x, storage, node);
    const BatchNormGradDesc desc{.rows = l.rowsOf(x),
                                 .channels = l.colsOf(x),
                                 .gradOutput = storage,
                                 .x = storage,
                                 .parameters = parameters,
                                 .gradInput = l.storedDtype(x),
                                 .gradParameters = parameters};
    const int gradInput = l.outputOf(node, 0, desc.gradInput);
    const Lowering::GradientTarget gradWeight = l.gradientTarget(node.outputs[1], parameters, node.phase),
                                   gradBias = l.gradientTarget(node.outputs[2], parameters, node.phase);
    l.appendNode(node, desc, {g, in, weight, l.stored(node.inputs[3]), l.stored(node.inputs[4]), gradInput, gradWeight.made, gradBias.made},
                 gradInput, Dtype::F32, 12.0 * static_cast<double>(desc.rows * desc.channels));
    l.alsoWrites({gradWeight.made, gradBias.made});
    l.keepGradient(node, gradWeight);
    l.keepGradient(node, gradBias);
}

void lowerPool(Lowering& l, const Node& node) {
    const int x = node.inputs[0];
    const Dtype storage = l.storageOf(node, x);
    const int in = l.as(x, storage, node), out = l.outputOf(node, 0, storage);
    const int places = node.kind == OpKind::MaxPool ? l.newIndices(node.outputs[1]) : -1;
    l.appendNode(node, poolDesc(l, node, x, storage), {in, out, places}, out, storage, static_cast<double>(l.countOf(x)));
}

void lowerPoolGrad(Lowering& l, const Node& node) {
    const int gradOutput = node.inputs[0], x = node.inputs[1];
    const Dtype storage = l.storedDtype(x);
    const int g = l.as(gradOutput, storage, node), out = l.outputOf(node, 0, storage);
    const int places = node.kind == OpKind::MaxPoolGrad ? l.stored(node.inputs[2]) : -1;
    l.appendNode(node, PoolGradDesc{poolDesc(l, node, x, storage)}, {g, places, out}, out, storage, static_cast<double>(l.countOf(x)));
}

}  // namespace mantissa
