// SPDX-License-Identifier: Apache-2.0
#include "engine/diagnosis/predict.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "engine/diagnosis/usable_scales.h"
#include "engine/diagnosis/verdict.h"
#include "engine/telemetry/number_format.h"

namespace mantissa {
namespace {

/// The largest power of two that keeps the tensor below the format's overflow threshold.
int ownShift(Dtype format, double absMax) {
    if (absMax == 0) return 0;
    const double bound = facts(format).overflowFrom;
    int shift = std::ilogb(bound) - std::ilogb(absMax) + 1;
    while (std::ldexp(absMax, shift) >= bound) --shift;
    return shift;
}

std::string screenName(Dtype format) {
    return std::string(facts(format).screenName);
}

/// "layers.0's", "the loss's": names that are not layers get an article.
std::string ofLayer(const std::string& layer) {
    const bool isCommonWord = layer == "loss" || layer == "input" || layer == "labels";
    return (isCommonWord ? "the " : "") + layer + "'s ";
}

/// The largest share among a layer's tensors of some roles.
struct WorstLayer {
    std::string layer;
    double share = 0;
};

/// Combines the forecasts of one step.
class ForecastWords {
public:
    ForecastWords(const StepStats& stats, const ForecastSettings& settings)
        : m_stats(stats), m_settings(settings), m_forecasts(forecast(stats, settings)) {}

    ForecastVerdict verdict() const {
        if (m_forecasts.empty()) return {};
        ForecastVerdict all;
        if (const auto forward = forwardOverflow())
            all = *forward;
        else if (const auto broken = notFinite())
            all = *broken;
        else
            all = gradientOverflow().value_or(whatIsFlushed());
        if (m_stats.isPartial())
            all.caveat = "One block in eight of the larger tensors was measured; the other blocks are not counted.";
        if (const auto format = narrowest())
            all.caveat += (all.caveat.empty() ? "" : " ") + ("Tensors of this step were stored in " + screenName(*format)) +
                          ": what that took is gone already, and not counted.";
        return all;
    }

private:
    const StepStats& m_stats;
    const ForecastSettings& m_settings;
    std::vector<LayerForecast> m_forecasts;

    static bool isForward(TensorRole role) { return role == TensorRole::Value || role == TensorRole::Weight; }

    /// The forecast with the largest overflow; null: none.
    template <typename IsWanted>
    const LayerForecast* overflowing(IsWanted isWanted) const {
        const LayerForecast* worst = nullptr;
        for (const LayerForecast& each : m_forecasts) {
            if (each.stored.overflowed > 0 && isWanted(each.role) && (worst == nullptr || each.headroom < worst->headroom)) worst = &each;
        }
        return worst;
    }

    static std::string timesTheLimit(const LayerForecast& each) {
        return numberText(std::exp2(-each.headroom), 2) + " times the limit of " + numberText(facts(each.format).maxFinite, 5);
    }

    std::string asThat() const {
        const double scale = std::ldexp(m_stats.lossScale, m_settings.gradientShift);
        return "As " + screenName(m_settings.format) +
               (m_settings.scalesEachTensor ? ", each tensor with a scale of its own,"
                : scale == 1                ? " without a loss scale"
                                            : " with loss scale " + powerOfTwoText(scale));
    }

    std::optional<ForecastVerdict> forwardOverflow() const {
        const LayerForecast* worst = overflowing(isForward);
        if (worst == nullptr) return std::nullopt;
        std::string sentence = screenName(m_settings.format) + " cannot hold " + worst->tightest + ": its largest value is " +
                               timesTheLimit(*worst) + ", and no loss scale changes that.";
        if (m_settings.format != Dtype::BF16) {
            ForecastSettings other = m_settings;
            other.format = Dtype::BF16;
            sentence += ForecastWords(m_stats, other).overflowing(isForward) == nullptr ? " BF16 can." : " Nor can BF16.";
        }
        return ForecastVerdict{Severity::Bad, sentence, {}};
    }

    /// The first non-finite tensor of the step.
    std::optional<ForecastVerdict> notFinite() const {
        const auto broken = std::find_if(m_stats.tensors.begin(), m_stats.tensors.end(), [](const TensorStats& tensor) {
            return (isForward(tensor.role) || isGradient(tensor.role)) && !tensor.classes.allFinite();
        });
        if (broken == m_stats.tensors.end()) return std::nullopt;
        const char* tensors = isGradient(broken->role) ? "Gradients of " : "Forward values of ";
        return ForecastVerdict{Severity::Note,
                               tensors + broken->layer + " are not finite in this step already. Choose a finite step for a forecast of " +
                                   screenName(m_settings.format) + ".",
                               {}};
    }

    std::optional<ForecastVerdict> gradientOverflow() const {
        const LayerForecast* worst = overflowing(isGradient);
        if (worst == nullptr) return std::nullopt;
        return ForecastVerdict{Severity::Bad,
                               asThat() + " " + shareText(worst->stored.share(worst->stored.overflowed)) + " of " + ofLayer(worst->layer) +
                                   "gradients would overflow: the largest is " + timesTheLimit(*worst) + ". From " +
                                   powerOfTwoText(highestScale()) + " down none would.",
                               {}};
    }

