// SPDX-License-Identifier: Apache-2.0
// The conformance suite: every operation in every format, with many shapes, layouts and kinds of input, on any backend, against the
// reference in double. Uses only the backend's interface: no host pointers; an unsupported operation is a result with its reason. One call
// at a time on a backend; takes seconds for Extent::Short, a minute for Full.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "kernels/conformance/case.h"
#include "kernels/conformance/fault.h"

namespace mantissa::conformance {

/// Short: takes seconds on a user's machine. Full: more and larger shapes.
enum class Extent : std::uint8_t { Short, Full };

using CaseSink = std::function<void(const Case&)>;

/// A row: one operation in one format.
struct Check {
    std::string operation;
    Dtype dtype;         // under which it is listed
    std::string format;  // name of `dtype`, and further formats: "fp16 > fp32"
    std::function<void(Extent, const CaseSink&)> cases;
};

/// All rows, by format.
std::vector<Check> allChecks();

struct Failure {
    Fault fault = Fault::BeyondLimit;
    std::string where;   // "17x33x65 A' B +bias, subnormal, operand 3"
    std::string detail;  // the comparison's report, or an exception's message
};

/// The result of a row. Percentiles and margin are of error / limit, over every element of every case.
struct CheckResult {
    std::string operation, format;
    std::size_t cases = 0, notOffered = 0, elements = 0;
    std::string reason;                                  // why the first unsupported case is unsupported
    std::map<std::string, std::size_t> implementations;  // of products in block formats (BlockMultiplication::how), with their cases
    double percentile50 = 0, percentile99 = 0, margin = 0;
    double worstError = 0, worstLimit = 0;  // of the element with the largest margin
    std::string worstWhere;
    std::size_t failedCases = 0;
    std::vector<Failure> failures;  // the first few, at least one per fault
    std::string pattern;            // common to failing cases, and to no passing one: "only in layout A' B"

    bool isOffered() const { return cases > 0; }
    bool holds() const { return failedCases == 0; }
    /// One line: the first failure with its fault's name, the case, the pattern.
    std::string sentence() const;
};

CheckResult runCheck(const Check& check, Backend& backend, Extent extent);

}  // namespace mantissa::conformance
