// SPDX-License-Identifier: Apache-2.0
// What the report says of a run, and what other summaries say too. Pure; any thread.
#pragma once

#include "engine/diagnosis/health.h"
#include "engine/exchange/exported_run.h"
#include "engine/experiment/run_health.h"
#include "engine/telemetry/report.h"

namespace mantissa {

/// What summaries say of all steps of a run, however many of their records are kept.
class RunTally {
public:
    RunTally() = default;
    explicit RunTally(const std::vector<StepRecord>& records) {
        for (const StepRecord& record : records) add(record);
    }
    /// The next step.
    void add(const StepRecord& record);

    std::int64_t steps() const { return m_steps; }
    /// The latest step that was validated; nothing: none was.
    const std::optional<StepRecord>& validated() const { return m_validated; }
    /// Samples a second over all steps, training alone; 0 without steps, and where samples are not known.
    double meanThroughput() const { return m_seconds > 0 && m_samples > 0 ? static_cast<double>(m_samples) / m_seconds : 0; }
    const RunHealth& health() const { return m_health; }

private:
    std::int64_t m_steps = 0, m_samples = 0;
    double m_seconds = 0;
    std::optional<StepRecord> m_validated;
    RunHealth m_health;
};

Health healthOf(const ExportedRun& run, const RunTally& tally);

/// Of silent failures, as they stand after its newest step.
std::vector<Gauge> gaugesOf(const ExportedRun& run);

/// `run` outlives what is returned, which points to its records.
ReportRun reportRun(const ExportedRun& run, const RunTally& tally);

}  // namespace mantissa
