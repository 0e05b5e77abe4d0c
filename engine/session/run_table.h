// SPDX-License-Identifier: Apache-2.0
// The experiment of a session and its runs: live ones, read-only ones, and removed ones that can be restored. One thread: the session's.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "engine/attach/watched_run.h"
#include "engine/session/live_run.h"

namespace mantissa {

/// A removed run that can be restored.
struct RemovedRun {
    RunId id = -1;
    std::unique_ptr<LiveRun> run;  // null: it was read-only
    RunInfo shown;
    std::unique_ptr<WatchedRun> watched;
    std::vector<Note> notes;  // removed with it
};

struct RunTable {
    Experiment experiment;
    std::string opened;                                    // the opened recording; empty: none
    std::vector<std::unique_ptr<LiveRun>> live;            // in the order of the window
    std::map<RunId, RunInfo> shown;                        // read-only runs
    std::map<RunId, std::unique_ptr<WatchedRun>> watched;  // read-only runs that a probe reports or has reported
    std::deque<RemovedRun> removed;                        // the latest last
    std::vector<RunStyle> styles;                          // the latest arrangement of runs; empty: in order of creation
    RunId nextId = 0;

    /// Throws InputError if there is no such run, or it is read-only.
    LiveRun& liveRun(RunId id) const;
    /// Throws InputError if there is no such run.
    void requireRun(RunId id) const;
    std::vector<RunSettings> settings() const;
    /// The steps of the furthest live run.
    std::int64_t furthestStep() const;
    bool isAnyLagging() const;
    /// Returns a file of the live runs with their present initial settings, without changes by the file's events and without what-ifs.
    std::string text() const;
    /// Sorts live runs by `styles`; runs without one follow in order of creation.
    void sort();
    /// Updates the styles after an event, emitted or read from a recording.
    void follow(const Event& event);
};

}  // namespace mantissa
