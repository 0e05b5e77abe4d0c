// SPDX-License-Identifier: Apache-2.0
// Temporary: what is not written yet.
#include "kernels/cuda/operations.h"
#define MISSING __attribute__((weak))
namespace mantissa::cuda {
MISSING std::unique_ptr<Operation> makeMatmul(const MatmulDesc& desc, Context& context) { throw std::invalid_argument("not written yet"); }
MISSING std::size_t matmulWorkspaceBytes(const MatmulDesc& desc, const Context& context) { throw std::invalid_argument("not written yet"); }
MISSING std::unique_ptr<Operation> makeBatchedMatmul(const BatchedMatmulDesc& desc, Context& context) { throw std::invalid_argument("not written yet"); }
MISSING std::size_t batchedMatmulWorkspaceBytes(const BatchedMatmulDesc& desc, const Context& context) { throw std::invalid_argument("not written yet"); }
MISSING std::unique_ptr<Operation> makeConvolution(const Convolution2dDesc& desc, Context& context) { throw std::invalid_argument("not written yet"); }
MISSING std::unique_ptr<Operation> makeConvolutionInputGrad(const Convolution2dInputGradDesc& desc, Context& context) { throw std::invalid_argument("not written yet"); }
MISSING std::unique_ptr<Operation> makeConvolutionWeightGrad(const Convolution2dWeightGradDesc& desc, Context& context) { throw std::invalid_argument("not written yet"); }
MISSING std::size_t convolutionWorkspaceBytes(const Convolution2dDesc& desc, Context& context) { throw std::invalid_argument("not written yet"); }
MISSING std::size_t convolutionInputGradWorkspaceBytes(const Convolution2dInputGradDesc& desc, Context& context) { throw std::invalid_argument("not written yet"); }
MISSING std::size_t convolutionWeightGradWorkspaceBytes(const Convolution2dWeightGradDesc& desc, Context& context) { throw std::invalid_argument("not written yet"); }
MISSING std::unique_ptr<Operation> makeCast(const CastDesc& desc) { throw std::invalid_argument("not written yet"); }
MISSING std::unique_ptr<Operation> makeAccumulate(const AccumulateDesc& desc) { throw std::invalid_argument("not written yet"); }
MISSING std::unique_ptr<Operation> makeGatherRows(const GatherRowsDesc& desc) { throw std::invalid_argument("not written yet"); }
MISSING std::unique_ptr<Operation> makeCopyColumns(const CopyColumnsDesc& desc) { throw std::invalid_argument("not written yet"); }
MISSING std::unique_ptr<Operation> makeQuantize(const QuantizeDesc& desc) { throw std::invalid_argument("not written yet"); }
MISSING std::unique_ptr<Operation> makeUpdateScales(const UpdateScalesDesc& desc) { throw std::invalid_argument("not written yet"); }
MISSING std::unique_ptr<Operation> makeActivation(const ActivationDesc& desc) { throw std::invalid_argument("not written yet"); }
MISSING std::unique_ptr<Operation> makeActivationGrad(const ActivationGradDesc& desc) { throw std::invalid_argument("not written yet"); }
MISSING std::unique_ptr<Operation> makeBiasGrad(const BiasGradDesc& desc) { throw std::invalid_argument("not written yet"); }
MISSING std::unique_ptr<Operation> makeAdd(const AddDesc& desc) { throw std::invalid_argument("not written yet"); }
MISSING std::unique_ptr<Operation> makeScale(const ScaleDesc& desc) { throw std::invalid_argument("not written yet"); }
MISSING std::unique_ptr<Operation> makeDropout(const DropoutDesc& desc) { throw std::invalid_argument("not written yet"); }
MISSING std::unique_ptr<Operation> makeSwiGlu(const SwiGluDesc& desc) { throw std::invalid_argument("not written yet"); }
MISSING std::unique_ptr<Operation> makeSwiGluGrad(const SwiGluGradDesc& desc) { throw std::invalid_argument("not written yet"); }
MISSING std::unique_ptr<Operation> makeSoftmaxCrossEntropy(const SoftmaxCrossEntropyDesc& desc) { throw std::invalid_argument("not written yet"); }
MISSING std::unique_ptr<Operation> makeSoftmaxCrossEntropyGrad(const SoftmaxCrossEntropyGradDesc& desc) { throw std::invalid_argument("not written yet"); }
MISSING std::unique_ptr<Operation> makeMeanSquaredError(const MeanSquaredErrorDesc& desc) { throw std::invalid_argument("not written yet"); }
MISSING std::unique_ptr<Operation> makeMeanSquaredErrorGrad(const MeanSquaredErrorGradDesc& desc) { throw std::invalid_argument("not written yet"); }
MISSING std::unique_ptr<Operation> makeCausalMask(const CausalMaskDesc& desc) { throw std::invalid_argument("not written yet"); }
MISSING std::unique_ptr<Operation> makeSoftmax(const SoftmaxDesc& desc) { throw std::invalid_argument("not written yet"); }
MISSING std::unique_ptr<Operation> makeSoftmaxGrad(const SoftmaxGradDesc& desc) { throw std::invalid_argument("not written yet"); }
MISSING std::unique_ptr<Operation> makeRotary(const RotaryDesc& desc) { throw std::invalid_argument("not written yet"); }
MISSING std::unique_ptr<Operation> makeFusedAttention(const FusedAttentionDesc& desc) { throw std::invalid_argument("not written yet"); }
MISSING std::unique_ptr<Operation> makeFusedAttentionGrad(const FusedAttentionGradDesc& desc) { throw std::invalid_argument("not written yet"); }
MISSING std::unique_ptr<Operation> makeEmbedding(const EmbeddingDesc& desc) { throw std::invalid_argument("not written yet"); }
MISSING std::unique_ptr<Operation> makeEmbeddingGrad(const EmbeddingGradDesc& desc) { throw std::invalid_argument("not written yet"); }
MISSING std::size_t embeddingGradWorkspaceBytes(const EmbeddingGradDesc& desc) { throw std::invalid_argument("not written yet"); }
MISSING std::unique_ptr<Operation> makeLayerNorm(const LayerNormDesc& desc) { throw std::invalid_argument("not written yet"); }
MISSING std::unique_ptr<Operation> makeLayerNormGrad(const LayerNormGradDesc& desc) { throw std::invalid_argument("not written yet"); }
MISSING std::size_t layerNormGradWorkspaceBytes(const LayerNormGradDesc& desc) { throw std::invalid_argument("not written yet"); }
MISSING std::unique_ptr<Operation> makeBatchNorm(const BatchNormDesc& desc) { throw std::invalid_argument("not written yet"); }
MISSING std::unique_ptr<Operation> makeBatchNormGrad(const BatchNormGradDesc& desc) { throw std::invalid_argument("not written yet"); }
MISSING std::size_t batchNormWorkspaceBytes(std::int64_t rows, std::int64_t channels) { throw std::invalid_argument("not written yet"); }
MISSING std::unique_ptr<Operation> makePool(const PoolDesc& desc) { throw std::invalid_argument("not written yet"); }
MISSING std::unique_ptr<Operation> makePoolGrad(const PoolGradDesc& desc) { throw std::invalid_argument("not written yet"); }
MISSING std::unique_ptr<Operation> makeUnscale(const UnscaleDesc& desc) { throw std::invalid_argument("not written yet"); }
MISSING std::unique_ptr<Operation> makeAdamW(const AdamWDesc& desc) { throw std::invalid_argument("not written yet"); }
MISSING std::unique_ptr<Operation> makeSgd(const SgdDesc& desc) { throw std::invalid_argument("not written yet"); }
MISSING std::unique_ptr<Operation> makeLion(const LionDesc& desc) { throw std::invalid_argument("not written yet"); }
MISSING std::unique_ptr<Operation> makeClassify(const ClassifyDesc& desc) { throw std::invalid_argument("not written yet"); }
MISSING std::unique_ptr<Operation> makeCensus(const CensusDesc& desc) { throw std::invalid_argument("not written yet"); }
MISSING std::unique_ptr<Operation> makeUpdateCensus(const UpdateCensusDesc& desc) { throw std::invalid_argument("not written yet"); }
}
extern "C" {
MISSING cublasStatus_t cublasLtCreate(cublasLtHandle_t*) { return CUBLAS_STATUS_SUCCESS; }
MISSING cublasStatus_t cublasLtDestroy(cublasLtHandle_t) { return CUBLAS_STATUS_SUCCESS; }
MISSING const char* cublasLtGetStatusString(cublasStatus_t) { return ""; }
MISSING cudnnStatus_t cudnnCreate(cudnnHandle_t*) { return CUDNN_STATUS_SUCCESS; }
MISSING cudnnStatus_t cudnnDestroy(cudnnHandle_t) { return CUDNN_STATUS_SUCCESS; }
MISSING const char* cudnnGetErrorString(cudnnStatus_t) { return ""; }
}
