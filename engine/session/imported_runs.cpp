// SPDX-License-Identifier: Apache-2.0
#include "engine/session/imported_runs.h"

#include <algorithm>
#include <filesystem>
#include <utility>

#include "engine/exchange/imported_run.h"
#include "engine/session/recorded_runs.h"

namespace mantissa {

RunId ImportedRuns::show(RunInfo info, const std::string& origin) {
    info.id = m_table.nextId++;
    info.kind = RunKind::Recorded;
    info.parent = -1;
    info.origin = origin;
    info.settings.name = freeName(m_table.settings(), info.settings.name);
    m_table.shown[info.id] = info;
    m_outbox.emit(RunAdded{info});
    return info.id;
}

void ImportedRuns::showRecording(const std::string& path) {
    const Recording recording(path);
    RecordedRuns recorded;
    std::int64_t resets = 0;  // only the runs after the last reset are imported
    std::map<RunId, RunInfo> imported;
    (void)readAll(recording, recorded, [&](Event&& event) {
        resets += std::holds_alternative<ExperimentReset>(event) ? 1 : 0;
        if (const auto* added = std::get_if<RunAdded>(&event); added != nullptr && added->info.kind == RunKind::Recorded)
            imported[added->info.id] = added->info;
        if (const auto* restored = std::get_if<RunRestored>(&event); restored != nullptr && restored->info.kind == RunKind::Recorded)
            imported[restored->info.id] = restored->info;
        if (const auto* changed = std::get_if<RunChanged>(&event); changed != nullptr && imported.contains(changed->info.id))
            imported[changed->info.id] = changed->info;
        if (const auto* gone = std::get_if<RunRemoved>(&event)) imported.erase(gone->run);
    });
    if (recorded.runs().empty() && imported.empty()) throw InputError("", "", path + ": the recording holds no run");
    std::map<RunId, RunId> shownAs;
    for (const auto& [id, way] : recorded.runs()) shownAs[id] = show(way.info, path);
    for (auto& [id, info] : imported) {
        info.watch = {};
        shownAs[id] = show(info, path);
    }
    RecordedRuns again;
    (void)readAll(recording, again, [&](Event&& event) {
        if (std::holds_alternative<ExperimentReset>(event)) --resets;
        if (resets > 0) return;
        const auto pass = [&](auto* about) {
            if (about == nullptr || !shownAs.contains(about->run)) return;
            about->run = shownAs.at(about->run);
            m_outbox.send(std::move(event));
        };
        pass(std::get_if<StepsRecorded>(&event));
        pass(std::get_if<SeriesImported>(&event));
        pass(std::get_if<ValuesMeasured>(&event));
        pass(std::get_if<RunRewound>(&event));
    });
}

void ImportedRuns::add(const ImportRuns& command, const std::function<void()>& beforeAdding) {
    if (std::filesystem::path(command.path).extension() == kRecordingExtension) return showRecording(command.path);
    if (command.follows) return followLog(command, beforeAdding);
    std::vector<std::string> leftOut;
    std::vector<ImportedRun> imported = importRuns(command.path, &leftOut);
    beforeAdding();
    for (ImportedRun& run : imported) {
        RunInfo info;
        info.settings.name = run.name;
        info.watch.problems = std::exchange(leftOut, {});  // the first run carries them
        const RunId added = show(info, command.path + (run.remark.empty() ? "" : " (" + run.remark + ")"));
        for (const ImportedSeries& series : run.series)
            publishSeries(added, series, [this](Event&& event) { m_outbox.emit(std::move(event)); });
    }
}

// ---- Followed logs ----

void ImportedRuns::followLog(const ImportRuns& command, const std::function<void()>& beforeAdding) {
    constexpr std::size_t kMostFollowed = 64;
    if (m_feeds.size() >= kMostFollowed && !command.isAlone)
        throw InputError("", "",
                         command.path + ": " + std::to_string(kMostFollowed) +
                             " files are followed, the most at once: remove the runs of one to follow another");
    auto feed = std::make_unique<LogFeed>(command.path, [&inbox = m_inbox] { inbox.noteArrival(); });
    beforeAdding();
    m_feeds.push_back(std::move(feed));
    take(*m_feeds.back());
}

void ImportedRuns::takeArrivals() {
    for (const auto& feed : m_feeds) take(*feed);
}

void ImportedRuns::take(LogFeed& from) {
    for (LogChange& change : from.take()) {
        const std::string origin = change.path + (change.values.remark.empty() ? "" : " (" + change.values.remark + ")");
        WatchInfo watch;
        watch.link = change.trouble.empty() ? WatchLink::Followed : WatchLink::Lost;
        if (!change.trouble.empty()) watch.problems = {change.trouble};
        if (change.isNew) {
            RunInfo info;
            info.settings.name = change.name;
            info.watch = watch;
            const RunId id = show(info, origin);
            from.runs[change.run] = {id, change.name, m_table.shown.at(id).settings.name};
        }
        const auto place = from.runs.find(change.run);
        if (place == from.runs.end() || place->second.id < 0) continue;  // it was removed
        LogFeed::Run& run = place->second;
        if (change.values.backTo >= 0) m_outbox.emit(RunRewound{run.id, change.values.backTo});
        for (const ImportedSeries& series : change.values.series)
            publishSeries(run.id, series, [this](Event&& event) { m_outbox.emit(std::move(event)); });
        RunInfo& info = m_table.shown.at(run.id);
        const bool isNamedNow = change.name != run.name && info.settings.name == run.calledHere;  // unless renamed by hand
        if (isNamedNow) {
            run = {run.id, change.name, freeName(m_table.settings(), change.name)};
            info.settings.name = run.calledHere;
        }
        if (!isNamedNow && info.origin == origin && info.watch.link == watch.link && info.watch.problems == watch.problems) continue;
        info.origin = origin;
        info.watch = watch;
        m_outbox.emit(RunChanged{info});
    }
}

void ImportedRuns::stopFollowing(RunId run) {
    for (const auto& feed : m_feeds)
        for (auto& [number, each] : feed->runs)
            if (each.id == run) each.id = -1;
    std::erase_if(m_feeds, [](const auto& feed) {  // a feed without runs stays: its first run may follow
        return !feed->runs.empty() &&
               std::all_of(feed->runs.begin(), feed->runs.end(), [](const auto& each) { return each.second.id < 0; });
    });
}

void ImportedRuns::recall(Event& event) {
    const auto take = [this](RunInfo& info) {
        if (info.kind != RunKind::Recorded) return;
        info.watch = {};
        m_table.shown[info.id] = info;
    };
    if (auto* added = std::get_if<RunAdded>(&event)) take(added->info);
    if (auto* changed = std::get_if<RunChanged>(&event)) take(changed->info);
    if (auto* restored = std::get_if<RunRestored>(&event)) take(restored->info);
    if (const auto* gone = std::get_if<RunRemoved>(&event)) m_table.shown.erase(gone->run);
}

}  // namespace mantissa
