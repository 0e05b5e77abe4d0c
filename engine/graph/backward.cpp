// SPDX-License-Identifier: Apache-2.0
// Reverse-mode differentiation of a graph: each kind's rule appends the nodes of its gradient.
#include <map>
#include <stdexcept>

#include "engine/graph/graph.h"

namespace mantissa {
namespace {

class BackwardBuilder {
public:
    explicit BackwardBuilder(Graph& graph) : m_graph(graph) {}

    void run() {
        const std::size_t forwardNodes = m_graph.nodes.size();
        for (const Node& node : m_graph.nodes) {
            for (const int input : node.inputs) m_uses[input] += 1;
        }
        for (std::size_t i = forwardNodes; i-- > 0;) differentiate(Node(m_graph.nodes[i]));  // a copy: appending moves the vector
        for (const int parameter : m_graph.parameters) {
            if (m_parts[parameter].size() > 1) gradient(parameter);
        }
    }

private:
    Graph& m_graph;
    std::map<int, int> m_uses;                // value -> how many inputs it is
    std::map<int, std::vector<int>> m_parts;  // value -> gradients from each of its uses

    const Value& value(int index) const { return m_graph.values[static_cast<std::size_t>(index)]; }
    bool isParameter(int index) const { return value(index).role == ValueRole::Parameter; }
    bool needsGradient(int index) const { return value(index).role == ValueRole::Activation || isParameter(index); }

    /// A gradient of `index` from one of its uses, made by the node that is being appended.
    int newPart(int index) {
        std::vector<int>& parts = m_parts[index];
        const bool isWhole = m_uses.at(index) == 1;
        std::string name = value(index).name + ".grad";
        if (!isWhole) name += " part " + std::to_string(parts.size() + 1);
        const ValueRole role = isWhole && isParameter(index) ? ValueRole::ParameterGradient : ValueRole::Gradient;
        const Shape shape = value(index).shape;
        parts.push_back(m_graph.addValue(std::move(name), shape, role));
        return parts.back();
    }

    /// The whole gradient of a value: the sum of its parts, once all of its uses have been differentiated.
    int gradient(int index) {
        std::vector<int>& parts = m_parts[index];
        if (parts.empty()) throw std::logic_error("appendBackward: " + value(index).name + " does not reach the loss");
        while (parts.size() > 1) {
            const int second = parts.back();
            parts.pop_back();
            const bool isLast = parts.size() == 1;
            const ValueRole role = isLast && isParameter(index) ? ValueRole::ParameterGradient : ValueRole::Gradient;
            const Shape shape = value(index).shape;
            const int sum =
                m_graph.addValue(value(index).name + (isLast ? ".grad" : ".grad sum " + std::to_string(parts.size())), shape, role);
            const std::string& name = value(index).name;
            m_graph.nodes.push_back(
                {OpKind::AddGradients, Phase::Backward, name.substr(0, name.rfind('.')), {parts.back(), second, index}, {sum}, {}});
            parts.back() = sum;
        }
        return parts.front();
    }

    void append(OpKind kind, const Node& forward, std::vector<int> inputs, std::vector<int> outputs) {
        m_graph.nodes.push_back({kind, Phase::Backward, forward.layer, std::move(inputs), std::move(outputs), forward.detail});
    }
    /// What comes in goes on as it is.
    void passOn(int index, int gradient) {
        if (needsGradient(index)) m_parts[index].push_back(gradient);
    }
    /// A gradient that is a function of the output's gradient and of `others`, for input 0.
    void simple(OpKind kind, const Node& node, std::vector<int> others) {
        if (!needsGradient(node.inputs[0])) return;
        others.insert(others.begin(), gradient(node.outputs[0]));
        append(kind, node, std::move(others), {newPart(node.inputs[0])});
    }

