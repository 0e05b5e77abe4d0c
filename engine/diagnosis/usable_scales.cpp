// SPDX-License-Identifier: Apache-2.0
#include "engine/diagnosis/usable_scales.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string_view>
#include <unordered_map>

namespace mantissa {
namespace {

struct LayerGradient {
    const TensorStats* tensor = nullptr;
    double log2Scale = 0;  // of the scale of its values relative to the last statistics
    Dtype storage = Dtype::F32;
};

/// A layer's gradients in one step's statistics. `log2Scale`: of its loss scale relative to the last statistics.
struct LayerSample {
    double log2Scale = 0;
    std::vector<LayerGradient> gradients;
};

struct LayerSeen {
    std::string layer;
    std::vector<LayerSample> samples;
};

/// A loss scale of 0 gives no information.
bool isUsable(const StepStats& stats) {
    return stats.lossScale > 0 && std::isfinite(stats.lossScale);
}

/// Whether weight gradients were unscaled after the backward pass: a watched training's are counted in FP32 after PyTorch's GradScaler
/// has unscaled them. The backward pass used the loss scale and the format of the layer's other gradients.
bool areUnscaledSince(const StepStats& stats) {
    return std::none_of(stats.tensors.begin(), stats.tensors.end(),
                        [](const TensorStats& each) { return each.role == TensorRole::WeightGradient && each.isScaled; });
}

/// The narrowest storage of each layer's scaled gradients.
std::unordered_map<std::string_view, Dtype> narrowestGradients(const StepStats& stats) {
    std::unordered_map<std::string_view, Dtype> narrowest;
    for (const TensorStats& tensor : stats.tensors) {
        if (!tensor.isScaled) continue;
        Dtype& known = narrowest.try_emplace(tensor.layer, tensor.storage).first->second;
        if (facts(tensor.storage).maxFinite < facts(known).maxFinite) known = tensor.storage;
    }
    return narrowest;
}

/// The layers in the order in which their gradients first appear. A layer has a sample for each step from there on.
std::vector<LayerSeen> layersSeen(std::span<const StepStats> samples, const std::vector<std::int64_t>& failedSteps) {
    std::vector<LayerSeen> layers;
    std::unordered_map<std::string_view, std::size_t> places;
    const double log2Last = std::log2(samples.back().lossScale);
    for (const StepStats& stats : samples) {
        if (!isUsable(stats) || !isUsable(samples.back()) || isForwardBroken(stats, failedSteps)) continue;
        const double log2Scale = std::log2(stats.lossScale / samples.back().lossScale);
        for (LayerSeen& layer : layers) layer.samples.push_back({log2Scale, {}});
        const bool areUnscaled = areUnscaledSince(stats);
        const auto narrowest = areUnscaled ? narrowestGradients(stats) : std::unordered_map<std::string_view, Dtype>();
        for (const TensorStats& tensor : stats.tensors) {
            const bool isUnscaled = areUnscaled && tensor.role == TensorRole::WeightGradient;
            if (!tensor.isScaled && !isUnscaled) continue;
            const auto [place, isNew] = places.try_emplace(tensor.layer, layers.size());
            if (isNew) layers.push_back({tensor.layer, {{log2Scale, {}}}});
            LayerGradient gradient{&tensor, log2Scale, tensor.storage};
            if (isUnscaled) {
                gradient.log2Scale = -log2Last;
                const auto other = narrowest.find(tensor.layer);
                if (other != narrowest.end() && facts(other->second).maxFinite < facts(gradient.storage).maxFinite)
                    gradient.storage = other->second;
            }
            layers[place->second].samples.back().gradients.push_back(gradient);
        }
    }
    return layers;
}

constexpr double kHardlyFlushes = 0x1p-60;  // a format with a smaller minimum flushes nothing

class LayerBounds {
public:
    LayerBounds(const LayerSeen& layer, const UsableScalesSettings& settings) : m_layer(layer), m_settings(settings) {}

    Dtype formatOf(const LayerGradient& gradient) const { return m_settings.format.value_or(gradient.storage); }

