// SPDX-License-Identifier: Apache-2.0
// The conformance suite on the CUDA backend's own code, with an emulated card under it: one test for each operation in each format. A real
// card is judged by `mantissa selftest --device cuda:0`.
#include "tests/support/conformance.h"
#include "kernels/cuda/cuda_backend.h"

namespace mantissa::conformance {
namespace {

class CudaConformance : public testing::TestWithParam<Check> {};

/// Rows of operations that only the CPU has so far.
bool isOfCpuOnly(const Check& check) {
    return check.operation.starts_with("attention, divided after");
}

TEST_P(CudaConformance, AgreesWithTheReference) {
    const auto backend = cuda::createBackend(0);
    if (!isOfCpuOnly(GetParam())) return expectAgreement(GetParam(), *backend, Extent::Short);
    const CheckResult result = runCheck(GetParam(), *backend, Extent::Short);
    EXPECT_FALSE(result.isOffered());
    EXPECT_TRUE(result.reason.ends_with("on the CPU only")) << result.reason;
}

INSTANTIATE_TEST_SUITE_P(Emulated, CudaConformance, testing::ValuesIn(allChecks()),
                         [](const auto& test) { return identifierOf(test.param); });

}  // namespace
}  // namespace mantissa::conformance
