// SPDX-License-Identifier: Apache-2.0
#include "engine/diagnosis/run_comparison.h"

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

PairSums sumsOf(const StepTensor& a, const StepTensor& b) {
    PairSums sums;
    for (std::size_t i = 0; i < a.values.size(); ++i) {
        const float x = a.values[i], y = b.values[i];
        if (!std::isfinite(x) || !std::isfinite(y)) {
            ++(isAlike(x, y) ? sums.alike : sums.broken);
            continue;
        }
        const double wide = static_cast<double>(y) / b.scale, apart = static_cast<double>(x) / a.scale - wide;
        if (!std::isfinite(apart)) {  // a scale of 0
            ++sums.broken;
            continue;
        }
        sums.distance += apart * apart;
        sums.length += wide * wide;
    }
    return sums;
}

/// Classes with different counts imply elements that are not finite in one run only.
std::int64_t brokenOf(const ElementClasses& a, const ElementClasses& b) {
    return std::max({std::abs(a.nan - b.nan), std::abs(a.positiveInf - b.positiveInf), std::abs(a.negativeInf - b.negativeInf)});
}

double scaleOf(const StepStats& step, const TensorStats& tensor) {
    return tensor.isScaled ? step.lossScale : 1;
}

/// Sums from sketches; NaN if a sum exceeds FP32.
PairSums sumsOf(const TensorStats& a, double scale, const TensorStats& b, double otherScale) {
    PairSums sums{.broken = brokenOf(a.classes, b.classes), .alike = std::min(a.classes.nonFinite(), b.classes.nonFinite())};
    for (std::size_t i = 0; i < a.sketch.size(); ++i) {
        const double wide = static_cast<double>(b.sketch[i]) / otherScale, apart = static_cast<double>(a.sketch[i]) / scale - wide;
        if (!std::isfinite(apart)) {
            sums.distance = sums.length = std::numeric_limits<double>::quiet_NaN();
            return sums;
        }
        sums.distance += apart * apart;
        sums.length += wide * wide;
    }
    return sums;
}

/// Counts NaN and infinities only.
ElementClasses nonFiniteOf(std::span<const float> values) {
    ElementClasses classes;
    for (const float value : values) {
        if (std::isnan(value)) ++classes.nan;
        if (std::isinf(value)) ++(value > 0 ? classes.positiveInf : classes.negativeInf);
    }
    return classes;
}

/// The squared 2-norm of the unscaled values.
double squareOf(std::span<const float> values, double scale) {
    double sum = 0;
    for (const float value : values) sum += static_cast<double>(value) * static_cast<double>(value);
    return sum / (scale * scale);
}

using TensorKey = std::tuple<std::string_view, std::string_view, std::string_view, TensorRole>;

TensorKey keyOf(const StepTensor& tensor) {
    return {tensor.layer, tensor.operation, tensor.tensor, tensor.role};
}

/// Collects pairs of tensors into rows, a row for each layer and role or for each tensor.
class DifferenceRows {
public:
    explicit DifferenceRows(bool areByLayer) : m_areByLayer(areByLayer) {}

    void add(const std::string& layer, TensorRole role, const std::string& tensor, std::int64_t elements, const PairSums& sums) {
        Row& row = rowOf(layer, role);
        if (row.found.tensor.empty() || std::tie(sums.broken, sums.distance) > std::tie(row.worst.broken, row.worst.distance)) {
            row.found.tensor = tensor;
            row.worst = sums;
        }
        row.found.distance += sums.distance;
        row.found.length += sums.length;
        row.found.broken += sums.broken;
        row.found.alike += sums.alike;
        row.found.elements += elements;
    }
    std::vector<LayerDifference> layers() {
        std::vector<LayerDifference> layers;
        for (Row& row : m_rows) {
            row.found.distance = std::sqrt(row.found.distance);
            row.found.length = std::sqrt(row.found.length);
            layers.push_back(std::move(row.found));
        }
        return layers;
    }

private:
    struct Row {
        LayerDifference found;  // with squared norms
        PairSums worst;
    };
    bool m_areByLayer;
    std::vector<Row> m_rows;

    Row& rowOf(const std::string& layer, TensorRole role) {
        const auto known = std::find_if(m_rows.begin(), m_rows.end(),
                                        [&](const Row& each) { return each.found.layer == layer && each.found.role == role; });
        if (m_areByLayer && known != m_rows.end()) return *known;
        Row& row = m_rows.emplace_back();
        row.found.layer = layer;
        row.found.role = role;
        return row;
    }
};

