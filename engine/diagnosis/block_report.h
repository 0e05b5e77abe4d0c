// SPDX-License-Identifier: Apache-2.0
// What quantisation to a block format does to the operands of a step's products. Plain values; any thread.
//
// x is a number that is quantised (bf16; of a requantised operand the number of its first quantisation; after the rotation, if there is
// one), x^ = element * scale * factor the number that the product
// uses, both as doubles. Where x or x^ is not finite the number is left out of signal and error.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "engine/precision/block_recipe.h"

namespace mantissa {

/// Blocks whose scale s, without the tensor's factor, has 2^exponent <= s < 2^(exponent + 1).
struct ScaleBin {
    std::int32_t exponent = 0;
    std::int64_t blocks = 0;

    bool operator==(const ScaleBin&) const = default;
};

inline constexpr std::int64_t kMostMapCells = 64;  // in each direction

/// The blocks of a tensor as a picture of at most 64 x 64 cells. A cell that stands for several blocks has the worst figures of them: the
/// smallest SQNR and the largest flushed share.
struct BlockMap {
    std::int32_t rows = 0, cols = 0;  // cells
    std::int64_t blockRowsPerCell = 1, blockColsPerCell = 1;
    std::vector<float> sqnr;     // dB, row-major; Inf: without error; NaN: all numbers are 0; -Inf: a scale is NaN
    std::vector<float> flushed;  // share of a block's nonzero numbers that became 0: 0 to 1

    bool operator==(const BlockMap&) const = default;
};

/// One quantised operand of a step.
struct OperandBlocks {
    std::string tensor, layer;        // "layers.2.output", "layers.2"
    std::vector<Direction> products;  // that read it: one, or forward and input gradient for a weight in square blocks
    LinearOperand operand = LinearOperand::Input;
    std::string format;  // name of a BlockFormat
    std::int64_t rows = 0, cols = 0, blockRows = 1, blockCols = 1;
    bool isRequantized = false, isRotated = false, isStochastic = false;

    std::int64_t nonZero = 0;    // numbers x that are not 0
    std::int64_t flushed = 0;    // of them: x^ is 0
    std::int64_t saturated = 0;  // numbers with |x| above the element format's largest * scale * factor; none where the scale is 0 or NaN.
                                 // An fp32 scale is rounded, so there |x| must be above that by more than 2^-22 of it
    std::int64_t blocks = 0, zeroBlocks = 0;  // zero: each x^ is 0
    std::int64_t zeroScales = 0, nanScales = 0;
    std::vector<ScaleBin> scales;                                      // of the other blocks, ascending
    double smallestScale = 0, largestScale = 0;                        // of the same; 0: there are none
    double factor = 1;                                                 // of the tensor: NVFP4's second level
    double sqnr = std::numeric_limits<double>::quiet_NaN();            // 10 log10(sum x^2 / sum (x - x^)^2), as in BlockMap
    double largest = 0;                                                // magnitude before the rotation; NaN and Inf are ignored
    double largestRotated = std::numeric_limits<double>::quiet_NaN();  // after it; NaN: not rotated
    BlockMap map;

    std::int64_t numbers() const { return rows * cols; }
    double flushedShare() const { return nonZero > 0 ? static_cast<double>(flushed) / static_cast<double>(nonZero) : 0; }
    double saturatedShare() const { return numbers() > 0 ? static_cast<double>(saturated) / static_cast<double>(numbers()) : 0; }
    bool operator==(const OperandBlocks&) const = default;
};

}  // namespace mantissa
