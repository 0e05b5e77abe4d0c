// SPDX-License-Identifier: Apache-2.0
// The CPU backend: capabilities, memory, and the dispatch from a description to its operation.
#include <omp.h>

#include <cstring>
#include <new>
#include <oneapi/dnnl/dnnl.hpp>
#include <stdexcept>

#include "kernels/cpu/available_memory.h"
#include "kernels/cpu/cpu_name.h"
#include "kernels/cpu/operations.h"
#include "kernels/fusion.h"
#include "kernels/support.h"

namespace mantissa {
namespace cpu {
namespace {

constexpr std::align_val_t kAlignment{64};

struct Make {
    const dnnl::engine& engine;
    WorkPool& pool;
    SideQueue& side;
    std::unique_ptr<Operation> operator()(const MatmulDesc& d) const { return makeMatmul(d, engine, pool); }
    std::unique_ptr<Operation> operator()(const CastDesc& d) const { return makeCast(d, pool); }
    std::unique_ptr<Operation> operator()(const QuantizeDesc& d) const { return makeQuantize(d, pool); }
    std::unique_ptr<Operation> operator()(const QuantizeBlocksDesc& d) const { return makeQuantizeBlocks(d, pool); }
    std::unique_ptr<Operation> operator()(const UpdateScalesDesc& d) const { return makeUpdateScales(d); }
    std::unique_ptr<Operation> operator()(const AccumulateDesc& d) const { return makeAccumulate(d, pool); }
    std::unique_ptr<Operation> operator()(const ActivationDesc& d) const { return makeActivation(d, pool); }
    std::unique_ptr<Operation> operator()(const ActivationGradDesc& d) const { return makeActivationGrad(d, pool); }
    std::unique_ptr<Operation> operator()(const BiasGradDesc& d) const { return makeBiasGrad(d); }
    std::unique_ptr<Operation> operator()(const SoftmaxCrossEntropyDesc& d) const { return makeSoftmaxCrossEntropy(d, pool); }
    std::unique_ptr<Operation> operator()(const SoftmaxCrossEntropyGradDesc& d) const { return makeSoftmaxCrossEntropyGrad(d, pool); }
    std::unique_ptr<Operation> operator()(const GatherRowsDesc& d) const { return makeGatherRows(d); }
    std::unique_ptr<Operation> operator()(const CopyColumnsDesc& d) const { return makeCopyColumns(d, pool); }
    std::unique_ptr<Operation> operator()(const UnscaleDesc& d) const { return makeUnscale(d); }
    std::unique_ptr<Operation> operator()(const AdamWDesc& d) const { return makeAdamW(d, pool); }
    std::unique_ptr<Operation> operator()(const SgdDesc& d) const { return makeSgd(d, pool); }
    std::unique_ptr<Operation> operator()(const ClassifyDesc& d) const { return makeClassify(d); }
    std::unique_ptr<Operation> operator()(const StatsDesc& d) const { return makeStats(d, pool, side); }
    std::unique_ptr<Operation> operator()(const UpdateStatsDesc& d) const { return makeUpdateStats(d, pool, side); }
    std::unique_ptr<Operation> operator()(const KeepSeenDesc& d) const { return makeKeepSeen(d); }
    std::unique_ptr<Operation> operator()(const BatchedMatmulDesc& d) const { return makeBatchedMatmul(d, pool); }
    std::unique_ptr<Operation> operator()(const AddDesc& d) const { return makeAdd(d, pool); }
    std::unique_ptr<Operation> operator()(const ScaleDesc& d) const { return makeScale(d, pool); }
    std::unique_ptr<Operation> operator()(const CausalMaskDesc& d) const { return makeCausalMask(d, pool); }
    std::unique_ptr<Operation> operator()(const SoftmaxDesc& d) const { return makeSoftmax(d, pool); }
    std::unique_ptr<Operation> operator()(const SoftmaxGradDesc& d) const { return makeSoftmaxGrad(d, pool); }
    std::unique_ptr<Operation> operator()(const EmbeddingDesc& d) const { return makeEmbedding(d, pool); }
    std::unique_ptr<Operation> operator()(const EmbeddingGradDesc& d) const { return makeEmbeddingGrad(d, pool); }
    std::unique_ptr<Operation> operator()(const LayerNormDesc& d) const { return makeLayerNorm(d, pool); }
    std::unique_ptr<Operation> operator()(const LayerNormGradDesc& d) const { return makeLayerNormGrad(d, pool); }
    std::unique_ptr<Operation> operator()(const DropoutDesc& d) const { return makeDropout(d, pool); }
    std::unique_ptr<Operation> operator()(const SwiGluDesc& d) const { return makeSwiGlu(d, pool); }
    std::unique_ptr<Operation> operator()(const SwiGluGradDesc& d) const { return makeSwiGluGrad(d, pool); }
    std::unique_ptr<Operation> operator()(const RotaryDesc& d) const { return makeRotary(d, pool); }
    std::unique_ptr<Operation> operator()(const SumHeadsDesc& d) const { return makeSumHeads(d, pool); }
    std::unique_ptr<Operation> operator()(const FusedAttentionDesc& d) const { return makeFusedAttention(d, pool); }
    std::unique_ptr<Operation> operator()(const FusedAttentionGradDesc& d) const { return makeFusedAttentionGrad(d, pool); }
    std::unique_ptr<Operation> operator()(const MeanSquaredErrorDesc& d) const { return makeMeanSquaredError(d); }
    std::unique_ptr<Operation> operator()(const MeanSquaredErrorGradDesc& d) const { return makeMeanSquaredErrorGrad(d, pool); }
    std::unique_ptr<Operation> operator()(const LionDesc& d) const { return makeLion(d, pool); }
    std::unique_ptr<Operation> operator()(const MuonMomentumDesc& d) const { return makeMuonMomentum(d, pool); }
    std::unique_ptr<Operation> operator()(const NormalizeDesc& d) const { return makeNormalize(d, pool); }
    std::unique_ptr<Operation> operator()(const MuonUpdateDesc& d) const { return makeMuonUpdate(d, pool); }
    std::unique_ptr<Operation> operator()(const Convolution2dDesc& d) const { return makeConvolution(d, engine, pool); }
    std::unique_ptr<Operation> operator()(const Convolution2dInputGradDesc& d) const { return makeConvolutionInputGrad(d, engine, pool); }
    std::unique_ptr<Operation> operator()(const Convolution2dWeightGradDesc& d) const { return makeConvolutionWeightGrad(d, engine, pool); }
    std::unique_ptr<Operation> operator()(const BatchNormDesc& d) const { return makeBatchNorm(d, pool); }
    std::unique_ptr<Operation> operator()(const BatchNormGradDesc& d) const { return makeBatchNormGrad(d, pool); }
    std::unique_ptr<Operation> operator()(const PoolDesc& d) const { return makePool(d, pool); }
    std::unique_ptr<Operation> operator()(const PoolGradDesc& d) const { return makePoolGrad(d, pool); }
    std::unique_ptr<Operation> operator()(const BeginStepsDesc& d) const { return makeBeginSteps(d); }
    std::unique_ptr<Operation> operator()(const AdvanceBatchDesc& d) const { return makeAdvanceBatch(d); }
    std::unique_ptr<Operation> operator()(const JudgeStepDesc& d) const { return makeJudgeStep(d); }
    std::unique_ptr<Operation> operator()(const AdvanceStepDesc& d) const { return makeAdvanceStep(d); }
    std::unique_ptr<Operation> operator()(const CopyStateDesc& d) const { return makeCopyState(d); }
};

class CpuQueue final : public Queue {
public:
    void wait() override {}  // work is done when enqueue returns, except counts that copyOut waits for
    bool isIdle() override { return true; }
};

class CpuBackend final : public Backend {
public:
    CpuBackend() {
        m_device.name = "cpu";
        m_device.threads = omp_get_max_threads();
        m_device.description = cpuName() + ", " + instructionSetName() + ", " + std::to_string(m_device.threads) +
                               (m_device.threads == 1 ? " thread" : " threads");
    }

