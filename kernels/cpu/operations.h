// SPDX-License-Identifier: Apache-2.0
// Makers of the CPU backend's operations (internal): one per description of kernels/operations.h, one file per family. Makers require
// supported descriptions (CpuBackend::prepare checks). Operations run when enqueued, on the caller's thread; counts of tensor statistics
// may finish later (side_queue.h).
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <utility>

#include "kernels/backend.h"
#include "kernels/cpu/round_array.h"
#include "kernels/cpu/side_queue.h"
#include "kernels/cpu/work_pool.h"

namespace dnnl {
struct engine;
}

namespace mantissa::cpu {

using Operands = std::span<void* const>;

/// An operation implemented by one function of its operands.
template <typename Function>
class FunctionOperation final : public Operation {
public:
    explicit FunctionOperation(Function function) : m_function(std::move(function)) {}
    void enqueue(Queue&, Operands operands) override { m_function(operands); }

private:
    Function m_function;
};

template <typename Function>
std::unique_ptr<Operation> makeFunction(Function function) {
    return std::make_unique<FunctionOperation<Function>>(std::move(function));
}

/// Elements per block: a few fp32 blocks fit the L1 cache together.
inline constexpr std::int64_t kBlock = 1024;
using Block = std::array<float, kBlock>;

/// Calls work(first, count) for each block of [begin, begin + count).
template <typename Work>
void forBlocks(std::int64_t begin, std::int64_t count, Work&& work) {
    for (std::int64_t first = begin; first < begin + count; first += kBlock) work(first, std::min(kBlock, begin + count - first));
}
template <typename Work>
void forBlocks(std::int64_t count, Work&& work) {
    forBlocks(0, count, work);
}
/// forBlocks with the pool's threads, for independent blocks.
template <typename Work>
void forBlocks(WorkPool& pool, std::int64_t count, Work&& work) {
    pool.runPieces(count, [&](std::int64_t begin, std::int64_t pieceCount) { forBlocks(begin, pieceCount, work); });
}

/// The address of element `first` of a stored array. Its dtype must be storable: whole bytes.
inline const std::byte* elementAt(Dtype dtype, const void* array, std::int64_t first) {
    return static_cast<const std::byte*>(array) + static_cast<std::size_t>(first) * facts(dtype).storageBytes();
}
inline std::byte* elementAt(Dtype dtype, void* array, std::int64_t first) {
    return static_cast<std::byte*>(array) + static_cast<std::size_t>(first) * facts(dtype).storageBytes();
}

/// Elements [first, first + count) of a stored array as fp32: in place if they are fp32, otherwise decoded into `block`.
inline const float* loadBlock(Dtype dtype, const void* array, std::int64_t first, std::int64_t count, Block& block) {
    if (dtype == Dtype::F32) return static_cast<const float*>(array) + first;
    decodeArray(dtype, elementAt(dtype, array, first), block.data(), static_cast<std::size_t>(count));
    return block.data();
}

/// Where to compute fp32 results of elements from `first` on; `storeBlock` then rounds them into the array, once.
inline float* resultBlock(Dtype dtype, void* array, std::int64_t first, Block& block) {
    return dtype == Dtype::F32 ? static_cast<float*>(array) + first : block.data();
}

inline void storeBlock(Dtype dtype, void* array, std::int64_t first, std::int64_t count, const Block& block) {
    if (dtype == Dtype::F32) return;
    encodeArray(dtype, block.data(), elementAt(dtype, array, first), static_cast<std::size_t>(count));
}

/// Calls work(row, rows) for pieces of `rows` rows of `cols` elements; the pieces depend only on the shape.
template <typename Work>
void forRows(WorkPool& pool, std::int64_t rows, std::int64_t cols, Work&& work) {
    const std::int64_t size = std::max<std::int64_t>(1, WorkPool::kPiece / std::max<std::int64_t>(1, cols));
    const auto pieces = static_cast<int>((rows + size - 1) / size);
    pool.run(pieces, [&](int i) { work(i * size, std::min(size, rows - i * size)); });
}

/// A row of any length as fp32: in place, or decoded into `room`; and where to compute a result, which `storeRow` then rounds.
inline const float* loadRow(Dtype dtype, const void* array, std::int64_t first, std::int64_t count, float* room) {
    if (dtype == Dtype::F32) return static_cast<const float*>(array) + first;
    decodeArray(dtype, elementAt(dtype, array, first), room, static_cast<std::size_t>(count));
    return room;
}
inline float* resultRow(Dtype dtype, void* array, std::int64_t first, float* room) {
    return dtype == Dtype::F32 ? static_cast<float*>(array) + first : room;
}
inline void storeRow(Dtype dtype, void* array, std::int64_t first, std::int64_t count, const float* values) {
    if (dtype == Dtype::F32) return;
    encodeArray(dtype, values, elementAt(dtype, array, first), static_cast<std::size_t>(count));
}

/// Rounds a row as if it were stored and loaded. `room`: a row.
inline void roundRow(Dtype dtype, float* values, std::int64_t count, float* room) {
    if (dtype == Dtype::F32) return;
    encodeArray(dtype, values, room, static_cast<std::size_t>(count));
    decodeArray(dtype, room, values, static_cast<std::size_t>(count));
}

// Pools and side queues must outlive the operations that use them.
std::unique_ptr<Operation> makeMatmul(const MatmulDesc& desc, const dnnl::engine& engine, WorkPool& pool);
std::size_t matmulWorkspaceBytes(const MatmulDesc& desc);
/// Makes products with a tensor core's sums, for descriptions with a fused operation.
std::unique_ptr<Operation> makeTensorCoreMatmul(const MatmulDesc& desc, WorkPool& pool);
std::size_t tensorCoreWorkspaceBytes(const MatmulDesc& desc);

std::unique_ptr<Operation> makeCast(const CastDesc& desc, WorkPool& pool);
std::unique_ptr<Operation> makeQuantize(const QuantizeDesc& desc, WorkPool& pool);
std::unique_ptr<Operation> makeQuantizeBlocks(const QuantizeBlocksDesc& desc, WorkPool& pool);
std::size_t quantizeBlocksWorkspaceBytes(const QuantizeBlocksDesc& desc);
std::unique_ptr<Operation> makeUpdateScales(const UpdateScalesDesc& desc);
std::unique_ptr<Operation> makeAccumulate(const AccumulateDesc& desc, WorkPool& pool);
std::unique_ptr<Operation> makeGatherRows(const GatherRowsDesc& desc);
std::unique_ptr<Operation> makeCopyColumns(const CopyColumnsDesc& desc, WorkPool& pool);
std::unique_ptr<Operation> makeClassify(const ClassifyDesc& desc);
std::unique_ptr<Operation> makeStats(const StatsDesc& desc, WorkPool& pool, SideQueue& side);
std::unique_ptr<Operation> makeUpdateStats(const UpdateStatsDesc& desc, WorkPool& pool, SideQueue& side);
std::unique_ptr<Operation> makeKeepSeen(const KeepSeenDesc& desc);

std::unique_ptr<Operation> makeActivation(const ActivationDesc& desc, WorkPool& pool);
std::unique_ptr<Operation> makeActivationGrad(const ActivationGradDesc& desc, WorkPool& pool);
/// With a conversion of gradBias, if `cast` is not null.
std::unique_ptr<Operation> makeBiasGrad(const BiasGradDesc& desc, const CastDesc* cast = nullptr);

std::unique_ptr<Operation> makeSoftmaxCrossEntropy(const SoftmaxCrossEntropyDesc& desc, WorkPool& pool);
std::unique_ptr<Operation> makeSoftmaxCrossEntropyGrad(const SoftmaxCrossEntropyGradDesc& desc, WorkPool& pool);
std::unique_ptr<Operation> makeMeanSquaredError(const MeanSquaredErrorDesc& desc);
std::unique_ptr<Operation> makeMeanSquaredErrorGrad(const MeanSquaredErrorGradDesc& desc, WorkPool& pool);

std::unique_ptr<Operation> makeUnscale(const UnscaleDesc& desc);
std::unique_ptr<Operation> makeAdamW(const AdamWDesc& desc, WorkPool& pool);
std::unique_ptr<Operation> makeSgd(const SgdDesc& desc, WorkPool& pool);
std::unique_ptr<Operation> makeLion(const LionDesc& desc, WorkPool& pool);
std::unique_ptr<Operation> makeMuonMomentum(const MuonMomentumDesc& desc, WorkPool& pool);
std::unique_ptr<Operation> makeNormalize(const NormalizeDesc& desc, WorkPool& pool);
std::unique_ptr<Operation> makeMuonUpdate(const MuonUpdateDesc& desc, WorkPool& pool);

std::unique_ptr<Operation> makeBatchedMatmul(const BatchedMatmulDesc& desc, WorkPool& pool);
std::unique_ptr<Operation> makeCausalMask(const CausalMaskDesc& desc, WorkPool& pool);
std::unique_ptr<Operation> makeSoftmax(const SoftmaxDesc& desc, WorkPool& pool);
std::unique_ptr<Operation> makeSoftmaxGrad(const SoftmaxGradDesc& desc, WorkPool& pool);
std::unique_ptr<Operation> makeFusedAttention(const FusedAttentionDesc& desc, WorkPool& pool);
std::unique_ptr<Operation> makeFusedAttentionGrad(const FusedAttentionGradDesc& desc, WorkPool& pool);
std::unique_ptr<Operation> makeRotary(const RotaryDesc& desc, WorkPool& pool);
std::unique_ptr<Operation> makeSumHeads(const SumHeadsDesc& desc, WorkPool& pool);

std::unique_ptr<Operation> makeEmbedding(const EmbeddingDesc& desc, WorkPool& pool);
std::unique_ptr<Operation> makeEmbeddingGrad(const EmbeddingGradDesc& desc, WorkPool& pool);
std::size_t embeddingGradWorkspaceBytes(const EmbeddingGradDesc& desc);
std::unique_ptr<Operation> makeLayerNorm(const LayerNormDesc& desc, WorkPool& pool);
std::unique_ptr<Operation> makeLayerNormGrad(const LayerNormGradDesc& desc, WorkPool& pool);
std::size_t layerNormGradWorkspaceBytes(const LayerNormGradDesc& desc);

std::unique_ptr<Operation> makeConvolution(const Convolution2dDesc& desc, const dnnl::engine& engine, WorkPool& pool);
std::unique_ptr<Operation> makeConvolutionInputGrad(const Convolution2dInputGradDesc& desc, const dnnl::engine& engine, WorkPool& pool);
std::unique_ptr<Operation> makeConvolutionWeightGrad(const Convolution2dWeightGradDesc& desc, const dnnl::engine& engine, WorkPool& pool);
std::size_t convolutionWorkspaceBytes(const Convolution2dDesc& desc, const dnnl::engine& engine);
std::size_t convolutionInputGradWorkspaceBytes(const Convolution2dInputGradDesc& desc, const dnnl::engine& engine);
std::size_t convolutionWeightGradWorkspaceBytes(const Convolution2dWeightGradDesc& desc, const dnnl::engine& engine);

std::unique_ptr<Operation> makeBatchNorm(const BatchNormDesc& desc, WorkPool& pool);
std::unique_ptr<Operation> makeBatchNormGrad(const BatchNormGradDesc& desc, WorkPool& pool);
std::size_t batchNormWorkspaceBytes(std::int64_t rows, std::int64_t channels);
std::unique_ptr<Operation> makePool(const PoolDesc& desc, WorkPool& pool);
std::unique_ptr<Operation> makePoolGrad(const PoolGradDesc& desc, WorkPool& pool);

std::unique_ptr<Operation> makeAdd(const AddDesc& desc, WorkPool& pool);
std::unique_ptr<Operation> makeScale(const ScaleDesc& desc, WorkPool& pool);
std::unique_ptr<Operation> makeDropout(const DropoutDesc& desc, WorkPool& pool);
std::unique_ptr<Operation> makeSwiGlu(const SwiGluDesc& desc, WorkPool& pool);
std::unique_ptr<Operation> makeSwiGluGrad(const SwiGluGradDesc& desc, WorkPool& pool);

// Groups of kernels/fusion.h.
std::unique_ptr<Operation> makeAddNorm(const AddDesc& add, const LayerNormDesc& desc, WorkPool& pool);
std::unique_ptr<Operation> makeNormGradAdd(std::span<const OperationDesc> parts, WorkPool& pool);
std::unique_ptr<Operation> makeActivationBiasGrad(const ActivationGradDesc& desc, const BiasGradDesc& bias, const CastDesc* cast,
                                                  WorkPool& pool);
std::unique_ptr<Operation> makeLossGrad(const SoftmaxCrossEntropyDesc& desc, WorkPool& pool);
std::unique_ptr<Operation> makeCasts(std::span<const OperationDesc> parts, WorkPool& pool);

std::unique_ptr<Operation> makeBatchNormRelu(const BatchNormDesc& desc, bool adds, WorkPool& pool);
std::unique_ptr<Operation> makeAddReluGrad(const ActivationGradDesc& desc, WorkPool& pool);

/// y = max(x, 0), NaN unchanged; in place or not.
void relu(const float* x, float* y, std::int64_t count);
/// sum[i] = aFactor a[i] + bFactor b[i]; the sum may be one of the operands.
void addScaled(const float* a, const float* b, float* sum, std::int64_t count, float aFactor, float bFactor);

std::unique_ptr<Operation> makeBeginSteps(const BeginStepsDesc& desc);
std::unique_ptr<Operation> makeAdvanceBatch(const AdvanceBatchDesc& desc);
std::unique_ptr<Operation> makeJudgeStep(const JudgeStepDesc& desc);
std::unique_ptr<Operation> makeAdvanceStep(const AdvanceStepDesc& desc);
std::unique_ptr<Operation> makeCopyState(const CopyStateDesc& desc);

}  // namespace mantissa::cpu
