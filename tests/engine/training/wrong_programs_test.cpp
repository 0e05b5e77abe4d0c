// SPDX-License-Identifier: Apache-2.0
// Programs that are wrong on purpose: gradients that are never set to zero, a softmax without its maximum, masks that are finite.
#include <gtest/gtest.h>

#include <cmath>

#include "engine/training/trainer.h"
#include "tests/engine/training/small_run.h"

namespace mantissa {
namespace {

/// Each step sees all samples, in one order, and the weights stay: so each has the same gradient.
TrainingSettings sameGradientEachStep(const std::string& policy, double scale) {
    TrainingSettings settings = smallRun(policy);
    settings.data.batchSize = 1437;
    settings.optimizer = {.kind = "sgd", .lr = 0, .weightDecay = 0};
    settings.validationInterval = 1'000'000;
    settings.scaler = {.preset = "static", .initScale = scale};
    settings.zeroGrad = false;
    return settings;
}

TEST(WithoutZeroGrad, GradientsAddUpAsInPyTorchWhereUnscaledOnesMeetScaledOnes) {
    // .grad is unscaled in place, and the next backward pass adds a scaled gradient to it: n steps leave g (1 + 1/S + ... + 1/S^(n-1)).
    for (const auto& [policy, scale] : {std::pair("fp32", 1.0), {"fp32", 4.0}, {"fp16", 1024.0}, {"pure-bf16", 1.0}}) {
        for (const std::int64_t accumulate : {1, 2}) {
            TrainingSettings settings = sameGradientEachStep(policy, scale);
            settings.accumulate = accumulate;
            Trainer run(settings, loadDataset(settings.data), createCpuBackend());
            const double one = run.step().gradNorm;
            double sum = one;
            const double tolerance = policy == std::string("pure-bf16") ? 0x1p-6 : 1e-5;  // the sum is stored in 8 bits
            for (int step = 1; step < 6; ++step) {
                sum = sum / scale + one;
                EXPECT_NEAR(run.step().gradNorm, sum, tolerance * sum) << policy << " at " << scale << ", step " << step;
            }
        }
    }
}

TEST(WithoutZeroGrad, OneOverflowIsForEver) {
    TrainingSettings settings = sameGradientEachStep("fp16", 1024);
    settings.data.batchSize = 16;
    settings.scaler = {.preset = "pytorch", .initScale = 1024};
    settings.optimizer.lr = 0.1;
    Trainer run(settings, loadDataset(settings.data), createCpuBackend());
    EXPECT_FALSE(run.step().skipped());
    run.injectTensor({"layers.1.weight.grad", INFINITY, {}});
    for (int i = 0; i < 20; ++i) {
        const StepRecord record = run.step();
        EXPECT_TRUE(record.skipped()) << i;
        EXPECT_TRUE(std::isfinite(record.loss)) << "only the gradients have it";
        EXPECT_EQ(record.lossScale, std::ldexp(1024, -i));
    }
    EXPECT_EQ(run.firstNonFinite()->step, 1);
}

TEST(WithoutZeroGrad, AStepThatIsLookedAtAgainAddsItsGradientsOnce) {
    TrainingSettings settings = sameGradientEachStep("fp16", 1024);
    settings.data.batchSize = 16;
    settings.optimizer = {.kind = "sgd", .lr = 0.1, .weightDecay = 0};
    for (const std::int64_t accumulate : {1, 2}) {
        settings.accumulate = accumulate;
        const auto data = loadDataset(settings.data);
        Trainer looked(settings, data, createCpuBackend()), plain(settings, data, createCpuBackend());
        looked.step();
        plain.step();
        looked.injectTensor({"loss", NAN, {}});  // no gradient comes from this number, but the step is repeated for it
        EXPECT_TRUE(std::isnan(looked.step().loss));
        ASSERT_TRUE(looked.firstNonFinite());
        plain.step();
        for (int i = 0; i < 3; ++i) {
            const StepRecord a = looked.step(), b = plain.step();
            EXPECT_EQ(a.loss, b.loss);
            EXPECT_EQ(a.gradNorm, b.gradNorm);
        }
    }
}

TEST(WithoutZeroGrad, ASnapshotHoldsTheGradientsAndALiveChangeBeginsAtZero) {
    TrainingSettings settings = sameGradientEachStep("fp32", 1);
    settings.data.batchSize = 16;
    settings.optimizer.lr = 0.01;
    const auto data = loadDataset(settings.data);
    Trainer run(settings, data, createCpuBackend());
    for (int i = 0; i < 3; ++i) run.step();
    const Snapshot middle = run.snapshot();
    EXPECT_EQ(run.snapshotBytes(), static_cast<std::int64_t>(middle.memory.size()));
    const double next = run.step().gradNorm;
    run.restore(middle);
    EXPECT_EQ(run.step().gradNorm, next);

    TrainingSettings right = settings;
    right.zeroGrad = true;
    Trainer cured(right, data, createCpuBackend());
    cured.restore(middle);  // of a run without, and so are its settings from here on
    EXPECT_EQ(cured.step().gradNorm, next);
    cured.restore(middle);
    cured.change(right);
    const double alone = cured.step().gradNorm;
    EXPECT_NE(alone, next);
    cured.restore(middle);
    cured.change(right);
    cured.change(settings);
    EXPECT_EQ(cured.step().gradNorm, alone) << "from nothing";
}

TrainingSettings smallGpt(const char* policy) {
    TrainingSettings settings;
    settings.data = {.name = "opticks", .batchSize = 2, .order = "sequential", .context = 16};
    settings.model = {.kind = "gpt", .nLayer = 1, .nHead = 2, .nEmbd = 32};
    settings.precision.policy = policy;
    settings.validationInterval = 1'000'000;
    return settings;
}

std::vector<double> lossesOf(const TrainingSettings& settings, int steps) {
    Trainer run(settings, loadDataset(settings.data), createCpuBackend());
    std::vector<double> losses;
    for (int i = 0; i < steps; ++i) losses.push_back(run.step().loss);
    return losses;
}

TEST(FiniteMask, OfMinusABillionIsInfinityInFp16AndTheSameElsewhere) {
    // It stands in place of the score, so that in fp16 it becomes -Inf; elsewhere exp is 0 there as well.
    for (const char* policy : {"fp32", "fp16", "bf16", "pure-fp16"}) {
        TrainingSettings settings = smallGpt(policy);
        const std::vector<double> masked = lossesOf(settings, 4);
        settings.model.maskValue = -1e9;
        EXPECT_EQ(lossesOf(settings, 4), masked) << policy;
    }
}

TEST(FiniteMask, ThatIsTooWeakLetsTheFutureThroughWithTheRightGradient) {
    TrainingSettings settings = smallGpt("fp32");
    settings.optimizer = {.kind = "sgd", .lr = 1, .weightDecay = 0};
    const double masked = lossesOf(settings, 1)[0];
    settings.model.maskValue = -0.5;
    EXPECT_NE(lossesOf(settings, 1)[0], masked);

    const auto data = loadDataset(settings.data);
    Trainer run(settings, data, createCpuBackend());
    std::vector<NamedTensor> weights = run.weights();
    run.step();
    const std::vector<NamedTensor> after = run.weights();
    for (std::size_t i = 0; i < weights.size(); ++i) {
        if (weights[i].name != "transformer.h.0.attn.c_attn.weight") continue;
        // queries: row 3, the weight of the largest gradient in it
        std::size_t element = 3 * 32;
        const auto gradientAt = [&](std::size_t at) {
            return static_cast<double>(weights[i].values[at]) - static_cast<double>(after[i].values[at]);
        };
        for (std::size_t at = 3 * 32; at < 4 * 32; ++at)
            if (std::fabs(gradientAt(at)) > std::fabs(gradientAt(element))) element = at;
        const double gradient = gradientAt(element);
        const auto lossAt = [&](float moved) {
            std::vector<NamedTensor> there = weights;
            there[i].values[element] += moved;
            return Trainer(settings, data, createCpuBackend(), &there).step().loss;
        };
        constexpr float kStep = 0.25f;  // the scores are near 0, where the loss is smooth; fp32 losses need the distance
        EXPECT_NEAR((lossAt(kStep) - lossAt(-kStep)) / (2.0 * static_cast<double>(kStep)), gradient, 0.03 * std::fabs(gradient));
        return;
    }
    FAIL() << "no queries";
}

/// A GPT whose attention scores reach `factor`^2 times those of its initial weights.
std::optional<FirstNonFinite> stepWithLargeScores(TrainingSettings settings, float factor) {
    const auto data = loadDataset(settings.data);
    std::vector<NamedTensor> weights = Trainer(settings, data, createCpuBackend()).weights();
    for (NamedTensor& tensor : weights) {
        if (tensor.name != "transformer.h.0.attn.c_attn.weight") continue;
        for (float& w : tensor.values) w *= factor;
    }
    Trainer run(settings, data, createCpuBackend(), &weights);
    run.step();
    return run.firstNonFinite();
}

TEST(NaiveSoftmax, IsTheSameFunctionUntilAnExponentialOverflows) {
    TrainingSettings settings = smallGpt("fp32");
    const std::vector<double> stable = lossesOf(settings, 3);
    settings.model.softmax = "naive";
    const std::vector<double> naive = lossesOf(settings, 3);
    for (std::size_t i = 0; i < stable.size(); ++i) EXPECT_NEAR(naive[i], stable[i], 1e-5 * stable[i]);

    settings = smallGpt("fp16");
    settings.precision.overrides = {{"softmax", Dtype::F16}};
    constexpr float kLarge = 30;  // scores up to some dozens
    EXPECT_FALSE(stepWithLargeScores(settings, kLarge)) << "what is subtracted keeps every exponential below 1";
    settings.model.softmax = "naive";
    EXPECT_FALSE(stepWithLargeScores(settings, 1));
    const auto found = stepWithLargeScores(settings, kLarge);
    ASSERT_TRUE(found);
    EXPECT_EQ(found->operation, "softmax");
    EXPECT_EQ(found->phase, "forward");
    EXPECT_EQ(found->cls, "NaN") << "Inf / Inf";
    settings.precision.overrides = {{"softmax", Dtype::F32}};
    EXPECT_FALSE(stepWithLargeScores(settings, kLarge)) << "fp32 takes scores up to 88";
}

}  // namespace
}  // namespace mantissa
