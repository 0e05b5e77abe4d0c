// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <set>
#include <stdexcept>
#include <thread>

#include "engine/data/batch_order.h"

namespace mantissa {
namespace {

TEST(Digits, AreTheRealOnes) {
    const auto digits = loadDataset({.name = "digits"});
    EXPECT_EQ(digits->trainCount(), 1437);
    EXPECT_EQ(digits->validationCount(), 360);
    EXPECT_EQ(digits->trainInputs.size(), 1437u * 64u);
    std::vector<int> perClass(10);
    for (const auto* labels : {&digits->trainLabels, &digits->validationLabels}) {
        for (const std::int32_t label : *labels) ++perClass[static_cast<std::size_t>(label)];
    }
    for (const int count : perClass) EXPECT_TRUE(count >= 174 && count <= 183) << count;  // as the data set's own page has it
    const auto [low, high] = std::minmax_element(digits->trainInputs.begin(), digits->trainInputs.end());
    EXPECT_EQ(*low, 0.0f);
    EXPECT_EQ(*high, 1.0f);
    // the first sample is a zero: 0 0 5 13 9 1 0 0 in its first row
    EXPECT_EQ(digits->trainLabels[0], 0);
    EXPECT_EQ(digits->trainInputs[2], 5.0f / 16);
    EXPECT_EQ(digits->trainInputs[3], 13.0f / 16);
    EXPECT_EQ(loadDataset({.name = "digits"}), digits);
    EXPECT_THROW(loadDataset({.name = "diggits"}), std::invalid_argument);
}

TEST(Digits, ManyThreadsGetTheSameCopy) {
    std::vector<std::shared_ptr<const Dataset>> copies(8);
    std::vector<std::thread> threads;
    for (auto& copy : copies) threads.emplace_back([&copy] { copy = loadDataset({.name = "digits"}); });
    for (std::thread& thread : threads) thread.join();
    for (const auto& copy : copies) EXPECT_EQ(copy, copies[0]);
}

/// Of which one takes a while to be made.
DataSettings largeData(std::uint64_t seed) {
    return {.name = "synthetic-images", .seed = seed, .samples = 60'000};
}

TEST(LoadDataset, WhoWantsAnotherSetWaitsForNoReader) {
    std::atomic<bool> begins = false, hasEnded = false;
    std::thread reader([&] {
        begins = true;
        const auto kept = loadDataset(largeData(1));  // not given back before it is said
        hasEnded = true;
    });
    while (!begins) std::this_thread::yield();
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    loadDataset({.name = "digits"});
    EXPECT_FALSE(hasEnded);
    reader.join();
}

TEST(LoadDataset, WhoWantsTheSameSetWaitsForItsReader) {
    std::vector<std::shared_ptr<const Dataset>> copies(4);
    std::vector<std::thread> threads;
    for (auto& copy : copies) threads.emplace_back([&copy] { copy = loadDataset(largeData(2)); });
    for (std::thread& thread : threads) thread.join();
    for (const auto& copy : copies) EXPECT_EQ(copy, copies[0]);
}

/// What one could not read, each of the others is told for itself, and nobody waits for ever.
TEST(LoadDataset, EverybodyIsToldWhatIsWrong) {
    std::atomic<int> told = 0;
    std::vector<std::thread> threads;
    for (int i = 0; i < 8; ++i) {
        threads.emplace_back([&told] {
            try {
                loadDataset({.name = "text", .path = "/no/such/file"});
            } catch (const DataError& error) {
                told += error.key() == "path" ? 1 : 0;
            }
        });
    }
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(told, 8);
}

std::vector<std::int32_t> batch(BatchOrder& order, std::int64_t number, std::size_t size) {
    std::vector<std::int32_t> indices(size);
    order.indices(number, indices.data());
    return indices;
}

TEST(BatchOrder, SequentialWrapsModuloTheCount) {
    BatchOrder order({.batchSize = 64, .order = "sequential"}, 1437);
    for (std::int64_t k = 0; k < 100; ++k) {
        const auto indices = batch(order, k, 64);
        for (std::int64_t i = 0; i < 64; ++i) EXPECT_EQ(indices[static_cast<std::size_t>(i)], (k * 64 + i) % 1437);
    }
}

TEST(BatchOrder, EachEpochIsAFreshPermutation) {
    BatchOrder order({.batchSize = 10, .order = "shuffled", .seed = 5}, 100);
    std::vector<std::vector<std::int32_t>> epochs;
    for (std::int64_t epoch = 0; epoch < 5; ++epoch) {
        std::vector<std::int32_t> all;
        for (std::int64_t k = 0; k < 10; ++k) {
            const auto indices = batch(order, epoch * 10 + k, 10);
            all.insert(all.end(), indices.begin(), indices.end());
        }
        EXPECT_EQ(std::set<std::int32_t>(all.begin(), all.end()).size(), 100u);
        for (const auto& earlier : epochs) EXPECT_NE(all, earlier);
        epochs.push_back(all);
    }
}

TEST(BatchOrder, WhatIsPreparedAheadIsWhatIsDrawnOnTheSpot) {
    const DataSettings settings{.batchSize = 10, .order = "shuffled", .seed = 5};
    BatchOrder walks(settings, 100);
    for (std::int64_t number = 0; number < 50; ++number) {
        BatchOrder jumps(settings, 100);
        EXPECT_EQ(batch(walks, number, 10), batch(jumps, number, 10)) << number;
    }
    BatchOrder again(settings, 100);
    EXPECT_EQ(batch(walks, 3, 10), batch(again, 3, 10)) << "back again";
}

TEST(BatchOrder, ABatchAcrossTheBorderTakesFromBothEpochs) {
    BatchOrder order({.batchSize = 30, .order = "shuffled", .seed = 5}, 100), single({.batchSize = 1, .order = "shuffled", .seed = 5}, 100);
    const auto across = batch(order, 3, 30);  // samples 90 to 119 of the stream
    for (std::size_t i = 0; i < 30; ++i) EXPECT_EQ(across[i], batch(single, 90 + static_cast<std::int64_t>(i), 1)[0]);
}

TEST(BatchOrder, ABatchMayHoldSeveralEpochs) {
    BatchOrder order({.batchSize = 25, .order = "shuffled", .seed = 9}, 10);
    const auto indices = batch(order, 0, 25);
    for (const std::ptrdiff_t epoch : {0, 10})
        EXPECT_EQ(std::set<std::int32_t>(indices.begin() + epoch, indices.begin() + epoch + 10).size(), 10u);
}

TEST(BatchOrder, EveryPlaceGetsEverySampleEquallyOften) {
    constexpr int kEpochs = 20000, kCount = 6;
    BatchOrder order({.batchSize = kCount, .order = "shuffled", .seed = 3}, kCount);
    int seen[kCount][kCount] = {};
    for (int epoch = 0; epoch < kEpochs; ++epoch) {
        const auto indices = batch(order, epoch, kCount);
        for (std::size_t place = 0; place < kCount; ++place) ++seen[place][indices[place]];
    }
    const double expected = static_cast<double>(kEpochs) / kCount, sigma = std::sqrt(expected * (1 - 1.0 / kCount));
    for (const auto& row : seen) {
        for (const int count : row) EXPECT_NEAR(count, expected, 5 * sigma);
    }
}

TEST(BatchOrder, AnyBatchCanBeRevisited) {
    BatchOrder order({.batchSize = 64, .order = "shuffled", .seed = 1}, 1437),
        again({.batchSize = 64, .order = "shuffled", .seed = 1}, 1437);
    const auto late = batch(order, 5000, 64);
    batch(order, 3, 64);
    EXPECT_EQ(batch(order, 5000, 64), late);
    EXPECT_EQ(batch(again, 5000, 64), late);
    BatchOrder other({.batchSize = 64, .order = "shuffled", .seed = 2}, 1437);
    EXPECT_NE(batch(other, 5000, 64), late);
}

}  // namespace
}  // namespace mantissa
