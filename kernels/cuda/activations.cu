// SPDX-License-Identifier: Apache-2.0
// Activations and their gradients, in fp32, one rounding to storage.
#include "kernels/cuda/device.h"
#include "kernels/cuda/operations.h"

namespace mantissa::cuda {
namespace {

__device__ float logistic(float x) {
    return 1 / (1 + expf(-x));
}
/// The standard normal distribution: its function, and its density times sqrt(2 pi). isNarrow: for results of 16 bits or fewer. The
/// function is then accurate to 2.6e-7, with half of erfcf's instructions, which dominate a GELU's time: with u = |x| and t = 1 / (1 + 0.28
/// u), exp(u^2 / 2) Phi(-u) is t times a polynomial in t, a Chebyshev fit.
template <bool isNarrow>
struct Normal {
    float function, density;

    __device__ explicit Normal(float x) : density(expf(-0.5f * x * x)) {
        if constexpr (!isNarrow) {
            constexpr float kInverseRootTwo = 0.7071067811865476f;
            function = 0.5f * erfcf(-x * kInverseRootTwo);
            return;
        }
        constexpr float kFit[] = {0.0261485097f, -0.09912721699f, 0.101123454f,  -0.01355132268f, 0.07598284824f,
                                  0.0828455456f, 0.1031788328f,   0.1116955152f, 0.1117038894f};
        const float t = reciprocal(fmaf(0.28f, fabsf(x), 1.0f));
        float sum = kFit[0];
        MANTISSA_UNROLL for (int i = 1; i < 9; ++i) sum = fmaf(sum, t, kFit[i]);
        const float beyond = density * t * sum;
        function = x > 0 ? 1 - beyond : beyond;
    }
};

// relu as in PyTorch: NaN passes, forward and backward, and 0 has derivative 0.
template <bool isNarrow>
__device__ float activated(Activation kind, float x) {
    switch (kind) {
        case Activation::Relu:
            return x <= 0 ? 0 : x;
        case Activation::Gelu:
            return x * Normal<isNarrow>(x).function;
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
template <bool isNarrow>
__device__ float activationSlope(Activation kind, float gradOutput, float seen) {
    constexpr float kInverseRootTwoPi = 0.3989422804014327f;
    switch (kind) {
        case Activation::Relu:
            return seen <= 0 ? 0 : gradOutput;
        case Activation::Gelu: {
            const Normal<isNarrow> normal(seen);
            return gradOutput * (normal.function + seen * (kInverseRootTwoPi * normal.density));
        }
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

template <Activation kind, bool isNarrow>
__global__ void activate(std::int64_t count, Dtype dtype, const void* x, void* y) {
    forChunks(count, [&](std::int64_t first, int n) {
        Chunk chunk = loadChunk(dtype, x, first, n);
        MANTISSA_UNROLL for (float& value : chunk.x) value = activated<isNarrow>(kind, value);
        storeChunk(dtype, y, first, n, chunk);
    });
}

template <Activation kind, bool isNarrow>
__global__ void activateGrad(std::int64_t count, Dtype dtype, const void* gradOutput, const void* seen, void* gradInput) {
    forChunks(count, [&](std::int64_t first, int n) {
        Chunk chunk = loadChunk(dtype, gradOutput, first, n);
        const Chunk values = loadChunk(dtype, seen, first, n);
        MANTISSA_UNROLL for (int i = 0; i < kChunk; ++i) chunk.x[i] = activationSlope<isNarrow>(kind, chunk.x[i], values.x[i]);
        storeChunk(dtype, gradInput, first, n, chunk);
    });
}

template <Activation value, bool narrow = false>
struct Kind {
    static constexpr Activation kValue = value;
    static constexpr bool kIsNarrow = narrow;
};
/// Calls use(Kind{}) with the kind as a constant.
template <typename Use>
auto withKind(Activation kind, Dtype dtype, Use use) {
    switch (kind) {
        case Activation::Relu:
            return use(Kind<Activation::Relu>{});
        case Activation::Gelu:
            return dtype == Dtype::F32 ? use(Kind<Activation::Gelu>{}) : use(Kind<Activation::Gelu, true>{});
        case Activation::Tanh:
            return use(Kind<Activation::Tanh>{});
        case Activation::Silu:
            return use(Kind<Activation::Silu>{});
        case Activation::Sigmoid:
            break;
    }
    return use(Kind<Activation::Sigmoid>{});
}

}  // namespace

std::unique_ptr<Operation> makeActivation(const ActivationDesc& desc) {
    const auto kernel =
        withKind(desc.kind, desc.dtype, [](auto kind) { return activate<decltype(kind)::kValue, decltype(kind)::kIsNarrow>; });
    return makeFunction([desc, kernel](cudaStream_t stream, Operands operands) {
        launch(gridOfChunks(desc.count), stream, kernel, desc.count, desc.dtype, operands[0], operands[1]);
    });
}

std::unique_ptr<Operation> makeActivationGrad(const ActivationGradDesc& desc) {
    const auto kernel =
        withKind(desc.kind, desc.dtype, [](auto kind) { return activateGrad<decltype(kind)::kValue, decltype(kind)::kIsNarrow>; });
    return makeFunction([desc, kernel](cudaStream_t stream, Operands operands) {
        launch(gridOfChunks(desc.count), stream, kernel, desc.count, desc.dtype, operands[0], operands[1], operands[2]);
    });
}

}  // namespace mantissa::cuda
