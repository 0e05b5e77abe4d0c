// SPDX-License-Identifier: Apache-2.0
// The runs of a recording after reading it completely: their beginning, live changes and last steps. Later entries override earlier ones.
// One thread at a time.
#pragma once

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "engine/exchange/imported_run.h"
#include "engine/recording/recording.h"
#include "engine/session/history.h"
#include "engine/session/past_steps.h"

namespace mantissa {

/// A "run" entry.
struct RecordedRun {
    RunId id = 0;
    RunSettings settings;  // at its beginning
    std::vector<ScheduledChange> scheduled;
    std::int64_t trainCount = 1;
    std::int64_t whatIfSteps = 0;  // 0: an ordinary run
    RunId parent = -1;
    std::int64_t firstStep = 0;
    std::string dataSum;  // checksum of its data files; empty: unknown, or no files

    /// Reads a "run" entry. Throws InputError for an invalid one.
    explicit RecordedRun(const LogEntry& entry);
    /// Restores a lost entry from the window's RunInfo.
    RecordedRun(const RunInfo& info, std::int64_t trainCountOfAll);
};

/// The recorded course of a run.
struct RunsWay {
    RecordedRun run;
    RunInfo info;                          // as last sent to the window
    std::vector<AppliedChange> changes;    // by step
    PastSteps pastSteps{run.firstStep};    // up to a gap
    std::vector<SnapshotPlace> snapshots;  // stored in the file and still valid, by step
    std::vector<StepRecord> beyond;        // steps after a gap of a damaged file, by step
    std::set<std::int64_t> checkpoints;    // steps before which a checkpoint was requested
    bool hasStopped = false;
    std::int64_t received = 0;                         // steps of a watched run
    std::map<std::int64_t, Examination> examinations;  // of a watched run, by step

    std::int64_t nextStep() const { return pastSteps.end(); }
    /// Whether the run was watched, so that its steps cannot be repeated.
    bool isWatched() const { return info.kind == RunKind::Watched; }
    /// Steps of a watched run whose messages were lost.
    std::int64_t missingSteps() const { return isWatched() ? std::max<std::int64_t>(nextStep() - run.firstStep - received, 0) : 0; }
};

class RecordedRuns {
public:
    /// Adds an entry, in the recording's order.
    void take(const LogEntry& entry);
    void take(const Event& event);
    /// Adds records and returns them as events: consecutive steps, and a RunRewound that a damaged file has lost. Steps after a gap are
    /// held back, because the run may be rewound to before it.
    std::vector<Event> take(RunId run, std::span<const StepRecord> records);
    /// Passes the steps after gaps to `publish`, as series. Call it after all entries.
    void publishLaterSteps(const std::function<void(Event&&)>& publish) const;
    void take(const std::vector<SnapshotPlace>& places);

    std::map<RunId, RunsWay>& runs() { return m_runs; }
    /// An id that no run has had, including removed ones, because snapshots refer to it.
    RunId freeId() const { return m_freeId; }
    /// The first inconsistency of the recording, in a sentence, which makes its runs read-only. Empty: none.
    const std::string& trouble() const { return m_trouble; }
    /// Throws the trouble as an InputError if it leaves no run.
    void requireRuns() const;

private:
    struct Return {
        RunId run;
        std::int64_t step, stepsBefore;
    };
    std::map<RunId, RunsWay> m_runs;
    std::map<RunId, RunsWay> m_removed;  // some are restored
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

/// Publishes a series of a read-only run as events.
void publishSeries(RunId run, const ImportedSeries& series, const std::function<void(Event&&)>& publish);

/// Reads the recording completely and passes its steps and events to `publish`. Returns why it is read-only; empty: its runs can continue.
std::string readAll(const Recording& recording, RecordedRuns& recorded, const std::function<void(Event&&)>& publish);

/// Reads the recording completely and returns the steps of each run that `isWanted` chooses, by step: without those undone by rewinds and
/// resets, but with those after gaps. `count` receives the number of steps read. Throws InputError if the recording holds no run that can
/// be read.
std::map<RunId, std::vector<StepRecord>> readSteps(const Recording& recording, RecordedRuns& recorded,
                                                   const std::function<bool(const StepRecord&)>& isWanted, std::int64_t& count);

/// Returns stored states of a run, by step, within `budgetBytes`: the latest, then requested checkpoints, then other late ones; also the
/// first state of a fork. Throws InputError for an invalid one.
std::vector<RunPoint> storedPoints(const Recording& recording, const RunsWay& way, std::int64_t budgetBytes);

}  // namespace mantissa
