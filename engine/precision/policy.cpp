// SPDX-License-Identifier: Apache-2.0
#include "engine/precision/policy.h"

#include <algorithm>
#include <stdexcept>

#include "kernels/backend.h"

namespace mantissa {
namespace {

/// bf16 needs no scaler if it is native; fp16 does, and is native on older GPUs; without either a narrow format only costs time.
Dtype chooseFor(const Backend& backend, std::string& reason) {
    const std::string& device = backend.device().name;
    for (const Dtype dtype : {Dtype::BF16, Dtype::F16}) {
        if (backend.isNative(dtype)) {
            reason = device + " computes " + std::string(facts(dtype).name) + " natively";
            return dtype;
        }
    }
    reason = device + " computes neither bf16 nor fp16 natively";
    return Dtype::F32;
}

/// The policies that name what they compute in.
struct NamedPolicy {
    std::string_view name;
    std::string_view screenName;
    Dtype compute;
    bool hasFp8Products = false;
    Dtype weights = Dtype::F32;
};
constexpr NamedPolicy kNamedPolicies[] = {
    {"fp32", "FP32", Dtype::F32},
    {"tf32", "TF32", Dtype::TF32},
    {"fp16", "FP16", Dtype::F16},
    {"bf16", "BF16", Dtype::BF16},
    {"fp8", "FP8", Dtype::BF16, true},
    {"pure-fp16", "pure FP16", Dtype::F16, false, Dtype::F16},
    {"pure-bf16", "pure BF16", Dtype::BF16, false, Dtype::BF16},
};

const NamedPolicy* namedPolicy(std::string_view name) {
    const auto found =
        std::find_if(std::begin(kNamedPolicies), std::end(kNamedPolicies), [&](const NamedPolicy& p) { return p.name == name; });
    return found == std::end(kNamedPolicies) ? nullptr : found;
}

constexpr std::array<std::string_view, 3> kWeightUpdates{"nearest-even", "stochastic", "kahan"};

Dtype listedDtype(const Policy& policy, OpKind kind, Dtype input) {
    if (kind == OpKind::AddGradients) return input;  // not a layer: keeps the format of the gradients' value
    // A model converted as a whole runs without autocast, in its own format except for the loss.
    const OpKind forward = opFacts(kind).forward;
    if (policy.widensLogits && forward == OpKind::CrossEntropy) return Dtype::F32;
    if (policy.isPure && !isLoss(kind)) return input == Dtype::F32 ? policy.compute : input;
    switch (autocastRule(policy.autocast, kind)) {
        case AutocastRule::LowPrecision:
            if (!policy.hasFp8Products || forward != OpKind::Linear) return policy.compute;
            return opFacts(kind).direction == Direction::Forward ? Dtype::E4M3 : Dtype::E5M2;
        case AutocastRule::Fp32:
            return Dtype::F32;
        case AutocastRule::InputType:
            return input;
    }
    return Dtype::F32;
}

}  // namespace

bool coversLayer(std::string_view place, std::string_view layer) {
    return layer.starts_with(place) && (layer.size() == place.size() || layer[place.size()] == '.');
}

std::string_view directionName(Direction direction) {
    static constexpr std::array<std::string_view, kAllDirections.size()> kNames{"forward", "input_grad", "weight_grad"};
    return kNames[static_cast<std::size_t>(direction)];
}

const std::vector<std::string>& policyNames() {
    static const std::vector<std::string> kNames = [] {
        std::vector<std::string> names;
        const auto add = [&](bool arePure) {
            for (const NamedPolicy& policy : kNamedPolicies) {
                if ((policy.weights != Dtype::F32) == arePure) names.emplace_back(policy.name);
            }
        };
        add(false);
        for (const BlockPolicy& policy : blockPolicies()) names.emplace_back(policy.name);
        add(true);
        names.emplace_back("auto");
        return names;
    }();
    return kNames;
}

std::string_view weightUpdateName(WeightUpdate update) {
    return kWeightUpdates[static_cast<std::size_t>(update)];
}

std::vector<std::string> weightUpdateNames() {
    return {kWeightUpdates.begin(), kWeightUpdates.end()};
}

std::optional<WeightUpdate> weightUpdateFromName(std::string_view name) {
    const auto found = std::find(kWeightUpdates.begin(), kWeightUpdates.end(), name);
    if (found == kWeightUpdates.end()) return std::nullopt;
    return static_cast<WeightUpdate>(found - kWeightUpdates.begin());
}

std::string policyScreenName(std::string_view policy) {
    for (const BlockPolicy& each : blockPolicies()) {
        if (each.name == policy) return std::string(each.screenName);
    }
    const NamedPolicy* named = namedPolicy(policy);
    return std::string(named == nullptr ? policy : named->screenName);
}

bool isPure(std::string_view policy) {
    const NamedPolicy* named = namedPolicy(policy);
    return named != nullptr && named->weights != Dtype::F32;
}

std::vector<Dtype> productDtypes(std::string_view policy) {
    if (isBlockPolicy(policy)) {
        const Dtype element = blockRecipe(policy, {}).forward.element;
        return {isFp8(element) ? element : Dtype::BF16};
    }
    const NamedPolicy* named = namedPolicy(policy);
    if (named == nullptr) return {};
    if (named->hasFp8Products) return {Dtype::E4M3, Dtype::E5M2};
    return {named->compute};
}

Policy resolvePolicy(const PrecisionSettings& settings, const Backend& backend) {
    Policy policy;
    policy.autocast = settings.autocast;
    policy.overrides = settings.overrides;
    policy.fp8 = settings.fp8;
    policy.products = settings.products;
    policy.weightUpdate = settings.weightUpdate;
    if (settings.policy == "auto") {
        policy.compute = chooseFor(backend, policy.reason);
        policy.name = facts(policy.compute).name;
        return policy;
    }
    if (isBlockPolicy(settings.policy)) {
        policy.name = settings.policy;
        policy.compute = Dtype::BF16;
        policy.blocks = blockRecipe(settings.policy, settings.blocks);
        return policy;
    }
    const NamedPolicy* named = namedPolicy(settings.policy);
    if (named == nullptr) throw std::invalid_argument("precision '" + settings.policy + "' is not known");
    policy.name = named->name;
    policy.compute = named->compute;
    policy.hasFp8Products = named->hasFp8Products;
    policy.weights = named->weights;
    policy.isPure = named->weights != Dtype::F32;
    return policy;
}

std::span<const AutocastList> autocastLists() {
    using enum OpKind;
    static constexpr OpKind kProducts[] = {Linear, Conv2d, AttentionScores, AttentionMix, FusedAttention};
    static constexpr OpKind kFp32OnCuda[] = {MeanSquaredError, LayerNorm, Softmax};
    static constexpr OpKind kLosses[] = {CrossEntropy, MeanSquaredError};
    static constexpr OpKind kLayersOfKeras[] = {Linear, AttentionScores, AttentionMix, FusedAttention, ActivationFn, Embedding,  Add,
                                                Scale,  CausalMask,      Softmax,      Dropout,        AddPositions, LayerNorm,  RmsNorm,
                                                Rotary, SwiGlu,          Conv2d,       BatchNorm,      MaxPool,      AveragePool};
    static constexpr AutocastList kLists[] = {
        // aten/src/ATen/autocast_mode.h: an operation on no list runs in the dtype of its input. cross_entropy_loss is on none: it passes
        // the logits' dtype to log_softmax, which keeps it.
        {"pytorch-cuda",
         "torch.autocast('cuda'): products low; layer norm, softmax, squared error fp32; cross-entropy and the rest as their input.",
         kProducts, kFp32OnCuda},
        // aten/src/ATen/autocast_mode.cpp: softmax and layer_norm are on no list there
        {"pytorch-cpu", "torch.autocast('cpu'): products low, losses fp32, the rest as its input.", kProducts, kLosses},
        // keras/src/dtype_policies: a layer casts its float inputs to its compute dtype, an activation layer too; losses in float32
        {"keras", "Keras mixed policy: every layer in the low format, activations too; losses fp32.", kLayersOfKeras, kLosses},
    };
    return kLists;
}

std::vector<std::string> autocastListNames() {
    std::vector<std::string> names;
    for (const AutocastList& list : autocastLists()) names.emplace_back(list.name);
    return names;
}

AutocastRule autocastRule(std::string_view name, OpKind kind) {
    const auto lists = autocastLists();
    const auto list = std::find_if(lists.begin(), lists.end(), [&](const AutocastList& l) { return l.name == name; });
    if (list == lists.end()) throw std::invalid_argument("autocast list '" + std::string(name) + "' is not known");
    const OpKind forward = opFacts(kind).forward;
    const auto has = [forward](std::span<const OpKind> kinds) { return std::find(kinds.begin(), kinds.end(), forward) != kinds.end(); };
    return has(list->lowPrecision) ? AutocastRule::LowPrecision : has(list->inFp32) ? AutocastRule::Fp32 : AutocastRule::InputType;
}

std::optional<Dtype> forcedDtype(const Policy& policy, OpKind kind, std::string_view layer) {
    const Direction direction = opFacts(kind).direction;
    std::string_view longest;
    std::optional<Dtype> byLayer, byKind;
    for (const PrecisionOverride& forced : policy.overrides) {
        if (!forced.in(direction)) continue;
        if (forced.place == opFacts(opFacts(kind).forward).name) byKind = forced.in(direction);
        if (coversLayer(forced.place, layer) && forced.place.size() >= longest.size()) {
            longest = forced.place;
            byLayer = forced.in(direction);
        }
    }
    return byLayer ? byLayer : byKind;
}

Dtype computeDtype(const Policy& policy, OpKind kind, std::string_view layer, Dtype input) {
    const Dtype dtype = forcedDtype(policy, kind, layer).value_or(listedDtype(policy, kind, input));
    // A bias's gradient is a sum, not a product: it uses the gradient before quantisation.
    return isFp8(dtype) && kind == OpKind::LinearGradBias ? storageDtype(policy, dtype) : dtype;
}

Dtype storageDtype(const Policy& policy, Dtype compute) {
    const Dtype tensors = isFp8(compute) ? policy.compute : compute;
    return facts(tensors).isStorable ? tensors : Dtype::F32;
}

}  // namespace mantissa
