// SPDX-License-Identifier: Apache-2.0
#include "kernels/conformance/fault.h"

#include <array>
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
    constexpr std::array<std::string_view, 12> kNames{
        // in the order of their enumerators
        "writes outside its buffers",
        "changes an operand that it should only read",
        "gives other bits when it is run again",
        "loses a NaN",
        "makes a NaN of a number",
        "an infinity is missing, or stands where a number belongs",
        "flushes subnormals to zero",
        "rounds toward zero",
        "is off by one unit in the last place",
        "errors beyond the limit",
        "the case proves nothing",
        "throws",
    };
    static_assert(kNames.size() == static_cast<std::size_t>(Fault::Threw) + 1);
    return kNames[static_cast<std::size_t>(fault)];
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
