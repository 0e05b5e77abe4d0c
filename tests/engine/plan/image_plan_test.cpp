// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "engine/models/model.h"
#include "engine/plan/plan.h"

namespace mantissa {
namespace {

TEST(ImagePlan, ImagesNeedNotBeSquare) {
    const auto backend = createCpuBackend();
    Graph graph = buildModel({.kind = "resnet", .depth = 8}, 2, {.features = 128, .classes = 3, .height = 8, .width = 16, .channels = 1});
    appendBackward(graph);
    const Plan plan = lowerGraph(graph, resolvePolicy({"bf16"}, *backend), *backend, {});
    int pools = 0;
    for (const Instruction& instruction : plan.instructions) {
        const auto* pool = std::get_if<PoolDesc>(&instruction.operation);
        if (pool == nullptr) continue;
        ++pools;
        EXPECT_EQ(pool->window.height, 2);
        EXPECT_EQ(pool->window.width, 4);
        EXPECT_EQ(elementCount(plan.buffers[static_cast<std::size_t>(instruction.output)].shape), 2 * 64);
    }
    EXPECT_EQ(pools, 1);
}

}  // namespace
}  // namespace mantissa
