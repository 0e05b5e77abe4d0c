// SPDX-License-Identifier: GPL-3.0-or-later
// What the engine reports of the runs' steps: records, measured values and examinations. Only its events change it. GUI thread only.
#pragma once

#include "gui/link/runs_model.h"

namespace mantissa::gui {

class RunDataModel : public RunsModel {
    Q_OBJECT
public:
    using RunsModel::RunsModel;

    /// Returns the time (CLOCK_MONOTONIC, ns) at which the engine sent the latest records; 0 before any.
    std::int64_t lastSentNs() const { return m_lastSentNs; }

signals:
    void recordsAppended();  // at most once per handled event
    void stepExamined(int run, qint64 step);
    void runThinned(int run);  // only some of its older steps are still kept
    void tensorsMeasured(const TensorsMeasured& measured);

protected:
    using RunsModel::take;
    void take(RunState& run, const StepsRecorded& event);
    void take(RunState& run, const SeriesImported& event);
    void take(RunState& run, const ValuesMeasured& event);
    void take(RunState& run, const TensorsMeasured& event);
    void take(RunState& run, const GaugesRead& event);
    void take(RunState& run, const NonFiniteFound& event);
    void take(RunState& run, const StepExamined& event);
    void take(RunState& run, const CheckpointKept& event);
    void take(RunState& run, const RunStopped& event);
    void take(RunState& run, const TextSampled& event);

private:
    std::int64_t m_lastSentNs = 0;
};

}  // namespace mantissa::gui
