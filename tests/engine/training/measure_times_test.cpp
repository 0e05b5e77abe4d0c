// SPDX-License-Identifier: Apache-2.0
// Measured times of a step: consistent with the plan, and without an effect on training. Not how long it takes.
#include "engine/training/measure_times.h"

#include <gtest/gtest.h>

#include <stdexcept>

#include "tests/engine/training/small_run.h"

namespace mantissa {
namespace {

std::vector<double> lossesOfSteps(Trainer& trainer, int steps) {
    std::vector<double> losses;
    for (int i = 0; i < steps; ++i) losses.push_back(trainer.step().loss);
    return losses;
}

TEST(MeasureTimes, AreOfEveryOperationAndDoNotChangeTheRun) {
    const std::shared_ptr<Backend> backend = createCpuBackend();
    TrainingSettings settings = smallRun("fp16");
    settings.accumulate = 2;
    settings.scaler.preset = "pytorch";
    const auto dataset = loadDataset(settings.data);
    Trainer trainer(settings, dataset, backend), other(settings, dataset, backend);
    EXPECT_EQ(lossesOfSteps(trainer, 5), lossesOfSteps(other, 5));
    const StepTimes times = measureStepTimes(trainer, *backend);
    EXPECT_EQ(trainer.nextStep(), 5);
    EXPECT_EQ(lossesOfSteps(trainer, 10), lossesOfSteps(other, 10));
    EXPECT_EQ(times.device, "cpu");
    EXPECT_GT(times.stepSeconds, 0);
    EXPECT_FALSE(times.notes.empty());
    std::int64_t runs = 0;
    double seconds = 0;
    for (const OperationTime& each : times.operations) {
        runs += each.runs;
        seconds += each.seconds;
        EXPECT_GT(each.seconds, 0) << each.operation;
        EXPECT_EQ(each.kind == OperationKind::Product, each.peakTflops > 0) << each.operation;
    }
    EXPECT_NEAR(seconds, times.seconds, 1e-12);
    const Plan& plan = trainer.plan();
    const auto all = static_cast<std::int64_t>(plan.instructions.size());
    EXPECT_EQ(runs, all + plan.backwardEnd - plan.prologueEnd) << "forward and backward twice";
}

TEST(MeasureTimes, OfAStepThatOverflowsLeaveNothingBehind) {
    const std::shared_ptr<Backend> backend = createCpuBackend();
    TrainingSettings settings = smallRun("fp16");
    settings.scaler.preset = "static";
    settings.scaler.initScale = 0x1p40;
    Trainer trainer(settings, loadDataset(settings.data), backend);
    EXPECT_GT(measureStepTimes(trainer, *backend).stepSeconds, 0);
    EXPECT_FALSE(trainer.firstNonFinite());
    trainer.step();
    EXPECT_TRUE(trainer.firstNonFinite());
}

TEST(MeasureTimes, CanBeStopped) {
    const std::shared_ptr<Backend> backend = createCpuBackend();
    TrainingSettings settings = smallRun("fp32");
    Trainer trainer(settings, loadDataset(settings.data), backend);
    for (int most = 1; most < 6; ++most) {  // not before a whole repetition after the first two
        int calls = 0;
        EXPECT_THROW(measureStepTimes(trainer, *backend, [&] { return ++calls < most; }), std::invalid_argument) << most;
    }
    int calls = 0;
    EXPECT_GT(measureStepTimes(trainer, *backend, [&] { return ++calls < 6; }).stepSeconds, 0) << "those so far";
    EXPECT_EQ(trainer.nextStep(), 0);
}

}  // namespace
}  // namespace mantissa
