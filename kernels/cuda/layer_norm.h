// SPDX-License-Identifier: Apache-2.0
// What layer_norm.cu and held_norms.cu share (internal): operands of norms, and the launches of kernels that read each row once.
#pragma once

#include "kernels/cuda/operations.h"
#include "kernels/cuda/tile.h"

namespace mantissa::cuda {

inline constexpr int kLayerNormThreads = kTileThreads;
inline constexpr std::int64_t kLongestOfWarp = 1024;  // columns of a row that a warp computes

struct LayerNormOperands {
    const void *x, *weight, *bias;  // bias may be null
    void* y;
    float *mean, *inverse;  // mean may be null
};

LayerNormOperands normOperands(const LayerNormDesc& desc, Operands operands);

struct LayerNormGradOperands {
    const void *gradOutput, *x, *weight;
    const float *mean, *inverse;              // mean may be null
    void *gradInput, *gradWeight, *gradBias;  // gradBias may be null
    float* sums;                              // [pieces][2][cols]: of gradWeight and of gradBias
    unsigned* arrived;                        // per tile
};

/// `arrived` may be null for the kernels of held_norms.cu.
LayerNormGradOperands normGradOperands(Operands operands, unsigned* arrived);

/// Whether a warp computes a row.
template <typename Desc>
bool isOfWarps(const Desc& d) {
    return d.cols <= kLongestOfWarp && d.compute == Dtype::F32;
}
template <typename Desc>
Grid gridOfRowTiles(const Desc& d) {
    return gridFor(d.rows, isOfWarps(d) ? kLayerNormThreads / kWarp : 1, kLayerNormThreads);
}

/// Launches the kernels that hold rows in registers, if they can compute the operation; returns whether they can.
bool launchHeldRows(const LayerNormDesc& desc, cudaStream_t stream, const LayerNormOperands& o);
bool launchGradOfHeldRows(const LayerNormGradDesc& desc, cudaStream_t stream, const LayerNormGradOperands& o);
/// The number of blocks of the latter, each with two rows of sums in the workspace; 0 if it never computes the operation.
std::int64_t blocksOfHeldGrad(const LayerNormGradDesc& desc);

}  // namespace mantissa::cuda
