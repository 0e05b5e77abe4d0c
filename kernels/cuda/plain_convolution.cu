// SPDX-License-Identifier: Apache-2.0
// Convolutions by their formulas, for cases that cuDNN does not support, and reordering of weights. A thread sums an element of y or of the
// input gradient, a warp one of the weight gradient. Padding adds nothing.
#include "kernels/cuda/convolution.h"
#include "kernels/cuda/device.h"

namespace mantissa::cuda {
namespace {

/// A convolution's parameters for the kernels.
struct PlainConvolution {
    Convolution c;
    ConvolutionOperands operands;
    Dtype firstRounding, secondRounding;
    std::int64_t inGroup, outGroup;  // channels of a group

    PlainConvolution(const Convolution& convolution, const ConvolutionOperands& given)
        : c(convolution),
          operands(given),
          firstRounding(convolution.roundingOf(convolution.first)),
          secondRounding(convolution.roundingOf(convolution.second)),
          inGroup(convolution.shape.inChannels / convolution.shape.groups),
          outGroup(convolution.shape.outChannels / convolution.shape.groups) {}

    __device__ float first(std::int64_t index) const { return load(c.first, firstRounding, operands.first, index); }
    __device__ float second(std::int64_t index) const { return load(c.second, secondRounding, operands.second, index); }
    __device__ float load(Dtype stored, Dtype compute, const void* memory, std::int64_t index) const {
        const float value = loadElement(stored, memory, index);
        return compute == Dtype::F32 ? value : roundTo(compute, value, {c.shape.operandRounding});
    }

    __device__ std::int64_t xAt(std::int64_t sample, std::int64_t row, std::int64_t col, std::int64_t channel) const {
        return ((sample * c.shape.height + row) * c.shape.width + col) * c.shape.inChannels + channel;
    }
    __device__ std::int64_t yAt(std::int64_t sample, std::int64_t row, std::int64_t col, std::int64_t channel) const {
        return ((sample * c.outHeight + row) * c.outWidth + col) * c.shape.outChannels + channel;
    }
    __device__ std::int64_t weightAt(std::int64_t out, std::int64_t in, std::int64_t row, std::int64_t col) const {
        return ((out * inGroup + in) * c.shape.window.height + row) * c.shape.window.width + col;
    }
    __device__ void store(std::int64_t index, float sum) const {
        const bool rounds = c.out == Dtype::F32 && c.result != Dtype::F32;
        storeElement(c.out, operands.out, index, rounds ? roundTo(c.result, sum) : sum);
    }
};

__global__ void forward(PlainConvolution p, std::int64_t count) {
    const Window& window = p.c.shape.window;
    for (std::int64_t i = globalThread(); i < count; i += allThreads()) {
        const std::int64_t out = i % p.c.shape.outChannels, place = i / p.c.shape.outChannels;
        const std::int64_t col = place % p.c.outWidth, row = place / p.c.outWidth % p.c.outHeight;
        const std::int64_t sample = place / (p.c.outWidth * p.c.outHeight), firstIn = out / p.outGroup * p.inGroup;
        float sum = 0;
        for (std::int64_t y = 0; y < window.height; ++y) {
            const std::int64_t fromRow = row * window.strideHeight - window.padHeight + y;
            if (fromRow < 0 || fromRow >= p.c.shape.height) continue;
            for (std::int64_t x = 0; x < window.width; ++x) {
                const std::int64_t fromCol = col * window.strideWidth - window.padWidth + x;
                if (fromCol < 0 || fromCol >= p.c.shape.width) continue;
                for (std::int64_t in = 0; in < p.inGroup; ++in) {
                    sum = fmaf(p.first(p.xAt(sample, fromRow, fromCol, firstIn + in)), p.second(p.weightAt(out, in, y, x)), sum);
                }
            }
        }
        if (p.operands.bias != nullptr) sum += loadElement(p.c.out, p.operands.bias, out);
        p.store(i, sum);
    }
}

__global__ void inputGradient(PlainConvolution p, std::int64_t count) {
    const Window& window = p.c.shape.window;
    for (std::int64_t i = globalThread(); i < count; i += allThreads()) {
        const std::int64_t channel = i % p.c.shape.inChannels, place = i / p.c.shape.inChannels;
        const std::int64_t col = place % p.c.shape.width, row = place / p.c.shape.width % p.c.shape.height;
        const std::int64_t sample = place / (p.c.shape.width * p.c.shape.height);
        const std::int64_t group = channel / p.inGroup, in = channel % p.inGroup;
        float sum = 0;
        for (std::int64_t y = 0; y < window.height; ++y) {
            const std::int64_t down = row + window.padHeight - y;
            if (down < 0 || down % window.strideHeight != 0 || down / window.strideHeight >= p.c.outHeight) continue;
            for (std::int64_t x = 0; x < window.width; ++x) {
                const std::int64_t right = col + window.padWidth - x;
                if (right < 0 || right % window.strideWidth != 0 || right / window.strideWidth >= p.c.outWidth) continue;
                for (std::int64_t out = group * p.outGroup; out < (group + 1) * p.outGroup; ++out) {
                    const std::int64_t at = p.yAt(sample, down / window.strideHeight, right / window.strideWidth, out);
                    sum = fmaf(p.first(at), p.second(p.weightAt(out, in, y, x)), sum);
                }
            }
        }
        p.store(i, sum);
    }
}

__global__ void weightGradient(PlainConvolution p, std::int64_t count) {
    const Window& window = p.c.shape.window;
    const std::int64_t places = p.c.shape.samples * p.c.outHeight * p.c.outWidth;
    const std::int64_t warps = allThreads() / kWarp;
    for (std::int64_t i = globalThread() / kWarp; i < count; i += warps) {
        const std::int64_t x = i % window.width, y = i / window.width % window.height;
        const std::int64_t in = i / (window.width * window.height) % p.inGroup, out = i / (window.width * window.height * p.inGroup);
        const std::int64_t channel = out / p.outGroup * p.inGroup + in;
        float sum = 0;
        for (std::int64_t place = threadIdx.x % kWarp; place < places; place += kWarp) {
            const std::int64_t col = place % p.c.outWidth, row = place / p.c.outWidth % p.c.outHeight;
            const std::int64_t sample = place / (p.c.outWidth * p.c.outHeight);
            const std::int64_t fromRow = row * window.strideHeight - window.padHeight + y;
            const std::int64_t fromCol = col * window.strideWidth - window.padWidth + x;
            if (fromRow < 0 || fromRow >= p.c.shape.height || fromCol < 0 || fromCol >= p.c.shape.width) continue;
            sum = fmaf(p.first(p.yAt(sample, row, col, out)), p.second(p.xAt(sample, fromRow, fromCol, channel)), sum);
        }
        sum = foldWarp(sum, [](float a, float b) { return a + b; });
        if (threadIdx.x % kWarp == 0) p.store(i, sum);
    }
}

/// The storage index of weight `i` of the library's order.
struct Order {
    std::int64_t in, area;

