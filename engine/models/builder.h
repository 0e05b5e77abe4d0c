// SPDX-License-Identifier: Apache-2.0
// Builds models (internal): a graph that grows layer by layer, with PyTorch's names and shapes, and the initialisation of its parameters.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "engine/models/model.h"

namespace mantissa {

/// Builds a graph. Each function appends one operation and returns its output.
class ModelBuilder {
public:
    Graph graph;
    std::map<int, ParameterInit> inits;  // by the parameter's value
    std::map<int, std::string> aliases;  // likewise

    int parameter(const std::string& name, Shape shape, ParameterInit init);
    int statistic(const std::string& name, Shape shape, double initial);
    /// Appends a linear layer: weight [out, in]; bias < 0: none.
    int linear(int x, const std::string& layer, int weight, int bias);
    int activation(int x, const std::string& layer, Activation kind);
    /// Appends a convolution: weight [out, in, size, size].
    int conv2d(int x, const std::string& layer, int weight, WindowDetail window);
    /// Creates its own parameters and statistics: layer.weight, bias, running_mean, running_var.
    int batchNorm(int x, const std::string& layer, double epsilon);
    int maxPool(int x, const std::string& layer, WindowDetail window);
    int globalAveragePool(int x, const std::string& layer);  // [B,H,W,C] -> [B,C]
    int embedding(int table, int indices, const std::string& layer);
    int add(int a, int b, const std::string& layer, OpKind kind = OpKind::Add);
    int layerNorm(int x, const std::string& layer, int weight, int bias, double epsilon);
    int rmsNorm(int x, const std::string& layer, int weight, double epsilon);
    int swiGlu(int gate, int up, const std::string& layer, bool isFused);
    std::vector<int> split(int x, std::size_t parts, const std::string& layer);
    /// Causal attention: a row attends to itself and the rows before it; scores are multiplied by 1/sqrt(head size). Materialised: scores,
    /// scale, mask, softmax and mix are separate operations with their own formats. Fused: one operation.
    int attention(int q, int k, int v, const std::string& layer, const ModelSettings& settings, std::int64_t keyHeads);
    /// Appends an operation that keeps the shape.
    int like(OpKind kind, int x, const std::string& layer, const char* what, NodeDetail detail = {});
    int dropout(int x, const std::string& layer, double probability);  // x itself at 0
    /// Appends labels and the mean cross-entropy of logits.
    void crossEntropy(int logits, double labelSmoothing);
    /// Appends the mean squared error of a prediction; target -1: the data's targets.
    void meanSquaredError(int prediction, int target = -1);
    /// Makes the nodes from `begin` on one checkpointed block.
    void checkpoint(std::size_t begin) { graph.checkpointed.push_back({begin, graph.nodes.size()}); }

    const Shape& shapeOf(int value) const { return graph.values[static_cast<std::size_t>(value)].shape; }

private:
    std::uint32_t m_dropouts = 0;
    int append(OpKind kind, const std::string& layer, std::vector<int> inputs, const std::string& name, Shape shape,
               NodeDetail detail = {});
    /// Adds an output of the last operation.
    void alsoOutput(const std::string& name, Shape shape, ValueRole role = ValueRole::Activation);
};

Activation activationFromName(const std::string& name);
/// Whether instructions of that name apply an activation function.
bool isActivation(std::string_view operation);

// One function per kind.
ModelBuilder buildMlp(const ModelSettings& settings, std::int64_t batch, const DataShape& data);
ModelBuilder buildAutoencoder(const ModelSettings& settings, std::int64_t batch, const DataShape& data);
ModelBuilder buildResnet(const ModelSettings& settings, std::int64_t batch, const DataShape& data);
ModelBuilder buildGpt(const ModelSettings& settings, std::int64_t batch, const DataShape& data);
ModelBuilder buildLlama(const ModelSettings& settings, std::int64_t batch, const DataShape& data);
/// Appends a linear layer with weight [out, in] and bias [out], initialised as torch.nn.Linear.
int torchLinear(ModelBuilder& model, int x, const std::string& layer, std::int64_t out);

/// Widths as text: "64-128-128-10"; three or more equal ones as 128×3.
std::string widthsText(const std::vector<std::int64_t>& widths);
std::string mlpText(const ModelSettings& settings, const DataShape& data);
std::string autoencoderText(const ModelSettings& settings, const DataShape& data);

}  // namespace mantissa
