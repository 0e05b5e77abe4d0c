// SPDX-License-Identifier: Apache-2.0
#include "engine/wire/outbox.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <thread>

namespace mantissa {
namespace {

using Bytes = std::vector<std::uint8_t>;

struct Pipe {
    int ends[2] = {-1, -1};
    Pipe() {
        std::signal(SIGPIPE, SIG_IGN);
        EXPECT_EQ(pipe(ends), 0);
    }
    ~Pipe() {
        closeReader();
        closeWriter();
    }
    void closeReader() { closeOne(ends[0]); }
    void closeWriter() { closeOne(ends[1]); }
    Bytes readAll() {
        closeWriter();
        Bytes all(1 << 20);
        std::size_t count = 0;
        for (ssize_t n = 0; (n = read(ends[0], all.data() + count, all.size() - count)) > 0;) count += static_cast<std::size_t>(n);
        all.resize(count);
        return all;
    }
    static void closeOne(int& end) {
        if (end >= 0) close(end);
        end = -1;
    }
};

/// Writes what waits, then stops.
void writeWaiting(Outbox& outbox, int descriptor) {
    std::jthread writer([&](std::stop_token stop) { outbox.writeAll(descriptor, std::move(stop)); });
}

double secondsOf(auto&& work) {
    const auto start = std::chrono::steady_clock::now();
    work();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

TEST(Outbox, WritesFramesInOrderAndAllOfThemBeforeItStops) {
    Outbox outbox(1 << 20);
    Pipe pipe;
    Bytes expected;
    for (std::uint8_t i = 0; i < 200; ++i) {
        outbox.push(Bytes(i, i));
        expected.insert(expected.end(), i, i);
    }
    writeWaiting(outbox, pipe.ends[1]);
    EXPECT_EQ(pipe.readAll(), expected);
    EXPECT_EQ(outbox.problem(), "");
}

TEST(Outbox, BreaksWhenMoreWaitsThanItsLimit) {
    Outbox outbox(1u << 20);
    for (int i = 0; i < 17; ++i) outbox.push(Bytes(1u << 16));
    EXPECT_EQ(outbox.problem(), "the reader has taken nothing for so long that more than 1 MiB wait for it");
    outbox.push(Bytes(10));  // thrown away
    Pipe pipe;
    EXPECT_LT(secondsOf([&] { outbox.writeAll(pipe.ends[1], {}); }), 1) << "without a stop: it has broken";
    EXPECT_TRUE(pipe.readAll().empty());
}

TEST(Outbox, AReaderThatHasGoneEndsTheWritingWithoutAProblem) {
    Outbox outbox(1000);
    Pipe pipe;
    pipe.closeReader();
    outbox.push(Bytes(10));
    outbox.writeAll(pipe.ends[1], {});
    EXPECT_EQ(outbox.problem(), "");
}

TEST(Outbox, AWriteErrorEndsTheWritingAndIsNamed) {
    const int full = open("/dev/full", O_WRONLY);
    if (full < 0) GTEST_SKIP() << "this system has no /dev/full";
    Outbox outbox(1000);
    outbox.push(Bytes(10));
    outbox.writeAll(full, {});
    close(full);
    EXPECT_EQ(outbox.problem(), "No space left on device");
}

TEST(Outbox, AReaderThatStandsStillHoldsNobodyUp) {
    Outbox outbox(8u << 20);
    Pipe pipe;
    std::jthread writer([&](std::stop_token stop) { outbox.writeAll(pipe.ends[1], std::move(stop)); });
    EXPECT_LT(secondsOf([&] {
                  for (int i = 0; i < 100; ++i) outbox.push(Bytes(1u << 16));
              }),
              1)
        << "whoever pushes does not wait";
    EXPECT_LT(secondsOf([&] {
                  writer.request_stop();
                  writer.join();
              }),
              Outbox::kPatienceMs / 1000.0 + 1)
        << "a stop is heard";
    EXPECT_EQ(outbox.problem(), "");
}

}  // namespace
}  // namespace mantissa
