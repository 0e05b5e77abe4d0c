// SPDX-License-Identifier: Apache-2.0
#include "engine/diagnosis/twins.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <tuple>

#include "engine/diagnosis/verdict.h"
#include "engine/telemetry/number_format.h"

namespace mantissa {
namespace {

/// Sums of squares over a pair of tensors.
struct PairSums {
    double distance = 0, length = 0;
    std::int64_t broken = 0, alike = 0;
};

bool isAlike(float a, float b) {
    return std::isnan(a) ? std::isnan(b) : a == b;
}

PairSums sumsOf(const TwinTensor& a, const TwinTensor& b) {
    PairSums sums;
    for (std::size_t i = 0; i < a.values.size(); ++i) {
        const float x = a.values[i], y = b.values[i];
        if (!std::isfinite(x) || !std::isfinite(y)) {
            ++(isAlike(x, y) ? sums.alike : sums.broken);
            continue;
        }
        const double wide = static_cast<double>(y) / b.scale, apart = static_cast<double>(x) / a.scale - wide;
        if (!std::isfinite(apart)) {  // a scale that has fallen to 0
            ++sums.broken;
            continue;
        }
        sums.distance += apart * apart;
        sums.length += wide * wide;
    }
    return sums;
}

using TwinKey = std::tuple<std::string_view, std::string_view, std::string_view, TensorRole>;

TwinKey keyOf(const TwinTensor& tensor) {
    return {tensor.layer, tensor.operation, tensor.tensor, tensor.role};
}

/// The layer's row, with the norms still squared.
struct TwinRow {
    LayerDifference found;
    PairSums worst;

    void add(const TwinTensor& tensor, const PairSums& sums) {
        if (found.tensor.empty() || std::tie(sums.broken, sums.distance) > std::tie(worst.broken, worst.distance)) {
            found.tensor = tensor.tensor;
            worst = sums;
        }
        found.distance += sums.distance;
        found.length += sums.length;
        found.broken += sums.broken;
        found.alike += sums.alike;
        found.elements += static_cast<std::int64_t>(tensor.values.size());
    }
};

/// "by 12 %", or what else it is.
std::string apartText(const LayerDifference& layer) {
    const double relative = layer.relative();
    if (std::isfinite(relative)) return "differs by " + shareText(relative);
    if (layer.broken == 0) return "differs from one that is all 0";
    return "is not finite in " + groupedText(layer.broken) + (layer.broken == 1 ? " element" : " elements") + ", unlike in the other run";
}

std::string agreementText(double largest) {
    return largest == 0 ? "are equal" : "agree to " + shareText(largest);
}

}  // namespace

double LayerDifference::relative() const {
    constexpr double kNone = std::numeric_limits<double>::quiet_NaN(), kEndless = std::numeric_limits<double>::infinity();
    if (broken > 0) return kEndless;
    if (alike == elements) return kNone;
    if (length == 0) return distance == 0 ? 0 : kEndless;
    return distance / length;
}

std::string_view twinPhase(TensorRole role) {
    switch (role) {
        case TensorRole::Weight:
            return "weights";
        case TensorRole::Gradient:
        case TensorRole::WeightGradient:
            return "backward";
        default:
            return "forward";
    }
}

namespace {

std::vector<LayerDifference> differences(const TwinStep& a, const TwinStep& b, bool isByLayer) {
    std::map<TwinKey, const TwinTensor*> others;
    for (const TwinTensor& tensor : b) others[keyOf(tensor)] = &tensor;
    std::vector<TwinRow> rows;
    for (const TwinTensor& tensor : a) {
        const auto other = others.find(keyOf(tensor));
        if (other == others.end() || other->second->values.size() != tensor.values.size() || tensor.values.empty()) continue;
        auto row = std::find_if(rows.begin(), rows.end(),
                                [&](const TwinRow& each) { return each.found.layer == tensor.layer && each.found.role == tensor.role; });
        if (!isByLayer) row = rows.end();
        if (row == rows.end()) {
            row = rows.insert(rows.end(), TwinRow{});
            row->found.layer = tensor.layer;
            row->found.role = tensor.role;
        }
        row->add(tensor, sumsOf(tensor, *other->second));
    }
    std::vector<LayerDifference> layers;
    for (TwinRow& row : rows) {
        row.found.distance = std::sqrt(row.found.distance);
        row.found.length = std::sqrt(row.found.length);
        layers.push_back(std::move(row.found));
    }
    return layers;
}

}  // namespace

std::vector<LayerDifference> layerDifferences(const TwinStep& a, const TwinStep& b) {
    return differences(a, b, true);
}
std::vector<LayerDifference> tensorDifferences(const TwinStep& a, const TwinStep& b) {
    return differences(a, b, false);
}

std::optional<FirstApart> firstApart(std::span<const TwinComparison> comparisons, double bound) {
    for (std::size_t i = 0; i < comparisons.size(); ++i) {
        const auto& layers = comparisons[i].layers;
        const auto found =
            std::find_if(layers.begin(), layers.end(), [&](const LayerDifference& layer) { return layer.relative() > bound; });
        if (found != layers.end()) return FirstApart{i, static_cast<std::size_t>(found - layers.begin())};
    }
    return std::nullopt;
}

double largestDifference(std::span<const TwinComparison> comparisons, std::optional<TensorRole> role) {
    double largest = 0;
    for (const TwinComparison& comparison : comparisons) {
        for (const LayerDifference& layer : comparison.layers) {
            const double relative = layer.relative();
            if ((!role || layer.role == *role) && relative > largest) largest = relative;
        }
    }
    return largest;
}

std::string twinSentence(const std::string& a, const std::string& b, std::span<const TwinComparison> comparisons, double bound) {
    if (comparisons.empty()) return "No step of " + a + " and " + b + " was compared yet.";
    const auto stepText = [](const TwinComparison& at) { return groupedText(at.step); };
    const std::string both = a + " and " + b + " ";
    const auto apart = firstApart(comparisons, bound);
    if (!apart) {
        const std::string where = comparisons.size() == 1
                                      ? "at step " + stepText(comparisons[0])
                                      : "in all " + groupedText(static_cast<std::int64_t>(comparisons.size())) + " compared steps, " +
                                            stepText(comparisons.front()) + " to " + stepText(comparisons.back());
        return both + agreementText(largestDifference(comparisons)) + " " + where + ".";
    }
    const TwinComparison& at = comparisons[apart->comparison];
    const LayerDifference& layer = at.layers[apart->layer];
    const std::string found = "at step " + stepText(at) + " " + layer.layer + " " + apartText(layer) + " (" +
                              std::string(twinPhase(layer.role)) + ", most in " + layer.tensor + ")";
    if (apart->comparison == 0)
        return both + "differ by more than " + shareText(bound) + " from the first compared step on: " + found + ".";
    const auto before = comparisons.first(apart->comparison);
    const std::int64_t last = before.back().step;
    const std::string between = at.step - last == 1 ? ""
                                : at.step - last == 2
                                    ? " Step " + groupedText(last + 1) + " was not compared."
                                    : " Steps " + groupedText(last + 1) + " to " + groupedText(at.step - 1) + " were not compared.";
    return both + agreementText(largestDifference(before)) + " until step " + groupedText(last) + "; " + found + "." + between;
}

}  // namespace mantissa
