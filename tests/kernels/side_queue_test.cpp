// SPDX-License-Identifier: Apache-2.0
#include "kernels/cpu/side_queue.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cstring>
#include <new>
#include <numeric>
#include <thread>
#include <vector>

namespace mantissa::cpu {
namespace {

/// A job that adds up its bytes once it is let go.
struct Sum {
    std::atomic<bool>* mayGo = nullptr;
    std::uint64_t value = 0;

    void take(const std::byte* data, std::size_t count) {
        if (mayGo != nullptr) mayGo->wait(false);
        value = std::accumulate(data, data + count, std::uint64_t{0},
                                [](std::uint64_t sum, std::byte b) { return sum + std::to_integer<std::uint64_t>(b); });
    }
};

bool post(SideQueue& queue, std::size_t count, int byte, Sum& into) {
    return queue.tryPost(
        count, [&](std::byte* data) { std::memset(data, byte, count); }, &into.value, sizeof into.value,
        [&into, count](const std::byte* data) { into.take(data, count); });
}

TEST(SideQueue, EachJobHasItsOwnData) {
    SideQueue queue;
    std::vector<Sum> sums(5000);
    std::size_t done = 0;
    for (std::size_t i = 0; i < sums.size(); ++i) {
        const std::size_t count = 1 + i * 37 % 90'000;
        while (!post(queue, count, static_cast<int>(i % 251), sums[i])) queue.waitFor(&sums[done++].value, 1);
    }
    queue.finish();
    for (std::size_t i = 0; i < sums.size(); ++i) ASSERT_EQ(sums[i].value, (1 + i * 37 % 90'000) * (i % 251)) << i;
}

TEST(SideQueue, TakesNoMoreThanItHasRoomFor) {
    std::atomic<bool> mayGo = false;
    std::vector<Sum> sums(100, {&mayGo});
    SideQueue queue;
    constexpr std::size_t kCount = 100'000;
    std::size_t taken = 0;
    while (post(queue, kCount, 1, sums[taken])) ++taken;
    EXPECT_GE(taken, 5u);
    EXPECT_LE(taken, 20u);
    EXPECT_FALSE(post(queue, kCount, 1, sums[taken]));
    mayGo = true;
    mayGo.notify_all();
    queue.waitFor(&sums[taken - 1].value, 1);
    EXPECT_EQ(sums[taken - 1].value, kCount);
    EXPECT_TRUE(post(queue, kCount, 2, sums[taken]));
    queue.finish();
    EXPECT_EQ(sums[taken].value, 2 * kCount);
}

TEST(SideQueue, DataLieWhereAnyNumberCan) {
    std::atomic<bool> mayGo = false;
    Sum held{&mayGo};
    SideQueue queue;
    ASSERT_TRUE(post(queue, 1, 3, held));
    std::size_t misplaced = 1;
    int result = 0;
    ASSERT_TRUE(queue.tryPost(
        8, [&](std::byte* data) { misplaced = reinterpret_cast<std::uintptr_t>(data) % alignof(std::max_align_t); }, &result, sizeof result,
        [](const std::byte*) {}));
    mayGo = true;
    mayGo.notify_all();
    queue.finish();
    EXPECT_EQ(misplaced, 0u);
    EXPECT_EQ(held.value, 3u);
}

TEST(SideQueue, TakesNothingOfNothing) {
    SideQueue queue;
    Sum sum;
    EXPECT_FALSE(post(queue, 0, 1, sum));
    EXPECT_FALSE(post(queue, std::size_t{1} << 30, 1, sum));
}

TEST(SideQueue, WaitsForWhoWritesThereAlone) {
    std::atomic<bool> mayGo = false;
    Sum first, held{&mayGo};
    SideQueue queue;
    ASSERT_TRUE(post(queue, 10, 1, first));
    queue.waitFor(&first.value, sizeof first.value);
    EXPECT_EQ(first.value, 10u);
    ASSERT_TRUE(post(queue, 10, 3, held));
    queue.waitFor(&first.value, sizeof first.value);  // does not wait for the one that is held
    mayGo = true;
    mayGo.notify_all();
    queue.waitFor(&held, sizeof held);
    EXPECT_EQ(held.value, 30u);
}

TEST(SideQueue, WhoWaitsHearsOfAnError) {
    SideQueue queue;
    int result = 0;
    ASSERT_TRUE(queue.tryPost(
        1, [](std::byte* data) { *data = std::byte{1}; }, &result, sizeof result, [](const std::byte*) { throw std::bad_alloc(); }));
    EXPECT_THROW(
        {
            queue.finish();
            queue.waitFor(&result, sizeof result);
        },
        std::bad_alloc);
    EXPECT_NO_THROW(queue.waitFor(&result, sizeof result));
}

TEST(SideQueue, DoesWhatItHasWhenItEnds) {
    Sum sum;
    {
        SideQueue queue;
        ASSERT_TRUE(post(queue, 1000, 2, sum));
    }
    EXPECT_EQ(sum.value, 2000u);
}

TEST(SideQueue, SeveralThreadsPost) {
    SideQueue queue;
    constexpr int kThreads = 4, kEach = 500;
    std::vector<Sum> sums(kThreads * kEach);
    std::vector<std::thread> threads;
    for (int t = 0; t < kThreads; ++t) {
        threads.emplace_back([&, t] {
            for (int i = 0; i < kEach; ++i) {
                Sum& sum = sums[static_cast<std::size_t>(t * kEach + i)];
                while (!post(queue, 5000, i % 100, sum)) queue.finish();
            }
        });
    }
    for (std::thread& thread : threads) thread.join();
    queue.finish();
    for (int i = 0; i < kThreads * kEach; ++i)
        ASSERT_EQ(sums[static_cast<std::size_t>(i)].value, static_cast<std::uint64_t>(i % kEach % 100) * 5000u) << i;
}

}  // namespace
}  // namespace mantissa::cpu
