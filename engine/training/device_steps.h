// SPDX-License-Identifier: Apache-2.0
// Many steps of a plan enqueued one after another, a launch each, with nothing for the host to do or to wait for in between: the scale, the
// counters and the next batch go from step to step in the backend's memory (kernels/step_operations.h). One per plan and set of rules; one
// thread at a time.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "engine/plan/executor.h"

namespace mantissa {

class DeviceSteps {
public:
    /// The most at once: what a halted step leaves behind it is done for nothing.
    static constexpr std::int32_t kMost = 64;

    /// Captures a step. The executor has run the plan before, and outlives this.
    DeviceSteps(Backend& backend, Queue& queue, Executor& executor, const Plan& plan, const AdvanceStepDesc& rules);

    const AdvanceStepDesc& rules() const { return m_rules; }

    struct Start {
        StepLoop loop;
        StepScalars scalars;                // of the first step
        std::vector<double> rates;          // from the first step's place in the schedule on, one more than steps
        std::vector<std::int32_t> batches;  // indices of all steps' samples, one batch after another
    };
    struct Result {
        StepLoop loop;                      // as the steps have left it; `done` of them are over
        std::vector<StepOutcome> outcomes;  // of those
    };
    /// As many steps as there are batches, kMost at most, fewer when one halts. Waits once, at the end.
    Result run(Queue& queue, const Start& start);

private:
    Backend& m_backend;
    AdvanceStepDesc m_rules;
    void *m_scalars, *m_indices;
    DeviceMemory m_loop, m_rates, m_batches, m_outcomes;
    std::unique_ptr<Operation> m_judge, m_advance;
    std::unique_ptr<CapturedWork> m_step;
};

}  // namespace mantissa
