// SPDX-License-Identifier: Apache-2.0
// Llama (Touvron et al. 2023, arXiv 2302.13971 and 2307.09288) with Hugging Face's parameter names and initialisation: RMS norms, rotary
// positions on queries and keys, heads that share keys and values, SwiGLU, no biases, a head of its own.
#include <stdexcept>

#include "engine/models/builder.h"

namespace mantissa {
namespace {

constexpr ParameterInit kNormal{ParameterInit::Kind::Normal, 0.02}, kOne{ParameterInit::Kind::Constant, 1};

/// 8/3 of the channels, as in the paper, rounded up to a multiple of 32.
std::int64_t innerWidth(const ModelSettings& settings) {
    constexpr std::int64_t kMultiple = 32;
    if (settings.nInner > 0) return settings.nInner;
    return (settings.nEmbd * 8 / 3 + kMultiple - 1) / kMultiple * kMultiple;
}

int block(ModelBuilder& model, int x, const std::string& layer, const ModelSettings& settings) {
    const std::int64_t width = settings.nEmbd, keyWidth = width / settings.nHead * settings.keyHeads(), inner = innerWidth(settings);
    const std::string attention = layer + ".self_attn", mlp = layer + ".mlp";
    const auto weight = [&](const std::string& name, std::int64_t out, std::int64_t in) {
        return model.parameter(name + ".weight", {out, in}, kNormal);
    };
    // in the order of Hugging Face's modules, which is not that of the computation
    const int q = weight(attention + ".q_proj", width, width), k = weight(attention + ".k_proj", keyWidth, width),
              v = weight(attention + ".v_proj", keyWidth, width), o = weight(attention + ".o_proj", width, width);
    const int gate = weight(mlp + ".gate_proj", inner, width), up = weight(mlp + ".up_proj", inner, width),
              down = weight(mlp + ".down_proj", width, inner);
    const int first = model.parameter(layer + ".input_layernorm.weight", {width}, kOne);
    const int second = model.parameter(layer + ".post_attention_layernorm.weight", {width}, kOne);

    const int in = model.rmsNorm(x, layer + ".input_layernorm", first, settings.normEpsilon());
    const auto rotated = [&](int projection, const char* name, std::int64_t heads) {
        const int y = model.linear(in, attention + "." + name + "_proj", projection, -1);
        return model.like(OpKind::Rotary, y, attention + "." + name + "_rotary", "output",
                          RotaryDetail{heads, settings.ropeTheta, settings.fusedKernels});
    };
    const int queries = rotated(q, "q", settings.nHead), keys = rotated(k, "k", settings.keyHeads());
    const int values = model.linear(in, attention + ".v_proj", v, -1);
    const int mixed = model.attention(queries, keys, values, attention, settings, settings.keyHeads());
    x = model.add(x, model.linear(mixed, attention + ".o_proj", o, -1), attention + ".residual");

    const int normed = model.rmsNorm(x, layer + ".post_attention_layernorm", second, settings.normEpsilon());
    const int gated = model.swiGlu(model.linear(normed, mlp + ".gate_proj", gate, -1), model.linear(normed, mlp + ".up_proj", up, -1),
                                   mlp + ".act_fn", settings.fusedKernels);
    return model.add(x, model.linear(gated, mlp + ".down_proj", down, -1), mlp + ".residual");
}

}  // namespace

ModelBuilder buildLlama(const ModelSettings& settings, std::int64_t batch, const DataShape& data) {
    if (data.context == 0) throw std::invalid_argument("a llama takes tokens");
    ModelBuilder model;
    model.graph.takesTokens = true;
    model.graph.input = model.graph.addValue("tokens", {batch, data.context}, ValueRole::Input);
    const int tokens = model.parameter("model.embed_tokens.weight", {data.classes, settings.nEmbd}, kNormal);
    int x = model.embedding(tokens, model.graph.input, "model.embed_tokens");
    for (std::int64_t i = 0; i < settings.nLayer; ++i) {
        const std::size_t begin = model.graph.nodes.size();
        x = block(model, x, "model.layers." + std::to_string(i), settings);
        if (settings.gradientCheckpointing) model.checkpoint(begin);
    }
    x = model.rmsNorm(x, "model.norm", model.parameter("model.norm.weight", {settings.nEmbd}, kOne), settings.normEpsilon());
    if (settings.tieWeights) model.aliases[tokens] = "lm_head.weight";
    const int head = settings.tieWeights ? tokens : model.parameter("lm_head.weight", {data.classes, settings.nEmbd}, kNormal);
    model.crossEntropy(model.linear(x, "lm_head", head, -1), settings.labelSmoothing);
    return model;
}

}  // namespace mantissa
