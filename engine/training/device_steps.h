// SPDX-License-Identifier: Apache-2.0
// Runs many steps of a plan on the device without the host, with one launch per step: loss scale, counters and batches stay in the
// backend's memory (kernels/step_operations.h). The host reads each result while later steps run. One object per plan and set of rules; one
// thread at a time.
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

/// The rules of a run that the device needs.
struct DeviceStepRules {
    BackoffRules scaler;
    std::int64_t batchSize = 0, microBatches = 1;
    bool clearsGradients = false;  // before each step, for micro-batches
    bool holdsScheduleOnSkip = false, usesMomentum = false;
    bool measures = false;                                             // measures the last micro-batch of every step
    std::int64_t indices() const { return batchSize * microBatches; }  // of a step
    bool operator==(const DeviceStepRules&) const = default;
};

class DeviceSteps {
public:
    /// The most steps in progress.
    static constexpr std::int64_t kMostAhead = 64;
    /// The most steps of one run with so many indices per step.
    static std::int64_t most(std::int64_t indices) {
        constexpr std::int64_t kMost = 256, kMostIndices = 32768;
        return std::clamp<std::int64_t>(kMostIndices / indices, 1, kMost);
    }

    /// Captures a step. The plan of `memory` must have run once, and stay in use as long as this object. Throws std::bad_alloc.
    DeviceSteps(Backend& backend, Queue& queue, const RunMemory& memory, const DeviceStepRules& rules);

    const DeviceStepRules& rules() const { return m_rules; }
    /// Whether the capture succeeded, as `run` requires.
    bool isCaptured() const { return m_step != nullptr; }
    /// Allocated bytes of device memory, without the slots in host memory.
    std::int64_t deviceBytes() const { return m_loop.bytes() + m_rates.bytes() + m_batches.bytes() + m_scales.bytes(); }

    struct Start {
        StepLoop loop;
        StepScalars scalars;                // of the first step
        std::vector<double> rates;          // learning rates from the first step on, one more than steps
        std::vector<std::int32_t> batches;  // indices of all samples, batch by batch
    };
    /// Receives the steps completed since the last call, in order. Returns false to begin no more.
    using Take = std::function<bool(std::span<const StepOutcome>)>;
    /// Runs as many steps as `start` has batches for, which may be at most `most(indices)`, with at most `ahead` in progress. A step that
    /// halts is undone and ends the run. Returns when all begun steps have been taken, or discarded after a halt. `take` must not throw.
    /// Throws SilentDevice if no step ends within `patience`.
    void run(Queue& queue, const Start& start, std::int64_t ahead, const Take& take, std::chrono::seconds patience);
    /// Whether a step of the last run halted, so that later ones were discarded.
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
    std::vector<Restored> m_restored;  // restores the state that passes change, after a halt
    std::unique_ptr<CapturedWork> m_step;

    std::vector<StepOutcome> newOutcomes();
};

}  // namespace mantissa
