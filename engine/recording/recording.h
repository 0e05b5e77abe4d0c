// SPDX-License-Identifier: Apache-2.0
// A recording read back: the `.mantissa` file, SQLite inside, append-only, in the order of arrival. Nothing in it is ever rewritten: after
// a rewind the same step of a run comes again, and the later one holds. One thread at a time.
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

/// What a recording holds beside steps and snapshots: commands, changes, runs that begin, events. `body` is JSON; what it says for each
/// kind is up to the session (engine/session/journal.h).
struct LogEntry {
    std::string kind;        // "run", "change", "command"
    RunId run = -1;          // -1: no single one
    std::int64_t step = -1;  // at which it took effect; -1: none
    Json body;
};

/// A run's whole state between two steps: a head in JSON and the bytes of its memory.
struct StoredSnapshot {
    RunId run = 0;
    std::int64_t step = 0;  // the next one
    Json head;
    std::vector<std::byte> state;
};

/// One snapshot of a recording without its bytes.
struct SnapshotPlace {
    std::int64_t id = 0;
    RunId run = 0;
    std::int64_t step = 0;
    std::int64_t stepsBefore = 0;  // rows of steps, of all runs, written before it
    std::int64_t bytes = 0;
};

/// A run's loss at a few of its steps, ascending, with its last one among them.
struct RunSketch {
    RunId run = 0;
    Json begin;  // the body of its entry "run"
    std::vector<std::int64_t> steps;
    std::vector<double> losses;
};

/// For a list of recordings.
struct RecordingSummary {
    std::string path;
    std::map<std::string, std::string> facts;  // uuid, started, version, build, machine, title
    std::int64_t bytes = 0;                    // of the file and of what is beside it
    std::int64_t steps = 0;                    // rows of steps, of all runs
    std::vector<RunSketch> runs;               // that have begun
};

/// An empty file, or a recording of which nothing can be read.
class DamagedRecording : public InputError {
public:
    using InputError::InputError;
};

class Recording {
public:
    /// Throws InputError, in one sentence with the path, for what is no recording: missing, unreadable, foreign; DamagedRecording for what
    /// is empty, or damaged beyond reading.
    explicit Recording(const std::string& path);
    ~Recording();
    Recording(const Recording&) = delete;
    Recording& operator=(const Recording&) = delete;

    const std::map<std::string, std::string>& facts() const;
    /// Why it can only be looked at (written by a newer version, damaged and read as far as it goes, no right to write, in use by another
    /// program), in one sentence; empty: it can be gone on with. Damage within the tables is known once they have been read.
    const std::string& whyReadOnly() const;
    /// What is missing of it, or may be (damaged, not closed, its log not there), in one sentence; empty: nothing that is known. What was
    /// recorded before there was a flag for it does not tell whether it was closed.
    std::string missing() const;
    /// Whether that is more than what the program that wrote it had not committed when it ended.
    bool isIncomplete() const;

    /// What is in it, in the order of arrival. Steps of one run that follow one another come together, at most a few thousand at a time.
    /// `epoch` of a record is left 0: it follows from `samples` and the run's data. Of a damaged file: what can be read.
    struct Visitor {
        std::function<void(RunId, std::span<const StepRecord>)> steps;
        std::function<void(const LogEntry&)> entry;
    };
    void read(const Visitor& visitor) const;
    /// Rows of steps that came when it was read last; -1: it has not been read to its end.
    std::int64_t stepsRead() const;

    std::vector<SnapshotPlace> snapshots() const;
    /// Nothing where its bytes cannot be read.
    std::optional<StoredSnapshot> snapshot(std::int64_t id) const;

    /// With about so many points of each run. Its time does not grow with the recording's length.
    RecordingSummary summary(int points = 0) const;

private:
    struct Impl;
    std::unique_ptr<Impl> m_impl;
};

/// The recordings of a folder, latest first, with about so many points of each run; what is none is left out.
std::vector<RecordingSummary> recordingsIn(const std::string& folder, int points = 0);

}  // namespace mantissa
