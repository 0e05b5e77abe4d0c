// SPDX-License-Identifier: Apache-2.0
// Checks of several settings together: contradictions, layers that do not exist, data that does not fit, excessive sizes.
#include <algorithm>
#include <numeric>
#include <string>

#include "engine/experiment/fields.h"
#include "engine/experiment/json_reader.h"

namespace mantissa {
namespace {

constexpr double kMostBytes = 64.0 * 1024 * 1024 * 1024;

/// What an override's place contains in a model.
struct FoundPlace {
    bool isKnown = false, hasProducts = false, isOnlyLinear = true, hasLoss = false;
};
FoundPlace placeIn(const Graph& graph, const std::string& place) {
    FoundPlace found;
    for (const Node& node : graph.nodes) {
        if (place != opFacts(node.kind).name && !coversLayer(place, node.layer)) continue;
        const bool isLinear = node.kind == OpKind::Linear;
        found.isKnown = true;
        found.hasProducts |= autocastRule("pytorch-cuda", node.kind) == AutocastRule::LowPrecision;
        found.isOnlyLinear &= isLinear;
        found.hasLoss |= isLoss(node.kind);
    }
    return found;
}

std::optional<Contradiction> checkOverrides(const RunSettings& run, const Graph& graph) {
    for (const PrecisionOverride& forced : run.training.precision.overrides) {
        const std::string at = "/precision/overrides" + pointerStep(forced.place);
        FoundPlace place = placeIn(graph, forced.place);
        if (!place.isKnown && run.training.data.name == "npy")  // classes or targets: known only from the file
            place = placeIn(graphOf(run.training.model, true), forced.place);
        if (!place.isKnown) {
            std::vector<std::string> products;
            for (const Node& node : graph.nodes) {
                if (node.kind == OpKind::Linear || node.kind == OpKind::Conv2d) products.push_back(node.layer);
            }
            return Contradiction{at, "the model has no layer '" + forced.place + "', its layers are " + products.front() + " to " +
                                         products.back() + didYouMean(forced.place, layerPaths(graph))};
        }
        for (const auto& dtype : forced.dtypes) {
            if (dtype && isFp8(*dtype) && !place.isOnlyLinear) return Contradiction{at, "fp8 is for the products of linear layers"};
            if (dtype && *dtype != Dtype::F32 && place.hasLoss) return Contradiction{at, "the loss can be forced to fp32 only"};
        }
    }
    return std::nullopt;
}

/// The formats in which products are computed; empty for `auto`, which is resolved later.
std::vector<Dtype> computedIn(const PrecisionSettings& precision, const Graph& graph) {
    std::vector<Dtype> computed = productDtypes(precision.policy);
    for (const PrecisionOverride& forced : precision.overrides) {
        for (const auto& dtype : forced.dtypes) {
            if (dtype && placeIn(graph, forced.place).hasProducts) computed.push_back(*dtype);
        }
    }
    return computed;
}

/// Finds settings of products that no product of this run uses.
std::optional<Contradiction> checkUnused(const PrecisionSettings& precision, const std::vector<Dtype>& computed) {
    // No `auto` becomes a block policy.
    if (const auto refusal = refusalOf(precision.policy, precision.blocks))
        return Contradiction{"/precision/blocks" + (refusal->key.empty() ? "" : "/" + refusal->key), refusal->sentence};
    if (precision.policy == "auto") {
        const std::string sums = whyNoSums(precision.products.accumulator, Dtype::F16, precision.products.promoteEvery);
        const bool promotesNothing = precision.products.accumulator == Accumulator::Fp32 && !sums.empty();
        return promotesNothing ? std::optional(Contradiction{"/precision/promote_every", sums}) : std::nullopt;
    }
    const auto isAny = [&](auto&& test) { return std::any_of(computed.begin(), computed.end(), test); };
    const ProductSettings plain, &products = precision.products;
    const bool isNarrow = isAny([](Dtype dtype) { return dtype != Dtype::F32; });
    if (products.accumulator != plain.accumulator && !isNarrow)
        return Contradiction{"/precision/accumulator", "no product of this run is computed in a format that tensor cores take"};
    if (products.promoteEvery != plain.promoteEvery && !isNarrow)
        return Contradiction{"/precision/promote_every", "no product of this run is computed in a format that tensor cores take"};
    if (products.tf32Rounding != plain.tf32Rounding && !isAny([](Dtype dtype) { return dtype == Dtype::TF32; }))
        return Contradiction{"/precision/tf32_rounding", "no product of this run is computed in tf32"};
    if (precision.fp8 != Fp8Recipe{} && !isAny(isFp8)) return Contradiction{"/precision/fp8", "no product of this run is computed in fp8"};
    return std::nullopt;
}

/// Requires that every format in which products are computed supports the requested sums.
std::optional<Contradiction> checkSums(const PrecisionSettings& precision, const std::vector<Dtype>& computed) {
    const ProductSettings& products = precision.products;
    for (const Dtype dtype : computed) {
        const std::string problem = whyNoSums(products.accumulator, dtype, 0);
        if (!problem.empty()) return Contradiction{"/precision/accumulator", problem};
        const std::string promotion = whyNoSums(products.accumulator, dtype, products.promoteEvery);
        if (!promotion.empty()) return Contradiction{"/precision/promote_every", promotion};
    }
    return std::nullopt;
}

std::optional<Contradiction> checkWeightUpdate(const PrecisionSettings& precision) {
    if (precision.weightUpdate == WeightUpdate{} || isPure(precision.policy)) return std::nullopt;
    return Contradiction{"/precision/weight_update", "'" + precision.policy + "' keeps its weights in fp32, only pure policies round them"};
}

std::optional<Contradiction> checkPath(const DataSettings& data) {
    if (!data.path.empty()) return std::nullopt;
    const auto choose = [](const char* what) { return Contradiction{"/data/path", std::string("choose ") + what}; };
    if (data.name == "mnist") return choose("the folder with MNIST's IDX files");
    if (data.name == "cifar10") return choose("the folder with CIFAR-10's binary batches");
    if (data.name == "npy") return choose("a folder with x.npy and y.npy");
    if (data.name == "text") return choose("a text file");
    return std::nullopt;
}

std::optional<Contradiction> checkModel(const ModelSettings& model) {
    if (!takesTokens(model.kind)) return std::nullopt;
    const auto refused = [](const char* key, const std::string& sentence) { return Contradiction{std::string("/model/") + key, sentence}; };
    if (model.nEmbd % model.nHead != 0) return refused("n_head", "the heads must divide the " + std::to_string(model.nEmbd) + " channels");
    if (model.attention == "fused" && model.dropout > 0) return refused("attention", "fused attention has no dropout");
    const ModelSettings plain;
    for (const auto& [key, isChosen] :
         {std::pair("softmax", model.softmax != plain.softmax), {"mask", model.maskValue != plain.maskValue}}) {
        if (model.attention == "fused" && isChosen) return refused(key, "fused attention masks and normalises in its own way");
    }
    if (model.attention != "fused" && model.fusedSoftmax != plain.fusedSoftmax)
        return refused("fused_softmax", "only fused attention has it");
    if (model.kind == "gpt") return std::nullopt;
    if (model.nHead % model.keyHeads() != 0) return refused("n_kv_head", "must divide the " + std::to_string(model.nHead) + " heads");
    if (model.nEmbd / model.nHead % 2 != 0) return refused("n_head", "rotary positions need heads of an even size");
    return std::nullopt;
}

double elements(const Shape& shape) {
    return std::accumulate(shape.begin(), shape.end(), 1.0,
                           [](double product, std::int64_t extent) { return product * static_cast<double>(extent); });
}

/// The key of a model's width.
const char* widestKey(const ModelSettings& model) {
    if (takesTokens(model.kind)) return "/model/n_embd";
    if (takesImages(model.kind)) return "/data/name";
    const bool isCodeWidest = std::all_of(model.hidden.begin(), model.hidden.end(), [&](std::int64_t width) { return width < model.code; });
    return model.kind == "autoencoder" && isCodeWidest ? "/model/code" : "/model/hidden";
}

/// Lower bound of training memory: weights, gradients and two moments in fp32, and each product's output and gradient in 16 bits. In
/// double, which cannot overflow here.
std::optional<Contradiction> checkSize(const RunSettings& run, const Dataset& dataset) {
    const TrainingSettings& training = run.training;
    const Graph graph = buildModel(training.model, training.data.batchSize, shapeOf(dataset));
    double parameters = 0, outputs = 0, largest = 0;
    for (const int parameter : graph.parameters) parameters += elements(graph.values[static_cast<std::size_t>(parameter)].shape);
    for (const Node& node : graph.nodes) {
        if (autocastRule("pytorch-cuda", node.kind) != AutocastRule::LowPrecision) continue;
        const double made = elements(graph.values[static_cast<std::size_t>(node.outputs[0])].shape);
        outputs += made;
        largest = std::max(largest, made);
    }
    if (!graph.checkpointed.empty()) outputs = largest;
    const double weightBytes = parameters * 4 * 4, batchBytes = outputs * 2 * 2;
    if (weightBytes + batchBytes <= kMostBytes) return std::nullopt;
    const std::string sentence = " needs more than 64 GiB of memory";
    if (weightBytes >= batchBytes) return Contradiction{widestKey(training.model), "a model of these widths" + sentence};
    return Contradiction{"/data/batch_size", "a batch of " + std::to_string(training.data.batchSize) + sentence};
}

}  // namespace

Graph graphOf(const ModelSettings& model, bool isRegression) {
    const std::int64_t side = takesImages(model.kind) ? 1 : 0;
    return buildModel(model, 1,
                      {.features = 1,
                       .classes = 1,
                       .targets = isRegression ? 1 : 0,
                       .height = side,
                       .width = side,
                       .channels = side,
                       .context = takesTokens(model.kind) ? 1 : 0});
}

std::optional<Contradiction> findContradiction(const RunSettings& run) {
    const OptimizerSettings& optimizer = run.training.optimizer;
    if (optimizer.kind == "sgd" && optimizer.nesterov && optimizer.momentum <= 0) return Contradiction{"/optimizer/nesterov", "needs a momentum above 0"};
    if (optimizer.nesterov && optimizer.dampening != 0) return Contradiction{"/optimizer/nesterov", "needs a dampening of 0"};
    if (const auto problem = checkScaler(run.training.scaler)) return Contradiction{"/scaler/" + problem->key, problem->sentence};
    if (auto found = checkModel(run.training.model)) return found;
    if (!run.training.zeroGrad && run.training.clipGradNorm)
        return Contradiction{"/zero_grad", "clipping is part of the update here, so that what adds up over steps would not be clipped"};
    const PrecisionSettings& precision = run.training.precision;
    const Graph graph = graphOf(run.training.model, run.training.data.name == "synthetic-regression");
    std::vector<Dtype> computed = computedIn(precision, graph);
    if (optimizer.kind == "muon") {
        if (hiddenLinearLayers(graph).empty())
            return Contradiction{"/optimizer/kind", "muon updates the weights of hidden linear layers, and this model has none"};
        if (!computed.empty()) computed.push_back(dtypeFromName(optimizer.nsDtype).value_or(Dtype::F32));
    }
    if (auto found = checkOverrides(run, graph)) return found;
    if (auto found = checkUnused(precision, computed)) return found;
    if (auto found = checkSums(precision, computed)) return found;
    const bool hasConvolutions = takesImages(run.training.model.kind);
    if (hasConvolutions && precision.products.accumulator != Accumulator::Fp32)
        return Contradiction{"/precision/accumulator", "convolutions are summed in fp32 only"};
    if (auto found = checkWeightUpdate(precision)) return found;
    return checkPath(run.training.data);
}

std::optional<Contradiction> findMisfit(const RunSettings& run, const Dataset& dataset) {
    const std::string& model = run.training.model.kind;
    const auto refused = [&](const char* takes, const char* has) {
        return Contradiction{"/data/name", "model '" + model + "' takes " + takes + ", and '" + dataset.name + "' has " + has};
    };
    const bool wantsTokens = takesTokens(model), wantsImages = takesImages(model);
    const bool isRegression = dataset.kind == DataKind::Regression;
    const char* const takes = wantsTokens ? "tokens" : wantsImages ? "images with classes" : "images and vectors";
    if (wantsTokens && dataset.kind != DataKind::Tokens) return refused(takes, "images or vectors");
    if (!wantsTokens && dataset.kind == DataKind::Tokens) return refused(takes, "tokens");
    if (wantsImages && !dataset.image.isImage()) return refused(takes, "vectors");
    if (wantsImages && isRegression) return refused(takes, "targets of a regression");
    if (isRegression && run.training.model.labelSmoothing > 0) return Contradiction{"/model/label_smoothing", "a regression has no labels"};
    return checkSize(run, dataset);
}

void requireFit(const RunSettings& run, const Dataset& dataset) {
    auto wrong = findContradiction(run);
    if (!wrong) wrong = findMisfit(run, dataset);
    if (wrong) throw InputError("", wrong->pointer, wrong->sentence);
}

}  // namespace mantissa
