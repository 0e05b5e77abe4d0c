// SPDX-License-Identifier: Apache-2.0
#include "engine/session/run_editor.h"

#include <algorithm>
#include <set>

#include "engine/session/run_info.h"
#include "engine/telemetry/run_identity.h"

namespace mantissa {
namespace {

/// Limit of kept removed runs: users remove large runs to free memory.
constexpr std::int64_t kRemovedBytes = 256 << 20;

}  // namespace

void RunEditor::carryOut(std::uint64_t id, const ChangeSetting& command) {
    LiveRun& run = m_table.liveRun(command.run);
    run.change(id, command.pointer, command.value);
    m_journal.change(run.course().id, run.nextStep(), command.pointer, command.value);
    if (run.canStep()) m_scheduler.pauseIfFinished();
}

void RunEditor::add(std::unique_ptr<LiveRun> run, std::int64_t whatIfSteps) {
    m_journal.run(run->course(), whatIfSteps);
    m_table.live.push_back(std::move(run));
    m_outbox.emit(RunAdded{runInfo(*m_table.live.back())});
    if (whatIfSteps == 0) m_scheduler.pauseIfFinished();
}

void RunEditor::carryOut(std::uint64_t, const AddRun& command) {
    m_scheduler.requireExperiment();
    RunSettings settings = makeRun(command.run, m_table.experiment);
    settings.name = freeName(m_table.settings(), settings.name);
    add(m_maker.make(m_table.nextId, settings));
    ++m_table.nextId;
}

void RunEditor::carryOut(std::uint64_t, const DuplicateRun& command) {
    RunSettings settings = m_table.liveRun(command.run).course().settings;
    settings.name = freeName(m_table.settings(), settings.name);
    add(m_maker.make(m_table.nextId, settings));
    ++m_table.nextId;
}

void RunEditor::remove(RunId id, bool mayComeBack) {
    RemovedRun gone{.id = id, .run = nullptr, .shown = {}, .watched = nullptr, .notes = m_notes.ofRun(id)};
    const auto run = std::find_if(m_table.live.begin(), m_table.live.end(), [&](const auto& each) { return each->course().id == id; });
    if (run != m_table.live.end()) {
        const RunCourse& course = (*run)->course();
        m_questions.endAbout(id, course.firstStep, "run '" + course.settings.name + "' was removed meanwhile");
        gone.run = std::move(*run);
        m_table.live.erase(run);
    }
    if (const auto entry = m_table.shown.find(id); entry != m_table.shown.end()) {
        gone.shown = entry->second;
        m_table.shown.erase(entry);
        if (gone.shown.kind == RunKind::Recorded) gone.shown.watch = {};
        m_imports.stopFollowing(id);
    }
    if (auto watch = m_table.watched.extract(id)) {
        m_trainings.stopWatching(id);
        watch.mapped()->disconnect("");
        gone.watched = std::move(watch.mapped());
    }
    m_scheduler.forgetTime(id);
    if (mayComeBack) m_table.removed.push_back(std::move(gone));
    trimRemoved();
    m_outbox.emit(RunRemoved{id, !m_table.removed.empty() && m_table.removed.back().id == id});
}

void RunEditor::trimRemoved() {
    const auto bytes = [this] {
        std::int64_t sum = 0;
        for (const RemovedRun& each : m_table.removed)
            if (each.run != nullptr) sum += runInfo(*each.run).memory.total() + each.run->course().history.bytes();
        return sum;
    };
    while (!m_table.removed.empty() && (m_table.removed.size() > kMostRestorable || bytes() > kRemovedBytes)) m_table.removed.pop_front();
}

void RunEditor::carryOut(std::uint64_t, const RemoveRun& command) {
    if (!m_table.shown.contains(command.run) && !m_table.liveRun(command.run).course().isWhatIf()) {
        const auto lasting =
            std::count_if(m_table.live.begin(), m_table.live.end(), [](const auto& run) { return !run->course().isWhatIf(); });
        if (lasting == 1) throw InputError("", "", "the last run stays: an experiment has at least one");
    }
    remove(command.run, true);
}

void RunEditor::carryOut(std::uint64_t, const RestoreRun& command) {
    const auto found =
        std::find_if(m_table.removed.begin(), m_table.removed.end(), [&](const RemovedRun& each) { return each.id == command.run; });
    if (found == m_table.removed.end())
        throw InputError(
            "", "", "run " + std::to_string(command.run) + " is gone for good: only the latest removed runs are kept, and no large ones");
    RemovedRun back = std::move(*found);
    m_table.removed.erase(found);
    if (back.run != nullptr) {
        const std::string name = freeName(m_table.settings(), back.run->course().settings.name);
        m_table.live.push_back(std::move(back.run));
        m_outbox.emit(RunRestored{runInfo(*m_table.live.back())});
        if (name != m_table.live.back()->course().settings.name) m_table.live.back()->rename(name);
        m_table.live.back()->preferInstrumentation(m_maker.instrumentation);
        m_table.sort();
    } else {
        back.shown.settings.name = freeName(m_table.settings(), back.shown.settings.name);
        m_table.shown[back.id] = back.shown;
        m_outbox.emit(RunRestored{back.shown});
        if (back.watched != nullptr) {
            m_table.watched[back.id] = std::move(back.watched);
            m_table.watched[back.id]->rename(back.shown.settings.name);  // its probe reconnects each second
        }
    }
    for (Note& note : back.notes) m_outbox.emit(NoteWritten{0, std::move(note)});
    if (m_scheduler.state() == LabState::Finished && m_scheduler.nextRun() != nullptr) m_scheduler.setState(LabState::Paused);
}

void RunEditor::carryOut(std::uint64_t, const RenameRun& command) {
    const auto entry = m_table.shown.find(command.run);
    const std::string before =
        entry != m_table.shown.end() ? entry->second.settings.name : m_table.liveRun(command.run).course().settings.name;
    std::vector<RunSettings> others = m_table.settings();
    std::erase_if(others, [&](const RunSettings& other) { return other.name == before; });
    checkFreeName(others, command.name, "", "/name");
    if (entry == m_table.shown.end()) return m_table.liveRun(command.run).rename(command.name);
    if (const auto watch = m_table.watched.find(command.run); watch != m_table.watched.end()) return watch->second->rename(command.name);
    entry->second.settings.name = command.name;
    m_outbox.emit(RunChanged{entry->second});
}

void RunEditor::carryOut(std::uint64_t, const ArrangeRuns& command) {
    m_scheduler.requireExperiment();
    std::set<RunId> placed;
    for (const RunStyle& style : command.styles) {
        if (!placed.insert(style.run).second) throw InputError("", "", "a run stands in one place");
        if (style.identity < -1 || style.identity >= static_cast<std::int32_t>(kRunIdentities.size()))
            throw InputError("", "", "there are " + std::to_string(kRunIdentities.size()) + " run styles");
        m_table.requireRun(style.run);
    }
    m_outbox.emit(RunsArranged{command.styles});
    m_table.sort();
}

void RunEditor::carryOut(std::uint64_t, const KeepRun& command) {
    LiveRun& run = m_table.liveRun(command.run);
    if (!run.course().isWhatIf()) throw InputError("", "", "run '" + run.course().settings.name + "' is no what-if");
    run.keepWhatIf();
    m_outbox.emit(RunChanged{runInfo(run)});
    if (run.canStep()) m_scheduler.pauseIfFinished();
}

void RunEditor::carryOut(std::uint64_t id, const KeepCheckpoint& command) {
    LiveRun& run = m_table.liveRun(command.run);
    run.keepCheckpoint();
    m_journal.storeSnapshot(run.course());
    m_outbox.emit(CheckpointKept{id, run.course().id, run.nextStep()});
}

void RunEditor::makeReadOnly(RunId id, RunInfo info, const std::string& reason) {
    std::erase_if(m_table.live, [&](const auto& run) { return run->course().id == id; });
    info.id = id;
    info.kind = RunKind::Recorded;
    info.origin = reason;
    m_table.shown[id] = info;
    m_outbox.send(RunChanged{info});  // for this session only: the recording may continue elsewhere or later
}

}  // namespace mantissa
