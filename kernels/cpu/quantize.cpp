// SPDX-License-Identifier: Apache-2.0
// fp8 tensors with a scale and matrices in block formats: quantising, and the update of scales from recorded magnitudes.
// Rules of Transformer Engine's DelayedScaling and Float8CurrentScaling (github.com/NVIDIA/TransformerEngine, common/recipe).
#include <atomic>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "kernels/cpu/block_array.h"
#include "kernels/cpu/block_storage.h"
#include "kernels/cpu/operations.h"
#include "kernels/cpu/rotate.h"
#include "kernels/cpu/thread_scratch.h"
#include "kernels/cpu/vector_loop.h"
#include "kernels/dtype/hadamard.h"
#include "kernels/dtype/rounding.h"

namespace mantissa::cpu {
namespace {

MANTISSA_LOOP void scaleAndSaturate(const float* values, float factor, float largest, float* scaled, std::int64_t count) {
#pragma GCC ivdep
    for (std::int64_t i = 0; i < count; ++i) scaled[i] = saturated(values[i] * factor, largest);
}

bool isUsable(float absMax) {
    return absMax > 0 && std::isfinite(absMax);
}

float scaleFor(Dtype format, float absMax, int margin) {
    const float scale = std::ldexp(static_cast<float>(facts(format).maxFinite) / absMax, -margin);
    return std::min(scale, std::numeric_limits<float>::max());
}

void setScale(QuantScale& state, float scale) {
    state.scale = scale;
    state.inverse = 1 / scale;
}

/// The maximum over several threads.
class SharedMax {
public:
    void add(float value) {
        float before = m_value.load(std::memory_order_relaxed);
        while (value > before && !m_value.compare_exchange_weak(before, value, std::memory_order_relaxed)) {
        }
    }
    float value() const { return m_value.load(std::memory_order_relaxed); }

private:
    std::atomic<float> m_value{0};
};

float absMaxOf(WorkPool& pool, const QuantizeDesc& desc, const void* src) {
    SharedMax largest;
    forBlocks(pool, desc.count, [&](std::int64_t first, std::int64_t count) {
        Block block;
        largest.add(largestMagnitude(loadBlock(desc.from, src, first, count, block), count));
    });
    return largest.value();
}

void turn(WorkPool& pool, const QuantizeDesc& desc, const std::uint8_t* codes, std::uint8_t* transposed) {
    const std::int64_t rows = desc.transposedRows, cols = desc.count / rows;
    forBlocks(pool, desc.count, [&](std::int64_t first, std::int64_t count) {
        for (std::int64_t i = first; i < first + count; ++i) transposed[i] = codes[i % rows * cols + i / rows];
    });
}

/// Quantises a matrix in two passes: the numbers to quantise, in fp32 in the workspace, with the largest; then codes and scales.
class QuantizeBlocks final : public Operation {
public:
    QuantizeBlocks(const QuantizeBlocksDesc& desc, WorkPool& pool) : m_desc(desc), m_pool(pool) {}

    void enqueue(Queue&, Operands operands) override {
        auto& state = *static_cast<QuantScale*>(operands[2]);
        const auto* const scalars = static_cast<const StepScalars*>(operands[3]);
        auto* const values = static_cast<float*>(operands[4]);
        const float largest = prepare(operands[0], values);
        const float S = tensorScaleOf(m_desc.format, largest);
        state = {S, 1 / S, largest, 0};
        if (m_desc.format.dialect == Nvfp4Dialect::TorchaoInference) std::swap(state.scale, state.inverse);
        RoundingMode mode{.rounding = m_desc.rounding, .seed = m_desc.seed};
        if (scalars != nullptr) mode.stream = static_cast<std::uint32_t>(scalars->dropoutStep);
        quantize(values, S, mode, static_cast<std::uint8_t*>(operands[1]));
    }

private:
    QuantizeBlocksDesc m_desc;
    WorkPool& m_pool;

    float prepare(const void* src, float* values) const {
        SharedMax largest;
        const std::int64_t rows = m_desc.shape.rows, cols = m_desc.shape.cols;
        const std::int64_t unit = m_desc.isRotated ? kHadamardSize : 1;
        forRowUnits(unit, [&](std::int64_t row, std::int64_t count) {
            float* const here = values + row * cols;
            const auto n = static_cast<std::size_t>(count * cols);
            if (m_desc.source) {
                decodeStored(*m_desc.source, m_desc.shape, src, row * cols, count * cols, here);
            } else {
                decodeArray(m_desc.from, elementAt(m_desc.from, src, row * cols), here, n);
            }
            if (m_desc.from != Dtype::BF16) roundArray(Dtype::BF16, here, here, n);
            const std::int64_t rotated = std::min(count, rows / unit * unit - row);
            if (m_desc.isRotated && rotated > 0) {
                rotate({rotated, cols}, RotationAxis::Columns, here, here);
                roundArray(Dtype::BF16, here, here, static_cast<std::size_t>(rotated * cols));
            }
            if (m_desc.format.hasTensorScale()) largest.add(largestMagnitude(here, count * cols));
        });
        return largest.value();
    }

