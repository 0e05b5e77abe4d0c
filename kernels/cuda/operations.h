// SPDX-License-Identifier: Apache-2.0
// Makers of the CUDA backend's operations (internal): one per description of kernels/operations.h, one file per family. Makers require
// supported descriptions (CudaBackend::prepare checks). Operations enqueue on the queue's stream and never wait, so that they can be
// captured.
#pragma once

#include <memory>
#include <span>
#include <utility>

#include "kernels/cuda/runtime.h"

namespace mantissa::cuda {

class Context;  // context.h: the libraries' headers are not for every kernel

using Operands = std::span<void* const>;

/// An operation implemented by one function of a stream and its operands.
template <typename Function>
class FunctionOperation final : public Operation {
public:
    explicit FunctionOperation(Function function) : m_function(std::move(function)) {}
    void enqueue(Queue& queue, Operands operands) override { m_function(streamOf(queue), operands); }

private:
    Function m_function;
};

template <typename Function>
std::unique_ptr<Operation> makeFunction(Function function) {
    return std::make_unique<FunctionOperation<Function>>(std::move(function));
}

/// Bytes that `elements` take in a workspace whose parts begin at multiples of 256 bytes.
inline std::size_t partBytes(std::int64_t elements, Dtype dtype) {
    return (static_cast<std::size_t>(elements) * facts(dtype).storageBytes() + 255) / 256 * 256;
}

// The context must outlive the operations that use it.
/// Whether the library multiplies the codes directly, which it does only along k.
bool readsAlongK(const MatmulDesc& desc, const Context& context);
std::unique_ptr<Operation> makeMatmul(const MatmulDesc& desc, Context& context);
std::size_t matmulWorkspaceBytes(const MatmulDesc& desc, Context& context);
std::unique_ptr<Operation> makeBlockMatmul(const MatmulDesc& desc, Context& context);  // with an operand in blocks
std::size_t blockMatmulWorkspaceBytes(const MatmulDesc& desc, Context& context);
BlockMultiplication blockMultiplication(const MatmulDesc& desc, Context& context);
std::unique_ptr<Operation> makeBatchedMatmul(const BatchedMatmulDesc& desc, Context& context);
std::size_t batchedMatmulWorkspaceBytes(const BatchedMatmulDesc& desc, Context& context);

std::unique_ptr<Operation> makeConvolution(const Convolution2dDesc& desc, Context& context);
std::unique_ptr<Operation> makeConvolutionInputGrad(const Convolution2dInputGradDesc& desc, Context& context);
std::unique_ptr<Operation> makeConvolutionWeightGrad(const Convolution2dWeightGradDesc& desc, Context& context);
Departures convolutionDepartures(const Convolution2dDesc& desc, Context& context);
Departures convolutionDepartures(const Convolution2dInputGradDesc& desc, Context& context);
Departures convolutionDepartures(const Convolution2dWeightGradDesc& desc, Context& context);
std::size_t convolutionWorkspaceBytes(const Convolution2dDesc& desc, Context& context);
std::size_t convolutionInputGradWorkspaceBytes(const Convolution2dInputGradDesc& desc, Context& context);
std::size_t convolutionWeightGradWorkspaceBytes(const Convolution2dWeightGradDesc& desc, Context& context);

std::unique_ptr<Operation> makeCast(const CastDesc& desc);
std::unique_ptr<Operation> makeAccumulate(const AccumulateDesc& desc);
std::unique_ptr<Operation> makeGatherRows(const GatherRowsDesc& desc);
std::unique_ptr<Operation> makeCopyColumns(const CopyColumnsDesc& desc);
std::unique_ptr<Operation> makeQuantize(const QuantizeDesc& desc);
std::unique_ptr<Operation> makeQuantizeBlocks(const QuantizeBlocksDesc& desc);
std::size_t quantizeBlocksWorkspaceBytes(const QuantizeBlocksDesc& desc);
std::unique_ptr<Operation> makeUpdateScales(const UpdateScalesDesc& desc);

std::unique_ptr<Operation> makeActivation(const ActivationDesc& desc);
std::unique_ptr<Operation> makeActivationGrad(const ActivationGradDesc& desc);
/// With a conversion of gradBias, if `cast` is not null.
std::unique_ptr<Operation> makeBiasGrad(const BiasGradDesc& desc, const CastDesc* cast = nullptr);
std::unique_ptr<Operation> makeAdd(const AddDesc& desc);
std::unique_ptr<Operation> makeScale(const ScaleDesc& desc);
std::unique_ptr<Operation> makeDropout(const DropoutDesc& desc);
std::unique_ptr<Operation> makeSwiGlu(const SwiGluDesc& desc);
std::unique_ptr<Operation> makeSwiGluGrad(const SwiGluGradDesc& desc);

std::unique_ptr<Operation> makeSoftmaxCrossEntropy(const SoftmaxCrossEntropyDesc& desc);
std::unique_ptr<Operation> makeSoftmaxCrossEntropyGrad(const SoftmaxCrossEntropyGradDesc& desc);
std::unique_ptr<Operation> makeMeanSquaredError(const MeanSquaredErrorDesc& desc);
std::unique_ptr<Operation> makeMeanSquaredErrorGrad(const MeanSquaredErrorGradDesc& desc);

std::unique_ptr<Operation> makeCausalMask(const CausalMaskDesc& desc);
std::unique_ptr<Operation> makeSoftmax(const SoftmaxDesc& desc);
std::unique_ptr<Operation> makeSoftmaxGrad(const SoftmaxGradDesc& desc);
std::unique_ptr<Operation> makeRotary(const RotaryDesc& desc);
std::unique_ptr<Operation> makeSumHeads(const SumHeadsDesc& desc);
std::unique_ptr<Operation> makeFusedAttention(const FusedAttentionDesc& desc, Context& context);
std::unique_ptr<Operation> makeFusedAttentionGrad(const FusedAttentionGradDesc& desc, Context& context);
std::size_t fusedAttentionWorkspaceBytes(const FusedAttentionDesc& desc, bool isGradient, Context& context);
Departures fusedAttentionDepartures(const FusedAttentionDesc& desc, bool isGradient, Context& context);

std::unique_ptr<Operation> makeEmbedding(const EmbeddingDesc& desc);
std::unique_ptr<Operation> makeEmbeddingGrad(const EmbeddingGradDesc& desc);
std::size_t embeddingGradWorkspaceBytes(const EmbeddingGradDesc& desc);
std::unique_ptr<Operation> makeLayerNorm(const LayerNormDesc& desc);
std::unique_ptr<Operation> makeLayerNormGrad(const LayerNormGradDesc& desc);
std::size_t layerNormGradWorkspaceBytes(const LayerNormGradDesc& desc);

std::unique_ptr<Operation> makeBatchNorm(const BatchNormDesc& desc);
std::unique_ptr<Operation> makeBatchNormGrad(const BatchNormGradDesc& desc);
std::size_t batchNormWorkspaceBytes(std::int64_t rows, std::int64_t channels);
std::unique_ptr<Operation> makePool(const PoolDesc& desc);
std::unique_ptr<Operation> makePoolGrad(const PoolGradDesc& desc);

std::unique_ptr<Operation> makeUnscale(const UnscaleDesc& desc);
std::unique_ptr<Operation> makeAdamW(const AdamWDesc& desc);
std::unique_ptr<Operation> makeSgd(const SgdDesc& desc);
std::unique_ptr<Operation> makeLion(const LionDesc& desc);
std::unique_ptr<Operation> makeMuonMomentum(const MuonMomentumDesc& desc);
std::unique_ptr<Operation> makeNormalize(const NormalizeDesc& desc);
std::unique_ptr<Operation> makeMuonUpdate(const MuonUpdateDesc& desc);

std::unique_ptr<Operation> makeClassify(const ClassifyDesc& desc);
std::unique_ptr<Operation> makeStats(const StatsDesc& desc);
std::unique_ptr<Operation> makeUpdateStats(const UpdateStatsDesc& desc);
std::unique_ptr<Operation> makeKeepSeen(const KeepSeenDesc& desc);

std::unique_ptr<Operation> makeBeginSteps(const BeginStepsDesc& desc);
std::unique_ptr<Operation> makeAdvanceBatch(const AdvanceBatchDesc& desc);
std::unique_ptr<Operation> makeJudgeStep(const JudgeStepDesc& desc);
std::unique_ptr<Operation> makeAdvanceStep(const AdvanceStepDesc& desc);
std::unique_ptr<Operation> makeCopyState(const CopyStateDesc& desc);

// Groups of kernels/fusion.h.
std::unique_ptr<Operation> makeAddNorm(const AddDesc& add, const LayerNormDesc& desc);
std::unique_ptr<Operation> makeNormGradAdd(std::span<const OperationDesc> parts);
std::unique_ptr<Operation> makeActivationBiasGrad(const ActivationGradDesc& desc, const BiasGradDesc& bias, const CastDesc* cast);
std::unique_ptr<Operation> makeLossGrad(const SoftmaxCrossEntropyDesc& desc);
std::unique_ptr<Operation> makeBatchNormRelu(const BatchNormDesc& desc, bool adds);
std::unique_ptr<Operation> makeAddReluGrad(const ActivationGradDesc& desc);
std::unique_ptr<Operation> makeCasts(std::span<const OperationDesc> parts);

}  // namespace mantissa::cuda
