// SPDX-License-Identifier: Apache-2.0
#include "engine/diagnosis/tensor_stats.h"

#include <algorithm>

namespace mantissa {

std::string_view instrumentationName(Instrumentation level) {
    static constexpr std::string_view kNames[] = {"off", "sampled", "full", "blocks"};
    static_assert(std::size(kNames) == static_cast<std::size_t>(Instrumentation::Blocks) + 1);
    return kNames[static_cast<std::size_t>(level)];
}

bool StepStats::isPartial() const {
    return std::any_of(tensors.begin(), tensors.end(), [](const TensorStats& tensor) { return tensor.isPartial(); });
}

std::string_view roleName(TensorRole role) {
    static constexpr std::string_view kNames[] = {"value", "gradient", "weight gradient", "update", "weight", "statistic"};
    static_assert(std::size(kNames) == static_cast<std::size_t>(TensorRole::Statistic) + 1);
    return kNames[static_cast<std::size_t>(role)];
}

}  // namespace mantissa
