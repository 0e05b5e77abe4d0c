// SPDX-License-Identifier: Apache-2.0
#include "engine/models/model.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

namespace mantissa {
namespace {

TEST(Mlp, NamesAndShapesArePyTorchs) {
    const auto shapes = parameterShapes({.hidden = {128, 32}}, 64, 10);
    ASSERT_EQ(shapes.size(), 6u);
    EXPECT_EQ(shapes[0].name, "layers.0.weight");
    EXPECT_EQ(shapes[0].shape, (Shape{128, 64}));
    EXPECT_EQ(shapes[3].name, "layers.1.bias");
    EXPECT_EQ(shapes[5].shape, (Shape{10}));
}

TEST(Mlp, TheGraphHasTheParametersOfParameterShapes) {
    const ModelSettings settings{.hidden = {16, 8, 4}, .activation = "sigmoid"};
    const Graph graph = buildModel(settings, 5, 7, 3);
    const auto shapes = parameterShapes(settings, 7, 3);
    ASSERT_EQ(graph.parameters.size(), shapes.size());
    for (std::size_t i = 0; i < shapes.size(); ++i) {
        EXPECT_EQ(graph.values[static_cast<std::size_t>(graph.parameters[i])].name, shapes[i].name);
        EXPECT_EQ(graph.values[static_cast<std::size_t>(graph.parameters[i])].shape, shapes[i].shape);
    }
}

TEST(Mlp, ValuesAndLayersHaveNamesThatOverridesCanUse) {
    const Graph graph = buildModel({.hidden = {16}, .activation = "tanh"}, 5, 7, 3);
    ASSERT_EQ(graph.nodes.size(), 4u);
    const std::pair<std::string, std::string> expected[] = {
        {"layers.0", "layers.0.output"}, {"activations.0", "activations.0.output"}, {"layers.1", "layers.1.output"}, {"loss", "loss"}};
    for (std::size_t i = 0; i < 4; ++i) {
        EXPECT_EQ(graph.nodes[i].layer, expected[i].first);
        EXPECT_EQ(graph.values[static_cast<std::size_t>(graph.nodes[i].outputs[0])].name, expected[i].second);
    }
    EXPECT_EQ(graph.nodes[1].activation, Activation::Tanh);
    EXPECT_EQ(graph.values[static_cast<std::size_t>(graph.logits)].shape, (Shape{5, 3}));
    EXPECT_THROW(buildModel({.activation = "swish"}, 5, 7, 3), std::invalid_argument);
}

TEST(Mlp, NoHiddenLayerIsALinearModel) {
    const Graph graph = buildModel({.hidden = {}}, 5, 7, 3);
    EXPECT_EQ(graph.parameters.size(), 2u);
    EXPECT_EQ(graph.nodes.size(), 2u);
}

TEST(Mlp, TextFoldsEqualWidths) {
    EXPECT_EQ(modelText({.hidden = {128, 128}}, 64, 10), "MLP 64-128-128-10, relu");
    EXPECT_EQ(modelText({.hidden = {128, 128, 128, 128, 128, 128, 128}, .activation = "sigmoid"}, 64, 10), "MLP 64-128\u00d77-10, sigmoid");
}

TEST(Mlp, InitialValuesAreUniformWithinOneOverRootFanIn) {
    const auto shapes = parameterShapes({.hidden = {400}}, 64, 10);
    for (const std::size_t parameter : {0u, 1u, 2u}) {
        const auto values = initialValues(shapes, parameter, 1);
        const double bound = parameter < 2 ? 1 / 8.0 : static_cast<double>(1 / 20.0f);
        double sum = 0, square = 0;
        for (const float v : values) {
            ASSERT_GE(static_cast<double>(v), -bound);
            ASSERT_LT(static_cast<double>(v), bound);
            sum += static_cast<double>(v);
            square += static_cast<double>(v) * static_cast<double>(v);
        }
        const auto n = static_cast<double>(values.size());
        const double sigma = bound / std::sqrt(3.0);
        EXPECT_NEAR(sum / n, 0, 5 * sigma / std::sqrt(n));                                          // five standard errors
        EXPECT_NEAR(square / n, sigma * sigma, 5 * sigma * sigma * std::sqrt(0.8) / std::sqrt(n));  // kurtosis of a uniform is 1.8
    }
}

TEST(Mlp, EachElementIsAFunctionOfSeedParameterAndIndexAlone) {
    const auto small = parameterShapes({.hidden = {8}}, 64, 10), large = parameterShapes({.hidden = {100}}, 64, 10);
    const auto few = initialValues(small, 0, 7), many = initialValues(large, 0, 7);
    EXPECT_TRUE(std::equal(few.begin(), few.end(), many.begin()));
}

TEST(Mlp, SeedsAndParametersDrawDifferently) {
    const auto shapes = parameterShapes({.hidden = {64}}, 64, 64);
    EXPECT_EQ(initialValues(shapes, 0, 1), initialValues(shapes, 0, 1));
    EXPECT_NE(initialValues(shapes, 0, 1), initialValues(shapes, 0, 2));
    EXPECT_NE(initialValues(shapes, 0, 1), initialValues(shapes, 2, 1));
}

}  // namespace
}  // namespace mantissa
