// SPDX-License-Identifier: Apache-2.0
// A run's memory in a backend, and its plans prepared to run there. One thread at a time.
#pragma once

#include <memory>
#include <vector>

#include "engine/data/dataset.h"
#include "engine/plan/executor.h"
#include "engine/training/build_plan.h"

namespace mantissa {

enum class Part : std::uint8_t { Train, Validation };

/// One part of a data set in the backend's memory. For tokens: the stream, and as labels the stream from its second token on, so that each
/// token's label is the next token.
struct ResidentSamples {
    DeviceMemory inputs, labels;
    ResidentSamples(Backend& backend, Queue& queue, const Dataset& dataset, Part part);
    /// Allocates one window of tokens, all 0, and its labels.
    ResidentSamples(Backend& backend, Queue& queue, std::int64_t context);
};

/// A plan with its control block and executor.
struct ReadyPlan {
    const Plan* plan = nullptr;
    std::int64_t rows = 0;
    DeviceMemory control;
    std::unique_ptr<Executor> executor;

    void writeIndices(Backend& backend, Queue& queue, const std::vector<std::int32_t>& indices) const;
    float readLoss(Backend& backend, Queue& queue) const;
    std::int32_t readCorrect(Backend& backend, Queue& queue) const;
};

/// The memory of a run. Weights and optimizer state persist when `adopt` swaps the plans.
class RunMemory {
public:
    RunMemory(Backend& backend, Queue& queue, const Dataset& dataset);

    /// Replaces the plans. New state starts at zero, unused state is discarded, and weights and moments are rounded to a new storage
    /// format. Throws std::invalid_argument, with requested and free bytes, if there is not enough memory; the old plans then stay in use.
    void adopt(RunPlans plans);

    /// State that passes change: running statistics, and gradients accumulated over steps. The plan copies it to `before` at the beginning
    /// of a step.
    struct Kept {
        void *before, *now;
        std::int64_t elements;
        Dtype dtype;
    };
    std::vector<Kept> kept() const;
    /// Restores the state of `kept` at the beginning of the step, before a pass is repeated.
    void restoreStatistics() const;

    /// Returns the persistent state as stored. Waits for the queue.
    std::vector<std::byte> lasting() const;
    std::int64_t lastingBytes() const;
    /// Restores the persistent state. Throws std::invalid_argument if it does not fit these plans. Waits for the queue.
    void restoreLasting(const std::vector<std::byte>& bytes) const;

    /// All bytes that the backend has allocated for the run: arenas, control blocks, samples, and memory of operations.
    std::int64_t allocatedBytes() const;

    /// Overwrites an fp32 element of this run's training samples, in Arena::Inputs, or in Arena::Labels for targets.
    void writeSample(Arena arena, std::size_t at, float value);

    const Plan& trainingPlan() const { return m_plans->training; }
    const ReadyPlan& training() const { return m_training; }
    const std::vector<ReadyPlan>& evaluation() const { return m_evaluation; }
    const ReadyPlan& sampling() const { return m_sampling; }  // only for language models
    const DeviceMemory& samplingWindow() const { return m_window.inputs; }
    const DeviceMemory& arena(Arena arena) const { return m_arenas[static_cast<std::size_t>(arena)]; }

private:
    Backend& m_backend;
    Queue& m_queue;
    ResidentSamples m_trainSamples, m_validationSamples, m_window;
    std::array<DeviceMemory, kArenaCount> m_arenas;  // except Control, Inputs and Labels, of which each plan has its own
    std::unique_ptr<RunPlans> m_plans;
    ReadyPlan m_training;
    std::vector<ReadyPlan> m_evaluation;
    ReadyPlan m_sampling;

    std::vector<Arena> lastingArenas() const;
    void checkFits(const RunPlans& next) const;
    ReadyPlan makeReady(const Plan& plan, std::int64_t rows, const ResidentSamples& samples, ArenaPointers arenas);
    bool keeps(Arena arena, const RunPlans& next) const;
    void convert(Arena arena, const Plan& next, void* to) const;
};

}  // namespace mantissa
