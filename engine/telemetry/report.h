// SPDX-License-Identifier: Apache-2.0
// The report of a headless run: a folder with index.html, the plots as SVG images, the CSVs and the experiment.
// Pure except for the files written; any thread.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "engine/telemetry/record.h"

namespace mantissa {

/// A setting that took effect.
struct ReportMarker {
    std::int64_t step = 0;
    std::string label;  // "loss scale 2^18 -> 2^26"
};

/// A gauge of failures without a NaN that is not good: "schedule ahead", and its sentence.
struct ReportGauge {
    std::string name, sentence;
};

struct ReportRun {
    std::optional<std::size_t> identity;  // run_identity.h; nothing: by its position among the runs
    std::string name, fileStem, policy, scaler, model, health;
    std::string loss = "cross-entropy";
    bool isEmulated = false;
    double samplesPerSecond = 0;  // 0: unknown
    ProductRates products;
    MemoryLedger memory;                                    // 0: unknown
    std::int64_t allocatedBytes = 0, deviceUsedBytes = -1;  // 0, -1: unknown
    std::int64_t steps = 0;                                 // steps received, of a watched run
    std::int64_t missingSteps = 0;                     // number of steps between the first and the last whose messages were not received
    const std::vector<StepRecord>* records = nullptr;  // by step, including the last one; outlives the report
    std::vector<ReportMarker> markers;
    std::vector<ReportGauge> gauges;  // not covered by `health`
    std::optional<FirstNonFinite> firstNonFinite;
    std::string text;  // a language model's text at the last validation, after `textStep`
    std::int64_t textStep = 0;
};

struct ReportInput {
    std::string title, description, data, experimentJson, version, machine;  // data: the training data, marked if synthetic
    double wallSeconds = 0;
    std::vector<ReportRun> runs;
    bool hasCsvFiles = false;  // they are already in the folder, and are not written from the records

    std::size_t identityOf(std::size_t run) const { return runs[run].identity.value_or(run); }
};

/// Writes the report. Throws std::filesystem::filesystem_error if the folder or a file cannot be written.
void writeReport(const ReportInput& input, const std::filesystem::path& folder);

}  // namespace mantissa
