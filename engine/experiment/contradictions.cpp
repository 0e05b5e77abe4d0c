// SPDX-License-Identifier: Apache-2.0
// What no single field can see: settings that exclude each other, layers that are not there; data that does not fit; sizes beyond any
// machine.
#include <algorithm>
#include <string>

#include "engine/experiment/fields.h"
#include "engine/experiment/json_reader.h"

namespace mantissa {
namespace {

constexpr double kMostBytes = 64.0 * 1024 * 1024 * 1024;

std::vector<std::string> layersOf(const ModelSettings& model) {
    std::vector<std::string> layers;
    for (std::size_t i = 0; i <= model.hidden.size(); ++i) layers.push_back("layers." + std::to_string(i));
    for (std::size_t i = 0; i < model.hidden.size(); ++i) layers.push_back("activations." + std::to_string(i));
    layers.emplace_back("loss");
    return layers;
}

/// Whether what a place names are products: linear layers.
bool isProduct(const PrecisionOverride& forced) {
    return forced.place == "linear" || forced.place.starts_with("layers.");
}

std::optional<Contradiction> checkOverrides(const RunSettings& run) {
    const std::vector<std::string> layers = layersOf(run.training.model);
    const std::vector<std::string> kinds{"linear", "activation", "cross_entropy"};
    for (const PrecisionOverride& forced : run.training.precision.overrides) {
        const std::string at = "/precision/overrides" + pointerStep(forced.place);
        const bool isKind = std::find(kinds.begin(), kinds.end(), forced.place) != kinds.end();
        if (!isKind && std::find(layers.begin(), layers.end(), forced.place) == layers.end()) {
            const std::string last = std::to_string(run.training.model.hidden.size());
            return Contradiction{at, "the model has no layer '" + forced.place + "', its layers are layers.0 to layers." + last +
                                         didYouMean(forced.place, layers)};
        }
        for (const Direction direction : kAllDirections) {
            if (!isProduct(forced) && forced.in(direction) && isFp8(*forced.in(direction)))
                return Contradiction{at, "fp8 is for the products of linear layers"};
        }
        const bool isLoss = forced.place == "loss" || forced.place == "cross_entropy";
        for (const Direction direction : kAllDirections) {
            const auto& dtype = forced.in(direction);
            if (isLoss && dtype && *dtype != Dtype::F32) return Contradiction{at, "the loss is computed in fp32 only"};
        }
    }
    return std::nullopt;
}

/// What products of this run are computed in; nothing for `auto`, which is not decided yet.
std::vector<Dtype> computedIn(const PrecisionSettings& precision) {
    std::vector<Dtype> computed = productDtypes(precision.policy);
    for (const PrecisionOverride& forced : precision.overrides) {
        for (const auto& dtype : forced.dtypes) {
            if (dtype && isProduct(forced)) computed.push_back(*dtype);
        }
    }
    return computed;
}

/// Settings of products that no product of this run would read.
std::optional<Contradiction> checkUnused(const PrecisionSettings& precision) {
    if (precision.policy == "auto") return std::nullopt;
    const std::vector<Dtype> computed = computedIn(precision);
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

/// Every format that products of this run are computed in must have the sums that are asked for.
std::optional<Contradiction> checkSums(const PrecisionSettings& precision) {
    const std::vector<Dtype> computed = computedIn(precision);
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
    const std::string need = "data set '" + data.name + "' needs a path: ";
    if (data.name == "mnist" || data.name == "cifar10") return Contradiction{"/data/path", need + "the folder with its binary files"};
    if (data.name == "npy") return Contradiction{"/data/path", need + "a folder with x.npy and y.npy"};
    if (data.name == "text") return Contradiction{"/data/path", need + "a text file"};
    return std::nullopt;
}

/// A lower bound of what training holds: weights, gradients and two moments in fp32; each layer's output and its gradient in 16 bits.
/// In double, whose range no product of these widths can leave.
std::optional<Contradiction> checkSize(const RunSettings& run, const Dataset& dataset) {
    const TrainingSettings& training = run.training;
    double parameters = 0, outputs = 0, in = static_cast<double>(dataset.features);
    std::vector<std::int64_t> widths = training.model.hidden;
    widths.push_back(dataset.classes);
    for (const std::int64_t width : widths) {
        const auto out = static_cast<double>(width);
        parameters += in * out + out;
        outputs += out;
        in = out;
    }
    const double weightBytes = parameters * 4 * 4;
    const double batchBytes = static_cast<double>(training.data.batchSize) * outputs * 2 * 2;
    if (weightBytes + batchBytes <= kMostBytes) return std::nullopt;
    const std::string sentence = " needs more than 64 GiB of memory";
    if (weightBytes >= batchBytes) return Contradiction{"/model/hidden", "a model of these widths" + sentence};
    return Contradiction{"/data/batch_size", "a batch of " + std::to_string(training.data.batchSize) + sentence};
}

}  // namespace

std::optional<Contradiction> findContradiction(const RunSettings& run) {
    const OptimizerSettings& optimizer = run.training.optimizer;
    if (optimizer.nesterov && optimizer.momentum <= 0) return Contradiction{"/optimizer/nesterov", "needs a momentum above 0"};
    if (optimizer.nesterov && optimizer.dampening != 0) return Contradiction{"/optimizer/nesterov", "needs a dampening of 0"};
    if (const auto problem = checkScaler(run.training.scaler)) return Contradiction{"/scaler/" + problem->key, problem->sentence};
    if (auto found = checkOverrides(run)) return found;
    if (auto found = checkUnused(run.training.precision)) return found;
    if (auto found = checkSums(run.training.precision)) return found;
    if (auto found = checkWeightUpdate(run.training.precision)) return found;
    return checkPath(run.training.data);
}

std::optional<Contradiction> findMisfit(const RunSettings& run, const Dataset& dataset) {
    if (dataset.kind != DataKind::Classification) {
        const char* what = dataset.kind == DataKind::Tokens ? "tokens" : "targets of a regression";
        return Contradiction{"/data/name", "model '" + run.training.model.kind + "' takes images and vectors with classes, and '" +
                                               dataset.name + "' has " + what};
    }
    return checkSize(run, dataset);
}

}  // namespace mantissa
