// SPDX-License-Identifier: Apache-2.0
// The whole suite on the CPU backend, one test for each operation in each format.
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <iostream>
#include <set>
#include <variant>

#include "kernels/conformance/suite.h"

namespace mantissa::conformance {

static void PrintTo(const Check& check, std::ostream* out) {
    *out << check.operation << ' ' << check.format;
}

namespace {

std::string identifier(const std::string& text) {
    std::string name;
    for (const char c : text) {
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

class Conformance : public testing::TestWithParam<Check> {};

TEST_P(Conformance, AgreesWithTheReference) {
    const auto backend = createCpuBackend();
    const CheckResult result = runCheck(GetParam(), *backend, Extent::Full);
    EXPECT_TRUE(result.holds()) << result.sentence();
    for (const Failure& failure : result.failures)
        ADD_FAILURE() << faultName(failure.fault) << ": " << failure.where << ": " << failure.detail;
    EXPECT_TRUE(result.isOffered()) << result.reason;
    EXPECT_EQ(result.notOffered, 0u) << result.reason;
    EXPECT_GT(result.elements, 50u);
    std::cout << result.cases << " cases, " << result.elements << " elements; error/limit: 50 % " << result.percentile50 << ", 99 % "
              << result.percentile99 << ", max " << result.margin << "; worst " << result.worstError << " of " << result.worstLimit
              << " in " << result.worstWhere << '\n';
}

TEST(ConformanceTable, EveryOperationHasARow) {
    std::set<std::size_t> covered;
    for (const Check& check : allChecks()) check.cases(Extent::Short, [&](const Case& test) { covered.insert(test.desc.index()); });
    for (std::size_t i = 0; i < std::variant_size_v<OperationDesc>; ++i) {
        EXPECT_TRUE(covered.contains(i)) << "alternative " << i << " of OperationDesc has no row in kernels/conformance";
    }
}

INSTANTIATE_TEST_SUITE_P(Cpu, Conformance, testing::ValuesIn(allChecks()),
                         [](const auto& test) { return identifier(test.param.operation + " " + test.param.format); });

}  // namespace
}  // namespace mantissa::conformance
