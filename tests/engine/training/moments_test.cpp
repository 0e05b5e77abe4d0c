// SPDX-License-Identifier: Apache-2.0
// The optimizer's moments in formats of their own, Muon's skipped steps, and their live changes.
#include <gtest/gtest.h>

#include "engine/training/trainer.h"
#include "tests/engine/training/small_run.h"

namespace mantissa {
namespace {

TrainingSettings muonRun(const std::string& policy) {
    TrainingSettings settings = smallRun(policy);
    settings.model.hidden = {32, 48};
    settings.optimizer = {.kind = "muon", .lr = 3e-3, .weightDecay = 0.1, .momentum = 0.95, .nesterov = true};
    return settings;
}

std::unique_ptr<Trainer> begun(const TrainingSettings& settings) {
    return std::make_unique<Trainer>(settings, loadDataset({.name = "digits"}), createCpuBackend());
}

std::vector<double> lossesOf(Trainer& trainer, int steps) {
    std::vector<double> values;
    for (int i = 0; i < steps; ++i) values.push_back(trainer.step().loss);
    return values;
}

std::vector<float> numbersOf(const Trainer& trainer) {
    std::vector<float> values;
    for (const NamedTensor& tensor : trainer.weights()) values.insert(values.end(), tensor.values.begin(), tensor.values.end());
    return values;
}

TEST(Moments, ALiveChangeRoundsThemOnce) {
    TrainingSettings settings = smallRun("fp32");
    const auto narrow = begun(settings), returned = begun(settings), wide = begun(settings);
    for (Trainer* each : {narrow.get(), returned.get(), wide.get()}) lossesOf(*each, 20);
    const std::int64_t before = narrow->plan().memory.optimizer;
    settings.optimizer.stateDtype = "bf16";
    narrow->change(settings), returned->change(settings);
    EXPECT_EQ(narrow->plan().memory.optimizer, before / 2);
    EXPECT_EQ(numbersOf(*narrow), numbersOf(*wide)) << "the weights stay as they are";
    settings.optimizer.stateDtype = "fp32";
    returned->change(settings);
    EXPECT_EQ(returned->plan().memory.optimizer, before);
    // Both have moments rounded once; the next step takes them before it rounds.
    EXPECT_EQ(lossesOf(*narrow, 2), lossesOf(*returned, 2));
    EXPECT_NE(numbersOf(*narrow), numbersOf(*wide));
    lossesOf(*narrow, 1), lossesOf(*returned, 1);
    EXPECT_NE(numbersOf(*narrow), numbersOf(*returned)) << "one rounds its moments in each step";
}

TEST(Moments, ASnapshotHasThemInTheirFormat) {
    TrainingSettings settings = smallRun("bf16");
    settings.optimizer.stateDtype = "fp16";
    settings.optimizer.epsilon = 1e-4;
    const auto run = begun(settings);
    lossesOf(*run, 5);
    const Snapshot snapshot = run->snapshot();
    const std::vector<double> first = lossesOf(*run, 5);
    run->restore(snapshot);
    EXPECT_EQ(lossesOf(*run, 5), first);
}

TEST(Moments, SecondMomentsInBf16DoNotDecayWithABeta2Of0999) {
    // The gradients become small, and with them the second moments in fp32: in bf16 they stay, so the weights move less.
    TrainingSettings settings = smallRun("fp32");
    settings.steps = 2500;
    const auto wide = begun(settings);
    settings.optimizer.stateDtype = "bf16";
    const auto narrow = begun(settings);
    settings.optimizer.beta2 = 0.95;
    const auto quick = begun(settings);
    settings.optimizer.stateDtype = "weights";
    const auto quickWide = begun(settings);
    const auto ended = [](Trainer& trainer) {
        double sum = 0;
        for (const double loss : lossesOf(trainer, 2500)) sum = 0.99 * sum + 0.01 * loss;
        return sum;
    };
    EXPECT_GT(ended(*narrow), 1.1 * ended(*wide));
    const double expected = ended(*quickWide);
    EXPECT_NEAR(ended(*quick), expected, 0.1 * expected);
}

TEST(Muon, ASkippedStepChangesNothing) {
    TrainingSettings settings = muonRun("fp16");
    settings.scaler = {.preset = "pytorch", .initScale = 0x1p40};
    const auto run = begun(settings);
    const std::vector<float> initial = numbersOf(*run);
    int skips = 0;
    while (run->step().skipped()) {
        ++skips;
        EXPECT_EQ(numbersOf(*run), initial);
    }
    EXPECT_GT(skips, 3);
    EXPECT_NE(numbersOf(*run), initial);
    EXPECT_LT(lossesOf(*run, 100).back(), 1.5);
}

TEST(Muon, EveryPolicyAndFormatOfTheIterationLearns) {
    for (const char* policy : {"fp32", "tf32", "bf16", "fp16", "fp8", "mxfp8", "nvfp4", "pure-bf16", "pure-fp16"}) {
        for (const char* iterates : {"bf16", "fp16", "tf32", "fp32"}) {
            TrainingSettings settings = muonRun(policy);
            settings.optimizer.nsDtype = iterates;
            if (policy == std::string("pure-fp16")) settings.optimizer.epsilon = 1e-4;
            const auto run = begun(settings), again = begun(settings);
            const std::vector<double> losses = lossesOf(*run, 60);
            EXPECT_LT(losses.back(), 0.9 * losses.front()) << policy << ", " << iterates;
            EXPECT_EQ(lossesOf(*again, 60), losses) << "the same to the last bit";
        }
    }
}

TEST(Muon, ALiveChangeOfTheIterationKeepsTheMomentum) {
    TrainingSettings settings = muonRun("fp32");
    const auto changed = begun(settings), plain = begun(settings);
    lossesOf(*changed, 10), lossesOf(*plain, 10);
    settings.optimizer.nsDtype = "fp32";
    changed->change(settings);
    EXPECT_EQ(changed->step().loss, plain->step().loss) << "the loss is that of the weights before";
    const double next = changed->step().loss, expected = plain->step().loss;
    EXPECT_NE(next, expected);
    EXPECT_NEAR(next, expected, 1e-3 * expected);
}

}  // namespace
}  // namespace mantissa
