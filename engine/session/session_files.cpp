// SPDX-License-Identifier: Apache-2.0
#include "engine/session/session_files.h"

#include "engine/exchange/snippet.h"
#include "engine/experiment/safetensors.h"
#include "engine/session/recorded_runs.h"
#include "engine/session/recording_export.h"

namespace mantissa {
namespace {

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

void SessionFiles::carryOut(std::uint64_t, const ExportRuns& command) {
    if (command.format == "safetensors") {
        std::filesystem::create_directories(command.folder);
        for (const auto& run : m_table.live) {
            writeSafetensors(runFile(command.folder, run->course().settings.name, ".safetensors"), run->trainer().weights());
        }
        return;
    }
    m_scheduler.flushAll();
    m_journal.flush();
    const std::string file = m_journal.isOn() ? m_journal.path().string() : m_table.opened;
    if (file.empty()) throw InputError("", "", "nothing is recorded, so there is nothing to export");
    exportRecording(Recording(file), command.format, command.folder);
}

void SessionFiles::carryOut(std::uint64_t id, const WriteSnippet& command) {
    const LiveRun& run = m_table.liveRun(command.run);
    const auto framework = frameworkFromName(command.framework);
    if (!framework) throw InputError("", "", "there is no framework '" + command.framework + "'");
    std::vector<std::pair<std::int64_t, std::string>> changes;
    for (const AppliedChange& change : run.course().history.changes()) changes.emplace_back(change.step, change.pointer);
    const std::vector<std::string> remarks = remarksOf(changes, run.course().firstStep);
    if (!command.path.empty()) writeSnippet(run.course().settings, *framework, command.path, remarks);
    Snippet snippet = frameworkSnippet(run.course().settings, shapeOf(*run.course().dataset), *framework, remarks);
    m_outbox.send(SnippetWritten{id, command.run, command.framework, std::move(snippet.text), std::move(snippet.leftOut)});
}

void SessionFiles::carryOut(std::uint64_t id, const ListRecordings&) {
    RecordingsListed listed{.commandId = id, .folder = m_journal.folder(), .recordings = {}};
    if (!m_journal.folder().empty())
        for (RecordingSummary& each : recordingsIn(m_journal.folder(), kSketchPoints))
            listed.recordings.push_back(listedOf(std::move(each), listed.recordings.size() < kMostSketched));
    m_outbox.send(std::move(listed));
}

void SessionFiles::carryOut(std::uint64_t, const DeleteRecording& command) {
    namespace fs = std::filesystem;
    const fs::path path = command.path;
    std::error_code error;
    const bool isInFolder = !m_journal.folder().empty() && path.extension() == kRecordingExtension && fs::exists(path, error) &&
                            fs::equivalent(path.parent_path(), m_journal.folder(), error);
    if (!isInFolder) throw InputError("", "", command.path + " is no recording of the folder of recordings");
    if (m_journal.isWriting(path)) throw InputError("", "", command.path + " is being written");
    for (const char* part : {"", "-wal", "-shm"}) {
        fs::remove(command.path + part, error);
        if (error) throw InputError("", "", command.path + " could not be deleted: " + error.message());
    }
}

}  // namespace mantissa
