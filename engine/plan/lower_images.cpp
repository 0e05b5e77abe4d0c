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

}  // namespace

/// Keeps the stored formats; operands are rounded to `compute`.
Convolution2dDesc Lowering::convolution(const Node& node, int x, int weight, Dtype compute) const {
    const auto& detail = std::get<WindowDetail>(node.detail);
    const Shape &plane = value(x).shape, &w = value(weight).shape;
    const Dtype storage = storageOf(compute);
    const ProductSettings& products = m_plan.policy.products;
    Convolution2dDesc desc{.samples = plane[0], .height = plane[1], .width = plane[2], .inChannels = plane[3], .outChannels = w[0]};
    desc.window = windowOf(detail);
    desc.groups = detail.groups;
    desc.x = desc.weight = desc.out = storage;
    desc.compute = compute;
    if (compute == Dtype::TF32) desc.operandRounding = products.tf32Rounding;
    desc.accumulator = products.accumulator;
    return desc;
}

void Lowering::conv2d(const Node& node) {
    const int x = node.inputs[0], weight = node.inputs[1];
    const Convolution2dDesc desc = convolution(node, x, weight, computeOf(node, x));
    const int in = as(x, desc.x, node), w = as(weight, desc.weight, node), out = outputOf(node, 0, desc.out);
    appendNode(node, desc, {in, w, -1, out}, out, desc.compute, flopsOf(desc));
}

void Lowering::conv2dGradInput(const Node& node) {
    const int gradOutput = node.inputs[0], weight = node.inputs[1];
    const Dtype compute = computeOf(node, gradOutput);
    Convolution2dInputGradDesc desc{convolution(node, node.outputs[0], weight, compute)};
    desc.gradOutput = desc.gradInput = storageOf(compute);
    const int g = as(gradOutput, desc.gradOutput, node), w = as(weight, desc.forward.weight, node);
    const int out = outputOf(node, 0, desc.gradInput);
    appendNode(node, desc, {g, w, out}, out, compute, flopsOf(desc.forward));
}

void Lowering::conv2dGradWeight(const Node& node) {
    const int gradOutput = node.inputs[0], x = node.inputs[1];
    const Dtype compute = computeOf(node, gradOutput);
    Convolution2dWeightGradDesc desc{convolution(node, x, node.outputs[0], compute)};
    desc.gradOutput = desc.gradWeight = storageOf(compute);
    const int g = as(gradOutput, desc.gradOutput, node), in = as(x, desc.forward.x, node);
    if (roundsInPlace(node.outputs[0])) {
        Convolution2dWeightGradDesc widened = desc;
        widened.result = desc.gradWeight;
        widened.gradWeight = Dtype::F32;
        if (m_backend.supports(widened).supported) desc = widened;
    }
    parameterGradient(node, desc.gradWeight, [&](int out) {
        return instructionOf(node, desc, {g, in, out}, out, compute, flopsOf(desc.forward));
    });
}

/// In the input's format, with fp32 statistics and factors, as in cuDNN. Validation uses the running statistics. Neither validation nor the
/// recomputation of a block changes them.
void Lowering::batchNorm(const Node& node) {
    const int x = node.inputs[0];
    const auto& detail = std::get<BatchNormDetail>(node.detail);
    const Dtype storage = storageOf(computeOf(node, x));
    const int in = as(x, storage, node), weight = stored(node.inputs[1]), bias = stored(node.inputs[2]);
    const BatchNormDesc desc{.rows = rowsOf(x),
                             .channels = value(x).shape.back(),
                             .epsilon = detail.epsilon,
                             .momentum = detail.momentum,
                             .training = m_options.isTraining,
                             .from = storage,
                             .parameters = *buffer(weight).dtype,
                             .to = storage};
    const int out = outputOf(node, 0, storage);
    const int mean = desc.training ? outputOf(node, 1, Dtype::F32) : -1, deviation = desc.training ? outputOf(node, 2, Dtype::F32) : -1;
    const bool isAgain = node.phase == Phase::Backward;
    const int runningMean = isAgain ? -1 : stored(node.inputs[3]), runningVariance = isAgain ? -1 : stored(node.inputs[4]);
    appendNode(node, desc, {in, weight, bias, runningMean, runningVariance, out, mean, deviation}, out, Dtype::F32,
               8.0 * static_cast<double>(desc.rows * desc.channels));
    if (desc.training) alsoWrites({mean, deviation, runningMean, runningVariance});
}

void Lowering::batchNormGrad(const Node& node) {
    const int gradOutput = node.inputs[0], x = node.inputs[1], weight = stored(node.inputs[2]);
    const Dtype storage = storageOf(computeOf(node, x)), parameters = *buffer(weight).dtype;
    const int g = as(gradOutput, storage, node), in = as(x, storage, node);
    const BatchNormGradDesc desc{.rows = rowsOf(x),
                                 .channels = value(x).shape.back(),
                                 .gradOutput = storage,
                                 .x = storage,
                                 .parameters = parameters,
                                 .gradInput = storedDtype(x),
                                 .gradParameters = parameters};
    const int gradInput = outputOf(node, 0, desc.gradInput);
    const GradientTarget gradWeight = gradientTarget(node.outputs[1], parameters, node.phase),
                         gradBias = gradientTarget(node.outputs[2], parameters, node.phase);
    appendNode(node, desc, {g, in, weight, stored(node.inputs[3]), stored(node.inputs[4]), gradInput, gradWeight.made, gradBias.made},
               gradInput, Dtype::F32, 12.0 * static_cast<double>(desc.rows * desc.channels));
    alsoWrites({gradWeight.made, gradBias.made});
    keepGradient(node, gradWeight);
    keepGradient(node, gradBias);
}

PoolDesc Lowering::poolDesc(const Node& node, int x, Dtype dtype) const {
    const Shape& plane = value(x).shape;
    const bool isMax = opFacts(node.kind).forward == OpKind::MaxPool;
    PoolDesc desc{
        .kind = isMax ? Pooling::Max : Pooling::Average, .samples = plane[0], .height = plane[1], .width = plane[2], .channels = plane[3]};
    desc.window = windowOf(std::get<WindowDetail>(node.detail));
    desc.dtype = dtype;
    return desc;
}

void Lowering::pool(const Node& node) {
    const int x = node.inputs[0];
    const Dtype storage = storageOf(computeOf(node, x));
    const int in = as(x, storage, node), out = outputOf(node, 0, storage);
    const int places = node.kind == OpKind::MaxPool ? indicesOf(node, 1) : -1;
    appendNode(node, poolDesc(node, x, storage), {in, out, places}, out, storage, static_cast<double>(elementCount(value(x).shape)));
}

void Lowering::poolGrad(const Node& node) {
    const int gradOutput = node.inputs[0], x = node.inputs[1];
    const Dtype storage = storedDtype(x);
    const int g = as(gradOutput, storage, node), out = outputOf(node, 0, storage);
    const int places = node.kind == OpKind::MaxPoolGrad ? stored(node.inputs[2]) : -1;
    appendNode(node, PoolGradDesc{poolDesc(node, x, storage)}, {g, places, out}, out, storage,
               static_cast<double>(elementCount(value(x).shape)));
}

}  // namespace mantissa
