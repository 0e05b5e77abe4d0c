// SPDX-License-Identifier: Apache-2.0
// Examination of a run's steps: non-finite ones automatically, others on request. One thread at a time.
#pragma once

#include <functional>
#include <utility>

#include "engine/diagnosis/examination.h"
#include "engine/session/bad_steps.h"
#include "engine/session/repeatable_run.h"

namespace mantissa {

/// Whether a step's loss or gradients are not finite, skipped or not.
bool isNonFiniteStep(const StepRecord& record);

/// Repeats a step with full statistics, without committing it.
std::pair<StepRecord, StepStats> measureStep(Trainer& trainer, const StepStart& before);

/// Examines a non-finite step of the run automatically, and restores the run's state.
Examination examineNonFinite(RepeatableRun& run, const StepStart& before, Examining examining);

/// Examines the next step, finite or not, with its scheduled changes. If weights were not finite before, examines the step that broke them,
/// if `source`, the course of the run or of its original, can go back to it. `goesOn`: see ExaminerOptions. `isAsked`: on request, with
/// more time.
Examination examineNext(RepeatableRun& run, const RunCourse& source, const std::function<bool(const WorkProgress&)>& goesOn = {},
                        bool isAsked = true);

}  // namespace mantissa
