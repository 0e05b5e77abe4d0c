// SPDX-License-Identifier: Apache-2.0
#include "engine/precision/policy.h"

#include <algorithm>
#include <stdexcept>

#include "kernels/backend.h"

namespace mantissa {
namespace {

bool covers(std::string_view prefix, std::string_view layer) {
    return layer.starts_with(prefix) && (layer.size() == prefix.size() || layer[prefix.size()] == '.');
}

/// bf16 needs no scaler where it is native; fp16 does, but is native on older cards; without either a narrow format only costs time.
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

}  // namespace

const std::vector<std::string>& policyNames() {
    static const std::vector<std::string> kNames{"fp32", "tf32", "fp16", "bf16", "auto"};
    return kNames;
}

Policy resolvePolicy(const PrecisionSettings& settings, const Backend& backend) {
    Policy policy;
    policy.overrides = settings.overrides;
    if (settings.policy == "auto") {
        policy.compute = chooseFor(backend, policy.reason);
    } else if (const auto dtype = dtypeFromName(settings.policy)) {
        policy.compute = *dtype;
    } else {
        throw std::invalid_argument("precision '" + settings.policy + "' is not known");
    }
    policy.name = facts(policy.compute).name;
    return policy;
}

AutocastRule autocastRule(OpKind kind) {
    switch (kind) {
        // `linear`, `addmm`, `mm` are on the lower-precision list; their gradients run in the dtype that the forward pass chose
        case OpKind::Linear:
        case OpKind::LinearGradInput:
        case OpKind::LinearGradWeight:
        case OpKind::LinearGradBias:
            return AutocastRule::LowPrecision;
        // `nll_loss` and `log_softmax` are on the fp32 lists
        case OpKind::CrossEntropy:
        case OpKind::CrossEntropyGrad:
            return AutocastRule::Fp32;
        // relu, gelu, tanh as an activation, sigmoid are on no list: they run in the dtype of their input
        case OpKind::ActivationFn:
        case OpKind::ActivationFnGrad:
            return AutocastRule::InputType;
    }
    return AutocastRule::Fp32;
}

Dtype computeDtype(const Policy& policy, OpKind kind, std::string_view layer, Dtype input) {
    std::string_view longest;
    const Dtype* forced = nullptr;
    for (const auto& [prefix, dtype] : policy.overrides) {
        if (covers(prefix, layer) && prefix.size() >= longest.size()) {
            longest = prefix;
            forced = &dtype;
        }
    }
    if (forced != nullptr) return *forced;
    switch (autocastRule(kind)) {
        case AutocastRule::LowPrecision:
            return policy.compute;
        case AutocastRule::Fp32:
            return Dtype::F32;
        case AutocastRule::InputType:
            return input;
    }
    return Dtype::F32;
}

Dtype storageDtype(Dtype compute) {
    return facts(compute).isStorable ? compute : Dtype::F32;
}

}  // namespace mantissa
