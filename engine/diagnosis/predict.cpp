// SPDX-License-Identifier: Apache-2.0
#include "engine/diagnosis/predict.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "engine/diagnosis/usable_scales.h"

namespace mantissa {
namespace {

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
            all.caveat = "One block in eight of the larger tensors was measured; the other blocks are not counted."_text;
        if (const auto format = narrowest())
            all.caveat += Text("Tensors of this step were stored in %1: what that rounding lost is not counted."_text, screenName(*format));
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

    static Text timesTheLimit(const LayerForecast& each) {
        return {"%1 times the limit of %2"_text, Figure{std::exp2(-each.headroom), 2}, Figure{facts(each.format).maxFinite, 5}};
    }

    Text asThat() const {
        const double scale = std::ldexp(m_stats.lossScale, m_settings.gradientShift);
        const std::string format = screenName(m_settings.format);
        if (m_settings.scalesEachTensor) return {"As %1, each tensor with a scale of its own,"_text, format};
        return scale == 1 ? Text("As %1 without a loss scale"_text, format)
                          : Text("As %1 with loss scale %2"_text, format, PowerOfTwo{scale});
    }

    std::optional<ForecastVerdict> forwardOverflow() const {
        const LayerForecast* worst = overflowing(isForward);
        if (worst == nullptr) return std::nullopt;
        Text sentence("%1 cannot hold %2: its largest value is %3, and no loss scale changes that."_text, screenName(m_settings.format),
                      worst->tightest, timesTheLimit(*worst));
        if (m_settings.format != Dtype::BF16) {
            ForecastSettings other = m_settings;
            other.format = Dtype::BF16;
            sentence += ForecastWords(m_stats, other).overflowing(isForward) == nullptr ? "BF16 can."_text : "Nor can BF16."_text;
        }
        return ForecastVerdict{Severity::Bad, sentence, {}};
    }

    /// The first non-finite tensor of the step.
    std::optional<ForecastVerdict> notFinite() const {
        const auto broken = std::find_if(m_stats.tensors.begin(), m_stats.tensors.end(), [](const TensorStats& tensor) {
            return (isForward(tensor.role) || isGradient(tensor.role)) && !tensor.classes.allFinite();
        });
        if (broken == m_stats.tensors.end()) return std::nullopt;
        Text sentence(isGradient(broken->role) ? "Gradients of %1 are not finite in this step already."_text
                                               : "Forward values of %1 are not finite in this step already."_text,
                      broken->layer);
        sentence += Text("Choose a finite step for a forecast of %1."_text, screenName(m_settings.format));
        return ForecastVerdict{Severity::Note, sentence, {}};
    }

    std::optional<ForecastVerdict> gradientOverflow() const {
        const LayerForecast* worst = overflowing(isGradient);
        if (worst == nullptr) return std::nullopt;
        Text sentence("%1 %2 of the gradients of %3 would overflow: the largest is %4."_text, asThat(),
                      Percent{worst->stored.share(worst->stored.overflowed)}, worst->layer, timesTheLimit(*worst));
        sentence += Text("From %1 down none would."_text, PowerOfTwo{highestScale()});
        return ForecastVerdict{Severity::Bad, sentence, {}};
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
            if (tensor.isScaled && tensor.largest() > 0) shift = std::min(shift, largestShift(m_settings.format, tensor.largest()));
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
        std::vector<Text> flushed;
        const auto add = [&](Pattern tensors, const WorstLayer& worst) { flushed.push_back({tensors, Percent{worst.share}, worst.layer}); };
        if (gradients.share > 0) add("%1 of the gradients of %2"_text, gradients);
        if (values.share > 0 && (gradients.share == 0 || values.share >= kWorthAWord)) add("%1 of the forward values of %2"_text, values);
        ForecastVerdict all;
        all.severity = gradients.share > UsableScalesSettings{}.mostFlushed ? Severity::Note : Severity::Good;
        all.sentence = flushed.empty() ? Text("%1 nothing would overflow or flush to zero."_text, asThat())
                       : flushed.size() == 1
                           ? Text("%1 nothing would overflow; %2 would flush to zero."_text, asThat(), flushed[0])
                           : Text("%1 nothing would overflow; %2 and %3 would flush to zero."_text, asThat(), flushed[0], flushed[1]);
        if (updates.share >= kWorthAWord)
            all.sentence +=
                Text("Weights kept in it would miss at least %1 of the updates of %2."_text, Percent{updates.share}, updates.layer);
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
        if (settings.scalesEachTensor) shift = tensor.classes.absMax > 0 ? largestShift(settings.format, tensor.classes.absMax) : 0;
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
