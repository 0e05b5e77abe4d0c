// SPDX-License-Identifier: Apache-2.0
// An autoencoder: linear layers down to a code and, mirrored, back up to the input, with an activation between them and none at the end.
// Numbered as two torch.nn.Sequential: encoder.0.weight [out, in], encoder.1 the activation, encoder.2.weight, ..., decoder.0.weight.
#include "engine/models/builder.h"

namespace mantissa {
namespace {

class Autoencoder {
public:
    Autoencoder(ModelBuilder& model, const ModelSettings& settings)
        : m_model(model), m_activation(activationFromName(settings.activation)) {}

    /// `endsBare`: no activation after the last width.
    int part(int x, const std::string& name, const std::vector<std::int64_t>& widths, bool endsBare) {
        int number = 0;
        for (std::size_t i = 0; i < widths.size(); ++i) {
            x = torchLinear(m_model, x, name + std::to_string(number++), widths[i]);
            if (endsBare && i + 1 == widths.size()) break;
            x = m_model.activation(x, name + std::to_string(number++), m_activation);
        }
        return x;
    }

private:
    ModelBuilder& m_model;
    Activation m_activation;
};

std::vector<std::int64_t> encoderWidths(const ModelSettings& settings) {
    std::vector<std::int64_t> widths = settings.hidden;
    widths.push_back(settings.code);
    return widths;
}

std::vector<std::int64_t> decoderWidths(const ModelSettings& settings, const DataShape& data) {
    std::vector<std::int64_t> widths(settings.hidden.rbegin(), settings.hidden.rend());
    widths.push_back(data.features);
    return widths;
}

}  // namespace

ModelBuilder buildAutoencoder(const ModelSettings& settings, std::int64_t batch, const DataShape& data) {
    ModelBuilder model;
    Autoencoder autoencoder(model, settings);
    const int input = model.graph.input = model.graph.addValue("input", {batch, data.features}, ValueRole::Input);
    const int code = autoencoder.part(input, "encoder.", encoderWidths(settings), false);
    model.meanSquaredError(autoencoder.part(code, "decoder.", decoderWidths(settings, data), true), input);
    return model;
}

std::string autoencoderText(const ModelSettings& settings, const DataShape& data) {
    std::vector<std::int64_t> widths{data.features};
    for (const auto& part : {encoderWidths(settings), decoderWidths(settings, data)}) widths.insert(widths.end(), part.begin(), part.end());
    return "Autoencoder " + widthsText(widths) + ", " + settings.activation;
}

}  // namespace mantissa
