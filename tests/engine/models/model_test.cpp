// SPDX-License-Identifier: Apache-2.0
#include "engine/models/model.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

namespace mantissa {
namespace {

constexpr DataShape kDigits{.features = 64, .classes = 10}, kSmall{.features = 7, .classes = 3};

TEST(Mlp, NamesAndShapesArePyTorchs) {
    const auto shapes = parameterShapes({.hidden = {128, 32}}, kDigits);
    ASSERT_EQ(shapes.size(), 6u);
    EXPECT_EQ(shapes[0].name, "layers.0.weight");
    EXPECT_EQ(shapes[0].shape, (Shape{128, 64}));
    EXPECT_EQ(shapes[3].name, "layers.1.bias");
    EXPECT_EQ(shapes[5].shape, (Shape{10}));
}

TEST(Mlp, TheGraphHasTheParametersOfParameterShapes) {
    const ModelSettings settings{.hidden = {16, 8, 4}, .activation = "sigmoid"};
    const Graph graph = buildModel(settings, 5, kSmall);
    const auto shapes = parameterShapes(settings, kSmall);
    ASSERT_EQ(graph.parameters.size(), shapes.size());
    for (std::size_t i = 0; i < shapes.size(); ++i) {
        EXPECT_EQ(graph.values[static_cast<std::size_t>(graph.parameters[i])].name, shapes[i].name);
        EXPECT_EQ(graph.values[static_cast<std::size_t>(graph.parameters[i])].shape, shapes[i].shape);
    }
}

TEST(Mlp, ValuesAndLayersHaveNamesThatOverridesCanUse) {
    const Graph graph = buildModel({.hidden = {16}, .activation = "tanh"}, 5, kSmall);
    ASSERT_EQ(graph.nodes.size(), 4u);
    const std::pair<std::string, std::string> expected[] = {
        {"layers.0", "layers.0.output"}, {"activations.0", "activations.0.output"}, {"layers.1", "layers.1.output"}, {"loss", "loss"}};
    for (std::size_t i = 0; i < 4; ++i) {
        EXPECT_EQ(graph.nodes[i].layer, expected[i].first);
        EXPECT_EQ(graph.values[static_cast<std::size_t>(graph.nodes[i].outputs[0])].name, expected[i].second);
    }
    EXPECT_EQ(std::get<Activation>(graph.nodes[1].detail), Activation::Tanh);
    EXPECT_EQ(graph.values[static_cast<std::size_t>(graph.logits)].shape, (Shape{5, 3}));
    EXPECT_THROW(buildModel({.activation = "swish"}, 5, kSmall), std::invalid_argument);
}

TEST(Mlp, NoHiddenLayerIsALinearModel) {
    const Graph graph = buildModel({.hidden = {}}, 5, kSmall);
    EXPECT_EQ(graph.parameters.size(), 2u);
    EXPECT_EQ(graph.nodes.size(), 2u);
}

TEST(Mlp, TextFoldsEqualWidths) {
    EXPECT_EQ(modelText({.hidden = {128, 128}}, kDigits), "MLP 64-128-128-10, relu");
    EXPECT_EQ(modelText({.hidden = {128, 128, 128, 128, 128, 128, 128}, .activation = "sigmoid"}, kDigits),
              "MLP 64-128\u00d77-10, sigmoid");
}

TEST(Mlp, InitialValuesAreUniformWithinOneOverRootFanIn) {
    const auto shapes = parameterShapes({.hidden = {400}}, kDigits);
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
    const auto small = parameterShapes({.hidden = {8}}, kDigits), large = parameterShapes({.hidden = {100}}, kDigits);
    const auto few = initialValues(small, 0, 7), many = initialValues(large, 0, 7);
    EXPECT_TRUE(std::equal(few.begin(), few.end(), many.begin()));
}

TEST(Mlp, SeedsAndParametersDrawDifferently) {
    const auto shapes = parameterShapes({.hidden = {64}}, {.features = 64, .classes = 64});
    EXPECT_EQ(initialValues(shapes, 0, 1), initialValues(shapes, 0, 1));
    EXPECT_NE(initialValues(shapes, 0, 1), initialValues(shapes, 0, 2));
    EXPECT_NE(initialValues(shapes, 0, 1), initialValues(shapes, 2, 1));
}

TEST(Mlp, ARegressionEndsInItsTargets) {
    const Graph graph = buildModel({.hidden = {16}}, 5, {.features = 7, .targets = 2});
    EXPECT_EQ(graph.nodes.back().kind, OpKind::MeanSquaredError);
    EXPECT_EQ(graph.values[static_cast<std::size_t>(graph.labels)].shape, (Shape{5, 2}));
    EXPECT_EQ(graph.values[static_cast<std::size_t>(graph.labels)].role, ValueRole::Targets);
}

TEST(Autoencoder, IsTwoMirroredSequentials) {
    const ModelSettings settings{.kind = "autoencoder", .hidden = {128, 32}, .activation = "sigmoid", .code = 3};
    const auto shapes = parameterShapes(settings, kDigits);
    const std::pair<std::string, Shape> expected[] = {{"encoder.0", {128, 64}}, {"encoder.2", {32, 128}}, {"encoder.4", {3, 32}},
                                                      {"decoder.0", {32, 3}},   {"decoder.2", {128, 32}}, {"decoder.4", {64, 128}}};
    ASSERT_EQ(shapes.size(), 12u);
    for (std::size_t i = 0; i < 6; ++i) {
        EXPECT_EQ(shapes[2 * i].name, expected[i].first + ".weight");
        EXPECT_EQ(shapes[2 * i].shape, expected[i].second);
        EXPECT_EQ(shapes[2 * i + 1].name, expected[i].first + ".bias");
    }
    const Graph graph = buildModel(settings, 5, kDigits);
    EXPECT_EQ(graph.labels, graph.input) << "its own target";
    EXPECT_EQ(std::count_if(graph.nodes.begin(), graph.nodes.end(), [](const Node& n) { return n.kind == OpKind::ActivationFn; }), 5);
    EXPECT_EQ(modelText(settings, kDigits), "Autoencoder 64-128-32-3-32-128-64, sigmoid");
}

std::int64_t countOf(const ModelSettings& settings, const DataShape& data) {
    std::int64_t count = 0;
    for (const ParameterShape& parameter : parameterShapes(settings, data)) count += elementCount(parameter.shape);
    return count;
}

constexpr DataShape kGpt2Data{.classes = 50257, .context = 1024};

TEST(Norms, HaveTheEpsilonOfTheOriginalUnlessTheyAreGivenAnother) {
    const auto epsilons = [](const ModelSettings& settings) {
        const DataShape data = takesTokens(settings.kind)
                                   ? DataShape{.classes = 10, .context = 8}
                                   : DataShape{.features = 192, .classes = 10, .height = 8, .width = 8, .channels = 3};
        std::vector<double> found;
        for (const Node& node : buildModel(settings, 2, data).nodes) {
            if (const auto* norm = std::get_if<NormDetail>(&node.detail)) found.push_back(norm->epsilon);
            if (const auto* norm = std::get_if<BatchNormDetail>(&node.detail)) found.push_back(norm->epsilon);
        }
        return found;
    };
    struct Case {
        std::string kind;
        double original;
        std::size_t norms;
    };
    for (const Case& c :
         {Case{"gpt", 1e-5, 9}, Case{"llama", 1e-6, 9}, Case{"resnet", 1e-5, 15}, Case{"resnet18", 1e-5, 20}, Case{"resnet50", 1e-5, 53}}) {
        EXPECT_EQ(epsilons({.kind = c.kind}), std::vector<double>(c.norms, c.original)) << c.kind;
        EXPECT_EQ(epsilons({.kind = c.kind, .normEps = 0.25}), std::vector<double>(c.norms, 0.25)) << c.kind;
        EXPECT_EQ(epsilons({.kind = c.kind, .normEps = 0.0}), std::vector<double>(c.norms, 0.0)) << c.kind;
    }
}

TEST(Gpt, HasAsManyParametersAsGpt2) {
    // Radford et al. 2019 with nanoGPT's count, positions included: 124 439 808 of the small one, tied.
    ModelSettings gpt2{.kind = "gpt", .nLayer = 12, .nHead = 12, .nEmbd = 768};
    EXPECT_EQ(countOf(gpt2, kGpt2Data), 124'439'808);
    gpt2.tieWeights = false;
    EXPECT_EQ(countOf(gpt2, kGpt2Data), 124'439'808 + 50257 * 768);
    gpt2.bias = false;
    EXPECT_EQ(countOf(gpt2, kGpt2Data), 124'439'808 + 50257 * 768 - 12 * (3 + 1 + 4 + 1 + 1 + 1) * 768 - 768);
}

TEST(Gpt, NamesAreNanoGptsInItsOrder) {
    std::vector<std::string> names;
    for (const ParameterShape& parameter : parameterShapes({.kind = "gpt", .nLayer = 1, .tieWeights = false}, kGpt2Data))
        names.push_back(parameter.name);
    const std::vector<std::string> expected{"transformer.wte.weight",
                                            "transformer.wpe.weight",
                                            "transformer.h.0.ln_1.weight",
                                            "transformer.h.0.ln_1.bias",
                                            "transformer.h.0.attn.c_attn.weight",
                                            "transformer.h.0.attn.c_attn.bias",
                                            "transformer.h.0.attn.c_proj.weight",
                                            "transformer.h.0.attn.c_proj.bias",
                                            "transformer.h.0.ln_2.weight",
                                            "transformer.h.0.ln_2.bias",
                                            "transformer.h.0.mlp.c_fc.weight",
                                            "transformer.h.0.mlp.c_fc.bias",
                                            "transformer.h.0.mlp.c_proj.weight",
                                            "transformer.h.0.mlp.c_proj.bias",
                                            "transformer.ln_f.weight",
                                            "transformer.ln_f.bias",
                                            "lm_head.weight"};
    EXPECT_EQ(names, expected);
}

TEST(Gpt, InitialWeightsAreNormalWithNanoGptsDeviations) {
    const ModelSettings settings{.kind = "gpt", .nLayer = 8, .nEmbd = 128};
    const auto shapes = parameterShapes(settings, {.classes = 100, .context = 64});
    for (std::size_t i = 0; i < shapes.size(); ++i) {
        SCOPED_TRACE(shapes[i].name);
        const auto values = initialValues(shapes, i, 3);
        if (shapes[i].shape.size() == 1) {
            const float expected = shapes[i].name.find("ln_") != std::string::npos && shapes[i].name.ends_with("weight") ? 1.0f : 0.0f;
            EXPECT_TRUE(std::all_of(values.begin(), values.end(), [&](float v) { return v == expected; }));
            continue;
        }
        const double sigma = shapes[i].name.ends_with("c_proj.weight") ? 0.02 / 4 : 0.02;
        double sum = 0, square = 0, fourth = 0;
        for (const float v : values) {
            const double x = static_cast<double>(v) / sigma;
            sum += x, square += x * x, fourth += x * x * x * x;
        }
        const auto n = static_cast<double>(values.size());
        EXPECT_NEAR(sum / n, 0, 5 / std::sqrt(n));  // five standard errors
        EXPECT_NEAR(square / n, 1, 5 * std::sqrt(2 / n));
        EXPECT_NEAR(fourth / n, 3, 5 * std::sqrt(96 / n));
    }
}

TEST(Gpt, LayersHavePathsThatOverridesCanUse) {
    const std::vector<std::string> paths = layerPaths(buildModel({.kind = "gpt", .nLayer = 1}, 2, {.classes = 10, .context = 8}));
    for (const char* path : {"transformer", "transformer.h.0", "transformer.h.0.attn", "transformer.h.0.attn.softmax", "lm_head", "loss"})
        EXPECT_EQ(std::count(paths.begin(), paths.end(), path), 1) << path;
}

}  // namespace
}  // namespace mantissa