    void quantize(const float* values, float S, const RoundingMode& mode, std::uint8_t* dst) const {
        const BlockFormat& format = m_desc.format;
        std::uint8_t* const scales = dst + format.packedBytes(m_desc.shape);
        const std::int64_t cols = m_desc.shape.cols, bytesOfRow = format.scaleBytes({1, cols});
        // Whole blocks, and whole bytes of packed codes.
        const std::int64_t unit = std::lcm(std::min(format.block.rows, m_desc.shape.rows), std::int64_t{4});
        forRowUnits(unit, [&](std::int64_t row, std::int64_t count) {
            const std::int64_t first = row * cols, n = count * cols;
            auto* const codes = static_cast<std::uint8_t*>(threadScratch(static_cast<std::size_t>(n)));
            quantizeBlocks(format, {count, cols}, values + first, S, codes, scales + row / format.block.rows * bytesOfRow, mode,
                           static_cast<std::uint64_t>(m_desc.firstElement + first));
            packElements(format, codes, dst, first, n);
        });
    }

    /// Calls work(row, rows) for pieces of whole units of rows, on the pool's threads.
    template <typename Work>
    void forRowUnits(std::int64_t unit, Work&& work) const {
        const std::int64_t rows = m_desc.shape.rows, units = (rows + unit - 1) / unit;
        forRows(m_pool, units, unit * m_desc.shape.cols,
                [&](std::int64_t first, std::int64_t count) { work(first * unit, std::min(count * unit, rows - first * unit)); });
    }
};

}  // namespace

std::unique_ptr<Operation> makeQuantizeBlocks(const QuantizeBlocksDesc& desc, WorkPool& pool) {
    return std::make_unique<QuantizeBlocks>(desc, pool);
}

std::size_t quantizeBlocksWorkspaceBytes(const QuantizeBlocksDesc& desc) {
    return static_cast<std::size_t>(desc.shape.count()) * sizeof(float);
}

std::unique_ptr<Operation> makeQuantize(const QuantizeDesc& desc, WorkPool& pool) {
    return makeFunction([desc, &pool](Operands operands) {
        auto& state = *static_cast<QuantScale*>(operands[2]);
        if (desc.source == ScaleSource::Current) {
            const float absMax = absMaxOf(pool, desc, operands[0]);
            setScale(state, isUsable(absMax) ? scaleFor(desc.to, absMax, desc.margin) : 1);
        } else if (state.scale == 0) {
            setScale(state, 1);
        }
        const auto largestOfFormat = static_cast<float>(facts(desc.to).maxFinite);
        SharedMax largest;
        forBlocks(pool, desc.count, [&](std::int64_t first, std::int64_t count) {
            Block block, scaled;
            const float* values = loadBlock(desc.from, operands[0], first, count, block);
            if (desc.source == ScaleSource::Delayed) largest.add(largestMagnitude(values, count));
            scaleAndSaturate(values, state.scale, largestOfFormat, scaled.data(), count);
            encodeArray(desc.to, scaled.data(), elementAt(desc.to, operands[1], first), static_cast<std::size_t>(count));
        });
        state.absMax = std::max(state.absMax, largest.value());
        if (desc.transposedRows > 0)
            turn(pool, desc, static_cast<const std::uint8_t*>(operands[1]), static_cast<std::uint8_t*>(operands[3]));
    });
}

std::unique_ptr<Operation> makeUpdateScales(const UpdateScalesDesc& desc) {
    return makeFunction([desc](Operands operands) {
        auto* memory = static_cast<std::byte*>(operands[0]);
        for (const Dtype format : desc.formats) {
            auto& state = *reinterpret_cast<QuantScale*>(memory);
            auto* const history = reinterpret_cast<float*>(memory + sizeof(QuantScale));
            memory += quantScaleBytes(desc.historyLength);
            if (state.absMax == 0) continue;
            state.newest = static_cast<std::int32_t>((state.newest + 1) % desc.historyLength);
            history[state.newest] = state.absMax;
            const float absMax = desc.usesNewestOnly ? state.absMax : largestMagnitude(history, desc.historyLength);
            if (isUsable(absMax)) setScale(state, scaleFor(format, absMax, desc.margin));
            state.absMax = 0;
        }
    });
}

}  // namespace mantissa::cpu
