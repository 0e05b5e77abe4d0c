// SPDX-License-Identifier: Apache-2.0
// Implements lowerGraph (internal): graph + policy -> instructions. Each graph node becomes one or more instructions, with casts before it
// if an operand's storage dtype differs from the node's compute dtype. `Lowering` has the rules that all operations share; each operation
// is one function, in the file of its family.
#pragma once

#include <initializer_list>
#include <utility>

#include "engine/plan/value_buffers.h"

namespace mantissa {

class Lowering : public ValueBuffers {
public:
    Lowering(const Graph& graph, const Policy& policy, const Backend& backend, LoweringOptions options)
        : ValueBuffers(graph, policy, backend, options) {
        if (policy.blocks) m_quantizedLayers = quantizedLayers(*policy.blocks, graph);
    }

    /// The dtype of a value for the autocast lists. Parameters count as fp32 except in pure policies, even if validation under another
    /// policy reads the narrow ones of a pure run.
    Dtype inputDtype(int input) const {
        const bool isWidened = value(input).role == ValueRole::Parameter && !policy().isPure;
        return isWidened ? Dtype::F32 : storedDtype(input);
    }
    /// The compute dtype of a node for its inputs: of several inputs, the narrowest dtype that holds all.
    Dtype computeOf(const Node& node, int input) const { return computeOf(node, inputDtype(input)); }
    Dtype computeOf(const Node& node, Dtype input) const { return computeDtype(policy(), node.kind, node.layer, input); }
    Dtype promoted(const std::vector<int>& inputs) const;
    /// The dtype in which a result is written. An fp32 result that only products of one 16-bit format read is rounded when it is written,
    /// instead of by a cast of each copy later; the values are identical.
    Dtype writtenFor(int valueIndex, Dtype result) const;
    Dtype storageOf(Dtype compute) const { return storageDtype(policy(), compute); }
    Dtype storageOf(const Node& node, int input) const { return storageOf(computeOf(node, input)); }
    Dtype storageOf(const Node& node, Dtype input) const { return storageOf(computeOf(node, input)); }
    /// Whether a block policy quantises a linear layer's product, in that direction: no override and no kept layer.
    bool isInBlocks(OpKind kind, const std::string& layer) const;

    Instruction instructionOf(const Node& node, OperationDesc operation, std::vector<int> operands, int output, Dtype compute,
                              double flops) const;
    void appendNode(const Node& node, OperationDesc operation, std::vector<int> operands, int output, Dtype compute, double flops) {
        append(instructionOf(node, std::move(operation), std::move(operands), output, compute, flops));
    }
    /// Declares further outputs of the last instruction; -1: none.
    void alsoWrites(std::initializer_list<int> buffers) {
        for (const int written : buffers) {
            if (written >= 0) plan().instructions.back().others.push_back(written);
        }
    }
    /// Creates a buffer for an output of the node.
    int outputOf(const Node& node, std::size_t output, Dtype dtype) { return newOutput(node.outputs[output], dtype, node.phase); }

    /// Where a gradient in `dtype` is written, and where the parameter's gradient is kept: the same buffer, or one that is reached by a
    /// cast, or by an addition if micro-batches accumulate. A gradient of no parameter is kept where it is written.
    struct GradientTarget {
        int made = -1, kept = -1;
    };
    GradientTarget gradientTarget(int valueIndex, Dtype dtype, Phase phase);
    void keepGradient(const Node& node, const GradientTarget& target);
    template <typename MakeInstruction>
    void parameterGradient(const Node& node, Dtype dtype, MakeInstruction make) {
        const GradientTarget target = gradientTarget(node.outputs[0], dtype, node.phase);
        append(make(target.made));
        keepGradient(node, target);
    }
    /// Lets a product write a parameter's gradient, rounded, where it is kept in fp32, if the backend can: no copy and no cast.
    template <typename Desc>
    void roundInPlace(int gradient, Desc& desc, Dtype Desc::*written) const {
        if (stored(gradient) < 0 || options().accumulates || *buffer(stored(gradient)).dtype != Dtype::F32) return;
        Desc widened = desc;
        widened.result = desc.*written;
        widened.*written = Dtype::F32;
        if (backend().supports(widened).supported) desc = widened;
    }

private:
    std::vector<std::string> m_quantizedLayers;  // of a policy in a block format
};

// lower_products.cpp
void lowerLinear(Lowering& l, const Node& node);
void lowerLinearGradInput(Lowering& l, const Node& node);
void lowerLinearGradWeight(Lowering& l, const Node& node);
void lowerLinearGradBias(Lowering& l, const Node& node);
void lowerAttentionProduct(Lowering& l, const Node& node);
void lowerFusedAttention(Lowering& l, const Node& node);
void lowerFusedAttentionGrad(Lowering& l, const Node& node);
void lowerSplit(Lowering& l, const Node& node);
void lowerConcat(Lowering& l, const Node& node);
// lower_network.cpp
void lowerEmbedding(Lowering& l, const Node& node);
void lowerEmbeddingGrad(Lowering& l, const Node& node);
void lowerAdd(Lowering& l, const Node& node);
void lowerAddPositionsGrad(Lowering& l, const Node& node);
void lowerNorm(Lowering& l, const Node& node);
void lowerNormGrad(Lowering& l, const Node& node);
void lowerRotary(Lowering& l, const Node& node);
void lowerSwiGlu(Lowering& l, const Node& node);
void lowerSwiGluGrad(Lowering& l, const Node& node);
void lowerScale(Lowering& l, const Node& node);
void lowerCausalMask(Lowering& l, const Node& node);
void lowerSoftmax(Lowering& l, const Node& node);
void lowerSoftmaxGrad(Lowering& l, const Node& node);
void lowerDropout(Lowering& l, const Node& node);
// lower_images.cpp
void lowerConv2d(Lowering& l, const Node& node);
void lowerConv2dGradInput(Lowering& l, const Node& node);
void lowerConv2dGradWeight(Lowering& l, const Node& node);
void lowerBatchNorm(Lowering& l, const Node& node);
void lowerBatchNormGrad(Lowering& l, const Node& node);
void lowerPool(Lowering& l, const Node& node);
void lowerPoolGrad(Lowering& l, const Node& node);

}  // namespace mantissa
