// SPDX-License-Identifier: Apache-2.0
// Whole runs on the CUDA backend, its card emulated, beside the CPU backend: the same losses within the suite's limits. And what a step asks of
// a card: few launches, few waits, nothing enqueued twice.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "engine/data/dataset.h"
#include "engine/training/agreement.h"
#include "engine/training/trainer.h"
#include "kernels/cuda/cuda_backend.h"
#include "tests/support/cuda_emulation/runtime.h"

namespace mantissa {
namespace {

class CudaTraining : public testing::TestWithParam<AgreementRun> {};

TEST_P(CudaTraining, AgreesWithTheCpu) {
    const Agreement agreement = compareTraining(GetParam(), cuda::createBackend(0), createCpuBackend());
    EXPECT_TRUE(agreement.holds()) << agreement.worst << " of the limit at step " << agreement.worstStep;
    EXPECT_EQ(agreement.steps, GetParam().steps);
}

INSTANTIATE_TEST_SUITE_P(Emulated, CudaTraining, testing::ValuesIn(agreementRuns(3)), [](const auto& test) {
    std::string name = test.param.name;
    std::replace(name.begin(), name.end(), ' ', '_');
    return name;
});

TEST(CudaSteps, AreTwoLaunchesOfRecordedWorkAndTwoWaits) {
    TrainingSettings settings = agreementRuns(1).front().settings;
    settings.steps = 100;
    Trainer trainer(settings, loadDataset(settings.data), cuda::createBackend(0));
    for (int i = 0; i < 2; ++i) trainer.step();  // the first makes libraries ready, the second records
    const emulation::Counts before = emulation::counts();
    constexpr int kSteps = 5;
    for (int i = 0; i < kSteps; ++i) trainer.step();
    const emulation::Counts after = emulation::counts();
    EXPECT_EQ(after.recorded, before.recorded);
    EXPECT_LE(after.graphLaunches - before.graphLaunches, 2 * kSteps);
    EXPECT_LE(after.synchronisations - before.synchronisations, 2 * kSteps);
    // scalars, indices and loss go to and fro, and ranges too short to be recorded are enqueued as they are
    EXPECT_LE(after.enqueued - before.enqueued, 8 * kSteps);
}

}  // namespace
}  // namespace mantissa
