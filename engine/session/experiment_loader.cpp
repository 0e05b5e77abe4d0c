// SPDX-License-Identifier: Apache-2.0
#include "engine/session/experiment_loader.h"

#include <algorithm>
#include <cmath>

#include "engine/session/run_info.h"

namespace mantissa {
namespace {

constexpr const char* kBareName = "watched-training";
constexpr const char* kBareTitle = "Watched training";

std::string factOf(const Recording& recording, const std::string& key) {
    const auto fact = recording.facts().find(key);
    return fact == recording.facts().end() ? "" : fact->second;
}

}  // namespace

/// Ends the present experiment: replaces its live runs, and discards the others and what the session knows of them. `isListening`: new
/// trainings are still accepted.
void ExperimentLoader::endPresent(std::vector<std::unique_ptr<LiveRun>> live, bool isListening) {
    m_questions.endAll("another experiment was loaded meanwhile");
    m_clock.begin(0);
    m_table.live = std::move(live);
    if (!isListening) m_trainings.endListening();
    m_table.shown.clear();
    m_trainings.forget();
    m_imports.forget();
    m_table.removed.clear();
    m_scheduler.forgetTimes();
}

void ExperimentLoader::carryOut(std::uint64_t, const LoadExperiment& load) {
    std::string source = load.nameOrPath;
    std::filesystem::path folder = std::filesystem::path(load.nameOrPath).parent_path();  // folder of the text's file
    const std::string text = load.text.empty() ? loadExperimentText(load.nameOrPath, source, folder) : load.text;
    Experiment next = parseExperiment(text, source, folder);
    if (!load.text.empty()) next.name = load.nameOrPath;
    std::vector<std::unique_ptr<LiveRun>> made;
    for (std::size_t i = 0; i < next.runs.size(); ++i) {
        try {
            made.push_back(m_maker.make(m_table.nextId++, next.runs[i]));
        } catch (const std::invalid_argument& error) {
            throw InputError(source, "/runs/" + std::to_string(i), error.what());
        }
        made.back()->schedule(next.events);
    }
    m_journal.begin(next, text);
    // a bad experiment has thrown before this line and left the old one unchanged
    const Dataset& data = *next.data.front();
    ExperimentLoaded loaded{.name = next.name,
                            .title = next.title,
                            .description = next.description,
                            .steps = next.steps(),
                            .trainCount = data.trainCount(),
                            .validationCount = data.validationCount(),
                            .dataName = data.name,
                            .dataCredit = data.credit,
                            .dataText = dataText(next),
                            .runs = {},
                            .lookFor = next.lookFor};
    for (const auto& run : made) {
        m_journal.run(run->course());
        loaded.runs.push_back(runInfo(*run));
    }
    m_table.experiment = std::move(next);
    m_table.opened.clear();
    endPresent(std::move(made), false);
    m_outbox.emit(std::move(loaded));
    m_scheduler.setState(LabState::Paused);
}

void ExperimentLoader::carryOut(std::uint64_t, const ResetExperiment&) {
    m_scheduler.requireExperiment();
    std::vector<std::unique_ptr<LiveRun>> made;
    std::vector<RunId> whatIfs;
    for (const auto& run : m_table.live) {
        if (run->course().isWhatIf()) {
            whatIfs.push_back(run->course().id);
            continue;
        }
        made.push_back(m_maker.make(run->course().id, run->course().ownSettings));
        made.back()->schedule(run->course().scheduled);
    }
    for (const RunId id : whatIfs) m_editor.remove(id, false);
    m_questions.endAll("the runs were started again meanwhile");
    m_table.removed.clear();
    m_table.live = std::move(made);
    m_clock.begin(0);
    m_outbox.emit(ExperimentReset{});
    for (const auto& run : m_table.live) {
        m_journal.run(run->course());
        m_outbox.emit(RunChanged{runInfo(*run)});
    }
    m_scheduler.setState(LabState::Paused);
}

void ExperimentLoader::loadBare() {
    Experiment bare;
    bare.name = kBareName;
    bare.title = kBareTitle;
    m_journal.begin(bare, "");
    m_table.experiment = std::move(bare);
    m_table.opened.clear();
    endPresent({}, true);
    m_outbox.emit(ExperimentLoaded{.name = kBareName, .title = kBareTitle});
    m_outbox.emit(ExperimentText{});  // there is no file
    m_scheduler.setState(LabState::Finished);
}

/// Reads a recording and emits its events. Its experiment replaces the current runs.
std::string ExperimentLoader::publishRecorded(const Recording& recording, RecordedRuns& recorded) {
    bool isLoaded = false;
    std::string trouble = readAll(recording, recorded, [&](Event&& event) {
        if (std::holds_alternative<ExperimentLoaded>(event)) {
            isLoaded = true;
            endPresent({}, false);
            m_scheduler.beginRecorded();
        }
        if (const auto* steps = std::get_if<StepsRecorded>(&event); steps != nullptr && !steps->records.empty())
            if (const double seconds = steps->records.back().wallSeconds; std::isfinite(seconds))
                m_clock.begin(std::max(m_clock.seconds(), seconds));
        m_outbox.follow(event);
        m_trainings.recall(event);
        m_imports.recall(event);
        if (isLoaded) m_outbox.send(std::move(event));
    });
    if (!isLoaded)
        throw InputError("", "",
                         recording.summary().path + ": the recording holds no experiment" + (trouble.empty() ? "" : ": " + trouble));
    return trouble;
}

/// The recording's experiment, without runs if it cannot be read.
Experiment ExperimentLoader::experimentOf(const Recording& recording) const {
    const std::string name = factOf(recording, "name");
    try {
        Experiment loaded = parseExperiment(factOf(recording, "experiment"), name, factOf(recording, "folder"));
        loaded.name = name;
        return loaded;
    } catch (const InputError&) {
        Experiment bare;
        bare.name = name;
        bare.title = factOf(recording, "title");
        return bare;
    }
}

void ExperimentLoader::carryOut(std::uint64_t, const OpenRecording& command) {
    if (m_journal.isWriting(command.path)) throw InputError("", "", command.path + " is being written");
    const Recording recording(command.path);
    RecordedRuns recorded;
    std::string whyReadOnly = publishRecorded(recording, recorded);
    m_journal.end();
    m_table.opened = command.path;
    m_table.experiment = experimentOf(recording);
    recorded.take(recording.snapshots());
    m_table.nextId = std::max(m_table.nextId, recorded.freeId());
    for (auto& [id, way] : recorded.runs()) {
        if (way.isWatched()) continue;
        try {
            if (!whyReadOnly.empty()) throw InputError("", "", whyReadOnly);
            m_table.live.push_back(m_maker.recorded(way, storedPoints(recording, way, kSnapshotBudget)));
        } catch (const std::exception& error) {
            m_editor.makeReadOnly(id, way.info, recording.summary().path + ": " + refusalSentence(error));
        }
    }
    for (const auto& [id, run] : m_table.watched)
        if (recorded.runs().contains(id)) {
            m_table.shown[id] = run->info();
            m_outbox.send(RunChanged{run->info()});  // its process has ended
        }
    m_table.sort();
    m_trainings.forgetPutAside();
    if (whyReadOnly.empty() && m_journal.recordsEach()) m_journal.resume(command.path);
    for (const auto& [id, run] : m_table.watched) m_journal.watch(id, run->seconds());
    m_outbox.send(
        RecordingOpened{command.path, factOf(recording, "started"), factOf(recording, "version"), whyReadOnly, recording.missing()});
    m_scheduler.setState(m_scheduler.hasStepsLeft() ? LabState::Paused : LabState::Finished);
}

}  // namespace mantissa
