// SPDX-License-Identifier: Apache-2.0
#include "kernels/conformance/compare.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <ostream>
#include <sstream>

namespace mantissa::conformance {
namespace {

bool isSameClass(double actual, double expected, bool signOfZeroCounts) {
    if (std::isnan(actual) || std::isnan(expected)) return std::isnan(actual) && std::isnan(expected);
    if (std::isinf(actual) || std::isinf(expected)) return actual == expected;
    if (signOfZeroCounts && actual == 0 && expected == 0) return std::signbit(actual) == std::signbit(expected);
    return true;
}

std::string refusalOf(std::span<const double> actual, std::span<const double> expected, std::span<const double> limits,
                      const CompareOptions& options) {
    if (actual.empty()) return "no elements to compare";
    if (actual.size() != expected.size()) return "different numbers of elements";
    if (limits.size() != 1 && limits.size() != expected.size()) return "neither one limit nor one for each element";
    const auto zeros = static_cast<double>(std::count(expected.begin(), expected.end(), 0.0));
    if (zeros > options.maxZeroShare * static_cast<double>(expected.size())) return "too many expected zeros";
    const auto isFirst = [&](double value) { return value == actual.front() || (std::isnan(value) && std::isnan(actual.front())); };
    if (!options.mayBeConstant && std::all_of(actual.begin(), actual.end(), isFirst)) return "the output is constant";
    return "";
}

/// The error as a multiple of its limit. 0/0 is 0; NaN, and an error over a limit of 0, give infinity.
double marginOf(double error, double limit) {
    if (error == 0 && limit >= 0) return 0;
    const double margin = error / limit;
    return margin >= 0 ? margin : std::numeric_limits<double>::infinity();
}

}  // namespace

double percentile(std::span<double> values, double share) {
    if (values.empty()) return 0;
    const auto rank = static_cast<std::ptrdiff_t>(std::ceil(share * static_cast<double>(values.size())));
    const auto place = values.begin() + std::max<std::ptrdiff_t>(rank, 1) - 1;
    std::nth_element(values.begin(), place, values.end());
    return *place;
}

Comparison compare(std::span<const double> actual, std::span<const double> expected, std::span<const double> limits,
                   const CompareOptions& options) {
    Comparison c;
    c.refusal = refusalOf(actual, expected, limits, options);
    if (!c.refusal.empty()) return c;
    c.count = actual.size();
    std::vector<double> errors;
    double squaredErrors = 0, squaredExpected = 0;
    double worstMargin = -1;
    for (std::size_t i = 0; i < actual.size(); ++i) {
        const double limit = limits.size() == 1 ? limits[0] : limits[i];
        double margin = 0;
        if (!isSameClass(actual[i], expected[i], options.signOfZeroCounts)) {
            margin = std::numeric_limits<double>::infinity();
            ++c.failures;
        } else if (std::isfinite(expected[i])) {
            const double error = std::fabs(actual[i] - expected[i]);
            errors.push_back(error);
            squaredErrors += error * error;
            squaredExpected += expected[i] * expected[i];
            margin = marginOf(error, limit);
            const bool isWithin = error <= limit;
            if (!isWithin) ++c.failures;
        }
        c.margins.push_back(margin);
        if (margin > worstMargin) {
            worstMargin = margin;
            c.worst = i;
            c.worstActual = actual[i];
            c.worstExpected = expected[i];
            c.worstLimit = limit;
        }
    }
    for (const double error : errors) {
        c.mean += error / static_cast<double>(errors.size());
        c.max = std::max(c.max, error);
    }
    c.percentile50 = percentile(errors, 0.50);
    c.percentile90 = percentile(errors, 0.90);
    c.percentile99 = percentile(errors, 0.99);
    c.normalisedMse = squaredErrors == 0 ? 0 : squaredErrors / squaredExpected;
    c.margin = worstMargin;
    c.ok = c.failures == 0;
    return c;
}

Comparison compareExact(std::span<const double> actual, std::span<const double> expected, const CompareOptions& options) {
    constexpr std::array kNothing{0.0};
    return compare(actual, expected, kNothing, options);
}

std::string Comparison::report() const {
    std::ostringstream out;
    out.precision(9);
    if (!refusal.empty()) {
        out << "nothing was proved: " << refusal;
        return out.str();
    }
    out << failures << " of " << count << " beyond the limit; errors: mean " << mean << ", 50 % " << percentile50 << ", 90 % "
        << percentile90 << ", 99 % " << percentile99 << ", max " << max << "; normalised MSE " << normalisedMse << "; margin " << margin
        << "; worst at " << worst << ": " << worstActual << " (" << std::hexfloat << worstActual << std::defaultfloat << "), expected "
        << worstExpected << " (" << std::hexfloat << worstExpected << std::defaultfloat << "), limit " << worstLimit;
    return out.str();
}

std::ostream& operator<<(std::ostream& out, const Comparison& comparison) {
    return out << comparison.report();
}

std::vector<double> toDouble(std::span<const float> values) {
    return {values.begin(), values.end()};
}

}  // namespace mantissa::conformance
