// SPDX-License-Identifier: Apache-2.0
// Where real architectures break in narrow formats, and where they do not.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "engine/training/examiner.h"
#include "engine/training/trainer.h"
#include "tests/engine/training/small_run.h"

namespace mantissa {
namespace {

constexpr float kInf = std::numeric_limits<float>::infinity();

/// Images of 8x8 with two classes; sample `broken`, if any, has one infinite pixel.
std::shared_ptr<const Dataset> images(std::int64_t broken) {
    auto data = std::make_shared<Dataset>();
    data->name = "images";
    data->features = 64, data->classes = 2, data->image = {8, 8, 1};
    for (std::int64_t i = 0; i < 16; ++i) {
        for (std::int64_t pixel = 0; pixel < 64; ++pixel) {
            const bool isOn = (pixel + i) % 3 == 0 || (i % 2 == 0 && pixel < 32);
            data->trainInputs.push_back(i == broken && pixel == 20 ? kInf : isOn ? 1.0f : 0.0f);
        }
        data->trainLabels.push_back(static_cast<std::int32_t>(i % 2));
    }
    data->validationInputs.assign(data->trainInputs.begin(), data->trainInputs.begin() + 4 * 64);
    data->validationLabels.assign(data->trainLabels.begin(), data->trainLabels.begin() + 4);
    return data;
}

bool isStatistic(const NamedTensor& tensor) {
    return tensor.name.find("running_") != std::string::npos;
}

bool isFinite(const NamedTensor& tensor) {
    return std::all_of(tensor.values.begin(), tensor.values.end(), [](float v) { return std::isfinite(v); });
}

/// In fp16, validated after each step.
TrainingSettings smallResnet() {
    TrainingSettings settings;
    settings.data = {.batchSize = 4, .order = "sequential"};
    settings.model = {.kind = "resnet", .depth = 8};
    settings.precision.policy = "fp16";
    settings.scaler = {.preset = "pytorch", .initScale = 256};
    settings.validationInterval = 1;
    return settings;
}

TEST(Phenomena, ASkippedStepLeavesTheWeightsAndPoisonsRunningStatistics) {
    const TrainingSettings settings = smallResnet();
    Trainer run(settings, images(6), createCpuBackend());  // the second batch has it

    const StepRecord sound = run.step();
    EXPECT_EQ(sound.skippedTotal, 0);
    EXPECT_TRUE(std::isfinite(sound.validationLoss));
    const std::vector<NamedTensor> before = run.weights();
    EXPECT_TRUE(std::all_of(before.begin(), before.end(), isFinite));

    const StepRecord skipped = run.step();
    EXPECT_NE(skipped.flags & kFlagSkipped, 0u);
    EXPECT_TRUE(std::isnan(skipped.validationLoss)) << "validation takes the running statistics";
    ASSERT_TRUE(run.firstNonFinite());
    EXPECT_EQ(run.firstNonFinite()->tensor, "input");
    const std::vector<NamedTensor> after = run.weights();
    for (std::size_t i = 0; i < before.size(); ++i) {
        if (isStatistic(before[i])) continue;
        EXPECT_EQ(after[i].values, before[i].values) << after[i].name;
    }
    const auto poisoned = std::count_if(after.begin(), after.end(), [](const NamedTensor& t) { return isStatistic(t) && !isFinite(t); });
    EXPECT_GT(poisoned, 0);

    const StepRecord next = run.step();  // training goes on from its own batch's statistics, and does not show it
    EXPECT_TRUE(std::isfinite(next.loss));
    EXPECT_TRUE(std::isnan(next.validationLoss));
}

/// A scale that no step fits, and no time to look for one that does.
TEST(Phenomena, AnExaminationThatItsTimeEndsSaysSo) {
    TrainingSettings settings = smallRun("fp16");
    settings.scaler = {.preset = "static", .initScale = 0x1p40};
    for (const double seconds : {0.0, 60.0}) {
        Trainer trainer(settings, loadDataset(settings.data), createCpuBackend());
        trainer.keepNonFiniteSteps(true);
        ASSERT_TRUE(trainer.step().skipped());
        const auto before = trainer.takeNonFiniteStep();
        ASSERT_TRUE(before);
        const Examination found = examineStep(trainer, *before, {.trialSeconds = seconds, .remedySteps = 2, .isThorough = true});
        const std::string words = found.verdict.explanation.english();
        EXPECT_EQ(words.find("The examination ended after 0 s") != std::string::npos, seconds == 0) << words;
        EXPECT_FALSE(found.wasStopped);
    }
}

TEST(Phenomena, AnInjectedInfIsThereForOneStepAlone) {
    const TrainingSettings settings = smallResnet();
    const auto data = images(-1);
    Trainer run(settings, data, createCpuBackend()), other(settings, data, createCpuBackend());
    EXPECT_EQ(run.step().skippedTotal, 0);
    other.step();
    EXPECT_EQ(run.injectInput(kInf), data->trainInputs[4 * 64 + 32]) << "the middle pixel of the second batch's first sample";
    const StepRecord broken = run.step();
    EXPECT_NE(broken.flags & kFlagSkipped, 0u);
    EXPECT_NE(broken.flags & kFlagSettingChanged, 0u);
    EXPECT_TRUE(std::isnan(broken.validationLoss)) << "validation takes the running statistics";
    ASSERT_TRUE(run.firstNonFinite());
    EXPECT_EQ(run.firstNonFinite()->tensor, "input");
    EXPECT_FALSE(other.step().skipped()) << "another run's data are its own";
    for (int i = 0; i < 4; ++i) EXPECT_FALSE(run.step().skipped()) << "the same sample comes again in the next epoch, as it was";
}

TEST(Phenomena, ARunningVarianceThatOverflowsIsNamedWhereItIsRead) {
    TrainingSettings settings;
    settings.data = {.batchSize = 4, .order = "sequential"};
    settings.model = {.kind = "resnet", .depth = 8};
    settings.validationInterval = 2;
    Trainer run(settings, images(-1), createCpuBackend());
    run.injectInput(1e25f);  // its square is Inf in fp32: the norm's own output is 0, the loss stays finite
    EXPECT_TRUE(std::isfinite(run.step().loss));
    EXPECT_FALSE(run.firstNonFinite());
    run.step();
    ASSERT_TRUE(run.firstNonFinite());
    EXPECT_EQ(run.firstNonFinite()->tensor, "bn1.running_var");
    EXPECT_EQ(run.firstNonFinite()->layer, "bn1");
    EXPECT_EQ(run.firstNonFinite()->step, 1);
}

TEST(Phenomena, ASearchForTheFirstNonFiniteDoesNotMoveStatisticsTwice) {
    // The broken batch is looked at again; what it did to statistics that stay finite is done once.
    TrainingSettings settings;
    settings.data = {.batchSize = 4, .order = "sequential"};
    settings.model = {.kind = "resnet", .depth = 8};
    settings.precision.policy = "fp16";
    settings.scaler = {.preset = "static", .initScale = 0x1p40};  // every gradient overflows, no activation does
    Trainer looked(settings, images(-1), createCpuBackend());
    settings.scaler = {.preset = "static", .initScale = 1};
    settings.optimizer.lr = 0;
    Trainer plain(settings, images(-1), createCpuBackend());
    EXPECT_NE(looked.step().flags & kFlagSkipped, 0u);
    EXPECT_EQ(plain.step().flags & kFlagSkipped, 0u);
    const std::vector<NamedTensor> a = looked.weights(), b = plain.weights();
    for (std::size_t i = 0; i < a.size(); ++i) {
        if (!isStatistic(a[i])) continue;
        EXPECT_EQ(a[i].values, b[i].values) << a[i].name;
    }
}

/// A row of alternating +-x through a norm whose every elementary result is rounded to fp16, or which is an island of fp32.
std::vector<float> normed(float x, bool centres, Dtype compute) {
    const std::shared_ptr<Backend> backend = createCpuBackend();
    const auto queue = backend->createQueue();
    constexpr std::int64_t kCols = 8;
    std::vector<float> in(kCols), weight(kCols, 1.0f), out(kCols), saved(2);
    for (std::size_t i = 0; i < in.size(); ++i) in[i] = i % 2 == 0 ? x : -x;
    const LayerNormDesc desc{.rows = 1, .cols = kCols, .centres = centres, .hasBias = false, .compute = compute};
    const std::array<void*, 6> operands{in.data(), weight.data(), nullptr, out.data(), centres ? &saved[0] : nullptr, &saved[1]};
    backend->prepare(desc)->enqueue(*queue, operands);  // the CPU's operations work on plain memory
    queue->wait();
    return out;
}

TEST(Phenomena, AnFp16LayerNormWithoutItsFp32IslandOverflowsFrom256On) {
    EXPECT_NEAR(normed(255.8f, true, Dtype::F16)[0], 1, 1e-3);
    EXPECT_EQ(normed(256, true, Dtype::F16)[0], 0) << "the variance is Inf, its inverse root 0";
    EXPECT_NEAR(normed(256, true, Dtype::F32)[0], 1, 1e-6);
    EXPECT_NEAR(normed(256, true, Dtype::BF16)[0], 1, 1e-2);
}

TEST(Phenomena, RawMeasurementsOverflowWhenSquaredInFp16) {
    // breast-cancer features as they are measured: areas up to 4 254
    EXPECT_EQ(normed(4254, false, Dtype::F16)[0], 0);
    EXPECT_NEAR(normed(4254.0f / 4254, false, Dtype::F16)[0], 1, 1e-3) << "normalised";
    EXPECT_NEAR(normed(4254, false, Dtype::F32)[0], 1, 1e-6);
}

/// The first fp16 step of a one-layer language model whose embedding has `element(channel)` in each row, with its norms in `norms`. Nothing
/// is added to the stream, so that every norm reads the embedding.
StepRecord stepFromEmbedding(const char* kind, const std::function<float(std::size_t)>& element, const char* normKind, Dtype norms) {
    TrainingSettings settings;
    settings.data = {.name = "opticks", .batchSize = 2, .order = "sequential", .context = 16};
    settings.model = {.kind = kind, .nLayer = 1, .nHead = 1, .nEmbd = 64, .tieWeights = false};
    settings.precision = {.policy = "fp16", .overrides = {{normKind, norms}}};
    const auto data = loadDataset(settings.data);
    const std::shared_ptr<Backend> backend = createCpuBackend();
    std::vector<NamedTensor> weights = Trainer(settings, data, backend).weights();
    for (NamedTensor& tensor : weights) {
        const bool isEmbedding = tensor.name.ends_with("wte.weight") || tensor.name.ends_with("embed_tokens.weight");
        const bool writes = tensor.name.ends_with("c_proj.weight") || tensor.name.ends_with("o_proj.weight") ||
                            tensor.name.ends_with("down_proj.weight") || tensor.name.ends_with("wpe.weight");
        for (std::size_t i = 0; i < tensor.values.size(); ++i) {
            if (isEmbedding) tensor.values[i] = element(i % 64);
            if (writes) tensor.values[i] = 0;
            if (tensor.name == "lm_head.weight") tensor.values[i] *= 15;  // far from uniform, unless its input is 0
        }
    }
    return Trainer(settings, data, backend, &weights).step();
}

/// Of the 91 characters of Opticks, all alike: log 91, which is 4.5109, in fp16.
const double kUniformLoss = 4.51171875;

TEST(Phenomena, AGptTrainsAtAStreamOf255Point8AndIsBlindFrom256On) {
    const auto plusMinus = [](float size) { return [size](std::size_t channel) { return channel % 2 == 0 ? size : -size; }; };
    const StepRecord below = stepFromEmbedding("gpt", plusMinus(255.8f), "layer_norm", Dtype::F16);
    const StepRecord from = stepFromEmbedding("gpt", plusMinus(256), "layer_norm", Dtype::F16);
    const StepRecord island = stepFromEmbedding("gpt", plusMinus(256), "layer_norm", Dtype::F32);
    EXPECT_NEAR(from.loss, kUniformLoss, 1e-5) << "the variance is Inf, and every norm gives 0";
    EXPECT_GT(std::fabs(island.loss - kUniformLoss), 0.1);
    EXPECT_NEAR(below.loss, island.loss, 1e-2);
}

TEST(Phenomena, MeasurementsAsTheyAreLeaveNoGradientWhenSquaredInFp16) {
    // features as of breast-cancer data: a few tenths here, an area of 4 254 there
    const auto raw = [](std::size_t channel) { return channel % 4 == 0 ? 4254.0f : 0.1f * static_cast<float>(channel); };
    const auto scaled = [&](std::size_t channel) { return raw(channel) / 4254; };
    const StepRecord overflows = stepFromEmbedding("llama", raw, "rms_norm", Dtype::F16);
    EXPECT_NEAR(overflows.loss, kUniformLoss, 1e-5) << "the mean of squares is Inf, and every norm gives 0";
    EXPECT_EQ(overflows.gradNorm, 0);
    EXPECT_GT(stepFromEmbedding("llama", scaled, "rms_norm", Dtype::F16).gradNorm, 0.1);
    EXPECT_GT(stepFromEmbedding("llama", raw, "rms_norm", Dtype::F32).gradNorm, 0.1);
}

/// One fp16 step of a GPT whose queries and keys are large.
std::optional<FirstNonFinite> stepWithLargeQueries(const char* scoreScale, const char* policy) {
    TrainingSettings settings;
    settings.data = {.name = "opticks", .batchSize = 2, .order = "sequential", .context = 16};
    settings.model = {.kind = "gpt", .nLayer = 1, .nHead = 1, .nEmbd = 64};
    settings.model.scoreScale = scoreScale;
    settings.precision.policy = policy;
    const auto data = loadDataset(settings.data);
    const std::shared_ptr<Backend> backend = createCpuBackend();
    std::vector<NamedTensor> weights = Trainer(settings, data, backend).weights();
    for (NamedTensor& tensor : weights) {
        if (tensor.name == "transformer.h.0.attn.c_attn.weight") {
            for (float& w : tensor.values) w *= 400;
        }
    }
    Trainer run(settings, data, backend, &weights);
    run.step();
    return run.firstNonFinite();
}

TEST(Phenomena, AttentionLogitsOverflowInFp16UnlessScaledFirst) {
    const auto found = stepWithLargeQueries("after_product", "fp16");
    ASSERT_TRUE(found);
    EXPECT_EQ(found->layer, "transformer.h.0.attn.scores");
    EXPECT_EQ(found->operation, "attention_scores");
    const auto scaledFirst = stepWithLargeQueries("in_product", "fp16");
    EXPECT_TRUE(!scaledFirst || scaledFirst->phase != "forward") << scaledFirst->layer;
    EXPECT_FALSE(stepWithLargeQueries("after_product", "bf16")) << "bf16 has fp32's range";
}

}  // namespace
}  // namespace mantissa
