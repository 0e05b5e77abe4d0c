// SPDX-License-Identifier: Apache-2.0
// Runs of other files, brought in to be looked at beside ours.
#include <algorithm>
#include <filesystem>

#include "engine/exchange/imported_run.h"
#include "engine/session/recorded_runs.h"
#include "engine/session/session_impl.h"

namespace mantissa {
namespace {

constexpr std::size_t kMostPoints = 200'000;  // of one event: far below a frame

}  // namespace

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
    (void)readAll(recording, recorded, [](Event&&) {});
    if (recorded.runs().empty()) throw InputError("", "", path + ": the recording holds no run");
    std::map<RunId, RunId> shownAs;
    for (const auto& [id, way] : recorded.runs()) shownAs[id] = show(way.info, path);
    RecordedRuns again;
    (void)readAll(recording, again, [&](Event&& event) {
        const auto pass = [&](auto* about) {
            if (about == nullptr || !shownAs.contains(about->run)) return;
            about->run = shownAs.at(about->run);
            sink(std::move(event));
        };
        pass(std::get_if<StepsRecorded>(&event));
        pass(std::get_if<RunRewound>(&event));
    });
}

void Session::Impl::carryOut(std::uint64_t, const ImportRuns& command) {
    requireExperiment();
    if (std::filesystem::path(command.path).extension() == kRecordingExtension) return showRecording(command.path);
    for (ImportedRun& run : importRuns(command.path)) {
        RunInfo info;
        info.settings.name = run.name;
        const RunId id = show(info, command.path + (run.remark.empty() ? "" : " (" + run.remark + ")"));
        for (const ImportedSeries& series : run.series) {
            for (std::size_t begin = 0; begin < series.steps.size(); begin += kMostPoints) {
                const auto end = std::min(begin + kMostPoints, series.steps.size());
                const auto first = static_cast<std::ptrdiff_t>(begin), last = static_cast<std::ptrdiff_t>(end);
                sink(SeriesImported{id,
                                    series.metric,
                                    {series.steps.begin() + first, series.steps.begin() + last},
                                    {series.values.begin() + first, series.values.begin() + last}});
            }
        }
    }
}

}  // namespace mantissa
