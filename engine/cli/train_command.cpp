// SPDX-License-Identifier: Apache-2.0
// train: runs an experiment through a session in this process; progress, files, a table or JSON at the end.
#include <algorithm>
#include <cmath>
#include <iostream>
#include <map>
#include <optional>
#include <set>

#include "engine/cli/commands.h"
#include "engine/cli/end_signals.h"
#include "engine/cli/train_output.h"
#include "engine/session/session.h"

namespace mantissa {
namespace {

struct TrainOptions {
    std::string experiment, device = "auto", csv, weights, report, record;
    std::int64_t steps = -1;
    double seconds = -1;
    std::vector<std::string> assignments;
    bool json = false, quiet = false;
};

Experiment experimentOf(const TrainOptions& options) {
    if (std::isnan(options.seconds)) throw UsageError("train: --seconds: 'nan' is not a number of seconds");  // passes CLI11's check
    return loadExperiment(options.experiment, options.assignments, options.steps);
}

/// Handles a session's events and keeps what the outputs need.
class Follower {
public:
    Follower(TrainOutput& output, Progress& progress) : m_output(output), m_progress(progress) {}

    void handle(Event&& event) {
        if (auto* loaded = std::get_if<ExperimentLoaded>(&event)) {
            for (const RunInfo& info : loaded->runs) m_output.addRun(info);
            m_progress.begin(loaded->runs);
        } else if (auto* changed = std::get_if<RunChanged>(&event)) {
            m_output.runOf(changed->info.id).info = changed->info;
        } else if (auto* steps = std::get_if<StepsRecorded>(&event)) {
            m_output.add(*steps);
            if (std::any_of(steps->records.begin(), steps->records.end(), [](const StepRecord& each) { return each.validated(); }))
                m_validated.insert(steps->run);
            m_progress.show(m_output.runOf(steps->run));
        } else if (auto* applied = std::get_if<SettingApplied>(&event)) {
            m_output.runOf(applied->run).changes.push_back(*applied);
        } else if (auto* found = std::get_if<NonFiniteFound>(&event)) {
            m_output.runOf(found->run).nonFinite.push_back(found->first);
        } else if (auto* read = std::get_if<GaugesRead>(&event)) {
            const std::string before = std::exchange(m_reported[read->run], "");
            m_output.runOf(read->run).statsGauges = *read;
            m_reported[read->run] = m_output.silentMatterText(read->run);
            if (before.empty()) m_progress.say(m_reported[read->run]);
        } else if (auto* sampled = std::get_if<TextSampled>(&event)) {
            m_output.runOf(sampled->run).sample = std::move(*sampled);
        } else if (auto* stopped = std::get_if<RunStopped>(&event)) {
            m_output.runOf(stopped->run).stopReason = stopped->reason;
        } else if (auto* recording = std::get_if<RecordingChanged>(&event)) {
            m_progress.warn(recording->problem);
            m_recordingProblem = recording->problem;
        } else if (auto* refused = std::get_if<CommandRefused>(&event)) {
            if (refused->commandId != 0) throw UsageError(refused->sentence);
            const std::string at = "at " + refused->pointer + ": " + refused->sentence;  // the file's event is not applied; its run goes on
            m_missedEvents += (m_missedEvents.empty() ? "" : "; ") + m_output.runOf(refused->run).info.settings.name + ": " + at;
        }
    }

    /// Runs that were validated since the last call.
    std::set<RunId> takeValidated() { return std::exchange(m_validated, {}); }
    /// "fp16: at /precision: ...; ...": events of the file that could not be applied; empty if all were.
    const std::string& missedEvents() const { return m_missedEvents; }
    /// Why the recording is incomplete; empty if it is complete.
    const std::string& recordingProblem() const { return m_recordingProblem; }

private:
    TrainOutput& m_output;
    Progress& m_progress;
    std::string m_missedEvents, m_recordingProblem;
    std::set<RunId> m_validated;
    std::map<RunId, std::string> m_reported;  // last reported text of the gauges; empty: nothing is wrong
};

/// Computes tensor statistics at intervals, for the gauges that need them. During training they take at most a hundredth of the time in
/// total; the last ones may take more after a short training.
class TensorSampling {
public:
    TensorSampling(Session& session, const TrainOutput& output) : m_session(session), m_output(output) {}

    void along(const std::set<RunId>& runs, double elapsed) {
        for (const RunId run : runs) sample(run, kShare * elapsed - m_seconds);
    }
    void last(double elapsed) {
        for (const auto& [id, run] : m_output.runs()) {
            if (!run.records.empty() && run.stopReason.empty()) sample(id, std::max(kShare * elapsed - m_seconds, kSecondsAtTheEnd));
        }
    }

private:
    static constexpr double kShare = 0.01, kSecondsAtTheEnd = 0.25, kStepsPerSample = 10;
    Session& m_session;
    const TrainOutput& m_output;
    double m_seconds = 0;
    std::map<RunId, double> m_each;  // seconds of a run's last statistics

