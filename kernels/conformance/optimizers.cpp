// SPDX-License-Identifier: Apache-2.0
// Rows of the optimizers: one step from a given state, fp32.
#include <cmath>
#include <limits>

#include "kernels/conformance/checks.h"
#include "kernels/conformance/inputs.h"
#include "kernels/conformance/tolerance.h"

namespace mantissa::conformance {
namespace {

constexpr Inputs kGradients[] = {Inputs::Normal, Inputs::Subnormal, Inputs::Overflow, Inputs::NonFinite};
constexpr double kLr = 0.01;

/// Beyond fp32's range it is Inf, here as there.
double inRange(double value) {
    return std::isfinite(static_cast<float>(value)) ? value : static_cast<double>(static_cast<float>(value));
}

/// A state of normal numbers, or of subnormal ones where the gradients are.
Floats stateOf(Inputs inputs, std::size_t count, unsigned seed) {
    return elements(inputs == Inputs::Subnormal ? inputs : Inputs::Normal, Dtype::F32, count, seed);
}

void takeMagnitudes(Floats& values) {
    for (float& v : values) v = std::fabs(v);
}

Operand readsScalars(const StepScalars& scalars) {
    return {.before = bytesOf(scalars)};
}

Operand stays(const Floats& values) {
    return updates(Dtype::F32, values, exactly(Dtype::F32, toDouble(values), optionsFor(0)));
}
Operand becomes(const Floats& before, Values values, Values limits) {
    return updates(Dtype::F32, before, within(Dtype::F32, std::move(values), std::move(limits), optionsFor(0)));
}

void adamwCase(std::int64_t count, std::int64_t step, double weightDecay, Inputs inputs, const CaseSink& sink) {
    const auto n = static_cast<std::size_t>(count);
    const AdamWDesc d{.count = count, .weightDecay = weightDecay};
    const StepScalars scalars{.lr = kLr, .optimizerStep = step - 1, .clipCoefficient = 0.25f};
    const Floats w = normals(n, 41), g = elements(inputs, Dtype::F32, n, 42), m = stateOf(inputs, n, 43);
    Floats v = stateOf(inputs, n, 44);
    takeMagnitudes(v);
    const auto t = static_cast<double>(step);
    const double rootCorrection = std::sqrt(1 - std::pow(d.beta2, t)), stepSize = kLr / (1 - std::pow(d.beta1, t));
    Values newW, newM, newV, wLimits, mLimits, vLimits;
    for (std::size_t i = 0; i < n; ++i) {
        const auto gradient = static_cast<double>(g[i] * scalars.clipCoefficient), oldM = static_cast<double>(m[i]);
        newM.push_back(oldM + (1 - d.beta1) * (gradient - oldM));
        newV.push_back(inRange(d.beta2 * static_cast<double>(v[i]) + (1 - d.beta2) * gradient * gradient));
        newW.push_back(static_cast<double>(w[i]) * (1 - kLr * d.weightDecay) -
                       stepSize * newM[i] / (std::sqrt(newV[i]) / rootCorrection + d.epsilon));
        const AdamWLimits limits = adamwLimits(gradient, oldM, newM[i], newV[i], rootCorrection, d.epsilon, stepSize, newW[i]);
        mLimits.push_back(limits.m);
        vLimits.push_back(limits.v);
        wLimits.push_back(std::isinf(newV[i]) ? chainLimit(Dtype::F32, 3, std::fabs(newW[i]), newW[i]) : limits.weight);  // no update
    }
    sink({.desc = d,
          .inputs = inputs,
          .shape = std::to_string(count),
          .layout = "step " + std::to_string(step) + (weightDecay == 0 ? "" : ", decay"),
          .operands = {becomes(w, newW, wLimits), reads(Dtype::F32, g), becomes(m, newM, mLimits), becomes(v, newV, vLimits),
                       readsScalars(scalars)}});
}

struct SgdSetting {
    const char* name;
    double momentum, dampening, weightDecay;
    bool nesterov, isFirst;
};
constexpr SgdSetting kSgdSettings[] = {
    {"plain", 0, 0, 0, false, false},
    {"decay", 0, 0, 0.1, false, false},
    {"momentum, first step", 0.9, 0.3, 0, false, true},
    {"momentum", 0.9, 0, 0, false, false},
    {"momentum, dampening, decay", 0.9, 0.3, 0.01, false, false},
    {"Nesterov, decay", 0.9, 0, 0.01, true, false},
};

void sgdCase(std::int64_t count, const SgdSetting& s, Inputs inputs, const CaseSink& sink) {
    const auto n = static_cast<std::size_t>(count);
    const SgdDesc d{count, s.momentum, s.dampening, s.weightDecay, s.nesterov};
    const StepScalars scalars{.lr = kLr, .optimizerStep = 5, .hasMomentum = s.isFirst ? 0 : 1, .clipCoefficient = 0.5f};
    const Floats w = normals(n, 51), g = elements(inputs, Dtype::F32, n, 52), buffer = stateOf(inputs, n, 53);
    Values newW, newBuffer, wLimits, bufferLimits;
    for (std::size_t i = 0; i < n; ++i) {
        const auto gradient = static_cast<double>(g[i] * scalars.clipCoefficient), weight = static_cast<double>(w[i]);
        const double decayed = gradient + d.weightDecay * weight, decayedSize = std::fabs(gradient) + d.weightDecay * std::fabs(weight);
        double direction = decayed, size = decayedSize;
        if (d.momentum != 0) {
            const auto old = static_cast<double>(buffer[i]);
            newBuffer.push_back(inRange(s.isFirst ? decayed : d.momentum * old + (1 - d.dampening) * decayed));
            size = s.isFirst ? decayedSize : d.momentum * std::fabs(old) + (1 - d.dampening) * decayedSize;
            bufferLimits.push_back(sgdBufferLimit(size, newBuffer[i]));
            direction = newBuffer[i];
            if (d.nesterov) {
                direction = inRange(decayed + d.momentum * newBuffer[i]);
                size = decayedSize + d.momentum * size;
            }
        }
        newW.push_back(weight - kLr * direction);
        wLimits.push_back(sgdWeightLimit(kLr, size, newW[i]));
    }
    sink({.desc = d,
          .inputs = inputs,
          .shape = std::to_string(count),
          .layout = s.name,
          .operands = {becomes(w, newW, wLimits), reads(Dtype::F32, g),
                       d.momentum == 0 ? absent() : becomes(buffer, newBuffer, bufferLimits), readsScalars(scalars)}});
}

/// A skipped step leaves everything as it was, whatever the gradients hold.
void skippedCase(const OperationDesc& desc, std::int64_t count, const CaseSink& sink) {
    const Floats state = normals(static_cast<std::size_t>(count), 61), gradients(state.size(), std::numeric_limits<float>::quiet_NaN());
    const Operand scalars = readsScalars({.lr = kLr, .optimizerStep = 3, .foundInf = 1, .skipped = 1});
    std::vector<Operand> operands{stays(state), reads(Dtype::F32, gradients), stays(state)};
    if (std::holds_alternative<AdamWDesc>(desc)) operands.push_back(stays(state));
    operands.push_back(scalars);
    sink({.desc = desc, .inputs = Inputs::NonFinite, .shape = std::to_string(count), .layout = "skipped", .operands = operands});
}

}  // namespace

void addOptimizers(std::vector<Check>& checks) {
    checks.push_back({"adamw", Dtype::F32, "fp32", [](Extent extent, const CaseSink& sink) {
                          for (const std::int64_t count : lengths(extent)) {
                              for (const Inputs inputs : kGradients) {
                                  adamwCase(count, 1, 0, inputs, sink);
                                  adamwCase(count, 1000, 0.1, inputs, sink);
                              }
                              skippedCase(AdamWDesc{.count = count}, count, sink);
                          }
                      }});
    checks.push_back({"sgd", Dtype::F32, "fp32", [](Extent extent, const CaseSink& sink) {
                          for (const std::int64_t count : lengths(extent)) {
                              for (const Inputs inputs : kGradients) {
                                  for (const SgdSetting& setting : kSgdSettings) sgdCase(count, setting, inputs, sink);
                              }
                              skippedCase(SgdDesc{.count = count, .momentum = 0.9}, count, sink);
                          }
                      }});
}

}  // namespace mantissa::conformance
