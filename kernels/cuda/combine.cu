// SPDX-License-Identifier: Apache-2.0
// Elementwise operations other than activations: sums, factors, dropout, gates. fp32, one rounding to storage.
#include <cmath>

#include "kernels/cuda/device.h"
#include "kernels/cuda/operations.h"
#include "kernels/random/philox.h"

namespace mantissa::cuda {
namespace {

/// Loads from `bCount` elements of b, which repeat.
__device__ Chunk loadRepeated(Dtype dtype, const void* b, std::int64_t bCount, std::int64_t first, int n) {
    std::int64_t at = first < bCount ? first : first % bCount;
    if (at + n <= bCount) return loadChunk(dtype, b, at, n);
    Chunk chunk{};
    MANTISSA_UNROLL for (int i = 0; i < kChunk; ++i) {
        if (i >= n) continue;
        chunk.x[i] = loadElement(dtype, b, at);
        at = at + 1 == bCount ? 0 : at + 1;
    }
    return chunk;
}

__global__ void add(AddDesc d, const void* a, const void* b, void* sum) {
    forChunks(d.count, [&](std::int64_t first, int n) {
        Chunk chunk = loadChunk(d.a, a, first, n);
        const Chunk added = loadRepeated(d.b, b, d.bCount, first, n);
        MANTISSA_UNROLL for (int i = 0; i < kChunk; ++i) chunk.x[i] = d.aFactor * chunk.x[i] + d.bFactor * added.x[i];
        storeChunk(d.out, sum, first, n, chunk);
    });
}

__global__ void scale(ScaleDesc d, const void* src, void* dst) {
    forChunks(d.count, [&](std::int64_t first, int n) {
        Chunk chunk = loadChunk(d.from, src, first, n);
        MANTISSA_UNROLL for (float& value : chunk.x) value *= d.factor;
        storeChunk(d.to, dst, first, n, chunk);
    });
}

/// A chunk of eight elements is two blocks of the generator.
__global__ void dropOut(DropoutDesc d, std::uint32_t keptFrom, float factor, const void* src, const StepScalars* scalars, void* dst) {
    const auto step = static_cast<std::uint64_t>(scalars->dropoutStep) << 32;
    forChunks(d.count, [&](std::int64_t first, int n) {
        const std::uint64_t block = step + static_cast<std::uint64_t>(first) / 4;
        const PhiloxCounter low = randomBlock(d.seed, RandomUse::Dropout, d.stream, block),
                            high = randomBlock(d.seed, RandomUse::Dropout, d.stream, block + 1);
        Chunk chunk = loadChunk(d.dtype, src, first, n);
        for (int i = 0; i < 4; ++i) {
            chunk.x[i] *= low.word[i] >= keptFrom ? factor : 0.0f;
            chunk.x[i + 4] *= high.word[i] >= keptFrom ? factor : 0.0f;
        }
        storeChunk(d.dtype, dst, first, n, chunk);
    });
}

/// Rounds silu(gate), and in the gradient gradOutput * up, to the format, unless the operation is fused.
struct GateRounding {
    Dtype format;
    template <typename SwiGlu>
    explicit GateRounding(const SwiGlu& d) : format(d.isFused ? Dtype::F32 : d.dtype) {}
    __device__ float of(float value) const { return storedValue(format, value); }
};

__global__ void swiGlu(SwiGluDesc d, GateRounding rounding, const void* gate, const void* up, void* y) {
    forChunks(d.count, [&](std::int64_t first, int n) {
        Chunk chunk = loadChunk(d.dtype, gate, first, n);
        const Chunk ups = loadChunk(d.dtype, up, first, n);
        MANTISSA_UNROLL for (int i = 0; i < kChunk; ++i) chunk.x[i] = rounding.of(chunk.x[i] / (1 + expf(-chunk.x[i]))) * ups.x[i];
        storeChunk(d.dtype, y, first, n, chunk);
    });
}

/// (x s(x))' = s(x) (1 + x (1 - s(x))), s the logistic function.
__global__ void swiGluGrad(SwiGluGradDesc d, GateRounding rounding, const void* gradOutput, const void* gate, const void* up,
                           void* gradGate, void* gradUp) {
    forChunks(d.count, [&](std::int64_t first, int n) {
        const Chunk gradients = loadChunk(d.dtype, gradOutput, first, n), gates = loadChunk(d.dtype, gate, first, n),
                    ups = loadChunk(d.dtype, up, first, n);
        Chunk ofGate, ofUp;
        MANTISSA_UNROLL for (int i = 0; i < kChunk; ++i) {
            const float x = gates.x[i], divisor = 1 + expf(-x), s = 1 / divisor;
            ofUp.x[i] = gradients.x[i] * rounding.of(x / divisor);
            ofGate.x[i] = rounding.of(gradients.x[i] * ups.x[i]) * (s * (1 + x * (1 - s)));
        }
        storeChunk(d.dtype, gradGate, first, n, ofGate);
        storeChunk(d.dtype, gradUp, first, n, ofUp);
    });
}

}  // namespace

std::unique_ptr<Operation> makeAdd(const AddDesc& desc) {
    AddDesc d = desc;
    if (d.bCount == 0) d.bCount = d.count;
    return makeFunction([d](cudaStream_t stream, Operands operands) {
        launch(gridOfChunks(d.count), stream, add, d, operands[0], operands[1], operands[2]);
    });
}

std::unique_ptr<Operation> makeScale(const ScaleDesc& desc) {
    return makeFunction([desc](cudaStream_t stream, Operands operands) {
        launch(gridOfChunks(desc.count), stream, scale, desc, operands[0], operands[1]);
    });
}

std::unique_ptr<Operation> makeDropout(const DropoutDesc& desc) {
    const auto keptFrom = static_cast<std::uint32_t>(std::ceil(desc.probability * 0x1p32));
    const auto factor = static_cast<float>(1 / (1 - desc.probability));
    return makeFunction([desc, keptFrom, factor](cudaStream_t stream, Operands operands) {
        launch(gridOfChunks(desc.count), stream, dropOut, desc, keptFrom, factor, operands[0], static_cast<const StepScalars*>(operands[1]),
               operands[2]);
    });
}

std::unique_ptr<Operation> makeSwiGlu(const SwiGluDesc& desc) {
    return makeFunction([desc](cudaStream_t stream, Operands operands) {
        launch(gridOfChunks(desc.count), stream, swiGlu, desc, GateRounding(desc), operands[0], operands[1], operands[2]);
    });
}

std::unique_ptr<Operation> makeSwiGluGrad(const SwiGluGradDesc& desc) {
    return makeFunction([desc](cudaStream_t stream, Operands operands) {
        launch(gridOfChunks(desc.count), stream, swiGluGrad, desc, GateRounding(desc), operands[0], operands[1], operands[2], operands[3],
               operands[4]);
    });
}

}  // namespace mantissa::cuda
