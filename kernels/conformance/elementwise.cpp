// SPDX-License-Identifier: Apache-2.0
// Rows of activations and their gradients.
#include "kernels/conformance/checks.h"
#include "kernels/conformance/inputs.h"
#include "kernels/conformance/reference.h"
#include "kernels/conformance/tolerance.h"
#include "kernels/dtype/rounding.h"

namespace mantissa::conformance {

std::vector<std::int64_t> lengths(Extent extent) {
    if (extent == Extent::Short) return {0, 1, 17, 1031};
    return {0, 1, 2, 15, 16, 17, 31, 64, 1023, 1024, 1025, 3001, 65537};
}

namespace {

constexpr Activation kActivations[] = {Activation::Relu, Activation::Gelu, Activation::Tanh, Activation::Sigmoid, Activation::Silu};

/// Where tanh and sigmoid saturate, constant results and zero gradients are correct.
CompareOptions optionsOf(std::int64_t count, Inputs inputs) {
    return inputs == Inputs::Normal || inputs == Inputs::NonFinite ? optionsFor(static_cast<std::size_t>(count)) : optionsFor(0);
}

void activationCases(Activation kind, Dtype dtype, Extent extent, const CaseSink& sink) {
    for (const std::int64_t count : lengths(extent)) {
        for (const Inputs inputs : kElementInputs) {
            const Floats x = elements(inputs, dtype, static_cast<std::size_t>(count), 11);
            Values values, limits;
            for (const float value : x) {
                const auto v = static_cast<double>(value);
                values.push_back(reference::activation(kind, v));
                limits.push_back(activationLimit(kind, dtype, v, values.back()));
            }
            sink({.desc = ActivationDesc{kind, count, dtype},
                  .inputs = inputs,
                  .shape = std::to_string(count),
                  .operands = {reads(dtype, x), writes(dtype, within(dtype, values, limits, optionsOf(count, inputs)))}});
        }
    }
}

void activationGradCases(Activation kind, Dtype dtype, Extent extent, const CaseSink& sink) {
    for (const std::int64_t count : lengths(extent)) {
        for (const Inputs inputs : kElementInputs) {
            const auto n = static_cast<std::size_t>(count);
            // Extreme gradients have moderate x: elsewhere the derivative is 0 in fp32 and not quite 0 in double.
            const Floats gradOutput = elements(inputs, dtype, n, 12);
            const Floats x = elements(inputs == Inputs::Subnormal ? inputs : Inputs::Normal, dtype, n, 13);
            Floats y;
            Values values, limits;
            for (std::size_t i = 0; i < n; ++i) {
                const auto g = static_cast<double>(gradOutput[i]), v = static_cast<double>(x[i]);
                y.push_back(roundTo(dtype, static_cast<float>(reference::activation(kind, v))));
                values.push_back(reference::activationGrad(kind, g, v, static_cast<double>(y[i])));
                limits.push_back(activationGradLimit(kind, dtype, g, v, values.back()));
            }
            sink({.desc = ActivationGradDesc{kind, count, dtype},
                  .inputs = inputs,
                  .shape = std::to_string(count),
                  .operands = {reads(dtype, gradOutput), reads(dtype, gradientSeesOutput(kind) ? y : x),
                               writes(dtype, within(dtype, values, limits, optionsOf(count, inputs)))}});
        }
    }
}

}  // namespace

void addElementwise(std::vector<Check>& checks) {
    for (const Dtype dtype : kStorageDtypes) {
        for (const Activation kind : kActivations) {
            const std::string name(activationName(kind)), format(facts(dtype).name);
            checks.push_back(
                {name, dtype, format, [=](Extent extent, const CaseSink& sink) { activationCases(kind, dtype, extent, sink); }});
            checks.push_back({name + " gradient", dtype, format,
                              [=](Extent extent, const CaseSink& sink) { activationGradCases(kind, dtype, extent, sink); }});
        }
    }
}

}  // namespace mantissa::conformance
