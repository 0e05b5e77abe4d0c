// SPDX-License-Identifier: Apache-2.0
// attach: a PyTorch training that a probe reports, or a log of any program, as a table in the terminal, a recording, or JSON.
#include <cstdio>
#include <iostream>
#include <map>

#include "engine/attach/probe_source.h"
#include "engine/cli/attach_log.h"
#include "engine/cli/commands.h"
#include "engine/cli/diagnose_output.h"
#include "engine/cli/end_signals.h"
#include "engine/data/one_line.h"
#include "engine/diagnosis/verdict.h"
#include "engine/session/session.h"
#include "engine/telemetry/number_format.h"

namespace mantissa {
namespace {

using Clock = std::chrono::steady_clock;

struct AttachOptions {
    WatchTraining watch;
    std::string record;
    bool json = false, quiet = false, follow = false;
};

struct Watched {
    RunInfo info;
    std::int64_t steps = 0, statistics = 0;  // received
    std::int64_t rows = 0;                   // steps printed in the table
    StepRecord last;
    double nextScale = 1;
    std::optional<FirstNonFinite> first;
    std::map<std::int64_t, Examination> examined;  // by step: later events of a step replace earlier ones
    std::string lastWhy;                           // the explanation printed last: it is printed once for steps that share it

    /// Steps between the first and the last that were not received.
    std::int64_t missing() const { return steps == 0 ? 0 : last.step + 1 - info.firstStep - steps; }
};

std::string noteOf(const StepRecord& record) {
    if (record.skipped()) return "skipped";
    if ((record.flags & kFlagLossNonFinite) != 0) return "loss not finite";
    return (record.flags & kFlagGradNormNonFinite) != 0 ? "gradients not finite" : "";
}

std::string linkText(WatchLink link) {
    switch (link) {
        case WatchLink::Connected:
        case WatchLink::Followed:
            return "running";
        case WatchLink::Lost:
            return "gone without a word";
        case WatchLink::Ended:
            return "ended";
        case WatchLink::None:
            break;
    }
    return "";
}

/// The state of a run's connection in JSON.
const char* linkName(WatchLink link) {
    return isOpen(link) ? "connected" : link == WatchLink::Lost ? "lost" : "ended";
}

/// Prints events, and keeps data for the end.
class Table {
public:
    Table(bool isSilent, bool isFile) : m_isSilent(isSilent), m_isFile(isFile) {}

    void handle(Event&& event) {
        if (auto* added = std::get_if<RunAdded>(&event)) {
            m_runs[added->info.id].info = added->info;
            say(added->info.settings.name + ": " + added->info.modelText + ", " + added->info.watch.process);
            say("    step         loss   loss scale    grad norm         lr    step ms");
        } else if (auto* changed = std::get_if<RunChanged>(&event)) {
            take(m_runs[changed->info.id], changed->info);
        } else if (auto* steps = std::get_if<StepsRecorded>(&event)) {
            take(m_runs[steps->run], *steps);
        } else if (auto* found = std::get_if<NonFiniteFound>(&event)) {
            m_runs[found->run].first = found->first;
        } else if (auto* examined = std::get_if<StepExamined>(&event)) {
            take(m_runs[examined->run], examined->examination);
        } else if (auto* measured = std::get_if<TensorsMeasured>(&event)) {
            ++m_runs[measured->run].statistics;
        } else if (auto* watching = std::get_if<WatchingChanged>(&event)) {
            if (!watching->place.empty()) complain("listens at " + watching->place);
        } else if (auto* recording = std::get_if<RecordingChanged>(&event)) {
            m_recordingProblem = recording->problem;
        } else if (auto* refused = std::get_if<CommandRefused>(&event)) {
            if (refused->commandId != 0 || m_isFile) throw UsageError(refused->sentence);
            complain(refused->sentence);  // no training on this connection; others may follow
        }
    }

    /// Whether every received training has ended or was lost.
    bool isOver() const {
        return !m_runs.empty() &&
               std::all_of(m_runs.begin(), m_runs.end(), [](const auto& each) { return !isOpen(each.second.info.watch.link); });
    }
    const std::map<RunId, Watched>& runs() const { return m_runs; }
    const std::string& recordingProblem() const { return m_recordingProblem; }

private:
    static constexpr std::chrono::milliseconds kBetweenLines{200};
    struct Printed {
        Clock::time_point at{};
        std::int64_t next = 0;
    };
    bool m_isSilent, m_isFile;
    std::map<RunId, Watched> m_runs;
    std::map<RunId, Printed> m_printed;
    std::string m_recordingProblem;

