// SPDX-License-Identifier: Apache-2.0
// What claims are checked against: runs by name and what was recorded of them. The headless check and the window each have their own.
// Used on one thread at a time.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "engine/experiment/messages.h"

namespace mantissa {

class LessonFacts {
public:
    virtual ~LessonFacts() = default;

    /// Nothing: there is no run of this name now. For such a run nothing else is asked.
    virtual std::optional<RunId> idOf(const std::string& run) const = 0;
    /// Steps that the run has done.
    virtual std::int64_t stepsOf(RunId run) const = 0;
    /// Nothing: none was recorded at that step, as of a validation between two. Of these metrics: Loss, ValidationLoss,
    /// ValidationAccuracy, LossScale, SkippedTotal, GradNorm, LearningRate, MemoryBytes.
    virtual std::optional<double> value(RunId run, Metric metric, std::int64_t step) const = 0;
    /// StepFlag of a step that was done.
    virtual std::uint32_t flags(RunId run, std::int64_t step) const = 0;
    virtual MemoryLedger memory(RunId run) const = 0;
    /// The step as it was measured, or examined; null: it was not.
    virtual const StepStats* stats(RunId run, std::int64_t step) const = 0;
    virtual const Examination* examination(RunId run, std::int64_t step) const = 0;
};

/// The first step before `end` whose loss or gradients are not finite.
std::optional<std::int64_t> firstBadStep(const LessonFacts& facts, RunId run, std::int64_t end);

}  // namespace mantissa
