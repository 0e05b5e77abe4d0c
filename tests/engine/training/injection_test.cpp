// SPDX-License-Identifier: Apache-2.0
// Faults that are put into a step on purpose: they are where they were asked for, in that step alone.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <set>

#include "engine/training/trainer.h"
#include "kernels/dtype/rounding.h"
#include "tests/engine/training/small_run.h"

namespace mantissa {
namespace {

constexpr float kInfinite = std::numeric_limits<float>::infinity(), kNotANumber = std::numeric_limits<float>::quiet_NaN();

TrainingSettings injectionSettings(const std::string& kind, const std::string& policy) {
    TrainingSettings settings = smallRun(policy);
    settings.data.batchSize = 4;
    settings.model.kind = kind;
    settings.validationInterval = 1'000'000;
    settings.scaler = {.preset = "static", .initScale = 16};
    if (kind == "gpt") {
        settings.data = {.name = "opticks", .batchSize = 2, .order = "sequential", .context = 8};
        settings.model.nLayer = 1, settings.model.nHead = 2, settings.model.nEmbd = 8;
    }
    if (kind == "resnet") settings.model.depth = 8;
    return settings;
}

/// A floating point tensor of forward and backward pass, with what the plan says of the instruction that makes it.
struct Made {
    std::string tensor, layer, operation, phase;
    std::int64_t count = 0;
};
std::vector<Made> madeBy(const Plan& plan) {
    std::vector<Made> all;
    std::set<std::string> seen;
    for (std::int64_t i = 0; i < plan.backwardEnd; ++i) {
        const Instruction& instruction = plan.instructions[static_cast<std::size_t>(i)];
        std::vector<int> written{instruction.output};
        written.insert(written.end(), instruction.others.begin(), instruction.others.end());
        for (const int index : written) {
            if (index < 0) continue;
            const Buffer& buffer = plan.buffers[static_cast<std::size_t>(index)];
            if (buffer.arena == Arena::Statistics || !seen.insert(buffer.name).second) continue;  // statistics: only validation reads them
            all.push_back(
                {buffer.name, instruction.layer, instruction.name, std::string(phaseName(instruction.phase)), elementCount(buffer.shape)});
        }
    }
    return all;
}

TEST(Injection, TheAuditNamesEachTensorOfEachModelThatItIsPutInto) {
    // The plan's own list is the reference: a NaN there is found there, though another instruction may write the same memory later.
    for (const char* kind : {"mlp", "gpt", "resnet"}) {
        for (const char* policy : {"fp32", "fp16", "fp8"}) {
            if (kind != std::string("mlp") && policy == std::string("fp32")) continue;
            const TrainingSettings settings = injectionSettings(kind, policy);
            const auto data = loadDataset(settings.data);
            Trainer run(settings, data, createCpuBackend());
            const Snapshot begin = run.snapshot();
            for (const Made& made : madeBy(run.plan())) {
                // a ReLU takes no gradient, and so no NaN, where it was closed: then the next element
                for (std::int64_t back = 1; back <= std::min<std::int64_t>(made.count, 24); ++back) {
                    run.restore(begin);
                    run.injectTensor({made.tensor, kNotANumber, made.count - back});
                    run.step();
                    if (run.firstNonFinite()) break;
                }
                const auto found = run.firstNonFinite();
                ASSERT_TRUE(found) << kind << ", " << policy << ": " << made.tensor;
                EXPECT_EQ(found->tensor, made.tensor) << kind << ", " << policy;
                EXPECT_EQ(found->layer, made.layer) << made.tensor;
                EXPECT_EQ(found->operation, made.operation) << made.tensor;
                EXPECT_EQ(found->phase, made.phase) << made.tensor;
                EXPECT_EQ(found->cls, "NaN") << made.tensor;
            }
        }
    }
}

TEST(Injection, OfAnInputIsWhatAWrongPixelIsAndGoesWithItsStep) {
    // The same number reaches the first sample of the step's first micro-batch by either way, and nothing else.
    for (const std::int64_t accumulate : {1, 3}) {
        for (const float value : {50.0f, kInfinite}) {
            TrainingSettings settings = injectionSettings("mlp", "fp16");
            settings.accumulate = accumulate;
            const auto data = loadDataset(settings.data);
            Trainer byTensor(settings, data, createCpuBackend()), byPixel(settings, data, createCpuBackend());
            for (std::int64_t step = 0; step < 6; ++step) {
                if (step == 2) {
                    byTensor.injectTensor({"input", value, data->features / 2});
                    byPixel.injectInput(value);
                }
                const StepRecord a = byTensor.step(), b = byPixel.step();
                EXPECT_EQ(a.loss == b.loss || (std::isnan(a.loss) && std::isnan(b.loss)), true) << step << ": " << a.loss << " " << b.loss;
                EXPECT_EQ(a.flags, b.flags) << step;
                EXPECT_EQ(a.skipped(), step == 2 && std::isinf(value)) << step;
            }
            const std::vector<NamedTensor> a = byTensor.weights(), b = byPixel.weights();
            for (std::size_t i = 0; i < a.size(); ++i) EXPECT_EQ(a[i].values, b[i].values) << a[i].name;
        }
    }
}

TEST(Injection, AValueIsRoundedToTheTensorAsAnEncodeWouldAndTheMiddleIsMeant) {
    // 70000 is beyond fp16 and an outlier in bf16; the class tells which was written.
    for (const auto& [policy, tensorClass] : {std::pair("fp16", "+Inf"), std::pair("bf16", "")}) {
        const TrainingSettings settings = injectionSettings("mlp", policy);
        const auto data = loadDataset(settings.data);
        Trainer run(settings, data, createCpuBackend()), explicitly(settings, data, createCpuBackend());
        run.injectTensor({"layers.0.output", 70000, {}});
        explicitly.injectTensor({"layers.0.output", roundTo(run.policy().compute, 70000), 4 * 32 / 2});
        const StepRecord record = run.step();
        EXPECT_NE(record.flags & kFlagSettingChanged, 0u);
        EXPECT_EQ(run.firstNonFinite() ? run.firstNonFinite()->cls : "", tensorClass);
        const double same = explicitly.step().loss;
        EXPECT_TRUE(record.loss == same || (std::isnan(record.loss) && std::isnan(same))) << record.loss << " " << same;
    }
}

TEST(Injection, SeveralComeInTheOrderOfTheirInstructions) {
    const TrainingSettings settings = injectionSettings("mlp", "fp32");
    Trainer run(settings, loadDataset(settings.data), createCpuBackend());
    run.injectTensor({"layers.1.weight.grad", kNotANumber, 0});
    run.injectTensor({"layers.1.output", -kInfinite, 0});
    run.injectTensor({"layers.1.output", kInfinite, 1});
    run.step();
    ASSERT_TRUE(run.firstNonFinite());
    EXPECT_EQ(run.firstNonFinite()->tensor, "layers.1.output");
    EXPECT_EQ(run.firstNonFinite()->cls, "-Inf") << "the two are there at once, and the first one is named";
}

TEST(Injection, IntoTheOptimizerMeetsTheWeightsThemselves) {
    for (const std::int64_t accumulate : {1, 2}) {
        TrainingSettings settings = injectionSettings("mlp", "fp32");
        settings.accumulate = accumulate;
        Trainer run(settings, loadDataset(settings.data), createCpuBackend());
        run.step();
        run.injectTensor({"parameters", 1e30f, 5});
        EXPECT_TRUE(std::isfinite(run.step().loss)) << "it comes after the passes";
        EXPECT_EQ(run.weights()[0].values[5], 1e30f);
    }
}

TEST(Injection, ThatWaitsIsNoPartOfASnapshotAndDoesNotSurviveARestore) {
    const TrainingSettings settings = injectionSettings("mlp", "fp32");
    const auto data = loadDataset(settings.data);
    Trainer run(settings, data, createCpuBackend()), clean(settings, data, createCpuBackend());
    const Snapshot begin = run.snapshot();
    run.injectTensor({"layers.0.output", kInfinite, {}});
    run.restore(begin);
    EXPECT_EQ(run.step().loss, clean.step().loss);
    EXPECT_FALSE(run.firstNonFinite());
}

std::string refusal(const std::function<void()>& act) {
    try {
        act();
    } catch (const std::invalid_argument& error) {
        return error.what();
    }
    return "";
}

TEST(Injection, OfWhatIsNotThereIsRefusedInASentence) {
    TrainingSettings settings = injectionSettings("mlp", "fp16");
    Trainer run(settings, loadDataset(settings.data), createCpuBackend());
    EXPECT_EQ(refusal([&] {
                  run.injectTensor({"layers.9.output", 1, {}});
              }),
              "no instruction of this run makes a tensor 'layers.9.output'");
    EXPECT_EQ(refusal([&] {
                  run.injectTensor({"layers.1.weight as bf16", 1, {}});
              }),
              "no instruction of this run makes a tensor 'layers.1.weight as bf16' (did you mean 'layers.1.weight as fp16'?)");
    EXPECT_EQ(refusal([&] { run.injectTensor({"layers.1.output", 1, 40}); }), "tensor 'layers.1.output' has elements 0 to 39, and no 40");
    EXPECT_EQ(refusal([&] { run.injectLabel(1); }), "only the targets of a regression are numbers that another can stand in for");
    EXPECT_FALSE(run.step().skipped()) << "nothing of it was put in";

    run.injectTensor({"layers.1.weight as fp16", 1, {}});
    settings.precision.policy = "bf16";
    EXPECT_NE(refusal([&] { run.change(settings); }), "") << "the copy that was asked for would not be there";
    EXPECT_EQ(run.policy().name, "fp16");
    run.step();
    EXPECT_EQ(refusal([&] { run.change(settings); }), "");
}

TEST(Injection, ALabelOfARegressionIsThereForOneStepAlone) {
    TrainingSettings settings = smallRun("fp32");
    settings.data = {.name = "synthetic-regression", .batchSize = 16, .order = "sequential", .samples = 32};
    settings.validationInterval = 1'000'000;
    settings.scaler = {.preset = "static", .initScale = 1};
    const auto data = loadDataset(settings.data);
    Trainer run(settings, data, createCpuBackend()), clean(settings, data, createCpuBackend());
    run.step();
    clean.step();
    EXPECT_EQ(run.injectLabel(kNotANumber), data->trainTargets[static_cast<std::size_t>(16 * data->targets + data->targets / 2)]);
    const StepRecord poisoned = run.step();
    EXPECT_TRUE(std::isnan(poisoned.loss));
    EXPECT_TRUE(poisoned.skipped());
    ASSERT_TRUE(run.firstNonFinite());
    EXPECT_EQ(run.firstNonFinite()->tensor, "targets");
    EXPECT_TRUE(std::isfinite(clean.step().loss)) << "another run's data are its own";
    for (int i = 0; i < 4; ++i) EXPECT_FALSE(run.step().skipped()) << "the same sample comes again, as it was";
}

}  // namespace
}  // namespace mantissa
