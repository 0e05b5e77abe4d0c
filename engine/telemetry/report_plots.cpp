// SPDX-License-Identifier: Apache-2.0
#include "engine/telemetry/report_plots.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "engine/telemetry/number_format.h"
#include "engine/telemetry/running_mean.h"

namespace mantissa {
namespace {

constexpr int kColumns = 884;  // pixel columns of a plot
constexpr double kSmoothing = 0.9;
constexpr double kNoNumber = std::numeric_limits<double>::quiet_NaN();
constexpr const char* kSmoothingWords = "log; line: exponential average of the logarithm, 0.9";

Series seriesOf(const ReportRun& run, Metric metric) {
    Series series;
    for (const StepRecord& record : *run.records) series.appendAt(record.step, metricValue(record, metric));
    return series;
}

std::int64_t skippedTotal(const ReportRun& run) {
    return run.records->empty() ? 0 : run.records->back().skippedTotal;
}

/// The running mean on this scale. A value that the scale cannot show leaves its step empty.
Series smoothed(const Series& raw, SvgScale scale) {
    Series result;
    RunningMean mean(kSmoothing);
    const bool isLog = scale == SvgScale::Log10;
    for (std::size_t i = 0; i < raw.count(); ++i) {
        const double value = raw.exactAt(i), drawn = isLog ? (value > 0 ? std::log(value) : kNoNumber) : value;
        mean.add(drawn);
        const double line = isLog ? std::exp(mean.value()) : mean.value();
        result.appendAt(raw.stepAt(i), std::isfinite(drawn) ? line : kNoNumber);
    }
    return result;
}

std::vector<SvgEdge> nonFiniteEdges(const Series& series) {
    std::vector<SvgEdge> edges;
    for (std::size_t i = 0; i < series.count(); ++i) {
        const std::int64_t step = series.stepAt(i);
        const ValueClass cls = series.classAt(i);
        if (cls == ValueClass::PositiveInf) edges.push_back({step, svg::Glyph::PositiveInf});
        if (cls == ValueClass::NegativeInf) edges.push_back({step, svg::Glyph::NegativeInf});
        if (cls == ValueClass::NaN) edges.push_back({step, svg::Glyph::NaN});
    }
    return edges;
}

/// One change of several runs at one step gives one marker.
std::vector<SvgMarker> markersOf(const ReportInput& input) {
    std::vector<SvgMarker> markers;
    for (std::size_t i = 0; i < input.runs.size(); ++i) {
        for (const ReportMarker& m : input.runs[i].markers) {
            const auto same =
                std::find_if(markers.begin(), markers.end(), [&](const SvgMarker& o) { return o.step == m.step && o.label == m.label; });
            if (same == markers.end()) {
                markers.push_back({m.step, m.label, {i}});
            } else if (same->identities.back() != i) {
                same->identities.push_back(i);
            }
        }
    }
    std::stable_sort(markers.begin(), markers.end(), [](const SvgMarker& a, const SvgMarker& b) { return a.step < b.step; });
    for (SvgMarker& m : markers) {
        const bool isForAll = m.identities.size() == input.runs.size() && input.runs.size() > 1;
        m.label = (isForAll                   ? "all runs: "
                   : m.identities.size() == 1 ? input.runs[m.identities[0]].name + ": "
                                              : std::to_string(m.identities.size()) + " runs: ") +
                  m.label;
        if (isForAll) m.identities.clear();
        for (std::size_t& run : m.identities) run = input.identityOf(run);
    }
    return markers;
}

class PlotMaker {
public:
    explicit PlotMaker(const ReportInput& input) : m_input(input), m_markers(markersOf(input)) {}

