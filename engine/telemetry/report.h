// SPDX-License-Identifier: Apache-2.0
// The report of a headless run: a folder with index.html, the plots as SVG images, the CSVs and the experiment.
// Pure but for the files it writes; any thread.
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

/// A gauge of silent failures that is not good: "schedule ahead", and its sentence.
struct ReportGauge {
    std::string name, sentence;
};

struct ReportRun {
    std::optional<std::size_t> identity;  // run_identity.h; nothing: that of its place among the runs
    std::string name, fileStem, policy, scaler, model, health;
    std::string loss = "cross-entropy";
    bool isEmulated = false;
    double samplesPerSecond = 0;  // 0: not known
    ProductRates products;
    MemoryLedger memory;                                    // 0: not known
    std::int64_t allocatedBytes = 0, deviceUsedBytes = -1;  // 0, -1: not known
    std::int64_t steps = 0;                                 // that came, of a watched run
    std::int64_t missingSteps = 0;                          // between the first and the last, whose messages never came
    const std::vector<StepRecord>* records = nullptr;       // by step, the last one among them; outlives the report
    std::vector<ReportMarker> markers;
    std::vector<ReportGauge> gauges;  // that `health` does not tell
    std::optional<FirstNonFinite> firstNonFinite;
    std::string text;  // what a language model wrote at the last validation, after `textStep`
    std::int64_t textStep = 0;
};

struct ReportInput {
    std::string title, description, data, experimentJson, version, machine;  // data: what it trained on, synthetic data named as such
    double wallSeconds = 0;
    std::vector<ReportRun> runs;
    bool hasCsvFiles = false;  // they are in the folder, and are not written from the records

    std::size_t identityOf(std::size_t run) const { return runs[run].identity.value_or(run); }
};

/// Throws std::filesystem::filesystem_error when the folder or a file cannot be written.
void writeReport(const ReportInput& input, const std::filesystem::path& folder);

}  // namespace mantissa
