// SPDX-License-Identifier: Apache-2.0
#include "kernels/conformance/runner.h"

#include <exception>
#include <memory>

namespace mantissa::conformance {
namespace {

/// Initial contents of outputs and workspace: NaN in every format, then zeros in the second run. Results must not depend on them.
constexpr std::byte kBackgrounds[] = {std::byte{0xFF}, std::byte{0x00}};

class CaseRun {
public:
    CaseRun(const Case& test, Backend& backend)
        : m_test(test),
          m_backend(backend),
          m_workspaceBytes(backend.workspaceBytes(test.desc)),
          m_queue(backend.createQueue()),
          m_workspace(backend, m_workspaceBytes, 0, m_queue),
          m_operation(backend.prepare(test.desc)) {
        for (const Operand& operand : test.operands) {
            const bool isShared = operand.sameAs >= 0 || operand.role == Role::Absent;
            const std::size_t offset = test.isOffLine && operand.elementBytes == sizeof(float) ? sizeof(float) : 0;
            m_buffers.push_back(isShared ? nullptr : std::make_unique<GuardedBuffer>(backend, operand.before.size(), offset, m_queue));
        }
    }

    CaseOutcome run() {
        enqueue(kBackgrounds[0]);
        const std::vector<Bytes> first = contents();
        enqueue(kBackgrounds[1]);
        const std::vector<Bytes> second = contents();
        guards();
        for (std::size_t i = 0; i < first.size(); ++i) {
            if (m_buffers[i] != nullptr) judge(i, first[i], second[i]);
        }
        return std::move(m_outcome);
    }

private:
    const Case& m_test;
    Backend& m_backend;
    std::size_t m_workspaceBytes;
    std::shared_ptr<Queue> m_queue;
    GuardedBuffer m_workspace;
    std::unique_ptr<Operation> m_operation;
    std::vector<std::unique_ptr<GuardedBuffer>> m_buffers;  // null for absent and shared operands
    CaseOutcome m_outcome;

    void enqueue(std::byte background) {
        std::vector<void*> memory;
        for (std::size_t i = 0; i < m_buffers.size(); ++i) {
            const Operand& operand = m_test.operands[i];
            if (m_buffers[i] != nullptr) {
                m_buffers[i]->write(operand.role == Role::Written ? Bytes(operand.before.size(), background) : operand.before);
            }
            const auto owner = operand.sameAs >= 0 ? static_cast<std::size_t>(operand.sameAs) : i;
            memory.push_back(m_buffers[owner] != nullptr ? m_buffers[owner]->data() : nullptr);
        }
        m_workspace.write(Bytes(m_workspaceBytes, background));
        m_operation->enqueue(*m_queue, withWorkspace(m_test.desc, memory, m_workspaceBytes, m_workspace.data()));
        m_queue->wait();
    }

    std::vector<Bytes> contents() const {
        std::vector<Bytes> all;
        for (const auto& buffer : m_buffers) all.push_back(buffer != nullptr ? buffer->bytes() : Bytes{});
        return all;
    }

    void fail(Fault fault, const std::string& place, std::string detail) {
        m_outcome.failures.push_back({fault, nameOf(m_test) + ", " + place, std::move(detail)});
    }
    static std::string placeOf(std::size_t operand) { return "operand " + std::to_string(operand); }

    void guards() {
        if (!m_workspace.isIntact()) fail(Fault::GuardBand, "workspace", "");
        for (std::size_t i = 0; i < m_buffers.size(); ++i) {
            if (m_buffers[i] != nullptr && !m_buffers[i]->isIntact()) fail(Fault::GuardBand, placeOf(i), "");
        }
    }

    bool multipliesNatively(Dtype format) const {
        const MatmulDesc* const product = productInBlocks(m_test.desc);
        return product != nullptr ? m_backend.blockMultiplication(*product).isNative : m_backend.isNative(format);
    }

    void judge(std::size_t index, const Bytes& first, const Bytes& second) {
        const Operand& operand = m_test.operands[index];
        if (operand.role == Role::Read) {
            if (first != operand.before || second != operand.before) fail(Fault::InputChanged, placeOf(index), "");
            return;
        }
        const Expected& after = operand.after;
        if (after.values.empty()) return;  // only the guards are checked
        const Values actual = operand.decode(first);
        const Values& limits = !after.nativeLimits.empty() && multipliesNatively(after.nativeFormat) ? after.nativeLimits : after.limits;
        Comparison comparison = compare(actual, after.values, limits, after.options);
        if (!comparison.refusal.empty()) {
            fail(Fault::NothingProved, placeOf(index), comparison.report());
        } else if (!comparison.ok) {
            fail(diagnose(operand.dtype, actual, after.values, limits), placeOf(index), comparison.report());
        } else if (!compareExact(operand.decode(second), actual, kAnything).ok) {
            fail(Fault::NotRepeatable, placeOf(index), "");
        }
        m_outcome.comparisons.push_back(std::move(comparison));
    }
};

}  // namespace

const MatmulDesc* productInBlocks(const OperationDesc& desc) {
    const auto* const product = std::get_if<MatmulDesc>(&desc);
    return product != nullptr && (product->aBlocks || product->bBlocks) ? product : nullptr;
}

std::string nameOf(const Case& test) {
    return test.shape + (test.layout.empty() ? "" : " " + test.layout) + ", " + std::string(inputsName(test.inputs));
}

CaseOutcome runCase(const Case& test, Backend& backend) {
    try {
        return CaseRun(test, backend).run();
    } catch (const std::exception& error) {
        CaseOutcome outcome;
        outcome.failures.push_back({Fault::Threw, nameOf(test), error.what()});
        return outcome;
    }
}

}  // namespace mantissa::conformance
