// SPDX-License-Identifier: Apache-2.0
// Runs one case on a backend: with guard bands around every operand, twice to compare bits, then checks every operand.
#pragma once

#include <vector>

#include "kernels/conformance/suite.h"

namespace mantissa::conformance {

struct CaseOutcome {
    std::vector<Comparison> comparisons;  // one per written operand
    std::vector<Failure> failures;
};

/// Runs a case that the backend supports.
CaseOutcome runCase(const Case& test, Backend& backend);

/// The description of a product with an operand in a block format; null for any other operation.
const MatmulDesc* productInBlocks(const OperationDesc& desc);

/// A case's name: "17x33x65 A' B, subnormal".
std::string nameOf(const Case& test);

}  // namespace mantissa::conformance
