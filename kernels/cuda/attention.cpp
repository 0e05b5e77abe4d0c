// SPDX-License-Identifier: Apache-2.0
// Chooses the implementation of attention when it is prepared, by format, shape and the libraries' support.
#include "kernels/cuda/attention.h"

#include <algorithm>

#include "kernels/cuda/context.h"

namespace mantissa::cuda {
namespace {

class Attention final : public Operation {
public:
    Attention(const FusedAttentionDesc& desc, bool isGradient, Context& context)
        : m_tiles(attentionInTiles(desc, isGradient)), m_fast(attentionByDnn(desc, isGradient, context)) {
        if (m_fast.operation == nullptr) m_fast = attentionByProducts(desc, isGradient, context);
    }

    std::size_t workspaceBytes() const { return std::max(m_tiles.workspaceBytes, m_fast.workspaceBytes); }

    void enqueue(Queue& queue, Operands operands) override {
        // Addresses are known only here; those of a plan are always aligned.
        const bool fits = m_fast.operation != nullptr && std::all_of(operands.begin(), operands.end(), [this](const void* operand) {
                              return reinterpret_cast<std::uintptr_t>(operand) % m_fast.alignment == 0;
                          });
        (fits ? m_fast : m_tiles).operation->enqueue(queue, operands);
    }

private:
    AttentionWay m_tiles, m_fast;
};

}  // namespace

std::unique_ptr<Operation> makeFusedAttention(const FusedAttentionDesc& desc, Context& context) {
    return std::make_unique<Attention>(desc, false, context);
}
std::unique_ptr<Operation> makeFusedAttentionGrad(const FusedAttentionGradDesc& desc, Context& context) {
    return std::make_unique<Attention>(desc.forward, true, context);
}
Departures fusedAttentionDepartures(const FusedAttentionDesc& desc, bool isGradient, Context& context) {
    const bool isDnn = desc.dtype == Dtype::BF16 && attentionByDnn(desc, isGradient, context).operation != nullptr;
    return {.subnormals = isDnn ? kDnnFlushes : "", .nonFinite = ""};
}
std::size_t fusedAttentionWorkspaceBytes(const FusedAttentionDesc& desc, bool isGradient, Context& context) {
    return Attention(desc, isGradient, context).workspaceBytes();
}

}  // namespace mantissa::cuda
