// SPDX-License-Identifier: Apache-2.0
#include "engine/session/recording_export.h"

#include <algorithm>
#include <ctime>
#include <fstream>
#include <limits>

#include "engine/exchange/report_run.h"
#include "engine/exchange/snippet.h"
#include "engine/experiment/safetensors.h"
#include "engine/session/journal.h"
#include "engine/session/trained_run.h"
#include "engine/telemetry/run_identity.h"

namespace mantissa {
namespace {

namespace fs = std::filesystem;

/// "2026-11-21T22:05:33Z" as Unix time; 0 if invalid.
double unixTime(const std::string& utc) {
    std::tm time{};
    const char* end = strptime(utc.c_str(), "%Y-%m-%dT%H:%M:%S", &time);
    return end == nullptr ? 0 : static_cast<double>(timegm(&time));
}

/// Collects the final state of a recording from its events.
class Follower {
public:
    std::map<RunId, ExportedRun> runs;
    ExperimentLoaded loaded;
    std::string experimentText;  // latest version
    std::map<std::int32_t, Note> notes;
    std::vector<RunStyle> styles;  // latest arrangement
    std::map<RunId, InputError> refused;
    std::string leftOut;  // about the first run of unknown settings

    bool isArranged(RunId run) const {
        return std::any_of(styles.begin(), styles.end(), [run](const RunStyle& style) { return style.run == run; });
    }

    /// Removes the runs of unknown settings: a damaged recording may have only their steps.
    void leaveOutUnknown() {
        std::erase_if(runs, [this](const auto& each) {
            const auto& [id, run] = each;
            const bool isUnknown = run.settings.name.empty();
            if (!isUnknown || run.records.empty() || !leftOut.empty()) return isUnknown;
            const auto why = refused.find(id);
            leftOut = std::to_string(run.records.size()) + " steps of run " + std::to_string(id) +
                      " are left out: " + (why == refused.end() ? "the run has not begun" : why->second.what());
            return true;
        });
    }

    void take(const LogEntry& entry) {
        if (entry.kind == kRunEntry) {
            begin(entry);
        } else if (std::optional<Event> event = eventIn(entry)) {
            take(std::move(*event));
        }
    }

    void take(RunId id, std::span<const StepRecord> records) {
        ExportedRun& run = runs[id];
        if (!run.records.empty() && records.front().step <= run.records.back().step) goBack(run, records.front().step);
        const auto ofRun = m_trainCounts.find(id);
        const auto trainCount =
            static_cast<double>(ofRun == m_trainCounts.end() ? std::max<std::int64_t>(loaded.trainCount, 1) : ofRun->second);
        for (StepRecord record : records) {
            if (record.samples >= 0) record.epoch = static_cast<double>(record.samples) / trainCount;
            run.records.push_back(record);
            const bool isCounted = (record.flags & (kFlagFoundInf | kFlagScaleGrew)) == 0;
            run.cleanSteps = isCounted ? run.cleanSteps + 1 : 0;
            run.nextScale = record.lossScale;
        }
    }

private:
    std::map<RunId, ExportedRun> m_removed;  // some may be restored
    std::map<RunId, std::int64_t> m_trainCounts;

    void begin(const LogEntry& entry) try {
        const RecordedRun recorded(entry);
        ExportedRun& run = runs[entry.run];
        goBack(run, -1);
        run.settings = recorded.settings;
        m_trainCounts[entry.run] = recorded.trainCount;
    } catch (const InputError& error) {  // treated as missing
        refused.emplace(entry.run, error);
    }

    void know(const RunInfo& info) {
        if (info.kind != RunKind::Recorded) runs[info.id].info = info;
    }

