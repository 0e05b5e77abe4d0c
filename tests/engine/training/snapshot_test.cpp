// SPDX-License-Identifier: Apache-2.0
// A trainer that restores a snapshot goes on as the one it was taken of, to the last bit: in itself, and in a fresh one.
#include <gtest/gtest.h>

#include <cstring>
#include <functional>

#include "engine/training/trainer.h"

namespace mantissa {
namespace {

struct SnapshotCase {
    const char* name;
    std::function<void(TrainingSettings&)> choose;
    std::function<void(TrainingSettings&)> change;  // live, after the snapshot: what a restored run must not know
};

void PrintTo(const SnapshotCase& run, std::ostream* out) {
    *out << run.name;
}

void scaled(TrainingSettings& s) {
    s.precision.policy = "fp16";
    s.scaler = {.preset = "pytorch", .initScale = 0x1p17, .growthInterval = 2};
}
void toBf16(TrainingSettings& s) {
    s.precision = {.policy = "bf16", .overrides = {}};
    s.scaler = {};
}

class Snapshots : public testing::TestWithParam<SnapshotCase> {
protected:
    TrainingSettings settings() const {
        TrainingSettings s;
        s.model.hidden = {16};
        s.data = {.name = "digits", .batchSize = 8};
        s.validationInterval = 2;
        GetParam().choose(s);
        return s;
    }
    static Trainer make(const TrainingSettings& s) { return Trainer(s, loadDataset(s.data), createCpuBackend()); }

