// SPDX-License-Identifier: Apache-2.0
// Which files of a path are logs of trainings, and which format each has. Any thread. All throw InputError.
#pragma once

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <vector>

#include "engine/exchange/log_reader.h"

namespace mantissa {

/// A regular file, open, with its size known.
struct InputFile {
    std::ifstream stream;
    std::uint64_t bytes = 0;

    explicit InputFile(const std::filesystem::path& path);
};

/// What a file holds: one run that is read on as it grows; or a file that is read as a whole.
enum class FileKind { Log, TrainerState, Trackio };
struct FileFormat {
    FileKind kind = FileKind::Log;
    LogFormat log = LogFormat::Csv;  // of FileKind::Log
};
/// By the file's first bytes. Nothing: they do not show it yet, where it `mayGrow`; else they do, or it is refused.
std::optional<FileFormat> formatOf(InputFile& file, const std::string& source, bool mayGrow);

/// A run, or a data base of several.
struct FoundLog {
    enum class Kind { File, Events, TrainerFolder } kind = Kind::File;
    std::filesystem::path path;                // File: of any format; else the folder
    std::vector<std::filesystem::path> files;  // Events, in their order; TrainerFolder: of the furthest checkpoint, and its own
    std::string name;                          // empty: see the file
    std::size_t others = 0;                    // TrainerFolder: files that are left out
};
/// Of a file, itself. Of a folder, event files in it and below it, each folder a run; where there are none, output folders of a Trainer;
/// else files of W&B and nvdlfw_inspect below it, and its CSV, JSON lines and trackio files. Empty: a folder has none of them.
std::vector<FoundLog> findLogs(const std::filesystem::path& path);

/// Of a path that findLogs has found nothing in.
inline constexpr const char* kNoLogs =
    "holds no event files of TensorBoard, no trainer_state.json, no .wandb file, and no log, .csv, .tsv, .jsonl or trackio .db file";

}  // namespace mantissa
