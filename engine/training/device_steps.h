// SPDX-License-Identifier: Apache-2.0
// Many steps of a plan enqueued one after another, a launch each, with nothing for the host to do in between: the scale, the counters and
// the next batch go from step to step in the backend's memory (kernels/step_operations.h). What a step has come to is read as soon as it is
// over, while others are under way. One per plan and set of rules; one thread at a time.
#pragma once

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "engine/training/run_memory.h"

namespace mantissa {

/// What a device is told of a run's rules.
struct DeviceStepRules {
    BackoffRules scaler;
    std::int64_t batchSize = 0, microBatches = 1;
    bool clearsGradients = false;  // as micro-batches add up to them
    bool holdsScheduleOnSkip = false, usesMomentum = false;
    bool looks = false;                                                // at every step, its last micro-batch
    std::int64_t indices() const { return batchSize * microBatches; }  // of a step
    bool operator==(const DeviceStepRules&) const = default;
};

class DeviceSteps {
public:
    /// The most that are under way, and the most of one run with so many indices in a step.
    static constexpr std::int64_t kMostAhead = 64;
    static std::int64_t most(std::int64_t indices) {
        constexpr std::int64_t kMost = 256, kMostIndices = 32768;
        return std::clamp<std::int64_t>(kMostIndices / indices, 1, kMost);
    }

    /// Captures a step. The plan of `memory` has run before, and stays in use as long as this. Throws std::bad_alloc.
    DeviceSteps(Backend& backend, Queue& queue, const RunMemory& memory, const DeviceStepRules& rules);

    const DeviceStepRules& rules() const { return m_rules; }
    /// Whether the device has taken the capture. `run` is for those that were captured.
    bool isCaptured() const { return m_step != nullptr; }
    /// Of the device; the slots are the host's.
    std::int64_t deviceBytes() const { return m_loop.bytes() + m_rates.bytes() + m_batches.bytes() + m_scales.bytes(); }

    struct Start {
        StepLoop loop;
        StepScalars scalars;                // of the first step
        std::vector<double> rates;          // from the first step's place in the schedule on, one more than steps
        std::vector<std::int32_t> batches;  // indices of all samples, one batch after another
    };
    /// Of steps that are over since the last call, in their order. False: no more are begun.
    using Take = std::function<bool(std::span<const StepOutcome>)>;
    /// As many steps as there are batches for, `most` at most, `ahead` of them under way at a time; fewer when one halts, which is then as
    /// it began. Does not wait for the queue: it returns when what was begun has been taken, or, after a halt, is done for nothing. `take`
    /// must not throw. Throws SilentDevice when no step has ended within `patience`.
    void run(Queue& queue, const Start& start, std::int64_t ahead, const Take& take, std::chrono::seconds patience);
    /// Whether steps of the last run were done for nothing, after one that halted.
    bool hasHalted() const { return m_hasHalted; }

private:
    Backend& m_backend;
    DeviceStepRules m_rules;
    void *m_scalars, *m_indices;
    DeviceMemory m_loop, m_rates, m_batches, m_slots, m_scales;
    std::int64_t m_reported = 0;  // steps, in all runs
    bool m_hasHalted = false;
    std::unique_ptr<Operation> m_begin, m_advanceBatch, m_judge, m_advance, m_keepScales;
    struct Restored {
        std::unique_ptr<Operation> copy;
        std::array<void*, 3> operands;
    };
    std::vector<Restored> m_restored;  // what passes move, as it was, when the step was halted
    std::unique_ptr<CapturedWork> m_step;

    std::vector<StepOutcome> newOutcomes();
};

}  // namespace mantissa
