// SPDX-License-Identifier: Apache-2.0
// A run's memory in a backend, and its plans made ready to run there.
// One thread at a time.
#pragma once

#include <memory>
#include <vector>

#include "engine/data/dataset.h"
#include "engine/plan/executor.h"
#include "engine/training/build_plan.h"

namespace mantissa {

enum class Part : std::uint8_t { Train, Validation };

/// One part of a data set, resident in the backend's memory. Of tokens: the stream, and the same from its second token on, so that what
/// lies at a place of the one is followed by what lies there in the other.
struct ResidentSamples {
    DeviceMemory inputs, labels;
    ResidentSamples(Backend& backend, Queue& queue, const Dataset& dataset, Part part);
    /// Room for one window of tokens, all 0, and for its labels.
    ResidentSamples(Backend& backend, Queue& queue, std::int64_t context);
};

/// A plan with its control block, ready to run.
struct ReadyPlan {
    const Plan* plan = nullptr;
    std::int64_t rows = 0;
    DeviceMemory control;
    std::unique_ptr<Executor> executor;

    void writeIndices(Backend& backend, Queue& queue, const std::vector<std::int32_t>& indices) const;
    float readLoss(Backend& backend, Queue& queue) const;
    std::int32_t readCorrect(Backend& backend, Queue& queue) const;
};

/// Weights and optimizer state live on from plan to plan; `adopt` swaps the plans around them.
class RunMemory {
public:
    RunMemory(Backend& backend, Queue& queue, const Dataset& dataset);

    /// Takes new plans into use. State that the new plan needs and the old one had not starts at zero, what it does without is gone;
    /// weights and moments that it stores in another format are rounded to that. When it throws (std::invalid_argument with
    /// what was asked for and what is free when there is less memory than that), the old plans are still in use.
    void adopt(RunPlans plans);

    /// Running statistics, and gradients that add up from step to step: the plan keeps them when a step begins.
    struct Kept {
        void *before, *now;
        std::int64_t elements;
        Dtype dtype;
    };
    std::vector<Kept> kept() const;
    /// All of that as it was when the step began: a pass that is repeated must not move it twice.
    void restoreStatistics() const;

    /// What lives on from step to step, as it is stored, and back into the same plans. Both wait for the queue.
    std::vector<std::byte> lasting() const;
    std::int64_t lastingBytes() const;
    /// Throws std::invalid_argument when it is not these plans'.
    void restoreLasting(const std::vector<std::byte>& bytes) const;

    /// Of all that the backend has given for the run: homes, control blocks, samples, and what operations hold.
    std::int64_t allocatedBytes() const;

    /// Overwrites an element of this run's training samples, which are fp32: of Home::Inputs, or of Home::Labels where they are targets.
    void writeSample(Home home, std::size_t at, float value);

    const Plan& trainingPlan() const { return m_plans->training; }
    const ReadyPlan& training() const { return m_training; }
    const std::vector<ReadyPlan>& evaluation() const { return m_evaluation; }
    const ReadyPlan& sampling() const { return m_sampling; }  // of language models
    const DeviceMemory& samplingWindow() const { return m_window.inputs; }
    const DeviceMemory& home(Home home) const { return m_homes[static_cast<std::size_t>(home)]; }

private:
    Backend& m_backend;
    Queue& m_queue;
    ResidentSamples m_trainSamples, m_validationSamples, m_window;
    std::array<DeviceMemory, kHomeCount> m_homes;  // but for Control, Inputs and Labels, which each plan has of its own
    std::unique_ptr<RunPlans> m_plans;
    ReadyPlan m_training;
    std::vector<ReadyPlan> m_evaluation;
    ReadyPlan m_sampling;

    std::vector<Home> lastingHomes() const;
    void checkFits(const RunPlans& next) const;
    ReadyPlan makeReady(const Plan& plan, std::int64_t rows, const ResidentSamples& samples, HomePointers homes);
    bool keeps(Home home, const RunPlans& next) const;
    void convert(Home home, const Plan& next, void* to) const;
};

}  // namespace mantissa
