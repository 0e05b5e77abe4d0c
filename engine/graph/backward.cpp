// SPDX-License-Identifier: Apache-2.0
// Reverse-mode differentiation of a graph: each kind's rule appends the nodes of its gradient.
#include <stdexcept>

#include "engine/graph/graph.h"

namespace mantissa {
namespace {

class BackwardBuilder {
public:
    explicit BackwardBuilder(Graph& graph) : m_graph(graph), m_gradient(graph.values.size(), -1) {}

    void run() {
        const std::size_t forwardNodes = m_graph.nodes.size();
        for (std::size_t i = forwardNodes; i-- > 0;) {
            const Node node = m_graph.nodes[i];  // a copy: appending moves the vector
            switch (node.kind) {
                case OpKind::CrossEntropy:
                    crossEntropy(node);
                    break;
                case OpKind::ActivationFn:
                    activation(node);
                    break;
                case OpKind::Linear:
                    linear(node);
                    break;
                default:
                    throw std::logic_error("appendBackward: the graph has a backward part already");
            }
        }
    }

private:
    Graph& m_graph;
    std::vector<int> m_gradient;  // value -> its gradient's value, -1 while unknown

    const Value& value(int index) const { return m_graph.values[static_cast<std::size_t>(index)]; }

    /// The gradient of `index`, made by the node that is being appended. Each value has one consumer so far, so there is nothing to sum.
    int newGradient(int index) {
        int& gradient = m_gradient[static_cast<std::size_t>(index)];
        if (gradient >= 0) throw std::logic_error("appendBackward: " + value(index).name + " is used twice");
        const bool isParameter = value(index).role == ValueRole::Parameter;
        const std::string name = value(index).name + ".grad";
        const Shape shape = value(index).shape;
        gradient = m_graph.addValue(name, shape, isParameter ? ValueRole::ParameterGradient : ValueRole::Gradient);
        return gradient;
    }
    int gradientOfOutput(const Node& node) const { return m_gradient[static_cast<std::size_t>(node.outputs[0])]; }
    bool needsGradient(int index) const { return value(index).role == ValueRole::Activation || value(index).role == ValueRole::Parameter; }

    void append(OpKind kind, const Node& forward, std::vector<int> inputs, int output) {
        m_graph.nodes.push_back({kind, Phase::Backward, forward.layer, std::move(inputs), {output}, forward.activation});
    }

    void crossEntropy(const Node& node) { append(OpKind::CrossEntropyGrad, node, node.inputs, newGradient(node.inputs[0])); }

    void activation(const Node& node) {
        const int x = node.inputs[0];
        if (!needsGradient(x)) return;
        append(OpKind::ActivationFnGrad, node, {gradientOfOutput(node), x, node.outputs[0]}, newGradient(x));
    }

    void linear(const Node& node) {
        const int gradOutput = gradientOfOutput(node);
        const int x = node.inputs[0], weight = node.inputs[1], bias = node.inputs[2];
        append(OpKind::LinearGradWeight, node, {gradOutput, x}, newGradient(weight));
        append(OpKind::LinearGradBias, node, {gradOutput}, newGradient(bias));
        if (needsGradient(x)) append(OpKind::LinearGradInput, node, {gradOutput, weight}, newGradient(x));
    }
};

}  // namespace

void appendBackward(Graph& graph) {
    BackwardBuilder(graph).run();
}

}  // namespace mantissa
