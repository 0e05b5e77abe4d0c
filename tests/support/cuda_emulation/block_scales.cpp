// SPDX-License-Identifier: Apache-2.0
#include "tests/support/cuda_emulation/block_scales.h"

#include "kernels/dtype/rounding.h"

namespace mantissa::emulation {
namespace {

constexpr std::int64_t kTileRows = 128, kTileScales = 4;

std::int64_t up(std::int64_t count, std::int64_t of) {
    return (count + of - 1) / of * of;
}
bool isTiled(std::int32_t mode) {
    return mode == CUBLASLT_MATMUL_MATRIX_SCALE_VEC16_UE4M3 || mode == CUBLASLT_MATMUL_MATRIX_SCALE_VEC32_UE8M0;
}
bool isOfHopper(std::int32_t mode) {
    return mode == CUBLASLT_MATMUL_MATRIX_SCALE_VEC128_32F || mode == CUBLASLT_MATMUL_MATRIX_SCALE_BLK128x128_32F;
}
bool isEightBits(cudaDataType type) {
    return type == CUDA_R_8F_E4M3 || type == CUDA_R_8F_E5M2;
}

}  // namespace

bool isOfBlocks(std::int32_t mode) {
    return isTiled(mode) || isOfHopper(mode);
}

bool takesScales(int capability, cudaDataType a, std::int32_t modeA, cudaDataType b, std::int32_t modeB) {
    const bool areEight = isEightBits(a) && isEightBits(b) && (a == CUDA_R_8F_E4M3 || b == CUDA_R_8F_E4M3);
    if (isOfHopper(modeA) && isOfHopper(modeB)) {
        const bool areSquares = modeA == modeB && modeA == CUBLASLT_MATMUL_MATRIX_SCALE_BLK128x128_32F;
        return capability == 90 && areEight && !areSquares;
    }
    if (capability < 100 || modeA != modeB) return false;
    if (modeA == CUBLASLT_MATMUL_MATRIX_SCALE_VEC32_UE8M0) return areEight;
    return modeA == CUBLASLT_MATMUL_MATRIX_SCALE_VEC16_UE4M3 && a == CUDA_R_4F_E2M1 && b == CUDA_R_4F_E2M1;
}

std::int64_t BlockScales::length() const {
    return mode == CUBLASLT_MATMUL_MATRIX_SCALE_VEC16_UE4M3 ? 16 : mode == CUBLASLT_MATMUL_MATRIX_SCALE_VEC32_UE8M0 ? 32 : 128;
}

/// Tiles lie row after row; a tile of 128 x 4 has the formula of the manual.
std::uint8_t BlockScales::byteAt(std::int64_t row, std::int64_t block) const {
    const std::int64_t perRow = up(blocks(), kTileScales), outer = row % kTileRows, inner = block % kTileScales;
    const std::int64_t tile = (row - outer) * perRow + (block - inner) * kTileRows;
    return static_cast<const std::uint8_t*>(memory)[tile + outer % 32 * 16 + outer / 32 * 4 + inner];
}

float BlockScales::at(std::int64_t row, std::int64_t block) const {
    if (mode == CUBLASLT_MATMUL_MATRIX_SCALE_VEC32_UE8M0) return decodeBits(Dtype::E8M0, byteAt(row, block));
    if (mode == CUBLASLT_MATMUL_MATRIX_SCALE_VEC16_UE4M3) return decodeBits(Dtype::E4M3, byteAt(row, block) & 0x7Fu);  // unsigned
    const auto* const scales = static_cast<const float*>(memory);
    if (mode == CUBLASLT_MATMUL_MATRIX_SCALE_VEC128_32F) return scales[block * rows + row];
    return scales[row / 128 * up(blocks(), 4) + block];
}

bool BlockScales::isPadded() const {
    if (!isTiled(mode)) return true;
    for (std::int64_t row = 0; row < up(rows, kTileRows); ++row) {
        for (std::int64_t block = 0; block < up(blocks(), kTileScales); ++block) {
            if ((row >= rows || block >= blocks()) && byteAt(row, block) != 0) return false;
        }
    }
    return true;
}

}  // namespace mantissa::emulation
