// SPDX-License-Identifier: Apache-2.0
#include "engine/graph/graph.h"

#include <algorithm>

namespace mantissa {

std::int64_t elementCount(const Shape& shape) {
    std::int64_t count = 1;
    for (const std::int64_t extent : shape) count *= extent;
    return count;
}

std::string shapeText(const Shape& shape) {
    std::string text;
    for (const std::int64_t extent : shape) {
        if (!text.empty()) text += 'x';
        text += std::to_string(extent);
    }
    return text;
}

std::string_view phaseName(Phase phase) {
    switch (phase) {
        case Phase::Forward:
            return "forward";
        case Phase::Backward:
            return "backward";
        case Phase::Optimizer:
            return "optimizer";
    }
    return "";
}

const OpFacts& opFacts(OpKind kind) {
    using enum OpKind;
    constexpr auto kInput = Direction::InputGrad, kWeight = Direction::WeightGrad;
    static constexpr OpFacts kFacts[] = {
        {Linear, "linear", Linear},
        {ActivationFn, "activation", ActivationFn},
        {CrossEntropy, "cross_entropy", CrossEntropy},
        {MeanSquaredError, "mean_squared_error", MeanSquaredError},
        {Embedding, "embedding", Embedding},
        {Add, "add", Add},
        {AddPositions, "add_positions", AddPositions},
        {LayerNorm, "layer_norm", LayerNorm},
        {Split, "split", Split},
        {RmsNorm, "rms_norm", RmsNorm},
        {Rotary, "rotary", Rotary},
        {SwiGlu, "swiglu", SwiGlu},
        {FusedAttention, "fused_attention", FusedAttention},
        {AttentionScores, "attention_scores", AttentionScores},
        {Scale, "scale", Scale},
        {CausalMask, "causal_mask", CausalMask},
        {Softmax, "softmax", Softmax},
        {AttentionMix, "attention_mix", AttentionMix},
        {Dropout, "dropout", Dropout},
        {Conv2d, "conv2d", Conv2d},
        {BatchNorm, "batch_norm", BatchNorm},
        {MaxPool, "max_pool", MaxPool},
        {AveragePool, "average_pool", AveragePool},
        {LinearGradInput, "linear_grad_input", Linear, kInput},
        {LinearGradWeight, "linear_grad_weight", Linear, kWeight},
        {LinearGradBias, "linear_grad_bias", Linear, kWeight},
        {ActivationFnGrad, "activation_grad", ActivationFn, kInput},
        {CrossEntropyGrad, "cross_entropy_grad", CrossEntropy, kInput},
        {MeanSquaredErrorGrad, "mean_squared_error_grad", MeanSquaredError, kInput},
        {EmbeddingGrad, "embedding_grad", Embedding, kWeight},
        {AddGradients, "add_gradients", Add, kInput},
        {AddPositionsGrad, "add_positions_grad", AddPositions, kWeight},
        {LayerNormGrad, "layer_norm_grad", LayerNorm, kInput},
        {RmsNormGrad, "rms_norm_grad", RmsNorm, kInput},
        {RotaryGrad, "rotary_grad", Rotary, kInput},
        {SwiGluGrad, "swiglu_grad", SwiGlu, kInput},
        {FusedAttentionGrad, "fused_attention_grad", FusedAttention, kInput},
        {Concat, "concat", Split, kInput},
        {AttentionScoresGradQuery, "attention_scores_grad_query", AttentionScores, kInput},
        {AttentionScoresGradKey, "attention_scores_grad_key", AttentionScores, kInput},
        {ScaleGrad, "scale_grad", Scale, kInput},
        {CausalMaskGrad, "causal_mask_grad", CausalMask, kInput},
        {SoftmaxGrad, "softmax_grad", Softmax, kInput},
        {AttentionMixGradWeights, "attention_mix_grad_weights", AttentionMix, kInput},
        {AttentionMixGradValue, "attention_mix_grad_value", AttentionMix, kInput},
        {DropoutGrad, "dropout_grad", Dropout, kInput},
        {Conv2dGradInput, "conv2d_grad_input", Conv2d, kInput},
        {Conv2dGradWeight, "conv2d_grad_weight", Conv2d, kWeight},
        {BatchNormGrad, "batch_norm_grad", BatchNorm, kInput},
        {MaxPoolGrad, "max_pool_grad", MaxPool, kInput},
        {AveragePoolGrad, "average_pool_grad", AveragePool, kInput},
    };
    return *std::find_if(std::begin(kFacts), std::end(kFacts), [&](const OpFacts& facts) { return facts.kind == kind; });
}

bool isLoss(OpKind kind) {
    const OpKind forward = opFacts(kind).forward;
    return forward == OpKind::CrossEntropy || forward == OpKind::MeanSquaredError;
}

std::vector<std::string> hiddenLinearLayers(const Graph& graph) {
    int prediction = -1;
    for (const Node& node : graph.nodes) {
        if (isLoss(node.kind) && opFacts(node.kind).direction == Direction::Forward) prediction = node.inputs[0];
    }
    std::vector<std::string> layers;
    for (const Node& node : graph.nodes) {
        if (node.kind == OpKind::Linear && node.phase == Phase::Forward && node.outputs[0] != prediction) layers.push_back(node.layer);
    }
    return layers;
}

std::vector<std::string> forwardOpNames() {
    std::vector<std::string> names;
    for (auto kind = OpKind::Linear; kind != OpKind::LinearGradInput; kind = static_cast<OpKind>(static_cast<int>(kind) + 1)) {
        names.emplace_back(opFacts(kind).name);
    }
    return names;
}

int Graph::addValue(std::string name, Shape shape, ValueRole role) {
    values.push_back({std::move(name), std::move(shape), role});
    const int index = static_cast<int>(values.size()) - 1;
    if (role == ValueRole::Parameter) parameters.push_back(index);
    if (role == ValueRole::Statistic) statistics.push_back(index);
    return index;
}

}  // namespace mantissa
