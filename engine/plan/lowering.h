// SPDX-License-Identifier: Apache-2.0
// Inside of lowerGraph: graph + policy -> instructions. Each graph node becomes one instruction or a few, with casts before it where an
// operand is stored in another dtype than the node computes in. One file a family: lowering.cpp, lower_products.cpp, lower_network.cpp,
// lower_images.cpp.
#pragma once

#include <initializer_list>
#include <utility>

#include "engine/plan/value_buffers.h"

namespace mantissa {

class Lowering : ValueBuffers {
public:
    Lowering(const Graph& graph, const Policy& policy, const Backend& backend, LoweringOptions options)
        : ValueBuffers(graph, policy, backend, options) {}
    Plan run();

private:
    std::int64_t m_forwardEnd = -1;

    void lower(const Node& node);
    Plan finish();

    /// What a value counts as for the autocast lists. Parameters are fp32 there but in pure policies, also where validation under another
    /// policy reads the narrow ones of a pure run.
    Dtype inputDtype(int input) const {
        const bool isWidened = value(input).role == ValueRole::Parameter && !m_plan.policy.isPure;
        return isWidened ? Dtype::F32 : storedDtype(input);
    }
    /// What a node computes in, given what comes in: of several inputs, the narrowest dtype that holds all.
    Dtype computeOf(const Node& node, int input) const { return computeOf(node, inputDtype(input)); }
    Dtype computeOf(const Node& node, Dtype input) const { return computeDtype(m_plan.policy, node.kind, node.layer, input); }
    Dtype promoted(const std::vector<int>& inputs) const;
    /// What a result is written in: fp32 that nothing but products read, all of them in the same 16 bits, is rounded as it is written,
    /// not by a cast of each copy afterwards. The same rounding of the same numbers.
    Dtype writtenFor(int valueIndex, Dtype result) const;
    Dtype storageOf(Dtype compute) const { return storageDtype(m_plan.policy, compute); }

    Instruction instructionOf(const Node& node, OperationDesc operation, std::vector<int> operands, int output, Dtype compute,
                              double flops) const;
    void appendNode(const Node& node, OperationDesc operation, std::vector<int> operands, int output, Dtype compute, double flops) {
        append(instructionOf(node, std::move(operation), std::move(operands), output, compute, flops));
    }
    /// What the instruction that came last writes besides; -1: nothing.
    void alsoWrites(std::initializer_list<int> buffers) {
        for (const int written : buffers) {
            if (written >= 0) m_plan.instructions.back().others.push_back(written);
        }
    }
    /// A new buffer for an output of the node.
    int outputOf(const Node& node, std::size_t output, Dtype dtype) { return newOutput(node.outputs[output], dtype, node.phase); }

    int indicesOf(const Node& node, std::size_t output) { return newIndices(node.outputs[output]); }

    /// Where a gradient in `dtype` is written, and what brings it from there to where the parameter's gradient is kept: nothing, a cast, or
    /// an addition where micro-batches add up. A gradient that is no parameter's is kept where it is written.
    struct GradientTarget {
        int made = -1, kept = -1;
    };
    /// Whether a parameter's gradient is kept in fp32 where a product may write it, rounded all the same: no copy and no cast.
    bool roundsInPlace(int gradient) const {
        return stored(gradient) >= 0 && !m_options.accumulates && *buffer(stored(gradient)).dtype == Dtype::F32;
    }
    GradientTarget gradientTarget(int valueIndex, Dtype dtype, Phase phase);
    void keepGradient(const Node& node, const GradientTarget& target);
    template <typename MakeInstruction>
    void parameterGradient(const Node& node, Dtype dtype, MakeInstruction make) {
        const GradientTarget target = gradientTarget(node.outputs[0], dtype, node.phase);
        append(make(target.made));
        keepGradient(node, target);
    }

    // lower_products.cpp
    struct Product;
    Product product(const Node& node, MatmulDesc desc, int a, int b, Dtype compute);
    Instruction productInstruction(const Node& node, const Product& product, int out) const;
    void linear(const Node& node);
    void linearGradInput(const Node& node);
    void linearGradWeight(const Node& node);
    void linearGradBias(const Node& node);
    void attentionProduct(const Node& node);
    const Node* concatOf(const Node& attentionGrad) const;
    /// Whether fused attention alone reads the parts, as its queries, keys and values and in the format of the whole, and their gradients
    /// are put together again: then it reads and writes them where they lie.
    bool staysWhole(const Node& split, Dtype storage) const;
    FusedAttentionDesc fusedDesc(const Node& node, int q, int k, int v, Dtype dtype) const;
    void fusedAttention(const Node& node);
    void fusedAttentionGrad(const Node& node);

    // lowering.cpp
    void activation(const Node& node);
    void activationGrad(const Node& node);
    void requireFp32(const Node& node, int input) const;
    double labelSmoothing(const Node& node) const {
        return m_options.isTraining ? std::get<CrossEntropyDetail>(node.detail).labelSmoothing : 0;
    }
    void crossEntropy(const Node& node);
    void crossEntropyGrad(const Node& node);
    void roundToFormatOf(int prediction, const Node& lossGrad);
    void meanSquaredError(const Node& node);

    // lower_network.cpp
    void embedding(const Node& node);
    void embeddingGrad(const Node& node);
    void add(const Node& node);
    void addPositionsGrad(const Node& node);
    struct NormFormats {
        Dtype result, compute;  // compute: F32, or what an override forces
    };
    NormFormats normFormats(const Node& node, int x) const;
    int normOperand(const NormFormats& formats, int index, bool isParameter, const Node& node);
    void norm(const Node& node);
    void normGrad(const Node& node);
    void rotary(const Node& node);
    void swiGlu(const Node& node);
    void swiGluGrad(const Node& node);
    void split(const Node& node);
    void concat(const Node& node);
    void scale(const Node& node);
    void causalMask(const Node& node);
    void softmax(const Node& node);
    void softmaxGrad(const Node& node);
    void dropout(const Node& node);

    // lower_images.cpp
    Convolution2dDesc convolution(const Node& node, int x, int weight, Dtype compute) const;
    void conv2d(const Node& node);
    void conv2dGradInput(const Node& node);
    void conv2dGradWeight(const Node& node);
    void batchNorm(const Node& node);
    void batchNormGrad(const Node& node);
    PoolDesc poolDesc(const Node& node, int x, Dtype dtype) const;
    void pool(const Node& node);
    void poolGrad(const Node& node);
};

}  // namespace mantissa