    void sample(RunId run, double mostSeconds) {
        const auto known = m_each.find(run);
        const std::vector<StepRecord>& records = m_output.runs().at(run).records;
        const double expected = known != m_each.end() ? known->second
                                : records.empty()     ? 0
                                                      : kStepsPerSample * records.back().stepMs / 1000;
        if (expected > mostSeconds) return;
        const auto start = std::chrono::steady_clock::now();
        m_session.readGauges(run);
        m_each[run] = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
        m_seconds += m_each[run];
    }
};

int train(const TrainOptions& options) {
    const Experiment experiment = experimentOf(options);
    const std::shared_ptr<Backend> backend = openDevice(options.device);
    // throws before an hour of training if the folder cannot be made
    if (!options.weights.empty()) makeFolder(options.weights);
    TrainOutput output(experiment, backend->device(), options.csv, options.report);
    Progress progress(options.quiet || options.json);
    Follower follower(output, progress);
    Session session(backend, [&](Event&& event) { follower.handle(std::move(event)); });
    session.expectNoWayBack();
    if (!options.record.empty()) session.recordTo(options.record);
    session.post({1, LoadExperiment{experiment.name, writeExperiment(experiment)}});
    session.post({2, Train{}});

    std::optional<EndSignals> signals(std::in_place, true);
    const auto start = std::chrono::steady_clock::now();
    TensorSampling sampling(session, output);
    const auto elapsed = [&] { return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count(); };
    do {
        advance(session);
        sampling.along(follower.takeValidated(), elapsed());
    } while (session.state() == LabState::Training && EndSignals::received() == 0 && (options.seconds < 0 || elapsed() < options.seconds));
    signals.reset();
    session.post({3, Pause{}});  // emits the records that are still being collected
    session.advance(0, 0);
    const double trainedSeconds = elapsed();
    sampling.last(trainedSeconds);
    session.endRecording();
    progress.end();

    output.finish(trainedSeconds);
    if (options.json || !options.quiet || !options.report.empty()) {
        while (session.measurePeak()) {
        }
    }
    if (!options.weights.empty()) output.saveWeights(session, options.weights);
    if (!options.report.empty()) output.writeReport();
    if (options.json) {
        std::cout << output.json() << '\n';
    } else if (!options.quiet) {
        std::cout << output.table();
        if (!options.csv.empty()) std::cout << "CSV: " << options.csv << '\n';
        if (!options.record.empty()) std::cout << "Recording: " << options.record << '\n';
        if (!options.weights.empty()) std::cout << "Weights: " << options.weights << '\n';
        if (!options.report.empty()) std::cout << "Report: " << options.report << "/index.html\n";
    }
    if (!follower.recordingProblem().empty()) throw RunError("--record: " + follower.recordingProblem());
    if (const std::string reason = output.stopReasons(); !reason.empty()) throw RunError(reason);
    if (!follower.missedEvents().empty()) throw RunError(follower.missedEvents());
    return EndSignals::reportAndGetExitCode();
}

}  // namespace

void addTrain(CLI::App& app, Work& work) {
    CLI::App* command = app.add_subcommand("train", "Train an experiment");
    auto o = std::make_shared<TrainOptions>();
    command->add_option("EXPERIMENT", o->experiment, "a JSON file or the name of a bundled experiment (default: four-formats)");
    command->add_option("--steps", o->steps, "steps of every run")->check(wholeNumberFrom(0));
    command->add_option("--seconds", o->seconds, "stop after so many seconds")->check(numberFromZero());
    command->add_option("--device", o->device, "auto, cpu or cuda:0")->capture_default_str();
    command->add_option("--set", o->assignments, "/json/pointer=VALUE, over the file (repeatable)")->allow_extra_args(false);
    command->add_option("--record", o->record, "record every step and change into this new file (.mantissa)");
    command->add_option("--csv", o->csv, "write RUN.csv for each run into this folder");
    command->add_option("--save-weights", o->weights, "write RUN.safetensors for each run into this folder");
    command->add_option("--report", o->report, "write a report (HTML, plots, CSVs, the experiment) into this folder");
    command->add_flag("--json", o->json, "one JSON object on standard output");
    command->add_flag("--quiet", o->quiet, "no progress, no table");
    command->callback([&work, o] {
        if (o->experiment.empty()) o->experiment = bundledExperiments().front().name;
        work = [o] {
            try {
                return train(*o);
            } catch (const RunError& error) {  // a file size limit also raises a signal
                if (EndSignals::received() == 0) throw;
                complain(error.what());
                return EndSignals::exitCode();
            }
        };
    });
}

}  // namespace mantissa
