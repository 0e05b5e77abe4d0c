// SPDX-License-Identifier: Apache-2.0
// Activations, their gradients, and the bias gradient. fp32 on blocks, one rounding when a block is stored.
#include <cmath>
#include <optional>

#include "kernels/cpu/operations.h"
#include "kernels/cpu/thread_scratch.h"
#include "kernels/cpu/vector_loop.h"
#include "kernels/cpu/vector_math.h"

namespace mantissa::cpu {

// relu as in PyTorch: NaN passes, forward and backward, and 0 has derivative 0.
MANTISSA_LOOP void relu(const float* x, float* y, std::int64_t count) {
    for (std::int64_t i = 0; i < count; ++i) y[i] = x[i] <= 0 ? 0 : x[i];
}

namespace {

MANTISSA_LOOP void reluGrad(const float* gradOutput, const float* y, float* gradInput, std::int64_t count) {
    for (std::int64_t i = 0; i < count; ++i) gradInput[i] = y[i] <= 0 ? 0 : gradOutput[i];
}

MANTISSA_LOOP void gelu(const float* x, float* y, std::int64_t count) {
#pragma GCC ivdep
    for (std::int64_t i = 0; i < count; ++i) y[i] = x[i] * normalCdf(x[i], exponentialBelow43(-0.5f * x[i] * x[i]));
}
/// (x Phi(x))' = Phi(x) + x phi(x), phi the standard normal density.
MANTISSA_LOOP void geluGrad(const float* gradOutput, const float* x, float* gradInput, std::int64_t count) {
    constexpr float kInverseRootTwoPi = 0.3989422804014327f;
#pragma GCC ivdep
    for (std::int64_t i = 0; i < count; ++i) {
        const float power = exponentialBelow43(-0.5f * x[i] * x[i]);
        gradInput[i] = gradOutput[i] * (normalCdf(x[i], power) + x[i] * (kInverseRootTwoPi * power));
    }
}

void tanhForward(const float* x, float* y, std::int64_t count) {
    for (std::int64_t i = 0; i < count; ++i) y[i] = std::tanh(x[i]);
}
MANTISSA_LOOP void tanhGrad(const float* gradOutput, const float* y, float* gradInput, std::int64_t count) {
    for (std::int64_t i = 0; i < count; ++i) gradInput[i] = gradOutput[i] * (1 - y[i] * y[i]);
}

MANTISSA_LOOP void sigmoid(const float* x, float* y, std::int64_t count) {
#pragma GCC ivdep
    for (std::int64_t i = 0; i < count; ++i) y[i] = 1 / (1 + exponential(-x[i]));
}
MANTISSA_LOOP void sigmoidGrad(const float* gradOutput, const float* y, float* gradInput, std::int64_t count) {
    for (std::int64_t i = 0; i < count; ++i) gradInput[i] = gradOutput[i] * (1 - y[i]) * y[i];
}

MANTISSA_LOOP void silu(const float* x, float* y, std::int64_t count) {
#pragma GCC ivdep
    for (std::int64_t i = 0; i < count; ++i) y[i] = x[i] / (1 + exponential(-x[i]));
}
/// (x s(x))' = s(x) (1 + x (1 - s(x))), s the logistic function.
MANTISSA_LOOP void siluGrad(const float* gradOutput, const float* x, float* gradInput, std::int64_t count) {
#pragma GCC ivdep
    for (std::int64_t i = 0; i < count; ++i) gradInput[i] = gradOutput[i] * siluSlope(x[i]);
}

using Forward = void (*)(const float* x, float* y, std::int64_t count);
Forward forwardOf(Activation kind) {
    switch (kind) {
        case Activation::Relu:
            return relu;
        case Activation::Gelu:
            return gelu;
        case Activation::Tanh:
            return tanhForward;
        case Activation::Silu:
            return silu;
        case Activation::Sigmoid:
            break;
    }
    return sigmoid;
}

using Gradient = void (*)(const float* gradOutput, const float* seen, float* gradInput, std::int64_t count);
Gradient gradientOf(Activation kind) {
    switch (kind) {
        case Activation::Relu:
            return reluGrad;
        case Activation::Gelu:
            return geluGrad;
        case Activation::Tanh:
            return tanhGrad;
        case Activation::Silu:
            return siluGrad;
        case Activation::Sigmoid:
            break;
    }
    return sigmoidGrad;
}

std::optional<Dtype> formatOf(const CastDesc* cast) {
    return cast == nullptr ? std::nullopt : std::optional(cast->to);
}

/// The work of forBlocks for an activation's gradient.
auto gradientOfBlock(const ActivationGradDesc& desc, Gradient gradient, Operands operands) {
    return [&desc, gradient, operands](std::int64_t first, std::int64_t count) {
        Block in, seen, out;
        const float* gradOutput = loadBlock(desc.dtype, operands[0], first, count, in);
        const float* values = loadBlock(desc.dtype, operands[1], first, count, seen);
        gradient(gradOutput, values, resultBlock(desc.dtype, operands[2], first, out), count);
        storeBlock(desc.dtype, operands[2], first, count, out);
    };
}

}  // namespace

std::unique_ptr<Operation> makeActivation(const ActivationDesc& desc, WorkPool& pool) {
    return makeFunction([desc, &pool, forward = forwardOf(desc.kind)](Operands operands) {
        forBlocks(pool, desc.count, [&](std::int64_t first, std::int64_t count) {
            Block in, out;
            const float* x = loadBlock(desc.dtype, operands[0], first, count, in);
            forward(x, resultBlock(desc.dtype, operands[1], first, out), count);
            storeBlock(desc.dtype, operands[1], first, count, out);
        });
    });
}

std::unique_ptr<Operation> makeActivationGrad(const ActivationGradDesc& desc, WorkPool& pool) {
    return makeFunction([desc, &pool, gradient = gradientOf(desc.kind)](Operands operands) {
        forBlocks(pool, desc.count, gradientOfBlock(desc, gradient, operands));
    });
}

std::unique_ptr<Operation> makeBiasGrad(const BiasGradDesc& desc, const CastDesc* cast) {
    return makeFunction([desc, castFormat = formatOf(cast)](Operands operands) {
        // Processes a block of columns at a time, rows top to bottom: each column has a fixed order of summation.
        forBlocks(desc.cols, [&](std::int64_t first, std::int64_t count) {
            Block row, sums;
            float* result = resultBlock(desc.out, operands[1], first, sums);
            std::fill_n(result, count, 0.0f);
            for (std::int64_t r = 0; r < desc.rows; ++r) {
                addInto(result, loadBlock(desc.dtype, operands[0], r * desc.cols + first, count, row), count);
            }
            storeBlock(desc.out, operands[1], first, count, sums);
            if (!castFormat) return;
            const float* const stored = loadBlock(desc.out, operands[1], first, count, sums);
            encodeArray(*castFormat, stored, elementAt(*castFormat, operands[3], first), static_cast<std::size_t>(count));
        });
    });
}

std::unique_ptr<Operation> makeAddReluGrad(const ActivationGradDesc& desc, WorkPool& pool) {
    return makeFunction([desc, &pool](Operands operands) {
        forBlocks(pool, desc.count, [&](std::int64_t first, std::int64_t count) {
            Block sum, other, seen, out;
            addScaled(loadBlock(desc.dtype, operands[0], first, count, sum), loadBlock(desc.dtype, operands[1], first, count, other),
                      sum.data(), count, 1, 1);
            roundRow(desc.dtype, sum.data(), count, other.data());
            reluGrad(sum.data(), loadBlock(desc.dtype, operands[4], first, count, seen), resultBlock(desc.dtype, operands[5], first, out),
                     count);
            storeBlock(desc.dtype, operands[5], first, count, out);
        });
    });
}

/// Takes rows that fit the cache together, and sums them as makeBiasGrad does: each column from top to bottom.
std::unique_ptr<Operation> makeActivationBiasGrad(const ActivationGradDesc& desc, const BiasGradDesc& bias, const CastDesc* cast,
                                                  WorkPool& pool) {
    return makeFunction([desc, bias, castFormat = formatOf(cast), &pool, gradient = gradientOf(desc.kind)](Operands operands) {
        const std::int64_t cols = bias.cols, rowsAtATime = std::max<std::int64_t>(1, 2 * WorkPool::kPiece / cols);
        float* const room = floatScratch(2 * cols);
        float* const sums = resultRow(bias.out, operands[4], 0, room);
        std::fill_n(sums, cols, 0.0f);
        for (std::int64_t begin = 0; begin < bias.rows; begin += rowsAtATime) {
            const std::int64_t end = std::min(bias.rows, begin + rowsAtATime);
            pool.runPieces((end - begin) * cols, [&](std::int64_t first, std::int64_t count) {
                forBlocks(begin * cols + first, count, gradientOfBlock(desc, gradient, operands));
            });
            for (std::int64_t row = begin; row < end; ++row)
                addInto(sums, loadRow(desc.dtype, operands[2], row * cols, cols, room + cols), cols);
        }
        storeRow(bias.out, operands[4], 0, cols, sums);
        if (!castFormat) return;
        encodeArray(*castFormat, loadRow(bias.out, operands[4], 0, cols, room), operands[6], static_cast<std::size_t>(cols));
    });
}

}  // namespace mantissa::cpu
