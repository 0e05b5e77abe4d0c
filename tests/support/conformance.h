// SPDX-License-Identifier: Apache-2.0
// Runs a row of the conformance suite as a test, on any backend.
#pragma once

#include <gtest/gtest.h>

#include <cctype>
#include <iostream>
#include <string>

#include "kernels/conformance/suite.h"

namespace mantissa::conformance {

inline void PrintTo(const Check& check, std::ostream* out) {
    *out << check.operation << ' ' << check.format;
}

/// Returns a row's test name: letters, digits and single underscores.
inline std::string identifierOf(const Check& check) {
    std::string name;
    for (const char c : check.operation + " " + check.format) {
        if (std::isalnum(static_cast<unsigned char>(c)) != 0) {
            name += c;
        } else if (c == '>') {
            name += "to";
        } else if (!name.empty() && name.back() != '_') {
            name += '_';
        }
    }
    return name;
}

/// Expects that every case is offered and agrees with the reference.
inline void expectAgreement(const Check& check, Backend& backend, Extent extent) {
    const CheckResult result = runCheck(check, backend, extent);
    EXPECT_TRUE(result.holds()) << result.sentence();
    for (const Failure& failure : result.failures)
        ADD_FAILURE() << faultName(failure.fault) << ": " << failure.where << ": " << failure.detail;
    EXPECT_TRUE(result.isOffered()) << result.reason;
    EXPECT_EQ(result.notOffered, 0u) << result.reason;
    EXPECT_GT(result.elements, extent == Extent::Full ? 50u : 0u);
    std::cout << result.cases << " cases, " << result.elements << " elements; error/limit: 50 % " << result.percentile50 << ", 99 % "
              << result.percentile99 << ", max " << result.margin << "; worst " << result.worstError << " of " << result.worstLimit
              << " in " << result.worstWhere << '\n';
}

}  // namespace mantissa::conformance
