// SPDX-License-Identifier: Apache-2.0
#include "kernels/cpu/block_array.h"

#include <algorithm>
#include <array>
#include <cassert>

#include "kernels/cpu/block_paths.h"
#include "kernels/dtype/block_scaling.h"

namespace mantissa {
namespace cpu {
namespace {

constexpr std::size_t kColumns = kBlockColumns;  // of a strip

/// A strip's scales: one per column, block or row of blocks, depending on the block's shape.
struct StripScales {
    std::array<std::uint32_t, kColumns> magnitudes;
    alignas(float) std::array<std::uint8_t, kColumns * sizeof(float)> codes;
    std::array<float, kColumns> values;
};

/// A piece of a matrix: some columns of as many rows as a block has.
struct Strip {
    std::size_t rows, cols, first;  // `first`: index of the upper left number
};

std::size_t countOf(std::int64_t count) {
    return static_cast<std::size_t>(count);
}

/// If blocks along rows divide the row length, the matrix is treated as one long row.
MatrixShape flattened(const BlockFormat& format, MatrixShape shape) {
    const bool isWhole = format.block.cols <= static_cast<std::int64_t>(kColumns) && shape.cols % format.block.cols == 0;
    return format.block.rows == 1 && isWhole ? MatrixShape{1, shape.count()} : shape;
}

std::size_t bytesOfScale(const BlockFormat& format) {
    return facts(format.scale).storageBytes();
}

/// Calls use(strip, stride, index of its first scale), left to right, then down.
template <typename Use>
void forStrips(const BlockFormat& format, MatrixShape given, Use use) {
    const MatrixShape shape = flattened(format, given);
    const std::size_t rows = countOf(shape.rows), cols = countOf(shape.cols), scaleCols = countOf(format.scales(shape).cols);
    const std::size_t blockRows = countOf(format.block.rows), blockCols = countOf(format.block.cols);
    for (std::size_t row = 0; row < rows; row += blockRows) {
        const std::size_t width = std::max<std::size_t>(1, kColumns / blockCols) * std::min(kColumns, blockCols);  // whole blocks
        for (std::size_t col = 0; col < cols; col += width) {
            const Strip strip{std::min(blockRows, rows - row), std::min(width, cols - col), row * cols + col};
            use(strip, cols, row / blockRows * scaleCols + col / blockCols);
        }
    }
}

std::size_t blocksOf(const BlockFormat& format, std::size_t cols) {
    return (cols + countOf(format.block.cols) - 1) / countOf(format.block.cols);
}

/// The magnitude of a block that is longer than a strip: the whole rows, `stride` numbers each.
std::uint32_t rowMagnitude(const BlockPath& path, const BlockFormat& format, const Strip& strip, std::size_t stride, const float* values) {
    std::array<std::uint32_t, kColumns> columns;
    const float* const rows = values + strip.first / stride * stride;
    std::uint32_t largest = 0;
    for (std::size_t col = 0; col < stride; col += kColumns) {
        const std::size_t cols = std::min(kColumns, stride - col);
        path.columnMagnitudes(format, rows + col, strip.rows, stride, columns.data(), cols);
        largest = std::max(largest, *std::max_element(columns.begin(), columns.begin() + static_cast<std::ptrdiff_t>(cols)));
    }
    return largest;
}

void chooseScales(const BlockPath& path, const BlockFormat& format, const Strip& strip, std::size_t stride, const float* values,
                  float tensorScale, StripScales& scales) {
    std::array<std::uint32_t, kColumns> columns;
    std::uint32_t* const blocks = scales.magnitudes.data();
    const std::size_t count = blocksOf(format, strip.cols);
    if (countOf(format.block.cols) > kColumns) {
        blocks[0] = rowMagnitude(path, format, strip, stride, values);
    } else {
        path.columnMagnitudes(format, values + strip.first, strip.rows, stride, columns.data(), strip.cols);
        path.blockMagnitudes(columns.data(), countOf(format.block.cols), blocks, strip.cols);
    }
    path.scaleCodes(format, tensorScale, blocks, scales.codes.data(), count);
    path.rounding->decode(format.scale, scales.codes.data(), scales.values.data(), count);
}

/// Calls use(scaled, place, count, scales) for each piece of a row with the values to round. Formats that search their elements get
/// use(codes, place, count, scales).
template <typename UseScales, typename UseScaled, typename UseCodes>
void forScaledRows(const BlockPath& path, const BlockFormat& format, MatrixShape shape, const float* values, float tensorScale,
                   UseScales useScales, UseScaled useScaled, UseCodes useCodes) {
    forStrips(format, shape, [&](const Strip& strip, std::size_t stride, std::size_t firstScale) {
        StripScales scales;
        std::array<float, kColumns> factors, scaled;
        std::array<std::uint8_t, kColumns> codes;
        const std::size_t blocks = blocksOf(format, strip.cols);
        chooseScales(path, format, strip, stride, values, tensorScale, scales);
        useScales(scales, firstScale, blocks);
        if (!format.isSearched())
            path.factors(format, tensorScale, scales.values.data(), scales.codes.data(), scales.magnitudes.data(), factors.data(), blocks);
        for (std::size_t row = 0; row < strip.rows; ++row) {
            const std::size_t place = strip.first + row * stride;
            if (format.isSearched()) {
                path.search(format, scales.values.data(), values + place, codes.data(), strip.cols);
                useCodes(codes.data(), place, strip.cols, scales);
            } else {
                path.scale(format, tensorScale, factors.data(), values + place, scaled.data(), strip.cols);
                useScaled(scaled.data(), place, strip.cols, scales);
            }
        }
    });
}

/// Scaling has already saturated the elements.
RoundingMode withoutSaturation(RoundingMode mode) {
    mode.saturate = false;
    return mode;
}

}  // namespace

void quantizeOn(const BlockPath& path, const BlockFormat& format, MatrixShape shape, const float* values, float tensorScale,
                std::uint8_t* elements, std::uint8_t* scales, const RoundingMode& given, std::uint64_t firstIndex) {
    assert(refusalOf(format, given.rounding).empty());
    const RoundingMode mode = withoutSaturation(given);
    forScaledRows(
        path, format, shape, values, tensorScale,
        [=, bytes = bytesOfScale(format)](const StripScales& chosen, std::size_t first, std::size_t count) {
            std::copy_n(chosen.codes.data(), count * bytes, scales + first * bytes);
        },
        [&](const float* scaled, std::size_t place, std::size_t count, const StripScales&) {
            encodeOn(*path.rounding, format.element, scaled, elements + place, count, mode, firstIndex + place);
        },
        [=](const std::uint8_t* codes, std::size_t place, std::size_t count, const StripScales&) {
            std::copy_n(codes, count, elements + place);
        });
}

void dequantizeOn(const BlockPath& path, const BlockFormat& format, MatrixShape shape, const std::uint8_t* elements,
                  const std::uint8_t* scales, float tensorScale, float* values) {
    forStrips(format, shape, [&](const Strip& strip, std::size_t stride, std::size_t firstScale) {
        std::array<float, kColumns> decoded;
        path.rounding->decode(format.scale, scales + firstScale * bytesOfScale(format), decoded.data(), blocksOf(format, strip.cols));
        for (std::size_t row = 0; row < strip.rows; ++row) {
            const std::size_t place = strip.first + row * stride;
            path.rounding->decode(format.element, elements + place, values + place, strip.cols);
            path.numbers(format, tensorScale, decoded.data(), values + place, strip.cols);
        }
    });
}

void roundBlocksOn(const BlockPath& path, const BlockFormat& format, MatrixShape shape, const float* src, float tensorScale, float* dst,
                   const RoundingMode& given, std::uint64_t firstIndex) {
    assert(refusalOf(format, given.rounding).empty());
    const RoundingMode mode = withoutSaturation(given);
    forScaledRows(
        path, format, shape, src, tensorScale, [](const StripScales&, std::size_t, std::size_t) {},
        [&](const float* scaled, std::size_t place, std::size_t count, const StripScales& scales) {
            roundOn(*path.rounding, format.element, scaled, dst + place, count, mode, firstIndex + place);
            path.numbers(format, tensorScale, scales.values.data(), dst + place, count);
        },
        [&](const std::uint8_t* codes, std::size_t place, std::size_t count, const StripScales& scales) {
            path.rounding->decode(format.element, codes, dst + place, count);
            path.numbers(format, tensorScale, scales.values.data(), dst + place, count);
        });
}

}  // namespace cpu

float largestMagnitude(const float* values, std::int64_t count) {
    return floatFromBits(cpu::blockPaths().front().largest(values, static_cast<std::size_t>(count)));
}

float tensorScaleOf(const BlockFormat& format, float largest) {
    return format.hasTensorScale() ? withDialect(format.dialect, [=](auto dialect) { return decltype(dialect)::tensorScale(largest); }) : 1;
}

void quantizeBlocks(const BlockFormat& format, MatrixShape shape, const float* values, float tensorScale, std::uint8_t* elements,
                    std::uint8_t* scales, const RoundingMode& mode, std::uint64_t firstIndex) {
    cpu::quantizeOn(cpu::blockPaths().front(), format, shape, values, tensorScale, elements, scales, mode, firstIndex);
}

void dequantizeBlocks(const BlockFormat& format, MatrixShape shape, const std::uint8_t* elements, const std::uint8_t* scales,
                      float tensorScale, float* values) {
    cpu::dequantizeOn(cpu::blockPaths().front(), format, shape, elements, scales, tensorScale, values);
}

void roundBlocks(const BlockFormat& format, MatrixShape shape, const float* src, float tensorScale, float* dst, const RoundingMode& mode,
                 std::uint64_t firstIndex) {
    cpu::roundBlocksOn(cpu::blockPaths().front(), format, shape, src, tensorScale, dst, mode, firstIndex);
}

}  // namespace mantissa
