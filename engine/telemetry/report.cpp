// SPDX-License-Identifier: Apache-2.0
#include "engine/telemetry/report.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fstream>

#include "engine/telemetry/csv.h"
#include "engine/telemetry/run_identity.h"
#include "engine/telemetry/series.h"
#include "engine/telemetry/svg_plot.h"

namespace mantissa {
namespace {

constexpr int kColumns = 870;  // pixel columns of a plot
constexpr double kSmoothing = 0.9;

constexpr const char* kStyle = R"(
body{font:15px/1.5 "Noto Sans","DejaVu Sans",sans-serif;color:#17202A;background:#F2F4F6;margin:0}
main{max-width:1040px;margin:0 auto;padding:32px 24px 64px}
h1{font-size:26px;margin:0 0 4px}h2{font-size:17px;margin:32px 0 8px}
p{margin:4px 0 12px;max-width:76ch}.note{color:#46515D;font-size:13px}
section{background:#fff;border:1px solid #DCE0E5;border-radius:6px;padding:12px 16px;margin:12px 0}
img{display:block;width:100%;height:auto}
table{border-collapse:collapse;width:100%;font-size:14px;font-variant-numeric:tabular-nums}
th,td{text-align:right;padding:6px 8px;border-bottom:1px solid #E9ECEF;vertical-align:top}
th{color:#46515D;font-weight:400}th:first-child,td:first-child,td.text,th.text{text-align:left}
.swatch{display:inline-block;width:14px;height:10px;border-radius:2px;margin-right:8px}
.bar{display:flex;height:12px;border-radius:2px;overflow:hidden;background:#F0F2F4}.bar i{display:block;height:100%}
pre{overflow:auto;font-size:12px;background:#fff;border:1px solid #DCE0E5;border-radius:6px;padding:12px}
a{color:#433DA6}
)";

std::string brief(double value, const char* format = "%.4g") {
    if (std::isnan(value)) return "NaN";
    if (std::isinf(value)) return value > 0 ? "+Inf" : "\u2212Inf";
    char text[64];
    std::snprintf(text, sizeof text, format, value);
    return text;
}

Series seriesOf(const ReportRun& run, Metric metric) {
    Series series;
    for (const StepRecord& record : *run.records) series.append(metricValue(record, metric));
    return series;
}

/// What pixels can show of a metric; where it is not finite, the value's class comes back as a value.
std::vector<SeriesPoint> pointsOf(const Series& series) {
    std::vector<SeriesPoint> points = series.visible(0, series.size(), kColumns);
    for (std::int64_t step = 0; step < series.size(); ++step) {
        const ValueClass cls = series.valueClass(step);
        if (cls == ValueClass::PositiveInf) points.push_back({static_cast<double>(step), INFINITY});
        if (cls == ValueClass::NegativeInf) points.push_back({static_cast<double>(step), -INFINITY});
        if (cls == ValueClass::NaN) points.push_back({static_cast<double>(step), NAN});
    }
    std::stable_sort(points.begin(), points.end(), [](const SeriesPoint& a, const SeriesPoint& b) { return a.x < b.x; });
    return points;
}

/// Exponential moving average, debiased; a non-finite value is passed over, not spread.
Series smoothed(const Series& raw) {
    Series result;
    double sum = 0, weight = 0;
    for (std::int64_t step = 0; step < raw.size(); ++step) {
        if (raw.valueClass(step) != ValueClass::Finite) {
            result.append(NAN, raw.valueClass(step));
            continue;
        }
        sum = kSmoothing * sum + (1 - kSmoothing) * raw.value(step);
        weight = kSmoothing * weight + (1 - kSmoothing);
        result.append(sum / weight);
    }
    return result;
}

class PlotWriter {
public:
    PlotWriter(const ReportInput& input, const std::filesystem::path& folder) : m_input(input), m_folder(folder) {}

    std::string loss() {
        SvgPlot plot = begin("Loss", "cross-entropy, log; dots: validation; smoothing 0.9, raw trace behind", SvgScale::Log10, 330);
        plot.showsLegend = plot.showsMarkerLabels = true;
        eachRun(
            [&](const ReportRun& run, SvgSeries& s) {
                const Series raw = seriesOf(run, Metric::Loss);
                s.points = pointsOf(smoothed(raw));
                s.faint = raw.visible(0, raw.size(), kColumns);
                for (const StepRecord& r : *run.records) {
                    if (r.validated()) s.dots.push_back({static_cast<double>(r.step), r.validationLoss});
                }
            },
            plot);
        return write("loss.svg", plot);
    }
    std::string lossScale() {
        SvgPlot plot = begin("Loss scale", "powers of two", SvgScale::Log2, 200);
        eachRun(
            [&](const ReportRun& run, SvgSeries& s) {
                if (run.scaler == "none") return;
                s.points = pointsOf(seriesOf(run, Metric::LossScale));
                s.isStepped = true;
                for (const StepRecord& r : *run.records) {
                    if (r.skipped()) s.skippedSteps.push_back(r.step);
                }
            },
            plot);
        return write("loss_scale.svg", plot);
    }
    std::string metric(const char* file, const char* title, const char* unit, SvgScale scale, Metric metric, double factor,
                       bool isStepped = false) {
        SvgPlot plot = begin(title, unit, scale, 180);
        eachRun(
            [&](const ReportRun& run, SvgSeries& s) {
                s.points = pointsOf(seriesOf(run, metric));
                for (SeriesPoint& p : s.points) p.y *= factor;
                s.isStepped = isStepped;
            },
            plot);
        return write(file, plot);
    }

private:
    const ReportInput& m_input;
    std::filesystem::path m_folder;

    SvgPlot begin(const char* title, const char* unit, SvgScale scale, int height) const {
        SvgPlot plot;
        plot.title = title;
        plot.unit = unit;
        plot.scale = scale;
        plot.height = height;
        for (std::size_t i = 0; i < m_input.runs.size(); ++i) {
            plot.steps = std::max(plot.steps, static_cast<std::int64_t>(m_input.runs[i].records->size()));
            for (const ReportMarker& m : m_input.runs[i].markers)
                plot.markers.push_back({i, m.step, m_input.runs[i].name + ": " + m.label});
        }
        std::stable_sort(plot.markers.begin(), plot.markers.end(), [](const SvgMarker& a, const SvgMarker& b) { return a.step < b.step; });
        return plot;
    }
    template <typename Fill>
    void eachRun(Fill fill, SvgPlot& plot) const {
        for (std::size_t i = 0; i < m_input.runs.size(); ++i) {
            SvgSeries series;
            series.name = m_input.runs[i].name;
            series.identity = i;
            fill(m_input.runs[i], series);
            plot.series.push_back(std::move(series));
        }
    }
    std::string write(const std::string& file, const SvgPlot& plot) const;
};

void writeFile(const std::filesystem::path& path, const std::string& content) {
    std::ofstream out(path, std::ios::binary);
    out << content;
    out.close();
    if (!out) throw std::filesystem::filesystem_error("cannot be written", path, std::make_error_code(std::errc::io_error));
}

std::string PlotWriter::write(const std::string& file, const SvgPlot& plot) const {
    writeFile(m_folder / file, renderSvg(plot));
    return "<section><img src=\"" + file + "\" alt=\"" +
           escapeXml(plot.title + " over steps, " + std::to_string(plot.series.size()) + " runs") + "\"></section>\n";
}

constexpr const char* kCategoryColors[] = {"#2F3E4E", "#566879", "#7F91A1", "#A6B4C0", "#C8D2DA", "#E3E8EC"};
constexpr const char* kCategoryNames[] = {"weights", "masters", "gradients", "optimizer", "activations", "workspace"};

std::string memoryBar(const MemoryLedger& m, std::int64_t largest) {
    const std::int64_t parts[] = {m.weights, m.masterWeights, m.gradients, m.optimizer, m.activations, m.workspace};
    std::string bar = "<div class=\"bar\">";
    for (std::size_t i = 0; i < 6; ++i) {
        const double share = 100.0 * static_cast<double>(parts[i]) / static_cast<double>(std::max<std::int64_t>(largest, 1));
        bar += "<i style=\"width:" + brief(share, "%.3f") + "%;background:" + kCategoryColors[i] + "\" title=\"" + kCategoryNames[i] + " " +
               brief(static_cast<double>(parts[i]) / 1000, "%.0f") + " kB\"></i>";
    }
    return bar + "</div>";
}

std::string resultTable(const ReportInput& input) {
    std::int64_t largest = 1;
    for (const ReportRun& run : input.runs) largest = std::max(largest, run.memory.total());
    std::string out =
        "<section><table><tr><th>run</th><th class=\"text\">precision</th><th "
        "class=\"text\">scaler</th><th>steps</th><th>skipped</th><th>final loss</th><th>validation</th>"
        "<th>accuracy</th><th>loss scale</th><th>samples/s</th><th>memory, kB</th><th style=\"width:140px\"></th></tr>\n";
    for (std::size_t i = 0; i < input.runs.size(); ++i) {
        const ReportRun& run = input.runs[i];
        const std::vector<StepRecord>& records = *run.records;
        const auto validated = std::find_if(records.rbegin(), records.rend(), [](const StepRecord& r) { return r.validated(); });
        const bool hasValidation = validated != records.rend();
        const auto cell = [](const std::string& content, bool isText = false) {
            return std::string(isText ? "<td class=\"text\">" : "<td>") + content + "</td>";
        };
        out += "<tr><td><span class=\"swatch\" style=\"background:" + std::string(runIdentity(i).light) + "\"></span>" +
               escapeXml(run.name) + "</td>" + cell(run.policy, true) + cell(run.scaler, true) + cell(std::to_string(records.size()));
        if (records.empty()) {
            out += "<td colspan=\"5\"></td>";
        } else {
            out += cell(std::to_string(records.back().skippedTotal)) + cell(brief(records.back().loss)) +
                   cell(hasValidation ? brief(validated->validationLoss) : "\u2013") +
                   cell(hasValidation ? brief(100 * validated->validationAccuracy, "%.1f") + " %" : "\u2013") +
                   cell(run.scaler == "none" ? "\u2013" : brief(records.back().lossScale));
        }
        out += cell(brief(run.samplesPerSecond, "%.0f") + (run.isEmulated ? "<br><span class=\"note\">emulated on CPU</span>" : "")) +
               cell(brief(static_cast<double>(run.memory.total()) / 1000, "%.0f")) + cell(memoryBar(run.memory, largest)) + "</tr>\n";
    }
    out +=
        "</table><p class=\"note\">Memory, from dark to light: weights, masters, gradients, optimizer, activations, "
        "workspace.</p></section>\n";
    return out;
}

std::string findings(const ReportInput& input) {
    std::string out = "<section><table>";
    for (const ReportRun& run : input.runs) {
        std::string sentence = run.health;
        if (run.firstNonFinite) {
            const FirstNonFinite& f = *run.firstNonFinite;
            sentence += " First non-finite: step " + std::to_string(f.step) + ", " + f.layer + ", " + f.operation + ", " + f.phase +
                        ", tensor " + f.tensor + ", " + f.cls + ".";
        }
        out += "<tr><td>" + escapeXml(run.name) + "</td><td class=\"text\">" + escapeXml(sentence) + "</td></tr>\n";
    }
    return out + "</table></section>\n";
}

}  // namespace

void writeReport(const ReportInput& input, const std::filesystem::path& folder) {
    std::filesystem::create_directories(folder);
    PlotWriter plots(input, folder);
    const bool isAnyEmulated = std::any_of(input.runs.begin(), input.runs.end(), [](const ReportRun& run) { return run.isEmulated; });

    std::string page =
        "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" content=\"width=device-width\"><title>" +
        escapeXml(input.title) + " \u2013 Mantissa</title><style>" + kStyle + "</style></head><body><main>\n";
    page += "<h1>" + escapeXml(input.title) + "</h1>\n<p>" + escapeXml(input.description) + "</p>\n" + resultTable(input) + findings(input);
    page += plots.loss() + plots.lossScale();
    page += plots.metric("skipped.svg", "Skipped steps", "running total", SvgScale::Linear, Metric::SkippedTotal, 1, true);
    page += plots.metric("grad_norm.svg", "Gradient norm", "global, unscaled, before clipping, log", SvgScale::Log10, Metric::GradNorm, 1);
    page += plots.metric("throughput.svg", "Throughput",
                         isAnyEmulated ? "k samples/s; narrow formats are emulated on CPU: not a hardware speed" : "k samples/s",
                         SvgScale::Linear, Metric::SamplesPerSecond, 1e-3);
    page +=
        "<p class=\"note\">\u25b2 +Inf \u25bc \u2212Inf \u2715 NaN \u25c7 skipped: pinned to the edge of the plot, in the colour of the "
        "run.</p>\n";
    page += "<h2>Files</h2><p>";
    for (const ReportRun& run : input.runs) {
        std::ofstream csv(folder / (run.fileStem + ".csv"));
        csv << kCsvHeader << '\n';
        for (const StepRecord& record : *run.records) writeCsvRow(csv, record);
        csv.close();
        if (!csv)
            throw std::filesystem::filesystem_error("cannot be written", folder / (run.fileStem + ".csv"),
                                                    std::make_error_code(std::errc::io_error));
        page += "<a href=\"" + escapeXml(run.fileStem) + ".csv\">" + escapeXml(run.fileStem) + ".csv</a> ";
    }
    writeFile(folder / "experiment.json", input.experimentJson);
    page += "<a href=\"experiment.json\">experiment.json</a></p>\n<h2>Experiment</h2><pre>" + escapeXml(input.experimentJson) + "</pre>\n";
    page += "<p class=\"note\">Mantissa " + escapeXml(input.version) + ", " + escapeXml(input.machine) + ", " +
            brief(input.wallSeconds, "%.1f") + " s.";
    if (!input.runs.empty()) page += " " + escapeXml(input.runs.front().model) + ".";
    page += "</p>\n</main></body></html>\n";
    writeFile(folder / "index.html", page);
}

}  // namespace mantissa
