// SPDX-License-Identifier: Apache-2.0
#include "engine/plan/roofline.h"

#include <gtest/gtest.h>

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
    EXPECT_EQ(times[0].limit, RooflineLimit::Compute);
    EXPECT_NEAR(times[1].seconds, 1e9 / (0.83 * 4.8e12) + 2.5e-6, 1e-12);
    EXPECT_EQ(times[1].limit, RooflineLimit::Memory);
    EXPECT_NEAR(times[2].seconds, 2.5e-6, 1e-9);
    EXPECT_EQ(times[2].limit, RooflineLimit::Launch);
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
                         squareProductOf(8, Dtype::E4M3, 0)};
    EXPECT_EQ(unalignedProducts(plan), 2) << "10 in fp16, 8 in fp8";
}

}  // namespace
}  // namespace mantissa
