// SPDX-License-Identifier: Apache-2.0
// Rows of pooling: maxima of windows with their index, averages, and their gradients.

#include "kernels/conformance/checks.h"
#include "kernels/conformance/convolution_reference.h"
#include "kernels/conformance/inputs.h"
#include "kernels/conformance/tolerance.h"

namespace mantissa::conformance {
namespace {

std::vector<PoolDesc> poolsFor(Pooling kind, Dtype dtype, Extent extent) {
    const auto pool = [&](std::int64_t samples, std::int64_t height, std::int64_t width, std::int64_t channels, const Window& window) {
        return PoolDesc{kind, samples, height, width, channels, window, dtype};
    };
    std::vector<PoolDesc> pools{pool(2, 4, 5, 3, {2, 2, 2, 2}), pool(1, 7, 6, 5, {3, 3, 2, 2, 1, 1})};
    if (extent == Extent::Short) return pools;
    pools.push_back(pool(1, 1, 1, 1, {}));
    pools.push_back(pool(3, 8, 8, 17, {8, 8}));                // global
    pools.push_back(pool(2, 5, 6, 33, {3, 2, 1, 1, 2, 1}));    // most elements are in several windows
    pools.push_back(pool(1, 7, 7, 2, {2, 2, 3, 3}));           // some are in none
    pools.push_back(pool(5, 32, 32, 16, {3, 3, 2, 2, 1, 1}));  // distributed among threads
    return pools;
}

std::string nameOf(const PoolDesc& d) {
    return std::to_string(d.samples) + "x" + std::to_string(d.height) + "x" + std::to_string(d.width) + "x" + std::to_string(d.channels) +
           ", window " + std::to_string(d.window.height) + "x" + std::to_string(d.window.width);
}
std::string layoutOf(const PoolDesc& d) {
    return d.window.padHeight > 0 ? "padded" : "";
}

/// Limits of sums over a window, or over as many windows' gradients, then a division, whose rounding counts as one more term.
Values windowLimits(const PoolDesc& d, const Values& values, const Values& magnitudes) {
    Values limits;
    for (std::size_t i = 0; i < values.size(); ++i)
        limits.push_back(sumLimit(d.dtype, d.window.height * d.window.width + 1, magnitudes[i], values[i]));
    return limits;
}

/// Average: sums of numbers near the largest may overflow before the division.
std::vector<Inputs> inputsFor(Pooling kind) {
    if (kind == Pooling::Average) return {Inputs::Whole, Inputs::Normal, Inputs::Subnormal, Inputs::NonFinite};
    return {std::begin(kAllInputs), std::end(kAllInputs)};
}

void poolCases(Pooling kind, Dtype dtype, Extent extent, const CaseSink& sink) {
    for (const PoolDesc& d : poolsFor(kind, dtype, extent)) {
        for (const Inputs inputs : inputsFor(kind)) {
            const Floats x = elements(inputs, dtype, at(d.samples * d.height * d.width * d.channels), 151);
            const reference::Pooled expected = reference::pool(d, toDouble(x));
            const Values limits = windowLimits(d, expected.values, expected.magnitudes);
            const bool isMax = kind == Pooling::Max;
            sink({.desc = d,
                  .inputs = inputs,
                  .shape = nameOf(d),
                  .layout = layoutOf(d),
                  .operands = {
                      reads(dtype, x),
                      writes(dtype, isMax ? exactly(dtype, expected.values, kAnything) : within(dtype, expected.values, limits, kAnything)),
                      isMax ? writesLabels(expected.indices) : absent()}});
        }
    }
}

void poolGradCases(Pooling kind, Dtype dtype, Extent extent, const CaseSink& sink) {
    for (const PoolDesc& d : poolsFor(kind, dtype, extent)) {
        const Floats x = elements(Inputs::Whole, dtype, at(d.samples * d.height * d.width * d.channels), 152);  // many are equal
        const reference::Pooled forward = reference::pool(d, toDouble(x));
        for (const Inputs inputs : {Inputs::Whole, Inputs::Normal, Inputs::Subnormal, Inputs::NonFinite}) {
            const Floats g = elements(inputs, dtype, forward.values.size(), 153);
            const reference::Sums expected = reference::poolGrad(d, toDouble(g), forward.indices);
            const Values limits = windowLimits(d, expected.values, expected.magnitudes);
            const bool isExact = kind == Pooling::Max && inputs == Inputs::Whole;
            sink({.desc = PoolGradDesc{d},
                  .inputs = inputs,
                  .shape = nameOf(d),
                  .layout = layoutOf(d),
                  .operands = {reads(dtype, g), kind == Pooling::Max ? readsLabels(forward.indices) : absent(),
                               writes(dtype, isExact ? exactly(dtype, expected.values, kAnything)
                                                     : within(dtype, expected.values, limits, kAnything))}});
        }
    }
}

}  // namespace

void addPools(std::vector<Check>& checks) {
    for (const Dtype dtype : kStorageDtypes) {
        for (const Pooling kind : {Pooling::Max, Pooling::Average}) {
            const std::string name = kind == Pooling::Max ? "max pool" : "average pool";
            checks.push_back({name, dtype, formatName(dtype), std::bind_front(poolCases, kind, dtype)});
            checks.push_back({name + " gradient", dtype, formatName(dtype), std::bind_front(poolGradCases, kind, dtype)});
        }
    }
}

}  // namespace mantissa::conformance
