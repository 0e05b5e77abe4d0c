// SPDX-License-Identifier: Apache-2.0
#include "kernels/cpu/work_pool.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <stdexcept>

namespace mantissa::cpu {
namespace {

TEST(WorkPool, RunsEachTaskOnce) {
    for (const int threads : {1, 2, 5}) {
        WorkPool pool(threads);
        for (const int count : {0, 1, 2, 7, 100}) {
            std::vector<std::atomic<int>> calls(static_cast<std::size_t>(count));
            pool.run(count, [&](int i) { ++calls[static_cast<std::size_t>(i)]; });
            for (const auto& c : calls) EXPECT_EQ(c, 1);
        }
    }
}

TEST(WorkPool, PiecesMakeUpTheWhole) {
    for (const int threads : {1, 3}) {
        WorkPool pool(threads);
        constexpr std::int64_t kPiece = WorkPool::kPiece;
        for (const std::int64_t count : {std::int64_t{0}, std::int64_t{1}, kPiece, kPiece + 1, 3 * kPiece - 1}) {
            std::vector<std::atomic<int>> visits(static_cast<std::size_t>(count));
            pool.runPieces(count, [&](std::int64_t first, std::int64_t n) {
                EXPECT_LE(n, kPiece);
                for (std::int64_t i = first; i < first + n; ++i) ++visits[static_cast<std::size_t>(i)];
            });
            EXPECT_TRUE(std::all_of(visits.begin(), visits.end(), [](const auto& v) { return v == 1; })) << count;
        }
    }
}

TEST(WorkPool, IsDoneWhenItReturns) {
    WorkPool pool(4);
    for (int round = 0; round < 2000; ++round) {
        std::vector<int> plain(8);  // not atomic: a late helper would be a race that the thread sanitizer sees
        pool.run(8, [&](int i) { plain[static_cast<std::size_t>(i)] = round; });
        EXPECT_EQ(plain, std::vector<int>(8, round));
    }
}

TEST(WorkPool, ASecondCallerWorksAlone) {
    WorkPool pool(3);
    std::atomic<int> inner = 0;
    pool.run(6, [&](int) { pool.run(10, [&](int) { ++inner; }); });
    EXPECT_EQ(inner, 60);
}

TEST(WorkPool, ManyCallersAtOnce) {
    WorkPool pool(3);
    std::vector<std::thread> callers;
    std::atomic<int> calls = 0;
    for (int i = 0; i < 4; ++i) {
        callers.emplace_back([&] {
            for (int round = 0; round < 200; ++round) pool.run(5, [&](int) { ++calls; });
        });
    }
    for (std::thread& caller : callers) caller.join();
    EXPECT_EQ(calls, 4 * 200 * 5);
}

TEST(WorkPool, ThrowsAfterTheLastTask) {
    WorkPool pool(3);
    std::atomic<int> calls = 0;
    const auto task = [&](int i) {
        ++calls;
        if (i == 3) throw std::runtime_error("three");
    };
    EXPECT_THROW(pool.run(20, task), std::runtime_error);
    EXPECT_EQ(calls, 20);
    EXPECT_NO_THROW(pool.run(3, [](int) {}));
}

}  // namespace
}  // namespace mantissa::cpu
