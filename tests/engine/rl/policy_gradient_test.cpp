// SPDX-License-Identifier: Apache-2.0
// The policy gradient against finite differences, and the mismatch of sampler and trainer.
#include "engine/rl/policy_gradient.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace mantissa {
namespace {

constexpr std::size_t kExactRatio = kRatioBins / 2;

std::shared_ptr<Backend> cpu() {
    static const std::shared_ptr<Backend> kBackend = createCpuBackend();
    return kBackend;
}

/// A policy that has learned something, so that its distributions are far from uniform.
std::vector<NamedTensor> learned(std::uint64_t seed) {
    RlSettings settings;
    settings.seed = seed;
    settings.prompts = 4;
    settings.warmUp = 50;
    settings.updates = 5;
    return trainedInFp32(settings, cpu());
}

const MatrixCell& cellOf(const std::vector<MatrixCell>& cells, const std::string& trainer, const std::string& sampler) {
    return *std::find_if(cells.begin(), cells.end(),
                         [&](const MatrixCell& each) { return each.trainer == trainer && each.sampler == sampler; });
}

TEST(PolicyGradient, RatiosAreExactlyOneIfBothRunTheSameOperations) {
    RlSettings settings;
    settings.samplerAttention = "materialised";
    const std::vector<std::string> formats{"fp32", "tf32", "fp16", "bf16", "fp8-rowwise", "fp8-block", "mxfp8", "mxfp4"};
    for (const MatrixCell& cell : precisionMatrix(settings, formats, learned(1), cpu())) {
        const bool isExact = cell.mismatch.histogram[kExactRatio] == cell.mismatch.tokens;
        if (cell.trainer == cell.sampler || cell.trainer == "fp32") {
            EXPECT_EQ(isExact, cell.trainer == cell.sampler) << cell.trainer << " " << cell.sampler;
        }
        EXPECT_EQ(cell.mismatch.tokens, kMatrixPrompts * 4);
        EXPECT_EQ(cell.mismatch.nonFinite, 0);
    }
}

/// fp8 and nvfp4 scale a tensor by its largest element, which may be one of a symbol that the sampler has not written yet. In the pass for
/// the last symbol the window is complete, and the ratio exactly 1.
TEST(PolicyGradient, ScalesOfWholeTensorsDependOnWhatIsWritten) {
    RlSettings settings;
    settings.samplerAttention = "materialised";
    const std::vector<NamedTensor> weights = learned(1);
    for (const char* format : {"fp8", "nvfp4"}) {
        const PolicyMismatch found = precisionMatrix(settings, {format}, weights, cpu()).front().mismatch;
        EXPECT_GE(found.histogram[kExactRatio], found.tokens / 4) << format;
        EXPECT_LT(found.histogram[kExactRatio], found.tokens / 2) << format;
    }
}

TEST(PolicyGradient, Fp16AgreesBetterThanBf16) {
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
        RlSettings settings;
        settings.seed = seed;
        const std::vector<MatrixCell> cells = precisionMatrix(settings, {"fp32", "fp16", "bf16"}, learned(seed), cpu());
        for (const auto& [of, than] : {std::pair(std::pair("fp16", "fp16"), std::pair("bf16", "bf16")),
                                       {{"fp32", "fp16"}, {"fp32", "bf16"}},
                                       {{"fp16", "fp32"}, {"bf16", "fp32"}}}) {
            const PolicyMismatch fp16 = cellOf(cells, of.first, of.second).mismatch;
            const PolicyMismatch bf16 = cellOf(cells, than.first, than.second).mismatch;
            EXPECT_LT(8 * fp16.kl, bf16.kl) << "seed " << seed << ", trainer " << of.first;
            EXPECT_LT(8 * fp16.sampledKl, bf16.sampledKl);
            EXPECT_LT(fp16.meanAbsLogRatio, bf16.meanAbsLogRatio);
            EXPECT_LT(fp16.maxAbsLogRatio, bf16.maxAbsLogRatio);
        }
    }
}

/// A trainer in fp32 with its weights, and what finite differences need.
struct TinyTrainer {
    PolicySettings settings;
    std::unique_ptr<Queue> queue = cpu()->createQueue();
    PolicyWeights weights{settings, *cpu(), *queue};
    PolicyTrainer trainer{settings, "fp32", *cpu(), *queue, weights.data()};

    TinyTrainer(std::int64_t digits, std::int64_t sequences)
        : settings{{.kind = "gpt", .nLayer = 1, .nHead = 1, .nEmbd = 8}, {.digits = digits}, sequences} {
        weights.drawFrom(5);
        std::vector<NamedTensor> wide = weights.values();
        for (NamedTensor& tensor : wide)
            for (float& value : tensor.values) value *= tensor.shape.size() > 1 ? 20.0f : 1.0f;  // distributions far from uniform
        weights.set(wide);
    }

    /// Compares the gradient of `loss` with central differences, one direction for each parameter: that of its own gradient.
    template <typename Loss>
    void expectGradientOf(Loss loss, const std::vector<float>& gradients) {
        const std::vector<NamedTensor> center = weights.values();
        std::size_t first = 0;
        for (std::size_t i = 0; i < center.size(); ++i) {
            const std::span own = std::span(gradients).subspan(first, center[i].values.size());
            first += own.size();
            const double norm = std::sqrt(std::inner_product(own.begin(), own.end(), own.begin(), 0.0));
            ASSERT_GT(norm, 1e-4) << center[i].name;
            constexpr double kStep = 0.01;  // rounding contributes about 2^-23 / kStep = 1e-5, the third derivative about kStep^2 = 1e-4
            const auto lossAt = [&](double step) {
                std::vector<NamedTensor> moved = center;
                for (std::size_t j = 0; j < own.size(); ++j)
                    moved[i].values[j] += static_cast<float>(step * static_cast<double>(own[j]) / norm);
                weights.set(moved);
                return loss();
            };
            const double slope = (lossAt(kStep) - lossAt(-kStep)) / (2 * kStep);
            EXPECT_NEAR(slope, norm, 1e-3 * norm + 2e-5) << center[i].name;
        }
        weights.set(center);
    }
};