    const DeviceInfo& device() const override { return m_device; }
    bool isNative(Dtype compute) const override { return compute == Dtype::F32; }

    Support supports(const OperationDesc& desc) const override { return supportOf(desc); }
    std::size_t workspaceBytes(const OperationDesc& desc) const override {
        if (const auto* d = std::get_if<MatmulDesc>(&desc)) return matmulWorkspaceBytes(*d);
        if (const auto* d = std::get_if<QuantizeBlocksDesc>(&desc)) return quantizeBlocksWorkspaceBytes(*d);
        if (const auto* d = std::get_if<EmbeddingGradDesc>(&desc)) return embeddingGradWorkspaceBytes(*d);
        if (const auto* d = std::get_if<LayerNormGradDesc>(&desc)) return layerNormGradWorkspaceBytes(*d);
        if (const auto* d = std::get_if<Convolution2dDesc>(&desc)) return convolutionWorkspaceBytes(*d, m_engine);
        if (const auto* d = std::get_if<Convolution2dInputGradDesc>(&desc)) return convolutionInputGradWorkspaceBytes(*d, m_engine);
        if (const auto* d = std::get_if<Convolution2dWeightGradDesc>(&desc)) return convolutionWeightGradWorkspaceBytes(*d, m_engine);
        if (const auto* d = std::get_if<BatchNormDesc>(&desc)) return batchNormWorkspaceBytes(d->rows, d->channels);
        if (const auto* d = std::get_if<BatchNormGradDesc>(&desc)) return batchNormWorkspaceBytes(d->rows, d->channels);
        return 0;
    }
    std::unique_ptr<Operation> prepare(const OperationDesc& desc) override {
        const Support support = supports(desc);
        if (!support.supported) throw std::invalid_argument(support.reason);
        return std::visit(Make{m_engine, m_pool, m_side}, desc);
    }

