// SPDX-License-Identifier: Apache-2.0
// Queues of the CUDA backend over a runtime that records what it is asked: nothing is done before it is waited for, captured work repeats
// what was enqueued, and a device that fails says so.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <new>
#include <thread>
#include <vector>

#include "kernels/cuda/cuda_backend.h"
#include "kernels/cuda/runtime.h"
#include "kernels/out_of_memory.h"
#include "tests/support/cuda_emulation/runtime.h"

namespace mantissa {
namespace {

constexpr std::int64_t kCount = 100;

class CudaQueues : public testing::Test {
protected:
    const emulation::Card before = emulation::card();
    std::shared_ptr<Backend> backend = cuda::createBackend(0);
    std::unique_ptr<Queue> queue = backend->createQueue();
    void* x = backend->allocate(kCount * sizeof(float));
    void* y = backend->allocate(kCount * sizeof(float));
    std::vector<float> host = std::vector<float>(kCount, -1.0f);

    ~CudaQueues() override {
        emulation::card() = before;
        backend->release(x);
        backend->release(y);
    }

    std::unique_ptr<Operation> relu() const { return backend->prepare(ActivationDesc{Activation::Relu, kCount, Dtype::F32}); }
    std::array<void*, 2> operands() const { return {x, y}; }
    void write(float value) {
        const std::vector<float> values(kCount, value);
        backend->copyIn(*queue, x, values.data(), kCount * sizeof(float));
    }
    float readLast() {
        backend->copyOut(*queue, host.data(), y, kCount * sizeof(float));
        queue->wait();
        return host.back();
    }
};

TEST_F(CudaQueues, MemoryBeginsAsZeros) {
    EXPECT_EQ(readLast(), 0.0f);
}

TEST_F(CudaQueues, NothingIsThereBeforeTheWait) {
    write(3);
    relu()->enqueue(*queue, operands());
    backend->copyOut(*queue, host.data(), y, kCount * sizeof(float));
    EXPECT_EQ(host.back(), -1.0f);
    queue->wait();
    EXPECT_EQ(host.back(), 3.0f);
}

TEST_F(CudaQueues, ResultsBeyondThePinnedMemoryComeTooAndItIsUsedAgain) {
    constexpr std::size_t kLarge = 100'000;
    void* const large = backend->allocate(kLarge * sizeof(float));
    std::vector<float> all(kLarge, 1.0f), small(16, 1.0f);
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 2000; ++j) backend->copyOut(*queue, small.data(), large, small.size() * sizeof(float));
        backend->copyOut(*queue, all.data(), large, kLarge * sizeof(float));
        queue->wait();
        EXPECT_EQ(all, std::vector<float>(kLarge, 0.0f));
        EXPECT_EQ(small, std::vector<float>(16, 0.0f));
    }
    backend->release(large);
}

