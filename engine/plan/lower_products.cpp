// SPDX-License-Identifier: Apache-2.0
// Products: linear layers and their gradients, and those of attention, whose operands may be columns of one tensor.
#include <algorithm>
#include <utility>

#include "engine/plan/lowering.h"

namespace mantissa {
namespace {

/// A product's description with its formats, and its first operands. In block formats both are quantised by the policy's recipe. In fp8
/// both are quantised: the first one to `compute`, the second, from the forward pass, to the layer's forward format.
struct Product {
    MatmulDesc desc;
    std::vector<int> operands, scales;
};

/// `desc` has the policy's bf16. Products of fp8 elements compute in the first one's format, so that sums are those of fp8 tensor cores.
Product productInBlocks(Lowering& l, const Node& node, MatmulDesc desc, int a, int b) {
    const Direction direction = opFacts(node.kind).direction;
    const auto operand = [&](int index, LinearOperand which) {
        return operandFormat(*l.policy().blocks, direction, which, {l.rowsOf(index), l.colsOf(index)});
    };
    const bool isForward = direction == Direction::Forward, ofWeight = direction == Direction::WeightGrad;
    const OperandFormat first = operand(a, isForward ? LinearOperand::Input : LinearOperand::OutputGradient),
                        second = operand(b, ofWeight ? LinearOperand::Input : LinearOperand::Weight);
    desc.isScaled = true;
    if (isFp8(first.format.element)) desc.compute = first.format.element;
    desc.a = first.format.numbers(), desc.b = second.format.numbers();
    desc.aBlocks = first.format, desc.bBlocks = second.format;
    const auto left = l.quantized(a, first, node), right = l.quantized(b, second, node);
    return {desc, {left.values, right.values}, {left.scale, right.scale}};
}

Product product(Lowering& l, const Node& node, MatmulDesc desc, int a, int b, Dtype compute) {
    const Policy& policy = l.policy();
    desc.compute = compute;
    desc.out = storageDtype(policy, compute);
    policy.products.applyTo(desc);
    desc.isScaled = isFp8(compute);
    desc.a = desc.b = desc.out;
    if (l.isInBlocks(node.kind, node.layer)) return productInBlocks(l, node, desc, a, b);
    if (!desc.isScaled) return {desc, {l.as(a, desc.a, node), l.as(b, desc.b, node)}, {}};
    const Dtype forward = computeDtype(policy, OpKind::Linear, node.layer, desc.out);
    desc.a = compute;
    desc.b = node.phase == Phase::Forward ? compute : isFp8(forward) ? forward : Dtype::E4M3;
    const auto first = l.quantized(a, desc.a, node), second = l.quantized(b, desc.b, node);
    return {desc, {first.values, second.values}, {first.scale, second.scale}};
}

/// Quantises an input for the weight gradient in the forward pass, so that the input itself need not be saved.
void quantizeForWeightGradient(Lowering& l, const Node& linear) {
    const int x = linear.inputs[0];
    if (!l.options().isTraining || !l.isInBlocks(OpKind::LinearGradWeight, linear.layer)) return;
    const bool isRead = std::any_of(l.graph().nodes.begin(), l.graph().nodes.end(),
                                    [x](const Node& node) { return node.kind == OpKind::LinearGradWeight && node.inputs[1] == x; });
    if (!isRead) return;
    const MatrixShape shape{l.rowsOf(x), l.colsOf(x)};
    l.quantized(x, operandFormat(*l.policy().blocks, Direction::WeightGrad, LinearOperand::Input, shape), linear);
}

Instruction productInstruction(const Lowering& l, const Node& node, const Product& p, int out) {
    std::vector<int> operands = p.operands;
    operands.insert(operands.end(), p.scales.begin(), p.scales.end());
    operands.push_back(out);
    const double flops = 2.0 * static_cast<double>(p.desc.m) * static_cast<double>(p.desc.n) * static_cast<double>(p.desc.k);
    return l.instructionOf(node, p.desc, std::move(operands), out, p.desc.compute, flops);
}

}  // namespace

void lowerLinear(Lowering& l, const Node& node) {
    const int x = node.inputs[0], weight = node.inputs[1];
    const bool hasBias = node.inputs.size() > 2;
    const Shape& w = l.value(weight).shape;
    Product p =
        product(l, node, {.m = l.rowsOf(x), .n = w[0], .k = w[1], .transposeB = true, .hasBias = hasBias}, x, weight, l.computeOf(node, x));
    if (hasBias) p.operands.push_back(l.as(node.inputs[2], p.desc.out, node));
    l.append(productInstruction(l, node, p, l.outputOf(node, 0, p.desc.out)));
    quantizeForWeightGradient(l, node);
}

void lowerLinearGradInput(Lowering& l, const Node& node) {
    const int gradOutput = node.inputs[0], weight = node.inputs[1];
    const Shape& w = l.value(weight).shape;
    const Product p =
        product(l, node, {.m = l.rowsOf(gradOutput), .n = w[1], .k = w[0]}, gradOutput, weight, l.computeOf(node, gradOutput));
    l.append(productInstruction(l, node, p, l.outputOf(node, 0, p.desc.out)));
}

void lowerLinearGradWeight(Lowering& l, const Node& node) {
    const int gradOutput = node.inputs[0], x = node.inputs[1];
    const Shape& w = l.value(node.outputs[0]).shape;
    Product p =
        product(l, node, {.m = w[0], .n = w[1], .k = l.rowsOf(x), .transposeA = true}, gradOutput, x, l.computeOf(node, gradOutput));
    l.roundInPlace(node.outputs[0], p.desc, &MatmulDesc::out);
    l.parameterGradient(node, p.desc.out, [&](int out) { return productInstruction(l, node, p, out); });
}

void lowerLinearGradBias(Lowering& l, const Node& node) {
    const int gradOutput = node.inputs[0];
    const Dtype storage = l.storageOf(node, gradOutput);
    const std::int64_t cols = l.colsOf(gradOutput);
    const BiasGradDesc desc{l.rowsOf(gradOutput), cols, storage, storage};
    const int g = l.as(gradOutput, storage, node);
    l.parameterGradient(node, storage, [&](int out) {
        return l.instructionOf(node, desc, {g, out}, out, storage, static_cast<double>(desc.rows * cols));
    });
}

/// Products of each head's matrices, stored in [B,T,H D], [B,T,K D] and [B,H,T,T]. Several heads of queries share a matrix of keys or
/// values, whose gradient is the sum of theirs. In narrow formats each summand is rounded before the sum, as in a framework that repeats
/// keys and values for each head; a fused kernel adds them in fp32.
void lowerAttentionProduct(Lowering& l, const Node& node) {
    const auto& detail = std::get<AttentionDetail>(node.detail);
    const auto isSquare = [&](int index) { return l.value(index).shape.size() == 4; };
    const int first = node.inputs[0], second = node.inputs[1], result = node.outputs[0];
    const int square = isSquare(first) ? first : isSquare(second) ? second : result;
    const std::int64_t length = l.colsOf(square);
    const bool ofKeys = node.kind == OpKind::AttentionScoresGradKey, ofValues = node.kind == OpKind::AttentionMixGradValue;
    const bool makesShared = ofKeys || ofValues;  // otherwise heads share b, keys or values
    const std::int64_t group = detail.heads / detail.keyHeads;
    const int a = ofValues ? second : first, b = ofValues ? first : second;
    const std::int64_t dim = l.colsOf(b) / (makesShared ? detail.heads : detail.keyHeads);
    BatchedMatmulDesc desc{.outer = l.value(square).shape[0], .inner = detail.heads, .m = length, .scale = detail.scale};
    desc.n = isSquare(result) ? length : dim;
    desc.k = isSquare(result) ? dim : length;
    desc.transposeA = makesShared;
    desc.transposeB = isSquare(result);
    const auto stridesOf = [&](int index) -> BatchStrides {
        if (isSquare(index)) return {length, detail.heads * length * length, length * length};
        return {l.colsOf(index), length * l.colsOf(index), dim};
    };
    desc.aStrides = stridesOf(a), desc.bStrides = stridesOf(b), desc.outStrides = stridesOf(result);
    desc.compute = l.computeOf(node, l.promoted({first, second}));
    desc.a = desc.b = desc.out = l.storageOf(desc.compute);
    const bool addsCopies = makesShared && group > 1 && desc.out != Dtype::F32 && !detail.isFused;
    if (addsCopies) desc.outStrides = {detail.heads * dim, length * detail.heads * dim, dim};
    if (!addsCopies) (makesShared ? desc.outDivisor : desc.bDivisor) = group;
    l.policy().products.applyTo(desc);
    const int left = l.as(a, desc.a, node), right = l.as(b, desc.b, node);
    const double flops = 2.0 * static_cast<double>(desc.outer * desc.inner * desc.m) * static_cast<double>(desc.n * desc.k);
    if (!addsCopies) {
        const int out = l.outputOf(node, 0, desc.out);
        return l.appendNode(node, desc, {left, right, out}, out, desc.compute, flops);
    }
    const int copies = l.plan().addBuffer({.name = l.value(result).name + " of each head",
                                           .shape = {desc.outer, length, detail.heads * dim},
                                           .dtype = desc.out,
                                           .category = BufferCategory::Workspace,
                                           .role = l.value(result).role});
    l.appendNode(node, desc, {left, right, copies}, copies, desc.compute, flops);
    const SumHeadsDesc sum{.rows = desc.outer * length,
                           .heads = detail.keyHeads,
                           .group = group,
                           .headDim = dim,
                           .from = desc.out,
                           .to = l.resultDtype(node.inputs[2])};
    const int out = l.outputOf(node, 0, sum.to);
    Instruction adding = l.instructionOf(node, sum, {copies, out}, out, sum.to, static_cast<double>(elementCount(l.buffer(copies).shape)));
    adding.name = "sum_heads";
    l.append(std::move(adding));
}

namespace {

/// The node that concatenates the gradients of queries, keys and values, in that order, if nothing else reads them.
const Node* concatOf(const Lowering& l, const Node& attentionGrad) {
    const std::vector<int> parts(attentionGrad.outputs.begin(), attentionGrad.outputs.begin() + 3);
    const auto isPart = [&](int index) { return std::find(parts.begin(), parts.end(), index) != parts.end(); };
    const Node* found = nullptr;
    for (const Node& node : l.graph().nodes) {
        if (std::none_of(node.inputs.begin(), node.inputs.end(), isPart)) continue;
        if (found != nullptr || node.kind != OpKind::Concat || node.inputs != parts) return nullptr;
        found = &node;
    }
    return found;
}

/// Whether only fused attention reads the parts, as its queries, keys and values in the whole's format, and their gradients are
/// concatenated again: then it reads and writes them in place.
bool staysWhole(const Lowering& l, const Node& split, Dtype storage) {
    const auto isPart = [&](int index) { return std::find(split.outputs.begin(), split.outputs.end(), index) != split.outputs.end(); };
    bool isRead = false;
    for (const Node& node : l.graph().nodes) {
        if (std::none_of(node.inputs.begin(), node.inputs.end(), isPart)) continue;
        const bool isGradient = node.kind == OpKind::FusedAttentionGrad;
        if (!isGradient && node.kind != OpKind::FusedAttention) return false;
        const auto first = node.inputs.begin() + (isGradient ? 1 : 0);
        if (split.outputs != std::vector<int>(first, first + 3) || l.storageOf(node, storage) != storage) return false;
        const Node* const together = isGradient ? concatOf(l, node) : nullptr;
        if (isGradient && (together == nullptr || l.storageOf(*together, storage) != storage)) return false;
        isRead = true;
    }
    return isRead;
}

FusedAttentionDesc fusedDesc(Lowering& l, const Node& node, int q, int k, int v, Dtype dtype) {
    const auto& detail = std::get<AttentionDetail>(node.detail);
    const Shape& queries = l.value(q).shape;
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
        const std::int64_t width = l.buffer(l.plan().parentOf(l.stored(index))).shape.back();
        return {width, length * width, dim};
    };
    desc.q = stridesOf(q), desc.k = stridesOf(k), desc.v = stridesOf(v);
    desc.out = {queries[2], length * queries[2], dim};
    return desc;
}

}  // namespace

