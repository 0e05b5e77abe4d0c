// SPDX-License-Identifier: Apache-2.0
// What is known of a device beside its backend: how much of it is in use, and what its maker says it can do.
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <future>
#include <string>
#include <thread>

#include "kernels/backend.h"
#include "kernels/nvml.h"
#include "kernels/peak_rates.h"

namespace mantissa {
namespace {

TEST(Nvml, TellsWhatIsInUseOfTheCardAtABusId) {
    const Nvml nvml(MANTISSA_FAKE_NVML);
    EXPECT_EQ(nvml.usedBytes("00000000:C1:00.0"), std::int64_t{3} << 30);
    EXPECT_EQ(nvml.usedBytes("00000000:C2:00.0"), std::nullopt) << "there is none";
    EXPECT_EQ(nvml.usedBytes(""), std::nullopt) << "no card";
}

TEST(UsedBytes, AreAskedForElsewhereAndNobodyWaits) {
    std::promise<std::int64_t> answer;
    std::atomic<int> asked = 0;
    {
        UsedBytes used(
            [&, first = answer.get_future().share()]() -> std::optional<std::int64_t> {
                ++asked;
                return first.get();
            },
            std::chrono::hours(1));
        EXPECT_EQ(used.recent(), std::nullopt) << "not answered yet";
        EXPECT_EQ(used.recent(), std::nullopt);
        answer.set_value(7);
        while (!used.recent()) std::this_thread::yield();
        EXPECT_EQ(used.recent(), 7);
    }  // whoever asks has come to an end
    EXPECT_EQ(asked, 1) << "an hour is not over";
}

TEST(UsedBytes, AreRequestedAgainWhenTheyAreOld) {
    std::atomic<std::int64_t> now = 0;
    UsedBytes used([&]() -> std::optional<std::int64_t> { return ++now; }, {});
    while (used.recent().value_or(0) < 3) std::this_thread::yield();
    EXPECT_EQ(UsedBytes("").recent(), std::nullopt) << "no card";
}

TEST(Nvml, WithoutALibraryNothingIsKnown) {
    EXPECT_EQ(Nvml("libnowhere-ml.so.1").usedBytes("00000000:C1:00.0"), std::nullopt);
    EXPECT_EQ(Nvml(MANTISSA_REFUSING_NVML).usedBytes("00000000:C1:00.0"), std::nullopt) << "it did not begin";
    EXPECT_EQ(Nvml("libdl.so.2").usedBytes("00000000:C1:00.0"), std::nullopt) << "another library";
    EXPECT_EQ(usedDeviceBytes(""), std::nullopt);
}

/// numerics of the data sheets: dense, fp32 sums.
TEST(PeakRates, AreThoseOfTheMakersTables) {
    const std::string h200 = "NVIDIA H200, capability 9.0, 139 GiB";
    EXPECT_EQ(peakTflops(h200, Dtype::F32), 67);
    EXPECT_EQ(peakTflops(h200, Dtype::TF32), 495);
    EXPECT_EQ(peakTflops(h200, Dtype::BF16), 989);
    EXPECT_EQ(peakTflops(h200, Dtype::E4M3), 1979);
    EXPECT_EQ(peakTflops("NVIDIA A100-SXM4-80GB, capability 8.0, 79 GiB, fp8 products emulated", Dtype::F16), 312);
    EXPECT_EQ(peakTflops("NVIDIA GeForce RTX 4090, capability 8.9, 23 GiB", Dtype::F16), 165.2) << "half of that with fp16 sums";
    EXPECT_EQ(peakTflops("NVIDIA GeForce RTX 4090, capability 8.9, 23 GiB", Dtype::E5M2), 330.3);
    EXPECT_EQ(peakTflops("Tesla V100-SXM2-16GB, capability 7.0, 15 GiB", Dtype::F16), 125);
}

TEST(PeakRates, AreNotGuessed) {
    EXPECT_EQ(peakTflops("NVIDIA GeForce RTX 4090 Laptop GPU, capability 8.9, 15 GiB", Dtype::F16), 0);
    EXPECT_EQ(peakTflops("NVIDIA H200 NVL, capability 9.0, 139 GiB", Dtype::F16), 0);
    EXPECT_EQ(peakTflops("NVIDIA A100-SXM4-40GB, capability 8.0, 39 GiB", Dtype::E4M3), 0) << "it has none";
    EXPECT_EQ(peakTflops("Tesla V100-SXM2-16GB, capability 7.0, 15 GiB", Dtype::BF16), 0);
    EXPECT_EQ(peakTflops("AMD EPYC 9655, AVX-512, 2 threads", Dtype::F32), 0);
}

TEST(Queue, TellsTheTimeBetweenItsMarks) {
    const auto backend = createCpuBackend();
    const auto queue = backend->createQueue();
    std::array<float, 4096> zeros{};
    void* const memory = backend->allocate(sizeof zeros);
    queue->mark(Queue::Mark::Begin);
    for (int i = 0; i < 100; ++i) backend->copyIn(*queue, memory, zeros.data(), sizeof zeros);
    queue->mark(Queue::Mark::End);
    queue->wait();
    const double seconds = queue->secondsBetweenMarks();
    EXPECT_GT(seconds, 0);
    backend->copyIn(*queue, memory, zeros.data(), sizeof zeros);
    EXPECT_EQ(queue->secondsBetweenMarks(), seconds) << "what comes after the end is not counted";
    backend->release(memory);
}

}  // namespace
}  // namespace mantissa
