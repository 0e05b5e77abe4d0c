// SPDX-License-Identifier: Apache-2.0
// The keys of `model`. All except the kind are valid for some kinds only.
#include <algorithm>
#include <cmath>
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
    return onlyFor(
        std::move(kinds), "model", [](const RunSettings& run) -> const std::string& { return run.training.model.kind; }, std::move(field));
}

void readHidden(RunSettings& run, const Json& value) {
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
    run.training.model.hidden = std::move(widths);
}

/// The value that replaces a masked score. Above 0 it would not mask; a value beyond fp32 is -Inf.
void readMask(RunSettings& run, const Json& value) {
    double& mask = run.training.model.maskValue;
    mask = -std::numeric_limits<double>::infinity();
    if (value.is_null() || value == "-inf" || value == "-Infinity") return;
    const double read = readNumber(value);
    if (read >= 0) refuse("must be below 0");
    if (read >= -static_cast<double>(std::numeric_limits<float>::max())) mask = read;
}

Json maskSchema() {
    return {{"anyOf", {{{"type", "number"}, {"exclusiveMaximum", 0}}, {{"enum", {nullptr, "-inf", "-Infinity"}}}}}};
}

Json depthSchema() {
    Json depths = Json::array();
    for (std::int64_t depth = kMinDepth; depth <= kMaxDepth; depth += kDepthStep) depths.push_back(depth);
    return {{"type", "integer"}, {"enum", std::move(depths)}};
}

template <class Member>
Field count(const char* key, const char* label, Member member, std::int64_t most) {
    return integer(
        "model", key, label, false, [=](auto& run) -> auto& { return run.training.model.*member; }, 1, most);
}

/// 0 means derived from other keys, and is not written.
template <class Member>
Field optionalCount(const char* key, const char* label, Member member, std::int64_t most, const char* unset) {
    Field field = count(key, label, member, most);
    field.write = [=](const RunSettings& run) {
        const std::int64_t value = run.training.model.*member;
        return value > 0 ? std::optional<Json>(value) : std::nullopt;
    };
    field.unset = unset;
    return field;
}

template <class Member>
Field flag(const char* key, const char* label, Member member) {
    Field field{"model",
                key,
                label,
                false,
                [=](RunSettings& run, const Json& value) { run.training.model.*member = readFlag(value); },
                [=](const RunSettings& run) { return std::optional<Json>(run.training.model.*member); },
                nullptr,
                FieldKind::Flag};
    field.schema = flagSchema();
    return field;
}

std::vector<std::string> kindsThat(bool (*test)(std::string_view)) {
    std::vector<std::string> kinds;
    std::copy_if(modelKinds().begin(), modelKinds().end(), std::back_inserter(kinds), test);
    return kinds;
}

}  // namespace

