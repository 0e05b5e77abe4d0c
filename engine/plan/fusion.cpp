// SPDX-License-Identifier: Apache-2.0
// Finds instructions that a backend computes together (kernels/fusion.h): each reads what an earlier one reads or writes. A follower may
// lie a few instructions after the others, if nothing in between touches what it writes or writes what it touches.
#include "kernels/fusion.h"

#include <algorithm>

#include "engine/plan/plan.h"

namespace mantissa {
namespace {

template <typename... Desc>
bool isOneOf(const OperationDesc& operation) {
    return (std::holds_alternative<Desc>(operation) || ...);
}

/// The number of leading operands that an operation only reads, for those that lie in or between groups; 0: it may write all of them.
std::ptrdiff_t inputsOf(const OperationDesc& operation) {
    if (isOneOf<BiasGradDesc, CastDesc>(operation)) return 1;
    if (isOneOf<MatmulDesc, ActivationGradDesc, AddDesc, Convolution2dInputGradDesc, Convolution2dWeightGradDesc>(operation)) return 2;
    if (isOneOf<LayerNormDesc, BatchNormDesc>(operation)) return 3;
    return isOneOf<LayerNormGradDesc>(operation) ? 5 : 0;
}

class InstructionGroups {
public:
    InstructionGroups(Plan& plan, const Backend& backend) : m_plan(plan), m_backend(backend) {}

    void mark() {
        for (std::size_t first = 0; first < static_cast<std::size_t>(m_plan.prologueEnd);) first = markCasts(first);
        for (auto first = static_cast<std::size_t>(m_plan.prologueEnd); first < end(); ++first) {
            if (instruction(first).group >= 0) continue;
            std::vector<std::size_t> members{first};
            for (std::size_t next = followerOf(members); next < end(); next = followerOf(members)) members.push_back(next);
            while (members.size() > 1 && !isComputedTogether(members)) members.pop_back();
            if (members.size() > 1) markGroup(members);
        }
    }

private:
    Plan& m_plan;
    const Backend& m_backend;
    int m_groups = 0;

    Instruction& instruction(std::size_t index) const { return m_plan.instructions[index]; }
    std::size_t end() const { return static_cast<std::size_t>(m_plan.backwardEnd); }
    int parentOf(int buffer) const { return buffer < 0 ? buffer : m_plan.parentOf(buffer); }

    bool touches(const Instruction& each, int buffer) const {
        return std::any_of(each.operands.begin(), each.operands.end(),
                           [&](int operand) { return operand >= 0 && parentOf(operand) == parentOf(buffer); });
    }
    /// Whether `other` touches something that `writer` may write.
    bool dependsOn(const Instruction& other, const Instruction& writer) const {
        return std::any_of(writer.operands.begin() + inputsOf(writer.operation), writer.operands.end(),
                           [&](int buffer) { return buffer >= 0 && touches(other, buffer); });
    }

    /// Parameters, and views of some columns, may begin anywhere in a cache line.
    bool isAligned(int operand) const {
        const Buffer& buffer = m_plan.buffers[static_cast<std::size_t>(operand)];
        return buffer.arena == Arena::Transient && buffer.whole < 0;
    }

    bool readsShared(const Instruction& next, const Instruction& part) const {
        const std::optional<SharedOperand> shared = sharedOperand(part.operation, next.operation);
        return shared && std::count_if(shared->ofNext.begin(), shared->ofNext.end(),
                                       [&](std::size_t index) { return next.operands[index] == part.operands[shared->ofPart]; }) == 1;
    }

    /// Groups casts of parameters that follow each other; returns the end.
    std::size_t markCasts(std::size_t first) {
        std::vector<std::size_t> members{first};
        while (members.back() + 1 < static_cast<std::size_t>(m_plan.prologueEnd)) {
            members.push_back(members.back() + 1);
            if (isComputedTogether(members)) continue;
            members.pop_back();
            break;
        }
        if (members.size() > 1) markGroup(members);
        return members.back() + 1;
    }

    /// The instruction that may join a group as its last one; end(): none.
    std::size_t followerOf(const std::vector<std::size_t>& members) const {
        constexpr std::size_t kNear = 4;
        const std::size_t last = members.back();
        for (std::size_t next = last + 1; next < std::min(end(), last + 1 + kNear); ++next) {
            if (instruction(next).group >= 0 || !readsShared(instruction(next), instruction(last))) continue;
            const auto isInTheWay = [&](std::size_t between) {
                return std::find(members.begin(), members.end(), between) == members.end() &&
                       (dependsOn(instruction(next), instruction(between)) || dependsOn(instruction(between), instruction(next)));
            };
            bool isFree = true;
            for (std::size_t between = members.front() + 1; between < next; ++between) isFree = isFree && !isInTheWay(between);
            return isFree ? next : end();
        }
        return end();
    }

    bool isComputedTogether(const std::vector<std::size_t>& members) const {
        std::vector<OperationDesc> parts;
        for (const std::size_t member : members) {
            parts.push_back(instruction(member).operation);
            const std::vector<int>& operands = instruction(member).operands;
            if (std::holds_alternative<AddDesc>(parts.back()) &&
                !std::all_of(operands.begin(), operands.end(), [&](int operand) { return isAligned(operand); }))
                return false;
        }
        if (fusionOf(parts) == Fusion::None || !m_backend.fuses(parts)) return false;
        const std::size_t left = leftOutResults(parts);
        return std::all_of(members.begin(), members.begin() + static_cast<std::ptrdiff_t>(left), [&](std::size_t member) {
            const int result = instruction(member).output;
            return std::count_if(m_plan.instructions.begin(), m_plan.instructions.end(),
                                 [&](const Instruction& each) { return touches(each, result); }) == 2;
        });
    }

    /// The group touches each buffer once.
    void markGroup(const std::vector<std::size_t>& members) {
        const int group = m_groups++;
        std::vector<int> touched;
        std::vector<OperationDesc> parts;
        for (const std::size_t member : members) {
            Instruction& each = instruction(member);
            parts.push_back(each.operation);
            each.group = group;
            each.isFollower = member != members.front();
            for (const int operand : each.operands) {
                if (operand < 0 || m_plan.buffers[static_cast<std::size_t>(operand)].isScratch) continue;
                if (std::find(touched.begin(), touched.end(), operand) != touched.end())
                    each.bytes -= static_cast<double>(m_plan.buffers[static_cast<std::size_t>(operand)].bytes);
                touched.push_back(operand);
            }
        }
        for (std::size_t i = 0; i < leftOutResults(parts); ++i) {
            Instruction& part = instruction(members[i]);
            part.bytes -= static_cast<double>(m_plan.buffers[static_cast<std::size_t>(part.output)].bytes);
        }
    }
};

}  // namespace

void fuse(Plan& plan, const Backend& backend) {
    InstructionGroups(plan, backend).mark();
}

}  // namespace mantissa