    /// Live steps are printed at time intervals, steps of a file at growing step intervals.
    bool isDue(Printed& printed, std::int64_t step) const {
        const bool isNow = m_isFile ? step >= printed.next : Clock::now() - printed.at >= kBetweenLines;
        if (isNow) printed = {Clock::now(), step + 1 + step / 10};
        return isNow;
    }
    void say(const std::string& line) const {
        if (!m_isSilent) std::cout << oneLine(line) << std::endl;  // flushed for readers that follow a pipe
    }
    void take(Watched& run, const RunInfo& info) {
        if (info.watch.link != run.info.watch.link) say(info.settings.name + ": " + linkText(info.watch.link));
        for (std::size_t i = run.info.watch.problems.size(); i < info.watch.problems.size(); ++i)
            complain(info.settings.name + ": " + info.watch.problems[i]);
        run.info = info;
    }
    void take(Watched& run, const StepsRecorded& steps) {
        for (const StepRecord& record : steps.records) {
            ++run.steps;
            run.last = record;
            if (noteOf(record).empty() && !isDue(m_printed[steps.run], record.step)) continue;
            ++run.rows;
            char line[160];
            std::snprintf(line, sizeof line, "%8lld %12s %12s %12s %10s %10s  %s", static_cast<long long>(record.step),
                          known(record, Metric::Loss, "%.6g").c_str(), known(record, Metric::LossScale, "%.7g").c_str(),
                          known(record, Metric::GradNorm, "%.6g").c_str(), known(record, Metric::LearningRate, "%.4g").c_str(),
                          known(record, Metric::StepMs, "%.3g").c_str(), noteOf(record).c_str());
            say(line);
        }
        run.nextScale = steps.nextScale;
    }
    void take(Watched& run, const Examination& examination) {
        const bool isNew = run.examined.insert_or_assign(examination.step, examination).second;
        if (!isNew || run.examined.size() > 10) return;
        const SkipVerdict& verdict = examination.verdict;
        std::string words = verdict.headline.english();
        if (const std::string why = verdict.explanation.english(); why != std::exchange(run.lastWhy, why)) words += " " + why;
        say("         step " + std::to_string(examination.step) + ": " + words);
    }
    static std::string known(const StepRecord& record, Metric metric, const char* format) {
        return hasMetric(record, metric) ? brief(metricValue(record, metric), format) : "-";
    }
};

std::string jsonText(const Table& table) {
    nlohmann::ordered_json runs = nlohmann::ordered_json::array();
    const auto known = [](const StepRecord& record, Metric metric) {  // null: the probe does not know it, or there was no step
        return hasMetric(record, metric) ? jsonNumber(metricValue(record, metric)) : nlohmann::ordered_json();
    };
    for (const auto& [id, run] : table.runs()) {
        nlohmann::ordered_json json{{"name", run.info.settings.name},
                                    {"model", run.info.modelText},
                                    {"process", run.info.watch.process},
                                    {"state", linkName(run.info.watch.link)},
                                    {"precision", run.info.policy},
                                    {"first_step", run.info.firstStep},
                                    {"steps", run.steps},
                                    {"missing_steps", run.missing()},
                                    {"skipped", run.last.skippedTotal},
                                    {"loss", known(run.last, Metric::Loss)},
                                    {"grad_norm", known(run.last, Metric::GradNorm)},
                                    {"loss_scale", run.info.scalerIsDynamic ? jsonNumber(run.nextScale) : nullptr},
                                    {"statistics", run.statistics},
                                    {"dropped_messages", run.info.watch.dropped},
                                    {"problems", run.info.watch.problems},
                                    {"first_non_finite", nullptr},
                                    {"examined", nlohmann::ordered_json::array()}};
        if (run.first) json["first_non_finite"] = firstNonFiniteJson(*run.first);
        for (const auto& [step, each] : run.examined) {
            nlohmann::ordered_json bad{{"step", step},
                                       {"verdict", verdictName(each.verdict.kind)},
                                       {"headline", each.verdict.headline.english()},
                                       {"explanation", each.verdict.explanation.english()},
                                       {"tensor", each.card.tensor},
                                       {"layer", each.card.layer},
                                       {"loss_scale", jsonNumber(each.lossScale)},
                                       {"skipped", each.wasSkipped}};
            if (each.verdict.safeScale > 0) bad["safe_scale"] = each.verdict.safeScale;
            json["examined"].push_back(std::move(bad));
        }
        runs.push_back(std::move(json));
    }
    return nlohmann::ordered_json{{"runs", runs}}.dump();
}

std::string endText(const Watched& run) {
    return run.info.settings.name + ": " + groupedText(run.steps) + (run.steps == 1 ? " step, " : " steps, ") +
           (run.rows < run.steps ? groupedText(run.rows) + " of them in the table, " : "") +
           (run.missing() > 0 ? groupedText(run.missing()) + " missing, " : "") + groupedText(run.last.skippedTotal) +
           " skipped; statistics of " + groupedText(run.statistics) + (run.statistics == 1 ? " step" : " steps") +
           (run.info.watch.dropped > 0
                ? "; " + groupedText(run.info.watch.dropped) + " messages were dropped because the lab did not read them in time"
                : "");
}

/// A sentence about a run whose end was not received.
std::string lostText(const Watched& run, const std::string& place) {
    if (!isProbeFile(place)) return "'" + run.info.settings.name + "': its process has gone without a word";
    if (!run.info.watch.problems.empty()) return place + ": not read to the end of the training; all that came is shown";
    return place + ": the training has not ended, or its process has gone without a word; all that came is shown";
}

/// A lost connection may be restored within this time.
constexpr std::chrono::seconds kGrace(3);

int attach(AttachOptions options) {
    std::string& place = options.watch.place;
    if (place.empty() || place == "default") place = defaultProbePlace();  // as for mantissa-lab --listen
    if (isLogPlace(place))
        return attachLog({.path = place, .record = options.record, .json = options.json, .quiet = options.quiet, .follow = options.follow});
    Table table(options.quiet || options.json, isProbeFile(options.watch.place));
    Session session(createCpuBackend(), [&](Event&& event) { table.handle(std::move(event)); });
    if (!options.record.empty()) session.recordTo(options.record);
    WatchTraining watch = options.watch;
    watch.follows = options.follow;
    session.post({1, watch});
    std::optional<EndSignals> signals(std::in_place, true);
    Clock::time_point over{};  // the epoch: not over
    while (EndSignals::received() == 0) {
        session.advance();
        const bool isLost = std::any_of(table.runs().begin(), table.runs().end(),
                                        [](const auto& each) { return each.second.info.watch.link == WatchLink::Lost; });
        if (!table.isOver() || (options.follow && isLost)) {
            over = {};
            continue;
        }
        if (over == Clock::time_point{}) over = Clock::now();
        if (!isLost || isProbeFile(watch.place) || Clock::now() - over > kGrace) break;
    }
    signals.reset();
    session.endRecording();
    if (options.json)
        std::cout << jsonText(table) << '\n';
    else if (!options.quiet)
        for (const auto& [id, run] : table.runs()) std::cout << oneLine(endText(run)) << '\n';
    if (!options.record.empty() && !options.json && !options.quiet) std::cout << "Recording: " << options.record << '\n';
    if (!table.recordingProblem().empty()) throw RunError("--record: " + table.recordingProblem());
    if (EndSignals::received() != 0) return EndSignals::reportAndGetExitCode();
    for (const auto& [id, run] : table.runs())
        if (run.info.watch.link == WatchLink::Lost) throw RunError(lostText(run, options.watch.place));
    return kExitDone;
}

}  // namespace

void addAttach(CLI::App& app, Work& work) {
    CLI::App* command = app.add_subcommand("attach", "Watch a PyTorch training that mantissa_probe reports, or read a training's log");
    auto o = std::make_shared<AttachOptions>();
    command->add_option("PLACE", o->watch.place,
                        "unix:PATH, tcp:127.0.0.1:PORT or a file (.mprobe); a log or a folder of logs (TensorBoard, W&B, trackio, Trainer, "
                        "Megatron, torchtitan, CSV, JSON lines); 'default' or nothing: where probes connect by themselves");
    command->add_option("--record", o->record, "record all of it into this new file (.mantissa)");
    command->add_option("--token", o->watch.token, "what a probe has to send (its token=)");
    command->add_flag("--allow-remote", o->watch.allowsRemote, "listen at an address that other machines reach");
    command->add_flag("--follow", o->follow, "wait for more where a file ends, and for a process that has gone; of a log, until Ctrl-C");
    command->add_flag("--json", o->json, "one JSON object on standard output, at the end");
    command->add_flag("--quiet", o->quiet, "no table");
    command->callback([&work, o] { work = [o] { return attach(*o); }; });
}

}  // namespace mantissa
