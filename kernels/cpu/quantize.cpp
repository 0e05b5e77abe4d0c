// SPDX-License-Identifier: Apache-2.0
// Tensors in fp8 with a scale of their own: quantising, and how scales follow the magnitudes they have seen.
// Rules of Transformer Engine's DelayedScaling and Float8CurrentScaling (github.com/NVIDIA/TransformerEngine, common/recipe).
#include <cmath>
#include <limits>

#include "kernels/cpu/operations.h"
#include "kernels/cpu/vector_loop.h"
#include "kernels/dtype/rounding.h"

namespace mantissa::cpu {
namespace {

/// The largest magnitude as its bits; NaN is passed over.
MANTISSA_LOOP std::uint32_t largestMagnitude(const float* values, std::int64_t count) {
    std::uint32_t largest = 0;
    for (std::int64_t i = 0; i < count; ++i) {
        const std::uint32_t magnitude = floatBits(values[i]) & ~kFloatSign;
        largest = magnitude > largest && magnitude <= kFloatInf ? magnitude : largest;
    }
    return largest;
}

MANTISSA_LOOP void multiply(const float* values, float factor, float* products, std::int64_t count) {
#pragma GCC ivdep
    for (std::int64_t i = 0; i < count; ++i) products[i] = values[i] * factor;
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

float absMaxOf(const QuantizeDesc& desc, const void* src) {
    std::uint32_t largest = 0;
    forBlocks(desc.count, [&](std::int64_t first, std::int64_t count) {
        Block block;
        largest = std::max(largest, largestMagnitude(loadBlock(desc.from, src, first, count, block), count));
    });
    return floatFromBits(largest);
}

}  // namespace

std::unique_ptr<Operation> makeQuantize(const QuantizeDesc& desc) {
    return makeFunction([desc](Operands operands) {
        auto& state = *static_cast<QuantScale*>(operands[2]);
        if (desc.source == ScaleSource::Current) {
            const float absMax = absMaxOf(desc, operands[0]);
            setScale(state, isUsable(absMax) ? scaleFor(desc.to, absMax, desc.margin) : 1);
        } else if (state.scale == 0) {
            setScale(state, 1);
        }
        constexpr RoundingMode kSaturating{.saturate = true};
        std::uint32_t largest = 0;
        forBlocks(desc.count, [&](std::int64_t first, std::int64_t count) {
            Block block, scaled;
            const float* values = loadBlock(desc.from, operands[0], first, count, block);
            if (desc.source == ScaleSource::Delayed) largest = std::max(largest, largestMagnitude(values, count));
            multiply(values, state.scale, scaled.data(), count);
            encodeArray(desc.to, scaled.data(), elementAt(desc.to, operands[1], first), static_cast<std::size_t>(count), kSaturating);
        });
        state.absMax = std::max(state.absMax, floatFromBits(largest));
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
            const float absMax = desc.usesNewestOnly ? state.absMax : floatFromBits(largestMagnitude(history, desc.historyLength));
            if (isUsable(absMax)) setScale(state, scaleFor(format, absMax, desc.margin));
            state.absMax = 0;
        }
    });
}

}  // namespace mantissa::cpu
