// SPDX-License-Identifier: Apache-2.0
// The CPU backend with queues that support capture, as a GPU's do, to test steps that are launched many at a time without a GPU. Launched
// work runs immediately.
#pragma once

#include <utility>
#include <vector>

#include "tests/support/forwarding_backend.h"

namespace mantissa::test {

class CapturingBackend final : public ForwardingBackend {
public:
    std::function<void()> onCapture = [] {}, onLaunch = [] {};
    bool isEndless = false;  // work launched from now on never ends

    std::unique_ptr<Queue> createQueue() override { return std::make_unique<CapturingQueue>(*this); }
    std::unique_ptr<Operation> prepare(const OperationDesc& desc) override {
        return std::make_unique<Captured>(*this, inner->prepare(desc));
    }
    void fillZero(Queue& queue, void* to, std::size_t bytes) override {
        doOrRecord([this, &queue, to, bytes] { inner->fillZero(queue, to, bytes); });
    }

private:
    using Work = std::vector<std::function<void()>>;
    Work m_work;
    bool m_isCapturing = false;

    void doOrRecord(std::function<void()> work) {
        if (!m_isCapturing) return work();
        m_work.push_back(std::move(work));
    }

    class Recording final : public CapturedWork {
    public:
        Recording(CapturingBackend& backend, Work work) : m_backend(backend), m_recorded(std::move(work)) {}
        void launch(Queue&) override {
            m_backend.onLaunch();
            if (m_backend.isEndless) return;
            for (const auto& each : m_recorded) each();
        }

    private:
        CapturingBackend& m_backend;
        Work m_recorded;
    };

    class CapturingQueue final : public Queue {
    public:
        explicit CapturingQueue(CapturingBackend& backend) : m_backend(backend) {}
        void wait() override {}
        bool isIdle() override { return !m_backend.isEndless; }

    protected:
        bool offersCapture() const override { return true; }
        void beginCapture() override {
            m_backend.onCapture();
            m_backend.m_isCapturing = true;
        }
        std::unique_ptr<CapturedWork> endCapture() override {
            m_backend.m_isCapturing = false;
            return std::make_unique<Recording>(m_backend, std::exchange(m_backend.m_work, {}));
        }
        void discardCapture() noexcept override {
            m_backend.m_isCapturing = false;
            m_backend.m_work.clear();
        }

    private:
        CapturingBackend& m_backend;
    };

    class Captured final : public Operation {
    public:
        Captured(CapturingBackend& backend, std::unique_ptr<Operation> operation) : m_backend(backend), m_operation(std::move(operation)) {}
        void enqueue(Queue& queue, std::span<void* const> operands) override {
            m_backend.doOrRecord(
                [this, &queue, taken = std::vector<void*>(operands.begin(), operands.end())] { m_operation->enqueue(queue, taken); });
        }

    private:
        CapturingBackend& m_backend;
        std::unique_ptr<Operation> m_operation;
    };
};

}  // namespace mantissa::test
