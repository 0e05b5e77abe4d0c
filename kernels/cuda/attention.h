// SPDX-License-Identifier: Apache-2.0
// The implementations of attention and its gradient: cuDNN, products of whole score matrices, and tiles, which support everything. Each is
// an operation with the operands of FusedAttentionDesc, or of FusedAttentionGradDesc if `isGradient`, the workspace last.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "kernels/cuda/operations.h"

namespace mantissa::cuda {

struct AttentionWay {
    std::unique_ptr<Operation> operation;  // null: not supported
    std::size_t workspaceBytes = 0;
    std::uintptr_t alignment = 1;  // in bytes, of every operand
};

/// Memory limit of the scores at a time. Longer rows, for which one group of heads exceeds it, use tiles.
inline constexpr std::size_t kMostScoresBytes = std::size_t{512} << 20;

/// Attention by cuDNN, for 16-bit formats if it has a deterministic graph for them, and the build found its headers.
AttentionWay attentionByDnn(const FusedAttentionDesc& desc, bool isGradient, Context& context);
/// Attention by products, for 16-bit formats and rows long enough to outweigh the launches.
AttentionWay attentionByProducts(const FusedAttentionDesc& desc, bool isGradient, Context& context,
                                 std::size_t mostScoresBytes = kMostScoresBytes);
/// Attention in tiles, always supported.
AttentionWay attentionInTiles(const FusedAttentionDesc& desc, bool isGradient);

}  // namespace mantissa::cuda
