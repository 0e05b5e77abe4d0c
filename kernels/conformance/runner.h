// SPDX-License-Identifier: Apache-2.0
// Runs one case on a backend: guard bands about every operand, twice for the same bits, then every operand judged.
#pragma once

#include <vector>

#include "kernels/conformance/suite.h"

namespace mantissa::conformance {

struct CaseOutcome {
    std::vector<Comparison> comparisons;  // one for each operand that is written
    std::vector<Failure> failures;
};

/// For a case that the backend says it supports.
CaseOutcome runCase(const Case& test, Backend& backend);

/// "17x33x65 A' B, subnormal".
std::string nameOf(const Case& test);

}  // namespace mantissa::conformance
