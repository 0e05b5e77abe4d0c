// SPDX-License-Identifier: Apache-2.0
// Models: builders of graphs, and their initial weights. mlp, autoencoder, resnet (CIFAR's), resnet18 and resnet50 (torchvision's), gpt,
// llama.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/graph/graph.h"
#include "kernels/dtype/dtype.h"

namespace mantissa {

/// The `model` key of an experiment. What a kind has no use for keeps its default.
struct ModelSettings {
    std::string kind = "mlp";  // of modelKinds()
    // mlp, autoencoder
    std::vector<std::int64_t> hidden{128, 128};  // of an autoencoder's encoder; the decoder mirrors it
    std::string activation = "relu";             // relu gelu tanh sigmoid silu
    std::int64_t code = 32;                      // autoencoder: width of the code between them
    // resnet: 6 n + 2 layers
    std::int64_t depth = 14;
    // gpt and llama, by nanoGPT's names
    std::int64_t nLayer = 4, nHead = 4, nEmbd = 128;
    double dropout = 0;                        // of attention weights; of gpt the others too
    bool tieWeights = true;                    // the head multiplies by the token embedding
    std::string attention = "materialised";    // fused: one operation
    std::string scoreScale = "after_product";  // materialised: 1/sqrt(d) on scores as they are stored; in_product: on sums, unrounded
    std::string softmax = "max_subtracted";    // materialised; naive: exp(x) / sum exp(x), which overflows early
    double maskValue = -std::numeric_limits<double>::infinity();  // materialised: of scores that must not be seen
    bool bias = true;                                             // gpt: in linear layers and norms
    std::int64_t nKvHead = 0;                                     // llama: heads of keys and values; 0: as many as of queries
    std::int64_t keyHeads() const { return nKvHead > 0 ? nKvHead : nHead; }
    std::int64_t nInner = 0;   // llama: width of the MLP; 0: 8/3 of the channels
    double ropeTheta = 10000;  // llama: base of the rotary angles
    bool fusedKernels =
        false;  // llama: SwiGLU, rotary gradients and those of shared heads round once; else as Hugging Face's operations do
    // several kinds
    std::optional<double> normEps;  // epsilon of layer, RMS and batch norms; none: the original's
    double normEpsilon() const { return normEps.value_or(kind == "llama" ? 1e-6 : 1e-5); }
    double labelSmoothing = 0;           // of the cross-entropy, while it trains
    bool gradientCheckpointing = false;  // of models with blocks: their insides are computed once more in the backward pass, not kept
    bool operator==(const ModelSettings&) const = default;
};
const std::vector<std::string>& modelKinds();
/// Whether models of that kind take tokens; the others take images and vectors.
bool takesTokens(std::string_view kind);

/// Whether models of that kind learn classes: of samples or, of tokens, the next one. An autoencoder's targets are its inputs.
bool learnsClasses(std::string_view kind);
/// Whether they can learn the targets of a regression.
bool learnsTargets(std::string_view kind);
/// Whether they are made of blocks that can be checkpointed.
bool hasBlocks(std::string_view kind);

/// What a data set brings to a model, and a plan: vectors with classes or targets, or windows of tokens.
struct DataShape {
    std::int64_t features = 0, classes = 0;            // of tokens: no features, the vocabulary
    std::int64_t targets = 0;                          // of a regression, which has no classes
    std::int64_t height = 0, width = 0, channels = 0;  // of images, whose elements the features are
    std::int64_t context = 0;                          // tokens of a sample; 0: no tokens
    std::int64_t validationCount = 0;
};

/// Whether they take images alone.
bool takesImages(std::string_view kind);

/// Forward graph for a batch, to the mean cross-entropy. mlp: input [batch, features], resnets: input [batch, height, width, channels],
/// both to logits [batch, classes]; gpt, llama: tokens [batch, context] to logits [batch, context, vocabulary]. To the mean squared error:
/// mlp on a regression, input to targets; autoencoder, input to itself.
/// Throws std::invalid_argument, in a sentence.
Graph buildModel(const ModelSettings& settings, std::int64_t batch, const DataShape& data);

/// "MLP 64-128-128-10, relu", "GPT 4 layers, 4 heads, 128 channels"
std::string modelText(const ModelSettings& settings, const DataShape& data);

/// How a parameter is drawn at first.
struct ParameterInit {
    enum class Kind : std::uint8_t { Constant, Uniform, Normal };
    Kind kind = Kind::Constant;
    double size = 0;  // the constant; the bound of +-size; the standard deviation
    bool operator==(const ParameterInit&) const = default;
};

/// A parameter, or a statistic that is kept beside them.
struct ParameterShape {
    std::string name;
    Shape shape;
    ParameterInit init;
    std::string alias{};  // another name that the original's files have for the same tensor: a tied head's
};
/// Parameters in the graph's order, then its statistics.
std::vector<ParameterShape> parameterShapes(const ModelSettings& settings, const DataShape& data);

/// What the originals' files hold beside parameters and has no part in the numbers: counts of batches, attention masks, rotary frequencies.
bool isBookkeeping(std::string_view tensor);

/// Paths that a precision override may name: every layer, and what stands above several ("transformer.h.0").
std::vector<std::string> layerPaths(const Graph& graph);

/// A parameter's values, as numbers of the format that they are kept in.
struct NamedTensor {
    std::string name;
    Shape shape;
    std::vector<float> values;
    Dtype dtype = Dtype::F32;
};

/// One parameter's initial values. Counter-based: a function of (seed, parameter index, element) alone.
std::vector<float> initialValues(const std::vector<ParameterShape>& shapes, std::size_t parameter, std::uint64_t seed);

}  // namespace mantissa
