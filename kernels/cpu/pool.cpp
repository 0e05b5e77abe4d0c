// SPDX-License-Identifier: Apache-2.0
// Pooling over windows and its gradients: vectorised over channels, with samples distributed to threads.
#include <cmath>

#include "kernels/cpu/operations.h"
#include "kernels/cpu/thread_scratch.h"
#include "kernels/cpu/vector_math.h"

namespace mantissa::cpu {
namespace {

MANTISSA_LOOP void takeLargest(const float* x, std::int32_t place, float* largest, std::int32_t* places, std::int64_t count) {
#pragma GCC ivdep
    for (std::int64_t i = 0; i < count; ++i) {
        const bool wins = x[i] > largest[i] || std::isnan(x[i]) || places[i] < 0;
        largest[i] = wins ? x[i] : largest[i];
        places[i] = wins ? place : places[i];
    }
}

MANTISSA_LOOP void divide(float* values, std::int64_t count, float divisor) {
    for (std::int64_t i = 0; i < count; ++i) values[i] /= divisor;
}

MANTISSA_LOOP void addQuotient(float* sums, const float* values, std::int64_t count, float divisor) {
#pragma GCC ivdep
    for (std::int64_t i = 0; i < count; ++i) sums[i] += values[i] / divisor;
}

/// Sizes derived from a description: of the result, of a sample's input and output, of a window.
struct Sizes {
    explicit Sizes(const PoolDesc& d)
        : outWidth(d.window.outWidth(d.width)),
          places(d.window.outHeight(d.height) * outWidth),
          in(d.height * d.width * d.channels),
          out(places * d.channels),
          elements(static_cast<float>(d.window.height * d.window.width)) {}
    std::int64_t outWidth, places, in, out;
    float elements;
};

/// Calls use(place in the plane) for each element of a window that is not padding.
template <typename Use>
void forWindow(const PoolDesc& d, const Sizes& sizes, std::int64_t window, Use&& use) {
    const std::int64_t top = window / sizes.outWidth * d.window.strideHeight - d.window.padHeight,
                       left = window % sizes.outWidth * d.window.strideWidth - d.window.padWidth;
    for (std::int64_t y = std::max<std::int64_t>(top, 0); y < std::min(top + d.window.height, d.height); ++y) {
        for (std::int64_t x = std::max<std::int64_t>(left, 0); x < std::min(left + d.window.width, d.width); ++x) use(y * d.width + x);
    }
}

void poolSample(const PoolDesc& d, const Sizes& sizes, const float* x, float* y, std::int32_t* indices) {
    for (std::int64_t window = 0; window < sizes.places; ++window) {
        float* const own = y + window * d.channels;
        std::fill_n(own, d.channels, 0.0f);
        if (d.kind == Pooling::Average) {
            forWindow(d, sizes, window, [&](std::int64_t place) { addInto(own, x + place * d.channels, d.channels); });
            divide(own, d.channels, sizes.elements);
        } else {
            std::int32_t* const places = indices + window * d.channels;
            std::fill_n(places, d.channels, -1);
            forWindow(d, sizes, window, [&](std::int64_t place) {
                takeLargest(x + place * d.channels, static_cast<std::int32_t>(place), own, places, d.channels);
            });
        }
    }
}

void poolGradSample(const PoolDesc& d, const Sizes& sizes, const float* gradOutput, const std::int32_t* indices, float* gradInput) {
    std::fill_n(gradInput, sizes.in, 0.0f);
    for (std::int64_t window = 0; window < sizes.places; ++window) {
        const float* g = gradOutput + window * d.channels;
        if (d.kind == Pooling::Average) {
            forWindow(d, sizes, window,
                      [&](std::int64_t place) { addQuotient(gradInput + place * d.channels, g, d.channels, sizes.elements); });
        } else {
            const std::int32_t* places = indices + window * d.channels;
            for (std::int64_t c = 0; c < d.channels; ++c) gradInput[places[c] * d.channels + c] += g[c];
        }
    }
}

/// Calls work(sample, fp32 scratch for its input and output).
template <typename Work>
void forSamples(WorkPool& pool, const PoolDesc& d, const Sizes& sizes, Work&& work) {
    forRows(pool, d.samples, sizes.in, [&](std::int64_t begin, std::int64_t samples) {
        float* const room = floatScratch(sizes.in + sizes.out);
        for (std::int64_t sample = begin; sample < begin + samples; ++sample) work(sample, room);
    });
}

}  // namespace

std::unique_ptr<Operation> makePool(const PoolDesc& desc, WorkPool& pool) {
    return makeFunction([desc, &pool, sizes = Sizes(desc)](Operands operands) {
        auto* const indices = static_cast<std::int32_t*>(operands[2]);
        forSamples(pool, desc, sizes, [&](std::int64_t sample, float* room) {
            const std::int64_t first = sample * sizes.out;
            float* const y = resultRow(desc.dtype, operands[1], first, room + sizes.in);
            poolSample(desc, sizes, loadRow(desc.dtype, operands[0], sample * sizes.in, sizes.in, room), y,
                       desc.kind == Pooling::Max ? indices + first : nullptr);
            storeRow(desc.dtype, operands[1], first, sizes.out, y);
        });
    });
}

std::unique_ptr<Operation> makePoolGrad(const PoolGradDesc& desc, WorkPool& pool) {
    return makeFunction([d = desc.forward, &pool, sizes = Sizes(desc.forward)](Operands operands) {
        const auto* indices = static_cast<const std::int32_t*>(operands[1]);
        forSamples(pool, d, sizes, [&](std::int64_t sample, float* room) {
            const std::int64_t first = sample * sizes.out;
            float* const gradInput = resultRow(d.dtype, operands[2], sample * sizes.in, room);
            poolGradSample(d, sizes, loadRow(d.dtype, operands[0], first, sizes.out, room + sizes.in),
                           d.kind == Pooling::Max ? indices + first : nullptr, gradInput);
            storeRow(d.dtype, operands[2], sample * sizes.in, sizes.in, gradInput);
        });
    });
}

}  // namespace mantissa::cpu
