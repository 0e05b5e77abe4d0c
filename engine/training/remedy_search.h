// SPDX-License-Identifier: Apache-2.0
// Search for remedies of a step with a verdict, by training copies of its run with other settings. One thread at a time.
#pragma once

#include <functional>

#include "engine/diagnosis/verdict.h"
#include "engine/training/examination_time.h"
#include "engine/training/step_trials.h"

namespace mantissa {

/// Appends remedies for the step to the examination `found`, and judges the step again with their results. `evidence`: for the verdict.
void proposeForStep(StepTrials& trials, const ExaminerOptions& options, ExaminationTime& time,
                    const std::function<StepEvidence()>& evidence, Examination& found);

/// Appends remedies for an update that writes non-finite values.
void proposeForUpdate(StepTrials& trials, const ExaminerOptions& options, ExaminationTime& time, Examination& found);

}  // namespace mantissa