void lowerFusedAttention(Lowering& l, const Node& node) {
    const Dtype storage = l.storageOf(node, l.promoted(node.inputs));
    const FusedAttentionDesc desc = fusedDesc(l, node, node.inputs[0], node.inputs[1], node.inputs[2], storage);
    std::vector<int> operands;
    for (const int input : node.inputs) operands.push_back(l.as(input, storage, node));
    const int out = l.outputOf(node, 0, storage);
    const int logSumExp = l.outputOf(node, 1, Dtype::F32);
    operands.insert(operands.end(), {out, logSumExp});
    // two products over half of all pairs of rows
    const double flops = 2.0 * static_cast<double>(desc.outer * desc.heads) * static_cast<double>(desc.length * desc.length * desc.headDim);
    l.appendNode(node, desc, std::move(operands), out, storage, flops);
    l.alsoWrites({logSumExp});
}

void lowerFusedAttentionGrad(Lowering& l, const Node& node) {
    const int q = node.inputs[1], k = node.inputs[2], v = node.inputs[3], y = node.inputs[4];
    const Dtype storage = l.storageOf(node, y);
    const FusedAttentionGradDesc desc{fusedDesc(l, node, q, k, v, storage)};
    std::vector<int> operands;
    for (std::size_t i = 0; i < 5; ++i) operands.push_back(l.as(node.inputs[i], storage, node));
    operands.push_back(l.stored(node.inputs[5]));
    const bool isWhole = l.buffer(l.stored(q)).whole >= 0;
    if (isWhole) {
        const int together = l.newOutput(concatOf(l, node)->outputs[0], storage, node.phase);
        std::int64_t first = 0;
        for (std::size_t i = 0; i < 3; ++i) {
            l.placePart(node.outputs[i], together, first);
            first += l.colsOf(node.outputs[i]);
        }
    }
    for (std::size_t i = 0; i < 3; ++i) operands.push_back(isWhole ? l.stored(node.outputs[i]) : l.outputOf(node, i, storage));
    const int out = l.plan().parentOf(operands[6]), gradK = operands[7], gradV = operands[8];
    const FusedAttentionDesc& f = desc.forward;  // five products
    const double flops = 5.0 * static_cast<double>(f.outer * f.heads) * static_cast<double>(f.length * f.length * f.headDim);
    l.appendNode(node, desc, std::move(operands), out, storage, flops);
    if (!isWhole) l.alsoWrites({gradK, gradV});
}

