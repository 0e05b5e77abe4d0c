// SPDX-License-Identifier: Apache-2.0
// Block formats: narrow elements that share a scale. Host only; pure functions.
//
// MX (OCP Microscaling Formats 1.0): blocks of 32 elements and one e8m0 scale X = 2^e; a number is element * X. From the block's largest
// magnitude amax, with the element format's largest number M = m * 2^emax, 1 <= m < 2:
//   floor    e = floor(log2 amax) - emax, as the specification: an amax above M * X, as large as 2 * 2^emax * X, saturates;
//   round-up e = the smallest with amax <= M * 2^e, as cuBLAS and Transformer Engine: nothing saturates.
//   e is held to -127..127. amax 0 gives e = -127. Inf gives NaN by floor, and 2^127 by round-up; NaN gives the scale NaN, and so the
//   whole block.
//
// NVFP4 (Transformer Engine's NVFP4 recipe; arXiv 2509.25149): blocks of 16 e2m1 elements, one e4m3 scale each, and one fp32 factor S
// for the tensor:
//   S = 448 * 6 / amax of the tensor, at most the largest fp32 number, 1 where that is 0 or amax is;
//   scale = e4m3(block amax * S / 6); element = e2m1(x * S / scale), 0 for scale 0; a number is element * scale / S.
//   A block with NaN has the scale NaN; amax of the tensor passes over NaN.
//
// Elements saturate. Arithmetic is fp32, in the order written; divisions by powers of two are exact.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "kernels/dtype/dtype.h"
#include "kernels/dtype/rounding_mode.h"

namespace mantissa {

enum class ScaleRule : std::uint8_t { Floor, RoundUp };

struct BlockFormat {
    std::string_view name;  // "mxfp8_e4m3"
    Dtype element, scale;
    std::size_t blockSize;  // elements that share a scale
    bool hasTensorScale;    // nvfp4's fp32 factor; without it the scale rule counts

    /// Bits of a number at rest, its share of the scale included.
    double bitsPerNumber() const;
};

/// mxfp8_e4m3 mxfp8_e5m2 mxfp6_e2m3 mxfp6_e3m2 mxfp4 nvfp4
std::span<const BlockFormat> blockFormats();
std::optional<BlockFormat> blockFormatFromName(std::string_view name);

/// The e8m0 code of an MX block's scale. amax: not negative, may be Inf or NaN.
std::uint32_t mxScale(Dtype element, float amax, ScaleRule rule);

struct QuantizedBlocks {
    std::vector<std::uint8_t> elements;  // codes, one in a byte
    std::vector<std::uint8_t> scales;    // codes, one for each block
    float tensorScale = 1;               // S
};

/// Blocks of consecutive numbers; the last one may be shorter. `mode` is that of the elements, which saturate whatever it says; the index
/// of stochastic rounding is the number's place in `values`.
QuantizedBlocks quantizeBlocks(const BlockFormat& format, std::span<const float> values, ScaleRule rule, const RoundingMode& mode = {});
std::vector<float> dequantizeBlocks(const BlockFormat& format, const QuantizedBlocks& blocks);

}  // namespace mantissa
