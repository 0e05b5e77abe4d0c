// SPDX-License-Identifier: Apache-2.0
// A backend that forwards to the CPU backend, for tests that override one function.
#pragma once

#include "kernels/backend.h"

namespace mantissa::test {

class ForwardingBackend : public Backend {
public:
    std::shared_ptr<Backend> inner = createCpuBackend();
    const DeviceInfo& device() const override { return inner->device(); }
    bool isNative(Dtype compute) const override { return inner->isNative(compute); }
    Support supports(const OperationDesc& desc) const override { return inner->supports(desc); }
    std::size_t workspaceBytes(const OperationDesc& desc) const override { return inner->workspaceBytes(desc); }
    BlockMultiplication blockMultiplication(const MatmulDesc& desc) const override { return inner->blockMultiplication(desc); }
    std::unique_ptr<Operation> prepare(const OperationDesc& desc) override { return inner->prepare(desc); }
    std::unique_ptr<Queue> createQueue() override { return inner->createQueue(); }
    std::int64_t operationBytes() const override { return inner->operationBytes(); }
    std::int64_t availableBytes() const override { return inner->availableBytes(); }
    void* allocate(std::size_t bytes) override { return inner->allocate(bytes); }
    void release(void* memory) noexcept override { inner->release(memory); }
    void* allocateShared(std::size_t bytes) override { return inner->allocateShared(bytes); }
    void releaseShared(void* memory) noexcept override { inner->releaseShared(memory); }
    void copyIn(Queue& q, void* to, const void* from, std::size_t bytes) override { inner->copyIn(q, to, from, bytes); }
    void copyOut(Queue& q, void* to, const void* from, std::size_t bytes) override { inner->copyOut(q, to, from, bytes); }
    void fillZero(Queue& q, void* to, std::size_t bytes) override { inner->fillZero(q, to, bytes); }
};

}  // namespace mantissa::test
