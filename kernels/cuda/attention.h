// SPDX-License-Identifier: Apache-2.0
// The ways to attend, and back: cuDNN's, products of whole matrices of scores, and tiles, which do everything. Each is an operation with
// the operands of FusedAttentionDesc, or of FusedAttentionGradDesc where `isGradient`, the workspace last.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "kernels/cuda/operations.h"

namespace mantissa::cuda {

struct AttentionWay {
    std::unique_ptr<Operation> operation;  // null: this way is not offered
    std::size_t workspaceBytes = 0;
    std::uintptr_t alignment = 1;  // in bytes, of every operand
};

/// What scores may take up at a time. Longer rows, whose matrices of one group of heads do not fit, go by tiles.
inline constexpr std::size_t kMostScoresBytes = std::size_t{512} << 20;

/// 16-bit formats where cuDNN has a graph for them that gives the same bits each time, and the build found its headers.
AttentionWay attentionByDnn(const FusedAttentionDesc& desc, bool isGradient, Context& context);
/// 16-bit formats and rows long enough to be worth the launches.
AttentionWay attentionByProducts(const FusedAttentionDesc& desc, bool isGradient, Context& context,
                                 std::size_t mostScoresBytes = kMostScoresBytes);
/// Always offered.
AttentionWay attentionInTiles(const FusedAttentionDesc& desc, bool isGradient);

}  // namespace mantissa::cuda
