// SPDX-License-Identifier: Apache-2.0
// The whole suite on the CPU backend, one test for each operation in each format.
#include <set>
#include <variant>

#include "tests/support/conformance.h"

namespace mantissa::conformance {
namespace {

#if defined(__SANITIZE_ADDRESS__)
constexpr Extent kExtent = Extent::Short;  // reaches the same code; values are judged in full where no sanitizer slows them down
#else
constexpr Extent kExtent = Extent::Full;
#endif

class Conformance : public testing::TestWithParam<Check> {};

TEST_P(Conformance, AgreesWithTheReference) {
    expectAgreement(GetParam(), *createCpuBackend(), kExtent);
}

TEST(ConformanceTable, EveryOperationHasARow) {
    std::set<std::size_t> covered;
    for (const Check& check : allChecks()) check.cases(Extent::Short, [&](const Case& test) { covered.insert(test.desc.index()); });
    for (std::size_t i = 0; i < std::variant_size_v<OperationDesc>; ++i) {
        EXPECT_TRUE(covered.contains(i)) << "alternative " << i << " of OperationDesc has no row in kernels/conformance";
    }
}

INSTANTIATE_TEST_SUITE_P(Cpu, Conformance, testing::ValuesIn(allChecks()), [](const auto& test) { return identifierOf(test.param); });

}  // namespace
}  // namespace mantissa::conformance
