// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <fstream>

#include "engine/exchange/event_file.h"
#include "engine/exchange/exported_run.h"
#include "engine/exchange/protobuf.h"
#include "engine/telemetry/csv.h"
#include "engine/telemetry/number_format.h"

namespace mantissa {
namespace {

namespace fs = std::filesystem;

/// Throws if the file cannot be opened or written, at the latest in close().
class OutputFile {
public:
    explicit OutputFile(fs::path path) : m_path(std::move(path)), m_out(m_path, std::ios::binary) { check(); }
    std::ostream& stream() { return m_out; }
    fs::path close() {
        m_out.close();
        check();
        return m_path;
    }

private:
    fs::path m_path;
    std::ofstream m_out;
    void check() const {
        if (!m_out) throw fs::filesystem_error("cannot be written", m_path, std::error_code(errno, std::generic_category()));
    }
};

/// A number that JSON reads back to the same double. JSON has no non-finite numbers, and "-0" would be an integer.
std::string jsonText(double value) {
    if (std::isnan(value)) return R"("NaN")";
    if (std::isinf(value)) return value > 0 ? R"("Infinity")" : R"("-Infinity")";
    return value == 0 && std::signbit(value) ? "-0.0" : shortest(value);
}

std::string jsonText(std::int64_t value) {
    return std::to_string(value);
}

std::string jsonText(const std::string& text) {
    return Json(text).dump(-1, ' ', false, Json::error_handler_t::replace);
}

/// A JSON object on one line, with members in the order they are added.
class JsonLine {
public:
    template <class Value>
    JsonLine& add(std::string_view key, const Value& value) {
        m_text += m_text.empty() ? "{\"" : ",\"";
        m_text += key;
        m_text += "\":" + jsonText(value);
        return *this;
    }
    void writeTo(std::ostream& out) const { out << m_text + "}\n"; }

private:
    std::string m_text;
};

void writeStep(std::ostream& out, const StepRecord& r) {
    JsonLine line;
    const auto add = [&](Metric metric) {
        if (hasMetric(r, metric)) line.add(metricName(metric), metricValue(r, metric));
    };
    line.add("step", r.step);
    if (r.samples >= 0) line.add("samples", r.samples).add("epoch", r.epoch);
    line.add("wall_s", r.wallSeconds);
    add(Metric::Loss), add(Metric::ValidationLoss), add(Metric::ValidationAccuracy);
    add(Metric::LossScale);
    if (hasMetric(r, Metric::LossScale)) line.add("skipped", std::int64_t{r.skipped()});
    line.add("skipped_total", r.skippedTotal);
    add(Metric::GradNorm), add(Metric::LearningRate), add(Metric::StepMs), add(Metric::SamplesPerSecond);
    if (r.samples >= 0 || r.memoryBytes > 0) line.add("memory_bytes", r.memoryBytes);
    line.add("flags", flagsText(r.flags)).writeTo(out);
}

Json eventOf(const SettingApplied& e) {
    return Json{{"event", "change"}, {"step", e.step}, {"pointer", e.pointer}, {"label", e.label}, {"from", e.from}, {"to", e.to}};
}

Json eventOf(const FirstNonFinite& e) {
    return Json{{"event", "nonfinite"}, {"step", e.step},     {"layer", e.layer}, {"operation", e.operation},
                {"phase", e.phase},     {"tensor", e.tensor}, {"class", e.cls}};
}

Json eventOf(const Note& note) {
    return Json{{"event", "note"}, {"step", note.step}, {"text", note.text}};
}

std::string recordOf(const StepRecord& record, double startSeconds) {
    std::string values;
    for (int i = 0; i < kMetricCount; ++i) {
        const auto metric = static_cast<Metric>(i);
        if (!hasMetric(record, metric)) continue;
        std::string value;
        protobuf::putBytes(value, event_file::value::kTag, metricName(metric));
        protobuf::putFloat(value, event_file::value::kSimpleValue, static_cast<float>(metricValue(record, metric)));
        protobuf::putBytes(values, event_file::summary::kValue, value);
    }
    std::string event;
    protobuf::putDouble(event, event_file::event::kWallTime, startSeconds + record.wallSeconds);
    protobuf::putVarint(event, event_file::event::kStep, static_cast<std::uint64_t>(record.step));
    protobuf::putBytes(event, event_file::event::kSummary, values);
    return event;
}

}  // namespace

Json settingsOf(const ExportedRun& run) {
    const Json all = runToJson(run.settings);
    if (run.info.kind != RunKind::Watched) return all;
    Json known{{"name", run.settings.name}, {"precision", run.info.policy}};
    known["scaler"] = run.info.scalerIsDynamic ? all.at("scaler") : Json("none");
    return known;
}

std::vector<Json> eventsOf(const ExportedRun& run) {
    std::vector<Json> events;
    for (const SettingApplied& change : run.changes) events.push_back(eventOf(change));
    for (const FirstNonFinite& found : run.nonFinite) events.push_back(eventOf(found));
    for (const Note& note : run.notes) events.push_back(eventOf(note));
    std::stable_sort(events.begin(), events.end(),
                     [](const Json& a, const Json& b) { return a.at("step").get<std::int64_t>() < b.at("step").get<std::int64_t>(); });
    return events;
}

fs::path writeCsv(const ExportedRun& run, const fs::path& folder) {
    fs::create_directories(folder);
    OutputFile file(runFile(folder, run.settings.name, ".csv"));
    file.stream() << kCsvHeader << '\n';
    for (const StepRecord& record : run.records) writeCsvRow(file.stream(), record);
    return file.close();
}

fs::path writeJsonLines(const ExportedRun& run, const fs::path& folder) {
    fs::create_directories(folder);
    OutputFile file(runFile(folder, run.settings.name, ".jsonl"));
    std::ostream& out = file.stream();
    const Json head{{"schema", kJsonLinesSchema},
                    {"version", kJsonLinesVersion},
                    {"program", "mantissa " MANTISSA_VERSION},
                    {"run", run.settings.name},
                    {"settings", settingsOf(run)}};
    out << head.dump(-1, ' ', false, Json::error_handler_t::replace) << '\n';
    const std::vector<Json> events = eventsOf(run);
    std::size_t next = 0;
    const auto writeEventsUpTo = [&](std::int64_t step) {
        for (; next < events.size() && events[next].at("step").get<std::int64_t>() <= step; ++next)
            out << events[next].dump(-1, ' ', false, Json::error_handler_t::replace) << '\n';
    };
    for (const StepRecord& record : run.records) {
        writeEventsUpTo(record.step);
        writeStep(out, record);
    }
    writeEventsUpTo(std::numeric_limits<std::int64_t>::max());
    return file.close();
}

fs::path writeTensorBoard(const ExportedRun& run, const fs::path& folder) {
    const fs::path runFolder = runFile(folder, run.settings.name, "");
    fs::create_directories(runFolder);
    const auto second = static_cast<std::int64_t>(run.startSeconds);
    OutputFile file(runFolder / ("events.out." + std::string(event_file::kNamePart) + "." + std::to_string(second) + ".mantissa"));

    std::string version, bytes;
    protobuf::putDouble(version, event_file::event::kWallTime, run.startSeconds);
    protobuf::putBytes(version, event_file::event::kFileVersionText, event_file::kFileVersion);
    event_file::appendRecord(bytes, version);
    for (const StepRecord& record : run.records) {
        event_file::appendRecord(bytes, recordOf(record, run.startSeconds));
        if (bytes.size() < (1u << 20)) continue;
        file.stream().write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
        bytes.clear();
    }
    file.stream().write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    return file.close();
}

}  // namespace mantissa
