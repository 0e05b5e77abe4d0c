// SPDX-License-Identifier: Apache-2.0
// Activations and their gradients, in fp32, one rounding to storage.
#include "kernels/cuda/device.h"
#include "kernels/cuda/operations.h"

namespace mantissa::cuda {
namespace {

__device__ float logistic(float x) {
    return 1 / (1 + expf(-x));
}
/// Phi, the standard normal distribution function.
__device__ float normalCdf(float x) {
    constexpr float kInverseRootTwo = 0.7071067811865476f;
    return 0.5f * erfcf(-x * kInverseRootTwo);
}

// relu as PyTorch's: written so that NaN passes, forward and backward, and 0 has derivative 0.
__device__ float activated(Activation kind, float x) {
    switch (kind) {
        case Activation::Relu:
            return x <= 0 ? 0 : x;
        case Activation::Gelu:
            return x * normalCdf(x);
        case Activation::Tanh:
            return tanhf(x);
        case Activation::Silu:
            return x / (1 + expf(-x));
        case Activation::Sigmoid:
            break;
    }
    return logistic(x);
}

/// `seen`: x, or y where gradientSeesOutput.
__device__ float activationSlope(Activation kind, float gradOutput, float seen) {
    constexpr float kInverseRootTwoPi = 0.3989422804014327f;
    switch (kind) {
        case Activation::Relu:
            return seen <= 0 ? 0 : gradOutput;
        case Activation::Gelu:
            return gradOutput * (normalCdf(seen) + seen * (kInverseRootTwoPi * expf(-0.5f * seen * seen)));
        case Activation::Tanh:
            return gradOutput * (1 - seen * seen);
        case Activation::Silu: {
            const float s = logistic(seen);
            return gradOutput * (s * (1 + seen * (1 - s)));
        }
        case Activation::Sigmoid:
            break;
    }
    return gradOutput * (1 - seen) * seen;
}

__global__ void activate(Activation kind, std::int64_t count, Dtype dtype, const void* x, void* y) {
    forChunks(count, [&](std::int64_t first, int n) {
        Chunk chunk = loadChunk(dtype, x, first, n);
        for (float& value : chunk.x) value = activated(kind, value);
        storeChunk(dtype, y, first, n, chunk);
    });
}

__global__ void activateGrad(Activation kind, std::int64_t count, Dtype dtype, const void* gradOutput, const void* seen, void* gradInput) {
    forChunks(count, [&](std::int64_t first, int n) {
        Chunk chunk = loadChunk(dtype, gradOutput, first, n);
        const Chunk values = loadChunk(dtype, seen, first, n);
        for (int i = 0; i < kChunk; ++i) chunk.x[i] = activationSlope(kind, chunk.x[i], values.x[i]);
        storeChunk(dtype, gradInput, first, n, chunk);
    });
}

}  // namespace

std::unique_ptr<Operation> makeActivation(const ActivationDesc& desc) {
    return makeFunction([desc](cudaStream_t stream, Operands operands) {
        launch(gridOfChunks(desc.count), stream, activate, desc.kind, desc.count, desc.dtype, operands[0], operands[1]);
    });
}

std::unique_ptr<Operation> makeActivationGrad(const ActivationGradDesc& desc) {
    return makeFunction([desc](cudaStream_t stream, Operands operands) {
        launch(gridOfChunks(desc.count), stream, activateGrad, desc.kind, desc.count, desc.dtype, operands[0], operands[1], operands[2]);
    });
}

}  // namespace mantissa::cuda
