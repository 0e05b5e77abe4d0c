// SPDX-License-Identifier: Apache-2.0
// Implements lowerGraph (internal): graph + policy -> instructions. Each graph node becomes one or more instructions, with casts before it
// if an operand's storage dtype differs from the node's compute dtype. One file per family: lowering.cpp, lower_products.cpp,
// lower_network.cpp, lower_images.cpp.
#pragma once

#include <initializer_list>
#include <utility>

#include "engine/plan/value_buffers.h"

namespace mantissa {

class Lowering : ValueBuffers {
public:
    Lowering(const Graph& graph, const Policy& policy, const Backend& backend, LoweringOptions options)
        : ValueBuffers(graph, policy, backend, options) {
        if (policy.blocks) m_quantizedLayers = quantizedLayers(*policy.blocks, graph);
    }
    Plan run();

private:
    std::int64_t m_forwardEnd = -1;
    std::vector<std::string> m_quantizedLayers;  // of a policy in a block format

    void lower(const Node& node);
    Plan finish();

    /// The dtype of a value for the autocast lists. Parameters count as fp32 except in pure policies, even if validation under another
    /// policy reads the narrow ones of a pure run.
    Dtype inputDtype(int input) const {
        const bool isWidened = value(input).role == ValueRole::Parameter && !m_plan.policy.isPure;
        return isWidened ? Dtype::F32 : storedDtype(input);
    }
    /// The compute dtype of a node for its inputs: of several inputs, the narrowest dtype that holds all.
    Dtype computeOf(const Node& node, int input) const { return computeOf(node, inputDtype(input)); }
    Dtype computeOf(const Node& node, Dtype input) const { return computeDtype(m_plan.policy, node.kind, node.layer, input); }
    Dtype promoted(const std::vector<int>& inputs) const;
    /// The dtype in which a result is written. An fp32 result that only products of one 16-bit format read is rounded when it is written,
    /// instead of by a cast of each copy later; the values are identical.
    Dtype writtenFor(int valueIndex, Dtype result) const;
    Dtype storageOf(Dtype compute) const { return storageDtype(m_plan.policy, compute); }

    Instruction instructionOf(const Node& node, OperationDesc operation, std::vector<int> operands, int output, Dtype compute,
                              double flops) const;
    void appendNode(const Node& node, OperationDesc operation, std::vector<int> operands, int output, Dtype compute, double flops) {
        append(instructionOf(node, std::move(operation), std::move(operands), output, compute, flops));
    }
    /// Declares further outputs of the last instruction; -1: none.
    void alsoWrites(std::initializer_list<int> buffers) {
        for (const int written : buffers) {
            if (written >= 0) m_plan.instructions.back().others.push_back(written);
        }
    }
    /// Creates a buffer for an output of the node.
    int outputOf(const Node& node, std::size_t output, Dtype dtype) { return newOutput(node.outputs[output], dtype, node.phase); }

    int indicesOf(const Node& node, std::size_t output) { return newIndices(node.outputs[output]); }

    /// Where a gradient in `dtype` is written, and where the parameter's gradient is kept: the same buffer, or one that is reached by a
    /// cast, or by an addition if micro-batches accumulate. A gradient of no parameter is kept where it is written.
    struct GradientTarget {
        int made = -1, kept = -1;
    };
    /// Whether a parameter's gradient is kept in fp32 and a product may write it there, rounded: no copy and no cast.
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
    /// Whether a block policy quantises a linear layer's product, in that direction: no override and no kept layer.
    bool isInBlocks(OpKind kind, const std::string& layer) const;
    Product productInBlocks(const Node& node, MatmulDesc desc, int a, int b);
    /// Quantises an input for the weight gradient in the forward pass, so that the input itself need not be saved.
    void quantizeForWeightGradient(const Node& linear);
    Instruction productInstruction(const Node& node, const Product& product, int out) const;
    void linear(const Node& node);
    void linearGradInput(const Node& node);
    void linearGradWeight(const Node& node);
    void linearGradBias(const Node& node);
    void attentionProduct(const Node& node);
    const Node* concatOf(const Node& attentionGrad) const;
    /// Whether only fused attention reads the parts, as its queries, keys and values in the whole's format, and their gradients are
    /// concatenated again: then it reads and writes them in place.
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
