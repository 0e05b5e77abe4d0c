// SPDX-License-Identifier: Apache-2.0
#include "kernels/conformance/fault.h"

#include <cmath>

#include "kernels/dtype/rounding.h"

namespace mantissa::conformance {
namespace {

/// Distance of `actual` above `expected` in codes of their magnitudes. Inf, or NaN of e4m3, is one above the largest number. kFarApart if
/// signs differ, or only `actual` is non-finite.
std::int64_t codesAbove(Dtype out, double actual, double expected) {
    constexpr std::int64_t kFarApart = 1 << 20;
    if (std::signbit(actual) != std::signbit(expected) || (!std::isfinite(actual) && std::isfinite(expected))) return kFarApart;
    const auto code = [&](double value) { return static_cast<std::int64_t>(encodeBits(out, static_cast<float>(std::fabs(value)))); };
    return code(actual) - code(expected);
}

}  // namespace

std::string_view faultName(Fault fault) {
    switch (fault) {
        case Fault::GuardBand:
            return "writes outside its buffers";
        case Fault::InputChanged:
            return "changes an operand that it should only read";
        case Fault::NotRepeatable:
            return "gives other bits when it is run again";
        case Fault::LostNan:
            return "loses a NaN";
        case Fault::NewNan:
            return "makes a NaN of a number";
        case Fault::Infinity:
            return "an infinity is missing, or stands where a number belongs";
        case Fault::FlushedSubnormals:
            return "flushes subnormals to zero";
        case Fault::RoundedTowardZero:
            return "rounds toward zero";
        case Fault::OneUlp:
            return "is off by one unit in the last place";
        case Fault::BeyondLimit:
            return "errors beyond the limit";
        case Fault::NothingProved:
            return "the case proves nothing";
        case Fault::Threw:
            break;
    }
    return "throws";
}

Fault diagnose(Dtype out, std::span<const double> actual, std::span<const double> expected, std::span<const double> limits) {
    bool flushes = true, truncates = true, neighbours = true, lostNan = false, newNan = false, infinity = false;
    for (std::size_t i = 0; i < actual.size(); ++i) {
        const double a = actual[i], e = expected[i];
        if (std::isnan(a) && std::isnan(e)) continue;
        const bool isWithin = a == e || std::fabs(a - e) <= limits[limits.size() == 1 ? 0 : i];
        if (isWithin) continue;
        const std::int64_t above = codesAbove(out, a, e);
        flushes = flushes && a == 0 && std::fabs(e) < facts(out).minNormal;
        truncates = truncates && above == -1;
        neighbours = neighbours && std::abs(above) == 1;
        lostNan = lostNan || std::isnan(e);
        newNan = newNan || std::isnan(a);
        infinity = infinity || std::isinf(a) || std::isinf(e);
    }
    if (flushes) return Fault::FlushedSubnormals;
    if (truncates) return Fault::RoundedTowardZero;
    if (neighbours) return Fault::OneUlp;
    if (lostNan) return Fault::LostNan;
    if (newNan) return Fault::NewNan;
    return infinity ? Fault::Infinity : Fault::BeyondLimit;
}

}  // namespace mantissa::conformance
