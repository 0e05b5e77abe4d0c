// SPDX-License-Identifier: Apache-2.0
#include "engine/models/model.h"

#include <gtest/gtest.h>

#include <cmath>

#include "kernels/random/philox.h"

namespace mantissa {
namespace {

TEST(Philox, PublishedVectors) {
    // Random123's known answers for philox4x32-10
    const auto expect = [](PhiloxCounter counter, std::uint32_t key0, std::uint32_t key1, PhiloxCounter answer) {
        const PhiloxCounter out = philox4x32(counter, key0, key1);
        for (int i = 0; i < 4; ++i) EXPECT_EQ(out.word[i], answer.word[i]) << i;
    };
    expect({{0, 0, 0, 0}}, 0, 0, {{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}});
    expect({{0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff}}, 0xffffffff, 0xffffffff, {{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}});
    expect({{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}}, 0xa4093822, 0x299f31d0, {{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}});
}

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
        const double bound = parameter < 2 ? 1 / 8.0 : 1 / 20.0;
        double sum = 0, square = 0;
        for (const float v : values) {
            EXPECT_LE(std::fabs(static_cast<double>(v)), bound);
            sum += static_cast<double>(v);
            square += static_cast<double>(v) * static_cast<double>(v);
        }
        const auto n = static_cast<double>(values.size());
        const double sigma = bound / std::sqrt(3.0);
        EXPECT_NEAR(sum / n, 0, 5 * sigma / std::sqrt(n));                                          // five standard errors
        EXPECT_NEAR(square / n, sigma * sigma, 5 * sigma * sigma * std::sqrt(0.8) / std::sqrt(n));  // kurtosis of a uniform is 1.8
    }
}

TEST(Mlp, SeedsAndParametersDrawDifferently) {
    const auto shapes = parameterShapes({.hidden = {64}}, 64, 64);
    EXPECT_EQ(initialValues(shapes, 0, 1), initialValues(shapes, 0, 1));
    EXPECT_NE(initialValues(shapes, 0, 1), initialValues(shapes, 0, 2));
    EXPECT_NE(initialValues(shapes, 0, 1), initialValues(shapes, 2, 1));
}

}  // namespace
}  // namespace mantissa
