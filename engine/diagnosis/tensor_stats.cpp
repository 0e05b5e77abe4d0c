// SPDX-License-Identifier: Apache-2.0
#include "engine/diagnosis/tensor_stats.h"

#include <algorithm>

namespace mantissa {

std::string_view instrumentationName(Instrumentation level) {
    switch (level) {
        case Instrumentation::Off:
            return "off";
        case Instrumentation::Sampled:
            return "sampled";
        case Instrumentation::Blocks:
            return "blocks";
        case Instrumentation::Full:
            return "full";
    }
    return "";
}

bool StepStats::isPartial() const {
    return std::any_of(tensors.begin(), tensors.end(), [](const TensorStats& tensor) { return tensor.isPartial(); });
}

std::string_view roleName(TensorRole role) {
    switch (role) {
        case TensorRole::Value:
            return "value";
        case TensorRole::Gradient:
            return "gradient";
        case TensorRole::WeightGradient:
            return "weight gradient";
        case TensorRole::Update:
            return "update";
        case TensorRole::Weight:
            return "weight";
        case TensorRole::Statistic:
            return "statistic";
    }
    return "";
}

}  // namespace mantissa
