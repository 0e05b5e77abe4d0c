// SPDX-License-Identifier: Apache-2.0
// Graph + policy -> instructions. Each graph node becomes one instruction, with casts before it where an operand is stored in another
// dtype than the node computes in, and a widening after it where a parameter's gradient comes out narrower than fp32.
#include <algorithm>
#include <stdexcept>
#include <utility>

#include "engine/plan/value_buffers.h"

namespace mantissa {
namespace {

class Lowering : ValueBuffers {
public:
    Lowering(const Graph& graph, const Policy& policy, const Backend& backend, LoweringOptions options)
        : ValueBuffers(graph, policy, backend, options) {}

    Plan run() {
        placePersistent();
        gatherBatch();
        for (const Node& node : m_graph.nodes) {
            if (node.phase == Phase::Backward && !m_options.isTraining) break;
            if (node.phase == Phase::Backward && m_forwardEnd < 0) m_forwardEnd = static_cast<std::int64_t>(m_plan.instructions.size());
            lower(node);
        }
        return finish();
    }

private:
    std::int64_t m_forwardEnd = -1;

    Dtype computeOf(const Node& node, int input) const { return computeDtype(m_plan.policy, node.kind, node.layer, storedDtype(input)); }

    void lower(const Node& node) {
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
        }
    }

    Instruction instructionOf(const Node& node, OperationDesc operation, std::vector<int> operands, int output, Dtype compute,
                              double flops) const {
        return {.operation = std::move(operation),
                .name = std::string(opKindName(node.kind)),
                .layer = node.layer,
                .phase = node.phase,
                .operands = std::move(operands),
                .output = output,
                .compute = compute,
                .flops = flops};
    }

    /// A product's description with its formats, and the operands it begins with. In fp8 both are quantised: the first one to `compute`,
    /// the second, from the forward pass, to what the layer computes in there.
    struct Product {
        MatmulDesc desc;
        std::vector<int> operands, scales;
    };
    Product product(const Node& node, MatmulDesc desc, int a, int b, Dtype compute) {
        const Policy& policy = m_plan.policy;
        desc.compute = compute;
        desc.out = storageDtype(policy, compute);
        desc.accumulator = policy.products.accumulator;
        desc.promoteEvery = compute == Dtype::F32 ? 0 : policy.products.promoteEvery;
        if (compute == Dtype::TF32) desc.operandRounding = policy.products.tf32Rounding;
        desc.isScaled = isFp8(compute);
        desc.a = desc.b = desc.out;
        if (!desc.isScaled) return {desc, {as(a, desc.a, node), as(b, desc.b, node)}, {}};
        const Dtype forward = computeDtype(policy, OpKind::Linear, node.layer, desc.out);
        desc.a = compute;
        desc.b = node.phase == Phase::Forward ? compute : isFp8(forward) ? forward : Dtype::E4M3;
        const Quantized first = quantized(a, desc.a, node), second = quantized(b, desc.b, node);
        return {desc, {first.values, second.values}, {first.scale, second.scale}};
    }

    Instruction productInstruction(const Node& node, const Product& p, int out) const {
        std::vector<int> operands = p.operands;
        operands.insert(operands.end(), p.scales.begin(), p.scales.end());
        operands.push_back(out);
        const double flops = 2.0 * static_cast<double>(p.desc.m) * static_cast<double>(p.desc.n) * static_cast<double>(p.desc.k);
        return instructionOf(node, p.desc, std::move(operands), out, p.desc.compute, flops);
    }

    void linear(const Node& node) {
        const int x = node.inputs[0], weight = node.inputs[1], bias = node.inputs[2];
        const Shape& w = value(weight).shape;
        Product p = product(node, {.m = batch(), .n = w[0], .k = w[1], .transposeB = true, .hasBias = true}, x, weight, computeOf(node, x));
        p.operands.push_back(as(bias, p.desc.out, node));
        append(productInstruction(node, p, newOutput(node.outputs[0], p.desc.out, node.phase)));
    }

    void linearGradInput(const Node& node) {
        const int gradOutput = node.inputs[0], weight = node.inputs[1];
        const Shape& w = value(weight).shape;
        const Product p = product(node, {.m = batch(), .n = w[1], .k = w[0]}, gradOutput, weight, computeOf(node, gradOutput));
        append(productInstruction(node, p, newOutput(node.outputs[0], p.desc.out, node.phase)));
    }

    void linearGradWeight(const Node& node) {
        const int gradOutput = node.inputs[0], x = node.inputs[1];
        const Shape& w = value(node.outputs[0]).shape;
        Product p = product(node, {.m = w[0], .n = w[1], .k = batch(), .transposeA = true}, gradOutput, x, computeOf(node, gradOutput));
        MatmulDesc widened = p.desc;
        widened.result = p.desc.out;
        widened.out = *buffer(stored(node.outputs[0])).dtype;
        const bool canWiden = widened.out == Dtype::F32 && m_backend.supports(widened).supported;
        if (canWiden && !m_options.accumulates) p.desc = widened;
        parameterGradient(node, p.desc.out, [&](int out) { return productInstruction(node, p, out); });
    }

