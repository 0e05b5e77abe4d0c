// SPDX-License-Identifier: Apache-2.0
// Builds models as graphs, and their initial weights. mlp, autoencoder, resnet (CIFAR's), resnet18 and resnet50 (torchvision's), gpt,
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

/// The `model` key of an experiment. Members that a kind does not use keep their defaults.
struct ModelSettings {
    std::string kind = "mlp";  // one of modelKinds()
    // mlp, autoencoder
    std::vector<std::int64_t> hidden{128, 128};  // of an autoencoder's encoder; the decoder mirrors it
    std::string activation = "relu";             // relu gelu tanh sigmoid silu
    std::int64_t code = 32;                      // autoencoder: width of the code between encoder and decoder
    // resnet: 6 n + 2 layers
    std::int64_t depth = 14;
    // gpt and llama, with nanoGPT's names
    std::int64_t nLayer = 4, nHead = 4, nEmbd = 128;
    double dropout = 0;                        // of attention weights; in gpt also of the others
    bool tieWeights = true;                    // the head shares the token embedding's weight
    std::string attention = "materialised";    // fused: one operation
    std::string scoreScale = "after_product";  // materialised: 1/sqrt(d) on stored scores; in_product: on the unrounded sums
    std::string softmax = "max_subtracted";    // materialised; naive: exp(x) / sum exp(x), which overflows early
    // fused: when 16-bit formats divide by the sum of exponentials; after_product_shifted: with the remedy for tied maxima
    std::string fusedSoftmax = "before_product";
    double maskValue = -std::numeric_limits<double>::infinity();  // materialised: value of masked scores
    bool bias = true;                                             // gpt: in linear layers and norms
    std::int64_t nKvHead = 0;                                     // llama: heads of keys and values; 0: as many as query heads
    std::int64_t keyHeads() const { return nKvHead > 0 ? nKvHead : nHead; }
    std::int64_t nInner = 0;   // llama: width of the MLP; 0: 8/3 of the channels
    double ropeTheta = 10000;  // llama: base of the rotary angles
    bool fusedKernels =
        false;  // llama: SwiGLU, rotary gradients and those of shared heads round once; otherwise as Hugging Face's operations do
    // several kinds
    std::optional<double> normEps;  // epsilon of layer, RMS and batch norms; none: the original model's
    double normEpsilon() const { return normEps.value_or(kind == "llama" ? 1e-6 : 1e-5); }
    double labelSmoothing = 0;           // of the cross-entropy, in training
    bool gradientCheckpointing = false;  // models with blocks: their activations are recomputed in the backward pass, not kept
    bool operator==(const ModelSettings&) const = default;
};
const std::vector<std::string>& modelKinds();
/// Whether models of this kind take tokens; the others take images and vectors.
bool takesTokens(std::string_view kind);

/// Whether models of this kind learn classes: of samples or, for tokens, the next token. An autoencoder's targets are its inputs.
bool learnsClasses(std::string_view kind);
/// Whether models of this kind can learn regression targets.
bool learnsTargets(std::string_view kind);
/// Whether models of this kind consist of blocks that can be checkpointed.
bool hasBlocks(std::string_view kind);

/// The shape of a data set, for models and plans: vectors with classes or targets, or windows of tokens.
struct DataShape {
    std::int64_t features = 0, classes = 0;            // for tokens: no features; classes is the vocabulary's size
    std::int64_t targets = 0;                          // of a regression, which has no classes
    std::int64_t height = 0, width = 0, channels = 0;  // of images, whose elements are the features
    std::int64_t context = 0;                          // tokens per sample; 0: no tokens
    std::int64_t validationCount = 0;
};

/// Whether models of this kind take only images.
bool takesImages(std::string_view kind);

/// Builds the forward graph for a batch. To the mean cross-entropy: mlp from input [batch, features], resnets from input [batch, height,
/// width, channels], to logits [batch, classes]; gpt, llama from tokens [batch, context] to logits [batch, context, vocabulary]. To the
/// mean squared error: mlp for a regression, input to targets; autoencoder, input to input.
/// Throws std::invalid_argument with a sentence.
Graph buildModel(const ModelSettings& settings, std::int64_t batch, const DataShape& data);

/// A model in one line: "MLP 64-128-128-10, relu", "GPT 4 layers, 4 heads, 128 channels".
std::string modelText(const ModelSettings& settings, const DataShape& data);

/// The initial distribution of a parameter.
struct ParameterInit {
    enum class Kind : std::uint8_t { Constant, Uniform, Normal };
    Kind kind = Kind::Constant;
    double size = 0;  // the constant; the bound of +-size; the standard deviation
    bool operator==(const ParameterInit&) const = default;
};

/// A parameter, or a persistent statistic.
struct ParameterShape {
    std::string name;
    Shape shape;
    ParameterInit init;
    std::string alias{};  // a second name of this tensor in the original model's files: a tied head's
};
/// The parameters in the graph's order, then its statistics.
std::vector<ParameterShape> parameterShapes(const ModelSettings& settings, const DataShape& data);

/// Whether a tensor of an original model's file has no effect on results: counts of batches, attention masks, rotary frequencies.
bool isBookkeeping(std::string_view tensor);

/// Valid layer paths of a precision override: every layer, and prefixes of several ("transformer.h.0").
std::vector<std::string> layerPaths(const Graph& graph);

/// A parameter's values, which are representable in `dtype`.
struct NamedTensor {
    std::string name;
    Shape shape;
    std::vector<float> values;
    Dtype dtype = Dtype::F32;
};

/// One parameter's initial values. Counter-based: they depend only on (seed, parameter index, element).
std::vector<float> initialValues(const std::vector<ParameterShape>& shapes, std::size_t parameter, std::uint64_t seed);

}  // namespace mantissa
