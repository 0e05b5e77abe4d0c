// SPDX-License-Identifier: Apache-2.0
#include "kernels/conformance/tensor_core_reference.h"

#include <algorithm>
#include <cmath>

namespace mantissa::conformance::reference {
namespace {

__extension__ typedef __int128 Wide;
constexpr int kUnit = 60;  // fixed point: numbers are multiples of 2^-60, below 2^60

Wide fixedPoint(double value) {
    return static_cast<Wide>(std::ldexp(value, kUnit));
}

/// Truncates to a multiple of 2^exponent.
Wide cutAt(Wide value, int exponent) {
    if (exponent <= -kUnit) return value;
    const Wide unit = static_cast<Wide>(1) << (exponent + kUnit);
    return value / unit * unit;
}

int exponentOf(double value, int minExponent) {
    return std::max(std::ilogb(value), minExponent);
}

/// The five steps of the model, in integers.
double fusedSum(const FusedDot& model, std::size_t first, std::size_t end, const Terms& a, const Terms& b, double c) {
    int emax = -126;
    if (c != 0) emax = std::max(emax, exponentOf(c, model.roundsToF16 ? -14 : -126));
    const int minA = std::ilogb(facts(a.format).minNormal), minB = std::ilogb(facts(b.format).minNormal);
    for (std::size_t i = first; i < end; ++i) {
        if (a.values[i] != 0 && b.values[i] != 0) {
            emax = std::max(emax, exponentOf(static_cast<double>(a.values[i]), minA) + exponentOf(static_cast<double>(b.values[i]), minB));
        }
    }
    Wide sum = cutAt(fixedPoint(c), emax - model.fractionBits);
    for (std::size_t i = first; i < end; ++i) {
        sum += cutAt(fixedPoint(static_cast<double>(a.values[i]) * static_cast<double>(b.values[i])), emax - model.fractionBits);
    }
    if (sum == 0) return 0;
    const double exact = std::ldexp(static_cast<double>(sum), -kUnit);  // the sums here have fewer than 53 bits
    if (model.roundsToF16) {
        const double unit = std::ldexp(1.0, exponentOf(exact, -14) - 10);
        return std::nearbyint(exact / unit) * unit;
    }
    return std::ldexp(static_cast<double>(cutAt(sum, std::ilogb(exact) - model.resultBits)), -kUnit);
}

}  // namespace

double tensorCoreSum(const TensorCore& core, const Terms& a, const Terms& b) {
    const FusedDot model = *fusedDot(core.accumulator, core.compute);
    double sum = 0;
    float promoted = 0;
    for (std::size_t first = 0; first < a.values.size(); first += static_cast<std::size_t>(model.terms)) {
        const std::size_t end = std::min(first + static_cast<std::size_t>(model.terms), a.values.size());
        sum = fusedSum(model, first, end, a, b, sum);
        if (core.promoteEvery > 0 && end % static_cast<std::size_t>(core.promoteEvery) == 0) {
            promoted += static_cast<float>(sum);
            sum = 0;
        }
    }
    return static_cast<double>(promoted + static_cast<float>(sum));
}

}  // namespace mantissa::conformance::reference
