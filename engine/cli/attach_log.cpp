// SPDX-License-Identifier: Apache-2.0
#include "engine/cli/attach_log.h"

#include <algorithm>
#include <cstdio>
#include <iostream>
#include <map>
#include <set>

#include "engine/attach/probe_source.h"
#include "engine/cli/commands.h"
#include "engine/cli/end_signals.h"
#include "engine/data/one_line.h"
#include "engine/session/session.h"
#include "engine/telemetry/number_format.h"

namespace mantissa {
namespace {

using LogClock = std::chrono::steady_clock;

struct LoggedSeries {
    Metric metric = Metric::Other;
    std::vector<std::int64_t> steps;
    std::vector<double> values;
};

struct LoggedRun {
    RunInfo info;
    std::map<std::string, LoggedSeries, std::less<>> series;  // by name; a metric of ours by its own
    std::int64_t printedTo = -1;                              // steps up to this one were printed or omitted
    std::int64_t next = 0;                                    // the first step to print, of steps that are read at once
    LogClock::time_point printedAt{};

    const LoggedSeries* of(Metric metric) const {
        const auto found = series.find(metricName(metric));
        return found == series.end() ? nullptr : &found->second;
    }
    std::set<std::int64_t> stepsFrom(std::int64_t first) const {
        std::set<std::int64_t> steps;
        for (const auto& [name, each] : series)
            steps.insert(std::lower_bound(each.steps.begin(), each.steps.end(), first), each.steps.end());
        return steps;
    }
};

double valueAt(const LoggedSeries& series, std::int64_t step) {
    const auto at = std::lower_bound(series.steps.begin(), series.steps.end(), step);
    return series.values[static_cast<std::size_t>(at - series.steps.begin())];
}

bool hasValueAt(const LoggedSeries* series, std::int64_t step) {
    return series != nullptr && std::binary_search(series->steps.begin(), series->steps.end(), step);
}

/// Prints events, and keeps all data for the end.
class LogTable {
public:
    LogTable(bool isSilent, bool follows) : m_isSilent(isSilent), m_follows(follows) {}

    void handle(Event&& event) {
        if (auto* added = std::get_if<RunAdded>(&event)) {
            m_runs[added->info.id].info = added->info;
            say(added->info.settings.name + ": from " + added->info.origin);
            say("    step         loss   loss scale    grad norm         lr    step ms");
            complainOfNew({}, added->info);
        } else if (auto* changed = std::get_if<RunChanged>(&event)) {
            RunInfo& info = m_runs[changed->info.id].info;
            complainOfNew(info.watch.problems, changed->info);
            info = changed->info;
        } else if (auto* series = std::get_if<SeriesImported>(&event)) {
            take(m_runs[series->run], *series);
        } else if (auto* back = std::get_if<RunRewound>(&event)) {
            goBack(m_runs[back->run], back->step);
        } else if (auto* recording = std::get_if<RecordingChanged>(&event)) {
            m_recordingProblem = recording->problem;
        } else if (auto* refused = std::get_if<CommandRefused>(&event)) {
            throw UsageError(refused->sentence);
        } else if (std::holds_alternative<CommandDone>(event)) {
            m_isDone = true;
        }
    }

    /// Prints new rows: those read at once at growing step intervals, live ones a few times a second.
    void printRows() {
        for (auto& [id, run] : m_runs) {
            if (m_isSilent) continue;
            const bool isLive = m_follows && m_hasPrinted;
            if (isLive && LogClock::now() - run.printedAt < kBetweenLines) continue;
            const std::set<std::int64_t> steps = run.stepsFrom(run.printedTo + 1);
            if (steps.empty()) continue;
            if (isLive) say(lineOf(run, *steps.rbegin()));
            for (auto step = steps.begin(); !isLive && step != steps.end(); ++step) {
                if (*step < run.next) continue;
                say(lineOf(run, *step));
                run.next = *step + 1 + *step / 10;
            }
            run.printedTo = *steps.rbegin();
            run.printedAt = LogClock::now();
        }
        m_hasPrinted = m_isDone;
    }

    bool isDone() const { return m_isDone; }
    const std::map<RunId, LoggedRun>& runs() const { return m_runs; }
    const std::string& recordingProblem() const { return m_recordingProblem; }

private:
    static constexpr std::chrono::milliseconds kBetweenLines{200};
    bool m_isSilent, m_follows, m_isDone = false, m_hasPrinted = false;
    std::map<RunId, LoggedRun> m_runs;
    std::string m_recordingProblem;