    void take(Event&& event) {
        if (auto* all = std::get_if<ExperimentLoaded>(&event)) {
            for (const RunInfo& info : all->runs) know(info);
            loaded = std::move(*all);
        } else if (const auto* added = std::get_if<RunAdded>(&event)) {
            know(added->info);
        } else if (const auto* changed = std::get_if<RunChanged>(&event)) {
            know(changed->info);
        } else if (const auto* removed = std::get_if<RunRemoved>(&event)) {
            std::erase_if(notes, [&](const auto& entry) { return entry.second.run == removed->run; });
            if (const auto run = runs.find(removed->run); run != runs.end()) m_removed.insert(runs.extract(run));
        } else if (const auto* restored = std::get_if<RunRestored>(&event)) {
            if (const auto run = m_removed.find(restored->info.id); run != m_removed.end()) runs.insert(m_removed.extract(run));
            know(restored->info);
        } else if (const auto* written = std::get_if<NoteWritten>(&event)) {
            notes[written->note.id] = written->note;
        } else if (const auto* gone = std::get_if<NoteRemoved>(&event)) {
            notes.erase(gone->note);
        } else if (const auto* arranged = std::get_if<RunsArranged>(&event)) {
            styles = arranged->styles;
        } else if (const auto* text = std::get_if<ExperimentText>(&event)) {
            experimentText = text->json;
        } else if (const auto* back = std::get_if<RunRewound>(&event)) {
            goBack(runs[back->run], back->step);
        } else if (const auto* applied = std::get_if<SettingApplied>(&event)) {
            runs[applied->run].changes.push_back(*applied);
        } else if (const auto* found = std::get_if<NonFiniteFound>(&event)) {
            runs[found->run].nonFinite.push_back(found->first);
        } else if (const auto* sampled = std::get_if<TextSampled>(&event)) {
            runs[sampled->run].sample = *sampled;
        } else if (const auto* read = std::get_if<GaugesRead>(&event)) {
            runs[read->run].statsGauges = *read;
        } else if (const auto* stopped = std::get_if<RunStopped>(&event)) {
            runs[stopped->run].stopReason = stopped->reason;
            runs[stopped->run].stopStep = stopped->step;
        } else if (const auto* examined = std::get_if<StepExamined>(&event)) {
            runs[examined->run].verdicts[examined->examination.step] = examined->examination.verdict;
        }
    }

