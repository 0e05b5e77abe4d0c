// SPDX-License-Identifier: Apache-2.0
// Reverse-mode differentiation of a graph: each kind's rule appends the nodes of its gradient.
#include <cmath>
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
        for (const Graph::Block& block : m_graph.checkpointed) forget(block);
        for (std::size_t i = forwardNodes; i-- > 0;) differentiate(Node(m_graph.nodes[i]));  // a copy: appending moves the vector
        for (const int parameter : m_graph.parameters) {
            if (m_parts[parameter].size() > 1) gradient(parameter);
        }
    }

private:
    Graph& m_graph;
    std::map<int, int> m_uses;                // value -> number of its uses as an input
    std::map<int, std::vector<int>> m_parts;  // value -> gradients from each of its uses
    std::map<int, std::size_t> m_forgotten;   // value that is not kept -> its node
    std::map<int, int> m_again;               // value that is not kept -> its recomputed copy

    const Value& value(int index) const { return m_graph.values[static_cast<std::size_t>(index)]; }
    bool isParameter(int index) const { return value(index).role == ValueRole::Parameter; }
    bool needsGradient(int index) const { return value(index).role == ValueRole::Activation || isParameter(index); }

    /// Marks a block's internal values as not kept.
    void forget(const Graph::Block& block) {
        std::map<int, int> usesInside;
        for (std::size_t i = block.begin; i < block.end; ++i) {
            for (const int input : m_graph.nodes[i].inputs) usesInside[input] += 1;
        }
        for (std::size_t i = block.begin; i < block.end; ++i) {
            for (const int output : m_graph.nodes[i].outputs) {
                if (usesInside[output] == m_uses[output]) m_forgotten[output] = i;
            }
        }
    }

    /// Returns a forward value whose numbers a gradient needs: itself, or a recomputed copy if it is not kept.
    int kept(int index) {
        const auto forgotten = m_forgotten.find(index);
        if (forgotten == m_forgotten.end()) return index;
        if (const auto again = m_again.find(index); again != m_again.end()) return again->second;
        Node node = m_graph.nodes[forgotten->second];
        node.phase = Phase::Backward;
        for (int& input : node.inputs) input = kept(input);
        for (int& output : node.outputs) {
            const Value made = value(output);
            output = m_again[output] = m_graph.addValue(made.name + " again", made.shape, made.role);
        }
        m_graph.nodes.push_back(std::move(node));
        return m_again.at(index);
    }

    /// Adds a gradient of `index` from one of its uses, written by the next node.
    int newPart(int index) {
        std::vector<int>& parts = m_parts[index];
        const bool isWhole = m_uses.at(index) == 1;
        std::string name = value(index).name + ".grad";
        if (!isWhole) name += " part " + std::to_string(parts.size() + 1);
        const ValueRole role = isWhole && isParameter(index) ? ValueRole::ParameterGradient : ValueRole::Gradient;
        const Shape shape = value(index).shape;
        parts.push_back(m_graph.addValue(std::move(name), shape, role));
        if (role == ValueRole::ParameterGradient) m_graph.gradients[index] = parts.back();
        return parts.back();
    }

    /// Returns the whole gradient of a value, after all its uses were differentiated: the sum of its parts in autograd's order.
    int gradient(int index) {
        std::vector<int>& parts = m_parts[index];
        if (parts.empty()) throw std::logic_error("appendBackward: " + value(index).name + " does not reach the loss");
        while (parts.size() > 1) {
            const int second = parts[1];
            parts.erase(parts.begin() + 1);
            const bool isLast = parts.size() == 1;
            const ValueRole role = isLast && isParameter(index) ? ValueRole::ParameterGradient : ValueRole::Gradient;
            const Shape shape = value(index).shape;
            const int sum =
                m_graph.addValue(value(index).name + (isLast ? ".grad" : ".grad sum " + std::to_string(parts.size())), shape, role);
            const std::string& name = value(index).name;
            m_graph.nodes.push_back(
                {OpKind::AddGradients, Phase::Backward, name.substr(0, name.rfind('.')), {parts.front(), second, index}, {sum}, {}});
            parts.front() = sum;
            if (role == ValueRole::ParameterGradient) m_graph.gradients[index] = sum;
        }
        return parts.front();
    }

    void append(OpKind kind, const Node& forward, std::vector<int> inputs, std::vector<int> outputs) {
        m_graph.nodes.push_back({kind, Phase::Backward, forward.layer, std::move(inputs), std::move(outputs), forward.detail});
    }
    /// Uses a gradient unchanged.
    void passOn(int index, int gradient) {
        if (needsGradient(index)) m_parts[index].push_back(gradient);
    }
    /// Adds a gradient for input 0 that depends on the output's gradient and on `others`.
    void simple(OpKind kind, const Node& node, std::vector<int> others) {
        if (!needsGradient(node.inputs[0])) return;
        others.insert(others.begin(), gradient(node.outputs[0]));
        append(kind, node, std::move(others), {newPart(node.inputs[0])});
    }

    void differentiate(const Node& node) {
        switch (node.kind) {
            case OpKind::CrossEntropy:
                return append(OpKind::CrossEntropyGrad, node, node.inputs, {newPart(node.inputs[0])});
            case OpKind::MeanSquaredError:
                return append(OpKind::MeanSquaredErrorGrad, node, node.inputs, {newPart(node.inputs[0])});
            case OpKind::ActivationFn:
                return activation(node);
            case OpKind::Linear:
                return product(node, OpKind::LinearGradInput, OpKind::LinearGradWeight);
            case OpKind::Conv2d:
                return product(node, OpKind::Conv2dGradInput, OpKind::Conv2dGradWeight);
            case OpKind::BatchNorm:
                return whole(OpKind::BatchNormGrad, node, {node.inputs[0], node.inputs[1], node.outputs[1], node.outputs[2]});
            case OpKind::MaxPool:
                return simple(OpKind::MaxPoolGrad, node, {node.inputs[0], kept(node.outputs[1])});
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
                return simple(OpKind::RotaryGrad, node, {node.inputs[0]});
            case OpKind::Split: {
                std::vector<int> parts;
                for (const int output : node.outputs) parts.push_back(gradient(output));
                return append(OpKind::Concat, node, std::move(parts), {newPart(node.inputs[0])});
            }
            case OpKind::AttentionScores:
                append(OpKind::AttentionScoresGradQuery, node, {gradient(node.outputs[0]), kept(node.inputs[1])},
                       {newPart(node.inputs[0])});
                return append(OpKind::AttentionScoresGradKey, node, {gradient(node.outputs[0]), kept(node.inputs[0]), node.inputs[1]},
                              {newPart(node.inputs[1])});
            case OpKind::Scale:
                return simple(OpKind::ScaleGrad, node, {node.outputs[0]});
            case OpKind::CausalMask:  // -Inf gives masked scores a weight of 0, so their gradient is 0 already
                if (std::isinf(std::get<MaskDetail>(node.detail).value)) return passOn(node.inputs[0], gradient(node.outputs[0]));
                return simple(OpKind::CausalMaskGrad, node, {});
            case OpKind::Softmax:
                return simple(OpKind::SoftmaxGrad, node, {node.inputs[0], kept(node.outputs[0])});
            case OpKind::AttentionMix:
                append(OpKind::AttentionMixGradWeights, node, {gradient(node.outputs[0]), kept(node.inputs[1])}, {newPart(node.inputs[0])});
                return append(OpKind::AttentionMixGradValue, node, {gradient(node.outputs[0]), kept(node.inputs[0]), node.inputs[1]},
                              {newPart(node.inputs[1])});
            case OpKind::Dropout:
                return simple(OpKind::DropoutGrad, node, {node.outputs[0]});
            default:
                throw std::logic_error("appendBackward: the graph has a backward part already");
        }
    }

    /// The gradient reads either the input or the output, and the format of the other.
    void activation(const Node& node) {
        const bool seesOutput = gradientSeesOutput(std::get<Activation>(node.detail));
        const int x = node.inputs[0], y = node.outputs[0];
        simple(OpKind::ActivationFnGrad, node, {seesOutput ? x : kept(x), seesOutput ? kept(y) : y});
    }

    void product(const Node& node, OpKind ofInput, OpKind ofWeight) {
        const int gradOutput = gradient(node.outputs[0]);
        const int x = node.inputs[0], weight = node.inputs[1];
        append(ofWeight, node, {gradOutput, kept(x)}, {newPart(weight)});
        if (node.inputs.size() > 2) append(OpKind::LinearGradBias, node, {gradOutput}, {newPart(node.inputs[2])});
        if (needsGradient(x)) append(ofInput, node, {gradOutput, weight}, {newPart(x)});
    }

    /// Adds one operation for the gradients of all inputs, from the first output's gradient and `seen`.
    void whole(OpKind kind, const Node& node, std::vector<int> seen) {
        for (int& index : seen) index = kept(index);
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
