// SPDX-License-Identifier: Apache-2.0
// Replaces the experiment of a session: by a file's, by a recording, by one without runs, or by itself from the start. One thread: the
// session's.
#pragma once

#include <string>

#include "engine/session/recorded_runs.h"
#include "engine/session/run_editor.h"

namespace mantissa {

class ExperimentLoader {
public:
    ExperimentLoader(RunTable& table, Journal& journal, EventOutbox& outbox, TrainingClock& clock, Questions& questions, RunMaker& maker,
                     Scheduler& scheduler, WatchedTrainings& trainings, ImportedRuns& imports, RunEditor& editor)
        : m_table(table),
          m_journal(journal),
          m_outbox(outbox),
          m_clock(clock),
          m_questions(questions),
          m_maker(maker),
          m_scheduler(scheduler),
          m_trainings(trainings),
          m_imports(imports),
          m_editor(editor) {}

    void carryOut(std::uint64_t id, const LoadExperiment& command);
    void carryOut(std::uint64_t id, const ResetExperiment& command);
    void carryOut(std::uint64_t id, const OpenRecording& command);
    /// Loads an experiment without runs, for watched trainings and imported runs.
    void loadBare();

private:
    RunTable& m_table;
    Journal& m_journal;
    EventOutbox& m_outbox;
    TrainingClock& m_clock;
    Questions& m_questions;
    RunMaker& m_maker;
    Scheduler& m_scheduler;
    WatchedTrainings& m_trainings;
    ImportedRuns& m_imports;
    RunEditor& m_editor;

    void endPresent(std::vector<std::unique_ptr<LiveRun>> live, bool isListening);
    std::string publishRecorded(const Recording& recording, RecordedRuns& recorded);
    Experiment experimentOf(const Recording& recording) const;
};

}  // namespace mantissa
