// SPDX-License-Identifier: Apache-2.0
// Whole runs on the CUDA backend, its card emulated, beside the CPU backend: the same losses within the suite's limits. And what a step
// asks of a card: few launches, few waits, nothing enqueued twice.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
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

/// A kind's run in bf16, in a block policy instead.
AgreementRun inBlocks(const std::vector<AgreementRun>& runs, const std::string& kind, const std::string& policy) {
    AgreementRun run = *std::find_if(runs.begin(), runs.end(), [&](const AgreementRun& each) { return each.name == kind + " bf16"; });
    run.name = kind + " " + policy;
    run.settings.precision.policy = policy;
    return run;
}

/// Smaller still: an emulated card is slow.
std::vector<AgreementRun> emulatedRuns() {
    std::vector<AgreementRun> runs = agreementRuns(3);
    for (AgreementRun& run : runs) {
        run.settings.data.batchSize = 4;
        run.settings.data.context = 12;
    }
    for (const std::string policy : {"fp8-block", "mxfp8", "nvfp4"}) runs.push_back(inBlocks(runs, "gpt", policy));
    return runs;
}

INSTANTIATE_TEST_SUITE_P(Emulated, CudaTraining, testing::ValuesIn(emulatedRuns()), [](const auto& test) {
    std::string name = test.param.name;
    std::replace_if(
        name.begin(), name.end(), [](char c) { return c == ' ' || c == '-'; }, '_');
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

TEST(CudaSteps, ByThemselvesTakeTheTimeThatTheDeviceSays) {
    Trainer trainer(smallMlp("bf16"), loadDataset(smallMlp("bf16").data), cuda::createBackend(0));
    for (int i = 0; i < 3; ++i) {
        const std::int64_t done = emulation::counts().done;
        const double inLibraries = emulation::libraryCalls().milliseconds;
        const StepRecord record = trainer.step();
        const double taken =
            1e-3 * static_cast<double>(emulation::counts().done - done) + emulation::libraryCalls().milliseconds - inLibraries;
        constexpr double kAround = 0.02;  // what is copied before the step and after it
        EXPECT_NEAR(record.stepMs, taken, kAround);
        EXPECT_EQ(record.samplesPerSecond, 8 / (record.stepMs / 1000));
    }
}

bool isSame(double a, double b) {
    return a == b || (std::isnan(a) && std::isnan(b));
}

/// One by one, and as the device takes them: the same numbers, and the same bits left behind. `longest`: what the device is to be trusted
/// with at least. `beyond`: steps that it is asked for after the last one, where it halts before.
void expectSameSteps(const TrainingSettings& settings, std::int64_t count, const std::function<void(Trainer&)>& prepare = {},
                     std::size_t longest = 8, std::int64_t beyond = 0) {
    const auto dataset = loadDataset(settings.data);
    Trainer single(settings, dataset, cuda::createBackend(0)), several(settings, dataset, cuda::createBackend(0));
    if (prepare) prepare(single), prepare(several);
    std::vector<StepRecord> expected, actual;
    std::map<std::int64_t, StepStats> looks;
    while (single.nextStep() < count) {
        expected.push_back(single.step());
        if (const auto stats = single.stats()) looks[stats->step] = *stats;
    }
    std::size_t largest = 0;
    while (several.nextStep() < count) {
        const std::vector<StepRecord> records = several.steps(std::min<std::int64_t>(64, count - several.nextStep() + beyond));
        largest = std::max(largest, records.size());
        actual.insert(actual.end(), records.begin(), records.end());
        if (const auto stats = several.stats()) {
            EXPECT_EQ(*stats, looks.at(stats->step));
        }
    }
    EXPECT_EQ(several.statsStep(), single.statsStep());
    EXPECT_GE(largest, longest) << "the device was not trusted with any steps";
    ASSERT_EQ(actual.size(), expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i) {
        const StepRecord &e = expected[i], &a = actual[i];
        EXPECT_EQ(a.step, e.step);
        EXPECT_TRUE(isSame(a.loss, e.loss)) << i << ": " << a.loss << ", not " << e.loss;
        EXPECT_TRUE(isSame(a.gradNorm, e.gradNorm)) << i;
        EXPECT_EQ(a.lossScale, e.lossScale) << i;
        EXPECT_EQ(a.lr, e.lr) << i;
        EXPECT_EQ(a.flags, e.flags) << i;
        EXPECT_EQ(a.samples, e.samples) << i;
        EXPECT_EQ(a.skippedTotal, e.skippedTotal) << i;
        EXPECT_TRUE(isSame(a.validationLoss, e.validationLoss)) << i;
    }
    const Snapshot ours = several.snapshot(), theirs = single.snapshot();
    EXPECT_TRUE(ours.memory == theirs.memory) << "weights, moments, statistics, fp8 scales or gradients that add up";
    EXPECT_EQ(ours.counters.scheduleStep, theirs.counters.scheduleStep);
    EXPECT_EQ(single.nextStep(), several.nextStep());
    if (beyond > 0) {
        EXPECT_EQ(single.firstNonFinite().value().step, count - 1) << "the step that halts is the last one";
    }
    EXPECT_EQ(several.firstNonFinite().has_value(), single.firstNonFinite().has_value());
}

TEST(DeviceSteps, AreTheStepsThatTheHostWouldTake) {
    TrainingSettings settings = smallMlp("fp16");
    settings.validationInterval = 50;
    settings.optimizer.schedule = {.kind = "cosine", .warmupSteps = 10};
    settings.scaler.growthInterval = 20;
    settings.clipGradNorm = 1;
    expectSameSteps(settings, 80);  // more than there are slots
}

TEST(DeviceSteps, SkipBackOffAndGrowAsTheHostWould) {
    TrainingSettings settings = smallMlp("fp16");
    settings.scaler.growthInterval = 4;  // to where every few steps overflow
    settings.scaler.initScale = 0x1p20;
    settings.optimizer.schedule = {.kind = "linear", .onSkip = "hold"};
    expectSameSteps(settings, 80);
}

TEST(DeviceSteps, GoOnThroughSkipsOnceTheFirstIsKnown) {
    TrainingSettings settings = smallMlp("fp16");
    settings.scaler.growthInterval = 9;
    settings.scaler.initScale = 0x1p24;
    settings.optimizer = {.kind = "sgd", .lr = 0.01, .momentum = 0.9};
    expectSameSteps(settings, 80);
}

TEST(DeviceSteps, LeaveANonFiniteStepToTheHostWithNothingDone) {
    TrainingSettings settings = smallMlp("fp32");
    settings.optimizer = {.kind = "sgd", .lr = 0.01, .schedule = {.kind = "step", .every = 40, .factor = 1e9}};  // then it diverges
    expectSameSteps(settings, 50, [](Trainer& trainer) { trainer.keepNonFiniteSteps(true); });
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

constexpr std::int64_t kTrusted = 16;

/// So that the next steps are the device's, so many at once.
void warmUp(Trainer& trainer) {
    while (trainer.steps(kTrusted).size() < kTrusted) continue;
}

TEST(DeviceSteps, AreALaunchEachAndNoWait) {
    TrainingSettings microBatches = smallMlp("fp16"), scales = smallMlp("fp8");
    microBatches.accumulate = 2;
    for (const TrainingSettings& settings : {smallMlp("fp16"), microBatches, scales}) {
        Trainer trainer(settings, loadDataset(settings.data), cuda::createBackend(0));
        warmUp(trainer);
        const emulation::Counts before = emulation::counts();
        const std::size_t steps = trainer.steps(kTrusted).size();
        const emulation::Counts after = emulation::counts();
        EXPECT_EQ(steps, kTrusted);
        EXPECT_EQ(after.graphLaunches - before.graphLaunches, kTrusted);
        EXPECT_EQ(after.synchronisations - before.synchronisations, 0);
        EXPECT_EQ(after.recorded, before.recorded);
        EXPECT_LE(after.enqueued - before.enqueued, 6) << "what goes in; what comes out is read where the device has put it";
    }
}

/// Its own, also where the clock moves more seldom than steps end: then those of all add up.
TEST(DeviceSteps, TakeTheTimeThatTheDeviceSaysEach) {
    for (const std::int64_t clockStepNs : {32, 25'000'000}) {
        emulation::card().clockStepNs = clockStepNs;
        Trainer trainer(smallMlp("bf16"), loadDataset(smallMlp("bf16").data), cuda::createBackend(0));
        warmUp(trainer);
        const std::int64_t done = emulation::counts().done;
        const double inLibraries = emulation::libraryCalls().milliseconds;
        const std::int64_t slow = trainer.nextStep() + 6;
        std::map<std::int64_t, double> times;
        constexpr double kLonger = 100;
        trainer.steps(kTrusted, 2, [&](const StepRecord& record) {
            if (record.step + 1 == slow) emulation::libraryCalls().milliseconds += kLonger;
            times[record.step] = record.stepMs;
            return true;
        });
        double sum = 0;
        for (const auto& [step, ms] : times) {
            EXPECT_GT(ms, 0) << step;
            EXPECT_EQ(ms > kLonger / 2, step == slow) << step << ": " << ms;
            sum += ms;
        }
        EXPECT_EQ(times.size(), kTrusted);
        const double clockStep = 1e-6 * static_cast<double>(clockStepNs), around = 0.02 + clockStep;  // what is copied before the steps
        EXPECT_NEAR(sum, clockStep * std::round(sum / clockStep), 0.0006) << "no more than the last may be the least there is";
        const double taken =
            1e-3 * static_cast<double>(emulation::counts().done - done) + emulation::libraryCalls().milliseconds - inLibraries;
        EXPECT_NEAR(sum, taken, around);
    }
    emulation::card() = {};
}

TEST(DeviceSteps, AreToldOfWhileOthersAreUnderWay) {
    const TrainingSettings settings = smallMlp("fp16");
    Trainer trainer(settings, loadDataset(settings.data), cuda::createBackend(0));
    warmUp(trainer);
    const std::int64_t first = trainer.nextStep(), begun = emulation::counts().graphLaunches;
    constexpr std::int64_t kUnderWay = 3, kSteps = 20;
    std::int64_t told = 0;
    while (trainer.nextStep() < first + kSteps) {
        trainer.steps(first + kSteps - trainer.nextStep(), kUnderWay, [&](const StepRecord& record) {
            EXPECT_EQ(record.step, first + told++) << "in order";
            EXPECT_EQ(trainer.nextStep(), first + told);
            const std::int64_t ahead = emulation::counts().graphLaunches - begun - told;
            EXPECT_GE(ahead, 0);
            EXPECT_LT(ahead, kUnderWay);
            return true;
        });
    }
    EXPECT_EQ(told, kSteps);
    EXPECT_EQ(emulation::counts().graphLaunches - begun, kSteps);
}

TEST(DeviceSteps, AreCountedWithAllThatARunTakesOfTheDevice) {
    const TrainingSettings settings = smallMlp("fp8");
    const auto dataset = loadDataset(settings.data);
    const auto backend = cuda::createBackend(0);
    const auto freeBytes = [] {
        std::size_t free = 0, total = 0;
        cudaMemGetInfo(&free, &total);
        return static_cast<std::int64_t>(free);
    };
    const std::int64_t before = freeBytes();
    Trainer trainer(settings, dataset, backend);
    EXPECT_EQ(trainer.allocatedBytes(), before - freeBytes());
    const std::int64_t atFirst = trainer.allocatedBytes();
    warmUp(trainer);
    EXPECT_EQ(trainer.allocatedBytes(), before - freeBytes());
    EXPECT_GT(trainer.allocatedBytes(), atFirst);
}

TEST(DeviceSteps, EndWhenTheyAreToldTo) {
    const TrainingSettings settings = smallMlp("fp16");
    const auto dataset = loadDataset(settings.data);
    Trainer trainer(settings, dataset, cuda::createBackend(0)), single(settings, dataset, cuda::createBackend(0));
    warmUp(trainer);
    const std::int64_t first = trainer.nextStep();
    trainer.steps(kTrusted, 4, [&](const StepRecord& record) { return record.step < first + 5; });
    const std::int64_t ended = trainer.nextStep();
    EXPECT_GE(ended, first + 6);
    EXPECT_LE(ended, first + 6 + 4) << "those under way";
    // Whoever is told may fail: what is under way then counts all the same.
    EXPECT_THROW(trainer.steps(kTrusted, 4, [](const StepRecord&) -> bool { throw std::runtime_error("full"); }), std::runtime_error);
    EXPECT_GT(trainer.nextStep(), ended);
    EXPECT_LE(trainer.nextStep(), ended + 4);
    while (single.nextStep() < trainer.nextStep()) single.step();
    EXPECT_TRUE(single.snapshot().memory == trainer.snapshot().memory);
}

TEST(DeviceSteps, AreOneAtATimeWhereSomebodyLooks) {
    TrainingSettings settings = smallMlp("fp32");
    Trainer trainer(settings, loadDataset(settings.data), cuda::createBackend(0));
    trainer.setInstrumentation(Instrumentation::Sampled);
    std::set<std::int64_t> lookedAt;
    while (trainer.nextStep() < 100) {
        trainer.steps(64);
        if (trainer.statsStep() >= 0) lookedAt.insert(trainer.statsStep());
    }
    for (std::int64_t step = 0; step < 100; step += kSampledPeriod) EXPECT_TRUE(lookedAt.contains(step)) << step;
}

/// Halts soon after step 10, and the device has to leave nothing of that step, whatever it does for nothing after it.
void expectNothingOfAHaltedStep(TrainingSettings settings, Instrumentation level = Instrumentation::Off) {
    settings.optimizer = {.kind = "sgd", .lr = 0.01, .schedule = {.kind = "step", .every = 10, .factor = 1e40}};
    settings.scaler = defaultScaler("fp32");
    Trainer probe(settings, loadDataset(settings.data), cuda::createBackend(0));
    while (!probe.firstNonFinite() && probe.nextStep() < 14) probe.step();
    ASSERT_TRUE(probe.firstNonFinite().has_value());
    const auto prepare = [&](Trainer& trainer) {
        trainer.keepNonFiniteSteps(true);
        trainer.setInstrumentation(level);
    };
    expectSameSteps(settings, probe.nextStep(), prepare, 4, 3);
}

/// What is kept is of the last step, and of none once steps were done for nothing.
TEST(DeviceSteps, SeeOneBlockInEightOfEach) {
    TrainingSettings settings = smallMlp("fp16");
    settings.model.hidden = {64};  // weights of eight blocks
    settings.accumulate = 2;
    expectSameSteps(
        settings, 24, [](Trainer& trainer) { trainer.setInstrumentation(Instrumentation::Blocks); }, 4);
    settings.accumulate = 1;
    expectNothingOfAHaltedStep(settings, Instrumentation::Blocks);
}

TEST(DeviceSteps, AddUpMicroBatches) {
    TrainingSettings settings = smallMlp("fp16");
    settings.accumulate = 3;
    settings.scaler.growthInterval = 9;
    settings.scaler.initScale = 0x1p24;
    expectSameSteps(settings, 30);
    expectNothingOfAHaltedStep(settings);
}

TEST(DeviceSteps, AddGradientsToThoseOfTheStepsBefore) {
    TrainingSettings settings = smallMlp("fp32");
    settings.zeroGrad = false;
    expectNothingOfAHaltedStep(settings);
    settings.accumulate = 2;
    expectNothingOfAHaltedStep(settings);
}

TEST(DeviceSteps, MoveFp8ScalesAsTheHostWould) {
    TrainingSettings settings = smallMlp("fp8");
    settings.precision.fp8.scaling = "delayed";
    settings.precision.fp8.amaxHistoryLen = 4;
    expectNothingOfAHaltedStep(settings);
}

TEST(DeviceSteps, MoveRunningStatisticsAsTheHostWould) {
    TrainingSettings settings = smallMlp("fp32");
    settings.model.kind = "resnet";
    settings.model.depth = 8;
    settings.data.batchSize = 2;
    expectNothingOfAHaltedStep(settings);
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
