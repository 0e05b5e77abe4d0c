// SPDX-License-Identifier: Apache-2.0
// GPT-2 (Radford et al. 2019) as nanoGPT (github.com/karpathy/nanoGPT) writes it: learned positions, norms before attention and MLP, exact
// GELU, its parameter names, and its initialisation: normal with 0.02, projections onto the residual stream with 0.02 / sqrt(2 layers).
#include <cmath>
#include <stdexcept>

#include "engine/models/builder.h"

namespace mantissa {
namespace {

constexpr double kDeviation = 0.02;

class Gpt {
public:
    Gpt(const ModelSettings& settings, ModelBuilder& model) : m_settings(settings), m_model(model) {}

    int linear(int x, const std::string& layer, std::int64_t out, double deviation = kDeviation) {
        const std::int64_t in = m_model.shapeOf(x).back();
        const int weight = m_model.parameter(layer + ".weight", {out, in}, {ParameterInit::Kind::Normal, deviation});
        const int bias = m_settings.bias ? m_model.parameter(layer + ".bias", {out}, {}) : -1;
        return m_model.linear(x, layer, weight, bias);
    }

    int norm(int x, const std::string& layer) {
        const std::int64_t width = m_model.shapeOf(x).back();
        const int weight = m_model.parameter(layer + ".weight", {width}, {ParameterInit::Kind::Constant, 1});
        const int bias = m_settings.bias ? m_model.parameter(layer + ".bias", {width}, {}) : -1;
        return m_model.layerNorm(x, layer, weight, bias, m_settings.normEpsilon());
    }

    int attention(int x, const std::string& layer) {
        const std::vector<int> qkv = m_model.split(linear(x, layer + ".c_attn", 3 * m_settings.nEmbd), 3, layer + ".qkv");
        const int mixed = m_model.attention(qkv[0], qkv[1], qkv[2], layer, m_settings, m_settings.nHead);
        return m_model.dropout(linear(mixed, layer + ".c_proj", m_settings.nEmbd, residualDeviation()), layer + ".resid_dropout",
                               m_settings.dropout);
    }

    int mlp(int x, const std::string& layer) {
        const int wide = linear(x, layer + ".c_fc", 4 * m_settings.nEmbd);
        const int gelu = m_model.activation(wide, layer + ".gelu", Activation::Gelu);
        return m_model.dropout(linear(gelu, layer + ".c_proj", m_settings.nEmbd, residualDeviation()), layer + ".dropout",
                               m_settings.dropout);
    }

private:
    const ModelSettings& m_settings;
    ModelBuilder& m_model;
    double residualDeviation() const { return kDeviation / std::sqrt(2.0 * static_cast<double>(m_settings.nLayer)); }
};

}  // namespace

ModelBuilder buildGpt(const ModelSettings& settings, std::int64_t batch, const DataShape& data) {
    if (data.context == 0) throw std::invalid_argument("a gpt takes tokens");
    ModelBuilder model;
    Gpt gpt(settings, model);
    const ParameterInit normal{ParameterInit::Kind::Normal, kDeviation};
    model.graph.takesTokens = true;
    model.graph.input = model.graph.addValue("tokens", {batch, data.context}, ValueRole::Input);
    const int tokens = model.parameter("transformer.wte.weight", {data.classes, settings.nEmbd}, normal);
    const int positions = model.parameter("transformer.wpe.weight", {data.context, settings.nEmbd}, normal);
    int x = model.embedding(tokens, model.graph.input, "transformer.wte");
    x = model.add(x, positions, "transformer.wpe", OpKind::AddPositions);
    x = model.dropout(x, "transformer.drop", settings.dropout);
    for (std::int64_t i = 0; i < settings.nLayer; ++i) {
        const std::size_t begin = model.graph.nodes.size();
        const std::string block = "transformer.h." + std::to_string(i);
        x = model.add(x, gpt.attention(gpt.norm(x, block + ".ln_1"), block + ".attn"), block + ".attn.residual");
        x = model.add(x, gpt.mlp(gpt.norm(x, block + ".ln_2"), block + ".mlp"), block + ".mlp.residual");
        if (settings.gradientCheckpointing) model.checkpoint(begin);
    }
    x = gpt.norm(x, "transformer.ln_f");
    if (settings.tieWeights) model.aliases[tokens] = "lm_head.weight";
    const int head = settings.tieWeights ? tokens : model.parameter("lm_head.weight", {data.classes, settings.nEmbd}, normal);
    model.crossEntropy(model.linear(x, "lm_head", head, -1), settings.labelSmoothing);
    return model;
}

}  // namespace mantissa
