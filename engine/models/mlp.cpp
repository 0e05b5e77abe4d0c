// SPDX-License-Identifier: Apache-2.0
// Linear layers with an activation between them: to classes, or to the targets of a regression. layers.i.weight [out, in], layers.i.bias.
#include "engine/models/builder.h"

namespace mantissa {
namespace {

std::vector<std::int64_t> widthsOf(const ModelSettings& settings, const DataShape& data) {
    std::vector<std::int64_t> widths{data.features};
    widths.insert(widths.end(), settings.hidden.begin(), settings.hidden.end());
    widths.push_back(data.targets > 0 ? data.targets : data.classes);
    return widths;
}

}  // namespace

ModelBuilder buildMlp(const ModelSettings& settings, std::int64_t batch, const DataShape& data) {
    const std::vector<std::int64_t> widths = widthsOf(settings, data);
    const Activation activation = activationFromName(settings.activation);
    ModelBuilder model;
    int x = model.graph.input = model.graph.addValue("input", {batch, data.features}, ValueRole::Input);
    for (std::size_t i = 0; i + 1 < widths.size(); ++i) {
        x = torchLinear(model, x, "layers." + std::to_string(i), widths[i + 1]);
        if (i + 2 < widths.size()) x = model.activation(x, "activations." + std::to_string(i), activation);
    }
    if (data.targets > 0) {
        model.meanSquaredError(x);
    } else {
        model.crossEntropy(x, settings.labelSmoothing);
    }
    return model;
}

std::string widthsText(const std::vector<std::int64_t>& widths) {
    std::string text;
    for (std::size_t i = 0; i < widths.size();) {
        std::size_t same = i;
        while (same < widths.size() && widths[same] == widths[i]) ++same;
        if (i > 0) text += '-';
        text += std::to_string(widths[i]);
        if (same - i > 2) {
            text += "\u00d7" + std::to_string(same - i);
            i = same;
        } else {
            ++i;
        }
    }
    return text;
}

std::string mlpText(const ModelSettings& settings, const DataShape& data) {
    return "MLP " + widthsText(widthsOf(settings, data)) + ", " + settings.activation;
}

}  // namespace mantissa
