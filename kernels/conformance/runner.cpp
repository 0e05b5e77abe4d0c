// SPDX-License-Identifier: Apache-2.0
#include "kernels/conformance/runner.h"

#include <exception>
#include <memory>

#include "kernels/fusion.h"

namespace mantissa::conformance {
namespace {

/// Initial contents of outputs and workspace: NaN in every format, then zeros in the second run. Results must not depend on them.
constexpr std::byte kBackgrounds[] = {std::byte{0xFF}, std::byte{0x00}};

/// Whether the parts of a group are computed one by one or together.
enum class Parts : std::uint8_t { Apart, Together };

class CaseRun {
public:
    CaseRun(const Case& test, Backend& backend, Parts parts = Parts::Together)
        : m_test(test), m_backend(backend), m_parts(partsOf(test)), m_queue(backend.createQueue()) {
        for (const OperationDesc& part : m_parts) {
            m_workspaceBytes.push_back(backend.workspaceBytes(part));
            m_workspaces.push_back(std::make_unique<GuardedBuffer>(backend, m_workspaceBytes.back(), 0, m_queue));
            if (parts == Parts::Apart || m_parts.size() == 1) m_operations.push_back(backend.prepare(part));
        }
        if (m_operations.empty()) m_operations.push_back(backend.prepareFused(m_parts));
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

    /// The case with what is written as its expected results, but for a result that the group leaves out.
    Case withResults() {
        enqueue(kBackgrounds[0]);
        const std::vector<Bytes> written = contents();
        Case test = m_test;
        std::vector<std::size_t> left;  // indices of results that the group leaves out
        for (std::size_t part = 0, begin = 0; part < leftOutResults(m_parts); ++part) {
            left.push_back(begin + sharedOperand(m_parts[part], m_parts[part + 1])->ofPart);
            begin += operandsOf(part);
        }
        for (std::size_t i = 0; i < written.size(); ++i) {
            Operand& operand = test.operands[i];
            if (operand.role == Role::Written && m_buffers[i] != nullptr && std::find(left.begin(), left.end(), i) == left.end())
                operand.after = {.values = operand.decode(written[i]), .limits = {0}, .options = kAnything};
        }
        return test;
    }

private:
    const Case& m_test;
    Backend& m_backend;
    std::vector<OperationDesc> m_parts;
    std::shared_ptr<Queue> m_queue;
    std::vector<std::size_t> m_workspaceBytes;  // of each part
    std::vector<std::unique_ptr<GuardedBuffer>> m_workspaces;
    std::vector<std::unique_ptr<Operation>> m_operations;   // each part, or the group
    std::vector<std::unique_ptr<GuardedBuffer>> m_buffers;  // null for absent and shared operands
    CaseOutcome m_outcome;

    /// The number of a part's operands, without a workspace.
    std::size_t operandsOf(std::size_t part) const {
        if (part > 0) return m_test.followers[part - 1].operands;
        std::size_t first = m_test.operands.size();
        for (const Case::Follower& follower : m_test.followers) first -= follower.operands;
        return first;
    }

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
        std::vector<void*> all;
        auto begin = memory.begin();
        for (std::size_t part = 0; part < m_parts.size(); ++part) {
            m_workspaces[part]->write(Bytes(m_workspaceBytes[part], background));
            const auto end = begin + static_cast<std::ptrdiff_t>(operandsOf(part));
            std::vector<void*> own(begin, end);
            own = withWorkspace(m_parts[part], std::move(own), m_workspaceBytes[part], m_workspaces[part]->data());
            if (m_operations.size() == m_parts.size()) m_operations[part]->enqueue(*m_queue, own);
            all.insert(all.end(), own.begin(), own.end());
            begin = end;
        }
        if (m_operations.size() != m_parts.size()) m_operations[0]->enqueue(*m_queue, all);
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
        for (const auto& workspace : m_workspaces) {
            if (!workspace->isIntact()) fail(Fault::GuardBand, "workspace", "");
        }
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
        } else if (first != second && !compareExact(operand.decode(second), actual, kAnything).ok) {
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
        if (test.followers.empty()) return CaseRun(test, backend).run();
        const Case expected = CaseRun(test, backend, Parts::Apart).withResults();
        return CaseRun(expected, backend).run();
    } catch (const std::exception& error) {
        CaseOutcome outcome;
        outcome.failures.push_back({Fault::Threw, nameOf(test), error.what()});
        return outcome;
    }
}

}  // namespace mantissa::conformance
