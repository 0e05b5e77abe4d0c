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
    void take(const StepsRecorded& event);
    void take(const SeriesImported& event);
    void take(const ValuesMeasured& event);
    void take(const TensorsMeasured& event);
    void take(const GaugesRead& event);
    void take(const NonFiniteFound& event);
    void take(const StepExamined& event);
    void take(const CheckpointKept& event);
    void take(const RunStopped& event);
    void take(const TextSampled& event);

private:
    std::int64_t m_lastSentNs = 0;
};

}  // namespace mantissa::gui
