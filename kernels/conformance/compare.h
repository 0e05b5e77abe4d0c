// SPDX-License-Identifier: Apache-2.0
// The comparator of the conformance suite and of the tests. Compares classes first (NaN with NaN, an infinity with the same one), then
// error <= limit, in double. It refuses vacuous passes: no elements, one constant output, or too many expected zeros.
#pragma once

#include <cstddef>
#include <iosfwd>
#include <span>
#include <string>
#include <vector>

namespace mantissa::conformance {

struct CompareOptions {
    bool signOfZeroCounts = false;
    bool mayBeConstant = false;  // one element, or an operation with a constant result
    double maxZeroShare = 0.75;  // of the expected values; relu of symmetric input gives 0.5
};

/// Options for operations with any result: a single value, or only zeros.
inline constexpr CompareOptions kAnything{.mayBeConstant = true, .maxZeroShare = 1};

/// The result of a comparison; true if every element is within its limit.
struct Comparison {
    bool ok = false;
    std::string refusal;  // why nothing was compared; empty otherwise
    std::size_t count = 0, failures = 0;
    double mean = 0, percentile50 = 0, percentile90 = 0, percentile99 = 0, max = 0;  // of the absolute errors of finite elements
    double margin = 0;                                                               // the largest error / limit; 1 is at the limit
    double normalisedMse = 0;  // sum of squared errors over sum of squared expected values
    std::size_t worst = 0;     // index of the first class failure, otherwise of the largest error / limit
    double worstActual = 0, worstExpected = 0, worstLimit = 0;
    std::vector<double> margins;  // of each element: error / limit; infinite for a wrong class

    explicit operator bool() const { return ok; }
    std::string report() const;
};
std::ostream& operator<<(std::ostream& out, const Comparison& comparison);

/// Compares element by element. limits: one for each element, or a single one for all.
Comparison compare(std::span<const double> actual, std::span<const double> expected, std::span<const double> limits,
                   const CompareOptions& options = {});

/// Compares with limit 0.
Comparison compareExact(std::span<const double> actual, std::span<const double> expected, const CompareOptions& options = {});

std::vector<double> toDouble(std::span<const float> values);

/// Returns the smallest element that is not exceeded by `share` of them, or 0 if there are none. Reorders `values`.
double percentile(std::span<double> values, double share);

}  // namespace mantissa::conformance
