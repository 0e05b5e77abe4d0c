// SPDX-License-Identifier: Apache-2.0
#include "kernels/conformance/convolution_reference.h"

#include <cmath>

namespace mantissa::conformance::reference {

std::size_t sizeOfX(const Convolution2dDesc& d) {
    return static_cast<std::size_t>(d.samples * d.height * d.width * d.inChannels);
}
std::size_t sizeOfY(const Convolution2dDesc& d) {
    return static_cast<std::size_t>(d.samples * d.window.outHeight(d.height) * d.window.outWidth(d.width) * d.outChannels);
}
std::size_t sizeOfWeight(const Convolution2dDesc& d) {
    return static_cast<std::size_t>(d.outChannels * d.inChannels / d.groups * d.window.height * d.window.width);
}

namespace {

/// Calls use(index in x, in the weights, in y) for each product.
template <typename Use>
void forProducts(const Convolution2dDesc& d, Use&& use) {
    const Window& w = d.window;
    const std::int64_t outHeight = w.outHeight(d.height), outWidth = w.outWidth(d.width);
    const std::int64_t in = d.inChannels / d.groups, out = d.outChannels / d.groups;
    for (std::int64_t place = 0; place < d.samples * outHeight * outWidth; ++place) {
        const std::int64_t sample = place / (outHeight * outWidth), row = place / outWidth % outHeight, col = place % outWidth;
        for (std::int64_t i = 0; i < w.height * w.width; ++i) {
            const std::int64_t y = row * w.strideHeight - w.padHeight + i / w.width, x = col * w.strideWidth - w.padWidth + i % w.width;
            if (y < 0 || y >= d.height || x < 0 || x >= d.width) continue;  // padding
            for (std::int64_t channel = 0; channel < d.outChannels; ++channel) {
                for (std::int64_t c = 0; c < in; ++c) {
                    use(static_cast<std::size_t>(((sample * d.height + y) * d.width + x) * d.inChannels + channel / out * in + c),
                        static_cast<std::size_t>((channel * in + c) * w.height * w.width + i),
                        static_cast<std::size_t>(place * d.outChannels + channel));
                }
            }
        }
    }
}

void add(Sums& sums, std::size_t to, double product) {
    sums.values[to] += product;
    sums.magnitudes[to] += std::fabs(product);
}

Sums zeros(std::size_t count) {
    return {Values(count), Values(count)};
}

}  // namespace

Sums convolution(const Convolution2dDesc& d, std::span<const double> x, std::span<const double> weight) {
    Sums sums = zeros(sizeOfY(d));
    forProducts(d, [&](std::size_t inX, std::size_t inWeight, std::size_t inY) { add(sums, inY, x[inX] * weight[inWeight]); });
    return sums;
}

Sums convolutionInputGrad(const Convolution2dDesc& d, std::span<const double> gradOutput, std::span<const double> weight) {
    Sums sums = zeros(sizeOfX(d));
    forProducts(d, [&](std::size_t inX, std::size_t inWeight, std::size_t inY) { add(sums, inX, gradOutput[inY] * weight[inWeight]); });
    return sums;
}

Sums convolutionWeightGrad(const Convolution2dDesc& d, std::span<const double> gradOutput, std::span<const double> x) {
    Sums sums = zeros(sizeOfWeight(d));
    forProducts(d, [&](std::size_t inX, std::size_t inWeight, std::size_t inY) { add(sums, inWeight, gradOutput[inY] * x[inX]); });
    return sums;
}

namespace {

/// Calls use(place in y, place in x, place in the plane) for each element of each window, in order of the windows.
template <typename Use>
void forWindows(const PoolDesc& d, Use&& use) {
    const Window& w = d.window;
    const std::int64_t outHeight = w.outHeight(d.height), outWidth = w.outWidth(d.width);
    for (std::int64_t out = 0; out < d.samples * outHeight * outWidth * d.channels; ++out) {
        const std::int64_t channel = out % d.channels, place = out / d.channels, sample = place / (outHeight * outWidth);
        for (std::int64_t i = 0; i < w.height * w.width; ++i) {
            const std::int64_t y = place / outWidth % outHeight * w.strideHeight - w.padHeight + i / w.width;
            const std::int64_t x = place % outWidth * w.strideWidth - w.padWidth + i % w.width;
            if (y < 0 || y >= d.height || x < 0 || x >= d.width) continue;
            const std::int64_t inPlane = y * d.width + x;
            use(static_cast<std::size_t>(out), static_cast<std::size_t>((sample * d.height * d.width + inPlane) * d.channels + channel),
                static_cast<std::int32_t>(inPlane));
        }
    }
}

double elementsOf(const Window& w) {
    return static_cast<double>(w.height * w.width);
}

}  // namespace

Pooled pool(const PoolDesc& d, std::span<const double> x) {
    const auto count = static_cast<std::size_t>(d.samples * d.window.outHeight(d.height) * d.window.outWidth(d.width) * d.channels);
    Pooled result{Values(count), Values(count), std::vector<std::int32_t>(count, -1)};
    forWindows(d, [&](std::size_t out, std::size_t in, std::int32_t inPlane) {
        if (d.kind == Pooling::Average) {
            result.values[out] += x[in] / elementsOf(d.window);
            result.magnitudes[out] += std::fabs(x[in]) / elementsOf(d.window);
        } else if (result.indices[out] < 0 || x[in] > result.values[out] || std::isnan(x[in])) {
            result.values[out] = x[in];
            result.indices[out] = inPlane;
        }
    });
    return result;
}

Sums poolGrad(const PoolDesc& d, std::span<const double> gradOutput, std::span<const std::int32_t> indices) {
    Sums sums = zeros(static_cast<std::size_t>(d.samples * d.height * d.width * d.channels));
    forWindows(d, [&](std::size_t out, std::size_t in, std::int32_t inPlane) {
        if (d.kind == Pooling::Average) {
            add(sums, in, gradOutput[out] / elementsOf(d.window));
        } else if (indices[out] == inPlane) {
            add(sums, in, gradOutput[out]);
        }
    });
    return sums;
}

}  // namespace mantissa::conformance::reference
