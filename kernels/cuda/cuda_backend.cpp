// SPDX-License-Identifier: Apache-2.0
// The CUDA backend: capabilities, memory, and the dispatch from a description to its operation.
#include "kernels/cuda/cuda_backend.h"

#include <cstring>
#include <mutex>
#include <stdexcept>
#include <string>

#include "kernels/cuda/context.h"
#include "kernels/cuda/operations.h"
#include "kernels/cuda/probe.h"
#include "kernels/fusion.h"
#include "kernels/support.h"

namespace mantissa::cuda {
namespace {

struct Make {
    Context& context;
    std::unique_ptr<Operation> operator()(const MatmulDesc& d) const { return makeMatmul(d, context); }
    std::unique_ptr<Operation> operator()(const BatchedMatmulDesc& d) const { return makeBatchedMatmul(d, context); }
    std::unique_ptr<Operation> operator()(const Convolution2dDesc& d) const { return makeConvolution(d, context); }
    std::unique_ptr<Operation> operator()(const Convolution2dInputGradDesc& d) const { return makeConvolutionInputGrad(d, context); }
    std::unique_ptr<Operation> operator()(const Convolution2dWeightGradDesc& d) const { return makeConvolutionWeightGrad(d, context); }
    std::unique_ptr<Operation> operator()(const CastDesc& d) const { return makeCast(d); }
    std::unique_ptr<Operation> operator()(const AccumulateDesc& d) const { return makeAccumulate(d); }
    std::unique_ptr<Operation> operator()(const GatherRowsDesc& d) const { return makeGatherRows(d); }
    std::unique_ptr<Operation> operator()(const CopyColumnsDesc& d) const { return makeCopyColumns(d); }
    std::unique_ptr<Operation> operator()(const QuantizeDesc& d) const { return makeQuantize(d); }
    std::unique_ptr<Operation> operator()(const QuantizeBlocksDesc& d) const { return makeQuantizeBlocks(d); }
    std::unique_ptr<Operation> operator()(const UpdateScalesDesc& d) const { return makeUpdateScales(d); }
    std::unique_ptr<Operation> operator()(const ActivationDesc& d) const { return makeActivation(d); }
    std::unique_ptr<Operation> operator()(const ActivationGradDesc& d) const { return makeActivationGrad(d); }
    std::unique_ptr<Operation> operator()(const BiasGradDesc& d) const { return makeBiasGrad(d); }
    std::unique_ptr<Operation> operator()(const AddDesc& d) const { return makeAdd(d); }
    std::unique_ptr<Operation> operator()(const ScaleDesc& d) const { return makeScale(d); }
    std::unique_ptr<Operation> operator()(const DropoutDesc& d) const { return makeDropout(d); }
    std::unique_ptr<Operation> operator()(const SwiGluDesc& d) const { return makeSwiGlu(d); }
    std::unique_ptr<Operation> operator()(const SwiGluGradDesc& d) const { return makeSwiGluGrad(d); }
    std::unique_ptr<Operation> operator()(const SoftmaxCrossEntropyDesc& d) const { return makeSoftmaxCrossEntropy(d); }
    std::unique_ptr<Operation> operator()(const SoftmaxCrossEntropyGradDesc& d) const { return makeSoftmaxCrossEntropyGrad(d); }
    std::unique_ptr<Operation> operator()(const MeanSquaredErrorDesc& d) const { return makeMeanSquaredError(d); }
    std::unique_ptr<Operation> operator()(const MeanSquaredErrorGradDesc& d) const { return makeMeanSquaredErrorGrad(d); }
    std::unique_ptr<Operation> operator()(const CausalMaskDesc& d) const { return makeCausalMask(d); }
    std::unique_ptr<Operation> operator()(const SoftmaxDesc& d) const { return makeSoftmax(d); }
    std::unique_ptr<Operation> operator()(const SoftmaxGradDesc& d) const { return makeSoftmaxGrad(d); }
    std::unique_ptr<Operation> operator()(const RotaryDesc& d) const { return makeRotary(d); }
    std::unique_ptr<Operation> operator()(const SumHeadsDesc& d) const { return makeSumHeads(d); }
    std::unique_ptr<Operation> operator()(const FusedAttentionDesc& d) const { return makeFusedAttention(d, context); }
    std::unique_ptr<Operation> operator()(const FusedAttentionGradDesc& d) const { return makeFusedAttentionGrad(d, context); }
    std::unique_ptr<Operation> operator()(const EmbeddingDesc& d) const { return makeEmbedding(d); }
    std::unique_ptr<Operation> operator()(const EmbeddingGradDesc& d) const { return makeEmbeddingGrad(d); }
    std::unique_ptr<Operation> operator()(const LayerNormDesc& d) const { return makeLayerNorm(d); }
    std::unique_ptr<Operation> operator()(const LayerNormGradDesc& d) const { return makeLayerNormGrad(d); }
    std::unique_ptr<Operation> operator()(const BatchNormDesc& d) const { return makeBatchNorm(d); }
    std::unique_ptr<Operation> operator()(const BatchNormGradDesc& d) const { return makeBatchNormGrad(d); }
    std::unique_ptr<Operation> operator()(const PoolDesc& d) const { return makePool(d); }
    std::unique_ptr<Operation> operator()(const PoolGradDesc& d) const { return makePoolGrad(d); }
    std::unique_ptr<Operation> operator()(const UnscaleDesc& d) const { return makeUnscale(d); }
    std::unique_ptr<Operation> operator()(const AdamWDesc& d) const { return makeAdamW(d); }
    std::unique_ptr<Operation> operator()(const SgdDesc& d) const { return makeSgd(d); }
    std::unique_ptr<Operation> operator()(const LionDesc& d) const { return makeLion(d); }
    std::unique_ptr<Operation> operator()(const MuonMomentumDesc& d) const { return makeMuonMomentum(d); }
    std::unique_ptr<Operation> operator()(const NormalizeDesc& d) const { return makeNormalize(d); }
    std::unique_ptr<Operation> operator()(const MuonUpdateDesc& d) const { return makeMuonUpdate(d); }
    std::unique_ptr<Operation> operator()(const ClassifyDesc& d) const { return makeClassify(d); }
    std::unique_ptr<Operation> operator()(const StatsDesc& d) const { return makeStats(d); }
    std::unique_ptr<Operation> operator()(const UpdateStatsDesc& d) const { return makeUpdateStats(d); }
    std::unique_ptr<Operation> operator()(const KeepSeenDesc& d) const { return makeKeepSeen(d); }
    std::unique_ptr<Operation> operator()(const BeginStepsDesc& d) const { return makeBeginSteps(d); }
    std::unique_ptr<Operation> operator()(const AdvanceBatchDesc& d) const { return makeAdvanceBatch(d); }
    std::unique_ptr<Operation> operator()(const JudgeStepDesc& d) const { return makeJudgeStep(d); }
    std::unique_ptr<Operation> operator()(const AdvanceStepDesc& d) const { return makeAdvanceStep(d); }
    std::unique_ptr<Operation> operator()(const CopyStateDesc& d) const { return makeCopyState(d); }
};

struct WorkspaceBytes {
    Context& context;
    std::size_t operator()(const MatmulDesc& d) const { return matmulWorkspaceBytes(d, context); }
    std::size_t operator()(const BatchedMatmulDesc& d) const { return batchedMatmulWorkspaceBytes(d, context); }
    std::size_t operator()(const FusedAttentionDesc& d) const { return fusedAttentionWorkspaceBytes(d, false, context); }
    std::size_t operator()(const FusedAttentionGradDesc& d) const { return fusedAttentionWorkspaceBytes(d.forward, true, context); }
    std::size_t operator()(const EmbeddingGradDesc& d) const { return embeddingGradWorkspaceBytes(d); }
    std::size_t operator()(const LayerNormGradDesc& d) const { return layerNormGradWorkspaceBytes(d); }
    std::size_t operator()(const Convolution2dDesc& d) const { return convolutionWorkspaceBytes(d, context); }
    std::size_t operator()(const Convolution2dInputGradDesc& d) const { return convolutionInputGradWorkspaceBytes(d, context); }
    std::size_t operator()(const Convolution2dWeightGradDesc& d) const { return convolutionWeightGradWorkspaceBytes(d, context); }
    std::size_t operator()(const BatchNormDesc& d) const { return batchNormWorkspaceBytes(d.rows, d.channels); }
    std::size_t operator()(const BatchNormGradDesc& d) const { return batchNormWorkspaceBytes(d.rows, d.channels); }
    std::size_t operator()(const QuantizeBlocksDesc& d) const { return quantizeBlocksWorkspaceBytes(d); }
    template <typename Desc>
    std::size_t operator()(const Desc&) const {
        static_assert(!requires { Desc::kNamesWorkspace; });
        return 0;
    }
};

#if defined(MANTISSA_CUDA_EMULATION)
constexpr bool kLibrariesDepart = false;  // the emulated libraries follow the contract
#else
constexpr bool kLibrariesDepart = true;
#endif

struct DeparturesOf {
    Context& context;
    Departures operator()(const FusedAttentionDesc& d) const { return fusedAttentionDepartures(d, false, context); }
    Departures operator()(const FusedAttentionGradDesc& d) const { return fusedAttentionDepartures(d.forward, true, context); }
    Departures operator()(const Convolution2dDesc& d) const { return convolutionDepartures(d, context); }
    Departures operator()(const Convolution2dInputGradDesc& d) const { return convolutionDepartures(d, context); }
    Departures operator()(const Convolution2dWeightGradDesc& d) const { return convolutionDepartures(d, context); }
    Departures operator()(const auto&) const { return {}; }
};

class CudaBackend final : public Backend {
public:
    explicit CudaBackend(int device) : m_context(std::make_unique<Context>(device)) {
        const cudaDeviceProp& properties = m_context->properties();
        m_device.name = "cuda:" + std::to_string(device);
        m_device.description = descriptionOf(properties.name, m_context->capability(), properties.totalGlobalMem);
        m_device.threads = properties.multiProcessorCount;
        m_device.busId = busIdOf(properties.pciDomainID, properties.pciBusID, properties.pciDeviceID);
    }

