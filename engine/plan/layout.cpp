// SPDX-License-Identifier: Apache-2.0
// Where each transient buffer lies: largest first, each at the lowest offset that is free while it is alive.
#include <algorithm>
#include <numeric>

#include "engine/plan/plan.h"

namespace mantissa {
namespace {

struct Lifetime {
    std::int64_t first = -1, last = -1;  // instruction indices, inclusive
    bool overlaps(const Lifetime& other) const { return first <= other.last && other.first <= last; }
};

std::vector<Lifetime> lifetimes(const Plan& plan) {
    std::vector<Lifetime> result(plan.buffers.size());
    for (std::size_t i = 0; i < plan.instructions.size(); ++i) {
        for (const int operand : plan.instructions[i].operands) {
            if (operand < 0) continue;
            Lifetime& life = result[static_cast<std::size_t>(operand)];
            if (life.first < 0) life.first = static_cast<std::int64_t>(i);
            life.last = static_cast<std::int64_t>(i);
        }
    }
    // What the prologue makes is read again by every micro-batch, so nothing may move in before the last one is done.
    for (Lifetime& life : result) {
        if (life.first >= 0 && life.first < plan.prologueEnd) life.last = std::max(life.last, plan.backwardEnd - 1);
    }
    return result;
}

}  // namespace

void layOut(Plan& plan) {
    const std::vector<Lifetime> life = lifetimes(plan);
    std::vector<int> order;
    for (std::size_t i = 0; i < plan.buffers.size(); ++i) {
        if (plan.buffers[i].home == Home::Transient && life[i].first >= 0) order.push_back(static_cast<int>(i));
    }
    std::stable_sort(order.begin(), order.end(), [&](int a, int b) {
        return plan.buffers[static_cast<std::size_t>(a)].bytes > plan.buffers[static_cast<std::size_t>(b)].bytes;
    });

    std::int64_t transientBytes = 0;
    std::vector<int> placed;  // by offset
    for (const int index : order) {
        Buffer& buffer = plan.buffers[static_cast<std::size_t>(index)];
        std::int64_t offset = 0;
        for (const int other : placed) {
            const Buffer& neighbour = plan.buffers[static_cast<std::size_t>(other)];
            if (!life[static_cast<std::size_t>(index)].overlaps(life[static_cast<std::size_t>(other)])) continue;
            if (offset + buffer.bytes <= neighbour.offset) break;
            offset = std::max(offset, aligned(neighbour.offset + neighbour.bytes));
        }
        buffer.offset = offset;
        transientBytes = std::max(transientBytes, offset + buffer.bytes);
        placed.insert(std::upper_bound(placed.begin(), placed.end(), index,
                                       [&](int a, int b) {
                                           return plan.buffers[static_cast<std::size_t>(a)].offset <
                                                  plan.buffers[static_cast<std::size_t>(b)].offset;
                                       }),
                      index);
    }
    plan.homeBytes[static_cast<std::size_t>(Home::Transient)] = transientBytes;

    MemoryLedger ledger;
    std::int64_t transientNamed = 0;  // weight copies and activations; the rest of the transient memory is workspace
    for (std::size_t i = 0; i < plan.buffers.size(); ++i) {
        const Buffer& buffer = plan.buffers[i];
        const bool isTransient = buffer.home == Home::Transient;
        if (!buffer.isCounted || (isTransient && life[i].first < 0)) continue;
        switch (buffer.category) {
            case BufferCategory::Weights:
                ledger.weights += buffer.bytes;
                break;
            case BufferCategory::MasterWeights:
                ledger.masterWeights += buffer.bytes;
                break;
            case BufferCategory::Gradients:
                ledger.gradients += buffer.bytes;
                break;
            case BufferCategory::Optimizer:
                ledger.optimizer += buffer.bytes;
                break;
            case BufferCategory::Activations:
                ledger.activations += buffer.bytes;
                break;
            case BufferCategory::Workspace:
                if (!isTransient) ledger.workspace += buffer.bytes;
                break;
        }
        if (isTransient && buffer.category != BufferCategory::Workspace) transientNamed += buffer.bytes;
    }
    ledger.workspace += std::max<std::int64_t>(0, transientBytes - transientNamed);
    plan.memory = ledger;
}

}  // namespace mantissa
