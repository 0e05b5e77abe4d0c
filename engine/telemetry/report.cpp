// SPDX-License-Identifier: Apache-2.0
#include "engine/telemetry/report.h"

#include <algorithm>
#include <array>
#include <fstream>
#include <functional>
#include <ostream>
#include <system_error>

#include "engine/telemetry/csv.h"
#include "engine/telemetry/number_format.h"
#include "engine/telemetry/report_plots.h"

namespace mantissa {
namespace {

constexpr const char* kStyle = R"(
body{font:15px/1.5 "Noto Sans","DejaVu Sans",sans-serif;color:#17202A;background:#F2F4F6;margin:0}
main{max-width:1040px;margin:0 auto;padding:32px 24px 64px}
h1{font-size:26px;line-height:1.25;margin:0 0 8px}h2{font-size:17px;margin:32px 0 8px}
p{margin:0 0 8px;max-width:76ch}.note{color:#46515D;font-size:13px}
section{background:#FFF;border:1px solid #DCE0E5;border-radius:6px;padding:12px 16px;margin:12px 0}
img{display:block;width:100%;height:auto}
table{border-collapse:collapse;width:100%;font-size:14px;font-variant-numeric:tabular-nums}
td,th{text-align:right;padding:6px 8px;vertical-align:baseline;white-space:nowrap}
th{color:#46515D;font-weight:400;border-bottom:1px solid #DCE0E5}
.text{text-align:left}.run svg{vertical-align:middle;margin-right:8px}
.said td{color:#46515D;font-size:13px;padding-top:0;border-bottom:1px solid #E9ECEF;text-align:left;white-space:normal}
.said:last-child td{border-bottom:0}
.memory td{padding:4px 8px}.memory td:last-child{width:64%}
.bar{display:flex;height:20px;font-size:11px;line-height:20px}
.bar i{display:block;box-sizing:border-box;border-right:1px solid #FFF;text-align:center;font-style:normal;overflow:hidden}
.key{display:inline-block;width:10px;height:10px;margin:0 6px 0 16px}
pre{white-space:pre-wrap;overflow-wrap:anywhere;font-size:12px;line-height:1.45;margin:0}
a{color:#433DA6;margin-right:16px}
)";

/// Four decimals, so that a column's decimal points align; other magnitudes with four digits.
std::string lossText(double value) {
    return value >= 1e-3 && value < 1e4 ? fixedText(value, 4) : numberText(value);
}

std::string kilobytes(std::int64_t bytes) {
    return groupedText((bytes + 500) / 1000);
}

std::string runName(const ReportRun& run, std::size_t identity) {
    return "<td class=\"text run\">" + svgSample(identity) + escapeXml(run.name) + "</td>";
}

std::string saidOf(const ReportRun& run) {
    std::string said = run.health;
    if (run.missingSteps > 0)
        said += " " + groupedText(run.missingSteps) + (run.missingSteps == 1 ? " step" : " steps") + " in between never came, and " +
                (run.missingSteps == 1 ? "is" : "are") + " not judged.";
    // the sentence of a skip storm names the place already
    if (run.firstNonFinite && said.find(run.firstNonFinite->layer) == std::string::npos) {
        const FirstNonFinite& f = *run.firstNonFinite;
        said +=
            " The first " + f.cls + " came at step " + groupedText(f.step) + " in " + f.tensor + " (" + f.operation + ", " + f.phase + ").";
    }
    for (const ReportGauge& gauge : run.gauges) said += " Gauge \u201c" + gauge.name + "\u201d: " + gauge.sentence;
    if (const std::string speed = speedText(run.products, run.samplesPerSecond); !speed.empty()) said += " " + speed + ".";
    if (run.allocatedBytes > 0)
        said += " Memory: " + memoryFiguresText(run.memory, run.isEmulated, run.allocatedBytes, run.deviceUsedBytes) + ".";
    return said;
}

std::string resultTable(const ReportInput& input) {
    std::string out =
        "<section><table><tr><th class=\"text\">run</th><th class=\"text\">precision</th><th class=\"text\">scaler</th><th>steps</th>"
        "<th>skipped</th><th>loss</th><th>validation</th><th>accuracy</th><th>loss scale</th><th>samples/s</th></tr>\n";
    const auto cell = [](const std::string& content, const char* attributes = "") {
        return std::string("<td") + attributes + ">" + content + "</td>";
    };
    for (std::size_t i = 0; i < input.runs.size(); ++i) {
        const ReportRun& run = input.runs[i];
        const std::vector<StepRecord>& records = *run.records;
        const auto validated = std::find_if(records.rbegin(), records.rend(), [](const StepRecord& r) { return r.validated(); });
        const bool hasValidation = validated != records.rend(), isScaled = run.scaler != "none";
        const std::string none = "\u2013";
        out += "<tr>" + runName(run, input.identityOf(i)) + cell(escapeXml(run.policy), " class=\"text\"") +
               cell(escapeXml(run.scaler), " class=\"text\"") + cell(groupedText(run.steps)) +
               cell(records.empty() ? none : groupedText(records.back().skippedTotal)) +
               cell(records.empty() ? none : lossText(records.back().loss)) +
               cell(hasValidation ? lossText(validated->validationLoss) : none) +
               cell(hasValidation && validated->hasAccuracy() ? fixedText(100 * validated->validationAccuracy, 1) + "\u202f%" : none) +
               cell(records.empty() || !isScaled ? none : powerOfTwoText(records.back().lossScale)) +
               cell(run.samplesPerSecond > 0 ? groupedText(static_cast<std::int64_t>(run.samplesPerSecond)) : none) + "</tr>\n";
        out += "<tr class=\"said\"><td colspan=\"9\">" + escapeXml(saidOf(run)) + "</td>" +
               cell(run.isEmulated ? "emulated" : "", " style=\"text-align:right;white-space:nowrap\"") + "</tr>\n";
    }
    return out + "</table></section>\n";
}

struct MemoryCategory {
    const char* name;
    std::int64_t MemoryLedger::*bytes;
    const char* color;
    const char* ink;
};
constexpr std::array<MemoryCategory, 7> kCategories{
    {{"weights", &MemoryLedger::weights, "#2F3E4E", "#FFF"},
     {"masters", &MemoryLedger::masterWeights, "#566879", "#FFF"},
     {"gradients", &MemoryLedger::gradients, "#7F91A1", "#17202A"},
     {"optimizer", &MemoryLedger::optimizer, "#A6B4C0", "#17202A"},
     {"activations", &MemoryLedger::activations, "#C8D2DA", "#17202A"},
     {"workspace", &MemoryLedger::workspace, "#E3E8EC", "#17202A"},
     {"scratch", &MemoryLedger::scratch, "repeating-linear-gradient(45deg,#E3E8EC 0 2px,#FFF 2px 6px)", "#17202A"}}};

std::string memoryTable(const ReportInput& input) {
    std::int64_t largest = 1;
    for (const ReportRun& run : input.runs) largest = std::max(largest, run.memory.total());
    const auto isKnown = [](const ReportRun& run) { return run.memory.total() > 0; };
    if (std::none_of(input.runs.begin(), input.runs.end(), isKnown)) return "";
    std::string out =
        "<section><p><b>Memory</b> <span class=\"note\">kB, known before the first step, the scratch left out</span></p><table "
        "class=\"memory\">\n";
    for (std::size_t i = 0; i < input.runs.size(); ++i) {
        const ReportRun& run = input.runs[i];
        if (!isKnown(run)) continue;
        out += "<tr>" + runName(run, input.identityOf(i)) + "<td><b>" + kilobytes(run.memory.withoutScratch()) +
               "</b></td><td><div class=\"bar\">";
        MemoryLedger parts = run.memory;
        parts.workspace -= parts.scratch;
        for (const MemoryCategory& category : kCategories) {
            const std::int64_t bytes = parts.*category.bytes;
            if (bytes == 0) continue;
            const double percent = 100.0 * static_cast<double>(bytes) / static_cast<double>(largest);
            constexpr double kRoomForDigits = 6;  // percent
            out += "<i style=\"width:" + fixedText(percent, 3) + "%;background:" + category.color + ";color:" + category.ink +
                   "\" title=\"" + category.name + ": " + kilobytes(bytes) + " kB\">" +
                   (percent >= kRoomForDigits ? kilobytes(bytes) : "") + "</i>";
        }
        out += "</div></td></tr>\n";
    }
    out += "</table><p class=\"note\" style=\"margin:8px 0 0 -8px\">";
    for (const MemoryCategory& category : kCategories) {
        out += std::string("<span class=\"key\" style=\"background:") + category.color + "\"></span>" + category.name;
    }
    return out + "</p></section>\n";
}

std::string textSamples(const ReportInput& input) {
    std::string out;
    for (std::size_t i = 0; i < input.runs.size(); ++i) {
        const ReportRun& run = input.runs[i];
        if (run.text.empty()) continue;
        out += "<p>" + svgSample(input.identityOf(i)) + escapeXml(run.name) + " <span class=\"note\">after step " +
               groupedText(run.textStep) + "</span></p><pre>" + escapeXml(run.text) + "</pre>\n";
    }
    if (out.empty()) return out;
    return "<section><p><b>Text</b> <span class=\"note\">written by each model at its last validation</span></p>\n" + out + "</section>\n";
}

/// Writes a whole file or throws.
void writeFile(const std::filesystem::path& path, const std::function<void(std::ostream&)>& content) {
    std::ofstream out(path, std::ios::binary);
    content(out);
    out.close();
    if (!out) throw std::filesystem::filesystem_error("cannot be written", path, std::make_error_code(std::errc::io_error));
}

std::string writeCsvFiles(const ReportInput& input, const std::filesystem::path& folder) {
    std::string links;
    for (const ReportRun& run : input.runs) {
        const std::string file = run.fileStem + ".csv";
        if (!input.hasCsvFiles) {
            writeFile(folder / file, [&](std::ostream& out) {
                out << kCsvHeader << '\n';
                for (const StepRecord& record : *run.records) writeCsvRow(out, record);
            });
        }
        links += "<a href=\"" + escapeXml(file) + "\">" + escapeXml(file) + "</a> ";
    }
    return links;
}

std::string writePlots(const ReportInput& input, const std::filesystem::path& folder) {
    std::string sections;
    for (const ReportPlot& plot : reportPlots(input)) {
        writeFile(folder / plot.file, [&](std::ostream& out) { out << renderSvg(plot.plot); });
        sections += "<section><img src=\"" + plot.file + "\" alt=\"" + escapeXml(plot.alt) + "\"></section>\n";
    }
    return sections;
}

}  // namespace

void writeReport(const ReportInput& input, const std::filesystem::path& folder) {
    std::filesystem::create_directories(folder);
    std::string page =
        "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" content=\"width=device-width\"><title>" +
        escapeXml(input.title) + " \u2013 Mantissa</title><style>" + kStyle + "</style></head><body><main>\n";
    page += "<h1>" + escapeXml(input.title) + "</h1>\n<p>" + escapeXml(input.description) + "</p>\n<p class=\"note\">" +
            escapeXml(input.data) + "</p>\n<p class=\"note\">";
    if (!input.runs.empty()) page += escapeXml(input.runs.front().model) + " \u00b7 ";
    page += escapeXml(input.machine) + " \u00b7 " + fixedText(input.wallSeconds, 1) + " s \u00b7 Mantissa " + escapeXml(input.version) +
            "</p>\n" + resultTable(input) + writePlots(input, folder);
    page +=
        "<p class=\"note\">\u25b2 +Inf \u2003\u25bc \u2212Inf \u2003\u2715 NaN \u2003\u25c7 skipped: pinned to the edge of the plot, in "
        "the "
        "colour of the run. Dashed lines: settings that took effect. Loss, gradient norm and throughput are smoothed (0.9) over the raw "
        "trace.</p>\n";
    page += textSamples(input) + memoryTable(input) + "<h2>Files</h2>\n<p>" + writeCsvFiles(input, folder);
    writeFile(folder / "experiment.json", [&](std::ostream& out) { out << input.experimentJson; });
    page += "<a href=\"experiment.json\">experiment.json</a></p>\n<h2>Settings and seeds</h2>\n<section><pre>" +
            escapeXml(input.experimentJson) + "</pre></section>\n</main></body></html>\n";
    writeFile(folder / "index.html", [&](std::ostream& out) { out << page; });
}

}  // namespace mantissa
