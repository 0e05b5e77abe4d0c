// SPDX-License-Identifier: Apache-2.0
// Makes a run's entry of the report, and values for other summaries. Pure; any thread.
#pragma once

#include "engine/diagnosis/health.h"
#include "engine/exchange/exported_run.h"
#include "engine/experiment/run_health.h"
#include "engine/telemetry/report.h"

namespace mantissa {

/// Summary values of all steps of a run, independent of how many records are kept.
class RunTally {
public:
    RunTally() = default;
    explicit RunTally(const std::vector<StepRecord>& records) {
        for (const StepRecord& record : records) add(record);
    }
    /// Adds the next step.
    void add(const StepRecord& record);

    std::int64_t steps() const { return m_steps; }
    /// The latest validated step; nothing: none.
    const std::optional<StepRecord>& validated() const { return m_validated; }
    /// Samples per second over all steps, training only; 0 without steps, or if samples are unknown.
    double meanThroughput() const { return m_seconds > 0 && m_samples > 0 ? static_cast<double>(m_samples) / m_seconds : 0; }
    const RunHealth& health() const { return m_health; }

private:
    std::int64_t m_steps = 0, m_samples = 0;
    double m_seconds = 0;
    std::optional<StepRecord> m_validated;
    RunHealth m_health;
};

Health healthOf(const ExportedRun& run, const RunTally& tally);

/// Gauges of failures without a NaN, after the newest step.
std::vector<Gauge> gaugesOf(const ExportedRun& run);

/// Makes the report's entry. The result points to the records of `run`, which must outlive it.
ReportRun reportRun(const ExportedRun& run, const RunTally& tally);

}  // namespace mantissa
