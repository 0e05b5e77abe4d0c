// SPDX-License-Identifier: Apache-2.0
#include "kernels/conformance/product_inputs.h"

#include <algorithm>
#include <cmath>

#include "kernels/conformance/inputs.h"
#include "kernels/dtype/rounding.h"

namespace mantissa::conformance {

Dtype computeOf(Dtype storage, const MatmulDesc& d) {
    return d.isScaled ? storage : d.compute;
}

Dtype operandFormat(Dtype storage, const MatmulDesc& d) {
    const Dtype compute = computeOf(storage, d);
    return facts(compute).mantissaBits < facts(storage).mantissaBits ? compute : storage;
}

Scales scalesOf(const MatmulDesc& d, Inputs inputs) {
    if (!d.isScaled) return {};
    return inputs == Inputs::Normal ? Scales{1.0f / 3, 1.0f / 7} : Scales{4, 0.125f};
}

double powerOfTwo(double atMost) {
    return std::exp2(std::floor(std::log2(atMost)));
}

Units subnormalUnits(const MatmulDesc& d) {
    const double smallestSum = facts(Dtype::F32).minSubnormal;
    Units units{.a = facts(operandFormat(d.a, d)).minSubnormal};
    units.b = std::max(facts(d.out).minSubnormal / 4, smallestSum) / units.a;
    units.b = std::clamp(units.b, facts(operandFormat(d.b, d)).minSubnormal, largestUnit(d.b));
    units.b = std::max(units.b, smallestSum / units.a);
    return units;
}

Units overflowUnits(const MatmulDesc& d) {
    const double factor = scalesOf(d, Inputs::Overflow).factor();
    const double unit = powerOfTwo(facts(d.out).overflowFrom / factor / (8 * static_cast<double>(d.k)));
    Units units{.a = std::min(powerOfTwo(std::sqrt(unit)), largestUnit(operandFormat(d.a, d)))};
    units.b = std::min(unit / units.a, largestUnit(operandFormat(d.b, d)));
    return units;
}

void scale(Floats& values, double unit) {
    for (float& v : values) v = static_cast<float>(static_cast<double>(v) * unit);
}

void takeMagnitudes(Floats& values) {
    for (float& v : values) v = std::max(1.0f, std::fabs(v));
}

Factors drawFactors(const MatmulDesc& d, Inputs inputs, const FactorSizes& sizes, unsigned seed,
                    const std::function<bool(std::size_t)>& isHalved) {
    const auto draw = [&](std::size_t count, unsigned own) { return inputs == Inputs::Normal ? normals(count, own) : wholes(count, own); };
    Factors factors{draw(sizes.a, seed), draw(sizes.b, seed + 1), draw(sizes.bias, seed + 2)};
    if (inputs == Inputs::Overflow) {
        // All of one sign: a sum overflows if its total does, in any order.
        for (Floats* values : {&factors.a, &factors.b, &factors.bias}) takeMagnitudes(*values);
        for (std::size_t i = 0; i < sizes.a; ++i) factors.a[i] /= isHalved(i) ? 2.0f : 1.0f;
    }
    if (inputs == Inputs::Subnormal || inputs == Inputs::Overflow) {
        const Units units = inputs == Inputs::Subnormal ? subnormalUnits(d) : overflowUnits(d);
        scale(factors.a, units.a);
        scale(factors.b, units.b);
        scale(factors.bias, std::clamp(units.product(), facts(d.out).minSubnormal, largestUnit(d.out)));
    }
    return factors;
}

Values operandValues(const Floats& values, Dtype storage, Dtype compute, Rounding rounding) {
    Values rounded;
    rounded.reserve(values.size());
    for (const float v : values) rounded.push_back(static_cast<double>(roundTo(compute, roundTo(storage, v), {rounding})));
    return rounded;
}

}  // namespace mantissa::conformance
