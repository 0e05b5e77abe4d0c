// SPDX-License-Identifier: Apache-2.0
// One run: weights, optimizer state, scaler, plan. `step` is the one place of step order (trainer.cpp).
// One thread at a time. Knows nothing of threads, commands or files.
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

/// All that a step begins with: the state before it, and what is put into it.
struct StepStart {
    Snapshot state;
    Faults faults;
};

class Trainer {
public:
    /// Compiles the plan and lays out memory. `initial`: weights to start from instead of the seed's; must match `parameterShapes`.
    /// Throws std::invalid_argument, in a sentence, for what a user can mend.
    Trainer(const TrainingSettings& settings, std::shared_ptr<const Dataset> dataset, std::shared_ptr<Backend> backend,
            const std::vector<NamedTensor>* initial = nullptr);
    ~Trainer();
    Trainer(const Trainer&) = delete;
    Trainer& operator=(const Trainer&) = delete;

    /// Trains one step and says what it was.
    StepRecord step();
    /// Called with each step that is over, in order. False: no more are begun.
    using OnStep = std::function<bool(const StepRecord&)>;
    static constexpr std::chrono::seconds kPatience{60};  // for one step: far more than any takes
    /// Trains at least one step and `most` at most: several where a device can take them by itself, as many as nobody has to look at in
    /// between. The same steps as `step` one by one; a step's time is then from the end of the one before, by the
    /// device's clock. The device goes on while `onStep` is
    /// called, `underWay` steps ahead of it at most; until the call returns `onStep` may ask for settings, scaler, the number of the next
    /// step, and how and when it was looked at alone. Throws SilentDevice where the device lets `patience` go by without the end of a step.
    void steps(std::int64_t most, std::int64_t underWay, const OnStep& onStep, std::chrono::seconds patience = kPatience);
    /// The same, all at once.
    std::vector<StepRecord> steps(std::int64_t most);
    /// The number of the next step.
    std::int64_t nextStep() const;
    /// For which it has trained, validations included; a snapshot brings it back.
    double trainedSeconds() const;

    /// Changes what may change between steps: precision, scaler, optimizer rates, clipping, accumulation, steps, validation interval.
    /// Holds from `nextStep()`. Throws std::invalid_argument, leaving everything as it was, when the change needs a new run
    /// (model, data, init, optimizer kind).
    void change(const TrainingSettings& settings);
    /// `/scaler/scale`: sets the current loss scale.
    void setLossScale(double scale);
    /// `/reset/statistics`: sets the running statistics of batch norms to what they begin with, means of 0 and variances of 1. Throws
    /// std::invalid_argument where the model has none.
    void resetStatistics();
    /// `/inject/input`: puts `value` in place of one element, the middle one, of the next batch's first sample, for that step alone.
    /// Returns the value that stood there. Not for tokens.
    float injectInput(float value);

    /// `/inject/label`: the same for the sample's targets. Throws std::invalid_argument where there are none, but classes or tokens.
    float injectLabel(float value);
    /// `/inject/tensor`: writes into what an instruction of the next step makes, whenever that is run in that step: in an audit and in any
    /// other repetition too, but of several micro-batches in the first one alone. Several are written in the order of their instructions.
    /// Throws std::invalid_argument when the plan makes no such tensor, or it has no such element.
    void injectTensor(const TensorInjection& injection);

    /// How often and how steps are measured, from `nextStep()` on. No value of training depends on it. Throws std::invalid_argument,
    /// leaving everything as it was, when there is no memory for it.
    void setInstrumentation(Instrumentation level);
    Instrumentation instrumentation() const;
    /// What was seen in the last step that was measured at this level; nothing before the first. Takes longer than a small model's step.
    std::optional<StepStats> stats() const;
    /// The number of that step; -1: none yet.
    std::int64_t statsStep() const;

    /// The state before `nextStep()`. A live injection that waits for it is not part of it.
    Snapshot snapshot() const;
    /// Of the snapshot's memory.
    std::int64_t snapshotBytes() const;
    /// Takes over the state of a run with the same model, data, init and optimizer, its settings included. Throws std::invalid_argument for
    /// the state of another one.
    void restore(const Snapshot& snapshot);

    // ---- Looking closer: nothing here is part of training ----

    /// Whether a step that finds something non-finite keeps the state that it began in. Costs nothing while all is finite.
    void keepBadSteps(bool keeps);
    /// That state, once: of the last such step.
    std::optional<StepStart> takeBadStep();
    /// Whether gradients of earlier steps, where they add up, are not finite.
    bool keepsBadGradients() const;
    /// Of the next step.
    StepStart stepStart() const;
    /// Puts faults into the next step that were put into another one; those in tensors that this run does not make are left out.
    void putFaults(const Faults& faults);

    /// Called after each instruction of a pass, with what it has written: where, and of what classes the elements are.
    struct Look {
        std::function<void(Executor& executor, Queue& queue, std::int64_t instruction, int buffer, const ElementClasses& classes)> at;
        bool throughUpdate = false;  // the update too: afterwards the weights are those of the next step
    };
    /// What a step comes to that is not committed.
    struct Tried {
        double loss = 0;
        bool foundInf = false;               // by the scaler's test
        float gradAbsMax = 0, gradNorm = 0;  // as StepScalars has them
        std::vector<float> gradients;        // unscaled, of all parameters, one after another
    };
    /// Repeats the passes of `nextStep()`, and what unscales and checks their gradients. Weights, optimizer, statistics, scaler and
    /// counters stay as they are.
    Tried tryStep(const Look* look = nullptr);
    /// Of the weights as they are, over the validation data; nothing where there are none. The accuracy is NaN where there are no classes.
    struct Validation {
        double loss = 0, accuracy = 0;
    };
    std::optional<Validation> validation();

    const TrainingSettings& settings() const;
    const LossScaler& scaler() const;
    const Plan& plan() const;
    const Policy& policy() const;
    /// That the backend has given for the run; the plan's ledger is of the step alone.
    std::int64_t allocatedBytes() const;
    std::optional<FirstNonFinite> firstNonFinite() const;
    std::vector<NamedTensor> weights() const;
    /// That the model tells apart, of tokens the vocabulary; 0: it learns numbers.
    std::int64_t classes() const;
    /// What the model writes after the steps so far; empty for one that is no language model.
    std::string sampleText(std::int64_t tokens) const;

private:
    struct Impl;
    std::unique_ptr<Impl> m_impl;
};

}  // namespace mantissa
