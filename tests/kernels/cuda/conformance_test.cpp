// SPDX-License-Identifier: Apache-2.0
// The conformance suite on the CUDA backend's own code, with an emulated card under it: one test for each operation in each format. A real
// card is judged by `mantissa selftest --device cuda:0`.
#include "tests/support/conformance.h"
#include "kernels/cuda/cuda_backend.h"

namespace mantissa::conformance {
namespace {

class CudaConformance : public testing::TestWithParam<Check> {};

TEST_P(CudaConformance, AgreesWithTheReference) {
    expectAgreement(GetParam(), *cuda::createBackend(0), Extent::Short);
}

INSTANTIATE_TEST_SUITE_P(Emulated, CudaConformance, testing::ValuesIn(allChecks()),
                         [](const auto& test) { return identifierOf(test.param); });

}  // namespace
}  // namespace mantissa::conformance