    static std::vector<StepRecord> train(Trainer& trainer, int steps) {
        std::vector<StepRecord> records;
        for (int i = 0; i < steps; ++i) records.push_back(trainer.step());
        return records;
    }
    static std::vector<float> weightsOf(const Trainer& trainer) {
        std::vector<float> flat;
        for (const NamedTensor& tensor : trainer.weights()) flat.insert(flat.end(), tensor.values.begin(), tensor.values.end());
        return flat;
    }
};

void expectSame(const std::vector<StepRecord>& a, const std::vector<StepRecord>& b) {
    ASSERT_EQ(a.size(), b.size());
    const auto bits = [](double value) {
        std::uint64_t pattern;
        std::memcpy(&pattern, &value, sizeof pattern);
        return pattern;
    };
    for (std::size_t i = 0; i < a.size(); ++i) {
        EXPECT_EQ(a[i].step, b[i].step);
        EXPECT_EQ(bits(a[i].loss), bits(b[i].loss)) << "step " << a[i].step;
        EXPECT_EQ(bits(a[i].gradNorm), bits(b[i].gradNorm)) << "step " << a[i].step;
        EXPECT_EQ(a[i].lossScale, b[i].lossScale) << "step " << a[i].step;
        EXPECT_EQ(a[i].lr, b[i].lr) << "step " << a[i].step;
        EXPECT_EQ(a[i].flags, b[i].flags) << "step " << a[i].step;
        EXPECT_EQ(a[i].skippedTotal, b[i].skippedTotal) << "step " << a[i].step;
        EXPECT_EQ(a[i].samples, b[i].samples) << "step " << a[i].step;
        EXPECT_EQ(bits(a[i].validationLoss), bits(b[i].validationLoss)) << "step " << a[i].step;
    }
}

TEST_P(Snapshots, GoOnToTheLastBit) {
    Trainer trainer = make(settings());
    train(trainer, 3);
    const Snapshot snapshot = trainer.snapshot();
    const auto expected = train(trainer, 5);
    const auto weights = weightsOf(trainer);

    TrainingSettings other = trainer.settings();
    GetParam().change(other);
    trainer.change(other);
    train(trainer, 3);

    trainer.restore(snapshot);
    EXPECT_EQ(trainer.nextStep(), 3);
    expectSame(train(trainer, 5), expected);
    EXPECT_EQ(weightsOf(trainer), weights);

    Trainer fresh = make(settings());
    fresh.restore(snapshot);
    expectSame(train(fresh, 5), expected);
    EXPECT_EQ(weightsOf(fresh), weights);
}

INSTANTIATE_TEST_SUITE_P(
    Runs, Snapshots,
    testing::Values(SnapshotCase{"fp32", [](TrainingSettings&) {}, scaled},
                    SnapshotCase{"scaled", [](TrainingSettings& s) { scaled(s); }, toBf16},
                    SnapshotCase{"beyond_fp32",
                                 [](TrainingSettings& s) {
                                     s.precision.policy = "fp16";
                                     s.scaler = {.preset = "deepspeed",
                                                 .initScale = 5e39,
                                                 .growthFactor = 1.7,
                                                 .backoffFactor = 1 / 1.7,
                                                 .growthInterval = 2,
                                                 .hysteresis = 1};
                                 },
                                 toBf16},
                    SnapshotCase{"log_max", [](TrainingSettings& s) { s.precision.policy = "fp16", s.scaler.preset = "logmax"; }, toBf16},
                    SnapshotCase{"fp8", [](TrainingSettings& s) { s.precision.policy = "fp8"; }, toBf16},
                    SnapshotCase{"kahan",
                                 [](TrainingSettings& s) {
                                     s.precision.policy = "pure-bf16";
                                     s.precision.weightUpdate = WeightUpdate::Kahan;
                                 },
                                 toBf16},
                    SnapshotCase{"momentum",
                                 [](TrainingSettings& s) { s.optimizer = {.kind = "sgd", .lr = 0.1, .weightDecay = 0, .momentum = 0.9}; },
                                 [](TrainingSettings& s) { s.optimizer.momentum = 0; }},
                    SnapshotCase{"schedule_and_clipping",
                                 [](TrainingSettings& s) {
                                     s.optimizer.schedule = {.kind = "cosine", .warmupSteps = 4};
                                     s.clipGradNorm = 0.1;
                                     s.optimizer.kind = "lion";
                                 },
                                 [](TrainingSettings& s) { s.clipGradNorm.reset(); }},
                    SnapshotCase{"statistics", [](TrainingSettings& s) { s.model.kind = "resnet", s.model.depth = 8; }, toBf16},
                    SnapshotCase{"dropout_and_micro_batches",
                                 [](TrainingSettings& s) {
                                     s.model = {.kind = "gpt", .nLayer = 1, .nHead = 2, .nEmbd = 16, .dropout = 0.1};
                                     s.data = {.name = "synthetic-tokens", .batchSize = 4, .context = 16, .length = 2000};
                                     s.accumulate = 2;
                                 },
                                 [](TrainingSettings& s) { s.accumulate = 1; }}),
    [](const auto& run) { return std::string(run.param.name); });

/// The momentum that a change has taken away, and a plan that keeps it without using it.
TEST(Snapshot, ComesBackAcrossAChangeOfWhatIsKept) {
    TrainingSettings settings;
    settings.model.hidden = {16};
    settings.optimizer = {.kind = "sgd", .lr = 0.1, .weightDecay = 0, .momentum = 0.9};
    Trainer trainer(settings, loadDataset(settings.data), createCpuBackend());
    trainer.step();
    settings.optimizer.momentum = 0;
    trainer.change(settings);
    trainer.step();
    const Snapshot paused = trainer.snapshot();
    settings.optimizer.momentum = 0.9;
    trainer.change(settings);
    const double expected = (trainer.step(), trainer.step().loss);
    Trainer fresh(paused.settings, loadDataset(settings.data), createCpuBackend());
    fresh.restore(paused);
    fresh.change(settings);
    EXPECT_EQ((fresh.step(), fresh.step().loss), expected);
}

TEST(Snapshot, OfAnotherRunIsRefused) {
    TrainingSettings settings;
    settings.model.hidden = {16};
    Trainer trainer(settings, loadDataset(settings.data), createCpuBackend());
    Snapshot snapshot = trainer.snapshot();
    snapshot.memory.pop_back();
    EXPECT_THROW(trainer.restore(snapshot), std::invalid_argument);
    snapshot.settings.model.hidden = {17};
    EXPECT_THROW(trainer.restore(snapshot), std::invalid_argument);
    EXPECT_GT(trainer.step().loss, 0);
}

}  // namespace
}  // namespace mantissa
