// SPDX-License-Identifier: Apache-2.0
#include "engine/diagnosis/tensor_shares.h"

#include <algorithm>

namespace mantissa {
namespace {

/// A share of the whole.
struct Share {
    std::string_view name;
    std::int64_t part = 0, whole = 0;
};

}  // namespace

std::vector<NamedValue> tensorShares(const StepStats& statistics) {
    Share zero{tensor_share::kZeroGradients}, subnormal{tensor_share::kSubnormalGradients}, nonFinite{tensor_share::kNonFiniteValues},
        lost{tensor_share::kLostUpdates}, unchanged{tensor_share::kUnchangedWeights};
    for (const TensorStats& tensor : statistics.tensors) {
        const std::int64_t seen = tensor.classes.count();
        const bool isOfWeights = tensor.role == TensorRole::WeightGradient, isOfActivations = tensor.role == TensorRole::Gradient;
        if (isOfWeights) {
            zero.part += tensor.classes.zero;
            zero.whole += seen;
        }
        if (isOfActivations && hasWindow(tensor.storage)) {
            const StoredCounts stored = storedIn(tensor.storage, tensor.magnitudes);
            subnormal.part += stored.subnormal;
            subnormal.whole += stored.total();
        }
        if (isOfWeights || isOfActivations || tensor.role == TensorRole::Value) {
            nonFinite.part += tensor.classes.nonFinite();
            nonFinite.whole += seen;
        }
        if (tensor.role == TensorRole::Update) {
            lost.part += tensor.lost;
            lost.whole += tensor.meant;
            unchanged.part += tensor.classes.zero;
            unchanged.whole += seen;
        }
    }
    std::vector<NamedValue> values;
    for (const Share& share : {zero, subnormal, nonFinite, lost, unchanged}) {
        if (share.whole > 0)
            values.push_back({std::string(share.name), static_cast<double>(share.part) / static_cast<double>(share.whole)});
    }
    return values;
}

double tensorShare(const StepStats& statistics, std::string_view name) {
    const std::vector<NamedValue> values = tensorShares(statistics);
    const auto found = std::find_if(values.begin(), values.end(), [&](const NamedValue& each) { return each.name == name; });
    return found == values.end() ? 0 : found->value;
}

}  // namespace mantissa
