// SPDX-License-Identifier: Apache-2.0
// The graph: operations on values with shapes, and no formats. A model builds the forward part; `appendBackward` adds the rest.
// Pure values; any thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/backend.h"

namespace mantissa {

using Shape = std::vector<std::int64_t>;
std::int64_t elementCount(const Shape& shape);
std::string shapeText(const Shape& shape);  // "64x128"

enum class Phase : std::uint8_t { Forward, Backward, Optimizer };
std::string_view phaseName(Phase phase);

/// Kinds of operations, as PyTorch's autocast knows them, and their gradients. Beside each: inputs -> outputs, in order.
enum class OpKind : std::uint8_t {
    Linear,            // x [B,in], weight [out,in], bias [out] -> y [B,out]
    ActivationFn,      // x -> y
    CrossEntropy,      // logits [B,C], labels [B] -> loss [1]
    LinearGradInput,   // gradOutput [B,out], weight -> gradInput [B,in]
    LinearGradWeight,  // gradOutput, x -> gradWeight [out,in]
    LinearGradBias,    // gradOutput -> gradBias [out]
    ActivationFnGrad,  // gradOutput, x, y -> gradInput
    CrossEntropyGrad,  // logits, labels -> gradLogits
};
std::string_view opKindName(OpKind kind);

enum class ValueRole : std::uint8_t { Input, Labels, Parameter, Activation, Gradient, ParameterGradient, Loss };

struct Value {
    std::string name;  // "layers.0.weight", "layers.0.output", "layers.0.weight.grad"
    Shape shape;
    ValueRole role = ValueRole::Activation;
};

struct Node {
    OpKind kind = OpKind::Linear;
    Phase phase = Phase::Forward;
    std::string layer;        // "layers.0", "activations.0", "loss"
    std::vector<int> inputs;  // value indices, in the kind's order
    std::vector<int> outputs;
    Activation activation = Activation::Relu;  // ActivationFn and its gradient
};

struct Graph {
    std::vector<Value> values;
    std::vector<Node> nodes;
    int input = -1, labels = -1, logits = -1, loss = -1;
    std::vector<int> parameters;  // in the order of PyTorch's named_parameters()

    int addValue(std::string name, Shape shape, ValueRole role);
    /// The value of ParameterGradient role that belongs to a parameter; -1 before `appendBackward`.
    int gradientOf(int parameter) const;
};

/// Appends the gradient of the loss with respect to every parameter. Nodes come out in execution order.
void appendBackward(Graph& graph);

}  // namespace mantissa
