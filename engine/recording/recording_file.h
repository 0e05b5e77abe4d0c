// SPDX-License-Identifier: Apache-2.0
// The file under a recorder: begun, gone on with, written to, one transaction at a time, and saved anew when it was taken away.
// Internal to engine/recording. One thread at a time.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/recording/recording.h"

namespace mantissa {

class FileGuard;

/// What arrived between two transactions. `stepsBefore`: rows of steps, of the whole recording, that came before.
struct Arrivals {
    struct Step {
        RunId run = 0;
        StepRecord record;
    };
    struct Entry {
        std::int64_t stepsBefore = 0;
        std::string kind;
        RunId run = -1;
        std::int64_t step = -1;
        std::string body;
    };
    struct Snapshot {
        std::int64_t stepsBefore = 0;
        RunId run = 0;
        std::int64_t step = 0;
        std::string head;
        std::vector<std::byte> state;
    };
    std::vector<Step> steps;
    std::vector<Entry> entries;
    std::vector<Snapshot> snapshots;

    bool isEmpty() const { return steps.empty() && entries.empty() && snapshots.empty(); }
    std::size_t bytes() const;      // in memory, about
    void append(Arrivals&& later);  // which is empty then
};

class RecordingFile {
public:
    /// A file of that name appears whole, with its tables and facts, or not at all. Throws InputError.
    static std::unique_ptr<RecordingFile> create(const std::string& path, const std::map<std::string, std::string>& facts);
    /// Throws InputError when it is none that can be gone on with.
    static std::unique_ptr<RecordingFile> goOn(const std::string& name);
    ~RecordingFile();

    /// What lies in the write-ahead log alone is lost with it: it is folded into the file after this time at the latest, and a little.
    static constexpr int kFoldMs = 800;

    /// Throws SqlError; then nothing of it is in the file.
    void write(const Arrivals& arrivals);
    /// When the log is to be folded; nothing: all is in the file.
    std::optional<std::chrono::steady_clock::time_point> foldDue() const;
    void foldWhenDue();
    /// Says in the file whether anything is missing. Without it, the file says to its readers that it was not closed.
    void close(bool isWhole);
    /// Whether the name leads to this file no more: it was removed or renamed, or its folder was.
    bool hasMoved() const;
    /// The whole recording again under its name, in a new folder if need be, or beside what has taken that name since. Throws SqlError.
    void saveAnew();

    const std::string& path() const { return m_path; }
    std::int64_t steps() const { return m_steps; }
    std::int64_t bytes() const;                                          // on the disk, with the write-ahead log
    std::optional<std::int64_t> lastStep() const { return m_lastStep; }  // that this object wrote

private:
    struct Handles;
    RecordingFile(std::string path, std::unique_ptr<FileGuard> guard);
    void foldLog();
    void markOpen();

    std::string m_path;
    std::unique_ptr<FileGuard> m_guard;  // outlives what SQLite has open
    std::unique_ptr<Handles> m_handles;
    std::int64_t m_steps = 0;
    std::optional<std::int64_t> m_lastStep;
    bool m_hasUnfolded = false;
    std::chrono::steady_clock::time_point m_foldedAt = std::chrono::steady_clock::now();
};

}  // namespace mantissa
