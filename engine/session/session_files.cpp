// SPDX-License-Identifier: Apache-2.0
// Commands about files: opening, listing and deleting recordings, and exporting runs.
#include <algorithm>
#include <cmath>

#include "engine/exchange/snippet.h"
#include "engine/experiment/safetensors.h"
#include "engine/session/recorded_runs.h"
#include "engine/session/recording_export.h"
#include "engine/session/session_impl.h"
#include "engine/wire/wire.h"

namespace mantissa {
namespace {

std::string factOf(const Recording& recording, const std::string& key) {
    const auto fact = recording.facts().find(key);
    return fact == recording.facts().end() ? "" : fact->second;
}

/// Points of a run's sketch, and the number of recordings with sketches (the latest), limited by the size of a message.
constexpr int kSketchPoints = 64;
constexpr std::size_t kMostSketched = 200;

ListedRecording listedOf(RecordingSummary&& summary, bool isSketched) {
    const auto fact = [&](const char* key) { return summary.facts.contains(key) ? summary.facts.at(key) : ""; };
    const std::string title = fact("title");
    ListedRecording listed{summary.path, title.empty() ? fact("name") : title, fact("started"), 0, summary.bytes, {}};
    for (RunSketch& each : summary.runs) {
        ListedRun run;
        try {
            const RecordedRun begin({.kind = kRunEntry, .run = each.run, .step = -1, .body = std::move(each.begin)});
            run.policy = begin.settings.training.precision.policy;
        } catch (const InputError&) {  // damaged file: unknown format
        }
        run.steps = each.steps.empty() ? 0 : each.steps.back() + 1;
        listed.steps = std::max(listed.steps, run.steps);
        if (isSketched) {
            run.lossSteps = std::move(each.steps);
            run.losses = std::move(each.losses);
        }
        listed.runs.push_back(std::move(run));
    }
    return listed;
}

}  // namespace

/// Reads a recording and emits its events. Its experiment replaces the current runs.
std::string Session::Impl::publishRecorded(const Recording& recording, RecordedRuns& recorded) {
    bool isLoaded = false;
    std::string trouble = readAll(recording, recorded, [&](Event&& event) {
        if (std::holds_alternative<ExperimentLoaded>(event)) {
            isLoaded = true;
            questions.endAll("another experiment was loaded meanwhile");
            runs.clear();
            endListening();
            forgetShown();
            removed.clear();
            spent.clear();
            state = LabState::Paused;
            clock.begin(0);
        }
        if (const auto* steps = std::get_if<StepsRecorded>(&event); steps != nullptr && !steps->records.empty())
            if (const double seconds = steps->records.back().wallSeconds; std::isfinite(seconds))
                clock.begin(std::max(clock.seconds(), seconds));
        followEvent(event);
        recallWatched(event);
        recallImported(event);
        if (isLoaded) sink(std::move(event));
    });
    if (!isLoaded)
        throw InputError("", "",
                         recording.summary().path + ": the recording holds no experiment" + (trouble.empty() ? "" : ": " + trouble));
    return trouble;
}

/// The recording's experiment, without runs if it cannot be read.
Experiment Session::Impl::experimentOf(const Recording& recording) const {
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

void Session::Impl::carryOut(std::uint64_t, const OpenRecording& command) {
    if (journal.isWriting(command.path)) throw InputError("", "", command.path + " is being written");
    const Recording recording(command.path);
    RecordedRuns recorded;
    std::string whyReadOnly = publishRecorded(recording, recorded);
    journal.end();
    opened = command.path;
    experiment = experimentOf(recording);
    recorded.take(recording.snapshots());
    nextId = std::max(nextId, recorded.freeId());
    for (auto& [id, way] : recorded.runs()) {
        if (way.isWatched()) continue;
        try {
            if (!whyReadOnly.empty()) throw InputError("", "", whyReadOnly);
            runs.push_back(LiveRun::recorded(way, storedPoints(recording, way, kSnapshotBudget), backend,
                                             [this](Event&& event) { emit(std::move(event)); }));
            runs.back()->preferInstrumentation(instrumentation);
            runs.back()->setExamining(examining);
            runs.back()->useClock(clock);
        } catch (const std::exception& error) {
            onlyShow(id, way.info, recording.summary().path + ": " + refusalSentence(error));
        }
    }
    for (const auto& [id, run] : watched)
        if (recorded.runs().contains(id)) {
            shown[id] = run->info();
            sink(RunChanged{run->info()});  // its process has ended
        }
    sortRuns();
    putAside.clear();
    if (whyReadOnly.empty() && journal.recordsEach()) journal.resume(command.path);
    for (const auto& [id, run] : watched) journal.watch(id, run->seconds());
    sink(RecordingOpened{command.path, factOf(recording, "started"), factOf(recording, "version"), whyReadOnly, recording.missing()});
    const bool canGoOn = std::any_of(runs.begin(), runs.end(), [](const auto& run) { return run->canStep() && !run->isWhatIf(); });
    setState(canGoOn ? LabState::Paused : LabState::Finished);
}

void Session::Impl::onlyShow(RunId id, RunInfo info, const std::string& reason) {
    std::erase_if(runs, [&](const auto& run) { return run->id() == id; });
    info.id = id;
    info.kind = RunKind::Recorded;
    info.origin = reason;
    shown[id] = info;
    sink(RunChanged{info});  // for this session only: the recording may continue elsewhere or later
}

void Session::Impl::carryOut(std::uint64_t, const ExportRuns& command) {
    if (command.format == "safetensors") {
        std::filesystem::create_directories(command.folder);
        for (const auto& run : runs) {
            writeSafetensors(runFile(command.folder, run->settings().name, ".safetensors"), run->trainer().weights());
        }
        return;
    }
    flushAll();
    journal.flush();
    const std::string file = journal.isOn() ? journal.path().string() : opened;
    if (file.empty()) throw InputError("", "", "nothing is recorded, so there is nothing to export");
    exportRecording(Recording(file), command.format, command.folder);
}

void Session::Impl::carryOut(std::uint64_t id, const WriteSnippet& command) {
    const LiveRun& run = runOf(command.run);
    const auto framework = frameworkFromName(command.framework);
    if (!framework) throw InputError("", "", "there is no framework '" + command.framework + "'");
    std::vector<std::pair<std::int64_t, std::string>> changes;
    for (const AppliedChange& change : run.history().changes()) changes.emplace_back(change.step, change.pointer);
    const std::vector<std::string> remarks = remarksOf(changes, run.firstStep());
    if (!command.path.empty()) writeSnippet(run.settings(), *framework, command.path, remarks);
    Snippet snippet = frameworkSnippet(run.settings(), run.dataShape(), *framework, remarks);
    sink(SnippetWritten{id, command.run, command.framework, std::move(snippet.text), std::move(snippet.leftOut)});
}

void Session::Impl::carryOut(std::uint64_t id, const ListRecordings&) {
    RecordingsListed listed{.commandId = id, .folder = journal.folder(), .recordings = {}};
    if (!journal.folder().empty())
        for (RecordingSummary& each : recordingsIn(journal.folder(), kSketchPoints))
            listed.recordings.push_back(listedOf(std::move(each), listed.recordings.size() < kMostSketched));
    sink(std::move(listed));
}

void Session::Impl::carryOut(std::uint64_t, const DeleteRecording& command) {
    namespace fs = std::filesystem;
    const fs::path path = command.path;
    std::error_code error;
    const bool isInFolder = !journal.folder().empty() && path.extension() == kRecordingExtension && fs::exists(path, error) &&
                            fs::equivalent(path.parent_path(), journal.folder(), error);
    if (!isInFolder) throw InputError("", "", command.path + " is no recording of the folder of recordings");
    if (journal.isWriting(path)) throw InputError("", "", command.path + " is being written");
    for (const char* part : {"", "-wal", "-shm"}) {
        fs::remove(command.path + part, error);
        if (error) throw InputError("", "", command.path + " could not be deleted: " + error.message());
    }
}

}  // namespace mantissa
