// SPDX-License-Identifier: Apache-2.0
// The keys of `model`. All except the kind are valid for some kinds only.
#include <algorithm>
#include <iterator>
#include <limits>

#include "engine/experiment/field_kinds.h"
#include "engine/experiment/json_reader.h"

namespace mantissa {
namespace {

constexpr std::size_t kMaxHidden = 1000;
constexpr std::int64_t kMaxBlocks = 200;
constexpr std::int64_t kMinDepth = 8, kMaxDepth = 56, kDepthStep = 6;

Field onlyModels(std::vector<std::string> kinds, Field field) {
    return onlyFor("model", std::move(kinds), std::move(field));
}

std::vector<std::int64_t> readHidden(const Json& value) {
    if (!value.is_array()) refuse("must be a list of widths, as [128, 128]");
    if (value.size() > kMaxHidden) refuse("has more than " + std::to_string(kMaxHidden) + " layers");
    std::vector<std::int64_t> widths;
    for (const Json& width : value) {
        try {
            widths.push_back(readInteger(width, 1, kMaxCount));
        } catch (BadValue& bad) {
            throw BadValue{pointerStep(widths.size()), bad.sentence};
        }
    }
    return widths;
}

/// The value that replaces a masked score. Above 0 it would not mask; a value beyond fp32 is -Inf.
double readMask(const Json& value) {
    constexpr double kMinusInfinity = -std::numeric_limits<double>::infinity();
    if (value.is_null() || value == "-inf" || value == "-Infinity") return kMinusInfinity;
    const double mask = readNumber(value);
    if (mask >= 0) refuse("must be below 0");
    return mask >= -static_cast<double>(std::numeric_limits<float>::max()) ? mask : kMinusInfinity;
}

Json maskSchema() {
    return {{"anyOf", {{{"type", "number"}, {"exclusiveMaximum", 0}}, {{"enum", {nullptr, "-inf", "-Infinity"}}}}}};
}

Json depthSchema() {
    Json depths = Json::array();
    for (std::int64_t depth = kMinDepth; depth <= kMaxDepth; depth += kDepthStep) depths.push_back(depth);
    return {{"type", "integer"}, {"enum", std::move(depths)}};
}

std::int64_t readDepth(const Json& value) {
    const std::int64_t depth = readInteger(value, kMinDepth, kMaxDepth);
    if (depth % kDepthStep != kMinDepth % kDepthStep) refuse("must be 6 n + 2: 8, 14, 20, 26, 32, 38, 44, 50 or 56");
    return depth;
}

Field count(const char* key, const char* label, std::int64_t ModelSettings::*member, std::int64_t most) {
    return integer(key, label, member, 1, most);
}

}  // namespace

std::vector<std::string> modelKindsThat(bool (*test)(std::string_view)) {
    std::vector<std::string> kinds;
    std::copy_if(modelKinds().begin(), modelKinds().end(), std::back_inserter(kinds), test);
    return kinds;
}

std::vector<Field> modelFields() {
    using Settings = ModelSettings;
    const std::vector<std::string> perceptrons{"mlp", "autoencoder"}, transformers{"gpt", "llama"};
    std::vector<Field> all;
    all.push_back(choice("kind", "model", &Settings::kind, modelKinds()));
    all.push_back(onlyModels(perceptrons, fieldOf("hidden", "hidden layers", &Settings::hidden, FieldKind::Numbers,
                                                  listSchema(integerSchema(1, kMaxCount), 0, kMaxHidden), readHidden)));
    all.push_back(onlyModels({"autoencoder"}, count("code", "code", &Settings::code, kMaxCount)));
    all.push_back(
        onlyModels(perceptrons, choice("activation", "activation", &Settings::activation, {"relu", "gelu", "tanh", "sigmoid", "silu"})));
    all.push_back(onlyModels({"resnet"}, fieldOf("depth", "layers", &Settings::depth, FieldKind::Count, depthSchema(), readDepth)));
    all.push_back(onlyModels(transformers, count("n_layer", "layers", &Settings::nLayer, kMaxBlocks)));
    all.push_back(onlyModels(transformers, count("n_head", "heads", &Settings::nHead, kMaxBlocks)));
    all.push_back(onlyModels(transformers, count("n_embd", "channels", &Settings::nEmbd, kMaxCount)));
    all.push_back(onlyModels(transformers, number("dropout", "dropout", &Settings::dropout, Bound::BelowOne)));
    all.push_back(onlyModels(transformers, flag("tie_weights", "tied head", &Settings::tieWeights)));
    all.push_back(onlyModels(transformers, choice("attention", "attention", &Settings::attention, {"materialised", "fused"})));
    all.push_back(onlyModels(transformers, choice("score_scale", "score scale", &Settings::scoreScale, {"after_product", "in_product"})));
    all.push_back(onlyModels(transformers, choice("softmax", "softmax", &Settings::softmax, {"max_subtracted", "naive"})));
    all.push_back(onlyModels(transformers, choice("fused_softmax", "fused softmax", &Settings::fusedSoftmax,
                                                  {"before_product", "after_product", "after_product_shifted"})));
    const Field mask = fieldOf("mask", "attention mask", &Settings::maskValue, FieldKind::Number, maskSchema(), readMask);
    all.push_back(onlyModels(transformers, optionalField(mask, &Settings::maskValue, "-Infinity")));
    all.push_back(onlyModels({"gpt"}, flag("bias", "bias", &Settings::bias)));
    // 0, the default, means derived from other keys
    all.push_back(onlyModels(
        {"llama"}, optionalField(count("n_kv_head", "heads of keys", &Settings::nKvHead, kMaxBlocks), &Settings::nKvHead, "as heads")));
    all.push_back(onlyModels(
        {"llama"}, optionalField(count("n_inner", "inner channels", &Settings::nInner, kMaxCount), &Settings::nInner, "8/3 of channels")));
    all.push_back(onlyModels({"llama"}, number("rope_theta", "base of the rotary angles", &Settings::ropeTheta, Bound::Positive)));
    all.push_back(onlyModels({"llama"}, flag("fused_kernels", "fused kernels", &Settings::fusedKernels)));
    const Field epsilon = number("norm_eps", "epsilon of norms", &Settings::normEps, Bound::NotNegative);
    all.push_back(onlyModels(modelKindsThat(hasBlocks), optionalField(epsilon, &Settings::normEps, "the original's")));
    all.push_back(
        onlyModels(modelKindsThat(learnsClasses), number("label_smoothing", "label smoothing", &Settings::labelSmoothing, Bound::UpToOne)));
    all.push_back(onlyModels(modelKindsThat(learnsClasses),
                             live(choice("logits", "logits of the loss", &LossSettings::logits, {"autocast", "fp32"}))));
    all.push_back(
        onlyModels(modelKindsThat(hasBlocks), flag("gradient_checkpointing", "gradient checkpointing", &Settings::gradientCheckpointing)));
    return all;
}

}  // namespace mantissa
