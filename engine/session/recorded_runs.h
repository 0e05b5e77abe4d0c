// SPDX-License-Identifier: Apache-2.0
// What a recording says of its runs, once it has been read from end to end: how each begins, what was changed by hand, where it has come
// to. What came later holds, as it did when it was recorded. One thread at a time.
#pragma once

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "engine/recording/recording.h"
#include "engine/session/history.h"
#include "engine/session/past_steps.h"

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
    std::string dataSum;  // of the files that its data were read from; empty: not known, or there were none

    /// Throws InputError for an entry that is none of ours.
    explicit RecordedRun(const LogEntry& entry);
    /// As far as the window knew it.
    RecordedRun(const RunInfo& info, std::int64_t trainCountOfAll);
};

/// Where a run has come to.
struct RunsWay {
    RecordedRun run;
    RunInfo info;                          // as the window knew it last
    std::vector<AppliedChange> changes;    // by step
    PastSteps pastSteps{run.firstStep};    // up to a gap
    std::vector<SnapshotPlace> snapshots;  // of the file, that lie on the way, by step
    std::vector<StepRecord> beyond;        // a gap of a damaged file, by step
    std::set<std::int64_t> checkpoints;    // steps before which a state was kept by hand
    bool hasStopped = false;
    std::int64_t received = 0;                         // steps of a watched run
    std::map<std::int64_t, Examination> examinations;  // of a watched run, by step

    std::int64_t nextStep() const { return pastSteps.end(); }
    /// Trained elsewhere: nothing of it can be trained again.
    bool isWatched() const { return info.kind == RunKind::Watched; }
    /// Of a watched run: steps between the first and the last whose messages never came.
    std::int64_t missingSteps() const { return isWatched() ? std::max<std::int64_t>(nextStep() - run.firstStep - received, 0) : 0; }
};

class RecordedRuns {
public:
    /// Take in entries and steps in the recording's order.
    void take(const LogEntry& entry);
    void take(const Event& event);
    /// Returns what they are to whoever has been told all before: steps that follow one another, and a return where a damaged file has lost
    /// it. Steps beyond a gap are kept back, since nobody knows yet whether the run went back to before it.
    std::vector<Event> take(RunId run, std::span<const StepRecord> records);
    /// After all of them: what lies beyond gaps, as series.
    void tellBeyond(const std::function<void(Event&&)>& tell) const;
    void take(const std::vector<SnapshotPlace>& places);

    std::map<RunId, RunsWay>& runs() { return m_runs; }
    /// That no run has had, removed ones included: snapshots are known by it.
    RunId freeId() const { return m_freeId; }
    /// What is not as any recording was written, the first of it, in one sentence: its runs can only be looked at. Empty: nothing.
    const std::string& trouble() const { return m_trouble; }

private:
    struct Return {
        RunId run;
        std::int64_t step, stepsBefore;
    };
    std::map<RunId, RunsWay> m_runs;
    std::map<RunId, RunsWay> m_removed;  // some of which come back
    std::vector<Return> m_returns;       // rewinds and resets, in order
    RunId m_freeId = 0;
    std::int64_t m_steps = 0;       // rows so far, of all runs
    std::int64_t m_trainCount = 1;  // of the experiment
    std::string m_trouble;

    void note(const std::string& trouble);
    void begin(const LogEntry& entry);
    void know(const RunInfo& info);
    void goBack(RunsWay& way, std::int64_t step);
};

/// Reads the recording from end to end, and tells its steps and events. Returns why it can only be looked at; empty: it can be gone on
/// with.
std::string readAll(const Recording& recording, RecordedRuns& recorded, const std::function<void(Event&&)>& tell);

/// The states of a run that the recording has stored, by step: the latest one, those kept by hand and then the latest others, as many as
/// `budgetBytes` hold, and of a fork the one that it begins with. Throws InputError for one that is none of ours.
std::vector<RunPoint> storedPoints(const Recording& recording, const RunsWay& way, std::int64_t budgetBytes);

}  // namespace mantissa