TEST_F(CudaQueues, WhatIsCopiedInMayBeGoneAfterwards) {
    for (const std::size_t count : {std::size_t{kCount}, std::size_t{100'000}}) {  // less and more than what is staged
        void* const memory = backend->allocate(count * sizeof(float));
        std::vector<float> values(count, 3.0f), back(count);
        backend->copyIn(*queue, memory, values.data(), count * sizeof(float));
        std::fill(values.begin(), values.end(), -7.0f);
        backend->copyOut(*queue, back.data(), memory, count * sizeof(float));
        queue->wait();
        EXPECT_EQ(back, std::vector<float>(count, 3.0f));
        backend->release(memory);
    }
}

TEST_F(CudaQueues, SayWhetherTheyAreDoneWithoutAWait) {
    EXPECT_TRUE(queue->isIdle());
    write(1);
    const std::int64_t waits = emulation::counts().synchronisations;
    EXPECT_FALSE(queue->isIdle());
    while (!queue->isIdle()) continue;
    EXPECT_EQ(emulation::counts().synchronisations, waits);
    emulation::card().failure = cudaErrorIllegalAddress;
    EXPECT_THROW(queue->isIdle(), DeviceError);
}

TEST_F(CudaQueues, CapturedWorkIsDoneWhenItIsLaunchedAndAsOften) {
    const auto operation = relu();
    write(2);
    const auto captured = queue->capture([&] { operation->enqueue(*queue, operands()); });
    ASSERT_NE(captured, nullptr);
    EXPECT_EQ(readLast(), 0.0f);
    captured->launch(*queue);
    EXPECT_EQ(readLast(), 2.0f);
    write(5);
    const emulation::Counts counted = emulation::counts();
    captured->launch(*queue);
    EXPECT_EQ(emulation::counts().graphLaunches, counted.graphLaunches + 1);
    EXPECT_EQ(emulation::counts().enqueued, counted.enqueued);
    EXPECT_EQ(readLast(), 5.0f);
}

TEST_F(CudaQueues, TheTimeBetweenItsMarksIsTheDevices) {
    constexpr double kEach = 1e-6;  // of the emulated card, for a thing done
    const auto operation = relu();
    const auto captured = queue->capture([&] {
        for (int i = 0; i < 5; ++i) operation->enqueue(*queue, operands());
    });
    write(1);
    queue->mark(Queue::Mark::Begin);
    captured->launch(*queue);
    captured->launch(*queue);
    queue->mark(Queue::Mark::End);
    write(2);
    queue->wait();
    EXPECT_NEAR(queue->secondsBetweenMarks(), (2 * (1 + 5) + 1) * kEach, 0.01 * kEach) << "two launches, and the first mark";
    queue->mark(Queue::Mark::Begin);
    queue->mark(Queue::Mark::End);
    queue->wait();
    EXPECT_GT(queue->secondsBetweenMarks(), 0) << "speeds are quotients";
}

TEST_F(CudaQueues, WaitingDuringACaptureIsRefused) {
    EXPECT_EQ(queue->capture([&] { queue->wait(); }), nullptr);
    EXPECT_NE(queue->captureRefusal(), "");
    EXPECT_FALSE(queue->canCapture());
    write(3);
    relu()->enqueue(*queue, operands());
    EXPECT_EQ(readLast(), 3.0f) << "the queue is as it was";
}

TEST_F(CudaQueues, ACaptureThatFailsLeavesTheQueueAsItWas) {
    const auto operation = relu();
    const std::int64_t graphs = emulation::counts().graphs;
    EXPECT_THROW(queue->capture([&] {
        operation->enqueue(*queue, operands());
        throw std::bad_alloc();
    }),
                 std::bad_alloc);
    EXPECT_EQ(emulation::counts().graphs, graphs) << "what was captured so far is lost";
    write(4);
    EXPECT_EQ(readLast(), 0.0f) << "what was captured must not be done";
    operation->enqueue(*queue, operands());
    EXPECT_EQ(readLast(), 4.0f);
    const auto captured = queue->capture([&] { operation->enqueue(*queue, operands()); });
    write(6);
    captured->launch(*queue);
    EXPECT_EQ(readLast(), 6.0f);
}

TEST_F(CudaQueues, AFailingDeviceIsNoStandardException) {
    emulation::card().failure = cudaErrorIllegalAddress;
    try {
        queue->wait();
        FAIL() << "the device had failed";
    } catch (const std::exception&) {
        FAIL() << "whoever catches these would go on with the next run";
    } catch (const DeviceError& error) {
        EXPECT_EQ(error.reason, "cudaStreamSynchronize: CUDA error 700");
    }
}

TEST_F(CudaQueues, NoMemoryIsNoFailureOfTheDevice) {
    EXPECT_THROW(backend->allocate(std::size_t{1} << 40), std::bad_alloc);
    emulation::card().memoryBytes = std::size_t{300} << 20;  // 256 of them the libraries'
    try {
        backend->prepare(SoftmaxCrossEntropyDesc{.rows = std::int64_t{1} << 28, .classes = 2});
        ADD_FAILURE() << "there is no room for what its blocks tell each other";
    } catch (const OutOfMemory& error) {
        const std::string sentence = error.what();
        EXPECT_EQ(sentence.find("no memory for what an operation keeps for itself: "), 0u) << sentence;
        EXPECT_NE(sentence.find(" GiB were asked for, and 44.0 MiB are free"), std::string::npos) << sentence;
    }
    emulation::card().tellsMemory = false;
    EXPECT_THROW(backend->prepare(SoftmaxCrossEntropyDesc{.rows = std::int64_t{1} << 28, .classes = 2}), OutOfMemory);
    EXPECT_THROW(cuda::check(cudaErrorMemoryAllocation, "a call"), OutOfMemory);
    emulation::card().tellsMemory = true;
    write(1);
    relu()->enqueue(*queue, operands());
    EXPECT_EQ(readLast(), 1.0f);
}

TEST_F(CudaQueues, WhatIsGivenBackIsGivenBackOnItsOwnDevice) {
    emulation::card().count = 2;
    auto other = cuda::createBackend(1);
    auto otherQueue = other->createQueue();
    other->prepare(
        Convolution2dDesc{.samples = 1, .height = 4, .width = 4, .inChannels = 1, .outChannels = 1, .window = {3, 3, 1, 1, 1, 1}});
    const std::int64_t strays = emulation::counts().strays;
    backend->availableBytes();  // so the thread is on the first
    otherQueue.reset();
    backend->availableBytes();
    other.reset();
    EXPECT_EQ(emulation::counts().strays, strays);
}

TEST_F(CudaQueues, WorkGoesToItsOwnDeviceWhateverTheThreadHasUsed) {
    emulation::card().count = 2;
    const auto other = cuda::createBackend(1);
    const auto otherQueue = other->createQueue();
    const auto bothMultiply = [&] {
        for (Backend* each : {backend.get(), other.get()}) {
            Queue& on = each == other.get() ? *otherQueue : *queue;
            void* const memory = each->allocate(kCount * sizeof(float));
            EXPECT_EQ(emulation::deviceOf(memory), each == other.get() ? 1 : 0);
            const std::array<void*, 2> here{memory, memory};
            const auto operation = each->prepare(ScaleDesc{kCount, 2});
            const std::vector<float> ones(kCount, 1.0f);
            // Each call after one to the other device.
            const auto after = [&](auto call) {
                (each == other.get() ? *backend : *other).availableBytes();
                call();
            };
            after([&] { each->fillZero(on, memory, kCount * sizeof(float)); });
            after([&] { each->copyIn(on, memory, ones.data(), kCount * sizeof(float)); });
            after([&] { operation->enqueue(on, here); });
            std::unique_ptr<CapturedWork> captured;
            after([&] { captured = on.capture([&] { operation->enqueue(on, here); }); });
            after([&] { captured->launch(on); });
            after([&] { each->copyOut(on, host.data(), memory, kCount * sizeof(float)); });
            after([&] { on.wait(); });
            EXPECT_EQ(host.back(), 4.0f);
            each->release(memory);
        }
    };
    bothMultiply();
    std::thread(bothMultiply).join();
    backend->availableBytes();
    const std::int64_t set = emulation::counts().devicesSet;
    write(1);
    relu()->enqueue(*queue, operands());
    readLast();
    EXPECT_EQ(emulation::counts().devicesSet, set) << "as it is that device already";
}

TEST_F(CudaQueues, WhatIsAvailableLeavesSomethingToOthers) {
    const std::int64_t available = backend->availableBytes();
    EXPECT_LT(available, static_cast<std::int64_t>(emulation::card().memoryBytes));
    EXPECT_GT(available, static_cast<std::int64_t>(emulation::card().memoryBytes) / 2);
}

}  // namespace
}  // namespace mantissa
