// SPDX-License-Identifier: Apache-2.0
// Writes a recording during training. `append` only puts values into a queue; a separate thread writes them, with one transaction at most
// every `kCommitMs`. Training never waits for the disk. About once a second the thread folds the write-ahead log into the file, so a copy
// without the log loses at most about a second.
//
// Threads: `append`, `flush`, `state` from any; `publish` is called on the writing thread.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>

#include "engine/recording/recording.h"

namespace mantissa {

/// The state of a recording.
struct RecordingState {
    std::string path;         // current path of the file
    std::int64_t bytes = 0;   // the file and its write-ahead log
    std::int64_t steps = 0;   // rows committed to disk
    std::string problem;      // a full disk, a removed folder, ... in one sentence; empty: none
    bool isRecording = true;  // false after recording was stopped by an error
    bool operator==(const RecordingState&) const = default;
};

class Recorder {
public:
    /// Longest time until an append is committed, without the commit itself: 250 ms in all, plus the time that a busy disk takes to sync.
    static constexpr int kCommitMs = 200;

    using Publish = std::function<void(const RecordingState&)>;

    /// Begins a new recording with these facts, and its own missing ones (uuid, started, version, build, machine). `publish` is called when
    /// the state changes: at once for a problem and at the end, otherwise at most once a second. Throws InputError if the file exists
    /// (recordings are never overwritten), or if its folder does not exist or is not writable.
    Recorder(const std::string& path, const std::map<std::string, std::string>& facts, Publish publish);
    /// Continues a recording at its end. Throws InputError with the reason if it is read-only.
    static std::unique_ptr<Recorder> resume(const std::string& path, Publish publish);
    /// Writes all waiting values, folds the write-ahead log into the file, and marks the file as closed.
    ~Recorder();
    Recorder(const Recorder&) = delete;
    Recorder& operator=(const Recorder&) = delete;

    void append(RunId run, std::span<const StepRecord> records);
    void append(LogEntry entry);
    /// Appends a snapshot. One that exceeds SQLite's limit (a billion bytes), or that the disk is too slow for, is left out: rewinds then
    /// take longer.
    void append(StoredSnapshot snapshot);

    /// Waits until all appended values are on the disk, or cannot be written.
    void flush();
    RecordingState state() const;

private:
    struct Impl;
    std::unique_ptr<Impl> m_impl;
    explicit Recorder(std::unique_ptr<Impl> impl);
};

}  // namespace mantissa
