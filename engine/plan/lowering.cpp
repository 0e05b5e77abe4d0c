// SPDX-License-Identifier: Apache-2.0
#include "engine/plan/lowering.h"

#include <algorithm>
#include <stdexcept>

namespace mantissa {

Plan Lowering::run() {
    placePersistent();
    gatherBatch();
    for (const Node& node : m_graph.nodes) {
        if (node.phase == Phase::Backward && !m_options.isTraining) break;
        if (node.phase == Phase::Backward && m_forwardEnd < 0) m_forwardEnd = static_cast<std::int64_t>(m_plan.instructions.size());
        lower(node);
    }
    return finish();
}

void Lowering::lower(const Node& node) {
    switch (node.kind) {
        case OpKind::Linear:
            return linear(node);
        case OpKind::LinearGradInput:
            return linearGradInput(node);
        case OpKind::LinearGradWeight:
            return linearGradWeight(node);
        case OpKind::LinearGradBias:
            return linearGradBias(node);
        case OpKind::ActivationFn:
            return activation(node);
        case OpKind::ActivationFnGrad:
            return activationGrad(node);
        case OpKind::CrossEntropy:
            return crossEntropy(node);
        case OpKind::CrossEntropyGrad:
            return crossEntropyGrad(node);
        case OpKind::MeanSquaredError:
        case OpKind::MeanSquaredErrorGrad:
            return meanSquaredError(node);
        case OpKind::Embedding:
            return embedding(node);
        case OpKind::EmbeddingGrad:
            return embeddingGrad(node);
        case OpKind::Add:
        case OpKind::AddPositions:
        case OpKind::AddGradients:
            return add(node);
        case OpKind::AddPositionsGrad:
            return addPositionsGrad(node);
        case OpKind::LayerNorm:
        case OpKind::RmsNorm:
            return norm(node);
        case OpKind::LayerNormGrad:
        case OpKind::RmsNormGrad:
            return normGrad(node);
        case OpKind::Rotary:
        case OpKind::RotaryGrad:
            return rotary(node);
        case OpKind::SwiGlu:
            return swiGlu(node);
        case OpKind::SwiGluGrad:
            return swiGluGrad(node);
        case OpKind::FusedAttention:
            return fusedAttention(node);
        case OpKind::FusedAttentionGrad:
            return fusedAttentionGrad(node);
        case OpKind::Split:
            return split(node);
        case OpKind::Concat:
            return concat(node);
        case OpKind::AttentionScores:
        case OpKind::AttentionScoresGradQuery:
        case OpKind::AttentionScoresGradKey:
        case OpKind::AttentionMix:
        case OpKind::AttentionMixGradWeights:
        case OpKind::AttentionMixGradValue:
            return attentionProduct(node);
        case OpKind::Scale:
        case OpKind::ScaleGrad:
            return scale(node);
        case OpKind::CausalMask:
        case OpKind::CausalMaskGrad:
            return causalMask(node);
        case OpKind::Softmax:
            return softmax(node);
        case OpKind::SoftmaxGrad:
            return softmaxGrad(node);
        case OpKind::Dropout:
        case OpKind::DropoutGrad:
            return dropout(node);
        case OpKind::Conv2d:
            return conv2d(node);
        case OpKind::Conv2dGradInput:
            return conv2dGradInput(node);
        case OpKind::Conv2dGradWeight:
            return conv2dGradWeight(node);
        case OpKind::BatchNorm:
            return batchNorm(node);
        case OpKind::BatchNormGrad:
            return batchNormGrad(node);
        case OpKind::MaxPool:
        case OpKind::AveragePool:
            return pool(node);
        case OpKind::MaxPoolGrad:
        case OpKind::AveragePoolGrad:
            return poolGrad(node);
    }
}

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
    for (const Node& node : m_graph.nodes) {
        const bool isRead = std::find(node.inputs.begin(), node.inputs.end(), valueIndex) != node.inputs.end();
        if (!isRead || namesFormatAlone(node, valueIndex)) continue;
        if (!castsItsOperands(node.kind)) return result;
        const Dtype taken = storageOf(computeOf(node, result));
        if (wanted.value_or(taken) != taken) return result;
        wanted = taken;
    }
    return wanted.value_or(result);
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
    if (dtype == *buffer(kept).dtype && !m_options.accumulates) return {kept, kept};
    const Value& v = value(valueIndex);
    return {m_plan.addBuffer({.name = v.name, .shape = v.shape, .dtype = dtype, .category = BufferCategory::Workspace, .role = v.role}),
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
    if (m_options.accumulates) {
        keeping.operation = AccumulateDesc{count, made, kept};
        keeping.name = "accumulate";
    }
    append(std::move(keeping));
}

void Lowering::activation(const Node& node) {
    const auto kind = std::get<Activation>(node.detail);
    const int x = node.inputs[0];
    const Dtype compute = computeOf(node, x), storage = storageDtype(m_plan.policy, compute);
    const std::int64_t count = elementCount(value(x).shape);
    const int in = as(x, storage, node);
    const int out = newOutput(node.outputs[0], storage, node.phase);
    Instruction instruction =
        instructionOf(node, ActivationDesc{kind, count, storage}, {in, out}, out, storage, static_cast<double>(count));
    instruction.name = activationName(kind);
    append(std::move(instruction));
}

void Lowering::activationGrad(const Node& node) {
    const auto kind = std::get<Activation>(node.detail);
    const int gradOutput = node.inputs[0], x = node.inputs[1], y = node.inputs[2];
    const Dtype storage = storageOf(computeOf(node, y));  // unless forced, the dtype that the forward operation ran in
    const std::int64_t count = elementCount(value(x).shape);
    const int g = as(gradOutput, storage, node), seen = as(gradientSeesOutput(kind) ? y : x, storage, node);
    const int out = outputOf(node, 0, storage);
    Instruction instruction =
        instructionOf(node, ActivationGradDesc{kind, count, storage}, {g, seen, out}, out, storage, static_cast<double>(count));
    instruction.name = std::string(activationName(kind)) + "_grad";
    append(std::move(instruction));
}

void Lowering::requireFp32(const Node& node, int input) const {
    const Dtype compute = computeOf(node, input);
    if (compute != Dtype::F32) {
        throw std::invalid_argument(node.layer + ": " + std::string(opFacts(node.kind).name) + " computes in fp32 only, not in " +
                                    std::string(facts(compute).name));
    }
}

/// Logits are widened when they are read: the result equals that of an fp32 copy, a small language model's largest tensor.
void Lowering::crossEntropy(const Node& node) {
    const int logits = node.inputs[0], labels = node.inputs[1], in = stored(logits);
    const Dtype compute = computeOf(node, logits);
    if (compute != storedDtype(logits)) requireFp32(node, logits);
    const Shape& shape = value(logits).shape;
    m_plan.logits = in;
    appendNode(node, SoftmaxCrossEntropyDesc{rowsOf(logits), shape.back(), labelSmoothing(node), storedDtype(logits), compute},
               {in, stored(labels), m_plan.loss, m_plan.correct}, m_plan.loss, compute, 4.0 * static_cast<double>(elementCount(shape)));
}

void Lowering::crossEntropyGrad(const Node& node) {
    const int logits = node.inputs[0], labels = node.inputs[1], in = stored(logits);
    const Dtype compute = computeOf(node, logits);
    const Shape& shape = value(logits).shape;
    const int out = outputOf(node, 0, compute);
    appendNode(node, SoftmaxCrossEntropyGradDesc{rowsOf(logits), shape.back(), labelSmoothing(node), storedDtype(logits), compute},
               {in, stored(labels), m_plan.scalars, out}, out, compute, 4.0 * static_cast<double>(elementCount(shape)));
    roundToFormatOf(logits, node);
}

/// Rounds the gradient of a loss in fp32 to the format of the prediction, for every operation that reads it.
void Lowering::roundToFormatOf(int prediction, const Node& lossGrad) {
    const int gradient = lossGrad.outputs[0];
    if (storedDtype(gradient) == Dtype::F32) place(gradient, as(gradient, resultDtype(prediction), lossGrad));
}

/// The loss, or its gradient with respect to the prediction.
void Lowering::meanSquaredError(const Node& node) {
    const int prediction = node.inputs[0], target = node.inputs[1];
    requireFp32(node, prediction);
    const std::int64_t count = elementCount(value(prediction).shape);
    const int in = as(prediction, Dtype::F32, node), wanted = as(target, Dtype::F32, node);
    const double flops = 3.0 * static_cast<double>(count);
    if (node.kind == OpKind::MeanSquaredError)
        return append(instructionOf(node, MeanSquaredErrorDesc{count}, {in, wanted, m_plan.loss}, m_plan.loss, Dtype::F32, flops));
    const int out = outputOf(node, 0, Dtype::F32);
    append(instructionOf(node, MeanSquaredErrorGradDesc{count}, {in, wanted, m_plan.scalars, out}, out, Dtype::F32, flops));
    roundToFormatOf(prediction, node);
}

Plan Lowering::finish() {
    const auto prologue = static_cast<std::int64_t>(m_prologue.size());
    const auto total = static_cast<std::int64_t>(m_plan.instructions.size());
    m_plan.instructions.insert(m_plan.instructions.begin(), std::make_move_iterator(m_prologue.begin()),
                               std::make_move_iterator(m_prologue.end()));
    m_plan.prologueEnd = prologue;
    m_plan.forwardEnd = prologue + (m_forwardEnd < 0 ? total : m_forwardEnd);
    m_plan.backwardEnd = prologue + total;
    m_plan.unscaleEnd = m_plan.backwardEnd;
    turnCopies(m_plan, m_backend);
    fuse(m_plan, m_backend);
    return std::move(m_plan);
}

Plan lowerGraph(const Graph& graph, const Policy& policy, const Backend& backend, LoweringOptions options) {
    return Lowering(graph, policy, backend, options).run();
}

}  // namespace mantissa