    /// Mean share of flushed values at 2^power times the last statistics' scale. Slightly high if the scales' ratio is no power of 2.
    double meanFlushed(int power) const {
        double sum = 0;
        for (const LayerSample& sample : m_layer.samples) {
            StoredCounts all;
            for (const LayerGradient& gradient : sample.gradients) {
                const auto shift = static_cast<int>(std::floor(power - gradient.log2Scale));
                const StoredCounts counts = storedIn(formatOf(gradient), gradient.tensor->magnitudes, shift);
                all.flushed += counts.flushed, all.normal += counts.total() - counts.flushed;
                all.overflowed += gradient.tensor->classes.nonFinite();
            }
            sum += all.share(all.flushed);
        }
        return sum / static_cast<double>(m_layer.samples.size());
    }

    /// The smallest power with at most the allowed share flushed; nothing if any power has.
    std::optional<int> lowestPower() const {
        int low = -kBeyondFp32, high = kBeyondFp32;
        if (meanFlushed(low) <= m_settings.mostFlushed) return std::nullopt;
        while (high - low > 1) {
            const int middle = (low + high) / 2;
            (meanFlushed(middle) <= m_settings.mostFlushed ? high : low) = middle;
        }
        return high;
    }

    /// The largest power at which these statistics show no overflow of the tensor; nothing if it is all 0.
    std::optional<int> highestPower(const LayerGradient& gradient, double log2Scale) const {
        std::optional<int> highest;
        if (const double largest = gradient.tensor->largest() * std::exp2(-gradient.log2Scale); largest > 0)
            highest = largestShift(formatOf(gradient), largest);
        if (gradient.tensor->classes.allFinite()) return highest;
        const int below = static_cast<int>(std::ceil(log2Scale)) - 1;  // relative to the scale that overflowed
        return std::min(highest.value_or(below), below);
    }

private:
    static constexpr int kBeyondFp32 = 400;  // powers of two that move any fp32 number out of any format
    const LayerSeen& m_layer;
    const UsableScalesSettings& m_settings;
};

Text boundsSentence(const UsableScales& c) {
    if (!c.isKnown() && !c.overflowedBy.empty())
        return {"all gradients of %1 are 0 at this loss scale, and %2 overflowed at it, so no scale can be called safe"_text, c.unknownBy,
                c.overflowedBy};
    if (!c.isKnown())
        return c.layer.empty()
                   ? Text("all gradients of %1 are 0 at this loss scale, so no scale can be called safe: measure at a higher one"_text,
                          c.unknownBy)
                   : Text("all gradients are 0 at this loss scale, so no scale can be called safe: measure at a higher one"_text);
    const PowerOfTwo lowest{c.lowest}, highest{c.highest};
    if (c.isEmpty()) {
        const Text why("%1 loses its small gradients below a loss scale of %2, and %3 overflows above %4"_text, c.lowestBy, lowest,
                       c.highestBy, highest);
        return c.layer.empty() ? Text("no loss scale suits all layers: %1"_text, why)
                               : Text("%1 cannot work here: override this layer (%2)"_text, screenName(c.format), why);
    }
    if (!c.overflowedBy.empty())
        return c.lowestBy.empty()
                   ? Text("no loss scale above %1 is usable; how far below it must be is not known, because %2 overflowed"_text, highest,
                          c.overflowedBy)
                   : Text(
                         "no loss scale below %1 or above %2 is usable; how far below %2 it must be is not known, because %3 overflowed"_text,
                         lowest, highest, c.overflowedBy);
    if (!c.lowestBy.empty() && !c.highestBy.empty()) return {"any loss scale from %1 to %2 is safe"_text, lowest, highest};
    if (!c.highestBy.empty()) return {"any loss scale up to %1 is safe"_text, highest};
    return c.lowestBy.empty() ? Text("any loss scale is safe"_text) : Text("any loss scale from %1 on is safe"_text, lowest);
}

Text usableScalesSentence(const UsableScales& c) {
    return c.isPartial ? Text("%1, as far as one block in eight shows"_text, boundsSentence(c)) : boundsSentence(c);
}

UsableScales usableScalesIn(const LayerSeen& layer, double lastScale, const UsableScalesSettings& settings) {
    const LayerBounds bounds(layer, settings);
    bool isNarrow = false, isAllZero = true;
    UsableScales usable{.layer = layer.layer, .headroom = std::numeric_limits<double>::infinity(), .flushed = bounds.meanFlushed(0)};
    double narrowest = std::numeric_limits<double>::infinity();
    for (const LayerSample& sample : layer.samples) {
        for (const LayerGradient& gradient : sample.gradients) {
            const TensorStats* tensor = gradient.tensor;
            const Dtype format = bounds.formatOf(gradient);
            isNarrow |= facts(gradient.storage).minSubnormal > kHardlyFlushes;
            isAllZero &= tensor->largest() == 0 && tensor->classes.allFinite();
            usable.isPartial |= tensor->isPartial();
            if (facts(format).maxFinite < narrowest) usable.format = format, narrowest = facts(format).maxFinite;
            usable.headroom = std::min(usable.headroom, headroom(format, tensor->largest()) + gradient.log2Scale);
            if (usable.overflowedBy.empty() && !tensor->classes.allFinite()) usable.overflowedBy = tensor->tensor;
            const auto power = bounds.highestPower(gradient, sample.log2Scale);
            if (!power || std::ldexp(lastScale, *power) >= usable.highest) continue;
            usable.highest = std::ldexp(lastScale, *power);
            usable.highestBy = tensor->tensor;
        }
    }
    if (const auto power = bounds.lowestPower()) {
        usable.lowest = std::ldexp(lastScale, *power);
        usable.lowestBy = layer.layer;
    }
    if (isNarrow && isAllZero) usable.unknownBy = layer.layer;
    usable.sentence = usableScalesSentence(usable);
    return usable;
}

}  // namespace

bool isForwardBroken(const StepStats& stats, std::span<const std::int64_t> failedSteps) {
    if (std::find(failedSteps.begin(), failedSteps.end(), stats.step) != failedSteps.end()) return true;
    const auto isBrokenValue = [](const TensorStats& each) {
        return each.role == TensorRole::Value && each.phase != "backward" && each.classes.nan + each.classes.positiveInf > 0;
    };
    const auto isBrokenGradient = [](const TensorStats& each) { return isGradient(each.role) && !each.classes.allFinite(); };
    return std::any_of(stats.tensors.begin(), stats.tensors.end(), isBrokenValue) &&
           std::any_of(stats.tensors.begin(), stats.tensors.end(), isBrokenGradient);
}

std::vector<UsableScales> usableScalesOf(std::span<const StepStats> samples, const UsableScalesSettings& settings) {
    std::vector<UsableScales> usableScales;
    if (samples.empty()) return usableScales;
    for (const LayerSeen& layer : layersSeen(samples, settings.failedSteps))
        usableScales.push_back(usableScalesIn(layer, samples.back().lossScale, settings));
    return usableScales;
}

UsableScales intersectionOf(std::span<const UsableScales> usableScales) {
    UsableScales all{.headroom = std::numeric_limits<double>::infinity()};
    double narrowest = std::numeric_limits<double>::infinity();
    for (const UsableScales& each : usableScales) {
        if (each.lowest > all.lowest) all.lowest = each.lowest, all.lowestBy = each.lowestBy;
        if (each.highest < all.highest) all.highest = each.highest, all.highestBy = each.highestBy;
        if (facts(each.format).maxFinite < narrowest) all.format = each.format, narrowest = facts(each.format).maxFinite;
        all.headroom = std::min(all.headroom, each.headroom);
        all.flushed = std::max(all.flushed, each.flushed);
        all.isPartial |= each.isPartial;
        if (all.isKnown()) all.unknownBy = each.unknownBy;
        if (all.overflowedBy.empty()) all.overflowedBy = each.overflowedBy;
    }
    all.sentence = usableScalesSentence(all);
    return all;
}

double scaleFrom(const UsableScales& usable, double used) {
    constexpr double kInside = 4;  // doublings
    if (usable.holds(used) || !usable.isKnown()) return used;
    if (usable.isEmpty()) return usable.highest;
    const double width = usable.lowestBy.empty() || usable.highestBy.empty() ? 2 * kInside : std::log2(usable.highest / usable.lowest);
    const int inside = static_cast<int>(std::floor(std::min(kInside, width / 2)));
    return used < usable.lowest ? std::ldexp(usable.lowest, inside) : std::ldexp(usable.highest, -inside);
}

}  // namespace mantissa
