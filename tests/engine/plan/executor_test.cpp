// SPDX-License-Identifier: Apache-2.0
// How a plan is run on a queue that can capture work: ranges that come again are captured once and launched as a whole.
#include "engine/plan/executor.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/support/capturing_backend.h"

namespace mantissa {
namespace {

/// The CPU backend's work, told as it is done: "2" for an operation, "capture", "launch".
class ToldOperation : public Operation {
public:
    ToldOperation(std::unique_ptr<Operation> inner, std::vector<std::string>& told, std::string name)
        : m_inner(std::move(inner)), m_told(told), m_name(std::move(name)) {}
    void enqueue(Queue& queue, std::span<void* const> operands) override {
        m_told.push_back(m_name);
        m_inner->enqueue(queue, operands);
    }

private:
    std::unique_ptr<Operation> m_inner;
    std::vector<std::string>& m_told;
    std::string m_name;
};

struct TellingBackend : test::ForwardingBackend {
    std::vector<std::string> told;
    int prepared = 0;
    std::unique_ptr<Operation> prepare(const OperationDesc& desc) override {
        return std::make_unique<ToldOperation>(inner->prepare(desc), told, std::to_string(prepared++));
    }
};

/// Five times x *= 2, of one element.
class Execution : public testing::Test {
protected:
    std::shared_ptr<TellingBackend> telling = std::make_shared<TellingBackend>();
    test::CapturingBackend backend;
    std::unique_ptr<Queue> capturing = backend.createQueue();
    Plan plan;
    DeviceMemory memory{backend, kBufferAlignment, "a test"};
    std::unique_ptr<Executor> executor;

    Execution() {
        backend.inner = telling;
        backend.onCapture = [this] { telling->told.push_back("capture"); };
        backend.onLaunch = [this] { telling->told.push_back("launch"); };
        const int x = plan.addBuffer({.name = "x", .shape = Shape{1}, .dtype = Dtype::F32, .arena = Arena::Masters});
        for (int i = 0; i < 5; ++i) {
            plan.instructions.push_back(
                {.operation = ScaleDesc{.count = 1, .factor = 2}, .name = "scale", .layer = "layers.0", .operands = {x, x}, .output = x});
            plan.instructions.back().isStatistics = i == 4;
        }
        ArenaPointers arenas{};
        arenas[static_cast<std::size_t>(Arena::Masters)] = memory.data();
        executor = std::make_unique<Executor>(plan, backend, arenas);
        const float one = 1;
        backend.copyIn(*capturing, memory.data(), &one, sizeof one);
    }
    float x() const { return *static_cast<const float*>(memory.data()); }
    std::string run(Queue& queue, std::int64_t begin, std::int64_t end, bool looks = false) {
        telling->told.clear();
        executor->run(queue, begin, end, looks);
        std::string text;
        for (const std::string& each : telling->told) text += (text.empty() ? "" : " ") + each;
        return text;
    }
};

/// A queue with the ranges that a profiler would show: "[scale layers.0" and "]".
struct NamingQueue : Queue {
    explicit NamingQueue(std::vector<std::string>& log) : m_log(log) {}
    void wait() override {}
    bool isIdle() override { return true; }
    void beginRange(const char* name) override { m_log.push_back('[' + std::string(name)); }
    void endRange() override { m_log.push_back("]"); }

private:
    std::vector<std::string>& m_log;
};

TEST_F(Execution, NamesEachInstructionForAProfiler) {
    NamingQueue queue(telling->told);
    EXPECT_EQ(run(queue, 1, 3), "[scale layers.0 1 ] [scale layers.0 2 ]");
}

TEST_F(Execution, TheFirstTimeIsEnqueuedTheSecondCapturedAndThenLaunched) {
    EXPECT_EQ(run(*capturing, 0, 5), "0 1 2 3");
    EXPECT_EQ(run(*capturing, 0, 5), "capture launch 0 1 2 3");
    EXPECT_EQ(run(*capturing, 0, 5), "launch 0 1 2 3");
    EXPECT_EQ(x(), 4096.0f);
}

TEST_F(Execution, EachRangeIsCapturedByItselfWithAndWithoutLooks) {
    for (int i = 0; i < 2; ++i) run(*capturing, 0, 5), run(*capturing, 0, 5, true), run(*capturing, 0, 4);
    EXPECT_EQ(run(*capturing, 0, 5, true), "launch 0 1 2 3 4");
    EXPECT_EQ(run(*capturing, 0, 5), "launch 0 1 2 3");
    EXPECT_EQ(run(*capturing, 0, 4), "launch 0 1 2 3");
}

TEST_F(Execution, ShortRangesAreEnqueuedAsTheyAre) {
    for (int i = 0; i < 3; ++i) EXPECT_EQ(run(*capturing, 1, 3), "1 2");
}

TEST_F(Execution, AFaultIsWrittenBetweenInstructionsSoNothingIsCaptured) {
    for (int i = 0; i < 3; ++i) run(*capturing, 0, 5);
    const float before = x();
    executor->setWrites({{.instruction = 1, .buffer = 0, .element = 0, .bits = 0x3F800000u}});
    EXPECT_EQ(run(*capturing, 0, 5), "0 1 2 3");
    EXPECT_EQ(x(), 4.0f);
    executor->setWrites({});
    EXPECT_EQ(run(*capturing, 0, 5), "launch 0 1 2 3");
    EXPECT_NE(before, x());
}

TEST_F(Execution, WhatTheDeviceRefusesToCaptureIsEnqueuedFromThenOn) {
    backend.onCapture = [] { throw DeviceError{"not in a capture"}; };
    for (int i = 0; i < 4; ++i) EXPECT_EQ(run(*capturing, 0, 5), "0 1 2 3");
    EXPECT_EQ(x(), 65536.0f);
    EXPECT_EQ(capturing->captureRefusal(), "not in a capture");
}

TEST_F(Execution, AQueueThatCapturesNothingDoesEverythingOnce) {
    const auto queue = telling->createQueue();
    for (int i = 0; i < 4; ++i) EXPECT_EQ(run(*queue, 0, 5), "0 1 2 3");
    EXPECT_EQ(x(), 65536.0f);
}

}  // namespace
}  // namespace mantissa
