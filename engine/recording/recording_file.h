// SPDX-License-Identifier: Apache-2.0
// The file of a recorder: creating, continuing, writing one transaction at a time, and saving again if it was removed. Internal to
// engine/recording. One thread at a time.
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

/// Values that arrived between two transactions. `stepsBefore`: rows of steps, of the whole recording, that came before.
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
    std::size_t bytes() const;      // approximate size in memory
    void append(Arrivals&& later);  // leaves `later` empty
};

class RecordingFile {
public:
    /// Creates a file; it appears complete with its tables and facts, or not at all. Throws InputError.
    static std::unique_ptr<RecordingFile> create(const std::string& path, const std::map<std::string, std::string>& facts);
    /// Opens an existing recording for appending. Throws InputError if it cannot be continued.
    static std::unique_ptr<RecordingFile> goOn(const std::string& name);
    ~RecordingFile();

    /// Longest time, approximately, until the write-ahead log is folded into the file: a copy without the log loses its content.
    static constexpr int kFoldMs = 800;

    /// Writes one transaction. Throws SqlError; then nothing of it is in the file.
    void write(const Arrivals& arrivals);
    /// When the log must be folded; nothing: all content is in the file.
    std::optional<std::chrono::steady_clock::time_point> foldDue() const;
    void foldWhenDue();
    /// Records in the file whether it is complete. Without this call, readers find the file unclosed.
    void close(bool isWhole);
    /// Whether the path no longer leads to this file: the file or its folder was removed or renamed.
    bool hasMoved() const;
    /// Saves the whole recording again under its path, in a new folder if needed, or beside a file that has taken the path. Throws
    /// SqlError.
    void saveAgain();

    const std::string& path() const { return m_path; }
    std::int64_t steps() const { return m_steps; }
    std::int64_t bytes() const;  // on the disk, with the write-ahead log

private:
    struct Handles;
    RecordingFile(std::string path, std::unique_ptr<FileGuard> guard);
    void foldLog();
    void begin();
    void bindLog();

    std::string m_path;
    std::unique_ptr<FileGuard> m_guard;  // outlives what SQLite has open
    std::unique_ptr<Handles> m_handles;
    std::int64_t m_steps = 0;
    std::int64_t m_log = -1;  // idOfLog, as in the file
    bool m_hasUnfolded = false;
    std::chrono::steady_clock::time_point m_foldedAt = std::chrono::steady_clock::now();
};

}  // namespace mantissa