    bool fuses(std::span<const OperationDesc> parts) const override { return fusionOf(parts) != Fusion::None; }
    std::unique_ptr<Operation> prepareFused(std::span<const OperationDesc> parts) override {
        switch (fusionOf(parts)) {
            case Fusion::AddNorm:
                return makeAddNorm(std::get<AddDesc>(parts[0]), std::get<LayerNormDesc>(parts[1]), m_pool);
            case Fusion::NormGradAdd:
                return makeNormGradAdd(parts, m_pool);
            case Fusion::BiasGrad:
                return makeBiasGrad(std::get<BiasGradDesc>(parts[0]), std::get_if<CastDesc>(&parts[1]));
            case Fusion::ActivationBiasGrad:
                return makeActivationBiasGrad(std::get<ActivationGradDesc>(parts[0]), std::get<BiasGradDesc>(parts[1]),
                                              std::get_if<CastDesc>(&parts.back()), m_pool);
            case Fusion::LossGrad:
                return makeLossGrad(std::get<SoftmaxCrossEntropyDesc>(parts[0]), m_pool);
            case Fusion::BatchNormRelu:
                return makeBatchNormRelu(std::get<BatchNormDesc>(parts[0]), parts.size() == 3, m_pool);
            case Fusion::AddReluGrad:
                return makeAddReluGrad(std::get<ActivationGradDesc>(parts[1]), m_pool);
            case Fusion::Casts:
                return makeCasts(parts, m_pool);
            case Fusion::None:
                break;
        }
        return nullptr;
    }

    std::unique_ptr<Queue> createQueue() override { return std::make_unique<CpuQueue>(); }

    std::int64_t availableBytes() const override { return availableMemory(); }
    void* allocate(std::size_t bytes) override {
        void* memory = ::operator new(bytes, kAlignment);
        std::memset(memory, 0, bytes);
        return memory;
    }
    void release(void* memory) noexcept override {
        m_side.finish();  // its jobs may write to this memory
        ::operator delete(memory, kAlignment);
    }
    void* allocateShared(std::size_t bytes) override { return allocate(bytes); }
    void releaseShared(void* memory) noexcept override { release(memory); }
    void copyIn(Queue&, void* to, const void* fromHost, std::size_t bytes) override { copy(to, fromHost, bytes); }
    void copyOut(Queue&, void* toHost, const void* from, std::size_t bytes) override {
        m_side.waitFor(from, bytes);
        copy(toHost, from, bytes);
    }
    void fillZero(Queue&, void* to, std::size_t bytes) override {
        if (bytes > 0) std::memset(to, 0, bytes);
    }

private:
    static void copy(void* to, const void* from, std::size_t bytes) {
        if (bytes > 0) std::memcpy(to, from, bytes);
    }

    DeviceInfo m_device;
    dnnl::engine m_engine{dnnl::engine::kind::cpu, 0};
    WorkPool m_pool{omp_get_max_threads()};
    SideQueue m_side;
};

}  // namespace
}  // namespace cpu

std::shared_ptr<Backend> createCpuBackend() {
    return std::make_shared<cpu::CpuBackend>();
}

}  // namespace mantissa