    const DeviceInfo& device() const override { return m_device; }
    bool isNative(Dtype compute) const override {
        return compute == Dtype::F32 || compute == Dtype::F16 ||
               ((compute == Dtype::BF16 || compute == Dtype::TF32) && m_context->capability() >= kLowestCapability) ||
               (isFp8(compute) && m_context->capability() >= kFp8Capability);
    }

    Support supports(const OperationDesc& desc) const override {
        const auto* const attention = std::get_if<FusedAttentionDesc>(&desc);
        if (attention != nullptr && attention->compute != Dtype::F32)
            return {false, "fused attention divides by the sum of its exponentials after the product on the CPU only"};
        return supportOf(desc);
    }
    Departures departures(const OperationDesc& desc) const override {
        if (!kLibrariesDepart) return {};
        const std::lock_guard lock(use());
        return std::visit(DeparturesOf{*m_context}, desc);
    }
    std::size_t workspaceBytes(const OperationDesc& desc) const override {
        const std::lock_guard lock(use());
        const Context::OnlyAsked asked(*m_context);
        return std::visit(WorkspaceBytes{*m_context}, desc);
    }
    bool readsAlongK(const MatmulDesc& desc) const override { return cuda::readsAlongK(desc, *m_context); }
    BlockMultiplication blockMultiplication(const MatmulDesc& desc) const override {
        const std::lock_guard lock(use());
        const Context::OnlyAsked asked(*m_context);
        return cuda::blockMultiplication(desc, *m_context);
    }
    std::unique_ptr<Operation> prepare(const OperationDesc& desc) override {
        const Support support = supports(desc);
        if (!support.supported) throw std::invalid_argument(support.reason);
        const std::lock_guard lock(use());
        return std::visit(Make{*m_context}, desc);
    }

