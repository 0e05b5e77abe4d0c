// SPDX-License-Identifier: Apache-2.0
// Other people's runs, read from their files as read-only runs: CSV, JSON lines, TensorBoard's event files, files of W&B and
// trackio, logs of trainers. NaN and infinities in them are values like others. Files are not trusted: a file's size is known before
// anything is allocated, and lengths and counts have bounds. Any thread. All throw InputError, in one sentence with the line or byte.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <string>
#include <string_view>
#include <vector>

#include "engine/telemetry/record.h"

namespace mantissa {

inline constexpr std::size_t kMaxImportedSteps = 20'000'000;  // of one series
inline constexpr std::size_t kMaxOtherSeries = 40;            // of one run: names that are no metric of ours

struct ImportedSeries {
    Metric metric = Metric::Loss;     // Other: known by `source` alone
    std::string source;               // its name in the file: "train/loss"
    std::vector<std::int64_t> steps;  // ascending
    std::vector<double> values;       // as many
};

struct ImportedRun {
    std::string name;                    // fit to be a run's, but perhaps not free
    std::vector<ImportedSeries> series;  // one a metric, in the metrics' order; then the file's other quantities, kMaxOtherSeries at most
    std::string remark;                  // what was left out, for people: "not shown: epoch, flags"; may be empty
};

/// The runs of a file, whose content tells the format, or of a folder, in which log_files.h looks for them. There is at least one, and each
/// has a series.
std::vector<ImportedRun> importRuns(const std::string& path);

// The readers, for a stream of `bytes` bytes. `source` names it in errors. A run without any value that is known has no series.

/// A first line of names, then numbers; commas, semicolons or tabs between them. The step is in a column named as such, or it is the row's
/// number. An empty cell is no value.
ImportedRun readCsv(std::istream& in, const std::string& source);
/// An object a line, with a step and numbers; nested ones are named as in "train/loss". Also bare NaN and Infinity, as Python writes them.
/// A last line that is cut is left out.
ImportedRun readJsonLines(std::istream& in, const std::string& source);
/// Hugging Face's trainer_state.json, whole: an entry of `log_history` each time that the Trainer logged. Without a name the run has that
/// of the file's folder.
ImportedRun readTrainerState(std::istream& in, const std::string& source, const std::string& name = {});
/// Lines that Megatron-LM, torchtitan and nvdlfw_inspect print, among others; counts since the line before are added up. A step that comes
/// again takes the place of what came from it on.
ImportedRun readTrainersLog(std::istream& in, const std::string& source);
/// Whether the beginning of a text has a line of such a log.
bool isTrainersLog(std::string_view begin);
/// Scalars: simple values, and tensors of one float32 or float64. Of histograms their least and largest value, and how many there are. A
/// step that comes again takes the place of what came from it on, as after a restart from a checkpoint. A last record that is cut is left
/// out.
ImportedRun readEvents(std::istream& in, std::uint64_t bytes, const std::string& source);
/// The history of W&B's offline file; nested values are named as in "train/loss". A last record that is cut is left out.
ImportedRun readWandb(std::istream& in, std::uint64_t bytes, const std::string& source);

}  // namespace mantissa
