// SPDX-License-Identifier: Apache-2.0
// Rows of the optimizers: one step from a given state, in fp32, stored in the format. Steps with exact arithmetic test the rounding to a
// narrower format: nearest even, stochastic, and with Kahan's compensation.
#include <cmath>

#include "kernels/conformance/checks.h"
#include "kernels/conformance/inputs.h"
#include "kernels/conformance/tolerance.h"
#include "kernels/dtype/rounding.h"

namespace mantissa::conformance {
namespace {

constexpr double kLr = 0.01;

/// Values beyond fp32's range become Inf, as in a backend.
double inRange(double value) {
    return std::isfinite(static_cast<float>(value)) ? value : static_cast<double>(static_cast<float>(value));
}

/// Normal numbers, or subnormal ones if the gradients are subnormal.
Floats stateOf(Inputs inputs, Dtype dtype, std::size_t count, unsigned seed) {
    return elements(inputs == Inputs::Subnormal ? inputs : Inputs::Normal, dtype, count, seed);
}

Operand readsScalars(const StepScalars& scalars) {
    return {.before = bytesOf(scalars)};
}

Operand stays(Dtype dtype, const Floats& values) {
    return updates(dtype, values, exactly(dtype, toDouble(values), kAnything));
}
/// `limits`: of the fp32 values, before storage.
Operand becomes(Dtype dtype, const Floats& before, Values values, Values limits) {
    for (std::size_t i = 0; i < limits.size(); ++i) limits[i] = storedLimit(dtype, limits[i], values[i]);
    return updates(dtype, before, within(dtype, std::move(values), std::move(limits), kAnything));
}

/// Without isDecoupled, the decay is added to the gradient: Adam.
void adamwCase(ParameterStorage storage, std::int64_t count, std::int64_t step, double weightDecay, bool isDecoupled, Inputs inputs,
               const CaseSink& sink) {
    const auto n = static_cast<std::size_t>(count);
    const Dtype dtype = storage.dtype, moments = storage.ofMoments();
    const AdamWDesc d{.count = count, .weightDecay = weightDecay, .storage = storage, .isDecoupled = isDecoupled};
    const StepScalars scalars{.lr = kLr, .optimizerStep = step - 1, .clipCoefficient = 0.25f};
    const Floats w = elements(Inputs::Normal, dtype, n, 41), g = elements(inputs, dtype, n, 42), m = stateOf(inputs, moments, n, 43);
    Floats v = stateOf(inputs, moments, n, 44);
    for (float& value : v) value = std::fabs(value);
    const auto t = static_cast<double>(step);
    const double rootCorrection = std::sqrt(1 - std::pow(d.beta2, t)), stepSize = kLr / (1 - std::pow(d.beta1, t));
    Values newW, newM, newV, wLimits, mLimits, vLimits;
    for (std::size_t i = 0; i < n; ++i) {
        const auto oldM = static_cast<double>(m[i]);
        // Adam's sum with the decay is in fp32, as in a backend, since it may cancel.
        const float clipped = g[i] * scalars.clipCoefficient;
        const auto gradient = static_cast<double>(isDecoupled ? clipped : clipped + static_cast<float>(d.weightDecay) * w[i]);
        newM.push_back(oldM + (1 - d.beta1) * (gradient - oldM));
        newV.push_back(inRange(d.beta2 * static_cast<double>(v[i]) + (1 - d.beta2) * gradient * gradient));
        newW.push_back(static_cast<double>(w[i]) * (1 - (isDecoupled ? kLr * d.weightDecay : 0)) -
                       stepSize * newM[i] / (std::sqrt(newV[i]) / rootCorrection + d.epsilon));
        const AdamWLimits limits = adamwLimits(gradient, oldM, newM[i], newV[i], rootCorrection, d.epsilon, stepSize, newW[i]);
        mLimits.push_back(limits.m);
        vLimits.push_back(limits.v);
        wLimits.push_back(std::isinf(newV[i]) ? chainLimit(Dtype::F32, 3, std::fabs(newW[i]), newW[i]) : limits.weight);  // the update is 0
    }
    sink(arrayCase(d, inputs, count,
                   "step " + std::to_string(step) +
                       (weightDecay == 0 ? ""
                        : isDecoupled    ? ", decay"
                                         : ", decay in the gradient") +
                       (moments == dtype ? "" : ", moments in " + formatName(moments)),
                   {becomes(dtype, w, newW, wLimits), reads(dtype, g), becomes(moments, m, newM, mLimits),
                    becomes(moments, v, newV, vLimits), readsScalars(scalars), absent()}));
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

void sgdCase(Dtype dtype, std::int64_t count, const SgdSetting& s, Inputs inputs, const CaseSink& sink) {
    const auto n = static_cast<std::size_t>(count);
    const SgdDesc d{count, s.momentum, s.dampening, s.weightDecay, s.nesterov, {.dtype = dtype}};
    const StepScalars scalars{.lr = kLr, .optimizerStep = 5, .hasMomentum = s.isFirst ? 0 : 1, .clipCoefficient = 0.5f};
    const Floats w = elements(Inputs::Normal, dtype, n, 51), g = elements(inputs, dtype, n, 52), buffer = stateOf(inputs, dtype, n, 53);
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
    sink(arrayCase(d, inputs, count, s.name,
                   {becomes(dtype, w, newW, wLimits), reads(dtype, g),
                    d.momentum == 0 ? absent() : becomes(dtype, buffer, newBuffer, bufferLimits), readsScalars(scalars), absent()}));
}

/// The sign is that of an fp32 sum, computed as in a backend, since a sum near 0 may have either sign.
void lionCase(Dtype dtype, std::int64_t count, double weightDecay, Inputs inputs, const CaseSink& sink) {
    const auto n = static_cast<std::size_t>(count);
    const LionDesc d{.count = count, .weightDecay = weightDecay, .storage = {.dtype = dtype}};
    const StepScalars scalars{.lr = kLr, .optimizerStep = 5, .clipCoefficient = 0.5f};
    const Floats w = elements(Inputs::Normal, dtype, n, 45), g = elements(inputs, dtype, n, 46), m = stateOf(inputs, dtype, n, 47);
    Values newW, newM, wLimits, mLimits;
    for (std::size_t i = 0; i < n; ++i) {
        const float gradient = g[i] * scalars.clipCoefficient;
        const float direction = m[i] * static_cast<float>(d.beta1) + gradient * static_cast<float>(1 - d.beta1);
        const double update = direction > 0   ? kLr
                              : direction < 0 ? -kLr
                                              : 0,
                     kept = d.beta2 * static_cast<double>(m[i]), added = (1 - d.beta2) * static_cast<double>(gradient);
        newW.push_back(static_cast<double>(w[i]) * (1 - kLr * d.weightDecay) - update);
        newM.push_back(inRange(kept + added));
        wLimits.push_back(
            chainLimit(Dtype::F32, 4, std::fabs(static_cast<double>(w[i])) + kLr, newW[i]));        // two constants, product, difference
        mLimits.push_back(chainLimit(Dtype::F32, 5, std::fabs(kept) + std::fabs(added), newM[i]));  // two constants, two products, a sum
    }
    sink(arrayCase(d, inputs, count, weightDecay == 0 ? "" : "decay",
                   {becomes(dtype, w, newW, wLimits), reads(dtype, g), becomes(dtype, m, newM, mLimits), readsScalars(scalars), absent()}));
}

/// A skipped step changes nothing, even with non-finite gradients. `operands`: those before the scalars; `last`: the one after them.
void skippedCase(const OperationDesc& desc, std::int64_t count, std::vector<Operand> operands, const CaseSink& sink,
                 Operand last = absent()) {
    operands.push_back(readsScalars({.lr = kLr, .optimizerStep = 3, .foundInf = 1, .skipped = 1}));
    operands.push_back(std::move(last));
    sink(arrayCase(desc, Inputs::NonFinite, count, "skipped", std::move(operands)));
}

void lionCases(Dtype dtype, Extent extent, const CaseSink& sink) {
    for (const std::int64_t count : lengths(extent)) {
        for (const Inputs inputs : kElementInputs) {
            lionCase(dtype, count, 0, inputs, sink);
            lionCase(dtype, count, 0.1, inputs, sink);
        }
        const Floats state = elements(Inputs::Normal, dtype, static_cast<std::size_t>(count), 61);
        skippedCase(LionDesc{.count = count, .storage = {.dtype = dtype}}, count,
                    {stays(dtype, state), reads(dtype, state), stays(dtype, state)}, sink);
    }
}

/// From the nearer end, as torch.lerp: a weight of 0.5 or more makes NaN of an infinite end.
double interpolated(double from, double to, double weight) {
    return weight < 0.5 ? from + weight * (to - from) : to - (to - from) * (1 - weight);
}

/// Muon's momentum, with its moment in the weights' format and in BF16, and its direction.
void muonMomentumCase(ParameterStorage storage, std::int64_t count, double momentum, bool nesterov, Inputs inputs, const CaseSink& sink) {
    const auto n = static_cast<std::size_t>(count);
    const Dtype moments = storage.ofMoments();
    const StepScalars scalars{.lr = kLr, .optimizerStep = 5, .clipCoefficient = 0.5f};
    const Floats g = elements(inputs, storage.dtype, n, 141), m = stateOf(inputs, moments, n, 142);
    Values newM, direction, mLimits, limits;
    for (std::size_t i = 0; i < n; ++i) {
        const auto gradient = static_cast<double>(g[i] * scalars.clipCoefficient), old = static_cast<double>(m[i]);
        const double size = std::fabs(gradient) + std::fabs(old);
        newM.push_back(inRange(interpolated(old, gradient, 1 - momentum)));
        direction.push_back(nesterov ? interpolated(gradient, newM[i], momentum) : newM[i]);
        mLimits.push_back(chainLimit(Dtype::F32, 4, size, newM[i]));      // a constant, difference, product, sum
        limits.push_back(chainLimit(Dtype::F32, 8, size, direction[i]));  // the same again
    }
    sink(arrayCase(MuonMomentumDesc{count, momentum, nesterov, storage}, inputs, count,
                   std::string(nesterov ? "Nesterov, " : "") + (momentum < 0.5 ? "small " : "") + "momentum" +
                       (moments == storage.dtype ? "" : ", moment in " + formatName(moments)),
                   {reads(storage.dtype, g), becomes(moments, m, newM, mLimits), readsScalars(scalars),
                    writes(Dtype::F32, within(Dtype::F32, std::move(direction), std::move(limits), kAnything))}));
}

void muonMomentumCases(Dtype dtype, Extent extent, const CaseSink& sink) {
    for (const std::int64_t count : lengths(extent)) {
        for (const Inputs inputs : kElementInputs) {
            muonMomentumCase({.dtype = dtype}, count, 0.95, true, inputs, sink);
            muonMomentumCase({.dtype = dtype}, count, 0.3, true, inputs, sink);
            muonMomentumCase({.dtype = dtype}, count, 0.95, false, inputs, sink);
            if (dtype != Dtype::BF16) muonMomentumCase({.dtype = dtype, .moments = Dtype::BF16}, count, 0.95, true, inputs, sink);
        }
        const Floats state = elements(Inputs::Normal, dtype, static_cast<std::size_t>(count), 61);
        skippedCase(MuonMomentumDesc{.count = count, .storage = {.dtype = dtype}}, count,
                    {reads(dtype, Floats(state.size(), kNan)), stays(dtype, state)}, sink,
                    writes(Dtype::F32, exactly(Dtype::F32, Values(state.size()), kAnything)));
    }
}

/// The norm may be rounded to the number beside the reference's.
void normalizeCase(Dtype dtype, std::int64_t count, Inputs inputs, float factor, const CaseSink& sink) {
    const auto n = static_cast<std::size_t>(count);
    const NormalizeDesc d{.count = count, .to = dtype};
    Floats src = elements(inputs, Dtype::F32, n, 143);
    double sum = 0;
    for (float& x : src) {
        x *= factor;
        const auto rounded = static_cast<double>(roundTo(dtype, x, {}, 0));
        sum += rounded * rounded;
    }
    const float norm = std::fmax(roundTo(dtype, static_cast<float>(std::sqrt(sum)), {}, 0), std::isnan(sum) ? NAN : d.epsilon);
    Values quotients, limits;
    for (std::size_t i = 0; i < n; ++i) {
        const double quotient = static_cast<double>(roundTo(dtype, src[i], {}, 0)) / static_cast<double>(std::isnan(sum) ? NAN : norm);
        quotients.push_back(quotient);
        limits.push_back(storedLimit(
            dtype, chainLimit(Dtype::F32, 2, std::fabs(quotient), quotient) + std::fabs(quotient) * facts(dtype).epsilon, quotient));
    }
    sink(arrayCase(d, inputs, count,
                   factor == 0  ? "zeros"
                   : factor < 1 ? "below epsilon"
                                : "",
                   {reads(Dtype::F32, src), writes(dtype, within(dtype, std::move(quotients), std::move(limits), kAnything))}));
}

void normalizeCases(Dtype dtype, Extent extent, const CaseSink& sink) {
    for (const std::int64_t count : lengths(extent)) {
        for (const Inputs inputs : kElementInputs) normalizeCase(dtype, count, inputs, 1, sink);
        normalizeCase(dtype, count, Inputs::Normal, 0, sink);
        normalizeCase(dtype, count, Inputs::Normal, 0x1p-40f, sink);
    }
}

struct Update {
    const char* name;
    WeightUpdate kind;
};
constexpr Update kUpdates[] = {
    {"to nearest even", WeightUpdate::NearestEven}, {"stochastic", WeightUpdate::Stochastic}, {"Kahan", WeightUpdate::Kahan}};

/// New weights as stored, and the compensation of Kahan's update. `exact`: before rounding; fp32 holds it.
struct Written {
    Values weights, lost;
};
Written written(const ParameterStorage& storage, std::int64_t step, const Values& exact, const Floats& lostBefore) {
    const RoundingMode drawn{.rounding = Rounding::Stochastic, .stream = static_cast<std::uint32_t>(step), .seed = storage.seed};
    const bool isKahan = storage.update == WeightUpdate::Kahan;
    Written result;
    for (std::size_t i = 0; i < exact.size(); ++i) {
        const auto value = static_cast<float>(exact[i] + (isKahan ? static_cast<double>(lostBefore[i]) : 0));
        const float rounded = roundTo(storage.dtype, value, storage.update == WeightUpdate::Stochastic ? drawn : RoundingMode{},
                                      static_cast<std::size_t>(storage.firstElement) + i);
        result.weights.push_back(static_cast<double>(rounded));
        result.lost.push_back(static_cast<double>(value - rounded));
    }
    return result;
}

/// Weights of 1 to 2 and of both signs change by small multiples of 2^-14 (SGD), or shrink by 2^-6 of their value (AdamW without a
/// gradient): at most 18 bits, so fp32 is exact.
void exactStepCase(Dtype dtype, bool isAdamW, std::int64_t count, const Update& update, const CaseSink& sink) {
    const auto n = static_cast<std::size_t>(count);
    constexpr std::int64_t kStep = 9;
    const ParameterStorage storage{dtype, update.kind, 5, 37};
    const StepScalars scalars{.lr = isAdamW ? 0x1p-4 : 0x1p-14, .optimizerStep = kStep, .hasMomentum = 1};
    const Floats nothing(n, 0.0f), g = isAdamW ? nothing : wholes(n, 63);
    Floats w = wholes(n, 62, 127), lost = wholes(n, 64);
    Values exact;
    for (std::size_t i = 0; i < n; ++i) {
        w[i] = std::copysign(1 + std::fabs(w[i]) / 128, w[i]);
        lost[i] *= 0x1p-14f;
        const auto weight = static_cast<double>(w[i]);
        exact.push_back(isAdamW ? weight * (1 - 0x1p-6) : weight - scalars.lr * static_cast<double>(g[i]));
    }
    const Written after = written(storage, kStep, exact, lost);
    std::vector<Operand> operands{updates(dtype, w, exactly(dtype, after.weights, kAnything)), reads(dtype, g)};
    if (isAdamW) {
        operands.push_back(stays(dtype, nothing));
        operands.push_back(stays(dtype, nothing));
    } else {
        operands.push_back(absent());
    }
    operands.push_back(readsScalars(scalars));
    operands.push_back(update.kind == WeightUpdate::Kahan ? updates(dtype, lost, exactly(dtype, after.lost, kAnything)) : absent());
    const OperationDesc desc = isAdamW ? OperationDesc(AdamWDesc{.count = count, .weightDecay = 0x1p-2, .storage = storage})
                                       : OperationDesc(SgdDesc{.count = count, .storage = storage});
    sink(arrayCase(desc, Inputs::Whole, count, update.name, std::move(operands)));
}

void muonUpdateCase(ParameterStorage storage, std::int64_t count, Dtype direction, double weightDecay, Inputs inputs,
                    const CaseSink& sink) {
    const auto n = static_cast<std::size_t>(count);
    const MuonUpdateDesc d{count, 1.6, weightDecay, direction, storage};
    const Floats w = elements(Inputs::Normal, storage.dtype, n, 144), along = elements(inputs, direction, n, 145);
    Values newW, limits;
    for (std::size_t i = 0; i < n; ++i) {
        const double kept = static_cast<double>(w[i]) * (1 - kLr * weightDecay), added = kLr * d.rateFactor * static_cast<double>(along[i]);
        newW.push_back(inRange(kept - added));
        limits.push_back(chainLimit(Dtype::F32, 5, std::fabs(kept) + std::fabs(added), newW[i]));  // two constants, two products, a sum
    }
    sink(arrayCase(
        d, inputs, count, "along " + formatName(direction) + (weightDecay == 0 ? "" : ", decay"),
        {becomes(storage.dtype, w, newW, limits), reads(direction, along), readsScalars({.lr = kLr, .optimizerStep = 5}), absent()}));
}

/// As exactStepCase, for SGD.
void muonExactCase(Dtype dtype, std::int64_t count, const Update& update, const CaseSink& sink) {
    const auto n = static_cast<std::size_t>(count);
    constexpr std::int64_t kStep = 9;
    const ParameterStorage storage{dtype, update.kind, 5, 37};
    Floats w = wholes(n, 146, 127), lost = wholes(n, 147);
    const Floats along = wholes(n, 148);
    Values exact;
    for (std::size_t i = 0; i < n; ++i) {
        w[i] = std::copysign(1 + std::fabs(w[i]) / 128, w[i]);
        lost[i] *= 0x1p-14f;
        exact.push_back(static_cast<double>(w[i]) - 0x1p-14 * static_cast<double>(along[i]));
    }
    const Written after = written(storage, kStep, exact, lost);
    sink(arrayCase(MuonUpdateDesc{count, 0.5, 0, Dtype::F32, storage}, Inputs::Whole, count, update.name,
                   {updates(dtype, w, exactly(dtype, after.weights, kAnything)), reads(Dtype::F32, along),
                    readsScalars({.lr = 0x1p-13, .optimizerStep = kStep}),
                    update.kind == WeightUpdate::Kahan ? updates(dtype, lost, exactly(dtype, after.lost, kAnything)) : absent()}));
}

void muonUpdateCases(Dtype dtype, Extent extent, const CaseSink& sink) {
    for (const std::int64_t count : lengths(extent)) {
        for (const Inputs inputs : kElementInputs) {
            for (const Dtype direction : {Dtype::BF16, Dtype::F32}) muonUpdateCase({.dtype = dtype}, count, direction, 0.1, inputs, sink);
            muonUpdateCase({.dtype = dtype}, count, Dtype::F16, 0, inputs, sink);
        }
        const Floats state = elements(Inputs::Normal, dtype, static_cast<std::size_t>(count), 61);
        skippedCase(MuonUpdateDesc{.count = count, .storage = {.dtype = dtype}}, count,
                    {stays(dtype, state), reads(Dtype::BF16, Floats(state.size(), kNan))}, sink);
        if (dtype == Dtype::F32) continue;  // no rounding
        for (const Update& update : kUpdates) muonExactCase(dtype, count, update, sink);
    }
}

void optimizerCases(Dtype dtype, bool isAdamW, Extent extent, const CaseSink& sink) {
    for (const std::int64_t count : lengths(extent)) {
        for (const Inputs inputs : kElementInputs) {
            if (isAdamW) {
                adamwCase({dtype}, count, 1, 0, true, inputs, sink);
                adamwCase({dtype}, count, 1000, 0.1, true, inputs, sink);
                adamwCase({dtype}, count, 1000, 0.1, false, inputs, sink);
                for (const Dtype moments : kParameterDtypes) {
                    if (moments != dtype) adamwCase({.dtype = dtype, .moments = moments}, count, 1000, 0.1, true, inputs, sink);
                }
            } else {
                for (const SgdSetting& setting : kSgdSettings) sgdCase(dtype, count, setting, inputs, sink);
            }
        }
        const Floats state = elements(Inputs::Normal, dtype, static_cast<std::size_t>(count), 61);
        std::vector<Operand> operands{stays(dtype, state), reads(dtype, Floats(state.size(), kNan)), stays(dtype, state)};
        if (isAdamW) operands.push_back(stays(dtype, state));
        skippedCase(isAdamW ? OperationDesc(AdamWDesc{.count = count, .storage = {.dtype = dtype}})
                            : OperationDesc(SgdDesc{.count = count, .momentum = 0.9, .storage = {.dtype = dtype}}),
                    count, std::move(operands), sink);
        if (dtype == Dtype::F32) continue;  // no rounding
        for (const Update& update : kUpdates) exactStepCase(dtype, isAdamW, count, update, sink);
    }
}

}  // namespace

void addOptimizers(std::vector<Check>& checks) {
    for (const Dtype dtype : kParameterDtypes) {
        const std::string format = formatName(dtype);
        checks.push_back({"adamw", dtype, format, std::bind_front(optimizerCases, dtype, true)});
        checks.push_back({"sgd", dtype, format, std::bind_front(optimizerCases, dtype, false)});
        checks.push_back({"muon_momentum", dtype, format, std::bind_front(muonMomentumCases, dtype)});
        checks.push_back({"normalize", dtype, format, std::bind_front(normalizeCases, dtype)});
        checks.push_back({"muon", dtype, format, std::bind_front(muonUpdateCases, dtype)});
        checks.push_back({"lion", dtype, format, std::bind_front(lionCases, dtype)});
    }
}

}  // namespace mantissa::conformance