TEST(PolicyGradient, OfAllAnswersIsTheGradientOfTheExpectedReward) {
    TinyTrainer tiny(1, DigitTask::kVocabulary);
    const DigitTask& task = tiny.settings.task;
    Episodes episodes = task.draw(2, 0, 1, DigitTask::kVocabulary);  // one prompt with every answer
    for (std::int64_t i = 0; i < episodes.sequences; ++i) task.setAnswer(episodes, i, 0, static_cast<std::int32_t>(i));
    const std::vector<double> rewards = task.rewards(episodes);
    ASSERT_EQ(std::accumulate(rewards.begin(), rewards.end(), 0.0), 1);
    const auto probabilities = [&](const LogProbabilities& scored) {
        std::vector<double> each;
        for (std::size_t i = 0; i < rewards.size(); ++i) each.push_back(std::exp(scored.at(i)[i]));
        return each;
    };
    const LogProbabilities scored = tiny.trainer.score(episodes);
    std::vector<double> weights = probabilities(scored);  // E[R grad log pi] as a sum over all answers; `backward` divides by their number
    for (std::size_t i = 0; i < weights.size(); ++i)
        weights[i] *= (rewards[i] - 0.3) * static_cast<double>(weights.size());  // any baseline
    tiny.trainer.backward(episodes, scored, weights);
    tiny.expectGradientOf(
        [&] {
            const std::vector<double> p = probabilities(tiny.trainer.score(episodes));
            return -std::inner_product(p.begin(), p.end(), rewards.begin(), 0.0);
        },
        tiny.trainer.gradients());
}

TEST(PolicyGradient, IsTheGradientOfTheWeightedLogProbabilities) {
    TinyTrainer tiny(3, 6);
    const DigitTask& task = tiny.settings.task;
    Episodes episodes = task.draw(2, 0, 6, 1);
    for (std::int64_t i = 0; i < 18; ++i) task.setAnswer(episodes, i / 3, i % 3, static_cast<std::int32_t>(i * 7 % 11));
    std::vector<double> weights;
    for (int i = 0; i < 18; ++i) weights.push_back(i % 5 - 1.5);
    tiny.trainer.backward(episodes, tiny.trainer.score(episodes), weights);
    tiny.expectGradientOf(
        [&] {
            const LogProbabilities scored = tiny.trainer.score(episodes);
            double loss = 0;
            for (std::size_t i = 0; i < weights.size(); ++i)
                loss -= weights[i] * scored.at(i)[static_cast<std::size_t>(episodes.answers[i])] / static_cast<double>(weights.size());
            return loss;
        },
        tiny.trainer.gradients());
}

TEST(PolicyGradient, RewardsRise) {
    for (const char* format : {"fp32", "fp16"}) {
        RlSettings settings;
        settings.trainer = settings.sampler = format;
        settings.prompts = 6;
        std::vector<double> rewards;
        PolicyGradient training(settings, cpu());
        int skipped = 0;
        for (int i = 0; i < 80; ++i) {
            const RlUpdate update = training.update();
            rewards.push_back(update.reward);
            skipped += update.isSkipped ? 1 : 0;
            EXPECT_EQ(update.mismatch.nonFinite, 0);
            EXPECT_EQ(update.lossScale > 1, settings.trainer == "fp16") << "the format's default scaler";
        }
        const double before = std::accumulate(rewards.begin(), rewards.begin() + 15, 0.0) / 15;
        const double after = std::accumulate(rewards.end() - 15, rewards.end(), 0.0) / 15;
        EXPECT_GT(after, before + 0.1) << format;
        EXPECT_LT(skipped, 20) << format;
    }
}

std::vector<NamedTensor> weightsAfter(const RlSettings& settings, int updates) {
    PolicyGradient training(settings, cpu());
    for (int i = 0; i < updates; ++i) training.update();
    return training.weights();
}

bool haveEqualBits(const std::vector<NamedTensor>& a, const std::vector<NamedTensor>& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                      [](const NamedTensor& x, const NamedTensor& y) { return x.values == y.values; });
}

TEST(PolicyGradient, CorrectionChangesOnlyPoliciesThatDiffer) {
    RlSettings settings;
    settings.prompts = 4;
    for (const char* sampler : {"fp32", "bf16"}) {
        settings.sampler = sampler;
        settings.samplerAttention = "materialised";
        settings.corrects = false;
        const std::vector<NamedTensor> plain = weightsAfter(settings, 3);
        EXPECT_TRUE(haveEqualBits(plain, weightsAfter(settings, 3))) << "the same again";
        settings.corrects = true;
        EXPECT_EQ(haveEqualBits(plain, weightsAfter(settings, 3)), settings.sampler == settings.trainer);
    }
}

TEST(PolicyGradient, RefusesWhatItCannotDo) {
    RlSettings settings;
    settings.trainer = "pure-bf16";
    EXPECT_THROW(PolicyGradient(settings, cpu()), std::invalid_argument);
    settings.trainer = "fp32";
    const std::vector<NamedTensor> none;
    EXPECT_THROW(PolicyGradient(settings, cpu(), &none), std::invalid_argument);
}

}  // namespace
}  // namespace mantissa
