// SPDX-License-Identifier: Apache-2.0
// Imports runs of other programs as read-only runs: CSV, JSON lines, TensorBoard's event files, files of W&B and trackio, logs of trainers.
// NaN and infinities are valid values. Files are not trusted: a file's size is known before any allocation, and lengths and counts have
// bounds. Any thread. All throw InputError, in one sentence with the line or byte.
#pragma once

#include <cstdint>
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

/// Whether the beginning of a text has a line of a trainer's log (LogFormat::Lines).
bool isTrainersLog(std::string_view begin);

}  // namespace mantissa