    ReportPlot loss() const {
        ReportPlot result = begin("loss", "Loss", lossNames() + ", " + kSmoothingWords + "; dots: validation", SvgScale::Log10);
        result.plot.areaHeight = 260;
        result.plot.showsLegend = result.plot.showsMarkerLabels = true;
        eachRun(result, [](const ReportRun& run, SvgSeries& s) {
            const Series raw = seriesOf(run, Metric::Loss);
            fillSmoothed(s, raw);
            for (const StepRecord& r : *run.records) {
                if (r.validated()) s.dots.push_back({static_cast<double>(r.step), r.validationLoss});
            }
        });
        return result;
    }
    ReportPlot lossScale() const {
        ReportPlot result = begin("loss_scale", "Loss scale", "powers of two", SvgScale::Log2);
        eachRun(result, [](const ReportRun& run, SvgSeries& s) {
            if (run.scaler != "none") fillStepped(s, seriesOf(run, Metric::LossScale));
            for (const StepRecord& r : *run.records) {
                if (r.skipped()) s.edges.push_back({r.step, svg::Glyph::Skipped});
            }
        });
        return result;
    }
    ReportPlot skips() const {
        ReportPlot result = begin("skipped", "Skipped steps", "running total", SvgScale::Linear);
        result.plot.areaHeight = 100;
        eachRun(result, [](const ReportRun& run, SvgSeries& s) {
            if (run.scaler != "none" || skippedTotal(run) > 0) fillStepped(s, seriesOf(run, Metric::SkippedTotal));
        });
        return result;
    }
    ReportPlot gradNorm() const {
        ReportPlot result =
            begin("grad_norm", "Gradient norm", std::string("global, unscaled, before clipping, ") + kSmoothingWords, SvgScale::Log10);
        eachRun(result, [](const ReportRun& run, SvgSeries& s) { fillSmoothed(s, seriesOf(run, Metric::GradNorm)); });
        return result;
    }
    ReportPlot throughput() const {
        const bool isAnyEmulated =
            std::any_of(m_input.runs.begin(), m_input.runs.end(), [](const ReportRun& run) { return run.isEmulated; });
        ReportPlot result =
            begin("throughput", "Throughput",
                  isAnyEmulated ? "samples/s; narrow formats are emulated: not a hardware speed" : "samples/s", SvgScale::Linear);
        result.plot.areaHeight = 100;
        // averages times, not rates: otherwise slow steps would hardly count, and the plot would show too high a speed
        eachRun(result, [](const ReportRun& run, SvgSeries& s) {
            Series seconds;
            for (const StepRecord& r : *run.records) seconds.appendAt(r.step, 1 / r.samplesPerSecond);
            s.points = smoothed(seconds, SvgScale::Linear).visible(0, seconds.end(), kColumns);
            for (SeriesPoint& p : s.points) p.y = 1 / p.y;
        });
        return result;
    }

private:
    const ReportInput& m_input;
    std::vector<SvgMarker> m_markers;

    static void fillStepped(SvgSeries& s, const Series& series) {
        s.points = series.visible(0, series.end(), kColumns);
        s.isStepped = true;
    }
    /// On a logarithmic axis.
    static void fillSmoothed(SvgSeries& s, const Series& raw) {
        s.points = smoothed(raw, SvgScale::Log10).visible(0, raw.end(), kColumns);
        s.faint = raw.visible(0, raw.end(), kColumns);
        s.edges = nonFiniteEdges(raw);
    }
    /// "cross-entropy", or the names of all runs.
    std::string lossNames() const {
        std::string names;
        for (const ReportRun& run : m_input.runs) {
            if (names.find(run.loss) == std::string::npos) names += (names.empty() ? "" : " / ") + run.loss;
        }
        return names;
    }
    ReportPlot begin(const std::string& stem, const char* title, const std::string& unit, SvgScale scale) const {
        ReportPlot result;
        result.file = stem + ".svg";
        result.plot.title = title;
        result.plot.unit = unit;
        result.plot.scale = scale;
        result.plot.areaHeight = 140;
        result.plot.markers = m_markers;
        for (const ReportRun& run : m_input.runs)
            if (!run.records->empty()) result.plot.steps = std::max(result.plot.steps, run.records->back().step + 1);
        return result;
    }
    template <typename Fill>
    void eachRun(ReportPlot& result, Fill fill) const {
        result.alt = result.plot.title + " over " + groupedText(result.plot.steps) + " steps.";
        for (std::size_t i = 0; i < m_input.runs.size(); ++i) {
            SvgSeries series;
            series.name = m_input.runs[i].name;
            series.identity = m_input.identityOf(i);
            fill(m_input.runs[i], series);
            const auto last =
                std::find_if(series.points.rbegin(), series.points.rend(), [](const SeriesPoint& p) { return std::isfinite(p.y); });
            if (last != series.points.rend()) result.alt += " " + series.name + " ends at " + numberText(last->y) + ".";
            result.plot.series.push_back(std::move(series));
        }
    }
};

}  // namespace

std::vector<ReportPlot> reportPlots(const ReportInput& input) {
    const PlotMaker maker(input);
    const auto anyRun = [&](auto condition) { return std::any_of(input.runs.begin(), input.runs.end(), condition); };
    std::vector<ReportPlot> plots{maker.loss()};
    const bool hasScaler = anyRun([](const ReportRun& run) { return run.scaler != "none"; });
    const bool hasSkip = anyRun([](const ReportRun& run) { return skippedTotal(run) > 0; });
    if (hasScaler || hasSkip) plots.push_back(maker.lossScale());
    if (hasSkip) plots.push_back(maker.skips());
    plots.push_back(maker.gradNorm());
    plots.push_back(maker.throughput());
    return plots;
}

}  // namespace mantissa
