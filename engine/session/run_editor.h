// SPDX-License-Identifier: Apache-2.0
// Commands that add, remove, restore and change single runs of the experiment. One thread: the session's.
#pragma once

#include <memory>
#include <string>

#include "engine/session/imported_runs.h"
#include "engine/session/scheduler.h"
#include "engine/session/watched_trainings.h"

namespace mantissa {

class RunEditor {
public:
    RunEditor(RunTable& table, SessionNotes& notes, Journal& journal, EventOutbox& outbox, Questions& questions, RunMaker& maker,
              Scheduler& scheduler, WatchedTrainings& trainings, ImportedRuns& imports)
        : m_table(table),
          m_notes(notes),
          m_journal(journal),
          m_outbox(outbox),
          m_questions(questions),
          m_maker(maker),
          m_scheduler(scheduler),
          m_trainings(trainings),
          m_imports(imports) {}

    /// Adds a run. `whatIfSteps`: 0 for an ordinary one.
    void add(std::unique_ptr<LiveRun> run, std::int64_t whatIfSteps = 0);
    void remove(RunId id, bool mayComeBack);
    /// Makes a run read-only, for this reason.
    void makeReadOnly(RunId id, RunInfo info, const std::string& reason);

    void carryOut(std::uint64_t id, const ChangeSetting& command);
    void carryOut(std::uint64_t id, const AddRun& command);
    void carryOut(std::uint64_t id, const DuplicateRun& command);
    void carryOut(std::uint64_t id, const RemoveRun& command);
    void carryOut(std::uint64_t id, const RestoreRun& command);
    void carryOut(std::uint64_t id, const RenameRun& command);
    void carryOut(std::uint64_t id, const ArrangeRuns& command);
    void carryOut(std::uint64_t id, const KeepRun& command);
    void carryOut(std::uint64_t id, const KeepCheckpoint& command);

private:
    RunTable& m_table;
    SessionNotes& m_notes;
    Journal& m_journal;
    EventOutbox& m_outbox;
    Questions& m_questions;
    RunMaker& m_maker;
    Scheduler& m_scheduler;
    WatchedTrainings& m_trainings;
    ImportedRuns& m_imports;

    /// Discards the oldest removed runs if there are too many or they are too large.
    void trimRemoved();
};

}  // namespace mantissa
