// SPDX-License-Identifier: Apache-2.0
// Convolutions of the CUDA backend (internal): Mantissa's own kernels, used with cuDNN's. A convolution, its input's gradient and its
// weights' gradient are one type with a direction; their operands are first, second and result, in the order of the descriptions.
#pragma once

#include <cstddef>
#include <memory>

#include "kernels/convolution_operations.h"
#include "kernels/cuda/product.h"

namespace mantissa::cuda {

enum class Direction : std::uint8_t { Forward, InputGrad, WeightGrad };

struct Convolution {
    Convolution2dDesc shape;
    Direction direction = Direction::Forward;
    std::int64_t outHeight = 0, outWidth = 0;
    Dtype first = Dtype::F32, second = Dtype::F32, out = Dtype::F32;  // as stored
    Dtype result = Dtype::F32;                                        // the narrower format to which an fp32 `out` is rounded

    explicit Convolution(const Convolution2dDesc& desc) : Convolution(desc, Direction::Forward) {
        first = desc.x, second = desc.weight, out = desc.out;
    }
    explicit Convolution(const Convolution2dInputGradDesc& desc) : Convolution(desc.forward, Direction::InputGrad) {
        first = desc.gradOutput, second = desc.forward.weight, out = desc.gradInput;
    }
    explicit Convolution(const Convolution2dWeightGradDesc& desc) : Convolution(desc.forward, Direction::WeightGrad) {
        first = desc.gradOutput, second = desc.forward.x, out = desc.gradWeight, result = desc.result;
    }

    std::int64_t countX() const { return shape.samples * shape.height * shape.width * shape.inChannels; }
    std::int64_t countY() const { return shape.samples * outHeight * outWidth * shape.outChannels; }
    std::int64_t countWeights() const {
        return shape.outChannels * shape.inChannels / shape.groups * shape.window.height * shape.window.width;
    }
    /// The format to which an operand is rounded; F32: no rounding.
    Dtype roundingOf(Dtype stored) const { return holdsEveryValue(shape.compute, stored) ? Dtype::F32 : shape.compute; }

private:
    Convolution(const Convolution2dDesc& desc, Direction way)
        : shape(desc), direction(way), outHeight(desc.window.outHeight(desc.height)), outWidth(desc.window.outWidth(desc.width)) {}
};

struct ConvolutionOperands {
    const void *first = nullptr, *second = nullptr, *bias = nullptr;
    void *out = nullptr, *workspace = nullptr;
};

/// Rounds weights [out, in / groups, height, width] for the convolution and rearranges them to [out, height, width, in / groups] in `to`.
void arrangeWeights(cudaStream_t stream, const Convolution& convolution, Dtype stored, const void* src, Dtype to, void* dst);
/// Rearranges weights back, rounded to the convolution's result.
void restoreWeights(cudaStream_t stream, const Convolution& convolution, Dtype from, const void* src, void* dst);

class Context;

/// A cuDNN convolution: every tensor in one format, images NHWC, weights [out, height, width, in / groups].
class ConvolutionCall {
public:
    virtual ~ConvolutionCall() = default;
    virtual std::size_t workspaceBytes() const = 0;
    /// Runs on x or y's gradient, weights or x, then y or the requested gradient; a bias if the call adds it. Returns false if the library
    /// declines the call after all.
    virtual bool run(cudaStream_t stream, const void* first, const void* second, const void* bias, void* out, void* workspace) = 0;
};
/// Makes a cuDNN call by a graph, otherwise by a deprecated entry point. Null if cuDNN has neither.
std::unique_ptr<ConvolutionCall> callDnn(Context& context, const Convolution& convolution, Dtype format, bool addsBias);

/// Computes any convolution by Mantissa's own kernels, in fp32, in an order that depends only on the shape.
void convolvePlainly(cudaStream_t stream, const Convolution& convolution, const ConvolutionOperands& operands);

}  // namespace mantissa::cuda
