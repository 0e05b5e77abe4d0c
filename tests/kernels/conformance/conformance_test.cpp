// SPDX-License-Identifier: Apache-2.0
// The whole suite on the CPU backend, one test for each operation in each format.
#include <set>
#include <string>
#include <variant>
#include <vector>

#include "tests/support/conformance.h"
#include "tests/support/sanitized.h"

namespace mantissa::conformance {
namespace {

constexpr Extent kExtent = test::kIsSanitized ? Extent::Short : Extent::Full;

class Conformance : public testing::TestWithParam<Check> {};

TEST_P(Conformance, AgreesWithTheReference) {
    expectAgreement(GetParam(), *createCpuBackend(), kExtent);
}

TEST(ConformanceTable, EveryOperationHasARow) {
    std::set<std::size_t> covered;
    const auto cover = [&](const Check& check) {
        check.cases(Extent::Short, [&](const Case& test) { covered.insert(test.desc.index()); });
    };
    // Nearly all are found in one format of each operation, whose cases are made in a second instead of ten.
    std::set<std::string> operations;
    std::vector<Check> others;
    for (const Check& check : allChecks()) operations.insert(check.operation).second ? cover(check) : others.push_back(check);
    for (const Check& check : others) {
        if (covered.size() < std::variant_size_v<OperationDesc>) cover(check);
    }
    for (std::size_t i = 0; i < std::variant_size_v<OperationDesc>; ++i) {
        EXPECT_TRUE(covered.contains(i)) << "alternative " << i << " of OperationDesc has no row in kernels/conformance";
    }
}

INSTANTIATE_TEST_SUITE_P(Cpu, Conformance, testing::ValuesIn(allChecks()), [](const auto& test) { return identifierOf(test.param); });

}  // namespace
}  // namespace mantissa::conformance
