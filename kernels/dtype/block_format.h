// SPDX-License-Identifier: Apache-2.0
// Block formats: narrow elements that share a scale. Each format is one descriptor, {element, block, scale}, which menus, memory ledgers
// and forecasts read instead of lists of their own. Plain values; any thread.
//
// The arithmetic is in block_scaling.h. kernels/cpu/block_array.h and kernels/cuda/blocks.h apply it to arrays.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "kernels/dtype/dtype.h"
#include "kernels/dtype/rounding_mode.h"

namespace mantissa {

/// How a scale follows from the largest magnitude of its block: Fp32 gives an fp32 scale, the others an e8m0 one. Formulas and sources:
/// block_scaling.h.
enum class ScaleRule : std::uint8_t { Floor, RoundUp, Rceil, Ceil, Even, PowerOfTwo, Fp32 };
inline constexpr std::array kAllScaleRules{ScaleRule::Floor, ScaleRule::RoundUp,    ScaleRule::Rceil, ScaleRule::Ceil,
                                           ScaleRule::Even,  ScaleRule::PowerOfTwo, ScaleRule::Fp32};

/// The implementation whose order of operations NVFP4 follows. Formulas and sources: block_scaling.h.
enum class Nvfp4Dialect : std::uint8_t { Te, Exact, TorchaoInference, LlamaCpp };
inline constexpr std::array kAllNvfp4Dialects{Nvfp4Dialect::Te, Nvfp4Dialect::Exact, Nvfp4Dialect::TorchaoInference,
                                              Nvfp4Dialect::LlamaCpp};

/// Names for files and the command line: "floor round-up rceil ceil even power-of-two fp32", "te exact torchao-inference llama.cpp".
std::string_view scaleRuleName(ScaleRule rule);
std::optional<ScaleRule> scaleRuleFromName(std::string_view name);
std::string_view nvfp4DialectName(Nvfp4Dialect dialect);
std::optional<Nvfp4Dialect> nvfp4DialectFromName(std::string_view name);

/// A row-major matrix: rows * cols elements. A plain array is one row.
struct MatrixShape {
    std::int64_t rows = 1, cols = 0;

    bool operator==(const MatrixShape&) const = default;
    std::int64_t count() const { return rows * cols; }
};

struct BlockFormat {
    std::string_view name;        // "mxfp8_e4m3": files, command line
    std::string_view screenName;  // "MXFP8 E4M3": window
    Dtype element;
    MatrixShape block;  // shape of the elements that share a scale: {1, 32} along rows, {32, 1} along columns, {32, 32} in squares
    Dtype scale;        // E8M0 (MX and block FP8), F32 (block FP8) or E4M3 (NVFP4)
    ScaleRule rule = ScaleRule::Floor;        // of e8m0 and fp32 scales; withRule() sets both
    Nvfp4Dialect dialect = Nvfp4Dialect::Te;  // NVFP4 only

    /// Whether scales are powers of two, without a second level: MX and block FP8.
    bool isMx() const { return scale == Dtype::E8M0; }
    /// Whether scales are fp32 numbers, without a second level: block FP8 with the rule Fp32.
    bool hasFp32Scales() const { return scale == Dtype::F32; }
    bool isNvfp4() const { return scale == Dtype::E4M3; }
    /// Whether there is a second level: one fp32 factor for the whole tensor. NVFP4 except llama.cpp's.
    bool hasTensorScale() const { return isNvfp4() && dialect != Nvfp4Dialect::LlamaCpp; }
    /// Whether elements are found by search instead of rounding; NaN and Inf become 0. llama.cpp only.
    bool isSearched() const { return isNvfp4() && dialect == Nvfp4Dialect::LlamaCpp; }
    /// The length of a block's longer side: 32 in MX, 16 in NVFP4, 128 in block FP8.
    std::int64_t blockSize() const { return block.rows > block.cols ? block.rows : block.cols; }

    bool operator==(const BlockFormat&) const = default;
    /// The matrix of a tensor's scales. Blocks at its right and lower edge may be shorter.
    MatrixShape scales(MatrixShape tensor) const;
    /// The format that holds element times scale: BF16, exactly, or F32, rounded, if scales are fp32.
    Dtype numbers() const { return hasFp32Scales() ? Dtype::F32 : Dtype::BF16; }
    /// Storage bits of a number, including its share of the scale. Excludes short blocks and the tensor's factor.
    double bitsPerNumber() const;
    /// Storage bytes of a tensor's packed elements, and of its scales.
    std::int64_t packedBytes(MatrixShape tensor) const;
    std::int64_t scaleBytes(MatrixShape tensor) const;
    /// Storage bytes of a tensor: packed elements, scales, and the tensor's factor.
    std::int64_t storageBytes(MatrixShape tensor) const;
};

/// The block formats mxfp8_e4m3 mxfp8_e5m2 mxfp6_e2m3 mxfp6_e3m2 mxfp4 nvfp4 fp8_block_e4m3 fp8_block_e5m2, with blocks along rows.
std::span<const BlockFormat> blockFormats();
std::optional<BlockFormat> blockFormatFromName(std::string_view name);

/// The possible scale rules of a format: none for NVFP4, Fp32 only for block FP8.
std::span<const ScaleRule> scaleRules(const BlockFormat& format);
/// The format with another of its scaleRules(), and the scale's storage that follows from it.
BlockFormat withRule(BlockFormat format, ScaleRule rule);

/// The possible block shapes of a format: along rows, along columns, square.
std::array<MatrixShape, 3> blockShapes(const BlockFormat& format);
/// The name of a block's shape, "16x16": rows, then columns.
std::string blockShapeName(MatrixShape block);

/// Why a format cannot quantise with this rounding, in a sentence; empty if it can.
std::string refusalOf(const BlockFormat& format, Rounding rounding);

}  // namespace mantissa
