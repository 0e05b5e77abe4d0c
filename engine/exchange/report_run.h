// SPDX-License-Identifier: Apache-2.0
// What the report says of a run, and what other summaries say too. Pure; any thread.
#pragma once

#include "engine/exchange/exported_run.h"
#include "engine/precision/health.h"
#include "engine/telemetry/report.h"

namespace mantissa {

Health healthOf(const ExportedRun& run);

/// Of silent failures, as they stand after its newest step.
std::vector<Gauge> gaugesOf(const ExportedRun& run);

/// Samples a second over all of its steps, training alone; 0 without steps.
double meanThroughput(const std::vector<StepRecord>& records);

/// `run` outlives what is returned, which points to its records.
ReportRun reportRun(const ExportedRun& run);

}  // namespace mantissa
