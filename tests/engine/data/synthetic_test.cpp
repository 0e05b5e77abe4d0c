// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "engine/data/dataset.h"

namespace mantissa {
namespace {

TEST(Synthetic, ImagesAreSaidToBeSyntheticWithTheirSeed) {
    const auto data =
        loadDataset({.name = "synthetic-images", .seed = 7, .samples = 100, .classes = 4, .height = 8, .width = 6, .channels = 3});
    EXPECT_TRUE(data->isSynthetic);
    EXPECT_EQ(data->features, 144);
    EXPECT_EQ(data->image.channels, 3);
    EXPECT_EQ(dataText(*data), "synthetic-images (synthetic, seed 7): 100 training and 20 validation images of 8x6x3, 4 classes");
    EXPECT_EQ(data->trainInputs.size(), 14400u);
    EXPECT_EQ(std::set<std::int32_t>(data->trainLabels.begin(), data->trainLabels.end()), (std::set<std::int32_t>{0, 1, 2, 3}));
}

TEST(Synthetic, ImagesLieNearTheirClass) {
    const auto data = loadDataset({.name = "synthetic-images", .samples = 200, .classes = 5});
    const auto pure = loadDataset({.name = "synthetic-images", .samples = 200, .classes = 5, .noise = 0});
    EXPECT_EQ(pure->trainLabels, data->trainLabels);
    std::map<std::int32_t, const float*> prototypes;
    for (std::size_t i = 0; i < 200; ++i) prototypes[pure->trainLabels[i]] = pure->trainInputs.data() + i * 256;
    ASSERT_EQ(prototypes.size(), 5u);
    int right = 0;
    for (std::size_t i = 0; i < 40; ++i) {
        const auto distance = [&](const float* prototype) {
            double sum = 0;
            for (std::size_t p = 0; p < 256; ++p) sum += std::pow(data->validationInputs[i * 256 + p] - prototype[p], 2);
            return sum;
        };
        const auto nearest = std::min_element(prototypes.begin(), prototypes.end(),
                                              [&](const auto& a, const auto& b) { return distance(a.second) < distance(b.second); });
        right += nearest->first == data->validationLabels[i] ? 1 : 0;
    }
    EXPECT_EQ(right, 40);
}

TEST(Synthetic, ASampleDependsOnSeedAndNumberAlone) {
    const auto few = loadDataset({.name = "synthetic-images", .samples = 10}),
               many = loadDataset({.name = "synthetic-images", .samples = 50}),
               other = loadDataset({.name = "synthetic-images", .seed = 2, .samples = 50});
    EXPECT_TRUE(std::equal(few->trainInputs.begin(), few->trainInputs.end(), many->trainInputs.begin()));
    EXPECT_NE(other->trainInputs, many->trainInputs);
    EXPECT_NE(few, many);
}

/// The frequencies of the four successors give the chain's entropy, 1.75 bits: what a model can reach at best.
TEST(Synthetic, TokensFollowAMarkovChain) {
    const auto data = loadDataset({.name = "synthetic-tokens", .vocabulary = 16, .length = 200'000});
    EXPECT_EQ(data->kind, DataKind::Tokens);
    EXPECT_EQ(data->tokens.vocabulary.size(), 16);
    EXPECT_EQ(data->tokens.train.size(), 180'000u);
    std::map<std::int32_t, std::map<std::int32_t, double>> followers;
    for (std::size_t i = 1; i < data->tokens.train.size(); ++i) followers[data->tokens.train[i - 1]][data->tokens.train[i]] += 1;
    double bits = 0;
    for (const auto& [symbol, counts] : followers) {
        EXPECT_LE(counts.size(), 4u);
        double all = 0;
        for (const auto& [next, n] : counts) all += n;
        for (const auto& [next, n] : counts) bits -= n * std::log2(n / all) / 179'999;
    }
    EXPECT_NEAR(bits, 1.75, 0.01);
    const std::string text = data->tokens.vocabulary.decode(data->tokens.validation);
    EXPECT_EQ(data->tokens.vocabulary.encode(text), data->tokens.validation);
}

/// Half of Student's t with 2 degrees of freedom lies within 0.8165, and P(|t| > 10) is 0.0099; a normal would never leave 6.
TEST(Synthetic, RegressionHasHeavyTails) {
    const auto data = loadDataset({.name = "synthetic-regression", .samples = 20'000, .features = 4});
    const auto pure = loadDataset({.name = "synthetic-regression", .samples = 20'000, .features = 4, .noise = 0});
    EXPECT_EQ(data->kind, DataKind::Regression);
    EXPECT_EQ(data->targets, 1);
    EXPECT_EQ(data->trainCount(), 20'000);
    EXPECT_EQ(data->validationCount(), 4'000);
    EXPECT_EQ(pure->trainInputs, data->trainInputs);
    int inside = 0, far = 0;
    for (std::size_t i = 0; i < 20'000; ++i) {
        const float noise = std::abs(data->trainTargets[i] - pure->trainTargets[i]);
        inside += noise < 0.8165f ? 1 : 0;
        far += noise > 10 ? 1 : 0;
        EXPECT_LT(std::abs(pure->trainTargets[i]), 20.0f);
    }
    EXPECT_NEAR(inside, 10'000, 300);  // 4 standard deviations of a count of 20,000 are 283
    EXPECT_NEAR(far, 198, 60);
    EXPECT_EQ(dataText(*data),
              "synthetic-regression (synthetic, seed 1): 20000 training and 4000 validation samples of 4 features, 1 target");
}

TEST(Synthetic, SizesBeyondMemoryAreRefusedBeforeAnythingIsAllocated) {
    constexpr std::int64_t kMost = 2'147'483'647;
    for (const DataSettings& settings :
         {DataSettings{.name = "synthetic-images", .samples = kMost}, DataSettings{.name = "synthetic-images", .classes = kMost},
          DataSettings{.name = "synthetic-images", .height = kMost, .width = kMost, .channels = kMost},
          DataSettings{.name = "synthetic-regression", .samples = kMost, .features = kMost},
          DataSettings{.name = "synthetic-regression", .samples = kMost, .features = 1},
          DataSettings{.name = "synthetic-regression", .features = kMost}, DataSettings{.name = "synthetic-tokens", .length = 640},
          DataSettings{.name = "synthetic-tokens", .context = 1'000'000'000'000}}) {
        EXPECT_THROW(loadDataset(settings), DataError) << settings.name << " " << settings.samples;
    }
}

}  // namespace
}  // namespace mantissa
