// SPDX-License-Identifier: Apache-2.0
// The health of a run from its events, for the window and the command line. One thread at a time.
#pragma once

#include <span>

#include "engine/diagnosis/gauges.h"
#include "engine/diagnosis/health.h"
#include "engine/experiment/messages.h"

namespace mantissa {

class RunHealth {
public:
    /// Adds the run's next step.
    void add(const StepRecord& record);

    /// Returns what explains the skips of the latest steps: the first examined one of them, else `first`. A skip long before them, when the
    /// scaler looked for its scale, does not. `examinations`: by step.
    std::optional<FirstNonFinite> cause(std::span<const Examination> examinations, const std::optional<FirstNonFinite>& first) const;

    /// Returns the present verdict. `nextScale` and `cleanSteps`: after the last step or a later change. `stopReason`: empty while the run
    /// has not stopped. `matter`: the run's silent failure, which becomes the verdict if the last step is finite and nothing worse is
    /// known; updates that are too small become a note once the loss is below 1 % of the first one.
    Health verdict(const RunInfo& info, double nextScale, std::int64_t cleanSteps, const std::optional<FirstNonFinite>& first,
                   const std::string& stopReason, const std::optional<SilentMatter>& matter) const;
    /// Whether the latest validation loss is finite; true before the first.
    bool isLastValidationFinite() const { return m_isLastValidationFinite; }

private:
    /// The highest loss scale since the last search for one. A search begins with the first step and with a scale set by hand: skips belong
    /// to it until the scale grows, as long as at least half of its steps were skipped. Another fall without a skip begins a new maximum.
    /// Scales are magnitudes.
    struct ScaleHistory {
        bool hasSteps = false, isSearch = true, hasGrown = false;
        double last = 0, highest = 0;  // highest 0: unknown until the next step
        std::int64_t skipsBeforeLast = 0, skipsBeforeHighest = 0;
        std::int64_t searchFrom = 0, skipsBeforeSearch = 0;
        void add(const StepRecord& record);
    };

    HealthInput m_input;  // the part from step records
    ScaleHistory m_scale;
    bool m_isLastValidationFinite = true;
    double m_firstLoss = 0, m_usualLoss = 0;  // the first finite one, and a moving average; 0: none yet
};

}  // namespace mantissa
