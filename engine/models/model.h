// SPDX-License-Identifier: Apache-2.0
// Models: builders of graphs, and their initial weights.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/graph/graph.h"
#include "kernels/dtype/dtype.h"

namespace mantissa {

/// The `model` key of an experiment.
struct ModelSettings {
    std::string kind = "mlp";
    std::vector<std::int64_t> hidden{128, 128};
    std::string activation = "relu";  // relu gelu tanh sigmoid
    bool operator==(const ModelSettings&) const = default;
};

/// Forward graph for a batch: input [batch, features] -> logits [batch, classes] -> mean cross-entropy.
/// Parameters: layers.i.weight [out, in], layers.i.bias [out].
Graph buildModel(const ModelSettings& settings, std::int64_t batch, std::int64_t features, std::int64_t classes);

/// "MLP 64-128-128-10, relu"
std::string modelText(const ModelSettings& settings, std::int64_t features, std::int64_t classes);

/// Names and shapes of the parameters, without building a graph.
struct ParameterShape {
    std::string name;
    Shape shape;
};
std::vector<ParameterShape> parameterShapes(const ModelSettings& settings, std::int64_t features, std::int64_t classes);

/// A parameter's values, as numbers of the format that they are kept in.
struct NamedTensor {
    std::string name;
    Shape shape;
    std::vector<float> values;
    Dtype dtype = Dtype::F32;
};

/// One parameter's initial values, as torch.nn.Linear draws them: uniform in +-1/sqrt(fan_in), weight and bias.
/// Counter-based: a function of (seed, parameter index, element) alone.
std::vector<float> initialValues(const std::vector<ParameterShape>& shapes, std::size_t parameter, std::uint64_t seed);

}  // namespace mantissa
