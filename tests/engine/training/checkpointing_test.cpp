// SPDX-License-Identifier: Apache-2.0
// Gradient checkpointing: the same numbers bit for bit, from less memory.
#include <gtest/gtest.h>

#include "engine/training/trainer.h"

namespace mantissa {
namespace {

struct Checkpointed {
    const char* name;
    ModelSettings model;
    const char* policy;
};

void PrintTo(const Checkpointed& run, std::ostream* out) {
    *out << run.name << " in " << run.policy;
}

class Checkpointing : public testing::TestWithParam<Checkpointed> {
protected:
    Trainer trainer(bool isCheckpointed) const {
        TrainingSettings settings;
        settings.model = GetParam().model;
        settings.model.gradientCheckpointing = isCheckpointed;
        settings.precision.policy = GetParam().policy;
        settings.data = {.name = "synthetic-tokens", .batchSize = 4, .context = 16, .length = 2000};
        if (!takesTokens(settings.model.kind)) settings.data = {.name = "digits", .batchSize = 8};
        settings.validationInterval = 2;
        return Trainer(settings, loadDataset(settings.data), createCpuBackend());
    }
};

TEST_P(Checkpointing, ChangesNoNumber) {
    Trainer kept = trainer(false), again = trainer(true);
    for (int i = 0; i < 4; ++i) {
        const StepRecord a = kept.step(), b = again.step();
        EXPECT_EQ(a.loss, b.loss) << i;
        EXPECT_EQ(a.gradNorm, b.gradNorm) << i;
        EXPECT_EQ(a.validated() ? a.validationLoss : 0, b.validated() ? b.validationLoss : 0) << "statistics moved once, at step " << i;
    }
    const auto expected = kept.weights(), actual = again.weights();
    for (std::size_t i = 0; i < expected.size(); ++i) EXPECT_EQ(actual[i].values, expected[i].values) << actual[i].name;
}

TEST_P(Checkpointing, ChangesNoNumberWithMicroBatchesAnAuditAndALiveChange) {
    Trainer kept = trainer(false), again = trainer(true);
    for (Trainer* run : {&kept, &again}) {
        TrainingSettings settings = run->settings();
        settings.accumulate = 3;
        settings.scaler = {.preset = "static", .initScale = 0x1p120};  // overflows, and is looked into
        run->change(settings);
        run->step();
        settings.scaler = {.preset = "static", .initScale = 256};
        settings.precision = {.policy = "bf16", .overrides = {{"linear", Dtype::F16}}};
        run->change(settings);
    }
    EXPECT_EQ(kept.firstNonFinite().has_value(), again.firstNonFinite().has_value());
    for (int i = 0; i < 2; ++i) EXPECT_EQ(kept.step().loss, again.step().loss) << i;
    const auto expected = kept.weights(), actual = again.weights();
    for (std::size_t i = 0; i < expected.size(); ++i) EXPECT_EQ(actual[i].values, expected[i].values) << actual[i].name;
}

TEST_P(Checkpointing, KeepsLessForTheBackwardPass) {
    const MemoryLedger kept = trainer(false).plan().memory, again = trainer(true).plan().memory;
    EXPECT_LT(again.activations, kept.activations * 3 / 4);
    EXPECT_LT(again.total(), kept.total());
}

INSTANTIATE_TEST_SUITE_P(
    Models, Checkpointing,
    testing::Values(Checkpointed{"gpt", {.kind = "gpt", .nLayer = 4, .nHead = 2, .nEmbd = 32, .dropout = 0.1}, "fp32"},
                    Checkpointed{"gpt", {.kind = "gpt", .nLayer = 4, .nHead = 2, .nEmbd = 32, .dropout = 0.1}, "fp16"},
                    Checkpointed{"gpt", {.kind = "gpt", .nLayer = 4, .nHead = 2, .nEmbd = 32}, "fp8"},
                    Checkpointed{"fused_gpt", {.kind = "gpt", .nLayer = 4, .nHead = 2, .nEmbd = 32, .attention = "fused"}, "bf16"},
                    Checkpointed{"llama", {.kind = "llama", .nLayer = 4, .nHead = 4, .nEmbd = 32, .nKvHead = 2}, "bf16"},
                    Checkpointed{"llama", {.kind = "llama", .nLayer = 4, .nHead = 4, .nEmbd = 32}, "pure-bf16"},
                    Checkpointed{"resnet", {.kind = "resnet", .depth = 20}, "fp32"},
                    Checkpointed{"resnet", {.kind = "resnet", .depth = 20}, "fp16"}),
    [](const auto& run) {
        std::string name = std::string(run.param.name) + "_" + run.param.policy;
        for (char& c : name) {
            if (c == '-') c = '_';
        }
        return name;
    });

}  // namespace
}  // namespace mantissa
