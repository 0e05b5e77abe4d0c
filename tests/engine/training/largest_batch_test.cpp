// SPDX-License-Identifier: Apache-2.0
// The batch that fits a card: it fits, the next one does not, for every kind of model and format.
#include "engine/training/largest_batch.h"

#include <gtest/gtest.h>

#include "kernels/backend.h"

namespace mantissa {
namespace {

struct BatchCase {
    std::string name;
    TrainingSettings settings;
    std::int64_t bytes;
};

BatchCase mlp(const std::string& policy, std::int64_t bytes) {
    BatchCase c{"mlp " + policy, {}, bytes};
    c.settings.precision.policy = policy;
    return c;
}
BatchCase gpt(const std::string& policy, std::int64_t bytes) {
    BatchCase c{"gpt " + policy, {}, bytes};
    c.settings.data.name = "opticks";
    c.settings.model = {.kind = "gpt", .nLayer = 2};
    c.settings.precision.policy = policy;
    return c;
}
BatchCase resnet(std::int64_t bytes) {
    BatchCase c{"resnet", {}, bytes};
    c.settings.model = {.kind = "resnet", .depth = 8};
    return c;
}
/// On digits its last maps are of 1x1, so that a batch norm cannot do with one sample.
BatchCase resnet18(std::int64_t bytes) {
    BatchCase c{"resnet18", {}, bytes};
    c.settings.model = {.kind = "resnet18"};
    return c;
}

std::int64_t bytesAt(const BatchCase& c, const DataShape& shape, const Backend& backend, std::int64_t batch) {
    TrainingSettings settings = c.settings;
    settings.data.batchSize = batch;
    return buildPlans(settings, shape, backend).training.memory.total();
}

TEST(LargestBatch, FitsAndTheNextDoesNot) {
    const auto backend = createCpuBackend();
    std::vector<std::int64_t> found;
    for (const BatchCase& c : {mlp("fp32", 8 << 20), mlp("bf16", 8 << 20), mlp("pure-fp16", 3'000'001), gpt("fp32", 1 << 30),
                               gpt("fp16", 1 << 30), resnet(200 << 20), resnet18(2LL << 30)}) {
        const DataShape shape = shapeOf(*loadDataset(c.settings.data));
        const std::int64_t batch = largestBatch(c.settings, shape, *backend, c.bytes);
        ASSERT_GT(batch, 64) << c.name;
        EXPECT_LE(bytesAt(c, shape, *backend, batch), c.bytes) << c.name;
        EXPECT_GT(bytesAt(c, shape, *backend, batch + 1), c.bytes) << c.name;
        found.push_back(batch);
    }
    EXPECT_GT(found[1], found[0]) << "narrow activations leave room for more samples";
}

TEST(LargestBatch, IsTheBatchOfACardThatJustHoldsIt) {
    const auto backend = createCpuBackend();
    const BatchCase c = mlp("fp32", 0);
    DataShape shape = shapeOf(*loadDataset(c.settings.data));
    shape.validationCount = 0;  // an evaluation needs more than the smallest batches
    for (const std::int64_t batch : {1, 2, 3, 500}) {
        const std::int64_t exact = bytesAt(c, shape, *backend, batch);
        ASSERT_GT(bytesAt(c, shape, *backend, batch + 1), exact) << batch;
        EXPECT_EQ(largestBatch(c.settings, shape, *backend, exact), batch);
        EXPECT_EQ(largestBatch(c.settings, shape, *backend, exact - 1), batch - 1);
    }
}

TEST(LargestBatch, IsNothingWhereNoSampleFitsAndEndsWhenNobodyAsksAnyMore) {
    const auto backend = createCpuBackend();
    const BatchCase c = mlp("fp32", 1000);
    const DataShape shape = shapeOf(*loadDataset(c.settings.data));
    EXPECT_EQ(largestBatch(c.settings, shape, *backend, 1000), 0);
    EXPECT_EQ(largestBatch(c.settings, shape, *backend, 8 << 20, [] { return true; }), -1);
}

TEST(LargestBatch, BeginsAtTheFewestSamplesThatHaveAPlan) {
    const auto backend = createCpuBackend();
    const BatchCase c = resnet18(0);
    const DataShape shape = shapeOf(*loadDataset(c.settings.data));
    ASSERT_THROW(bytesAt(c, shape, *backend, 1), std::invalid_argument);
    const std::int64_t two = bytesAt(c, shape, *backend, 2);
    EXPECT_EQ(largestBatch(c.settings, shape, *backend, two), 2);
    EXPECT_EQ(largestBatch(c.settings, shape, *backend, two - 1), 0);
}

TEST(ResidentBytes, CountInputsAndLabelsOfBothParts) {
    EXPECT_EQ(residentBytes(*loadDataset({})), 1797 * (64 + 1) * 4);
    const auto text = loadDataset({.name = "opticks"});
    EXPECT_EQ(residentBytes(*text), 2 * 4 * static_cast<std::int64_t>(text->tokens.train.size() + text->tokens.validation.size()));
}

}  // namespace
}  // namespace mantissa
