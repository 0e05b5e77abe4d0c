// SPDX-License-Identifier: Apache-2.0
// Linear layers with an activation between them. layers.i.weight [out, in], layers.i.bias [out], drawn as torch.nn.Linear draws them.
#include <cmath>

#include "engine/models/builder.h"

namespace mantissa {
namespace {

std::vector<std::int64_t> widthsOf(const ModelSettings& settings, const DataShape& data) {
    std::vector<std::int64_t> widths{data.features};
    widths.insert(widths.end(), settings.hidden.begin(), settings.hidden.end());
    widths.push_back(data.classes);
    return widths;
}

}  // namespace

ModelBuilder buildMlp(const ModelSettings& settings, std::int64_t batch, const DataShape& data) {
    const std::vector<std::int64_t> widths = widthsOf(settings, data);
    const Activation activation = activationFromName(settings.activation);
    ModelBuilder model;
    int x = model.graph.input = model.graph.addValue("input", {batch, data.features}, ValueRole::Input);
    for (std::size_t i = 0; i + 1 < widths.size(); ++i) {
        const std::string layer = "layers." + std::to_string(i);
        const ParameterInit init{ParameterInit::Kind::Uniform, 1 / std::sqrt(static_cast<double>(widths[i]))};
        const int weight = model.parameter(layer + ".weight", {widths[i + 1], widths[i]}, init);
        const int bias = model.parameter(layer + ".bias", {widths[i + 1]}, init);
        x = model.linear(x, layer, weight, bias);
        if (i + 2 < widths.size()) x = model.activation(x, "activations." + std::to_string(i), activation);
    }
    model.crossEntropy(x);
    return model;
}

std::string mlpText(const ModelSettings& settings, const DataShape& data) {
    const std::vector<std::int64_t> widths = widthsOf(settings, data);
    std::string text = "MLP ";
    for (std::size_t i = 0; i < widths.size();) {
        std::size_t same = i;
        while (same < widths.size() && widths[same] == widths[i]) ++same;
        if (i > 0) text += '-';
        text += std::to_string(widths[i]);
        if (same - i > 2) {  // 64-128x7-10
            text += "\u00d7" + std::to_string(same - i);
            i = same;
        } else {
            ++i;
        }
    }
    return text + ", " + settings.activation;
}

}  // namespace mantissa
