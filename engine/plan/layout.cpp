// SPDX-License-Identifier: Apache-2.0
// Assigns offsets to transient buffers: largest first, each at the lowest offset that is free during its lifetime. The ledger lists the
// live buffers at the step's memory peak, without the operations' scratch: these parts depend on the format, and on the groups that the
// backend computes together. Scratch is a separate part, so that the sum equals the allocation.
#include <algorithm>
#include <map>
#include <numeric>

#include "engine/plan/plan.h"

namespace mantissa {
namespace {

struct Lifetime {
    std::int64_t first = -1, last = -1;  // instruction indices, inclusive
    bool overlaps(const Lifetime& other) const { return first <= other.last && other.first <= last; }
    bool holds(std::int64_t instruction) const { return first >= 0 && first <= instruction && instruction <= last; }
};

std::vector<Lifetime> lifetimes(const Plan& plan) {
    std::vector<Lifetime> result(plan.buffers.size());
    std::map<int, std::int64_t> leaders;  // group -> its first instruction
    for (std::size_t i = 0; i < plan.instructions.size(); ++i) {
        const Instruction& instruction = plan.instructions[i];
        if (instruction.isStatistics) continue;  // statistics run before the next instruction writes
        const auto at = static_cast<std::int64_t>(i),
                   begin = instruction.group < 0 ? at : leaders.try_emplace(instruction.group, at).first->second;
        for (const int operand : instruction.operands) {
            if (operand < 0) continue;
            Lifetime& life = result[static_cast<std::size_t>(plan.parentOf(operand))];
            life.first = life.first < 0 ? begin : std::min(life.first, begin);
            life.last = at;
        }
    }
    // Every micro-batch reads the prologue's results, so their memory is not reused before the last one is done.
    for (Lifetime& life : result) {
        if (life.first >= 0 && life.first < plan.prologueEnd) life.last = std::max(life.last, plan.backwardEnd - 1);
    }
    return result;
}

/// The instruction with the most live transient bytes, without scratch.
std::int64_t fullestMoment(const Plan& plan, const std::vector<Lifetime>& life) {
    std::vector<std::int64_t> change(plan.instructions.size() + 1);
    for (std::size_t i = 0; i < plan.buffers.size(); ++i) {
        if (plan.buffers[i].arena != Arena::Transient || plan.buffers[i].isScratch || life[i].first < 0) continue;
        change[static_cast<std::size_t>(life[i].first)] += plan.buffers[i].bytes;
        change[static_cast<std::size_t>(life[i].last + 1)] -= plan.buffers[i].bytes;
    }
    std::partial_sum(change.begin(), change.end(), change.begin());
    return std::max_element(change.begin(), change.end()) - change.begin();
}

std::int64_t& partOf(MemoryLedger& ledger, BufferCategory category) {
    switch (category) {
        case BufferCategory::Weights:
            return ledger.weights;
        case BufferCategory::MasterWeights:
            return ledger.masterWeights;
        case BufferCategory::Gradients:
            return ledger.gradients;
        case BufferCategory::Optimizer:
            return ledger.optimizer;
        case BufferCategory::Activations:
            return ledger.activations;
        case BufferCategory::Workspace:
            break;
    }
    return ledger.workspace;
}

/// Offsets of the transient buffers, and their size together. A buffer that is left out has offset 0.
struct Placing {
    std::vector<std::int64_t> offsets;
    std::int64_t bytes = 0;
};

Placing placeTransients(const Plan& plan, const std::vector<Lifetime>& life, bool withScratch) {
    const auto bufferAt = [&](int index) -> const Buffer& { return plan.buffers[static_cast<std::size_t>(index)]; };
    std::vector<int> order;
    for (std::size_t i = 0; i < plan.buffers.size(); ++i) {
        const Buffer& buffer = plan.buffers[i];
        if (buffer.arena == Arena::Transient && life[i].first >= 0 && (withScratch || !buffer.isScratch))
            order.push_back(static_cast<int>(i));
    }
    std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return bufferAt(a).bytes > bufferAt(b).bytes; });

    Placing placing{std::vector<std::int64_t>(plan.buffers.size()), 0};
    const auto offsetOf = [&](int index) -> std::int64_t& { return placing.offsets[static_cast<std::size_t>(index)]; };
    std::vector<int> placed;  // by offset
    for (const int index : order) {
        std::int64_t offset = 0;
        for (const int other : placed) {
            if (!life[static_cast<std::size_t>(index)].overlaps(life[static_cast<std::size_t>(other)])) continue;
            if (offset + bufferAt(index).bytes <= offsetOf(other)) break;
            offset = std::max(offset, aligned(offsetOf(other) + bufferAt(other).bytes));
        }
        offsetOf(index) = offset;
        placing.bytes = std::max(placing.bytes, offset + bufferAt(index).bytes);
        placed.insert(std::upper_bound(placed.begin(), placed.end(), index, [&](int a, int b) { return offsetOf(a) < offsetOf(b); }),
                      index);
    }
    return placing;
}

}  // namespace

void layOut(Plan& plan) {
    const std::vector<Lifetime> life = lifetimes(plan);
    const Placing placing = placeTransients(plan, life, true);
    // Without scratch there may be gaps that do not occur with it.
    const std::int64_t transientBytes = placing.bytes, bare = std::min(transientBytes, placeTransients(plan, life, false).bytes);
    for (std::size_t i = 0; i < plan.buffers.size(); ++i)
        if (plan.buffers[i].arena == Arena::Transient) plan.buffers[i].offset = placing.offsets[i];
    plan.arenaBytes[static_cast<std::size_t>(Arena::Transient)] = transientBytes;
    for (Buffer& part : plan.buffers)
        if (part.whole >= 0) part.offset = plan.buffers[static_cast<std::size_t>(part.whole)].offset + part.firstByte;

    const std::int64_t peak = fullestMoment(plan, life);
    MemoryLedger ledger;
    // An activation that no gradient reads ends before the backward pass: it does not count as saved.
    const auto isPassing = [&](std::size_t i) {
        return plan.backwardEnd > plan.forwardEnd && plan.buffers[i].category == BufferCategory::Activations &&
               life[i].last < plan.forwardEnd;
    };
    std::array<std::int64_t, kArenaCount> gaps = plan.arenaBytes;  // between the buffers of an arena
    std::int64_t rest = bare;                                      // held by no weight copy or activation at the peak
    for (std::size_t i = 0; i < plan.buffers.size(); ++i) {
        const Buffer& buffer = plan.buffers[i];
        if (!buffer.isCounted) continue;
        if (buffer.arena != Arena::Transient) {
            partOf(ledger, buffer.category) += buffer.bytes;
            gaps[static_cast<std::size_t>(buffer.arena)] -= buffer.bytes;
        } else if (life[i].holds(peak) && buffer.category != BufferCategory::Workspace && !isPassing(i)) {
            partOf(ledger, buffer.category) += buffer.bytes;
            rest -= buffer.bytes;
        }
    }
    gaps[static_cast<std::size_t>(Arena::Transient)] = rest;
    gaps[static_cast<std::size_t>(Arena::TensorStats)] = 0;
    ledger.scratch = transientBytes - bare;
    ledger.workspace += std::accumulate(gaps.begin(), gaps.end(), ledger.scratch);
    plan.memory = ledger;
}

}  // namespace mantissa
