// SPDX-License-Identifier: Apache-2.0
#include "engine/models/builder.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

namespace mantissa {
namespace {

/// [B,H,W,C] under a window.
Shape planeShape(const Shape& x, const WindowDetail& window, std::int64_t channels) {
    const auto extent = [&](std::int64_t side) { return (side + 2 * window.padding - window.size) / window.stride + 1; };
    return {x[0], extent(x[1]), extent(x[2]), channels};
}

}  // namespace

int ModelBuilder::append(OpKind kind, const std::string& layer, std::vector<int> inputs, const std::string& name, Shape shape,
                         NodeDetail detail) {
    const int out = graph.addValue(layer + "." + name, std::move(shape), ValueRole::Activation);
    graph.nodes.push_back({kind, Phase::Forward, layer, std::move(inputs), {out}, detail});
    return out;
}

void ModelBuilder::alsoOutput(const std::string& name, Shape shape, ValueRole role) {
    const int value = graph.addValue(name, std::move(shape), role);
    graph.nodes.back().outputs.push_back(value);
}

int ModelBuilder::parameter(const std::string& name, Shape shape, ParameterInit init) {
    const int index = graph.addValue(name, std::move(shape), ValueRole::Parameter);
    inits[index] = init;
    return index;
}

int ModelBuilder::statistic(const std::string& name, Shape shape, double initial) {
    const int index = graph.addValue(name, std::move(shape), ValueRole::Statistic);
    inits[index] = {ParameterInit::Kind::Constant, initial};
    return index;
}

int ModelBuilder::conv2d(int x, const std::string& layer, int weight, WindowDetail window) {
    return append(OpKind::Conv2d, layer, {x, weight}, "output", planeShape(shapeOf(x), window, shapeOf(weight)[0]), window);
}

int ModelBuilder::batchNorm(int x, const std::string& layer, double epsilon) {
    const Shape channels{shapeOf(x).back()};
    const std::vector<int> inputs{x, parameter(layer + ".weight", channels, {ParameterInit::Kind::Constant, 1}),
                                  parameter(layer + ".bias", channels, {}), statistic(layer + ".running_mean", channels, 0),
                                  statistic(layer + ".running_var", channels, 1)};
    const int out = append(OpKind::BatchNorm, layer, inputs, "output", shapeOf(x), BatchNormDetail{.epsilon = epsilon});
    for (const char* name : {".mean", ".inverse_deviation"}) alsoOutput(layer + name, channels);
    return out;
}

int ModelBuilder::maxPool(int x, const std::string& layer, WindowDetail window) {
    const Shape shape = planeShape(shapeOf(x), window, shapeOf(x).back());
    const int out = append(OpKind::MaxPool, layer, {x}, "output", shape, window);
    alsoOutput(layer + ".places", shape, ValueRole::Indices);
    return out;
}

int ModelBuilder::globalAveragePool(int x, const std::string& layer) {
    const Shape& shape = shapeOf(x);
    return append(OpKind::AveragePool, layer, {x}, "output", {shape[0], shape[3]}, WindowDetail{.size = shape[1], .width = shape[2]});
}

int ModelBuilder::linear(int x, const std::string& layer, int weight, int bias) {
    Shape shape = shapeOf(x);
    shape.back() = shapeOf(weight)[0];
    std::vector<int> inputs{x, weight};
    if (bias >= 0) inputs.push_back(bias);
    return append(OpKind::Linear, layer, std::move(inputs), "output", std::move(shape));
}

int ModelBuilder::like(OpKind kind, int x, const std::string& layer, const char* what, NodeDetail detail) {
    return append(kind, layer, {x}, what, shapeOf(x), detail);
}

int ModelBuilder::activation(int x, const std::string& layer, Activation kind) {
    return like(OpKind::ActivationFn, x, layer, "output", kind);
}

int ModelBuilder::embedding(int table, int indices, const std::string& layer) {
    Shape shape = shapeOf(indices);
    shape.push_back(shapeOf(table)[1]);
    return append(OpKind::Embedding, layer, {table, indices}, "output", std::move(shape));
}

int ModelBuilder::add(int a, int b, const std::string& layer, OpKind kind) {
    return append(kind, layer, {a, b}, "sum", shapeOf(a));
}

int ModelBuilder::layerNorm(int x, const std::string& layer, int weight, int bias, double epsilon) {
    Shape rows = shapeOf(x);
    rows.pop_back();
    std::vector<int> inputs{x, weight};
    if (bias >= 0) inputs.push_back(bias);
    const int out = append(OpKind::LayerNorm, layer, std::move(inputs), "output", shapeOf(x), NormDetail{.epsilon = epsilon});
    for (const char* name : {".mean", ".inverse_deviation"}) alsoOutput(layer + name, rows);
    return out;
}

std::vector<int> ModelBuilder::split(int x, std::size_t parts, const std::string& layer) {
    Shape shape = shapeOf(x);
    shape.back() /= static_cast<std::int64_t>(parts);
    std::vector<int> outputs;
    for (std::size_t i = 0; i < parts; ++i) {
        outputs.push_back(graph.addValue(layer + ".part" + std::to_string(i), shape, ValueRole::Activation));
    }
    graph.nodes.push_back({OpKind::Split, Phase::Forward, layer, {x}, outputs, {}});
    return outputs;
}

int ModelBuilder::rmsNorm(int x, const std::string& layer, int weight, double epsilon) {
    Shape rows = shapeOf(x);
    rows.pop_back();
    const int out = append(OpKind::RmsNorm, layer, {x, weight}, "output", shapeOf(x), NormDetail{.epsilon = epsilon});
    alsoOutput(layer + ".inverse_deviation", rows);
    return out;
}

int ModelBuilder::swiGlu(int gate, int up, const std::string& layer, bool isFused) {
    return append(OpKind::SwiGlu, layer, {gate, up}, "output", shapeOf(gate), SwiGluDetail{isFused});
}

int ModelBuilder::attention(int q, int k, int v, const std::string& layer, const ModelSettings& settings, std::int64_t keyHeads) {
    const Shape shape = shapeOf(q);
    AttentionDetail detail{.heads = settings.nHead, .keyHeads = keyHeads, .isFused = settings.fusedKernels};
    const auto factor = static_cast<float>(1 / std::sqrt(static_cast<double>(shape[2] / settings.nHead)));
    const Shape square{shape[0], detail.heads, shape[1], shape[1]};
    if (settings.attention == "fused") {
        detail.scale = factor;
        detail.dividesAfter = settings.fusedSoftmax != "before_product";
        detail.shiftsTies = settings.fusedSoftmax == "after_product_shifted";
        const int out = append(OpKind::FusedAttention, layer + ".fused", {q, k, v}, "output", shape, detail);
        alsoOutput(layer + ".fused.log_sum_exp", {square[0], square[1], square[2]});
        return out;
    }
    const bool scalesAfter = settings.scoreScale == "after_product";
    AttentionDetail scored = detail;
    if (!scalesAfter) scored.scale = factor;
    int scores = append(OpKind::AttentionScores, layer + ".scores", {q, k}, "scores", square, scored);
    if (scalesAfter) scores = like(OpKind::Scale, scores, layer + ".scale", "scores", ScaleDetail{factor});
    scores = like(OpKind::CausalMask, scores, layer + ".mask", "scores", MaskDetail{static_cast<float>(settings.maskValue)});
    int weights = like(OpKind::Softmax, scores, layer + ".softmax", "weights", SoftmaxDetail{settings.softmax != "naive"});
    weights = dropout(weights, layer + ".attn_dropout", settings.dropout);
    return append(OpKind::AttentionMix, layer + ".mix", {weights, v}, "mix", shape, detail);
}

int ModelBuilder::dropout(int x, const std::string& layer, double probability) {
    if (probability == 0) return x;
    return like(OpKind::Dropout, x, layer, "dropped", DropoutDetail{probability, m_dropouts++});
}

void ModelBuilder::crossEntropy(int logits, double labelSmoothing) {
    graph.logits = logits;
    Shape rows = shapeOf(logits);
    rows.pop_back();
    graph.labels = graph.addValue("labels", rows, ValueRole::Labels);
    graph.loss = graph.addValue("loss", {1}, ValueRole::Loss);
    graph.nodes.push_back(
        {OpKind::CrossEntropy, Phase::Forward, "loss", {logits, graph.labels}, {graph.loss}, CrossEntropyDetail{labelSmoothing}});
}

void ModelBuilder::meanSquaredError(int prediction, int target) {
    graph.labels = target >= 0 ? target : graph.addValue("targets", shapeOf(prediction), ValueRole::Targets);
    graph.loss = graph.addValue("loss", {1}, ValueRole::Loss);
    graph.nodes.push_back({OpKind::MeanSquaredError, Phase::Forward, "loss", {prediction, graph.labels}, {graph.loss}, {}});
}

namespace {
constexpr Activation kActivations[] = {Activation::Relu, Activation::Gelu, Activation::Tanh, Activation::Sigmoid, Activation::Silu};
}  // namespace

int torchLinear(ModelBuilder& model, int x, const std::string& layer, std::int64_t out) {
    const std::int64_t in = model.shapeOf(x).back();
    const ParameterInit init{ParameterInit::Kind::Uniform, 1 / std::sqrt(static_cast<double>(in))};
    const int weight = model.parameter(layer + ".weight", {out, in}, init);
    return model.linear(x, layer, weight, model.parameter(layer + ".bias", {out}, init));
}

Activation activationFromName(const std::string& name) {
    for (const Activation kind : kActivations) {
        if (activationName(kind) == name) return kind;
    }
    throw std::invalid_argument("activation '" + name + "' is not known");
}

bool isActivation(std::string_view operation) {
    return std::any_of(std::begin(kActivations), std::end(kActivations),
                       [&](Activation kind) { return activationName(kind) == operation; });
}

}  // namespace mantissa
