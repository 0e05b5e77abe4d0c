// SPDX-License-Identifier: Apache-2.0
// Imports runs of other programs as read-only runs: CSV, JSON lines, TensorBoard's event files, files of W&B and trackio, logs of trainers.
// NaN and infinities are valid values. Files are not trusted: a file's size is known before any allocation, and lengths and counts have
// bounds. Any thread. All throw InputError, in one sentence with the line or byte.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <string>
#include <string_view>
#include <vector>

#include "engine/telemetry/record.h"

namespace mantissa {

inline constexpr std::size_t kMaxImportedSteps = 20'000'000;  // per series
inline constexpr std::size_t kMaxOtherSeries = 40;            // per run: names that are not one of our metrics

struct ImportedSeries {
    Metric metric = Metric::Loss;     // Other: identified by `source`
    std::string source;               // its name in the file: "train/loss"
    std::vector<std::int64_t> steps;  // ascending
    std::vector<double> values;       // one per step
};

struct ImportedRun {
    std::string name;                    // valid as a run's name, but possibly taken
    std::vector<ImportedSeries> series;  // one per metric, in the metrics' order; then the file's other quantities, kMaxOtherSeries at most
    std::string remark;                  // omissions, for display: "not shown: epoch, flags"; may be empty
};

/// Imports the runs of a file, whose content determines the format, or of a folder, searched by log_files.h. Returns at least one run, and
/// each has a series. `leftOut`: the files of a folder without a known value, in a sentence each.
std::vector<ImportedRun> importRuns(const std::string& path, std::vector<std::string>* leftOut = nullptr);

// Readers of a stream of `bytes` bytes. `source` names it in errors. A run without a known value has no series.

/// Reads CSV: a first line of names, then numbers, separated by commas, semicolons or tabs. The step is a column named as such, or the
/// row's number. An empty cell has no value.
ImportedRun readCsv(std::istream& in, const std::string& source);
/// Reads JSON lines: an object a line, with a step and numbers; nested ones are named "train/loss". Accepts bare NaN and Infinity, as
/// Python writes them. Ignores an incomplete last line.
ImportedRun readJsonLines(std::istream& in, const std::string& source);
/// Reads Hugging Face's trainer_state.json: an entry of `log_history` for each log of the Trainer. Without a name the run takes that of the
/// file's folder.
ImportedRun readTrainerState(std::istream& in, const std::string& source, const std::string& name = {});
/// Reads lines of Megatron-LM, torchtitan and nvdlfw_inspect, among others; counts since the previous line are added up. A repeated step
/// replaces all values from it on.
ImportedRun readTrainersLog(std::istream& in, const std::string& source);
/// Whether the beginning of a text has a line of such a log.
bool isTrainersLog(std::string_view begin);
/// Reads event files. Scalars: simple values, and tensors of one float32 or float64. From histograms: minimum, maximum and count. A
/// repeated step replaces all values from it on, as after a restart from a checkpoint. Ignores an incomplete last record.
ImportedRun readEvents(std::istream& in, std::uint64_t bytes, const std::string& source);
/// Reads the history of W&B's offline file; nested values are named "train/loss". Ignores an incomplete last record.
ImportedRun readWandb(std::istream& in, std::uint64_t bytes, const std::string& source);

}  // namespace mantissa