    void differentiate(const Node& node) {
        switch (node.kind) {
            case OpKind::CrossEntropy:
                return append(OpKind::CrossEntropyGrad, node, node.inputs, {newPart(node.inputs[0])});
            case OpKind::ActivationFn:
                return simple(OpKind::ActivationFnGrad, node, {node.inputs[0], node.outputs[0]});
            case OpKind::Linear:
                return product(node, OpKind::LinearGradInput, OpKind::LinearGradWeight);
            case OpKind::Conv2d:
                return product(node, OpKind::Conv2dGradInput, OpKind::Conv2dGradWeight);
            case OpKind::BatchNorm:
                return whole(OpKind::BatchNormGrad, node, {node.inputs[0], node.inputs[1], node.outputs[1], node.outputs[2]});
            case OpKind::MaxPool:
                return simple(OpKind::MaxPoolGrad, node, {node.inputs[0], node.outputs[1]});
            case OpKind::AveragePool:
                return simple(OpKind::AveragePoolGrad, node, {node.inputs[0]});
            case OpKind::Embedding:
                return append(OpKind::EmbeddingGrad, node, {gradient(node.outputs[0]), node.inputs[1]}, {newPart(node.inputs[0])});
            case OpKind::Add:
                for (const int input : node.inputs) passOn(input, gradient(node.outputs[0]));
                return;
            case OpKind::AddPositions:
                passOn(node.inputs[0], gradient(node.outputs[0]));
                return append(OpKind::AddPositionsGrad, node, {gradient(node.outputs[0])}, {newPart(node.inputs[1])});
            case OpKind::LayerNorm:
                return whole(OpKind::LayerNormGrad, node, {node.inputs[0], node.inputs[1], node.outputs[1], node.outputs[2]});
            case OpKind::RmsNorm:
                return whole(OpKind::RmsNormGrad, node, {node.inputs[0], node.inputs[1], node.outputs[1]});
            case OpKind::SwiGlu:
                return whole(OpKind::SwiGluGrad, node, node.inputs);
            case OpKind::FusedAttention: {
                std::vector<int> seen = node.inputs;
                seen.insert(seen.end(), node.outputs.begin(), node.outputs.end());
                return whole(OpKind::FusedAttentionGrad, node, std::move(seen));
            }
            case OpKind::Rotary:
                return simple(OpKind::RotaryGrad, node, {node.outputs[0]});
            case OpKind::Split: {
                std::vector<int> parts;
                for (const int output : node.outputs) parts.push_back(gradient(output));
                return append(OpKind::Concat, node, std::move(parts), {newPart(node.inputs[0])});
            }
            case OpKind::AttentionScores:
                append(OpKind::AttentionScoresGradQuery, node, {gradient(node.outputs[0]), node.inputs[1]}, {newPart(node.inputs[0])});
                return append(OpKind::AttentionScoresGradKey, node, {gradient(node.outputs[0]), node.inputs[0]}, {newPart(node.inputs[1])});
            case OpKind::Scale:
                return simple(OpKind::ScaleGrad, node, {node.outputs[0]});
            case OpKind::CausalMask:  // what is masked has a weight of 0, and so has its gradient already
                return passOn(node.inputs[0], gradient(node.outputs[0]));
            case OpKind::Softmax:
                return simple(OpKind::SoftmaxGrad, node, {node.inputs[0], node.outputs[0]});
            case OpKind::AttentionMix:
                append(OpKind::AttentionMixGradWeights, node, {gradient(node.outputs[0]), node.inputs[1]}, {newPart(node.inputs[0])});
                return append(OpKind::AttentionMixGradValue, node, {gradient(node.outputs[0]), node.inputs[0]}, {newPart(node.inputs[1])});
            case OpKind::Dropout:
                return simple(OpKind::DropoutGrad, node, {node.outputs[0]});
            default:
                throw std::logic_error("appendBackward: the graph has a backward part already");
        }
    }

    void product(const Node& node, OpKind ofInput, OpKind ofWeight) {
        const int gradOutput = gradient(node.outputs[0]);
        const int x = node.inputs[0], weight = node.inputs[1];
        append(ofWeight, node, {gradOutput, x}, {newPart(weight)});
        if (node.inputs.size() > 2) append(OpKind::LinearGradBias, node, {gradOutput}, {newPart(node.inputs[2])});
        if (needsGradient(x)) append(ofInput, node, {gradOutput, weight}, {newPart(x)});
    }

    /// One operation that gives the gradients of all inputs that have one, from the first output's and from `seen`.
    void whole(OpKind kind, const Node& node, std::vector<int> seen) {
        seen.insert(seen.begin(), gradient(node.outputs[0]));
        std::vector<int> outputs;
        for (const int input : node.inputs) {
            if (needsGradient(input)) outputs.push_back(newPart(input));
        }
        append(kind, node, std::move(seen), std::move(outputs));
    }
};

}  // namespace

void appendBackward(Graph& graph) {
    BackwardBuilder(graph).run();
}

}  // namespace mantissa
