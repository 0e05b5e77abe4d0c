// SPDX-License-Identifier: Apache-2.0
#include "engine/diagnosis/tensor_shares.h"

#include <algorithm>

namespace mantissa {
namespace {

/// A share of the whole.
struct Share {
    std::string_view name;
    std::int64_t part = 0, whole = 0;

    void add(std::int64_t some, std::int64_t all) { part += some, whole += all; }
};

}  // namespace

std::vector<NamedValue> tensorShares(const StepStats& statistics) {
    Share zero{tensor_share::kZeroGradients}, subnormal{tensor_share::kSubnormalGradients}, nonFinite{tensor_share::kNonFiniteValues},
        lost{tensor_share::kLostUpdates}, unchanged{tensor_share::kUnchangedWeights};
    for (const TensorStats& tensor : statistics.tensors) {
        const std::int64_t seen = tensor.classes.count();
        const bool isOfWeights = tensor.role == TensorRole::WeightGradient, isOfActivations = tensor.role == TensorRole::Gradient;
        if (isOfWeights) zero.add(tensor.classes.zero, seen);
        if (isOfActivations && hasWindow(tensor.storage)) {
            const StoredCounts stored = storedIn(tensor.storage, tensor.magnitudes);
            subnormal.add(stored.subnormal, stored.total());
        }
        if (isOfWeights || isOfActivations || tensor.role == TensorRole::Value) nonFinite.add(tensor.classes.nonFinite(), seen);
        if (tensor.role == TensorRole::Update) {
            lost.add(tensor.lost, tensor.meant);
            unchanged.add(tensor.classes.zero, seen);
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
