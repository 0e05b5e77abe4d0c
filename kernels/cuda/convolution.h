// SPDX-License-Identifier: Apache-2.0
// Convolutions inside of the CUDA backend: the kernels beside cuDNN's. A convolution, its input's gradient and its weights' gradient are
// one value with a direction; their operands are first, second and result, as the descriptions list them.
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
    Dtype result = Dtype::F32;                                        // what an fp32 `out` is rounded to all the same

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
    /// What an operand is rounded to; F32: nothing.
    Dtype roundingOf(Dtype stored) const { return holdsEveryValue(shape.compute, stored) ? Dtype::F32 : shape.compute; }

private:
    Convolution(const Convolution2dDesc& desc, Direction way)
        : shape(desc), direction(way), outHeight(desc.window.outHeight(desc.height)), outWidth(desc.window.outWidth(desc.width)) {}
};

struct ConvolutionOperands {
    const void *first = nullptr, *second = nullptr, *bias = nullptr;
    void *out = nullptr, *workspace = nullptr;
};

/// Weights [out, in / groups, height, width], rounded as the convolution asks, to [out, height, width, in / groups] in `to`.
void arrangeWeights(cudaStream_t stream, const Convolution& convolution, Dtype stored, const void* src, Dtype to, void* dst);
/// Back again, rounded to the convolution's result.
void restoreWeights(cudaStream_t stream, const Convolution& convolution, Dtype from, const void* src, void* dst);

class Context;

/// A convolution in cuDNN's terms: every tensor in one format, images NHWC, weights [out, height, width, in / groups].
class ConvolutionCall {
public:
    virtual ~ConvolutionCall() = default;
    virtual std::size_t workspaceBytes() const = 0;
    /// x or y's gradient, weights or x, then y or what is wanted of the gradients; a bias where the call adds it. False where the library
    /// will not do it after all.
    virtual bool run(cudaStream_t stream, const void* first, const void* second, const void* bias, void* out, void* workspace) = 0;
};
/// By a graph, else by a deprecated entry point. Null where cuDNN has neither.
std::unique_ptr<ConvolutionCall> callDnn(Context& context, const Convolution& convolution, Dtype format, bool addsBias);

/// Any of them by kernels of our own, in fp32, in an order that the shape alone decides.
void convolvePlainly(cudaStream_t stream, const Convolution& convolution, const ConvolutionOperands& operands);

}  // namespace mantissa::cuda
