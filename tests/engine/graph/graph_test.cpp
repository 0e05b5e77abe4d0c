// SPDX-License-Identifier: Apache-2.0
#include "engine/graph/graph.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "engine/models/model.h"

namespace mantissa {
namespace {

Graph twoLayers() {
    Graph graph = buildModel({.kind = "mlp", .hidden = {8}, .activation = "tanh"}, 4, {.features = 3, .classes = 2});
    appendBackward(graph);
    return graph;
}

TEST(Graph, BackwardGivesEachParameterOneGradientOfItsShape) {
    const Graph graph = twoLayers();
    ASSERT_EQ(graph.parameters.size(), 4u);
    for (const int parameter : graph.parameters) {
        ASSERT_TRUE(graph.gradients.contains(parameter));
        const int gradient = graph.gradients.at(parameter);
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
            EXPECT_TRUE(known[static_cast<std::size_t>(input)]) << opFacts(node.kind).name << " reads " << input;
        for (const int output : node.outputs) known[static_cast<std::size_t>(output)] = true;
    }
}

TEST(Graph, BackwardTwiceIsRefused) {
    Graph graph = twoLayers();
    EXPECT_THROW(appendBackward(graph), std::logic_error);
}

TEST(Graph, AValueWithTwoUsesGetsTheSumOfTheirGradients) {
    Graph graph = buildModel({.kind = "gpt", .nLayer = 1}, 2, {.classes = 10, .context = 8});
    appendBackward(graph);
    // the token table is embedding and head; the stream of each block is residual and branch
    const int table = graph.parameters.front();
    std::map<std::string, int> sums;
    for (const Node& node : graph.nodes) {
        if (node.kind == OpKind::AddGradients) ++sums[graph.values[static_cast<std::size_t>(node.inputs[2])].name];
    }
    const std::map<std::string, int> expected{
        {"transformer.h.0.attn.residual.sum", 1}, {"transformer.wpe.sum", 1}, {"transformer.wte.weight", 1}};
    EXPECT_EQ(sums, expected);
    const int gradient = graph.gradients.at(table);
    ASSERT_GE(gradient, 0);
    EXPECT_EQ(
        std::count_if(graph.nodes.begin(), graph.nodes.end(), [&](const Node& node) { return node.outputs == std::vector<int>{gradient}; }),
        1);
}

TEST(Graph, EveryKindHasFactsOfItsOwn) {
    std::set<std::string_view> names;
    for (int kind = 0; kind <= static_cast<int>(OpKind::DropoutGrad); ++kind) {
        const OpFacts& facts = opFacts(static_cast<OpKind>(kind));
        EXPECT_EQ(static_cast<int>(facts.kind), kind);
        EXPECT_TRUE(names.insert(facts.name).second) << facts.name;
        EXPECT_EQ(facts.kind == facts.forward, facts.direction == Direction::Forward) << facts.name;
    }
}

TEST(Graph, ACheckpointedBlockIsComputedOnceMoreAsFarAsGradientsNeedIt) {
    Graph graph = buildModel({.kind = "gpt", .nLayer = 1, .gradientCheckpointing = true}, 2, {.classes = 10, .context = 8});
    appendBackward(graph);
    std::map<std::string, int> again;
    for (const Node& node : graph.nodes) {
        if (node.phase == Phase::Backward && opFacts(node.kind).forward == node.kind && node.kind != OpKind::Add) again[node.layer] += 1;
    }
    const std::map<std::string, int> expected{
        {"transformer.h.0.ln_1", 1},         {"transformer.h.0.attn.c_attn", 1}, {"transformer.h.0.attn.qkv", 1},
        {"transformer.h.0.attn.scores", 1},  {"transformer.h.0.attn.scale", 1},  {"transformer.h.0.attn.mask", 1},
        {"transformer.h.0.attn.softmax", 1}, {"transformer.h.0.attn.mix", 1},    {"transformer.h.0.attn.c_proj", 1},
        {"transformer.h.0.ln_2", 1},         {"transformer.h.0.mlp.c_fc", 1},    {"transformer.h.0.mlp.gelu", 1}};
    EXPECT_EQ(again, expected) << "each once, and the MLP's last product, which no gradient reads, not at all";
}

}  // namespace
}  // namespace mantissa
