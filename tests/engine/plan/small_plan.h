// SPDX-License-Identifier: Apache-2.0
// The plan of a small MLP, and what tests look up in a plan.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <stdexcept>
#include <string>
#include <vector>

#include "engine/models/model.h"
#include "engine/plan/plan.h"

namespace mantissa::test {

inline Plan planFor(const PrecisionSettings& precision, LoweringOptions options = {},
                    const std::shared_ptr<Backend>& backend = createCpuBackend()) {
    Graph graph = buildModel({.kind = "mlp", .hidden = {32, 16}, .activation = "gelu"}, 8, {.features = 12, .classes = 4});
    appendBackward(graph);
    Plan plan = lowerGraph(graph, resolvePolicy(precision, *backend), *backend, options);
    layOut(plan);
    return plan;
}

/// Of a language model on two windows of eight tokens.
inline Plan languageModelPlan(const ModelSettings& model, const PrecisionSettings& precision,
                              const std::shared_ptr<Backend>& backend = createCpuBackend()) {
    Graph graph = buildModel(model, 2, {.classes = 10, .context = 8});
    appendBackward(graph);
    Plan plan = lowerGraph(graph, resolvePolicy(precision, *backend), *backend, {});
    layOut(plan);
    return plan;
}

inline const Buffer& bufferOf(const Plan& plan, int index) {
    return plan.buffers[static_cast<std::size_t>(index)];
}

inline std::vector<const Instruction*> named(const Plan& plan, const std::string& name) {
    std::vector<const Instruction*> found;
    for (const Instruction& instruction : plan.instructions) {
        if (instruction.name == name) found.push_back(&instruction);
    }
    return found;
}

/// The instruction of a layer's product.
inline const Instruction& productOf(const Plan& plan, const std::string& name, const std::string& layer) {
    const auto products = named(plan, name);
    const auto found = std::find_if(products.begin(), products.end(), [&](const Instruction* each) { return each->layer == layer; });
    EXPECT_NE(found, products.end()) << name << " of " << layer;
    return **found;
}

inline const QuantizeBlocksDesc& quantizationOf(const Plan& plan, int operand) {
    for (const Instruction* quantize : named(plan, "quantize")) {
        if (quantize->operands[1] == operand) return std::get<QuantizeBlocksDesc>(quantize->operation);
    }
    throw std::logic_error("the operand is not quantised");
}

}  // namespace mantissa::test