    void say(const std::string& line) const {
        if (!m_isSilent) std::cout << oneLine(line) << std::endl;  // flushed for readers that follow a pipe
    }
    static void complainOfNew(const std::vector<std::string>& before, const RunInfo& now) {
        if (now.watch.problems == before) return;
        for (const std::string& problem : now.watch.problems) complain(problem);
        if (now.watch.problems.empty()) complain(now.settings.name + ": it is read again");
    }
    static void take(LoggedRun& run, const SeriesImported& come) {
        LoggedSeries& series = run.series[come.metric == Metric::Other ? come.name : std::string(metricName(come.metric))];
        series.metric = come.metric;
        series.steps.insert(series.steps.end(), come.steps.begin(), come.steps.end());
        series.values.insert(series.values.end(), come.values.begin(), come.values.end());
    }
    static void goBack(LoggedRun& run, std::int64_t step) {
        for (auto& [name, series] : run.series) {
            series.steps.erase(std::lower_bound(series.steps.begin(), series.steps.end(), step), series.steps.end());
            series.values.resize(series.steps.size());
        }
        std::erase_if(run.series, [](const auto& each) { return each.second.steps.empty(); });
        run.printedTo = std::min(run.printedTo, step - 1);
        run.next = std::min(run.next, step);
    }
    static std::string lineOf(const LoggedRun& run, std::int64_t step) {
        const auto text = [&](Metric metric, const char* format) {
            const LoggedSeries* series = run.of(metric);
            return hasValueAt(series, step) ? brief(valueAt(*series, step), format) : std::string("-");
        };
        char line[160];
        std::snprintf(line, sizeof line, "%8lld %12s %12s %12s %10s %10s", static_cast<long long>(step), text(Metric::Loss, "%.6g").c_str(),
                      text(Metric::LossScale, "%.7g").c_str(), text(Metric::GradNorm, "%.6g").c_str(),
                      text(Metric::LearningRate, "%.4g").c_str(), text(Metric::StepMs, "%.3g").c_str());
        return line;
    }
};

std::string jsonText(const LogTable& table) {
    nlohmann::ordered_json runs = nlohmann::ordered_json::array();
    for (const auto& [id, run] : table.runs()) {
        const std::set<std::int64_t> steps = run.stepsFrom(0);
        const WatchLink link = run.info.watch.link;
        nlohmann::ordered_json json{{"name", run.info.settings.name},
                                    {"origin", run.info.origin},
                                    {"state", link == WatchLink::Followed ? "followed"
                                              : link == WatchLink::Lost   ? "lost"
                                                                          : "read"},
                                    {"steps", steps.size()},
                                    {"first_step", nullptr},
                                    {"last_step", nullptr},
                                    {"problems", run.info.watch.problems},
                                    {"series", nlohmann::ordered_json::array()}};
        if (!steps.empty()) json["first_step"] = *steps.begin(), json["last_step"] = *steps.rbegin();
        for (const auto& [name, series] : run.series)
            json["series"].push_back({{"name", name},
                                      {"is_metric", series.metric != Metric::Other},
                                      {"values", series.steps.size()},
                                      {"last_step", series.steps.back()},
                                      {"last", jsonNumber(series.values.back())}});
        runs.push_back(std::move(json));
    }
    using ErrorHandler = nlohmann::ordered_json::error_handler_t;  // names come from files: may be invalid UTF-8
    return nlohmann::ordered_json{{"runs", runs}}.dump(-1, ' ', false, ErrorHandler::replace);
}

std::string endText(const LoggedRun& run) {
    const auto count = [](std::size_t number, const char* what) {
        return groupedText(static_cast<std::int64_t>(number)) + " " + what + (number == 1 ? "" : "s");
    };
    const auto others = static_cast<std::size_t>(
        std::count_if(run.series.begin(), run.series.end(), [](const auto& each) { return each.second.metric == Metric::Other; }));
    return run.info.settings.name + ": " + count(run.stepsFrom(0).size(), "step") + ", " + count(run.series.size() - others, "metric") +
           (others > 0 ? ", " + groupedText(static_cast<std::int64_t>(others)) + " other series" : "");
}

}  // namespace

bool isLogPlace(const std::string& place) {
    return !place.empty() && !isProbeFile(place) && !place.starts_with("unix:") && !place.starts_with("tcp:");
}

int attachLog(const AttachLogOptions& options) {
    if (options.path.ends_with(kRecordingExtension))
        throw UsageError(options.path + ": is a recording: open it in the window, or export it with 'mantissa export'");
    LogTable table(options.quiet || options.json, options.follow);
    Session session(createCpuBackend(), [&](Event&& event) { table.handle(std::move(event)); });
    if (!options.record.empty()) session.recordTo(options.record);
    session.post({1, ImportRuns{.path = options.path, .follows = options.follow, .isAlone = true}});
    std::optional<EndSignals> signals(std::in_place, true);
    while (EndSignals::received() == 0 && (options.follow || !table.isDone())) {
        session.advance();
        table.printRows();
    }
    signals.reset();
    session.endRecording();
    if (options.json)
        std::cout << jsonText(table) << '\n';
    else if (!options.quiet)
        for (const auto& [id, run] : table.runs()) std::cout << oneLine(endText(run)) << '\n';
    if (!options.record.empty() && !options.json && !options.quiet) std::cout << "Recording: " << options.record << '\n';
    if (!table.recordingProblem().empty()) throw RunError("--record: " + table.recordingProblem());
    return EndSignals::received() != 0 ? EndSignals::reportAndGetExitCode() : kExitDone;
}

}  // namespace mantissa
