// SPDX-License-Identifier: Apache-2.0
// Products: linear layers and their gradients, and those of attention.
#include <algorithm>
#include <utility>

#include "engine/plan/lowering.h"

namespace mantissa {

/// A product's description with its formats, and its first operands. In block formats both are quantised by the policy's recipe. In fp8
/// both are quantised: the first one to `compute`, the second,
/// from the forward pass, to the layer's forward format.
struct Lowering::Product {
    MatmulDesc desc;
    std::vector<int> operands, scales;
};
Lowering::Product Lowering::product(const Node& node, MatmulDesc desc, int a, int b, Dtype compute) {
    const Policy& policy = m_plan.policy;
    desc.compute = compute;
    desc.out = storageDtype(policy, compute);
    policy.products.applyTo(desc);
    desc.isScaled = isFp8(compute);
    desc.a = desc.b = desc.out;
    if (isInBlocks(node.kind, node.layer)) return productInBlocks(node, desc, a, b);
    if (!desc.isScaled) return {desc, {as(a, desc.a, node), as(b, desc.b, node)}, {}};
    const Dtype forward = computeDtype(policy, OpKind::Linear, node.layer, desc.out);
    desc.a = compute;
    desc.b = node.phase == Phase::Forward ? compute : isFp8(forward) ? forward : Dtype::E4M3;
    const Quantized first = quantized(a, desc.a, node), second = quantized(b, desc.b, node);
    return {desc, {first.values, second.values}, {first.scale, second.scale}};
}

bool Lowering::isInBlocks(OpKind kind, const std::string& layer) const {
    const bool isProduct = kind == OpKind::Linear || kind == OpKind::LinearGradInput || kind == OpKind::LinearGradWeight;
    return isProduct && std::find(m_quantizedLayers.begin(), m_quantizedLayers.end(), layer) != m_quantizedLayers.end() &&
           !forcedDtype(m_plan.policy, kind, layer);
}

/// `desc` has the policy's bf16. Products of fp8 elements compute in the first one's format, so that sums are those of fp8 tensor cores.
Lowering::Product Lowering::productInBlocks(const Node& node, MatmulDesc desc, int a, int b) {
    const Direction direction = opFacts(node.kind).direction;
    const auto operand = [&](int index, LinearOperand which) {
        return operandFormat(*m_plan.policy.blocks, direction, which, {rowsOf(index), value(index).shape.back()});
    };
    const bool isForward = direction == Direction::Forward, ofWeight = direction == Direction::WeightGrad;
    const OperandFormat first = operand(a, isForward ? LinearOperand::Input : LinearOperand::OutputGradient),
                        second = operand(b, ofWeight ? LinearOperand::Input : LinearOperand::Weight);
    desc.isScaled = true;
    if (isFp8(first.format.element)) desc.compute = first.format.element;
    desc.a = first.format.numbers(), desc.b = second.format.numbers();
    desc.aBlocks = first.format, desc.bBlocks = second.format;
    const Quantized left = quantized(a, first, node), right = quantized(b, second, node);
    return {desc, {left.values, right.values}, {left.scale, right.scale}};
}

void Lowering::quantizeForWeightGradient(const Node& linear) {
    const int x = linear.inputs[0];
    if (!m_options.isTraining || !isInBlocks(OpKind::LinearGradWeight, linear.layer)) return;
    const bool isRead = std::any_of(m_graph.nodes.begin(), m_graph.nodes.end(),
                                    [x](const Node& node) { return node.kind == OpKind::LinearGradWeight && node.inputs[1] == x; });
    if (!isRead) return;
    const MatrixShape shape{rowsOf(x), value(x).shape.back()};
    quantized(x, operandFormat(*m_plan.policy.blocks, Direction::WeightGrad, LinearOperand::Input, shape), linear);
}

Instruction Lowering::productInstruction(const Node& node, const Product& p, int out) const {
    std::vector<int> operands = p.operands;
    operands.insert(operands.end(), p.scales.begin(), p.scales.end());
    operands.push_back(out);
    const double flops = 2.0 * static_cast<double>(p.desc.m) * static_cast<double>(p.desc.n) * static_cast<double>(p.desc.k);
    return instructionOf(node, p.desc, std::move(operands), out, p.desc.compute, flops);
}

void Lowering::linear(const Node& node) {
    const int x = node.inputs[0], weight = node.inputs[1];
    const bool hasBias = node.inputs.size() > 2;
    const Shape& w = value(weight).shape;
    Product p =
        product(node, {.m = rowsOf(x), .n = w[0], .k = w[1], .transposeB = true, .hasBias = hasBias}, x, weight, computeOf(node, x));
    if (hasBias) p.operands.push_back(as(node.inputs[2], p.desc.out, node));
    append(productInstruction(node, p, outputOf(node, 0, p.desc.out)));
    quantizeForWeightGradient(node);
}

void Lowering::linearGradInput(const Node& node) {
    const int gradOutput = node.inputs[0], weight = node.inputs[1];
    const Shape& w = value(weight).shape;
    const Product p = product(node, {.m = rowsOf(gradOutput), .n = w[1], .k = w[0]}, gradOutput, weight, computeOf(node, gradOutput));
    append(productInstruction(node, p, outputOf(node, 0, p.desc.out)));
}

void Lowering::linearGradWeight(const Node& node) {
    const int gradOutput = node.inputs[0], x = node.inputs[1];
    const Shape& w = value(node.outputs[0]).shape;
    Product p = product(node, {.m = w[0], .n = w[1], .k = rowsOf(x), .transposeA = true}, gradOutput, x, computeOf(node, gradOutput));
    if (roundsInPlace(node.outputs[0])) {
        MatmulDesc widened = p.desc;
        widened.result = p.desc.out;
        widened.out = Dtype::F32;
        if (m_backend.supports(widened).supported) p.desc = widened;
    }
    parameterGradient(node, p.desc.out, [&](int out) { return productInstruction(node, p, out); });
}

void Lowering::linearGradBias(const Node& node) {
    const int gradOutput = node.inputs[0];
    const Dtype compute = computeOf(node, gradOutput), storage = storageDtype(m_plan.policy, compute);
    const std::int64_t cols = value(gradOutput).shape.back();
    const BiasGradDesc desc{rowsOf(gradOutput), cols, storage, storage};
    const int g = as(gradOutput, storage, node);
    parameterGradient(node, storage, [&](int out) {
        return instructionOf(node, desc, {g, out}, out, storage, static_cast<double>(desc.rows * cols));
    });
}

/// Products of each head's matrices, stored in [B,T,H D], [B,T,K D] and [B,H,T,T]. Several heads of queries share a matrix of keys or
/// values, whose gradient is the sum of theirs. In narrow formats each summand is rounded before the sum, as in a framework that repeats
/// keys and values for each head; a fused kernel adds them in fp32.
void Lowering::attentionProduct(const Node& node) {
    const auto& detail = std::get<AttentionDetail>(node.detail);
    const auto isSquare = [&](int index) { return value(index).shape.size() == 4; };
    const auto widthOf = [&](int index) { return value(index).shape.back(); };
    const int first = node.inputs[0], second = node.inputs[1], result = node.outputs[0];
    const int square = isSquare(first) ? first : isSquare(second) ? second : result;
    const std::int64_t length = widthOf(square);
    const bool ofKeys = node.kind == OpKind::AttentionScoresGradKey, ofValues = node.kind == OpKind::AttentionMixGradValue;
    const bool makesShared = ofKeys || ofValues;  // otherwise heads share b, keys or values
    const std::int64_t group = detail.heads / detail.keyHeads;
    const int a = ofValues ? second : first, b = ofValues ? first : second;
    const std::int64_t dim = widthOf(b) / (makesShared ? detail.heads : detail.keyHeads);
    BatchedMatmulDesc desc{.outer = value(square).shape[0], .inner = detail.heads, .m = length, .scale = detail.scale};
    desc.n = isSquare(result) ? length : dim;
    desc.k = isSquare(result) ? dim : length;
    desc.transposeA = makesShared;
    desc.transposeB = isSquare(result);
    const auto stridesOf = [&](int index) -> BatchStrides {
        if (isSquare(index)) return {length, detail.heads * length * length, length * length};
        return {widthOf(index), length * widthOf(index), dim};
    };
    desc.aStrides = stridesOf(a), desc.bStrides = stridesOf(b), desc.outStrides = stridesOf(result);
    desc.compute = computeOf(node, promoted({first, second}));
    desc.a = desc.b = desc.out = storageOf(desc.compute);
    const bool addsCopies = makesShared && group > 1 && desc.out != Dtype::F32 && !detail.isFused;
    if (addsCopies) desc.outStrides = {detail.heads * dim, length * detail.heads * dim, dim};
    if (!addsCopies) (makesShared ? desc.outDivisor : desc.bDivisor) = group;
    m_plan.policy.products.applyTo(desc);
    const int left = as(a, desc.a, node), right = as(b, desc.b, node);
    const double flops = 2.0 * static_cast<double>(desc.outer * desc.inner * desc.m) * static_cast<double>(desc.n * desc.k);
    if (!addsCopies) {
        const int out = outputOf(node, 0, desc.out);
        return appendNode(node, desc, {left, right, out}, out, desc.compute, flops);
    }
    const int copies = m_plan.addBuffer({.name = value(result).name + " of each head",
                                         .shape = {desc.outer, length, detail.heads * dim},
                                         .dtype = desc.out,
                                         .category = BufferCategory::Workspace,
                                         .role = value(result).role});
    appendNode(node, desc, {left, right, copies}, copies, desc.compute, flops);
    const SumHeadsDesc sum{.rows = desc.outer * length,
                           .heads = detail.keyHeads,
                           .group = group,
                           .headDim = dim,
                           .from = desc.out,
                           .to = resultDtype(node.inputs[2])};
    const int out = outputOf(node, 0, sum.to);
    Instruction adding = instructionOf(node, sum, {copies, out}, out, sum.to, static_cast<double>(elementCount(buffer(copies).shape)));
    adding.name = "sum_heads";
    append(std::move(adding));
}

/// The node that concatenates the gradients of queries, keys and values, in that order, if nothing else reads them.
const Node* Lowering::concatOf(const Node& attentionGrad) const {
    const std::vector<int> parts(attentionGrad.outputs.begin(), attentionGrad.outputs.begin() + 3);
    const auto isPart = [&](int index) { return std::find(parts.begin(), parts.end(), index) != parts.end(); };
    const Node* found = nullptr;
    for (const Node& node : m_graph.nodes) {
        if (std::none_of(node.inputs.begin(), node.inputs.end(), isPart)) continue;
        if (found != nullptr || node.kind != OpKind::Concat || node.inputs != parts) return nullptr;
        found = &node;
    }
    return found;
}

bool Lowering::staysWhole(const Node& split, Dtype storage) const {
    const auto isPart = [&](int index) { return std::find(split.outputs.begin(), split.outputs.end(), index) != split.outputs.end(); };
    bool isRead = false;
    for (const Node& node : m_graph.nodes) {
        if (std::none_of(node.inputs.begin(), node.inputs.end(), isPart)) continue;
        const bool isGradient = node.kind == OpKind::FusedAttentionGrad;
        if (!isGradient && node.kind != OpKind::FusedAttention) return false;
        const auto first = node.inputs.begin() + (isGradient ? 1 : 0);
        if (split.outputs != std::vector<int>(first, first + 3) || storageOf(computeOf(node, storage)) != storage) return false;
        const Node* const together = isGradient ? concatOf(node) : nullptr;
        if (isGradient && (together == nullptr || storageOf(computeOf(*together, storage)) != storage)) return false;
        isRead = true;
    }
    return isRead;
}

FusedAttentionDesc Lowering::fusedDesc(const Node& node, int q, int k, int v, Dtype dtype) const {
    const auto& detail = std::get<AttentionDetail>(node.detail);
    const Shape& queries = value(q).shape;
    const std::int64_t length = queries[1], dim = queries[2] / detail.heads;
    FusedAttentionDesc desc{.outer = queries[0],
                            .heads = detail.heads,
                            .keyHeads = detail.keyHeads,
                            .length = length,
                            .headDim = dim,
                            .scale = detail.scale,
                            .dtype = dtype,
                            .compute = detail.dividesAfter && (dtype == Dtype::F16 || dtype == Dtype::BF16) ? dtype : Dtype::F32,
                            .shiftsTies = detail.shiftsTies};
    const auto stridesOf = [&](int index) -> BatchStrides {
        const std::int64_t width = buffer(m_plan.parentOf(stored(index))).shape.back();
        return {width, length * width, dim};
    };
    desc.q = stridesOf(q), desc.k = stridesOf(k), desc.v = stridesOf(v);
    desc.out = {queries[2], length * queries[2], dim};
    return desc;
}

void Lowering::fusedAttention(const Node& node) {
    const Dtype storage = storageOf(computeOf(node, promoted(node.inputs)));
    const FusedAttentionDesc desc = fusedDesc(node, node.inputs[0], node.inputs[1], node.inputs[2], storage);
    std::vector<int> operands;
    for (const int input : node.inputs) operands.push_back(as(input, storage, node));
    const int out = outputOf(node, 0, storage);
    const int logSumExp = outputOf(node, 1, Dtype::F32);
    operands.insert(operands.end(), {out, logSumExp});
    // two products over half of all pairs of rows
    const double flops = 2.0 * static_cast<double>(desc.outer * desc.heads) * static_cast<double>(desc.length * desc.length * desc.headDim);
    appendNode(node, desc, std::move(operands), out, storage, flops);
    alsoWrites({logSumExp});
}

void Lowering::fusedAttentionGrad(const Node& node) {
    const int q = node.inputs[1], k = node.inputs[2], v = node.inputs[3], y = node.inputs[4];
    const Dtype storage = storageOf(computeOf(node, y));
    const FusedAttentionGradDesc desc{fusedDesc(node, q, k, v, storage)};
    std::vector<int> operands;
    for (std::size_t i = 0; i < 5; ++i) operands.push_back(as(node.inputs[i], storage, node));
    operands.push_back(stored(node.inputs[5]));
    const bool isWhole = buffer(stored(q)).whole >= 0;
    if (isWhole) {
        const int together = newOutput(concatOf(node)->outputs[0], storage, node.phase);
        std::int64_t first = 0;
        for (std::size_t i = 0; i < 3; ++i) {
            placePart(node.outputs[i], together, first);
            first += value(node.outputs[i]).shape.back();
        }
    }
    for (std::size_t i = 0; i < 3; ++i) operands.push_back(isWhole ? stored(node.outputs[i]) : outputOf(node, i, storage));
    const int out = m_plan.parentOf(operands[6]), gradK = operands[7], gradV = operands[8];
    const FusedAttentionDesc& f = desc.forward;  // five products
    const double flops = 5.0 * static_cast<double>(f.outer * f.heads) * static_cast<double>(f.length * f.length * f.headDim);
    appendNode(node, desc, std::move(operands), out, storage, flops);
    if (!isWhole) alsoWrites({gradK, gradV});
}

}  // namespace mantissa
