// SPDX-License-Identifier: Apache-2.0
// The loops of round_array (internal), once per instruction set. All give the bits of kernels/dtype/rounding.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "kernels/dtype/rounding.h"

namespace mantissa::cpu {

struct RoundPath {
    const char* name;
    /// Rounds. `random`: 32 bits per element for stochastic rounding, otherwise unused.
    void (*round)(Dtype dtype, Rounding rounding, const float* src, float* dst, const std::uint32_t* random, std::size_t count);
    /// Encodes to nearest even, into codes of 8, 16 or (fp32, tf32) 32 bits.
    void (*encode)(Dtype dtype, const float* src, void* codes, std::size_t count);
    void (*decode)(Dtype dtype, const void* codes, float* dst, std::size_t count);
    /// Clamps to the format's largest number.
    void (*saturate)(Dtype dtype, const float* src, float* dst, std::size_t count);
    /// Draws the random bits of elements [4 * firstBlock, 4 * firstBlock + 4 * blocks).
    void (*draw)(const RoundingMode& mode, std::uint64_t firstBlock, std::uint32_t* random, std::size_t blocks);
};

/// The paths that this processor supports, the fastest first and the portable one last.
const std::vector<RoundPath>& roundPaths();

/// Implements round_array.h with the loops of one path.
void roundOn(const RoundPath& path, Dtype dtype, const float* src, float* dst, std::size_t count, const RoundingMode& mode,
             std::uint64_t firstIndex);
void encodeOn(const RoundPath& path, Dtype dtype, const float* src, void* dst, std::size_t count, const RoundingMode& mode,
              std::uint64_t firstIndex);

}  // namespace mantissa::cpu
