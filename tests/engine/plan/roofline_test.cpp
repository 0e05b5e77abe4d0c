// SPDX-License-Identifier: Apache-2.0
#include "engine/plan/roofline.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <stdexcept>
#include <string>

namespace mantissa {
namespace {

const GpuRates& gpuOf(std::string_view name) {
    for (const GpuRates& gpu : gpuRates())
        if (gpu.name == name) return gpu;
    throw std::out_of_range(std::string(name));
}

Instruction squareProductOf(std::int64_t size, Dtype compute, double bytes) {
    Instruction product;
    product.operation = MatmulDesc{.m = size, .n = size, .k = size, .compute = compute};
    product.compute = compute;
    product.flops = 2.0 * static_cast<double>(size * size * size);
    product.bytes = bytes;
    return product;
}

TEST(Roofline, IsTheLongerOfProductsAndMemoryAndALaunch) {
    Plan plan;
    plan.instructions = {squareProductOf(4096, Dtype::BF16, 1e8), squareProductOf(64, Dtype::BF16, 1e9),
                         squareProductOf(8, Dtype::BF16, 100)};
    plan.backwardEnd = 3;
    const auto times = predictTimes(plan, gpuOf("h200"), 4);
    ASSERT_EQ(times.size(), 3u);
    EXPECT_NEAR(times[0].seconds, 2 * 4096.0 * 4096 * 4096 / (0.7 * 989e12) + 2.5e-6, 1e-12);
    EXPECT_EQ(times[0].limit, TimeLimit::Compute);
    EXPECT_NEAR(times[1].seconds, 1e9 / (0.83 * 4.8e12) + 2.5e-6, 1e-12);
    EXPECT_EQ(times[1].limit, TimeLimit::Memory);
    EXPECT_NEAR(times[2].seconds, 2.5e-6, 1e-9);
    EXPECT_EQ(times[2].limit, TimeLimit::Launch);
    EXPECT_EQ(times[2].repeats, 4);
}

TEST(Roofline, RepeatsForwardAndBackwardPerMicroBatch) {
    Plan plan;
    plan.instructions.assign(4, squareProductOf(8, Dtype::F32, 100));
    plan.prologueEnd = 1;
    plan.backwardEnd = 2;
    plan.instructions[3].isStatistics = true;
    const auto times = predictTimes(plan, gpuOf("h200"), 3);
    EXPECT_EQ(times[0].repeats, 1) << "weight copies";
    EXPECT_EQ(times[1].repeats, 3);
    EXPECT_EQ(times[2].repeats, 1) << "the optimizer";
    EXPECT_EQ(times[3].repeats, 0) << "steps without statistics";
}

TEST(Roofline, UsesTheNextWiderFormatThatTheGpuMultiplies) {
    Plan plan;
    plan.instructions = {squareProductOf(4096, Dtype::E4M3, 0), squareProductOf(4096, Dtype::F16, 0)};
    const auto times = predictTimes(plan, gpuOf("a100"), 1);
    EXPECT_EQ(times[0].seconds, times[1].seconds) << "an A100 has no products in fp8";
    plan.instructions = {squareProductOf(4096, Dtype::BF16, 0), squareProductOf(4096, Dtype::TF32, 0),
                         squareProductOf(4096, Dtype::F32, 0)};
    const auto older = predictTimes(plan, gpuOf("v100"), 1);
    EXPECT_EQ(older[0].seconds, older[2].seconds) << "a V100 has no products in bf16";
    EXPECT_EQ(older[1].seconds, older[2].seconds);
}

TEST(Roofline, CountsProductsThatTensorCoresPad) {
    Plan plan;
    plan.instructions = {squareProductOf(64, Dtype::F16, 0), squareProductOf(10, Dtype::F16, 0), squareProductOf(10, Dtype::F32, 0),
                         squareProductOf(8, Dtype::E4M3, 0), squareProductOf(12, Dtype::TF32, 0)};
    EXPECT_EQ(unalignedProducts(plan), 2) << "10 in fp16, 8 in fp8; 12 is a multiple of 4, as tf32 needs";
    plan.instructions = {squareProductOf(10, Dtype::TF32, 0)};
    EXPECT_EQ(unalignedProducts(plan), 1);
    Instruction convolution;
    convolution.compute = Dtype::F16;
    const Convolution2dDesc ofOneChannel{.samples = 1, .inChannels = 1, .outChannels = 8, .window = {}, .compute = Dtype::F16};
    convolution.operation = ofOneChannel;
    plan.instructions = {convolution};
    convolution.operation = Convolution2dWeightGradDesc{.forward = ofOneChannel};
    plan.instructions.push_back(convolution);
    convolution.operation = Convolution2dDesc{.samples = 1, .inChannels = 16, .outChannels = 8, .window = {}, .compute = Dtype::F16};
    plan.instructions.push_back(convolution);
    EXPECT_EQ(unalignedProducts(plan), 2) << "one input channel";
}

/// A plan of a bf16 product, a cast and an fp32 product, and their measured seconds.
struct MeasuredPlan {
    Plan plan;
    std::array<double, 4> seconds{3e-3, 6e-3, 4e-6, 1};
    MeasuredPlan() {
        Instruction cast;
        cast.operation = CastDesc{1000, Dtype::F32, Dtype::BF16};
        cast.name = "cast";
        cast.bytes = 6e6;
        plan.instructions = {squareProductOf(512, Dtype::BF16, 100), cast, squareProductOf(8, Dtype::F32, 100), cast};
        for (const int product : {0, 2}) plan.instructions[static_cast<std::size_t>(product)].name = "linear";
        plan.instructions[3].isStatistics = true;
        plan.backwardEnd = 2;
    }
    StepTimes times() const { return timesByOperation(plan, measuredTimes(plan, seconds, 2)); }
};

TEST(StepTimes, SumInstructionsByOperationAndFormat) {
    const MeasuredPlan measured;
    const StepTimes times = measured.times();
    ASSERT_EQ(times.operations.size(), 3u) << "not the statistics";
    EXPECT_EQ(times.operations[0],
              (OperationTime{.operation = "cast", .kind = OperationKind::Conversion, .runs = 2, .bytes = 1.2e7, .seconds = 6e-3}));
    EXPECT_EQ(times.operations[1].compute, Dtype::BF16);
    EXPECT_EQ(times.operations[1].kind, OperationKind::Product);
    EXPECT_EQ(times.operations[1].runs, 2) << "each micro-batch";
    EXPECT_DOUBLE_EQ(times.operations[1].flops, 2 * 2.0 * 512 * 512 * 512);
    EXPECT_DOUBLE_EQ(times.shortSeconds, 4e-6);
    EXPECT_DOUBLE_EQ(times.seconds, 9.004e-3);
    EXPECT_EQ(times.find(times.operations[2]), &times.operations[2]);
    OperationTime other = times.operations[2];
    other.compute = Dtype::F16;
    EXPECT_EQ(times.find(other), nullptr);
}

TEST(StepTimes, NotesSayWhyANarrowFormatIsNotFaster) {
    const MeasuredPlan measured;
    const auto backend = createCpuBackend();
    StepTimes times = measured.times();
    times.stepSeconds = 20e-3;
    times.operations[1].peakTflops = 1;  // reached: 2 * 2.7e8 flops in 3 ms, 0.18 TFLOP/s
    std::vector<std::string> notes;
    for (const Text& note : notesOfMeasured(measured.plan, times, *backend)) notes.push_back(note.english());
    const auto has = [&](const std::string& words) {
        return std::any_of(notes.begin(), notes.end(), [&](const std::string& note) { return note.find(words) != std::string::npos; });
    };
    EXPECT_EQ(notes.size(), 5u);
    EXPECT_TRUE(has("Products take 33 % of the time: if they took none, the step would be 1.5 times as fast."));
    EXPECT_TRUE(has("computes products in bf16 with fp32 arithmetic"));
    EXPECT_TRUE(has("Conversions between formats take 67 % of the time"));
    EXPECT_TRUE(has("reach 18 % of the rate of one large product"));
    EXPECT_TRUE(has("55 % of the step passes between its operations"));
    EXPECT_FALSE(has("tensor cores")) << "a CPU has none";
    MeasuredPlan emulated;
    std::get<MatmulDesc>(emulated.plan.instructions[0].operation).accumulator = Accumulator::Hopper;
    notes.clear();
    for (const Text& note : notesOfMeasured(emulated.plan, times, *backend)) notes.push_back(note.english());
    EXPECT_TRUE(has("are emulated (accumulator hopper)"));
    EXPECT_FALSE(has("larger tensors use the device better")) << "they would not";
    times.shortSeconds = 0.6 * times.seconds;
    EXPECT_NE(notesOfMeasured(measured.plan, times, *backend).front().english().find("too small for this device"), std::string::npos);
    times.seconds = times.shortSeconds = 0;
    EXPECT_TRUE(notesOfMeasured(measured.plan, times, *backend).empty());
}

}  // namespace
}  // namespace mantissa
