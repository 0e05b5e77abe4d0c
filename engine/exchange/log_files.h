// SPDX-License-Identifier: Apache-2.0
// Finds training logs in a path, and their formats. Any thread. All throw InputError.
#pragma once

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <vector>

#include "engine/exchange/log_reader.h"

namespace mantissa {

/// A regular file, opened, with its size.
struct InputFile {
    std::ifstream stream;
    std::uint64_t bytes = 0;

    explicit InputFile(const std::filesystem::path& path);
};

/// What a file contains: one run, read incrementally as it grows, or a file that is read as a whole.
enum class FileKind { Log, TrainerState, Trackio };
struct FileFormat {
    FileKind kind = FileKind::Log;
    LogFormat log = LogFormat::Csv;  // for FileKind::Log
};
/// Detects the format by the file's first bytes. Nothing: undecided yet, only if it `mayGrow`; otherwise throws for an unknown format.
std::optional<FileFormat> formatOf(InputFile& file, const std::string& source, bool mayGrow);

/// A log: a run, or a database of several.
struct FoundLog {
    enum class Kind { File, Events, TrainerFolder } kind = Kind::File;
    std::filesystem::path path;                // File: of any format; otherwise the folder
    std::vector<std::filesystem::path> files;  // Events: in order; TrainerFolder: of the latest checkpoint, and the folder's own
    std::string name;                          // empty: taken from the file
    std::size_t others = 0;                    // TrainerFolder: number of ignored files
};
/// Finds logs. For a file, itself. For a folder, event files in and below it, each folder a run; without them, output folders of a Trainer;
/// otherwise files of W&B and nvdlfw_inspect below it, and its CSV, JSON lines and trackio files. Empty: none found.
std::vector<FoundLog> findLogs(const std::filesystem::path& path);

/// Predicate of an error about a path without logs.
inline constexpr const char* kNoLogs =
    "holds no event files of TensorBoard, no trainer_state.json, no .wandb file, and no log, .csv, .tsv, .jsonl or trackio .db file";

}  // namespace mantissa