std::vector<Field> modelFields() {
    const auto model = [](auto& run) -> auto& {
        return run.training.model;
    };
    std::vector<Field> all;
    all.push_back(choice(
        "model", "kind", "model", [=](auto& r) -> auto& { return model(r).kind; }, modelKinds()));
    all.push_back(onlyModels({"mlp", "autoencoder"}, {"model", "hidden", "hidden layers", false, readHidden,
                                                      [=](const RunSettings& run) { return std::optional<Json>(model(run).hidden); },
                                                      nullptr, FieldKind::Numbers}));
    all.back().schema = listSchema(integerSchema(1, kMaxCount), 0, kMaxHidden);
    all.push_back(onlyModels({"autoencoder"}, count("code", "code", &ModelSettings::code, kMaxCount)));
    all.push_back(onlyModels({"mlp", "autoencoder"},
                             choice("model", "activation", "activation", [=](auto& r) -> auto& { return model(r).activation; },
                                    {"relu", "gelu", "tanh", "sigmoid", "silu"})));
    all.push_back(
        onlyModels({"resnet"}, {"model", "depth", "layers", false,
                                [=](RunSettings& run, const Json& value) {
                                    const std::int64_t depth = readInteger(value, kMinDepth, kMaxDepth);
                                    if (depth % kDepthStep != kMinDepth % kDepthStep)
                                        refuse("must be 6 n + 2: 8, 14, 20, 26, 32, 38, 44, 50 or 56");
                                    model(run).depth = depth;
                                },
                                [=](const RunSettings& run) { return std::optional<Json>(model(run).depth); }, nullptr, FieldKind::Count}));
    all.back().schema = depthSchema();
    const std::vector<std::string> transformers{"gpt", "llama"};
    all.push_back(onlyModels(transformers, count("n_layer", "layers", &ModelSettings::nLayer, kMaxBlocks)));
    all.push_back(onlyModels(transformers, count("n_head", "heads", &ModelSettings::nHead, kMaxBlocks)));
    all.push_back(onlyModels(transformers, count("n_embd", "channels", &ModelSettings::nEmbd, kMaxCount)));
    Field dropout = number(
        "model", "dropout", "dropout", [=](auto& r) -> auto& { return model(r).dropout; }, Bound::BelowOne);
    dropout.isLive = false;
    all.push_back(onlyModels(transformers, std::move(dropout)));
    all.push_back(onlyModels(transformers, flag("tie_weights", "tied head", &ModelSettings::tieWeights)));
    all.push_back(onlyModels(transformers, choice("model", "attention", "attention", [=](auto& r) -> auto& { return model(r).attention; },
                                                  {"materialised", "fused"})));
    all.push_back(
        onlyModels(transformers, choice("model", "score_scale", "score scale", [=](auto& r) -> auto& { return model(r).scoreScale; },
                                        {"after_product", "in_product"})));
    all.push_back(onlyModels(transformers, choice("model", "softmax", "softmax", [=](auto& r) -> auto& { return model(r).softmax; },
                                                  {"max_subtracted", "naive"})));
    all.push_back(
        onlyModels(transformers, choice("model", "fused_softmax", "fused softmax", [=](auto& r) -> auto& { return model(r).fusedSoftmax; },
                                        {"before_product", "after_product", "after_product_shifted"})));
    all.push_back(onlyModels(transformers, {"model",
                                            "mask",
                                            "attention mask",
                                            false,
                                            readMask,
                                            [=](const RunSettings& run) {
                                                const double value = model(run).maskValue;
                                                return std::isinf(value) ? std::nullopt : std::optional<Json>(value);
                                            },
                                            nullptr,
                                            FieldKind::Number,
                                            {},
                                            "-Infinity"}));
    all.back().schema = maskSchema();
    all.push_back(onlyModels({"gpt"}, flag("bias", "bias", &ModelSettings::bias)));
    all.push_back(onlyModels({"llama"}, optionalCount("n_kv_head", "heads of keys", &ModelSettings::nKvHead, kMaxBlocks, "as heads")));
    all.push_back(onlyModels({"llama"}, optionalCount("n_inner", "inner channels", &ModelSettings::nInner, kMaxCount, "8/3 of channels")));
    Field theta = number(
        "model", "rope_theta", "base of the rotary angles", [=](auto& r) -> auto& { return model(r).ropeTheta; }, Bound::Positive);
    theta.isLive = false;
    all.push_back(onlyModels({"llama"}, std::move(theta)));
    all.push_back(onlyModels({"llama"}, flag("fused_kernels", "fused kernels", &ModelSettings::fusedKernels)));
    Field epsilon{"model",
                  "norm_eps",
                  "epsilon of norms",
                  false,
                  [=](RunSettings& run, const Json& value) {
                      const double read = readNumber(value);
                      check(read, Bound::NotNegative);
                      model(run).normEps = read;
                  },
                  [=](const RunSettings& run) { return model(run).normEps ? std::optional<Json>(*model(run).normEps) : std::nullopt; },
                  nullptr,
                  FieldKind::Number};
    epsilon.schema = numberSchema(Bound::NotNegative);
    epsilon.unset = "the original's";
    all.push_back(onlyModels(kindsThat(hasBlocks), std::move(epsilon)));
    Field smoothing = number(
        "model", "label_smoothing", "label smoothing", [=](auto& r) -> auto& { return model(r).labelSmoothing; }, Bound::UpToOne);
    smoothing.isLive = false;
    all.push_back(onlyModels(kindsThat(learnsClasses), std::move(smoothing)));
    Field logits =
        choice("loss", "logits", "logits of the loss", [](auto& r) -> auto& { return r.training.loss.logits; }, {"autocast", "fp32"});
    logits.isLive = true;
    all.push_back(onlyModels(kindsThat(learnsClasses), std::move(logits)));
    all.push_back(
        onlyModels(kindsThat(hasBlocks), flag("gradient_checkpointing", "gradient checkpointing", &ModelSettings::gradientCheckpointing)));
    return all;
}

}  // namespace mantissa