    std::optional<Dtype> narrowest() const {
        const auto digits = [](const TensorStats& tensor) { return facts(tensor.storage).mantissaBits; };
        const auto found = std::min_element(m_stats.tensors.begin(), m_stats.tensors.end(),
                                            [&](const TensorStats& a, const TensorStats& b) { return digits(a) < digits(b); });
        return found == m_stats.tensors.end() || digits(*found) >= kFloatMantissaBits ? std::nullopt : std::optional(found->storage);
    }

    /// The loss scale up to which no gradient overflows.
    double highestScale() const {
        int shift = std::numeric_limits<int>::max();
        for (const TensorStats& tensor : m_stats.tensors) {
            if (tensor.isScaled && tensor.largest() > 0) shift = std::min(shift, ownShift(m_settings.format, tensor.largest()));
        }
        return std::ldexp(m_stats.lossScale, shift);
    }

    template <typename IsWanted>
    WorstLayer mostFlushed(IsWanted isWanted) const {
        std::vector<std::pair<std::string, StoredCounts>> layers;
        for (const LayerForecast& each : m_forecasts) {
            if (!isWanted(each.role)) continue;
            if (layers.empty() || layers.back().first != each.layer) layers.push_back({each.layer, {}});
            StoredCounts& sum = layers.back().second;
            sum.flushed += each.stored.flushed, sum.normal += each.stored.total() - each.stored.flushed;
        }
        WorstLayer worst;
        for (const auto& [layer, stored] : layers) {
            if (stored.share(stored.flushed) > worst.share) worst = {layer, stored.share(stored.flushed)};
        }
        return worst;
    }

    ForecastVerdict whatIsFlushed() const {
        constexpr double kWorthAWord = 0.01;
        const WorstLayer gradients = mostFlushed(isGradient),
                         values = mostFlushed([](TensorRole role) { return role == TensorRole::Value; }),
                         updates = mostFlushed([](TensorRole role) { return role == TensorRole::Update; });
        std::string flushed;
        const auto add = [&](const WorstLayer& worst, const char* tensors) {
            flushed += (flushed.empty() ? "; " : " and ") + shareText(worst.share) + " of " + ofLayer(worst.layer) + tensors;
        };
        if (gradients.share > 0) add(gradients, "gradients");
        if (values.share > 0 && (gradients.share == 0 || values.share >= kWorthAWord)) add(values, "forward values");
        ForecastVerdict all;
        all.severity = gradients.share > UsableScalesSettings{}.mostFlushed ? Severity::Note : Severity::Good;
        all.sentence = asThat() + " nothing would overflow" + flushed + (flushed.empty() ? " or flush to zero." : " would flush to zero.");
        if (updates.share >= kWorthAWord)
            all.sentence +=
                " Weights kept in it would miss at least " + shareText(updates.share) + " of " + ofLayer(updates.layer) + "updates.";
        return all;
    }
};

}  // namespace

std::vector<LayerForecast> forecast(const StepStats& stats, const ForecastSettings& settings) {
    std::vector<LayerForecast> forecasts;
    for (const TensorStats& tensor : stats.tensors) {
        const bool isKeptWide = tensor.role == TensorRole::Update || tensor.role == TensorRole::Weight;
        if (tensor.role == TensorRole::Statistic || (settings.scalesEachTensor && isKeptWide)) continue;
        int shift = tensor.isScaled ? settings.gradientShift : 0;
        if (settings.scalesEachTensor) shift = ownShift(settings.format, tensor.classes.absMax);
        const auto isSame = [&](const LayerForecast& each) { return each.layer == tensor.layer && each.role == tensor.role; };
        auto found = std::find_if(forecasts.begin(), forecasts.end(), isSame);
        if (found == forecasts.end()) {
            LayerForecast first{.layer = tensor.layer, .role = tensor.role, .format = settings.format, .shift = shift};
            first.headroom = std::numeric_limits<double>::infinity();
            // after the last one of its layer
            const auto last =
                std::find_if(forecasts.rbegin(), forecasts.rend(), [&](const auto& each) { return each.layer == tensor.layer; });
            found = forecasts.insert(last == forecasts.rend() ? forecasts.end() : last.base(), first);
        }
        const StoredCounts counts = storedIn(settings.format, tensor.magnitudes, shift);
        found->stored.flushed += counts.flushed, found->stored.subnormal += counts.subnormal;
        found->stored.normal += counts.normal, found->stored.overflowed += counts.overflowed;
        found->zeros += tensor.classes.zero;
        found->shift = std::min(found->shift, shift);
        found->nonFinite += tensor.classes.nonFinite();
        const double room = headroom(settings.format, tensor.largest()) - shift;
        if (room < found->headroom) found->headroom = room, found->tightest = tensor.tensor;
    }
    return forecasts;
}

ForecastVerdict forecastVerdict(const StepStats& stats, const ForecastSettings& settings) {
    return ForecastWords(stats, settings).verdict();
}

}  // namespace mantissa
