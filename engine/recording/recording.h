// SPDX-License-Identifier: Apache-2.0
// Reads a recording: the `.mantissa` file, a SQLite database, append-only, in the order of arrival. Rows are never changed: after a rewind
// a run's step appears again, and the later row is valid. One thread at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/experiment/messages.h"

namespace mantissa {

inline constexpr const char* kRecordingExtension = ".mantissa";

/// An entry of a recording other than steps and snapshots: commands, changes, begins of runs, events. `body` is JSON, whose content for
/// each kind the session defines (engine/session/journal.h).
struct LogEntry {
    std::string kind;        // "run", "change", "command"
    RunId run = -1;          // -1: not about one run
    std::int64_t step = -1;  // where it took effect; -1: none
    Json body;
};

/// A run's complete state between two steps: a head in JSON and the bytes of its memory.
struct StoredSnapshot {
    RunId run = 0;
    std::int64_t step = 0;  // the next step
    Json head;
    std::vector<std::byte> state;
};

/// A snapshot's entry without its bytes.
struct SnapshotPlace {
    std::int64_t id = 0;
    RunId run = 0;
    std::int64_t step = 0;
    std::int64_t stepsBefore = 0;  // rows of steps, of all runs, written before the snapshot
    std::int64_t bytes = 0;
};

/// A run's loss at a few of its steps, ascending, including the last one.
struct RunSketch {
    RunId run = 0;
    Json begin;  // the body of its "run" entry
    std::vector<std::int64_t> steps;
    std::vector<double> losses;
};

/// An entry of a list of recordings.
struct RecordingSummary {
    std::string path;
    std::map<std::string, std::string> facts;  // uuid, started, version, build, machine, title
    std::int64_t bytes = 0;                    // of the file and its log
    std::int64_t steps = 0;                    // rows of steps, of all runs
    std::vector<RunSketch> runs;               // that have begun
};

/// A recording is empty, or none of it can be read.
class DamagedRecording : public InputError {
public:
    using InputError::InputError;
};

class Recording {
public:
    /// Opens a recording. Throws InputError, in one sentence with the path, if the file is missing, unreadable or no recording;
    /// DamagedRecording if it is empty, or damaged beyond reading.
    explicit Recording(const std::string& path);
    ~Recording();
    Recording(const Recording&) = delete;
    Recording& operator=(const Recording&) = delete;

    const std::map<std::string, std::string>& facts() const;
    /// Why it is read-only (written by a newer version, damaged, no permission to write, in use by another program), in one sentence;
    /// empty: it can be continued. Damage within tables is known only after reading them.
    const std::string& whyReadOnly() const;
    /// What is missing, or may be (damaged, not closed, its log missing), in one sentence; empty: nothing known. Recordings older than the
    /// closed flag do not tell whether they were closed.
    std::string missing() const;
    /// Whether more is missing than the writing program had left uncommitted when it ended.
    bool isIncomplete() const;

    /// Receives the content in the order of arrival. Consecutive steps of one run arrive together, at most a few thousand at a time. A
    /// record's `epoch` is 0: it follows from `samples` and the run's data. From a damaged file, the readable part.
    struct Visitor {
        std::function<void(RunId, std::span<const StepRecord>)> steps;
        std::function<void(const LogEntry&)> entry;
    };
    void read(const Visitor& visitor) const;
    /// Number of step rows in the latest complete `read`; -1: none yet.
    std::int64_t stepsRead() const;

    std::vector<SnapshotPlace> snapshots() const;
    /// Reads a snapshot; nothing if its bytes cannot be read.
    std::optional<StoredSnapshot> snapshot(std::int64_t id) const;

    /// A summary with about `points` points per run. Its time does not grow with the recording's length.
    RecordingSummary summary(int points = 0) const;

private:
    struct Impl;
    std::unique_ptr<Impl> m_impl;
};

/// The recordings of a folder, latest first, with about `points` points per run; other files are ignored.
std::vector<RecordingSummary> recordingsIn(const std::string& folder, int points = 0);

}  // namespace mantissa
