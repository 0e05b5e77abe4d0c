// SPDX-License-Identifier: Apache-2.0
// Rotary position embedding, and sums over heads that share keys. The angles' cosines and sines are computed in double when the operation
// is made, and rounded once.
#include <cmath>
#include <vector>

#include "kernels/cpu/operations.h"
#include "kernels/cpu/thread_scratch.h"
#include "kernels/cpu/vector_math.h"

namespace mantissa::cpu {
namespace {

/// Format: rounds products.
template <typename Format>
MANTISSA_INLINE void rotate(const float* x, float* y, const float* cosines, const float* sines, std::int64_t half) {
#pragma GCC ivdep
    for (std::int64_t i = 0; i < half; ++i) {
        const float left = x[i], right = x[i + half];
        y[i] = rounded<Format>(left * cosines[i]) - rounded<Format>(right * sines[i]);
        y[i + half] = rounded<Format>(right * cosines[i]) + rounded<Format>(left * sines[i]);
    }
}
MANTISSA_LOOP void rotateF32(const float* x, float* y, const float* cosines, const float* sines, std::int64_t half) {
    rotate<F32Format>(x, y, cosines, sines, half);
}
MANTISSA_LOOP void rotateF16(const float* x, float* y, const float* cosines, const float* sines, std::int64_t half) {
    rotate<F16Format>(x, y, cosines, sines, half);
}
MANTISSA_LOOP void rotateBf16(const float* x, float* y, const float* cosines, const float* sines, std::int64_t half) {
    rotate<Bf16Format>(x, y, cosines, sines, half);
}

/// [length, headDim / 2] each.
struct Angles {
    explicit Angles(const RotaryDesc& d) {
        for (std::int64_t position = 0; position < d.length; ++position) {
            for (std::int64_t i = 0; i < d.headDim / 2; ++i) {
                const double angle =
                    static_cast<double>(position) * std::pow(d.base, -2.0 * static_cast<double>(i) / static_cast<double>(d.headDim));
                cosines.push_back(static_cast<float>(std::cos(angle)));
                sines.push_back(static_cast<float>(d.inverse ? -std::sin(angle) : std::sin(angle)));
            }
        }
    }
    std::vector<float> cosines, sines;
};

}  // namespace

std::unique_ptr<Operation> makeRotary(const RotaryDesc& desc, WorkPool& pool) {
    const auto rotate = !desc.roundsProducts ? rotateF32 : desc.to == Dtype::F16 ? rotateF16 : rotateBf16;
    return makeFunction([desc, &pool, rotate, angles = Angles(desc)](Operands operands) {
        const std::int64_t half = desc.headDim / 2, width = desc.heads * desc.headDim;
        forRows(pool, desc.rows, width, [&](std::int64_t begin, std::int64_t rows) {
            float* const room = floatScratch(2 * width);
            for (std::int64_t row = begin; row < begin + rows; ++row) {
                const float* x = loadRow(desc.from, operands[0], row * desc.srcStride, width, room);
                float* const y = resultRow(desc.to, operands[1], row * desc.dstStride, room + width);
                const std::int64_t at = row % desc.length * half;
                for (std::int64_t head = 0; head < width; head += desc.headDim) {
                    rotate(x + head, y + head, angles.cosines.data() + at, angles.sines.data() + at, half);
                }
                storeRow(desc.to, operands[1], row * desc.dstStride, width, y);
            }
        });
    });
}

std::unique_ptr<Operation> makeSumHeads(const SumHeadsDesc& desc, WorkPool& pool) {
    return makeFunction([desc, &pool](Operands operands) {
        const std::int64_t width = desc.heads * desc.headDim;
        forRows(pool, desc.rows, width * desc.group, [&](std::int64_t begin, std::int64_t rows) {
            float* const room = floatScratch((desc.group + 1) * width);
            for (std::int64_t row = begin; row < begin + rows; ++row) {
                const float* const x = loadRow(desc.from, operands[0], row * width * desc.group, width * desc.group, room);
                float* const y = resultRow(desc.to, operands[1], row * width, room + width * desc.group);
                for (std::int64_t head = 0; head < desc.heads; ++head) {
                    std::copy_n(x + head * desc.group * desc.headDim, desc.headDim, y + head * desc.headDim);
                    for (std::int64_t i = 1; i < desc.group; ++i)
                        addInto(y + head * desc.headDim, x + (head * desc.group + i) * desc.headDim, desc.headDim);
                }
                storeRow(desc.to, operands[1], row * width, width, y);
            }
        });
    });
}

}  // namespace mantissa::cpu
