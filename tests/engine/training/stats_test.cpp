// SPDX-License-Identifier: Apache-2.0
// Looks at tensors: they change no number of training, and see what is there.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <tuple>

#include "engine/diagnosis/usable_scales.h"
#include "engine/training/build_plan.h"
#include "engine/training/trainer.h"
#include "tests/engine/diagnosis/histogram_values.h"
#include "tests/engine/training/small_run.h"

namespace mantissa {
namespace {

Trainer statsTrainer(const TrainingSettings& settings) {
    return Trainer(settings, loadDataset(settings.data), createCpuBackend());
}

TrainingSettings gptWithStats(const std::string& policy) {
    TrainingSettings settings;
    settings.model = {.kind = "gpt", .nLayer = 2, .nHead = 2, .nEmbd = 32, .dropout = 0.1, .gradientCheckpointing = true};
    settings.data = {.name = "synthetic-tokens", .batchSize = 4, .context = 16, .length = 2000};
    settings.precision.policy = policy;
    settings.accumulate = 2;
    return settings;
}

TrainingSettings resnetWithStats(const std::string& policy) {
    TrainingSettings settings;
    settings.model = {.kind = "resnet", .depth = 8, .gradientCheckpointing = true};
    settings.data = {.name = "digits", .batchSize = 8};
    settings.precision.policy = policy;
    return settings;
}

TrainingSettings smallRunWithStats(const std::string& policy, const std::string& optimizer, std::int64_t accumulate, double scale) {
    TrainingSettings settings = smallRun(policy);
    settings.optimizer.kind = optimizer;
    settings.accumulate = accumulate;
    settings.scaler = {.preset = "static", .initScale = scale};
    return settings;
}

const std::vector<std::pair<std::string, TrainingSettings>>& statsSettings() {
    static const std::vector<std::pair<std::string, TrainingSettings>> kAll{
        {"fp32", smallRunWithStats("fp32", "adamw", 1, 1)},
        {"fp16, accumulating", smallRunWithStats("fp16", "sgd", 3, 1024)},
        {"fp16, overflowing", smallRunWithStats("fp16", "adam", 2, 0x1p120)},
        {"fp8", smallRunWithStats("fp8", "lion", 1, 1)},
        {"pure bf16", smallRunWithStats("pure-bf16", "adamw", 1, 1)},
        {"gpt in fp8, checkpointed", gptWithStats("fp8")},
        {"resnet in fp16, checkpointed", resnetWithStats("fp16")},
    };
    return kAll;
}

TEST(TensorStatistics, NoLevelChangesANumber) {
    for (const auto& [name, settings] : statsSettings()) {
        Trainer off = statsTrainer(settings), sampled = statsTrainer(settings), full = statsTrainer(settings),
                blocks = statsTrainer(settings), switched = statsTrainer(settings);
        sampled.setInstrumentation(Instrumentation::Sampled);
        blocks.setInstrumentation(Instrumentation::Blocks);
        full.setInstrumentation(Instrumentation::Full);
        for (int step = 0; step < 4; ++step) {
            if (step == 1) switched.setInstrumentation(Instrumentation::Full);
            if (step == 2) switched.setInstrumentation(Instrumentation::Blocks);
            if (step == 3) switched.setInstrumentation(Instrumentation::Off);
            const StepRecord expected = off.step();
            for (Trainer* other : {&sampled, &full, &blocks, &switched}) {
                const StepRecord record = other->step();
                EXPECT_TRUE(isSameValue(record.loss, expected.loss)) << name << ", step " << step;
                EXPECT_TRUE(isSameValue(record.gradNorm, expected.gradNorm)) << name << ", step " << step;
                EXPECT_EQ(record.flags, expected.flags) << name << ", step " << step;
                EXPECT_EQ(record.memoryBytes, expected.memoryBytes) << name << ", step " << step;
            }
        }
        for (const Trainer* other : {&sampled, &full, &blocks, &switched})
            EXPECT_EQ(other->snapshot().memory, off.snapshot().memory) << name;
        EXPECT_EQ(off.stats(), std::nullopt);
        EXPECT_EQ(sampled.statsStep(), 0);
        EXPECT_EQ(full.statsStep(), 3);
        EXPECT_EQ(blocks.statsStep(), 3);
        EXPECT_EQ(switched.stats(), std::nullopt);
    }
}

/// Statistics directly follow the instruction that writes the tensor, with only other statistics between, and move no buffer.
TEST(TensorStatistics, StandRightBehindWhatTheySee) {
    for (const auto& [name, settings] : statsSettings()) {
        const DataShape shape = shapeOf(*loadDataset(settings.data));
        const auto backend = createCpuBackend();
        const Plan bare = buildPlans(settings, shape, *backend).training,
                   plan = buildPlans(settings, shape, *backend, false, Instrumentation::Full).training;
        ASSERT_FALSE(plan.measured.empty());
        EXPECT_TRUE(bare.measured.empty());
        EXPECT_EQ(plan.memory, bare.memory) << name;
        EXPECT_EQ(plan.bytesOf(Arena::Transient), bare.bytesOf(Arena::Transient)) << name;
        for (std::size_t i = 0; i < bare.buffers.size(); ++i) {
            ASSERT_EQ(plan.buffers[i].name, bare.buffers[i].name);
            EXPECT_EQ(plan.buffers[i].offset, bare.buffers[i].offset) << name << ": " << bare.buffers[i].name;
        }
        std::vector<const Instruction*> others;
        std::size_t expected = 0, seen = 0;
        const auto hasNumbers = [&](int buffer) {
            if (buffer < 0 || buffer == plan.loss) return false;
            const Buffer& written = plan.buffers[static_cast<std::size_t>(buffer)];
            const bool isCast =
                written.role == ValueRole::ParameterGradient && written.arena != Arena::Gradients && settings.accumulate == 1;
            return written.dtype && !isCast;  // what a gradient is cast to is looked at, once
        };
        for (std::size_t i = 0; i < plan.instructions.size(); ++i) {
            const Instruction& instruction = plan.instructions[i];
            const bool isInPasses = static_cast<std::int64_t>(i) >= plan.prologueEnd && static_cast<std::int64_t>(i) < plan.backwardEnd;
            if (!instruction.isStatistics) {
                others.push_back(&instruction);
                if (!isInPasses) continue;
                expected += hasNumbers(instruction.output) ? 1 : 0;
                expected += static_cast<std::size_t>(std::count_if(instruction.others.begin(), instruction.others.end(), hasNumbers));
            } else if (isInPasses) {
                ++seen;
                const Instruction& made = *others.back();
                const int source = instruction.operands[0];
                EXPECT_TRUE(source == made.output || std::count(made.others.begin(), made.others.end(), source) == 1)
                    << name << ": " << plan.buffers[static_cast<std::size_t>(source)].name << " after " << made.name;
            }
        }
        EXPECT_EQ(seen, expected) << name;
        ASSERT_EQ(others.size(), bare.instructions.size());
        for (std::size_t i = 0; i < others.size(); ++i) EXPECT_EQ(others[i]->operands, bare.instructions[i].operands);
    }
}

/// A tensor without readers lives for one instruction; its statistics must not extend that.
TEST(TensorStatistics, LeaveNothingAliveForLonger) {
    Plan plan;
    const int unread = plan.addBuffer({.name = "unread", .shape = {16}, .dtype = Dtype::F32});
    const int next = plan.addBuffer({.name = "next", .shape = {16}, .dtype = Dtype::F32});
    Instruction statistics{.operands = {unread, next}};  // that it reads `next` as well is of no matter either
    statistics.isStatistics = true;
    plan.instructions = {{.operands = {unread}, .output = unread}, statistics, {.operands = {next}, .output = next}};
    layOut(plan);
    EXPECT_EQ(plan.bytesOf(Arena::Transient), 64);
    plan.instructions[1].isStatistics = false;  // a reader in earnest
    layOut(plan);
    EXPECT_EQ(plan.bytesOf(Arena::Transient), 128);
}

const TensorStats& tensorOf(const StepStats& stats, const std::string& tensor, TensorRole role) {
    const auto found = std::find_if(stats.tensors.begin(), stats.tensors.end(),
                                    [&](const TensorStats& each) { return each.tensor == tensor && each.role == role; });
    if (found == stats.tensors.end()) throw std::runtime_error("no statistics of " + tensor);
    return *found;
}

TEST(TensorStatistics, SeeTheWeightsAndWhatMovedThem) {
    for (const char* policy : {"fp32", "pure-bf16", "pure-fp16"}) {
        TrainingSettings settings = smallRun(policy);
        settings.optimizer = {.kind = "sgd", .lr = 1e-3, .weightDecay = 0};
        Trainer trainer = statsTrainer(settings);
        trainer.setInstrumentation(Instrumentation::Full);
        trainer.step();
        const auto before = trainer.weights();
        const StepRecord record = trainer.step();
        const auto after = trainer.weights();
        const StepStats stats = trainer.stats().value();
        EXPECT_EQ(stats.step, 1);
        EXPECT_EQ(stats.lossScale, record.lossScale);
        std::int64_t lost = 0;
        for (std::size_t p = 0; p < after.size(); ++p) {
            std::vector<float> moved;
            for (std::size_t i = 0; i < after[p].values.size(); ++i) moved.push_back(after[p].values[i] - before[p].values[i]);
            const auto unmoved = std::count(moved.begin(), moved.end(), 0.0f);
            const TensorStats& weight = tensorOf(stats, after[p].name, TensorRole::Weight);
            const TensorStats& update = tensorOf(stats, after[p].name, TensorRole::Update);
            const TensorStats& gradient = tensorOf(stats, after[p].name + ".grad", TensorRole::WeightGradient);
            EXPECT_EQ(weight.magnitudes, test::histogramOfValues(after[p].values)) << after[p].name;
            EXPECT_EQ(weight.storage, after[p].dtype);
            EXPECT_EQ(weight.layer, after[p].name.substr(0, after[p].name.rfind('.')));
            EXPECT_EQ(update.magnitudes, test::histogramOfValues(moved)) << after[p].name;
            EXPECT_EQ(update.classes.zero, unmoved);
            EXPECT_EQ(update.meant, gradient.classes.positive + gradient.classes.negative);
            EXPECT_EQ(update.lost, update.meant - (static_cast<std::int64_t>(moved.size()) - unmoved)) << after[p].name;
            lost += update.lost;
        }
        EXPECT_EQ(lost > 1000, std::string(policy) != "fp32") << policy << ": " << lost;
    }
}

/// Of the first layer's weights, nine blocks, the step sees one, or two; of its 72 biases all.
TEST(TensorStatistics, SeeOneBlockInEightOfEachStep) {
    for (const char* policy : {"fp32", "pure-bf16"}) {
        TrainingSettings settings = smallRun(policy);
        settings.model.hidden = {72};
        settings.optimizer = {.kind = "sgd", .lr = 1e-3, .weightDecay = 0};
        Trainer trainer = statsTrainer(settings), full = statsTrainer(settings);
        trainer.setInstrumentation(Instrumentation::Blocks);
        full.setInstrumentation(Instrumentation::Full);
        std::int64_t seen = 0;
        for (std::int64_t step = 0; step < kStatsPeriod; ++step) {
            const NamedTensor before = trainer.weights().front();
            trainer.step();
            full.step();
            const NamedTensor after = trainer.weights().front();
            ASSERT_EQ(after.values.size(), 9u * 512);
            std::vector<float> weights, moved;
            for (std::size_t i = 0; i < after.values.size(); ++i) {
                if (i / 512 % 8 != static_cast<std::size_t>(step)) continue;
                weights.push_back(after.values[i]);
                moved.push_back(after.values[i] - before.values[i]);
            }
            const StepStats stats = trainer.stats().value(), whole = full.stats().value();
            EXPECT_TRUE(stats.isPartial());
            EXPECT_FALSE(whole.isPartial());
            const TensorStats& weight = tensorOf(stats, after.name, TensorRole::Weight);
            const TensorStats& update = tensorOf(stats, after.name, TensorRole::Update);
            const TensorStats& gradient = tensorOf(stats, after.name + ".grad", TensorRole::WeightGradient);
            EXPECT_EQ(weight.magnitudes, test::histogramOfValues(weights));
            EXPECT_EQ(update.magnitudes, test::histogramOfValues(moved));
            const auto unmoved = std::count(moved.begin(), moved.end(), 0.0f);
            EXPECT_EQ(update.classes.zero, unmoved);
            EXPECT_EQ(update.meant, gradient.classes.positive + gradient.classes.negative);
            EXPECT_EQ(update.lost, update.meant - (static_cast<std::int64_t>(moved.size()) - unmoved));
            for (const TensorStats* part : {&weight, &update, &gradient}) {
                EXPECT_EQ(part->elements, 9 * 512);
                EXPECT_EQ(part->classes.count(), static_cast<std::int64_t>(weights.size()));
                EXPECT_TRUE(part->isPartial());
            }
            seen += weight.classes.count();
            ASSERT_EQ(stats.tensors.size(), whole.tensors.size());
            for (std::size_t i = 0; i < stats.tensors.size(); ++i) {
                EXPECT_EQ(whole.tensors[i].classes.count(), whole.tensors[i].elements) << whole.tensors[i].tensor;
                if (whole.tensors[i].elements < 4096) {
                    EXPECT_EQ(stats.tensors[i], whole.tensors[i]);
                }
            }
        }
        EXPECT_EQ(seen, 9 * 512);
    }
}

TEST(TensorStatistics, SeeEachTensorOnce) {
    for (const auto& [name, settings] : statsSettings()) {
        Trainer trainer = statsTrainer(settings);
        trainer.setInstrumentation(Instrumentation::Full);
        trainer.step();
        std::set<std::tuple<std::string, TensorRole, std::string, Dtype>> seen;
        std::int64_t weightGradients = 0, weights = 0;
        const StepStats stats = trainer.stats().value();
        for (const TensorStats& tensor : stats.tensors) {
            EXPECT_TRUE(seen.emplace(tensor.tensor, tensor.role, tensor.phase, tensor.storage).second)
                << name << ": " << tensor.tensor << " twice";
            if (tensor.role == TensorRole::WeightGradient) weightGradients += tensor.elements;
            if (tensor.role == TensorRole::Weight) weights += tensor.elements;
        }
        EXPECT_EQ(weightGradients, weights) << name << ": each weight has one gradient";
    }
}

TEST(TensorStatistics, SeeTheBatchAndWhichGradientsAreScaled) {
    const TrainingSettings settings = smallRunWithStats("fp32", "adamw", 1, 1);
    TrainingSettings scaled = settings;
    scaled.scaler.initScale = 1024;
    Trainer plain = statsTrainer(settings), times1024 = statsTrainer(scaled);
    for (Trainer* trainer : {&plain, &times1024}) {
        trainer->setInstrumentation(Instrumentation::Full);
        trainer->step();
    }
    const StepStats a = plain.stats().value(), b = times1024.stats().value();
    const auto dataset = loadDataset(settings.data);
    const std::vector<float> batch(dataset->trainInputs.begin(),
                                   dataset->trainInputs.begin() + settings.data.batchSize * dataset->features);
    EXPECT_EQ(tensorOf(a, "input", TensorRole::Value).magnitudes, test::histogramOfValues(batch));
    ASSERT_EQ(a.tensors.size(), b.tensors.size());
    std::int64_t gradients = 0;
    for (std::size_t i = 0; i < a.tensors.size(); ++i) {
        Histogram shifted = a.tensors[i].magnitudes;  // fp32: a power of two times a sum's terms is that times the sum
        const bool isGradient = a.tensors[i].tensor.find("rad") != std::string::npos;
        EXPECT_EQ(a.tensors[i].isScaled, isGradient) << a.tensors[i].tensor;
        for (Histogram::Cell& cell : shifted.cells) cell.index += isGradient ? 10 * kPartCount : 0;
        EXPECT_EQ(b.tensors[i].magnitudes, shifted) << a.tensors[i].tensor << " by " << a.tensors[i].operation;
        gradients += isGradient ? 1 : 0;
    }
    EXPECT_GE(gradients, 7);  // two layers' weights and biases, and what flows between them
}

TEST(TensorStatistics, SeeWhatOverflows) {
    Trainer trainer = statsTrainer(smallRunWithStats("fp16", "adamw", 1, 0x1p120));
    trainer.setInstrumentation(Instrumentation::Full);
    EXPECT_TRUE(trainer.step().skipped());
    const StepStats stats = trainer.stats().value();
    for (const TensorStats& tensor : stats.tensors) {
        if (tensor.role == TensorRole::Value) {
            EXPECT_TRUE(tensor.classes.allFinite()) << tensor.tensor;
        } else if (tensor.role == TensorRole::Update) {
            EXPECT_EQ(tensor.meant, 0) << "skipped";
            EXPECT_EQ(tensor.classes.zero, tensor.classes.count());
        }
    }
    EXPECT_GT(tensorOf(stats, "layers.1.weight.grad", TensorRole::WeightGradient).classes.nonFinite(), 0);
}

/// The same run again, at both bounds of the range of usable scales that it showed: no step is skipped. Four times the upper one: one is.
TEST(TensorStatistics, ShowTheUsableScales) {
    for (const char* seen : {"fp32", "fp16"}) {
        constexpr int kSteps = 20;
        Trainer trainer = statsTrainer(smallRunWithStats(seen, "adamw", 1, 64));
        trainer.setInstrumentation(Instrumentation::Full);
        std::vector<StepStats> samples;
        for (int step = 0; step < kSteps; ++step) {
            trainer.step();
            samples.push_back(trainer.stats().value());
        }
        const UsableScales usable = intersectionOf(usableScalesOf(samples, {.format = Dtype::F16}));
        ASSERT_FALSE(usable.isEmpty()) << usable.sentence.english();
        const auto skips = [](double scale) {
            Trainer again = statsTrainer(smallRunWithStats("fp16", "adamw", 1, scale));
            for (int step = 0; step < kSteps; ++step) again.step();
            return again.snapshot().counters.skippedTotal;
        };
        EXPECT_EQ(skips(usable.lowest), 0) << seen << ": " << usable.sentence.english();
        EXPECT_EQ(skips(usable.highest), 0) << seen << ": " << usable.sentence.english();
        EXPECT_GT(skips(usable.highest * 4), 0) << seen << ": " << usable.sentence.english();
    }
}

}  // namespace
}  // namespace mantissa