    void linearGradBias(const Node& node) {
        const int gradOutput = node.inputs[0];
        const Dtype compute = computeOf(node, gradOutput), storage = storageDtype(m_plan.policy, compute);
        const Shape& shape = value(gradOutput).shape;
        const BiasGradDesc desc{shape[0], shape[1], storage, storage};
        const int g = as(gradOutput, storage, node);
        parameterGradient(node, storage, [&](int out) {
            return instructionOf(node, desc, {g, out}, out, storage, static_cast<double>(elementCount(shape)));
        });
    }

    /// A parameter's gradient is kept as the parameter is. What comes out in another format is rounded first, as the framework's own
    /// gradient of a cast weight is, then converted; several micro-batches are added up where they are kept.
    template <typename MakeInstruction>
    void parameterGradient(const Node& node, Dtype storage, MakeInstruction make) {
        const int gradient = stored(node.outputs[0]);
        const Dtype kept = *buffer(gradient).dtype;
        if (storage == kept && !m_options.accumulates) return append(make(gradient));
        const Value& v = value(node.outputs[0]);
        const std::int64_t count = elementCount(v.shape);
        const int made = m_plan.addBuffer({.name = v.name, .shape = v.shape, .dtype = storage, .category = BufferCategory::Workspace});
        append(make(made));
        Instruction widen{.operation = CastDesc{count, storage, kept},
                          .name = "cast",
                          .layer = node.layer,
                          .phase = node.phase,
                          .operands = {made, gradient},
                          .output = gradient,
                          .flops = 0};
        if (m_options.accumulates) {
            widen.operation = AccumulateDesc{count, storage, kept};
            widen.name = "accumulate";
        }
        append(std::move(widen));
    }

    void activation(const Node& node) {
        const int x = node.inputs[0];
        const Dtype compute = computeOf(node, x), storage = storageDtype(m_plan.policy, compute);
        const std::int64_t count = elementCount(value(x).shape);
        const int in = as(x, storage, node);
        const int out = newOutput(node.outputs[0], storage, node.phase);
        Instruction instruction =
            instructionOf(node, ActivationDesc{node.activation, count, storage}, {in, out}, out, storage, static_cast<double>(count));
        instruction.name = activationName(node.activation);
        append(std::move(instruction));
    }

    void activationGrad(const Node& node) {
        const int gradOutput = node.inputs[0], x = node.inputs[1], y = node.inputs[2];
        const Dtype storage =
            storageDtype(m_plan.policy, computeOf(node, y));  // unless forced, the dtype that the forward operation ran in
        const std::int64_t count = elementCount(value(x).shape);
        const int g = as(gradOutput, storage, node), xb = as(x, storage, node), yb = as(y, storage, node);
        const int out = newOutput(node.outputs[0], storage, node.phase);
        Instruction instruction = instructionOf(node, ActivationGradDesc{node.activation, count, storage}, {g, xb, yb, out}, out, storage,
                                                static_cast<double>(count));
        instruction.name = std::string(activationName(node.activation)) + "_grad";
        append(std::move(instruction));
    }

    void requireFp32(const Node& node, int input) const {
        const Dtype compute = computeOf(node, input);
        if (compute != Dtype::F32) {
            throw std::invalid_argument(node.layer + ": " + std::string(opKindName(node.kind)) + " computes in fp32 only, not in " +
                                        std::string(facts(compute).name));
        }
    }

    void crossEntropy(const Node& node) {
        const int logits = node.inputs[0], labels = node.inputs[1];
        requireFp32(node, logits);
        const Shape& shape = value(logits).shape;
        const int in = as(logits, Dtype::F32, node);
        append(instructionOf(node, SoftmaxCrossEntropyDesc{shape[0], shape[1]}, {in, stored(labels), m_plan.loss, m_plan.correct},
                             m_plan.loss, Dtype::F32, 4.0 * static_cast<double>(elementCount(shape))));
    }

    void crossEntropyGrad(const Node& node) {
        const int logits = node.inputs[0], labels = node.inputs[1];
        requireFp32(node, logits);
        const Shape& shape = value(logits).shape;
        const int in = as(logits, Dtype::F32, node);
        const int out = newOutput(node.outputs[0], Dtype::F32, node.phase);
        append(instructionOf(node, SoftmaxCrossEntropyGradDesc{shape[0], shape[1]}, {in, stored(labels), m_plan.scalars, out}, out,
                             Dtype::F32, 4.0 * static_cast<double>(elementCount(shape))));
    }

    Plan finish() {
        const auto prologue = static_cast<std::int64_t>(m_prologue.size());
        const auto total = static_cast<std::int64_t>(m_plan.instructions.size());
        m_plan.instructions.insert(m_plan.instructions.begin(), std::make_move_iterator(m_prologue.begin()),
                                   std::make_move_iterator(m_prologue.end()));
        m_plan.prologueEnd = prologue;
        m_plan.forwardEnd = prologue + (m_forwardEnd < 0 ? total : m_forwardEnd);
        m_plan.backwardEnd = prologue + total;
        m_plan.unscaleEnd = m_plan.backwardEnd;
        return std::move(m_plan);
    }
};

}  // namespace

Plan lowerGraph(const Graph& graph, const Policy& policy, const Backend& backend, LoweringOptions options) {
    return Lowering(graph, policy, backend, options).run();
}

}  // namespace mantissa
