// SPDX-License-Identifier: Apache-2.0
// The row of unscaling: gradients, found_inf per parameter, and the step's scalars.
#include <algorithm>
#include <cmath>

#include "kernels/conformance/checks.h"
#include "kernels/conformance/inputs.h"
#include "kernels/conformance/tolerance.h"
#include "kernels/dtype/rounding.h"

namespace mantissa::conformance {
namespace {

struct UnscaleSetting {
    const char* name;
    StepScalars scalars;
};
const UnscaleSetting kUnscaleSettings[] = {
    {"by 1", {.inverseScale = 1, .skipOnFoundInf = 1}},
    {"by 2^-16, clips", {.inverseScale = 0x1p-16f, .maxGradNorm = 1e-4f, .skipOnFoundInf = 1}},
    {"by 1/3, bound not reached", {.inverseScale = 1.0f / 3, .maxGradNorm = 1e6f}},
    {"clips what is scaled", {.inverseScale = 0x1p-10f, .maxGradNorm = 2, .clipsScaled = 1, .skipOnFoundInf = 1}},
    {"by infinity, clips", {.inverseScale = kInf, .maxGradNorm = 1}},  // scale below fp32's range
};

double fp32(double value) {
    return static_cast<double>(static_cast<float>(value));
}

double normOf(const Values& values) {
    double squares = 0;
    for (const double v : values) squares += v * v;
    return std::sqrt(squares);
}

/// min(1, bound / (norm + 1e-6)); NaN with the norm.
double coefficientOf(double bound, double norm) {
    const double coefficient = bound / (norm + 1e-6);
    return coefficient > 1 ? 1 : coefficient;
}

/// All fields. The last three have limits above 0.
Values scalarsOf(const StepScalars& s) {
    return {static_cast<double>(s.lossGrad),      static_cast<double>(s.inverseScale), s.lr,
            static_cast<double>(s.maxGradNorm),   static_cast<double>(s.clipsScaled),  static_cast<double>(s.skipOnFoundInf),
            static_cast<double>(s.optimizerStep), static_cast<double>(s.hasMomentum),  static_cast<double>(s.foundInf),
            static_cast<double>(s.skipped),       static_cast<double>(s.gradNorm),     static_cast<double>(s.clipCoefficient),
            static_cast<double>(s.gradAbsMax)};
}

Values scalarsIn(std::span<const std::byte> bytes) {
    return scalarsOf(valueIn<StepScalars>(bytes));
}

struct Unscaled {
    Values gradients, gradientLimits, foundInf;
    StepScalars scalars;
    Values scalarLimits;
};

Unscaled unscaled(Dtype dtype, const Segments& segments, const Floats& before, const StepScalars& scalars) {
    const auto inverse = static_cast<double>(scalars.inverseScale), bound = static_cast<double>(scalars.maxGradNorm);
    const bool clips = bound > 0, clipsScaled = clips && scalars.clipsScaled != 0;
    Unscaled u{.gradients = toDouble(before),
               .gradientLimits = Values(before.size(), 0.0),
               .foundInf = Values(segments.size() - 1, 0.0),
               .scalars = scalars};
    const double scaledNorm = normOf(u.gradients);
    if (clipsScaled) {
        const double coefficient = coefficientOf(bound, fp32(scaledNorm));
        for (double& g : u.gradients) g *= coefficient;
    }
    double largest = 0, largestLimit = 0;
    for (std::size_t p = 0; p + 1 < segments.size(); ++p) {
        for (auto i = static_cast<std::size_t>(segments[p]); i < static_cast<std::size_t>(segments[p + 1]); ++i) {
            double& g = u.gradients[i];
            if (!std::isfinite(g)) u.foundInf[p] = 1;
            g = fp32(g * inverse);
            // One product is exact before its rounding to fp32, which is also applied here. A coefficient has four roundings before that,
            // and its result is stored in between.
            double limit = 0;
            if (clipsScaled) limit = storedLimit(dtype, chainLimit(Dtype::F32, 5, std::fabs(g), g) / inverse, g / inverse) * inverse;
            if (std::isnan(g) || std::fabs(g) > largest) {
                largest = std::fabs(g);
                largestLimit = limit;
            }
            if (clipsScaled) limit = storedLimit(dtype, limit, g);
            if (!clipsScaled) g = static_cast<double>(roundTo(dtype, static_cast<float>(g)));
            u.gradientLimits[i] = limit;
        }
    }
    const double norm = clipsScaled ? scaledNorm * inverse : normOf(u.gradients);
    const double coefficient = clips && !clipsScaled ? coefficientOf(bound, fp32(norm)) : 1;
    u.scalars.foundInf = static_cast<float>(*std::max_element(u.foundInf.begin(), u.foundInf.end()));
    u.scalars.skipped = u.scalars.foundInf != 0 && scalars.skipOnFoundInf != 0 ? 1 : 0;
    u.scalars.gradNorm = static_cast<float>(norm);
    u.scalars.clipCoefficient = static_cast<float>(coefficient);
    u.scalars.gradAbsMax = static_cast<float>(largest);
    u.scalarLimits = Values(scalarsOf(scalars).size() - 3, 0.0);
    const Values limits{normLimit(segments.back(), norm), chainLimit(Dtype::F32, 3, coefficient, coefficient), largestLimit};
    u.scalarLimits.insert(u.scalarLimits.end(), limits.begin(), limits.end());
    return u;
}

void unscaleCases(Dtype dtype, Extent extent, const CaseSink& sink) {
    for (const std::int64_t count : lengths(extent)) {
        if (count == 0) continue;
        Segments segments{0, count};
        if (count > 40) segments = {0, 5, 5, 40, count};  // one parameter is empty
        for (const Inputs inputs : kElementInputs) {
            const Floats gradients = elements(inputs, dtype, static_cast<std::size_t>(count), 31);
            for (const UnscaleSetting& setting : kUnscaleSettings) {
                // An infinite factor turns 0 into NaN and other values into Inf: which of them counts as the largest is unspecified.
                if (std::isinf(setting.scalars.inverseScale) && std::find(gradients.begin(), gradients.end(), 0.0f) != gradients.end())
                    continue;
                Unscaled u = unscaled(dtype, segments, gradients, setting.scalars);
                sink(arrayCase(UnscaleDesc{segments, dtype}, inputs, count, setting.name,
                               {updates(dtype, gradients, {u.gradients, u.gradientLimits, kAnything}),
                                writes(Dtype::F32, {u.foundInf, {0}, kAnything}),
                                {.role = Role::Updated,
                                 .before = bytesOf(setting.scalars),
                                 .decode = scalarsIn,
                                 .after = {scalarsOf(u.scalars), u.scalarLimits, kAnything}}}));
            }
        }
    }
}

}  // namespace

void addUnscale(std::vector<Check>& checks) {
    for (const Dtype dtype : kParameterDtypes) {
        checks.push_back({"unscale", dtype, formatName(dtype), std::bind_front(unscaleCases, dtype)});
    }
}

}  // namespace mantissa::conformance
