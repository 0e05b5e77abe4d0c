// SPDX-License-Identifier: Apache-2.0
// Matrices in block formats as kernels see them: which numbers share a scale, how codes are packed, and the arithmetic of
// kernels/dtype/block_scaling.h with the format chosen at run time. For .cu files only.
//
// A matrix is stored as on the CPU (kernels/cpu/block_storage.h): packed codes, lowest bits first, then one byte per scale,
// or four, not aligned, if scales are fp32.
#pragma once

#include "kernels/cuda/device.h"
#include "kernels/dtype/block_scaling.h"

namespace mantissa::cuda {

/// A matrix and its block format in plain values, since kernels cannot call BlockFormat.
struct Blocks {
    std::int64_t rows, cols, blockRows, blockCols;
    std::int64_t scaleRows, scaleCols;  // the matrix of scales
    std::int64_t packedBytes;           // of the codes, at whose end the scales begin
    Dtype element, scale;
    int bits;  // of a code
    float largest;
    bool isMx, hasFp32Scales, isSearched, hasTensorScale;
    ScaleRule rule;
    Nvfp4Dialect dialect;
    MxElement mx;

    Blocks(const BlockFormat& format, MatrixShape shape)
        : rows(shape.rows),
          cols(shape.cols),
          blockRows(format.block.rows),
          blockCols(format.block.cols),
          scaleRows(format.scales(shape).rows),
          scaleCols(format.scales(shape).cols),
          packedBytes(format.packedBytes(shape)),
          element(format.element),
          scale(format.scale),
          bits(facts(format.element).storageBits),
          largest(static_cast<float>(facts(format.element).maxFinite)),
          isMx(format.isMx()),
          hasFp32Scales(format.hasFp32Scales()),
          isSearched(format.isSearched()),
          hasTensorScale(format.hasTensorScale()),
          rule(format.rule),
          dialect(format.dialect),
          mx(mxElementOf(format.element)) {}

    MANTISSA_HD std::int64_t count() const { return rows * cols; }
};

/// A number's position in the matrix.
struct BlockPosition {
    std::int64_t row, col;

    __device__ BlockPosition(const Blocks& b, std::int64_t index) {
        const Quotient line(index, b.cols);
        row = line.whole;
        col = line.rest;
    }
    __device__ std::int64_t scaleIndex(const Blocks& b) const {
        return Quotient(row, b.blockRows).whole * b.scaleCols + Quotient(col, b.blockCols).whole;
    }
    __device__ void advance(const Blocks& b) {
        if (++col < b.cols) return;
        col = 0;
        ++row;
    }
};

// ---- Arithmetic ----
// For host and device, as the functions of block_scaling.h that they call with a lambda.

MANTISSA_HD inline float tensorScaleOf(Nvfp4Dialect dialect, float largest) {
    return withDialect(dialect, [=](auto tag) { return decltype(tag)::tensorScale(largest); });
}

/// The code of a block's scale, from its largest magnitude as fp32 bits. With fp32 scales: the bits of the block's factor, which is stored
/// in the scale's place until the elements are encoded.
MANTISSA_HD inline std::uint32_t scaleCodeOf(const Blocks& b, std::uint32_t magnitude, float tensorScale) {
    if (b.hasFp32Scales) return floatBits(fp32Factor(b.mx, magnitude));
    if (b.isMx) return withScaleRule(b.rule, [&](auto tag) { return mxScaleCode<decltype(tag)::kValue>(b.mx, magnitude); });
    return withDialect(b.dialect, [=](auto tag) { return decltype(tag)::scaleCode(magnitude, tensorScale); });
}

/// The factor of a block's numbers, from the code of its scale.
MANTISSA_HD inline float blockFactorOf(const Blocks& b, std::uint32_t scaleCode, float tensorScale) {
    if (b.hasFp32Scales) return floatFromBits(scaleCode);
    if (b.isMx) return mxFactor(scaleCode);
    const float s = decodeBits(b.scale, scaleCode);
    return withDialect(b.dialect, [=](auto tag) { return decltype(tag)::blockFactor(s, tensorScale); });
}

/// A number in the range of its element, saturated, before rounding. NaN becomes positive.
MANTISSA_HD inline float scaledElement(const Blocks& b, float x, float factor, float tensorScale) {
    const float scaled = b.isMx || b.hasFp32Scales
                             ? x * factor
                             : withDialect(b.dialect, [=](auto tag) { return decltype(tag)::scaled(x, factor, tensorScale); });
    return scaled != scaled ? floatFromBits(kFloatNan) : saturated(scaled, b.largest);
}

// ---- Stored scales ----

__device__ inline std::uint32_t scaleCodeAt(const Blocks& b, const std::uint8_t* scales, std::int64_t index) {
    if (!b.hasFp32Scales) return scales[index];
    std::uint32_t code = 0;
    for (int i = 0; i < 4; ++i) code |= std::uint32_t{scales[4 * index + i]} << (8 * i);
    return code;
}

__device__ inline void storeScaleCode(const Blocks& b, std::uint8_t* scales, std::int64_t index, std::uint32_t code) {
    if (!b.hasFp32Scales) {
        scales[index] = static_cast<std::uint8_t>(code);
        return;
    }
    for (int i = 0; i < 4; ++i) scales[4 * index + i] = static_cast<std::uint8_t>(code >> (8 * i));
}

// ---- Packed codes ----
// The codes of a chunk are whole bytes: 4, 6 or 8. Only the last chunk of a matrix may be incomplete; bits after its last code are 0.

__device__ inline void packCodes(const Blocks& b, std::uint8_t* stored, std::int64_t first, int count, std::uint64_t codes) {
    std::uint8_t* const to = stored + first / kChunk * b.bits;
    const int bytes = (count * b.bits + 7) / 8;
    for (int i = 0; i < bytes; ++i) to[i] = static_cast<std::uint8_t>(codes >> (8 * i));
}

__device__ inline std::uint64_t unpackCodes(const Blocks& b, const std::uint8_t* stored, std::int64_t first, int count) {
    const std::uint8_t* const from = stored + first / kChunk * b.bits;
    const int bytes = (count * b.bits + 7) / 8;
    std::uint64_t codes = 0;
    for (int i = 0; i < bytes; ++i) codes |= std::uint64_t{from[i]} << (8 * i);
    return codes;
}

__device__ inline std::uint32_t codeIn(const Blocks& b, std::uint64_t codes, int i) {
    return static_cast<std::uint32_t>(codes >> (i * b.bits)) & ((1u << b.bits) - 1u);
}

/// Writes element times scale, without the tensor's factor, in `to`.
void decodeBlocks(cudaStream_t stream, const Blocks& blocks, const void* stored, Dtype to, void* values);

}  // namespace mantissa::cuda