    explicit Order(const Convolution& c) : in(c.shape.inChannels / c.shape.groups), area(c.shape.window.height * c.shape.window.width) {}
    __device__ std::int64_t stored(std::int64_t i) const { return (i / (area * in) * in + i % in) * area + i / in % area; }
};

__global__ void arrange(Order order, std::int64_t count, Dtype stored, const void* src, Dtype compute, Rounding rounding, Dtype to,
                        void* dst) {
    for (std::int64_t i = globalThread(); i < count; i += allThreads()) {
        const float value = loadElement(stored, src, order.stored(i));
        storeElement(to, dst, i, compute == Dtype::F32 ? value : roundTo(compute, value, {rounding}));
    }
}

__global__ void restore(Order order, std::int64_t count, Dtype from, const void* src, Dtype result, Dtype out, void* dst) {
    for (std::int64_t i = globalThread(); i < count; i += allThreads()) {
        const float value = loadElement(from, src, i);
        storeElement(out, dst, order.stored(i), result == Dtype::F32 ? value : roundTo(result, value));
    }
}

}  // namespace

void arrangeWeights(cudaStream_t stream, const Convolution& c, Dtype stored, const void* src, Dtype to, void* dst) {
    launch(gridFor(c.countWeights(), 256), stream, arrange, Order(c), c.countWeights(), stored, src, c.roundingOf(stored),
           c.shape.operandRounding, to, dst);
}

void restoreWeights(cudaStream_t stream, const Convolution& c, Dtype from, const void* src, void* dst) {
    launch(gridFor(c.countWeights(), 256), stream, restore, Order(c), c.countWeights(), from, src,
           c.out == Dtype::F32 ? c.result : Dtype::F32, c.out, dst);
}

void convolvePlainly(cudaStream_t stream, const Convolution& c, const ConvolutionOperands& operands) {
    const PlainConvolution plain(c, operands);
    if (c.direction == Direction::Forward) {
        launch(gridFor(c.countY(), 256), stream, forward, plain, c.countY());
    } else if (c.direction == Direction::InputGrad) {
        launch(gridFor(c.countX(), 256), stream, inputGradient, plain, c.countX());
    } else {
        launch(gridFor(c.countWeights(), 256 / kWarp), stream, weightGradient, plain, c.countWeights());
    }
}

}  // namespace mantissa::cuda
