// SPDX-License-Identifier: Apache-2.0
#include "engine/graph/graph.h"

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

std::string_view opKindName(OpKind kind) {
    switch (kind) {
        case OpKind::Linear:
            return "linear";
        case OpKind::ActivationFn:
            return "activation";
        case OpKind::CrossEntropy:
            return "cross_entropy";
        case OpKind::LinearGradInput:
            return "linear_grad_input";
        case OpKind::LinearGradWeight:
            return "linear_grad_weight";
        case OpKind::LinearGradBias:
            return "linear_grad_bias";
        case OpKind::ActivationFnGrad:
            return "activation_grad";
        case OpKind::CrossEntropyGrad:
            return "cross_entropy_grad";
    }
    return "";
}

int Graph::addValue(std::string name, Shape shape, ValueRole role) {
    values.push_back({std::move(name), std::move(shape), role});
    const int index = static_cast<int>(values.size()) - 1;
    if (role == ValueRole::Parameter) parameters.push_back(index);
    return index;
}

int Graph::gradientOf(int parameter) const {
    const std::string wanted = values[static_cast<std::size_t>(parameter)].name + ".grad";
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (values[i].role == ValueRole::ParameterGradient && values[i].name == wanted) return static_cast<int>(i);
    }
    return -1;
}

}  // namespace mantissa
