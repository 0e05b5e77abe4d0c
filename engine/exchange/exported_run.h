// SPDX-License-Identifier: Apache-2.0
// A run's records as files of other programs. NaN, infinities and skips are in each of them.
// Pure but for the files they write; any thread. All throw std::filesystem::filesystem_error when a file cannot be written.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "engine/experiment/messages.h"
#include "engine/telemetry/record.h"

namespace mantissa {

/// What has been told of a run, in the order of its steps.
struct ExportedRun {
    RunInfo info;             // as it stands
    RunSettings settings;     // as the run began; its name is that of the file
    double startSeconds = 0;  // Unix time of its first step; TensorBoard's files have it
    std::vector<StepRecord> records;
    std::vector<SettingApplied> changes;
    std::vector<FirstNonFinite> nonFinite;
    std::vector<Note> notes;               // its own, and those of all runs
    std::optional<TextSampled> sample;     // the latest
    std::optional<GaugesRead> lookGauges;  // the latest
    std::string stopReason;                // empty while it goes on
    double nextScale = 1;
    std::int64_t cleanSteps = 0;  // since the last growth or overflow

    /// Of a watched run: steps between the first and the last whose messages never came.
    std::int64_t missingSteps() const {
        if (info.kind != RunKind::Watched || records.empty()) return 0;
        return records.back().step + 1 - info.firstStep - static_cast<std::int64_t>(records.size());
    }
};

/// FOLDER/RUN.csv, as `train --csv` writes it.
std::filesystem::path writeCsv(const ExportedRun& run, const std::filesystem::path& folder);

inline constexpr const char* kJsonLinesSchema = "mantissa-run";
inline constexpr int kJsonLinesVersion = 1;
/// FOLDER/RUN.jsonl: a first line with schema, version, run and settings (of a watched run those that are known), then one object a line. A
/// step has the names of the CSV's columns, and no validation where there was none; what happened at a step stands before it:
/// {"event":"change"...},
/// {"event":"nonfinite"...}, {"event":"note"...}.
std::filesystem::path writeJsonLines(const ExportedRun& run, const std::filesystem::path& folder);

/// FOLDER/RUN/events.out.tfevents...: one event a step with a scalar for each metric, by the names of the CSV's columns, as float32: the
/// format has no other.
std::filesystem::path writeTensorBoard(const ExportedRun& run, const std::filesystem::path& folder);

}  // namespace mantissa