void lowerSplit(Lowering& l, const Node& node) {
    const int x = node.inputs[0];
    const Dtype storage = l.storageOf(node, x);
    const int from = l.as(x, storage, node);
    const bool isCopied = !staysWhole(l, node, storage);
    std::int64_t first = 0;
    for (std::size_t i = 0; i < node.outputs.size(); ++i) {
        const std::int64_t cols = l.colsOf(node.outputs[i]);
        if (!isCopied) {
            l.placePart(node.outputs[i], from, std::exchange(first, first + cols));
            continue;
        }
        const int out = l.outputOf(node, i, storage);
        const CopyColumnsDesc desc{
            .rows = l.rowsOf(x), .cols = cols, .srcWidth = l.colsOf(x), .srcFirst = first, .dstWidth = cols, .dtype = storage};
        l.appendNode(node, desc, {from, out}, out, storage, 0);
        first += cols;
    }
}

void lowerConcat(Lowering& l, const Node& node) {
    const int whole = node.outputs[0];
    if (l.stored(whole) >= 0) return;  // already in one piece
    const Dtype storage = l.storageOf(node, l.promoted(node.inputs));
    const int out = l.outputOf(node, 0, storage);
    std::int64_t first = 0;
    for (const int part : node.inputs) {
        const std::int64_t cols = l.colsOf(part), width = l.colsOf(whole);
        const CopyColumnsDesc desc{
            .rows = l.rowsOf(whole), .cols = cols, .srcWidth = cols, .dstWidth = width, .dstFirst = first, .dtype = storage};
        first += cols;
        const int from = l.as(part, storage, node);
        l.appendNode(node, desc, {from, out}, first == width ? out : -1, storage, 0);  // complete with the last part
    }
}

}  // namespace mantissa
