// SPDX-License-Identifier: Apache-2.0
// Examination of a step: repeats it with all tensors checked, then at other scales and in other formats, and returns the cause of a failure
// and remedies. Deterministic except for times. One thread at a time.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "engine/diagnosis/examination.h"
#include "engine/training/trainer.h"

namespace mantissa {

/// Called after each step of some work with its progress; returns whether to continue.
using StepsGoOn = std::function<bool(std::int64_t done, std::int64_t of)>;

struct ExaminerOptions {
    /// No trial or remedy begins after so many seconds of the examination's own time; the step as used and FP32 are always tried.
    double trialSeconds = 0.5;
    std::int64_t remedySteps = 20;      // 0: remedies are proposed, not tried
    std::int64_t skipsAllowed = 1;      // with a fixed scale, while a remedy is tried
    std::int64_t consecutiveSkips = 1;  // of the run, including this step
    bool isThorough = false;            // also validates after each remedy, and searches for silent failures and overrides
    bool validatesFirst = false;        // also before a remedy's steps, for a failing validation
    RunPast past = {};
    /// Called between trials and between steps. False ends the examination early with its results so far. It may block: its time does not
    /// count as the examination's. Empty: only the time ends the examination.
    std::function<bool(const WorkProgress&)> goesOn = {};
    /// Tries a remedy in a copy of the run rewound to before `step`. Throws if that is refused. Empty: no remedy is tried this way.
    std::function<void(std::int64_t step, Remedy& remedy, const StepsGoOn& goesOn)> tryFrom = {};
    /// Returns the run's settings after setting `pointer` to `value` (JSON), with all consequences of a live change. Throws if the change
    /// is refused. Empty: only the loss scale and no change are tried.
    std::function<TrainingSettings(const std::string& pointer, const std::string& value)> settingsWith;
    /// Applies the scheduled changes of the trainer's next step that set back what was changed shortly before the examined step, except of
    /// the setting `except`, which a remedy has changed. Empty: there are none.
    std::function<void(const std::string& except)> applyScheduled = {};
    /// Returns the value of `/precision/overrides` (JSON) with these places in FP32 too. Empty: only an override of a single layer is
    /// proposed.
    std::function<std::string(const std::vector<std::string>& places)> overridesWith = {};
};

/// Examines the step that begins in the state `before`, with a trainer of the run. Restores the trainer, except that `keepNonFiniteSteps`
/// is off. Throws like Trainer::restore if that fails.
Examination examineStep(Trainer& trainer, const StepStart& before, const ExaminerOptions& options);

/// Examines whether the step's update writes a non-finite value although its passes are finite. If not, `card.layer` is empty.
Examination examineUpdate(Trainer& trainer, const StepStart& before, const ExaminerOptions& options);

}  // namespace mantissa