    /// Removes data of `step` and later, which will follow again.
    static void goBack(ExportedRun& run, std::int64_t step) {
        const auto isLater = [step](const auto& each) { return each.step >= step; };
        std::erase_if(run.records, isLater);
        std::erase_if(run.changes, isLater);
        std::erase_if(run.nonFinite, isLater);
        run.verdicts.erase(run.verdicts.lower_bound(step), run.verdicts.end());
        if (run.sample && run.sample->step >= step) run.sample.reset();
        if (run.statsGauges && run.statsGauges->step >= step) run.statsGauges.reset();
        run.stopReason.clear();
    }
};

Follower followed(const Recording& recording) {
    Follower follower;
    recording.read({.steps = [&](RunId run, std::span<const StepRecord> records) { follower.take(run, records); },
                    .entry = [&](const LogEntry& entry) { follower.take(entry); }});
    const auto started = recording.facts().find("started");
    for (auto& [id, run] : follower.runs) {
        run.info.id = id;                                                      // also of a run whose info is lost
        if (run.settings.name.empty()) run.settings = run.info.settings;       // its initial settings are lost
        if (run.info.settings.name.empty()) run.info.settings = run.settings;  // its latest settings are lost
        run.settings.name = run.info.settings.name;
        if (started != recording.facts().end()) run.startSeconds = unixTime(started->second);
        for (const auto& [note, written] : follower.notes)
            if (written.run == -1 || written.run == id) run.notes.push_back(written);
        std::stable_sort(run.notes.begin(), run.notes.end(), [](const Note& a, const Note& b) { return a.step < b.step; });
    }
    follower.leaveOutUnknown();
    std::vector<RunSettings> named;  // two runs of a forged recording may have one name
    for (auto& [id, run] : follower.runs) {
        run.settings.name = run.info.settings.name = freeName(named, run.settings.name);
        named.push_back(run.settings);
    }
    return follower;
}

/// Uses the run's latest settings.
WrittenSnippet writeProgram(const ExportedRun& run, Framework framework, const fs::path& folder) {
    std::vector<std::pair<std::int64_t, std::string>> changes;
    for (const SettingApplied& change : run.changes) changes.emplace_back(change.step, change.pointer);
    fs::create_directories(folder);
    return writeSnippet(run.info.settings, framework, snippetFile(folder, run.info.settings.name, framework),
                        remarksOf(changes, run.info.firstStep));
}

/// Returns the first run style not in use; nothing if all are.
std::optional<std::size_t> freeIdentity(const std::vector<ReportRun>& runs) {
    for (std::size_t identity = 0; identity < kRunIdentities.size(); ++identity)
        if (std::none_of(runs.begin(), runs.end(), [&](const ReportRun& run) { return run.identity == identity; })) return identity;
    return std::nullopt;
}

fs::path writeHtml(const Recording& recording, const Follower& follower, const fs::path& folder) {
    const auto fact = [&](const char* key) { return recording.facts().contains(key) ? recording.facts().at(key) : ""; };
    ReportInput input;
    input.title = follower.loaded.title.empty() ? follower.loaded.name : follower.loaded.title;
    input.description = follower.loaded.description;
    input.data = follower.loaded.dataText;
    input.experimentJson = follower.experimentText.empty() ? fact("experiment") : follower.experimentText;
    input.version = fact("version");
    input.machine = fact("machine");
    const auto add = [&](const ExportedRun& run) -> ReportRun& {
        if (!run.records.empty()) input.wallSeconds = std::max(input.wallSeconds, run.records.back().wallSeconds);
        return input.runs.emplace_back(reportRun(run, RunTally(run.records)));
    };
    // arranged runs first, then later ones
    constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();
    for (const RunStyle& style : follower.styles)
        if (const auto run = follower.runs.find(style.run); run != follower.runs.end())
            add(run->second).identity = style.identity < 0 ? kNone : static_cast<std::size_t>(style.identity);
    for (ReportRun& run : input.runs)
        if (run.identity == kNone) run.identity = freeIdentity(input.runs);
    for (const auto& [id, run] : follower.runs)
        if (!follower.isArranged(id)) add(run).identity = freeIdentity(input.runs);
    writeReport(input, folder);
    return folder / "index.html";
}

}  // namespace

const std::vector<std::string>& exportFormats() {
    static const std::vector<std::string> kFormats = [] {
        std::vector<std::string> formats{"csv", "jsonl", "tensorboard", "html"};
        formats.insert(formats.end(), frameworkNames().begin(), frameworkNames().end());
        return formats;
    }();
    return kFormats;
}

std::vector<ExportedRun> recordedRuns(const Recording& recording, std::string* leftOut) {
    Follower follower = followed(recording);
    if (leftOut != nullptr) *leftOut = follower.leftOut;
    std::vector<ExportedRun> runs;
    for (auto& [id, run] : follower.runs) runs.push_back(std::move(run));
    return runs;
}

WrittenFiles exportRecording(const Recording& recording, const std::string& format, const fs::path& folder) {
    const std::string source = recording.summary().path;
    const auto& formats = exportFormats();
    if (std::find(formats.begin(), formats.end(), format) == formats.end())
        throw InputError("", "", "'" + format + "' is no format to export to");
    const Follower follower = followed(recording);
    if (follower.runs.empty() && !follower.refused.empty()) throw follower.refused.begin()->second;
    if (follower.runs.empty())
        throw InputError(source, "",
                         "the recording holds no run" + (recording.whyReadOnly().empty() ? "" : ": " + recording.whyReadOnly()));
    if (format == "html") return {{writeHtml(recording, follower, folder)}, {}, follower.leftOut};
    WrittenFiles written;
    written.leftOut = follower.leftOut;
    for (const auto& [id, run] : follower.runs) {
        try {
            if (const auto framework = frameworkFromName(format)) {
                if (run.info.kind == RunKind::Watched) {
                    written.remarks.push_back("run '" + run.info.settings.name + "' was watched: its settings are not known here");
                    continue;
                }
                const WrittenSnippet snippet = writeProgram(run, *framework, folder);
                written.files.insert(written.files.end(), snippet.files.begin(), snippet.files.end());
                for (const std::string& each : snippet.leftOut)
                    written.remarks.push_back("run '" + run.info.settings.name + "': left out: " + each);
                continue;
            }
            written.files.push_back(format == "csv"     ? writeCsv(run, folder)
                                    : format == "jsonl" ? writeJsonLines(run, folder)
                                                        : writeTensorBoard(run, folder));
        } catch (const DataError& error) {
            throw InputError(source, "", "run '" + run.settings.name + "' needs its data to be written as a program: " + error.what());
        }
    }
    return written;
}

WrittenFiles exportWeights(const Recording& recording, std::optional<std::int64_t> step, std::shared_ptr<Backend> backend,
                           const fs::path& folder) {
    RecordedRuns recorded;
    (void)readAll(recording, recorded, [](Event&&) {});
    recorded.requireRuns();
    recorded.take(recording.snapshots());
    WrittenFiles written;
    written.leftOut = recorded.trouble();
    std::vector<RunSettings> named;  // two runs of a forged recording may have one name
    for (const auto& [id, way] : recorded.runs()) {
        const std::int64_t wanted = step.value_or(way.nextStep());
        if (way.isWatched() || way.info.settings.name.empty() || wanted < way.run.firstStep || wanted > way.nextStep()) continue;
        const RepeatableRun run = recordedRunBefore(wanted, recording, way, backend, wanted);
        const std::string name = freeName(named, run.course().settings.name);
        named.emplace_back().name = name;
        written.files.push_back(runFile(folder, name, ".safetensors"));
        writeSafetensors(written.files.back(), run.trainer().weights());
        if (run.differsAt() >= 0)
            written.remarks.push_back("run '" + run.course().settings.name + "' differs from step " + std::to_string(run.differsAt()) +
                                      " on: its weights are what this machine and build make of it");
    }
    if (written.files.empty()) {
        const std::string lacking =
            std::string("the recording holds no run") + (step ? " that has come to step " + std::to_string(*step) : "");
        throw InputError("", "", lacking + (recording.whyReadOnly().empty() ? "" : ": " + recording.whyReadOnly()));
    }
    return written;
}

}  // namespace mantissa
