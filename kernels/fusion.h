// SPDX-License-Identifier: Apache-2.0
// Groups of operations that a backend may compute together, in one pass over memory. The results have the same bits as those of the parts,
// one after the other. Plans mark the groups (engine/plan/fusion.cpp). Tensors of a group begin at a cache line of 64 bytes, but for
// parameters and their gradients. Pure functions; any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "kernels/operations.h"

namespace mantissa {

enum class Fusion : std::uint8_t {
    None,
    AddNorm,             // AddDesc, LayerNormDesc: a residual sum and its norm
    NormGradAdd,         // LayerNormGradDesc, then AddDesc with gradInput as b, CastDesc of the last result, or both
    BatchNormRelu,       // BatchNormDesc, possibly AddDesc with y as an operand, ActivationDesc (relu), all in one format
    AddReluGrad,         // AddDesc, ActivationGradDesc (relu) of the sum, in one format
    BiasGrad,            // BiasGradDesc, CastDesc of gradBias
    ActivationBiasGrad,  // ActivationGradDesc, BiasGradDesc of gradInput, and possibly CastDesc of gradBias
    LossGrad,            // SoftmaxCrossEntropyDesc, SoftmaxCrossEntropyGradDesc, with log-probabilities in the format of the logits
    Casts,               // CastDesc, up to kMostCasts of them, from one format to another
};
inline constexpr std::size_t kMostCasts = 64;

/// The group that these operations form, in this order; None if their shapes or formats do not match. Norms compute in fp32.
Fusion fusionOf(std::span<const OperationDesc> parts);

/// The operand that a part of a group and the next one share, a result or an input that both read: indices into their lists of operands.
struct SharedOperand {
    std::size_t ofPart;
    std::vector<std::size_t> ofNext;  // one of these: a sum may take the result as either operand
};
/// Nothing if no group has the two operations in this order, or if they share nothing, as casts of one group.
std::optional<SharedOperand> sharedOperand(const OperationDesc& part, const OperationDesc& next);

/// The number of parts, from the first on, whose results a group does not write, since only the next part reads them.
std::size_t leftOutResults(std::span<const OperationDesc> parts);

}  // namespace mantissa
