// SPDX-License-Identifier: Apache-2.0
// fp8 tensors with a scale: quantising, and the update of scales from recorded magnitudes.
// Rules of Transformer Engine's DelayedScaling and Float8CurrentScaling (github.com/NVIDIA/TransformerEngine, common/recipe).
#include <atomic>
#include <cmath>
#include <limits>

#include "kernels/cpu/block_array.h"
#include "kernels/cpu/operations.h"
#include "kernels/cpu/vector_loop.h"
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

void turn(WorkPool& pool, const QuantizeDesc& desc, const std::uint8_t* codes, std::uint8_t* turned) {
    const std::int64_t rows = desc.turnedRows, cols = desc.count / rows;
    forBlocks(pool, desc.count, [&](std::int64_t first, std::int64_t count) {
        for (std::int64_t i = first; i < first + count; ++i) turned[i] = codes[i % rows * cols + i / rows];
    });
}

}  // namespace

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
        if (desc.turnedRows > 0) turn(pool, desc, static_cast<const std::uint8_t*>(operands[1]), static_cast<std::uint8_t*>(operands[3]));
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
