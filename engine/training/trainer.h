// SPDX-License-Identifier: Apache-2.0
// The training of one run: weights, optimizer state, scaler, plan. `step` defines the order of a step (trainer.cpp). One thread at a time.
// Independent of threads, commands and files.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/data/dataset.h"
#include "engine/diagnosis/tensor_stats.h"
#include "engine/plan/executor.h"
#include "engine/plan/plan.h"
#include "engine/telemetry/record.h"
#include "engine/training/injection.h"
#include "engine/training/settings.h"
#include "engine/training/snapshot.h"

namespace mantissa {

/// The beginning of a step: the state before it, and its injected faults.
struct StepStart {
    Snapshot state;
    Faults faults;
};

class Trainer {
public:
    /// Compiles the plan and lays out memory. `initial`: initial weights instead of the seed's; must match `parameterShapes`. Throws
    /// std::invalid_argument, with a sentence, for errors that a user can fix.
    Trainer(const TrainingSettings& settings, std::shared_ptr<const Dataset> dataset, std::shared_ptr<Backend> backend,
            const std::vector<NamedTensor>* initial = nullptr);
    ~Trainer();
    Trainer(const Trainer&) = delete;
    Trainer& operator=(const Trainer&) = delete;

    /// Trains one step and returns its record.
    StepRecord step();
    /// Called with each completed step, in order. Returns false to begin no more.
    using OnStep = std::function<bool(const StepRecord&)>;
    static constexpr std::chrono::seconds kPatience{60};  // for one step; far more than any takes
    /// Trains at least one step and at most `most`: several if the device can run them without the host. The results equal those of `step`;
    /// a step's time is then measured from the end of the previous one, by the device's clock. While `onStep` runs, the device continues,
    /// at most `mostAhead` steps ahead; `onStep` may only call settings(), scaler(), nextStep(), instrumentation() and statsStep(). Throws
    /// SilentDevice if no step ends within `patience`.
    void steps(std::int64_t most, std::int64_t mostAhead, const OnStep& onStep, std::chrono::seconds patience = kPatience);
    /// Trains at least one step and at most `most`, and returns their records.
    std::vector<StepRecord> steps(std::int64_t most);
    /// The number of the next step.
    std::int64_t nextStep() const;
    /// Seconds of training, including validations; restored by snapshots.
    double trainedSeconds() const;

    /// Changes settings that may change between steps: precision, scaler, optimizer rates, clipping, accumulation, steps, validation
    /// interval. Takes effect at `nextStep()`. Throws std::invalid_argument, without changing anything, if the change needs a new run
    /// (model, data, init, optimizer kind).
    void change(const TrainingSettings& settings);
    /// `/scaler/scale`: sets the current loss scale.
    void setLossScale(double scale);
    /// `/reset/statistics`: resets the running statistics of batch norms to means of 0 and variances of 1. Throws std::invalid_argument if
    /// the model has none.
    void resetStatistics();
    /// `/inject/input`: replaces the middle element of the next batch's first sample by `value`, for that step only. Returns the original
    /// value. Not for tokens.
    float injectInput(float value);

    /// `/inject/label`: replaces the middle target of that sample likewise. Throws std::invalid_argument for classes and tokens.
    float injectLabel(float value);
    /// `/inject/tensor`: replaces an element of a tensor of the next step whenever its instruction runs, also in audits and other
    /// repetitions; with micro-batches only in the first one. Several are applied in the order of their instructions. Throws
    /// std::invalid_argument if the plan does not make the tensor, or it has no such element.
    void injectTensor(const TensorInjection& injection);

    /// Sets how often and how tensors are measured, from `nextStep()` on. Training results do not depend on it. Throws
    /// std::invalid_argument, without changing anything, for lack of memory.
    void setInstrumentation(Instrumentation level);
    Instrumentation instrumentation() const;
    /// The statistics of the last step measured at this level; nothing before the first. Takes longer than a small model's step.
    std::optional<StepStats> stats() const;
    /// The number of the last measured step; -1: none yet.
    std::int64_t statsStep() const;

    /// The state before `nextStep()`, without pending injections.
    Snapshot snapshot() const;
    /// The size of a snapshot's memory.
    std::int64_t snapshotBytes() const;
    /// Restores a snapshot, including its settings. Throws std::invalid_argument if its model, data, init or kind of optimizer differ.
    void restore(const Snapshot& snapshot);

    // ---- Examination: nothing here is part of training ----

    /// Sets whether a non-finite step stores the state at its beginning. Costs nothing while steps are finite.
    void keepNonFiniteSteps(bool keeps);
    /// Returns the stored state of the last non-finite step, once.
    std::optional<StepStart> takeNonFiniteStep();
    /// Whether gradients accumulated over earlier steps are not finite.
    bool keepsBadGradients() const;
    /// The beginning of the next step.
    StepStart stepStart() const;
    /// Injects the faults of another step into the next one; those in tensors that this run does not have are omitted.
    void putFaults(const Faults& faults);

    /// An observer, called after each instruction of a pass with its result's buffer and element classes. Both functions may be empty.
    struct Observer {
        std::function<void(Executor& executor, Queue& queue, std::int64_t instruction, int buffer, const ElementClasses& classes)> at{};
        bool throughUpdate = false;  // includes the update, which changes the weights
        /// Called after each instruction, also after those without a result that has a dtype, like quantisation to blocks.
        std::function<void(Executor& executor, Queue& queue, std::int64_t instruction)> after{};
    };
    /// The results of a step that is not committed.
    struct Tried {
        double loss = 0;
        bool foundInf = false;               // by the scaler's test
        float gradAbsMax = 0, gradNorm = 0;  // as in StepScalars
        std::vector<float> gradients;        // unscaled, of all parameters in order
    };
    /// Runs the passes of `nextStep()`, unscaling and the check, without changing weights, optimizer, statistics, scaler and counters.
    Tried tryStep(const Observer* observer = nullptr);
    /// Runs `nextStep()` instruction by instruction, with its update, and returns the device's seconds of each instruction of the plan, of
    /// all micro-batches. Changes the weights, but no counter: restore a snapshot afterwards.
    std::vector<double> timeStep();
    /// Loss and accuracy on the validation data; the accuracy is NaN without classes.
    struct Validation {
        double loss = 0, accuracy = 0;
    };
    std::optional<Validation> validation();

    const TrainingSettings& settings() const;
    const LossScaler& scaler() const;
    const Plan& plan() const;
    const Policy& policy() const;
    /// Bytes that the backend has allocated for the run; the plan's ledger covers only the step.
    std::int64_t allocatedBytes() const;
    std::optional<FirstNonFinite> firstNonFinite() const;
    std::vector<NamedTensor> weights() const;
    /// The number of classes, for tokens the size of the vocabulary; 0 for a regression.
    std::int64_t classes() const;
    /// Generates text with the present weights; empty without a language model.
    std::string sampleText(std::int64_t tokens) const;

private:
    struct Impl;
    std::unique_ptr<Impl> m_impl;
};

}  // namespace mantissa
