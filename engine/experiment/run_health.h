// SPDX-License-Identifier: Apache-2.0
// A run's verdict from what its events have told: the window and the command line judge by the same. One thread at a time.
#pragma once

#include "engine/diagnosis/gauges.h"
#include "engine/diagnosis/health.h"
#include "engine/experiment/messages.h"

namespace mantissa {

class RunHealth {
public:
    /// The run's next step.
    void add(const StepRecord& record);

    /// `nextScale` and `cleanSteps`: as they stand after the last step or a later change. `stopReason` is empty while the run goes on.
    /// `matter`: the run's. A run whose last step is finite is headed by it.
    Health verdict(const RunInfo& info, double nextScale, std::int64_t cleanSteps, const std::optional<FirstNonFinite>& first,
                   const std::string& stopReason, const std::optional<SilentMatter>& matter) const;
    /// True before the first.
    bool isLastValidationFinite() const { return m_isLastValidationFinite; }

private:
    HealthInput m_input;  // the part that goes by steps
    bool m_isLastValidationFinite = true;
};

}  // namespace mantissa