    bool fuses(std::span<const OperationDesc> parts) const override { return fusionOf(parts) != Fusion::None; }
    std::unique_ptr<Operation> prepareFused(std::span<const OperationDesc> parts) override {
        const std::lock_guard lock(use());
        switch (fusionOf(parts)) {
            case Fusion::AddNorm:
                return makeAddNorm(std::get<AddDesc>(parts[0]), std::get<LayerNormDesc>(parts[1]));
            case Fusion::NormGradAdd:
                return makeNormGradAdd(parts);
            case Fusion::BiasGrad:
                return makeBiasGrad(std::get<BiasGradDesc>(parts[0]), std::get_if<CastDesc>(&parts[1]));
            case Fusion::ActivationBiasGrad:
                return makeActivationBiasGrad(std::get<ActivationGradDesc>(parts[0]), std::get<BiasGradDesc>(parts[1]),
                                              std::get_if<CastDesc>(&parts.back()));
            case Fusion::LossGrad:
                return makeLossGrad(std::get<SoftmaxCrossEntropyDesc>(parts[0]));
            case Fusion::BatchNormRelu:
                return makeBatchNormRelu(std::get<BatchNormDesc>(parts[0]), parts.size() == 3);
            case Fusion::AddReluGrad:
                return makeAddReluGrad(std::get<ActivationGradDesc>(parts[1]));
            case Fusion::Casts:
                return makeCasts(parts);
            case Fusion::None:
                break;
        }
        return nullptr;
    }

