// SPDX-License-Identifier: Apache-2.0
// What a recording says of its runs, once it has been read from end to end: how each begins, what was changed by hand, where it has come
// to. What came later holds, as it did when it was recorded. One thread at a time.
#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "engine/recording/recording.h"
#include "engine/session/history.h"

namespace mantissa {

/// A "run" entry.
struct RecordedRun {
    RunId id = 0;
    RunSettings settings;  // as it begins
    std::vector<ScheduledChange> scheduled;
    std::int64_t trainCount = 1;
    std::int64_t whatIfSteps = 0;  // 0: a run like others
    RunId parent = -1;
    std::int64_t firstStep = 0;

    /// Throws InputError for an entry that is none of ours.
    explicit RecordedRun(const LogEntry& entry);
};

/// Where a run has come to.
struct RunsWay {
    RecordedRun run;
    RunInfo info;                         // as the window knew it last
    std::vector<AppliedChange> changes;   // by step
    std::vector<double> losses;           // from its first step on
    std::vector<std::int64_t> snapshots;  // of the file, that lie on the way, by step
    bool hasStopped = false;

    std::int64_t nextStep() const { return run.firstStep + static_cast<std::int64_t>(losses.size()); }
};

class RecordedRuns {
public:
    /// Take in entries and steps in the recording's order. Throw InputError for what is none of ours.
    void take(const LogEntry& entry);
    void take(const Event& event);
    void take(RunId run, std::span<const StepRecord> records);
    /// After all of them.
    void take(const std::vector<SnapshotPlace>& places);

    std::map<RunId, RunsWay>& runs() { return m_runs; }
    /// For the epochs of its records.
    std::int64_t trainCountOf(RunId run) const;

private:
    struct Return {
        RunId run;
        std::int64_t step, stepsBefore;
    };
    std::map<RunId, RunsWay> m_runs;
    std::vector<Return> m_returns;  // rewinds and resets, in order
    std::int64_t m_steps = 0;       // rows so far, of all runs

    void goBack(RunsWay& way, std::int64_t step);
};

}  // namespace mantissa
