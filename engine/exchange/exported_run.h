// SPDX-License-Identifier: Apache-2.0
// Writes a run's records as files of other programs, including NaN, infinities and skipped steps. Pure except for the files written; any
// thread. All throw std::filesystem::filesystem_error if a file cannot be written.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "engine/experiment/messages.h"
#include "engine/telemetry/record.h"

namespace mantissa {

/// The known data of a run, in the order of its steps.
struct ExportedRun {
    RunInfo info;             // current
    RunSettings settings;     // at the run's beginning; files have its name
    double startSeconds = 0;  // Unix time of its first step, for TensorBoard's files
    std::vector<StepRecord> records;
    std::vector<SettingApplied> changes;
    std::vector<FirstNonFinite> nonFinite;
    std::vector<Note> notes;                       // its own, and those of all runs
    std::map<std::int64_t, SkipVerdict> verdicts;  // of its examined steps
    std::optional<TextSampled> sample;             // the latest
    std::optional<GaugesRead> statsGauges;         // the latest
    std::string stopReason;                        // empty while it continues
    std::int64_t stopStep = 0;                     // the step that it could not do
    double nextScale = 1;
    std::int64_t cleanSteps = 0;  // since the last growth or overflow

    /// For a watched run: the number of steps between the first and the last whose messages were not received.
    std::int64_t missingSteps() const {
        if (info.kind != RunKind::Watched || records.empty()) return 0;
        return records.back().step + 1 - info.firstStep - static_cast<std::int64_t>(records.size());
    }
};

/// Returns the settings at the run's beginning as in an experiment file; for a watched run, those that the probe reports.
Json settingsOf(const ExportedRun& run);

/// Returns the run's events in the order of their steps: {"event": "change", "step": 5, "pointer", "label", "from", "to"}, {"event":
/// "nonfinite", "step", "layer", "operation", "phase", "tensor", "class"}, {"event": "note", "step", "text"}.
std::vector<Json> eventsOf(const ExportedRun& run);

/// Writes FOLDER/RUN.csv, as `train --csv` does.
std::filesystem::path writeCsv(const ExportedRun& run, const std::filesystem::path& folder);

inline constexpr const char* kJsonLinesSchema = "mantissa-run";
inline constexpr int kJsonLinesVersion = 1;
/// Writes FOLDER/RUN.jsonl: a first line with schema, version, run and settings (for a watched run the known ones), then one object a line.
/// A step has the names of the CSV's columns, without validation if there was none; its events (eventsOf) precede it.
std::filesystem::path writeJsonLines(const ExportedRun& run, const std::filesystem::path& folder);

/// Writes FOLDER/RUN/events.out.tfevents...: one event a step with a scalar for each metric, named as the CSV's columns, in float32, the
/// format's only type.
std::filesystem::path writeTensorBoard(const ExportedRun& run, const std::filesystem::path& folder);

}  // namespace mantissa
