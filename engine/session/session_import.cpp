// SPDX-License-Identifier: Apache-2.0
// Runs of other files, brought in to be looked at beside ours.
#include <algorithm>
#include <filesystem>

#include "engine/exchange/imported_run.h"
#include "engine/session/recorded_runs.h"
#include "engine/session/session_impl.h"
#include "engine/session/told_series.h"

namespace mantissa {
RunId Session::Impl::show(RunInfo info, const std::string& origin) {
    info.id = nextId++;
    info.kind = RunKind::Recorded;
    info.parent = -1;
    info.origin = origin;
    info.settings.name = freeName(settingsOfRuns(), info.settings.name);
    shown[info.id] = info;
    emit(RunAdded{info});
    return info.id;
}

void Session::Impl::showRecording(const std::string& path) {
    const Recording recording(path);
    RecordedRuns recorded;
    std::int64_t resets = 0;  // a run has one life here, its last one
    (void)readAll(recording, recorded, [&](Event&& event) { resets += std::holds_alternative<ExperimentReset>(event) ? 1 : 0; });
    if (recorded.runs().empty()) throw InputError("", "", path + ": the recording holds no run");
    std::map<RunId, RunId> shownAs;
    for (const auto& [id, way] : recorded.runs()) shownAs[id] = show(way.info, path);
    RecordedRuns again;
    (void)readAll(recording, again, [&](Event&& event) {
        if (std::holds_alternative<ExperimentReset>(event)) --resets;
        if (resets > 0) return;
        const auto pass = [&](auto* about) {
            if (about == nullptr || !shownAs.contains(about->run)) return;
            about->run = shownAs.at(about->run);
            sink(std::move(event));
        };
        pass(std::get_if<StepsRecorded>(&event));
        pass(std::get_if<SeriesImported>(&event));
        pass(std::get_if<ValuesMeasured>(&event));
        pass(std::get_if<RunRewound>(&event));
    });
}

void Session::Impl::carryOut(std::uint64_t id, const ImportRuns& command) {
    requireExperiment();
    if (isProbeFile(command.path)) return carryOut(id, WatchTraining{.place = command.path});
    if (std::filesystem::path(command.path).extension() == kRecordingExtension) return showRecording(command.path);
    for (ImportedRun& run : importRuns(command.path)) {
        RunInfo info;
        info.settings.name = run.name;
        const RunId added = show(info, command.path + (run.remark.empty() ? "" : " (" + run.remark + ")"));
        for (const ImportedSeries& series : run.series) tellSeries(added, series, sink);
    }
}

}  // namespace mantissa
