// SPDX-License-Identifier: Apache-2.0
// Operations of convolutional networks. Activations are stored as [samples, height, width, channels], weights as in PyTorch: [out, in /
// groups, kernelHeight, kernelWidth]. For the conventions of descriptions see operations.h; an unused operand is null.
#pragma once

#include <cstdint>

#include "kernels/dtype/accumulator.h"
#include "kernels/dtype/dtype.h"
#include "kernels/dtype/rounding_mode.h"

namespace mantissa {

/// A convolution or pooling window with its stride and zero padding.
struct Window {
    std::int64_t height = 1, width = 1;
    std::int64_t strideHeight = 1, strideWidth = 1;
    std::int64_t padHeight = 0, padWidth = 0;  // on each side, with zeros

    std::int64_t outHeight(std::int64_t planeHeight) const { return (planeHeight + 2 * padHeight - height) / strideHeight + 1; }
    std::int64_t outWidth(std::int64_t planeWidth) const { return (planeWidth + 2 * padWidth - width) / strideWidth + 1; }
};

/// 2D convolution: the product, as in MatmulDesc, of each window's elements with the weights of each output channel. Sums in fp32, in an
/// order determined by the shape alone; no other accumulator is supported. A padding zero times a non-finite weight (or, in the weights'
/// gradient, a non-finite gradOutput) adds nothing or NaN, depending on the library. The bias is stored as `out`.
struct Convolution2dDesc {  // x, weight, bias (or null), y, workspace
    static constexpr bool kNamesWorkspace = true;
    std::int64_t samples = 0, height = 0, width = 0, inChannels = 0, outChannels = 0;
    Window window;
    std::int64_t groups = 1;
    bool hasBias = false;
    Dtype x = Dtype::F32, weight = Dtype::F32, out = Dtype::F32, compute = Dtype::F32;
    Rounding operandRounding = Rounding::NearestEven;
    Accumulator accumulator = Accumulator::Fp32;
};

/// Gradient of a convolution's input. Operands are rounded to the forward pass's `compute`. (For the bias: BiasGradDesc over rows of
/// outChannels.)
struct Convolution2dInputGradDesc {  // gradOutput, weight, gradInput, workspace
    static constexpr bool kNamesWorkspace = true;
    Convolution2dDesc forward;
    Dtype gradOutput = Dtype::F32, gradInput = Dtype::F32;
};
struct Convolution2dWeightGradDesc {  // gradOutput, x, gradWeight, workspace
    static constexpr bool kNamesWorkspace = true;
    Convolution2dDesc forward;
    Dtype gradOutput = Dtype::F32, gradWeight = Dtype::F32;
    /// With an fp32 `gradWeight`: the narrower format to which results are rounded, as in MatmulDesc.
    Dtype result = Dtype::F32;
};

/// y = (x - mean) * inverseDeviation * weight + bias for each column, inverseDeviation = 1 / sqrt(variance + epsilon).
/// fp32, except sums and statistics in double. training: mean and variance of the batch, which are saved and update the running ones, with
/// the unbiased variance, as in PyTorch: running = (1 - momentum) * running + momentum * batch, so a non-finite value stays. Null running
/// statistics are not updated. Otherwise: the running statistics, unchanged.
struct BatchNormDesc {  // x, weight, bias, runningMean F32 (or null), runningVariance F32 (or null), y, mean F32 (or null),
                        // inverseDeviation F32 (or null), workspace
    static constexpr bool kNamesWorkspace = true;
    std::int64_t rows = 0, channels = 0;  // rows: samples * height * width
    double epsilon = 1e-5, momentum = 0.1;
    bool training = true;
    Dtype from = Dtype::F32, parameters = Dtype::F32, to = Dtype::F32;
};

/// Batch norm's gradient in training, from the saved statistics. With n = (x - mean) * inverseDeviation: gradWeight = sum of gradOutput *
/// n, gradBias = sum of gradOutput, gradInput = weight * inverseDeviation * (gradOutput - gradBias / rows - n * gradWeight / rows).
struct BatchNormGradDesc {  // gradOutput, x, weight, mean, inverseDeviation, gradInput, gradWeight, gradBias, workspace
    static constexpr bool kNamesWorkspace = true;
    std::int64_t rows = 0, channels = 0;
    Dtype gradOutput = Dtype::F32, x = Dtype::F32, parameters = Dtype::F32, gradInput = Dtype::F32, gradParameters = Dtype::F32;
};

/// Max: the largest element of a window, padding excluded; NaN wins (the last of several), otherwise the first of equal elements. Its index
/// in the plane, row * width + column, is stored. Average: the sum over the window divided by all its elements, padding included, as
/// PyTorch's default.
enum class Pooling : std::uint8_t { Max, Average };

/// Pooling; an average sums in fp32, in the order of the plane. Global average pooling is one window of the plane's size.
struct PoolDesc {  // x, y, indices int32 as y (Max, else null)
    Pooling kind = Pooling::Max;
    std::int64_t samples = 0, height = 0, width = 0, channels = 0;
    Window window;
    Dtype dtype = Dtype::F32;
};

/// Gradient of pooling. Contributions of overlapping windows are summed in fp32, in the order of the windows.
struct PoolGradDesc {  // gradOutput, indices (Max, else null), gradInput
    PoolDesc forward;
};

}  // namespace mantissa