    std::int64_t operationBytes() const override { return Scratch::allBytes(); }

    std::unique_ptr<Queue> createQueue() override { return std::make_unique<CudaQueue>(m_context->device()); }

    std::int64_t availableBytes() const override {
        use();
        return freeBytes();
    }
    void* allocate(std::size_t bytes) override {
        use();
        void* memory = nullptr;
        check(cudaMalloc(&memory, bytes > 0 ? bytes : 1), "cudaMalloc");
        clear(memory, bytes);
        return memory;
    }
    void release(void* memory) noexcept override { cudaFree(memory); }
    void* allocateShared(std::size_t bytes) override {
        use();
        void* memory = nullptr;
        check(cudaHostAlloc(&memory, bytes > 0 ? bytes : 1, cudaHostAllocMapped), "cudaHostAlloc");
        std::memset(memory, 0, bytes);
        return memory;
    }
    void releaseShared(void* memory) noexcept override { cudaFreeHost(memory); }
    void copyIn(Queue& queue, void* to, const void* fromHost, std::size_t bytes) override {
        if (bytes > 0) cudaQueue(queue).copyIn(to, fromHost, bytes);
    }
    void copyOut(Queue& queue, void* toHost, const void* from, std::size_t bytes) override {
        if (bytes > 0) cudaQueue(queue).copyOut(toHost, from, bytes);
    }
    void fillZero(Queue& queue, void* to, std::size_t bytes) override {
        if (bytes > 0) check(cudaMemsetAsync(to, 0, bytes, streamOf(queue)), "cudaMemsetAsync");
    }

private:
    DeviceInfo m_device;
    std::unique_ptr<Context> m_context;
    mutable std::mutex m_mutex;  // guards the context

    /// Selects this GPU for the calling thread and returns the context's mutex.
    std::mutex& use() const {
        useDevice(m_context->device());
        return m_mutex;
    }
};

}  // namespace

std::shared_ptr<Backend> createBackend(int device) {
    return std::make_shared<CudaBackend>(device);
}

}  // namespace mantissa::cuda
