// SPDX-License-Identifier: Apache-2.0
// What a run learns beside plain classes: targets, its own input, smoothed labels; and when it validates.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "engine/training/trainer.h"

namespace mantissa {
namespace {

TrainingSettings regression() {
    TrainingSettings settings;
    settings.data = {.name = "synthetic-regression", .batchSize = 50, .samples = 500, .features = 8, .noise = 0};
    settings.model.hidden = {};
    settings.optimizer = {.kind = "adam", .lr = 0.02, .weightDecay = 0};
    settings.steps = 400;
    return settings;
}

TEST(Losses, ARegressionIsLearntInEveryFormat) {
    for (const char* policy : {"fp32", "bf16", "fp16", "pure-bf16"}) {
        TrainingSettings settings = regression();
        settings.precision.policy = policy;
        Trainer run(settings, loadDataset(settings.data), createCpuBackend());
        const double first = run.step().loss;
        StepRecord last;
        for (int i = 1; i < settings.steps; ++i) last = run.step();
        EXPECT_GT(first, 0.3) << policy;
        EXPECT_LT(last.loss, 1e-2 * first) << policy << ": the targets are a linear function of the inputs";
        ASSERT_TRUE(last.validated());
        EXPECT_LT(last.validationLoss, 1e-2 * first) << policy;
        EXPECT_FALSE(last.hasAccuracy()) << "there are no classes";
    }
}

TEST(Losses, TheFirstLossOfARegressionIsTheMeanSquaredError) {
    TrainingSettings settings = regression();
    settings.data.order = "sequential";
    const auto data = loadDataset(settings.data);
    Trainer run(settings, data, createCpuBackend());
    const std::vector<NamedTensor> weights = run.weights();  // [1, 8] and [1]
    double sum = 0;
    for (std::size_t i = 0; i < 50; ++i) {
        double y = static_cast<double>(weights[1].values[0]);
        for (std::size_t f = 0; f < 8; ++f)
            y += static_cast<double>(weights[0].values[f]) * static_cast<double>(data->trainInputs[8 * i + f]);
        sum += std::pow(y - static_cast<double>(data->trainTargets[i]), 2);
    }
    EXPECT_NEAR(run.step().loss, sum / 50, 1e-5 * sum);
}

TEST(Losses, TheValidationLossIsTheMeanOverTheValidationSamples) {
    TrainingSettings settings = regression();
    settings.data.samples = 655;
    settings.validationInterval = 1;
    const auto data = loadDataset(settings.data);
    ASSERT_EQ(data->validationCount(), 131) << "which goes into two chunks, of 66 and 65";
    Trainer run(settings, data, createCpuBackend());
    const StepRecord record = run.step();
    const std::vector<NamedTensor> weights = run.weights();  // after the step, as validation finds them
    double sum = 0;
    for (std::size_t i = 0; i < 131; ++i) {
        auto y = static_cast<double>(weights[1].values[0]);
        for (std::size_t f = 0; f < 8; ++f)
            y += static_cast<double>(weights[0].values[f]) * static_cast<double>(data->validationInputs[8 * i + f]);
        sum += std::pow(y - static_cast<double>(data->validationTargets[i]), 2);
    }
    ASSERT_TRUE(record.validated());
    EXPECT_NEAR(record.validationLoss, sum / 131, 1e-6 * sum / 131) << "fp32 sums of 66 terms";
}

TEST(Losses, OutliersMakeTheScalerHalveAndClippingDecidesWhatIsLearnt) {
    for (const std::uint64_t seed : {1, 2, 3}) {
        double validation[2] = {};
        for (const bool isClipped : {false, true}) {
            TrainingSettings settings;
            settings.data = {.name = "synthetic-regression", .seed = seed, .noise = 0.1, .degreesOfFreedom = 1};
            settings.model.hidden = {64};
            settings.precision.policy = "fp16";
            settings.scaler.preset = "pytorch";
            settings.steps = 1000;
            if (isClipped) settings.clipGradNorm = 1;
            Trainer run(settings, loadDataset(settings.data), createCpuBackend());
            StepRecord last;
            for (int i = 0; i < settings.steps; ++i) last = run.step();
            EXPECT_GE(last.skippedTotal, 2) << seed;
            EXPECT_LT(last.lossScale, 65536) << seed;
            // Outliers among the validation targets, which nothing can predict, are in both.
            validation[isClipped] = last.validationLoss;
        }
        EXPECT_LT(validation[1], validation[0]) << seed;
    }
}

TEST(Losses, AnAutoencoderLearnsItsInput) {
    for (const char* policy : {"fp32", "fp16"}) {
        TrainingSettings settings;
        settings.model = {.kind = "autoencoder", .hidden = {64}, .code = 16};
        settings.precision.policy = policy;
        settings.optimizer.lr = 3e-3;
        settings.steps = 400;
        Trainer run(settings, loadDataset(settings.data), createCpuBackend());
        StepRecord last;
        for (int i = 0; i < settings.steps; ++i) last = run.step();
        // The variance of the digits' pixels about their means is 0.073: what a network without a code can reach.
        EXPECT_LT(last.validationLoss, 0.03) << policy;
        EXPECT_FALSE(last.hasAccuracy());
    }
}

/// `loss.logits` fp32 is what an override of the loss is, also as a live change, and differs from the list's rule in 16 bits alone.
TEST(Losses, LogitsInFp32AreThoseOfAnOverride) {
    const auto losses = [](const std::string& policy, const std::string& logits, bool isForced, int changedAt = -1) {
        TrainingSettings settings;
        settings.model.hidden = {16};
        settings.precision.policy = policy;
        settings.loss.logits = changedAt < 0 ? logits : "autocast";
        if (isForced) settings.precision.overrides = {{"loss", Dtype::F32}};
        Trainer run(settings, loadDataset(settings.data), createCpuBackend());
        std::vector<double> result;
        for (int step = 0; step < 12; ++step) {
            if (step == changedAt) {
                settings.loss.logits = logits;
                run.change(settings);
            }
            result.push_back(run.step().loss);
        }
        return result;
    };
    for (const std::string policy : {"fp16", "bf16", "pure-bf16", "fp8"}) {
        const auto own = losses(policy, "autocast", false), wide = losses(policy, "fp32", false);
        EXPECT_NE(own, wide) << policy;
        EXPECT_EQ(wide, losses(policy, "autocast", true)) << policy;
        const auto changed = losses(policy, "fp32", false, 6);
        EXPECT_TRUE(std::equal(own.begin(), own.begin() + 6, changed.begin())) << policy;
        EXPECT_NE(changed[6], own[6]) << policy << ": holds from its step on";
    }
    EXPECT_EQ(losses("tf32", "autocast", false), losses("tf32", "fp32", false));
}

TEST(Losses, SmoothedLabelsAreTrainedOnAndNotValidatedOn) {
    TrainingSettings settings;
    settings.model.hidden = {};
    settings.data.order = "sequential";
    settings.optimizer.lr = 1e-30;  // stays where it is
    settings.validationInterval = 1;
    const auto data = loadDataset(settings.data);
    Trainer plain(settings, data, createCpuBackend());
    settings.model.labelSmoothing = 0.2;
    Trainer smoothed(settings, data, createCpuBackend());
    const std::vector<NamedTensor> weights = plain.weights();
    // The mean over the rows of -sum over classes of target * log softmax, with 0.8 on the label and 0.02 on every class.
    double expected = 0;
    for (std::size_t row = 0; row < 64; ++row) {
        double logits[10], total = 0, all = 0;
        for (std::size_t c = 0; c < 10; ++c) {
            logits[c] = static_cast<double>(weights[1].values[c]);
            for (std::size_t f = 0; f < 64; ++f)
                logits[c] += static_cast<double>(weights[0].values[64 * c + f]) * static_cast<double>(data->trainInputs[64 * row + f]);
            total += std::exp(logits[c]);
            all += logits[c];
        }
        expected -= (0.8 * logits[data->trainLabels[row]] + 0.02 * all - std::log(total)) / 64;
    }
    const StepRecord one = plain.step(), other = smoothed.step();
    EXPECT_NEAR(other.loss, expected, 1e-5);
    EXPECT_NE(one.loss, other.loss);
    EXPECT_EQ(one.validationLoss, other.validationLoss);
}

TEST(Losses, ValidationDropsNothingOut) {
    TrainingSettings settings;
    settings.data = {.name = "opticks", .batchSize = 4, .context = 12};
    settings.model = {.kind = "gpt", .nLayer = 1, .nHead = 2, .nEmbd = 16};
    settings.optimizer.lr = 1e-30;  // stays where it is
    settings.validationInterval = 1;
    const auto data = loadDataset(settings.data);
    const StepRecord whole = Trainer(settings, data, createCpuBackend()).step();
    settings.model.dropout = 0.5;
    Trainer dropping(settings, data, createCpuBackend());
    for (int i = 0; i < 2; ++i) {
        const StepRecord record = dropping.step();
        EXPECT_NE(record.loss, whole.loss) << "training drops out";
        EXPECT_EQ(record.validationLoss, whole.validationLoss);
    }
}

TEST(Losses, ValidationByEpochs) {
    TrainingSettings settings = regression();  // ten batches an epoch
    settings.validationInterval = 3;
    settings.validationEpochs = 1.5;
    settings.steps = 50;
    Trainer run(settings, loadDataset(settings.data), createCpuBackend());
    std::vector<std::int64_t> validated;
    for (int i = 0; i < settings.steps; ++i) {
        const StepRecord record = run.step();
        if (record.validated()) validated.push_back(record.step);
    }
    EXPECT_EQ(validated, (std::vector<std::int64_t>{14, 29, 44, 49})) << "after epochs 1.5, 3, 4.5, and the last step";
    settings.validationEpochs = 1e-320;
    Trainer often(settings, loadDataset(settings.data), createCpuBackend());
    for (int i = 0; i < 5; ++i) EXPECT_TRUE(often.step().validated()) << i;
}

}  // namespace
}  // namespace mantissa
