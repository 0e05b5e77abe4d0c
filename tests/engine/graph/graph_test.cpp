// SPDX-License-Identifier: Apache-2.0
#include "engine/graph/graph.h"

#include <gtest/gtest.h>

#include "engine/models/model.h"

namespace mantissa {
namespace {

Graph twoLayers() {
    Graph graph = buildModel({.kind = "mlp", .hidden = {8}, .activation = "tanh"}, 4, 3, 2);
    appendBackward(graph);
    return graph;
}

TEST(Graph, BackwardGivesEachParameterOneGradientOfItsShape) {
    const Graph graph = twoLayers();
    ASSERT_EQ(graph.parameters.size(), 4u);
    for (const int parameter : graph.parameters) {
        const int gradient = graph.gradientOf(parameter);
        ASSERT_GE(gradient, 0);
        EXPECT_EQ(graph.values[static_cast<std::size_t>(gradient)].shape, graph.values[static_cast<std::size_t>(parameter)].shape);
    }
}

TEST(Graph, NothingIsDifferentiatedWithRespectToTheInput) {
    const Graph graph = twoLayers();
    int inputGradients = 0;
    for (const Node& node : graph.nodes) inputGradients += node.kind == OpKind::LinearGradInput ? 1 : 0;
    EXPECT_EQ(inputGradients, 1);  // the second layer's only
    for (const Value& value : graph.values) EXPECT_NE(value.name, graph.values[static_cast<std::size_t>(graph.input)].name + ".grad");
}

TEST(Graph, NodesReadOnlyWhatEarlierNodesMade) {
    const Graph graph = twoLayers();
    std::vector<bool> known(graph.values.size());
    for (std::size_t i = 0; i < graph.values.size(); ++i) {
        const ValueRole role = graph.values[i].role;
        known[i] = role == ValueRole::Input || role == ValueRole::Labels || role == ValueRole::Parameter;
    }
    for (const Node& node : graph.nodes) {
        for (const int input : node.inputs)
            EXPECT_TRUE(known[static_cast<std::size_t>(input)]) << opKindName(node.kind) << " reads " << input;
        for (const int output : node.outputs) known[static_cast<std::size_t>(output)] = true;
    }
}

TEST(Graph, BackwardTwiceIsRefused) {
    Graph graph = twoLayers();
    EXPECT_THROW(appendBackward(graph), std::logic_error);
}

}  // namespace
}  // namespace mantissa
