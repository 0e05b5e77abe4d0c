// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <stdexcept>

#include "engine/models/model.h"
#include "kernels/random/philox.h"

namespace mantissa {
namespace {

std::vector<std::int64_t> widthsOf(const ModelSettings& settings, std::int64_t features, std::int64_t classes) {
    std::vector<std::int64_t> widths{features};
    widths.insert(widths.end(), settings.hidden.begin(), settings.hidden.end());
    widths.push_back(classes);
    return widths;
}

Activation activationFromName(const std::string& name) {
    for (const Activation kind : {Activation::Relu, Activation::Gelu, Activation::Tanh, Activation::Sigmoid}) {
        if (activationName(kind) == name) return kind;
    }
    throw std::invalid_argument("activation '" + name + "' is not known");
}

}  // namespace

Graph buildModel(const ModelSettings& settings, std::int64_t batch, std::int64_t features, std::int64_t classes) {
    const std::vector<std::int64_t> widths = widthsOf(settings, features, classes);
    const Activation activation = activationFromName(settings.activation);
    Graph graph;
    graph.input = graph.addValue("input", {batch, features}, ValueRole::Input);
    graph.labels = graph.addValue("labels", {batch}, ValueRole::Labels);
    int x = graph.input;
    for (std::size_t i = 0; i + 1 < widths.size(); ++i) {
        const std::string layer = "layers." + std::to_string(i);
        const int weight = graph.addValue(layer + ".weight", {widths[i + 1], widths[i]}, ValueRole::Parameter);
        const int bias = graph.addValue(layer + ".bias", {widths[i + 1]}, ValueRole::Parameter);
        const int y = graph.addValue(layer + ".output", {batch, widths[i + 1]}, ValueRole::Activation);
        graph.nodes.push_back({OpKind::Linear, Phase::Forward, layer, {x, weight, bias}, {y}, activation});
        x = y;
        if (i + 2 == widths.size()) break;
        const std::string name = "activations." + std::to_string(i);
        x = graph.addValue(name + ".output", {batch, widths[i + 1]}, ValueRole::Activation);
        graph.nodes.push_back({OpKind::ActivationFn, Phase::Forward, name, {y}, {x}, activation});
    }
    graph.logits = x;
    graph.loss = graph.addValue("loss", {1}, ValueRole::Loss);
    graph.nodes.push_back({OpKind::CrossEntropy, Phase::Forward, "loss", {graph.logits, graph.labels}, {graph.loss}, activation});
    return graph;
}

std::string modelText(const ModelSettings& settings, std::int64_t features, std::int64_t classes) {
    const std::vector<std::int64_t> widths = widthsOf(settings, features, classes);
    std::string text = "MLP ";
    for (std::size_t i = 0; i < widths.size();) {
        std::size_t same = i;
        while (same < widths.size() && widths[same] == widths[i]) ++same;
        if (i > 0) text += '-';
        text += std::to_string(widths[i]);
        if (same - i > 2) {  // 64-128x7-10
            text += "\u00d7" + std::to_string(same - i);
            i = same;
        } else {
            ++i;
        }
    }
    return text + ", " + settings.activation;
}

std::vector<ParameterShape> parameterShapes(const ModelSettings& settings, std::int64_t features, std::int64_t classes) {
    const std::vector<std::int64_t> widths = widthsOf(settings, features, classes);
    std::vector<ParameterShape> shapes;
    for (std::size_t i = 0; i + 1 < widths.size(); ++i) {
        const std::string layer = "layers." + std::to_string(i);
        shapes.push_back({layer + ".weight", {widths[i + 1], widths[i]}});
        shapes.push_back({layer + ".bias", {widths[i + 1]}});
    }
    return shapes;
}

std::vector<float> initialValues(const std::vector<ParameterShape>& shapes, std::size_t parameter, std::uint64_t seed) {
    const Shape& weight = shapes[parameter - parameter % 2].shape;  // a bias is drawn within its weight's bound
    const auto bound = static_cast<float>(1 / std::sqrt(static_cast<double>(weight[1])));
    std::vector<float> values(static_cast<std::size_t>(elementCount(shapes[parameter].shape)));
    constexpr std::int32_t kHalf = 1 << 23;  // 24 random bits, centred: k / 2^23 is exact in fp32 and lies in [-1, 1)
    for (std::size_t i = 0; i < values.size(); ++i) {
        const std::uint32_t bits = randomBits(seed, RandomUse::InitialWeights, static_cast<std::uint32_t>(parameter), i);
        const float unit = static_cast<float>(static_cast<std::int32_t>(bits >> 8) - kHalf) / static_cast<float>(kHalf);
        values[i] = unit * bound;
    }
    return values;
}

}  // namespace mantissa
