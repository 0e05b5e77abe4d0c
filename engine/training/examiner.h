// SPDX-License-Identifier: Apache-2.0
// After the fact: repeats one step with a look at everything, then at other scales and in other formats, and says what went wrong and what
// would help. Deterministic but for the times. One thread at a time.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "engine/diagnosis/examination.h"
#include "engine/training/trainer.h"

namespace mantissa {

/// Counts the steps of a piece of work and asks after each whether it goes on.
using StepsGoOn = std::function<bool(std::int64_t done, std::int64_t of)>;

struct ExaminerOptions {
    /// No further trial or remedy is begun after so much of the examination's own time; the step as it was and FP32 are always tried.
    double trialSeconds = 0.5;
    std::int64_t remedySteps = 20;      // 0: remedies are named, not tried
    std::int64_t skipsAllowed = 1;      // of a fixed scale, while a remedy is tried
    std::int64_t consecutiveSkips = 1;  // ending with this step, as the run has counted
    bool isThorough = false;            // takes its time: validates after each remedy, searches for what is lost and for overrides
    bool validatesFirst = false;        // before a remedy's steps too: where it is the validation that fails
    RunPast past = {};
    /// Called between trials and between steps. False ends the examination early, with what is known by then. The time spent in it is not
    /// the examination's own, so that it can rest there. Without it nothing ends the examination but its time.
    std::function<bool(const WorkProgress&)> goesOn = {};
    /// Tries a remedy in a copy of the run that goes back to before `step`. May throw what refuses it. Without it none is tried so.
    std::function<void(std::int64_t step, Remedy& remedy, const StepsGoOn& goesOn)> tryFrom = {};
    /// The run's settings once that setting has that value (JSON), with all that follows from it: what is tried is what a change does.
    /// May throw what refuses the change. Without it no remedy but the loss scale is tried.
    std::function<TrainingSettings(const std::string& pointer, const std::string& value)> settingsWith;
    /// The value of `/precision/overrides` (JSON) once these places compute in FP32 too. Without it no override is proposed.
    std::function<std::string(const std::vector<std::string>& places)> overridesWith = {};
};

/// Examines the step that `before` stands at, with the trainer whose state it is, or one of the same run; afterwards the trainer is as it
/// was, but that it keeps no bad steps until it is told to. Throws as Trainer::restore when it cannot be put back.
Examination examineStep(Trainer& trainer, const StepStart& before, const ExaminerOptions& options);

/// Whether the step's update wrote something that is not finite although its passes are. `card.layer` is empty when that is not so.
Examination examineUpdate(Trainer& trainer, const StepStart& before, const ExaminerOptions& options);

}  // namespace mantissa
