// SPDX-License-Identifier: Apache-2.0
// Whole runs on the CUDA backend, its card emulated, beside the CPU backend: the same losses within the suite's limits. And what a step
// asks of a card: few launches, few waits, nothing enqueued twice.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <set>
#include <stdexcept>
#include <string>

#include "engine/data/dataset.h"
#include "engine/training/agreement.h"
#include "engine/training/trainer.h"
#include "kernels/cuda/cuda_backend.h"
#include "tests/support/cuda_emulation/libraries.h"
#include "tests/support/cuda_emulation/runtime.h"

namespace mantissa {
namespace {

class CudaTraining : public testing::TestWithParam<AgreementRun> {};

TEST_P(CudaTraining, AgreesWithTheCpu) {
    const Agreement agreement = compareTraining(GetParam(), cuda::createBackend(0), createCpuBackend());
    EXPECT_TRUE(agreement.holds()) << agreement.worst << " of the limit at step " << agreement.worstStep;
    EXPECT_EQ(agreement.steps, GetParam().steps);
}

/// Smaller still: an emulated card is slow.
std::vector<AgreementRun> emulatedRuns() {
    std::vector<AgreementRun> runs = agreementRuns(3);
    for (AgreementRun& run : runs) {
        run.settings.data.batchSize = 4;
        run.settings.data.context = 12;
    }
    return runs;
}

INSTANTIATE_TEST_SUITE_P(Emulated, CudaTraining, testing::ValuesIn(emulatedRuns()), [](const auto& test) {
    std::string name = test.param.name;
    std::replace(name.begin(), name.end(), ' ', '_');
    return name;
});

TrainingSettings smallMlp(const std::string& policy) {
    for (const AgreementRun& run : agreementRuns(1)) {
        if (run.name != "mlp " + policy) continue;
        TrainingSettings settings = run.settings;
        settings.steps = 10000;
        settings.model.hidden = {16};
        settings.data.batchSize = 8;
        return settings;
    }
    throw std::logic_error("no such run");
}

TEST(CudaSteps, TakeTheTimeThatTheDeviceSays) {
    Trainer trainer(smallMlp("bf16"), loadDataset(smallMlp("bf16").data), cuda::createBackend(0));
    for (const std::int64_t most : {1, 1, 2, 4}) {
        const std::int64_t done = emulation::counts().done;
        const double inLibraries = emulation::libraryCalls().milliseconds;
        double told = 0;
        const std::vector<StepRecord> records = trainer.steps(most);
        for (const StepRecord& record : records) told += record.stepMs;
        const double taken =
            1e-3 * static_cast<double>(emulation::counts().done - done) + emulation::libraryCalls().milliseconds - inLibraries;
        constexpr double kAround = 0.02;  // what a burst copies before its first step, and after its last
        EXPECT_NEAR(told, taken, kAround) << records.size() << " of " << most;
        EXPECT_EQ(records.front().samplesPerSecond, 8 / (records.front().stepMs / 1000));
    }
}

/// One by one, and as the device takes them: the same numbers.
void expectSameSteps(const TrainingSettings& settings, std::int64_t count, const std::function<void(Trainer&)>& prepare = {}) {
    const auto dataset = loadDataset(settings.data);
    Trainer single(settings, dataset, cuda::createBackend(0)), several(settings, dataset, cuda::createBackend(0));
    if (prepare) prepare(single), prepare(several);
    std::vector<StepRecord> expected, actual;
    while (single.nextStep() < count) expected.push_back(single.step());
    std::size_t largest = 0;
    while (several.nextStep() < count) {
        const std::vector<StepRecord> records = several.steps(std::min<std::int64_t>(64, count - several.nextStep()));
        largest = std::max(largest, records.size());
        actual.insert(actual.end(), records.begin(), records.end());
    }
    EXPECT_GE(largest, 8u) << "the device was not trusted with any steps";
    ASSERT_EQ(actual.size(), expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i) {
        const StepRecord &e = expected[i], &a = actual[i];
        EXPECT_EQ(a.step, e.step);
        EXPECT_TRUE(a.loss == e.loss || (std::isnan(a.loss) && std::isnan(e.loss))) << i << ": " << a.loss << ", not " << e.loss;
        EXPECT_TRUE(a.gradNorm == e.gradNorm || (std::isnan(a.gradNorm) && std::isnan(e.gradNorm))) << i;
        EXPECT_EQ(a.lossScale, e.lossScale) << i;
        EXPECT_EQ(a.lr, e.lr) << i;
        EXPECT_EQ(a.flags, e.flags) << i;
        EXPECT_EQ(a.samples, e.samples) << i;
        EXPECT_EQ(a.skippedTotal, e.skippedTotal) << i;
        EXPECT_EQ(a.validationLoss == e.validationLoss || (std::isnan(a.validationLoss) && std::isnan(e.validationLoss)), true) << i;
    }
    const std::vector<NamedTensor> ours = several.weights(), theirs = single.weights();
    for (std::size_t t = 0; t < ours.size(); ++t) {
        for (std::size_t i = 0; i < ours[t].values.size(); ++i) {
            const float a = ours[t].values[i], e = theirs[t].values[i];
            ASSERT_TRUE(a == e || (std::isnan(a) && std::isnan(e))) << ours[t].name << ": " << a << ", not " << e;
        }
    }
    EXPECT_EQ(several.firstNonFinite().has_value(), single.firstNonFinite().has_value());
}

TEST(DeviceSteps, AreTheStepsThatTheHostWouldTake) {
    TrainingSettings settings = smallMlp("fp16");
    settings.validationInterval = 50;
    settings.optimizer.schedule = {.kind = "cosine", .warmupSteps = 10};
    settings.scaler.growthInterval = 20;
    settings.clipGradNorm = 1;
    expectSameSteps(settings, 100);
}

TEST(DeviceSteps, SkipBackOffAndGrowAsTheHostWould) {
    TrainingSettings settings = smallMlp("fp16");
    settings.scaler.growthInterval = 4;  // to where every few steps overflow
    settings.scaler.initScale = 0x1p20;
    settings.optimizer.schedule = {.kind = "linear", .onSkip = "hold"};
    expectSameSteps(settings, 150);
}

TEST(DeviceSteps, GoOnThroughSkipsOnceTheFirstIsKnown) {
    TrainingSettings settings = smallMlp("fp16");
    settings.scaler.growthInterval = 9;
    settings.scaler.initScale = 0x1p24;
    settings.optimizer = {.kind = "sgd", .lr = 0.01, .momentum = 0.9};
    expectSameSteps(settings, 150);
}

TEST(DeviceSteps, LeaveABadStepToTheHostWithNothingDone) {
    TrainingSettings settings = smallMlp("fp32");
    settings.optimizer = {.kind = "sgd", .lr = 0.01, .schedule = {.kind = "step", .every = 40, .factor = 1e9}};  // then it diverges
    expectSameSteps(settings, 50, [](Trainer& trainer) { trainer.keepBadSteps(true); });
}

TEST(DeviceSteps, EndWithTheirScaler) {
    TrainingSettings settings = smallMlp("fp16");
    settings.scaler = {.preset = "deepspeed", .initScale = 4, .minScale = 2};
    settings.optimizer = {.kind = "sgd", .lr = 1e6};
    const auto dataset = loadDataset(settings.data);
    Trainer trainer(settings, dataset, cuda::createBackend(0));
    while (trainer.nextStep() < 200 && !trainer.scaler().stopReason()) trainer.steps(64);
    ASSERT_TRUE(trainer.scaler().stopReason().has_value());
    const std::int64_t ended = trainer.nextStep();
    Trainer single(settings, dataset, cuda::createBackend(0));
    while (single.nextStep() < 200 && !single.scaler().stopReason()) single.step();
    EXPECT_EQ(single.nextStep(), ended);
    EXPECT_EQ(single.scaler().stopReason(), trainer.scaler().stopReason());
}

TEST(DeviceSteps, AreALaunchEachAndOneWaitForAllOfThem) {
    TrainingSettings settings = smallMlp("fp16");
    Trainer trainer(settings, loadDataset(settings.data), cuda::createBackend(0));
    while (trainer.nextStep() < 200) trainer.steps(64);
    const emulation::Counts before = emulation::counts();
    const std::size_t steps = trainer.steps(64).size();
    const emulation::Counts after = emulation::counts();
    EXPECT_EQ(steps, 64u);
    EXPECT_EQ(after.graphLaunches - before.graphLaunches, 64);
    EXPECT_EQ(after.synchronisations - before.synchronisations, 1);
    EXPECT_EQ(after.recorded, before.recorded);
    EXPECT_LE(after.enqueued - before.enqueued, 7) << "what goes in and comes out";
}

TEST(DeviceSteps, AreOneAtATimeWhereSomebodyLooks) {
    TrainingSettings settings = smallMlp("fp32");
    Trainer trainer(settings, loadDataset(settings.data), cuda::createBackend(0));
    trainer.setInstrumentation(Instrumentation::Sampled);
    std::set<std::int64_t> lookedAt;
    while (trainer.nextStep() < 100) {
        trainer.steps(64);
        if (trainer.censusStep() >= 0) lookedAt.insert(trainer.censusStep());
    }
    for (std::int64_t step = 0; step < 100; step += kSampledPeriod) EXPECT_TRUE(lookedAt.contains(step)) << step;
}

TEST(DeviceSteps, AreTheHostsWhereStatisticsOrMicroBatchesFollowEveryPass) {
    TrainingSettings microBatches = smallMlp("fp32"), residual = microBatches;
    microBatches.accumulate = 2;
    residual.model.kind = "resnet";
    residual.model.depth = 8;
    for (const TrainingSettings& settings : {microBatches, residual}) {
        Trainer trainer(settings, loadDataset(settings.data), cuda::createBackend(0));
        for (int i = 0; i < 4; ++i) EXPECT_EQ(trainer.steps(64).size(), 1u);
    }
}

TEST(CudaSteps, OneByOneAreTwoLaunchesAndTwoWaits) {
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
