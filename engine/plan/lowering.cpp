// SPDX-License-Identifier: Apache-2.0
#include "engine/plan/lowering.h"

#include <algorithm>
#include <array>
#include <stdexcept>

namespace mantissa {

Dtype Lowering::promoted(const std::vector<int>& inputs) const {
    Dtype widest = inputDtype(inputs.front());
    for (const int input : inputs) {
        const Dtype dtype = inputDtype(input);
        if (dtype != widest) widest = Dtype::F32;  // neither fp16 nor bf16 contains the other
    }
    return widest;
}

namespace {

/// Whether a gradient's node references a value only for its format.
bool namesFormatAlone(const Node& node, int valueIndex) {
    switch (node.kind) {
        case OpKind::AddGradients:
        case OpKind::AttentionScoresGradKey:
        case OpKind::AttentionMixGradValue:
            return node.inputs[2] == valueIndex;
        case OpKind::RotaryGrad:
            return node.inputs[1] == valueIndex;
        default:
            return false;
    }
}

/// Products whose operands are cast to their compute dtype.
bool castsItsOperands(OpKind kind) {
    using enum OpKind;
    static constexpr OpKind kKinds[] = {
        Linear, LinearGradWeight, AttentionScores, AttentionScoresGradQuery, AttentionScoresGradKey, FusedAttention, FusedAttentionGrad};
    return std::find(std::begin(kKinds), std::end(kKinds), kind) != std::end(kKinds);
}

}  // namespace

Dtype Lowering::writtenFor(int valueIndex, Dtype result) const {
    if (result != Dtype::F32) return result;
    std::optional<Dtype> wanted;
    for (const Node& node : graph().nodes) {
        const bool isRead = std::find(node.inputs.begin(), node.inputs.end(), valueIndex) != node.inputs.end();
        if (!isRead || namesFormatAlone(node, valueIndex)) continue;
        if (!castsItsOperands(node.kind)) return result;
        const Dtype taken = storageOf(node, result);
        if (wanted.value_or(taken) != taken) return result;
        wanted = taken;
    }
    return wanted.value_or(result);
}

bool Lowering::isInBlocks(OpKind kind, const std::string& layer) const {
    const bool isProduct = kind == OpKind::Linear || kind == OpKind::LinearGradInput || kind == OpKind::LinearGradWeight;
    return isProduct && std::find(m_quantizedLayers.begin(), m_quantizedLayers.end(), layer) != m_quantizedLayers.end() &&
           !forcedDtype(policy(), kind, layer);
}

Instruction Lowering::instructionOf(const Node& node, OperationDesc operation, std::vector<int> operands, int output, Dtype compute,
                                    double flops) const {
    return {.operation = std::move(operation),
            .name = std::string(opFacts(node.kind).name),
            .layer = node.layer,
            .phase = node.phase,
            .operands = std::move(operands),
            .output = output,
            .compute = compute,
            .flops = flops};
}

Lowering::GradientTarget Lowering::gradientTarget(int valueIndex, Dtype dtype, Phase phase) {
    if (value(valueIndex).role != ValueRole::ParameterGradient) {
        const int made = newOutput(valueIndex, dtype, phase);
        return {made, made};
    }
    const int kept = stored(valueIndex);
    if (dtype == *buffer(kept).dtype && !options().accumulates) return {kept, kept};
    const Value& v = value(valueIndex);
    return {plan().addBuffer({.name = v.name, .shape = v.shape, .dtype = dtype, .category = BufferCategory::Workspace, .role = v.role}),
            kept};
}

void Lowering::keepGradient(const Node& node, const GradientTarget& target) {
    if (target.made == target.kept) return;
    const std::int64_t count = elementCount(buffer(target.made).shape);
    const Dtype made = *buffer(target.made).dtype, kept = *buffer(target.kept).dtype;
    Instruction keeping{.operation = CastDesc{count, made, kept},
                        .name = "cast",
                        .layer = node.layer,
                        .phase = node.phase,
                        .operands = {target.made, target.kept},
                        .output = target.kept,
                        .flops = 0};
    if (options().accumulates) {
        keeping.operation = AccumulateDesc{count, made, kept};
        keeping.name = "accumulate";
    }
    append(std::move(keeping));
}

namespace {

void lowerActivation(Lowering& l, const Node& node) {
    const auto kind = std::get<Activation>(node.detail);
    const int x = node.inputs[0];
    const Dtype storage = l.storageOf(node, x);
    const std::int64_t count = l.countOf(x);
    const int in = l.as(x, storage, node), out = l.outputOf(node, 0, storage);
    Instruction instruction =
        l.instructionOf(node, ActivationDesc{kind, count, storage}, {in, out}, out, storage, static_cast<double>(count));
    instruction.name = activationName(kind);
    l.append(std::move(instruction));
}

void lowerActivationGrad(Lowering& l, const Node& node) {
    const auto kind = std::get<Activation>(node.detail);
    const int gradOutput = node.inputs[0], x = node.inputs[1], y = node.inputs[2];
    const Dtype storage = l.storageOf(node, y);  // unless forced, the dtype that the forward operation ran in
    const std::int64_t count = l.countOf(x);
    const int g = l.as(gradOutput, storage, node), seen = l.as(gradientSeesOutput(kind) ? y : x, storage, node);
    const int out = l.outputOf(node, 0, storage);
    Instruction instruction =
        l.instructionOf(node, ActivationGradDesc{kind, count, storage}, {g, seen, out}, out, storage, static_cast<double>(count));
    instruction.name = std::string(activationName(kind)) + "_grad";
    l.append(std::move(instruction));
}

void requireFp32(const Lowering& l, const Node& node, int input) {
    const Dtype compute = l.computeOf(node, input);
    if (compute != Dtype::F32) {
        throw std::invalid_argument(node.layer + ": " + std::string(opFacts(node.kind).name) + " computes in fp32 only, not in " +
                                    std::string(facts(compute).name));
    }
}

double labelSmoothing(const Lowering& l, const Node& node) {
    return l.options().isTraining ? std::get<CrossEntropyDetail>(node.detail).labelSmoothing : 0;
}

/// Rounds the gradient of a loss in fp32 to the format of the prediction, for every operation that reads it.
void roundToFormatOf(Lowering& l, int prediction, const Node& lossGrad) {
    const int gradient = lossGrad.outputs[0];
    if (l.storedDtype(gradient) == Dtype::F32) l.place(gradient, l.as(gradient, l.resultDtype(prediction), lossGrad));
}

/// Logits are widened when they are read: the result equals that of an fp32 copy, a small language model's largest tensor.
void lowerCrossEntropy(Lowering& l, const Node& node) {
    const int logits = node.inputs[0], labels = node.inputs[1], in = l.stored(logits);
    const Dtype compute = l.computeOf(node, logits);
    if (compute != l.storedDtype(logits)) requireFp32(l, node, logits);
    l.plan().logits = in;
    l.appendNode(node, SoftmaxCrossEntropyDesc{l.rowsOf(logits), l.colsOf(logits), labelSmoothing(l, node), l.storedDtype(logits), compute},
                 {in, l.stored(labels), l.plan().loss, l.plan().correct}, l.plan().loss, compute,
                 4.0 * static_cast<double>(l.countOf(logits)));
}

void lowerCrossEntropyGrad(Lowering& l, const Node& node) {
    const int logits = node.inputs[0], labels = node.inputs[1], in = l.stored(logits);
    const Dtype compute = l.computeOf(node, logits);
    const int out = l.outputOf(node, 0, compute);
    l.appendNode(node,
                 SoftmaxCrossEntropyGradDesc{l.rowsOf(logits), l.colsOf(logits), labelSmoothing(l, node), l.storedDtype(logits), compute},
                 {in, l.stored(labels), l.plan().scalars, out}, out, compute, 4.0 * static_cast<double>(l.countOf(logits)));
    roundToFormatOf(l, logits, node);
}

/// The loss, or its gradient with respect to the prediction.
void lowerMeanSquaredError(Lowering& l, const Node& node) {
    const int prediction = node.inputs[0], target = node.inputs[1];
    requireFp32(l, node, prediction);
    const std::int64_t count = l.countOf(prediction);
    const int in = l.as(prediction, Dtype::F32, node), wanted = l.as(target, Dtype::F32, node);
    const double flops = 3.0 * static_cast<double>(count);
    if (node.kind == OpKind::MeanSquaredError)
        return l.appendNode(node, MeanSquaredErrorDesc{count}, {in, wanted, l.plan().loss}, l.plan().loss, Dtype::F32, flops);
    const int out = l.outputOf(node, 0, Dtype::F32);
    l.appendNode(node, MeanSquaredErrorGradDesc{count}, {in, wanted, l.plan().scalars, out}, out, Dtype::F32, flops);
    roundToFormatOf(l, prediction, node);
}

using LowerNode = void (*)(Lowering&, const Node&);

LowerNode lowererOf(OpKind kind) {
    using enum OpKind;
    static constexpr auto kLowerers = std::to_array<std::pair<OpKind, LowerNode>>({
        {Linear, lowerLinear},
        {ActivationFn, lowerActivation},
        {CrossEntropy, lowerCrossEntropy},
        {MeanSquaredError, lowerMeanSquaredError},
        {Embedding, lowerEmbedding},
        {Add, lowerAdd},
        {AddPositions, lowerAdd},
        {LayerNorm, lowerNorm},
        {Split, lowerSplit},
        {RmsNorm, lowerNorm},
        {Rotary, lowerRotary},
        {SwiGlu, lowerSwiGlu},
        {FusedAttention, lowerFusedAttention},
        {AttentionScores, lowerAttentionProduct},
        {Scale, lowerScale},
        {CausalMask, lowerCausalMask},
        {Softmax, lowerSoftmax},
        {AttentionMix, lowerAttentionProduct},
        {Dropout, lowerDropout},
        {Conv2d, lowerConv2d},
        {BatchNorm, lowerBatchNorm},
        {MaxPool, lowerPool},
        {AveragePool, lowerPool},
        {LinearGradInput, lowerLinearGradInput},
        {LinearGradWeight, lowerLinearGradWeight},
        {LinearGradBias, lowerLinearGradBias},
        {ActivationFnGrad, lowerActivationGrad},
        {CrossEntropyGrad, lowerCrossEntropyGrad},
        {MeanSquaredErrorGrad, lowerMeanSquaredError},
        {EmbeddingGrad, lowerEmbeddingGrad},
        {AddGradients, lowerAdd},
        {AddPositionsGrad, lowerAddPositionsGrad},
        {LayerNormGrad, lowerNormGrad},
        {RmsNormGrad, lowerNormGrad},
        {RotaryGrad, lowerRotary},
        {SwiGluGrad, lowerSwiGluGrad},
        {FusedAttentionGrad, lowerFusedAttentionGrad},
        {Concat, lowerConcat},
        {AttentionScoresGradQuery, lowerAttentionProduct},
        {AttentionScoresGradKey, lowerAttentionProduct},
        {ScaleGrad, lowerScale},
        {CausalMaskGrad, lowerCausalMask},
        {SoftmaxGrad, lowerSoftmaxGrad},
        {AttentionMixGradWeights, lowerAttentionProduct},
        {AttentionMixGradValue, lowerAttentionProduct},
        {DropoutGrad, lowerDropout},
        {Conv2dGradInput, lowerConv2dGradInput},
        {Conv2dGradWeight, lowerConv2dGradWeight},
        {BatchNormGrad, lowerBatchNormGrad},
        {MaxPoolGrad, lowerPoolGrad},
        {AveragePoolGrad, lowerPoolGrad},
    });
    static_assert(
        [] {
            for (std::size_t i = 0; i < kLowerers.size(); ++i) {
                if (kLowerers[i].first != static_cast<OpKind>(i)) return false;
            }
            return kLowerers.back().first == AveragePoolGrad;
        }(),
        "each kind, in the order of OpKind");
    return kLowerers.at(static_cast<std::size_t>(kind)).second;
}

}  // namespace

Plan lowerGraph(const Graph& graph, const Policy& policy, const Backend& backend, LoweringOptions options) {
    Lowering lowering(graph, policy, backend, options);
    const auto count = [&] { return static_cast<std::int64_t>(lowering.plan().instructions.size()); };
    std::optional<std::int64_t> forwardEnd;
    for (const Node& node : graph.nodes) {
        if (node.phase == Phase::Backward && !options.isTraining) break;
        if (node.phase == Phase::Backward && !forwardEnd) forwardEnd = count();
        lowererOf(node.kind)(lowering, node);
    }
    return lowering.finish(forwardEnd.value_or(count()));
}

}  // namespace mantissa