bool isFiner(Dtype a, Dtype b) {
    return facts(a).unitRoundoff() < facts(b).unitRoundoff();
}

Dtype coarsestOf(const auto& tensors) {
    Dtype coarsest = Dtype::F32;
    for (const auto& tensor : tensors) coarsest = std::max(tensor.storage, coarsest, isFiner);
    return coarsest;
}

/// "31 unit roundoffs of BF16, ". Empty for FP32, where differences are many thousands of its unit roundoff, and if it is not finite.
std::string roundoffsText(const StepComparison& at, double relative) {
    if (at.coarsest == Dtype::F32 || !std::isfinite(relative)) return "";
    const std::string roundoffs = numberText(at.inRoundoffs(relative), 2);
    return roundoffs + " unit roundoff" + (roundoffs == "1" ? "" : "s") + " of " + screenName(at.coarsest) + ", ";
}

/// "12 %", or words for another difference.
std::string apartText(const LayerDifference& layer) {
    const double relative = layer.relative();
    if (std::isfinite(relative)) return shareText(relative);
    if (layer.broken == 0) return "all 0 in one run only";
    return "not finite in " + groupedText(layer.broken) + (layer.broken == 1 ? " element" : " elements") + ", unlike in the other run";
}

std::vector<LayerDifference> differences(const StepTensors& a, const StepTensors& b, bool areByLayer) {
    std::map<TensorKey, const StepTensor*> others;
    for (const StepTensor& tensor : b) others[keyOf(tensor)] = &tensor;
    DifferenceRows rows(areByLayer);
    for (const StepTensor& tensor : a) {
        const auto other = others.find(keyOf(tensor));
        if (other == others.end() || other->second->values.size() != tensor.values.size() || tensor.values.empty()) continue;
        rows.add(tensor.layer, tensor.role, tensor.tensor, static_cast<std::int64_t>(tensor.values.size()), sumsOf(tensor, *other->second));
    }
    return rows.layers();
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

std::string_view phaseName(TensorRole role) {
    return role == TensorRole::Weight ? "weights" : isGradient(role) ? "backward" : "forward";
}

std::vector<LayerDifference> layerDifferences(const StepTensors& a, const StepTensors& b) {
    return differences(a, b, true);
}
std::vector<LayerDifference> tensorDifferences(const StepTensors& a, const StepTensors& b) {
    return differences(a, b, false);
}

std::vector<LayerDifference> sketchedDifferences(const StepStats& a, const StepStats& b) {
    std::map<std::pair<std::string_view, TensorRole>, const TensorStats*> others;
    for (const TensorStats& tensor : b.tensors)
        if (!tensor.sketch.empty()) others.try_emplace({tensor.tensor, tensor.role}, &tensor);
    std::vector<std::pair<const TensorStats*, const TensorStats*>> pairs;
    for (const TensorStats& tensor : a.tensors) {
        const auto other = others.extract({tensor.tensor, tensor.role});
        const bool isCompared = isGradient(tensor.role) || tensor.role == TensorRole::Value || tensor.role == TensorRole::Weight;
        if (isCompared && other && !tensor.sketch.empty() && other.mapped()->elements == tensor.elements)
            pairs.emplace_back(&tensor, other.mapped());
    }
    std::stable_partition(pairs.begin(), pairs.end(), [](const auto& pair) { return pair.first->role == TensorRole::Weight; });
    double square = 0, otherSquare = 0;  // of the weight gradients
    if (a.isBeforeClipping != b.isBeforeClipping) {
        for (const auto& [tensor, other] : pairs) {
            if (tensor->role != TensorRole::WeightGradient) continue;
            square += squareOf(tensor->sketch, scaleOf(a, *tensor));
            otherSquare += squareOf(other->sketch, scaleOf(b, *other));
        }
    }
    const bool isLevelled = square > 0 && otherSquare > 0;
    DifferenceRows rows(true);
    for (const auto& [tensor, other] : pairs) {
        double scale = scaleOf(a, *tensor);
        if (isLevelled && tensor->role == TensorRole::WeightGradient) scale *= std::sqrt(square / otherSquare);
        rows.add(tensor->layer, tensor->role, tensor->tensor, tensor->elements, sumsOf(*tensor, scale, *other, scaleOf(b, *other)));
    }
    return rows.layers();
}

StepStats sketched(std::int64_t step, const StepTensors& tensors, bool isBeforeClipping, std::optional<double> clipNorm) {
    std::map<std::pair<std::string_view, TensorRole>, const StepTensor*> latest;  // the last term has the whole sum
    for (const StepTensor& tensor : tensors) latest.insert_or_assign({tensor.tensor, tensor.role}, &tensor);
    double square = 0;
    for (const auto& [key, tensor] : latest)
        if (key.second == TensorRole::WeightGradient) square += squareOf(tensor->values, tensor->scale);
    const double factor = clipNorm && !isBeforeClipping ? std::min(1.0, *clipNorm / (std::sqrt(square) + 1e-6)) : 1;
    StepStats statistics{.step = step, .isBeforeClipping = isBeforeClipping};
    for (const StepTensor& tensor : tensors) {
        if (latest.at({tensor.tensor, tensor.role}) != &tensor) continue;
        TensorStats& seen = statistics.tensors.emplace_back();
        seen.tensor = tensor.tensor;
        seen.layer = tensor.layer;
        seen.role = tensor.role;
        seen.storage = tensor.storage;
        seen.elements = static_cast<std::int64_t>(tensor.values.size());
        seen.classes = nonFiniteOf(tensor.values);
        seen.sketch = sketchOf(tensor.values);
        const double by = (tensor.role == TensorRole::WeightGradient ? factor : 1) / tensor.scale;
        for (float& sum : seen.sketch) sum = static_cast<float>(static_cast<double>(sum) * by);
    }
    return statistics;
}

StepComparison compared(std::int64_t step, const StepTensors& a, const StepTensors& b) {
    return {step, layerDifferences(a, b), std::max(coarsestOf(b), coarsestOf(a), isFiner)};
}

StepComparison compared(const StepStats& a, const StepStats& b) {
    return {a.step, sketchedDifferences(a, b), std::max(coarsestOf(b.tensors), coarsestOf(a.tensors), isFiner)};
}

std::optional<FirstApart> firstApart(std::span<const StepComparison> comparisons, double bound) {
    for (std::size_t i = 0; i < comparisons.size(); ++i) {
        const auto& layers = comparisons[i].layers;
        const auto found =
            std::find_if(layers.begin(), layers.end(), [&](const LayerDifference& layer) { return layer.relative() > bound; });
        if (found != layers.end()) return FirstApart{i, static_cast<std::size_t>(found - layers.begin())};
    }
    return std::nullopt;
}

double largestDifference(std::span<const StepComparison> comparisons, std::optional<TensorRole> role) {
    double largest = 0;
    for (const StepComparison& comparison : comparisons) {
        for (const LayerDifference& layer : comparison.layers) {
            const double relative = layer.relative();
            if ((!role || layer.role == *role) && relative > largest) largest = relative;
        }
    }
    return largest;
}

std::string comparisonSentence(const std::string& a, const std::string& b, std::span<const StepComparison> comparisons, double bound) {
    if (comparisons.empty()) return "No step of " + a + " and " + b + " was compared yet.";
    const auto stepText = [](const StepComparison& at) { return groupedText(at.step); };
    const auto apart = firstApart(comparisons, bound);
    if (!apart) {
        const std::string where = comparisons.size() == 1
                                      ? "at step " + stepText(comparisons[0])
                                      : "in all " + groupedText(static_cast<std::int64_t>(comparisons.size())) + " compared steps, " +
                                            stepText(comparisons.front()) + " to " + stepText(comparisons.back());
        return a + " and " + b + " " + agreementText(largestDifference(comparisons)) + " " + where + ".";
    }
    const StepComparison& at = comparisons[apart->comparison];
    const LayerDifference& layer = at.layers[apart->layer];
    const std::string where =
        " (" + roundoffsText(at, layer.relative()) + std::string(phaseName(layer.role)) + ", most in " + layer.tensor + ")";
    if (apart->comparison == 0)
        return "First apart at step " + stepText(at) + ", the first compared: " + layer.layer + ", " + apartText(layer) + where + ".";
    const auto before = comparisons.first(apart->comparison);
    const std::int64_t last = before.back().step;
    const bool isExact = at.step - last == 1;
    const std::string place = isExact ? "at step " + stepText(at) : "between steps " + groupedText(last + 1) + " and " + stepText(at);
    return "First apart " + place + ": " + layer.layer + ", " + apartText(layer) + (isExact ? "" : " at " + stepText(at)) + where +
           ". Until step " + groupedText(last) + " both " + agreementText(largestDifference(before)) + ".";
}

}  // namespace mantissa
