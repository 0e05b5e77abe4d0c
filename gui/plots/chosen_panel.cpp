// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cmath>

#include "engine/diagnosis/tensor_shares.h"
#include "gui/plots/metric_panels.h"

namespace mantissa::gui {
namespace {

constexpr double kPercent = 0.01;
constexpr double kLeastShare = 1;  // least upper end of an axis of shares, in percent

}  // namespace

const std::vector<std::string>& ChosenPanel::knownKeys() {
    static const std::vector<std::string> kKeys = [] {
        std::vector<std::string> keys{keyOf(Metric::ValidationAccuracy), keyOf(Metric::LearningRate)};
        keys.insert(keys.end(), std::begin(tensor_share::kAll), std::end(tensor_share::kAll));
        return keys;
    }();
    return kKeys;
}

ChosenPanel::Kind ChosenPanel::kindOf(const std::string& key) {
    const auto share = [](const QString& title, const QString& unit) {
        return Kind{.title = title, .unit = unit, .isShare = true, .isTensorShare = true};
    };
    if (key == metricName(Metric::ValidationAccuracy))
        return {.title = QObject::tr("Validation accuracy"), .unit = QObject::tr("%"), .isShare = true};
    if (key == metricName(Metric::LearningRate))
        return {.title = QObject::tr("Learning rate"), .scale = AxisScale::Log10, .isStepped = true};
    if (key == tensor_share::kZeroGradients)
        return share(QObject::tr("Zero gradients"), QObject::tr("% of weight gradients, those flushed to 0 among them"));
    if (key == tensor_share::kSubnormalGradients)
        return share(QObject::tr("Subnormal gradients"), QObject::tr("% of activation gradients other than 0"));
    if (key == tensor_share::kNonFiniteValues) return share(QObject::tr("Inf and NaN"), QObject::tr("% of activations and gradients"));
    if (key == tensor_share::kLostUpdates)
        return share(QObject::tr("Lost updates"), QObject::tr("% of updates that leave their weight: w + dw = w"));
    if (key == tensor_share::kUnchangedWeights)
        return share(QObject::tr("Unchanged weights"), QObject::tr("% of weights that a step does not change"));
    return {.title = QString::fromStdString(key), .unit = QObject::tr("from a file"), .isForeign = true};
}

ChosenPanel::ChosenPanel(QCustomPlot* plot, QCPMarginGroup* margins, const std::string& key, const Kind& kind)
    : MetricPanel(plot, margins, kind.title, kind.unit, {key, kind.isShare ? kPercent : 1, kind.isForeign}, kind.scale), m_kind(kind) {
    m_isStepped = kind.isStepped;
    setFitsEverything(!kind.isForeign);
}

QString ChosenPanel::endText(const RunTrace& trace, std::int64_t step) const {
    const QString text = MetricPanel::endText(trace, step);
    return m_kind.isShare && std::isfinite(cursorY(trace, step)) ? QObject::tr("%1\u202F%").arg(text) : text;
}

Span ChosenPanel::rangeFor(std::vector<double>& robust, const std::vector<double>& whole) {
    if (m_kind.isShare && m_scale == AxisScale::Linear) robust.insert(robust.end(), {0, kLeastShare});  // an axis of shares starts at 0
    Span span = MetricPanel::rangeFor(robust, whole);
    if (m_kind.isShare && m_scale == AxisScale::Linear) span = {0, std::min(calmBounds({0, m_range.span.last}, m_scale).last, 100.0)};
    return span;
}

QString ChosenPanel::noteFor(const PlotFrame& frame) const {
    if (m_kind.isForeign) return MetricPanel::noteFor(frame);
    const bool hasAny =
        std::any_of(frame.runs.begin(), frame.runs.end(), [this](const RunTrace* trace) { return !trace->raw(key()).isEmpty(); });
    if (hasAny) return {};
    const bool isOff = m_kind.isTensorShare && !frame.isMeasuring;
    return isOff ? QObject::tr("not measured: see Measure tensors in Diagnose") : QObject::tr("no value yet");
}

}  // namespace mantissa::gui
