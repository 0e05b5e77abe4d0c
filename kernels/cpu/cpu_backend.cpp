// SPDX-License-Identifier: Apache-2.0
// The CPU backend: what it can do, memory, and the way from a description to its operation.
#include <omp.h>

#include <cstring>
#include <new>
#include <stdexcept>

#include "kernels/cpu/available_memory.h"
#include "kernels/cpu/cpu_name.h"
#include "kernels/cpu/operations.h"

namespace mantissa {
namespace cpu {
namespace {

constexpr std::align_val_t kAlignment{64};

Support no(std::string reason) {
    return {false, std::move(reason)};
}

Support storable(std::initializer_list<Dtype> dtypes) {
    for (const Dtype dtype : dtypes) {
        if (facts(dtype).isStorable) continue;
        const std::string name(facts(dtype).name);
        return no(dtype == Dtype::TF32 ? name + " is a compute dtype, never storage" : name + " is for conversions only, never storage");
    }
    return {};
}

Support positive(std::initializer_list<std::int64_t> sizes) {
    for (const std::int64_t size : sizes) {
        if (size <= 0) return no("every size must be at least 1");
    }
    return {};
}

Support countable(std::int64_t count) {
    return count >= 0 ? Support{} : no("the number of elements is negative");
}

Support both(Support first, Support second) {
    return first.supported ? second : first;
}

Support checkSums(const MatmulDesc& d) {
    const std::string problem = whyNoSums(d.accumulator, d.compute, d.promoteEvery);
    if (!problem.empty()) return no(d.promoteEvery > 0 ? "promotion of partial sums: " + problem : problem);
    return d.promoteEvery >= 0 ? Support{} : no("partial sums of a negative number of elements");
}

Support check(const MatmulDesc& d) {
    if (d.operandRounding == Rounding::Stochastic) return no("operands of a product are not rounded stochastically");
    return both(both(positive({d.m, d.n, d.k}), storable({d.a, d.b, d.out, d.result})), checkSums(d));
}
Support check(const QuantizeDesc& d) {
    if (!isFp8(d.to)) return no(std::string(facts(d.to).name) + " is not a format that tensors are quantised to");
    return both(countable(d.count), storable({d.from}));
}
Support check(const UpdateScalesDesc& d) {
    return positive({d.historyLength});
}
Support check(const CastDesc& d) {
    return both(countable(d.count), storable({d.from, d.to}));
}
Support check(const AccumulateDesc& d) {
    return both(countable(d.count), storable({d.from, d.to}));
}
Support check(const ActivationDesc& d) {
    return both(countable(d.count), storable({d.dtype}));
}
Support check(const ActivationGradDesc& d) {
    return both(countable(d.count), storable({d.dtype}));
}
Support check(const BiasGradDesc& d) {
    return both(positive({d.rows, d.cols}), storable({d.dtype, d.out}));
}
Support check(const SoftmaxCrossEntropyDesc& d) {
    return positive({d.rows, d.classes});
}
Support check(const SoftmaxCrossEntropyGradDesc& d) {
    return positive({d.rows, d.classes});
}
Support check(const GatherRowsDesc& d) {
    return both(countable(d.rows), countable(d.cols));
}
Support check(const UnscaleDesc& d) {
    if (d.segments.empty() || d.segments.front() < 0) return no("the segments must begin at 0 or later and end with the total");
    if (!std::is_sorted(d.segments.begin(), d.segments.end())) return no("the segments must be in order");
    return storable({d.dtype});
}
Support check(const AdamWDesc& d) {
    return both(countable(d.count), storable({d.storage.dtype}));
}
Support check(const SgdDesc& d) {
    if (d.nesterov && (d.momentum <= 0 || d.dampening != 0)) return no("Nesterov needs a momentum above 0 and no dampening");
    return both(countable(d.count), storable({d.storage.dtype}));
}
Support check(const ClassifyDesc& d) {
    return both(countable(d.count), storable({d.dtype}));
}

struct Make {
    const dnnl::engine& engine;
    WorkPool& pool;
    std::unique_ptr<Operation> operator()(const MatmulDesc& d) const { return makeMatmul(d, engine, pool); }
    std::unique_ptr<Operation> operator()(const CastDesc& d) const { return makeCast(d, pool); }
    std::unique_ptr<Operation> operator()(const QuantizeDesc& d) const { return makeQuantize(d, pool); }
    std::unique_ptr<Operation> operator()(const UpdateScalesDesc& d) const { return makeUpdateScales(d); }
    std::unique_ptr<Operation> operator()(const AccumulateDesc& d) const { return makeAccumulate(d, pool); }
    std::unique_ptr<Operation> operator()(const ActivationDesc& d) const { return makeActivation(d, pool); }
    std::unique_ptr<Operation> operator()(const ActivationGradDesc& d) const { return makeActivationGrad(d, pool); }
    std::unique_ptr<Operation> operator()(const BiasGradDesc& d) const { return makeBiasGrad(d); }
    std::unique_ptr<Operation> operator()(const SoftmaxCrossEntropyDesc& d) const { return makeSoftmaxCrossEntropy(d); }
    std::unique_ptr<Operation> operator()(const SoftmaxCrossEntropyGradDesc& d) const { return makeSoftmaxCrossEntropyGrad(d); }
    std::unique_ptr<Operation> operator()(const GatherRowsDesc& d) const { return makeGatherRows(d); }
    std::unique_ptr<Operation> operator()(const UnscaleDesc& d) const { return makeUnscale(d); }
    std::unique_ptr<Operation> operator()(const AdamWDesc& d) const { return makeAdamW(d, pool); }
    std::unique_ptr<Operation> operator()(const SgdDesc& d) const { return makeSgd(d, pool); }
    std::unique_ptr<Operation> operator()(const ClassifyDesc& d) const { return makeClassify(d); }
};

class CpuQueue final : public Queue {
public:
    void wait() override {}  // work is done when enqueue returns
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

    Support supports(const OperationDesc& desc) const override {
        return std::visit([](const auto& d) { return check(d); }, desc);
    }
    std::size_t workspaceBytes(const OperationDesc& desc) const override {
        const auto* matmul = std::get_if<MatmulDesc>(&desc);
        return matmul != nullptr ? matmulWorkspaceBytes(*matmul) : 0;
    }
    std::unique_ptr<Operation> prepare(const OperationDesc& desc) override {
        const Support support = supports(desc);
        if (!support.supported) throw std::invalid_argument(support.reason);
        return std::visit(Make{m_engine, m_pool}, desc);
    }

    std::unique_ptr<Queue> createQueue() override { return std::make_unique<CpuQueue>(); }

    std::int64_t availableBytes() const override { return availableMemory(); }
    void* allocate(std::size_t bytes) override {
        void* memory = ::operator new(bytes, kAlignment);
        std::memset(memory, 0, bytes);
        return memory;
    }
    void release(void* memory) noexcept override { ::operator delete(memory, kAlignment); }
    void copyIn(Queue&, void* to, const void* fromHost, std::size_t bytes) override { copy(to, fromHost, bytes); }
    void copyOut(Queue&, void* toHost, const void* from, std::size_t bytes) override { copy(toHost, from, bytes); }
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
};

}  // namespace
}  // namespace cpu

std::shared_ptr<Backend> createCpuBackend() {
    return std::make_shared<cpu::CpuBackend>();
}

}  // namespace mantissa
