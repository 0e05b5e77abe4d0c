// SPDX-License-Identifier: Apache-2.0
#include "engine/models/model.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <stdexcept>

#include "engine/models/builder.h"
#include "kernels/random/philox.h"

namespace mantissa {
namespace {

ModelBuilder built(const ModelSettings& settings, std::int64_t batch, const DataShape& data) {
    if (settings.kind == "gpt") return buildGpt(settings, batch, data);
    if (settings.kind == "llama") return buildLlama(settings, batch, data);
    if (takesImages(settings.kind)) return buildResnet(settings, batch, data);
    if (settings.kind == "mlp") return buildMlp(settings, batch, data);
    if (settings.kind == "autoencoder") return buildAutoencoder(settings, batch, data);
    throw std::invalid_argument("model '" + settings.kind + "' is not known");
}

/// Uniform in [-1, 1): 24 random bits, centred, exact in fp32.
float drawUniform(std::uint64_t seed, std::uint32_t stream, std::uint64_t index) {
    constexpr std::int32_t kHalf = 1 << 23;
    const std::uint32_t bits = randomBits(seed, RandomUse::InitialWeights, stream, index);
    return static_cast<float>(static_cast<std::int32_t>(bits >> 8) - kHalf) / static_cast<float>(kHalf);
}

/// Standard normal, by Box and Muller (1958): element i from numbers 2i and 2i + 1.
float drawNormal(std::uint64_t seed, std::uint32_t stream, std::uint64_t index) {
    const auto unit = [&](std::uint64_t at) {  // in (0, 1)
        return (static_cast<double>(randomBits(seed, RandomUse::InitialWeights, stream, at)) + 0.5) * 0x1p-32;
    };
    return static_cast<float>(std::sqrt(-2 * std::log(unit(2 * index))) * std::cos(2 * std::numbers::pi * unit(2 * index + 1)));
}

}  // namespace

const std::vector<std::string>& modelKinds() {
    static const std::vector<std::string> kKinds{"mlp", "autoencoder", "resnet", "resnet18", "resnet50", "gpt", "llama"};
    return kKinds;
}

bool takesTokens(std::string_view kind) {
    return kind == "gpt" || kind == "llama";
}

bool takesImages(std::string_view kind) {
    return kind.starts_with("resnet");
}

bool learnsClasses(std::string_view kind) {
    return kind != "autoencoder";
}

bool learnsTargets(std::string_view kind) {
    return kind == "mlp";
}

bool hasBlocks(std::string_view kind) {
    return takesTokens(kind) || takesImages(kind);
}

Graph buildModel(const ModelSettings& settings, std::int64_t batch, const DataShape& data) {
    return built(settings, batch, data).graph;
}

std::string modelText(const ModelSettings& settings, const DataShape& data) {
    if (settings.kind == "mlp") return mlpText(settings, data);
    if (settings.kind == "autoencoder") return autoencoderText(settings, data);
    if (takesImages(settings.kind)) {
        const std::string depth = settings.kind == "resnet" ? std::to_string(settings.depth) : settings.kind.substr(6);
        return "ResNet-" + depth + ", " + shapeText({data.height, data.width, data.channels}) + " to " + std::to_string(data.classes);
    }
    const auto counted = [](std::int64_t count, const char* what) { return std::to_string(count) + " " + what + (count == 1 ? "" : "s"); };
    return (settings.kind == "gpt" ? "GPT " : "Llama ") + counted(settings.nLayer, "layer") + ", " + counted(settings.nHead, "head") +
           ", " + counted(settings.nEmbd, "channel");
}

std::vector<ParameterShape> parameterShapes(const ModelSettings& settings, const DataShape& data) {
    const ModelBuilder model = built(settings, 1, data);
    std::vector<ParameterShape> shapes;
    for (const auto& values : {model.graph.parameters, model.graph.statistics}) {
        for (const int index : values) {
            const Value& value = model.graph.values[static_cast<std::size_t>(index)];
            shapes.push_back({value.name, value.shape, model.inits.at(index)});
            if (const auto alias = model.aliases.find(index); alias != model.aliases.end()) shapes.back().alias = alias->second;
        }
    }
    return shapes;
}

bool isBookkeeping(std::string_view tensor) {
    constexpr std::string_view kEndings[] = {
        ".num_batches_tracked",             // torch.nn.BatchNorm2d
        ".attn.bias", ".attn.masked_bias",  // causal masks of GPT-2 in nanoGPT and in transformers
        ".rotary_emb.inv_freq",             // of Llama in older versions of transformers
    };
    return std::any_of(std::begin(kEndings), std::end(kEndings), [&](std::string_view ending) { return tensor.ends_with(ending); });
}

std::vector<std::string> layerPaths(const Graph& graph) {
    std::vector<std::string> paths;
    for (const Node& node : graph.nodes) {
        for (std::size_t dot = node.layer.find('.');; dot = node.layer.find('.', dot + 1)) {
            const std::string path = node.layer.substr(0, dot);
            if (std::find(paths.begin(), paths.end(), path) == paths.end()) paths.push_back(path);
            if (dot == std::string::npos) break;
        }
    }
    return paths;
}

std::vector<float> initialValues(const std::vector<ParameterShape>& shapes, std::size_t parameter, std::uint64_t seed) {
    const ParameterInit& init = shapes[parameter].init;
    const auto stream = static_cast<std::uint32_t>(parameter);
    const auto size = static_cast<float>(init.size);
    std::vector<float> values(static_cast<std::size_t>(elementCount(shapes[parameter].shape)), size);
    if (init.kind == ParameterInit::Kind::Constant) return values;
    const auto draw = init.kind == ParameterInit::Kind::Uniform ? drawUniform : drawNormal;
    for (std::size_t i = 0; i < values.size(); ++i) values[i] *= draw(seed, stream, i);
    return values;
}

}  // namespace mantissa
