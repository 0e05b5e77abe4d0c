// SPDX-License-Identifier: Apache-2.0
// Writes a recording while a session trains: whoever appends only puts values into a queue; one thread of its own writes them, one
// transaction at most every `kCommitMs`. Training never waits for the disk. About once a second the thread folds the write-ahead log into
// the file, which loses no more than that when it is copied without its log.
//
// Threads: `append`, `flush`, `state` from any; `tell` is called on the writing thread.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>

#include "engine/recording/recording.h"

namespace mantissa {

/// How a recording stands.
struct RecordingState {
    std::string path;         // of the file, as it is now
    std::int64_t bytes = 0;   // the file and its write-ahead log
    std::int64_t steps = 0;   // rows that are safe on the disk
    std::string problem;      // a full disk, a removed folder, ... in one sentence; empty while all is well
    bool isRecording = true;  // false once it has been given up
    bool operator==(const RecordingState&) const = default;
};

class Recorder {
public:
    /// What is appended is committed within this time, and a little for the committing itself: 250 ms in all, and
    /// what a busy disk takes to sync.
    static constexpr int kCommitMs = 200;

    using Tell = std::function<void(const RecordingState&)>;

    /// Begins a new recording with these facts (and its own, where they are not among them: uuid, started, version, build, machine). `tell`
    /// is called when the state changes: at once for a problem and for its end, else at most once a second. Throws InputError when the file
    /// exists already (recordings are never written over), when its folder does not exist or cannot be written to.
    Recorder(const std::string& path, const std::map<std::string, std::string>& facts, Tell tell);
    /// Goes on with a recording at its end. Throws InputError with the reason when it is read-only.
    static std::unique_ptr<Recorder> resume(const std::string& path, Tell tell);
    /// Writes what is waiting, folds the write-ahead log into the file, and marks it as closed.
    ~Recorder();
    Recorder(const Recorder&) = delete;
    Recorder& operator=(const Recorder&) = delete;

    void append(RunId run, std::span<const StepRecord> records);
    void append(LogEntry entry);
    /// One that SQLite cannot hold (a billion bytes) or that the disk is too slow for is left out: a rewind takes longer then.
    void append(StoredSnapshot snapshot);

    /// Waits until all that was appended is on the disk, or cannot be put there.
    void flush();
    RecordingState state() const;

private:
    struct Impl;
    std::unique_ptr<Impl> m_impl;
    explicit Recorder(std::unique_ptr<Impl> impl);
};

}  // namespace mantissa
