// SPDX-License-Identifier: Apache-2.0
// Elementwise operations other than activations: sums, factors, dropout, gates. fp32 on blocks, one rounding when a block is stored.
#include <cmath>

#include "kernels/cpu/operations.h"
#include "kernels/cpu/vector_math.h"
#include "kernels/random/philox.h"

namespace mantissa::cpu {

MANTISSA_LOOP void addScaled(const float* a, const float* b, float* sum, std::int64_t count, float aFactor, float bFactor) {
#pragma GCC ivdep
    for (std::int64_t i = 0; i < count; ++i) sum[i] = aFactor * a[i] + bFactor * b[i];
}

namespace {

MANTISSA_LOOP void scaleBlock(const float* src, float* dst, std::int64_t count, float factor) {
#pragma GCC ivdep
    for (std::int64_t i = 0; i < count; ++i) dst[i] = src[i] * factor;
}

/// Fills `random` from the start of generator block `firstBlock`.
MANTISSA_LOOP void drawBlocks(const DropoutDesc& d, std::uint64_t firstBlock, std::uint32_t* random, std::int64_t blocks) {
#pragma GCC ivdep
    for (std::int64_t i = 0; i < blocks; ++i) {
        const PhiloxCounter bits = randomBlock(d.seed, RandomUse::Dropout, d.stream, firstBlock + static_cast<std::uint64_t>(i));
        for (int word = 0; word < 4; ++word) random[4 * i + word] = bits.word[word];
    }
}

MANTISSA_LOOP void dropBlock(const float* src, const std::uint32_t* random, float* dst, std::int64_t count, std::uint32_t keptFrom,
                             float factor) {
#pragma GCC ivdep
    for (std::int64_t i = 0; i < count; ++i) dst[i] = src[i] * (random[i] >= keptFrom ? factor : 0.0f);
}

struct Gate {
    const float *gate, *up;
    std::int64_t count;
};
struct GateGradients {
    float *gate, *up;
};

/// Format: rounds silu(gate) and, in the gradient, gradOutput * up.
template <typename Format>
MANTISSA_INLINE void swiGlu(const Gate& in, float* y) {
    const float *gate = in.gate, *up = in.up;
#pragma GCC ivdep
    for (std::int64_t i = 0; i < in.count; ++i) y[i] = rounded<Format>(gate[i] / (1 + exponential(-gate[i]))) * up[i];
}
template <typename Format>
MANTISSA_INLINE void swiGluGrad(const Gate& in, const float* gradOutput, const GateGradients& out) {
    const float *gate = in.gate, *up = in.up;
    float *gradGate = out.gate, *gradUp = out.up;
#pragma GCC ivdep
    for (std::int64_t i = 0; i < in.count; ++i) {
        gradUp[i] = gradOutput[i] * rounded<Format>(gate[i] / (1 + exponential(-gate[i])));
        gradGate[i] = rounded<Format>(gradOutput[i] * up[i]) * siluSlope(gate[i]);
    }
}

MANTISSA_LOOP void swiGluF32(const Gate& in, float* y) {
    swiGlu<F32Format>(in, y);
}
MANTISSA_LOOP void swiGluF16(const Gate& in, float* y) {
    swiGlu<F16Format>(in, y);
}
MANTISSA_LOOP void swiGluBf16(const Gate& in, float* y) {
    swiGlu<Bf16Format>(in, y);
}
MANTISSA_LOOP void swiGluGradF32(const Gate& in, const float* gradOutput, const GateGradients& out) {
    swiGluGrad<F32Format>(in, gradOutput, out);
}
MANTISSA_LOOP void swiGluGradF16(const Gate& in, const float* gradOutput, const GateGradients& out) {
    swiGluGrad<F16Format>(in, gradOutput, out);
}
MANTISSA_LOOP void swiGluGradBf16(const Gate& in, const float* gradOutput, const GateGradients& out) {
    swiGluGrad<Bf16Format>(in, gradOutput, out);
}

/// Elements [first, first + count) of b, which is repeated.
const float* loadRepeated(const AddDesc& d, const void* b, std::int64_t first, std::int64_t count, Block& block) {
    if (d.bCount == 0 || d.bCount == d.count) return loadBlock(d.b, b, first, count, block);
    for (std::int64_t done = 0; done < count;) {
        const std::int64_t at = (first + done) % d.bCount, here = std::min(count - done, d.bCount - at);
        decodeArray(d.b, elementAt(d.b, b, at), block.data() + done, static_cast<std::size_t>(here));
        done += here;
    }
    return block.data();
}

}  // namespace

std::unique_ptr<Operation> makeAdd(const AddDesc& desc, WorkPool& pool) {
    return makeFunction([desc, &pool](Operands operands) {
        forBlocks(pool, desc.count, [&](std::int64_t first, std::int64_t count) {
            Block left, right, out;
            const float* a = loadBlock(desc.a, operands[0], first, count, left);
            const float* b = loadRepeated(desc, operands[1], first, count, right);
            addScaled(a, b, resultBlock(desc.out, operands[2], first, out), count, desc.aFactor, desc.bFactor);
            storeBlock(desc.out, operands[2], first, count, out);
        });
    });
}

std::unique_ptr<Operation> makeScale(const ScaleDesc& desc, WorkPool& pool) {
    return makeFunction([desc, &pool](Operands operands) {
        forBlocks(pool, desc.count, [&](std::int64_t first, std::int64_t count) {
            Block in, out;
            const float* src = loadBlock(desc.from, operands[0], first, count, in);
            scaleBlock(src, resultBlock(desc.to, operands[1], first, out), count, desc.factor);
            storeBlock(desc.to, operands[1], first, count, out);
        });
    });
}

std::unique_ptr<Operation> makeDropout(const DropoutDesc& desc, WorkPool& pool) {
    const auto keptFrom = static_cast<std::uint32_t>(std::ceil(desc.probability * 0x1p32));
    return makeFunction([desc, &pool, keptFrom, factor = static_cast<float>(1 / (1 - desc.probability))](Operands operands) {
        const auto step = static_cast<std::uint64_t>(static_cast<const StepScalars*>(operands[1])->dropoutStep) << 32;
        forBlocks(pool, desc.count, [&](std::int64_t first, std::int64_t count) {
            Block in, out;
            std::array<std::uint32_t, kBlock> random;  // aligned with the generator's blocks
            drawBlocks(desc, step + static_cast<std::uint64_t>(first) / 4, random.data(), (count + 3) / 4);
            const float* src = loadBlock(desc.dtype, operands[0], first, count, in);
            dropBlock(src, random.data(), resultBlock(desc.dtype, operands[2], first, out), count, keptFrom, factor);
            storeBlock(desc.dtype, operands[2], first, count, out);
        });
    });
}

std::unique_ptr<Operation> makeSwiGlu(const SwiGluDesc& desc, WorkPool& pool) {
    const auto swiGlu = desc.isFused || desc.dtype == Dtype::F32 ? swiGluF32 : desc.dtype == Dtype::F16 ? swiGluF16 : swiGluBf16;
    return makeFunction([desc, &pool, swiGlu](Operands operands) {
        forBlocks(pool, desc.count, [&](std::int64_t first, std::int64_t count) {
            Block gates, ups, out;
            const float* gate = loadBlock(desc.dtype, operands[0], first, count, gates);
            const float* up = loadBlock(desc.dtype, operands[1], first, count, ups);
            swiGlu({gate, up, count}, resultBlock(desc.dtype, operands[2], first, out));
            storeBlock(desc.dtype, operands[2], first, count, out);
        });
    });
}

std::unique_ptr<Operation> makeSwiGluGrad(const SwiGluGradDesc& desc, WorkPool& pool) {
    const auto swiGluGrad = desc.isFused || desc.dtype == Dtype::F32 ? swiGluGradF32
                            : desc.dtype == Dtype::F16               ? swiGluGradF16
                                                                     : swiGluGradBf16;
    return makeFunction([desc, &pool, swiGluGrad](Operands operands) {
        forBlocks(pool, desc.count, [&](std::int64_t first, std::int64_t count) {
            Block in, gates, ups, gradGates, gradUps;
            const float* gradOutput = loadBlock(desc.dtype, operands[0], first, count, in);
            const float* gate = loadBlock(desc.dtype, operands[1], first, count, gates);
            const float* up = loadBlock(desc.dtype, operands[2], first, count, ups);
            swiGluGrad({gate, up, count}, gradOutput,
                       {resultBlock(desc.dtype, operands[3], first, gradGates), resultBlock(desc.dtype, operands[4], first, gradUps)});
            storeBlock(desc.dtype, operands[3], first, count, gradGates);
            storeBlock(desc.dtype, operands[4], first, count, gradUps);
        });
    });
}

}  // namespace mantissa::cpu
