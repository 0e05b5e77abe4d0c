// SPDX-License-Identifier: Apache-2.0
// A batch that is named for a card is one that a file may ask for.
#include "engine/session/preview.h"

#include <gtest/gtest.h>

#include "engine/experiment/fields.h"
#include "engine/training/largest_batch.h"
#include "kernels/backend.h"

namespace mantissa {
namespace {

TEST(CardBatch, IsTheLargestThatAFileMayAskFor) {
    const auto backend = createCpuBackend();
    RunSettings run;
    run.training.data.name = "opticks";
    run.training.model = {.kind = "gpt", .nLayer = 2, .nEmbd = 96};
    const auto dataset = loadDataset(run.training.data);
    const std::int64_t batch = batchForCard(run, *dataset, *backend, 4LL << 40);
    const auto isRefused = [&](std::int64_t asked) {
        run.training.data.batchSize = asked;
        return findMisfit(run, *dataset).has_value();
    };
    ASSERT_GT(batch, 1000);
    EXPECT_FALSE(isRefused(batch));
    EXPECT_TRUE(isRefused(batch + 1));
}

TEST(CardBatch, LeavesRoomForTheData) {
    const auto backend = createCpuBackend();
    const RunSettings run;
    const auto dataset = loadDataset(run.training.data);
    const std::int64_t bytes = 8 << 20;
    EXPECT_EQ(batchForCard(run, *dataset, *backend, bytes + residentBytes(*dataset)),
              largestBatch(run.training, shapeOf(*dataset), *backend, bytes));
    EXPECT_EQ(batchForCard(run, *dataset, *backend, residentBytes(*dataset)), 0);
}

}  // namespace
}  // namespace mantissa
