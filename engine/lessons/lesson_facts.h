// SPDX-License-Identifier: Apache-2.0
// The facts that claims are checked against: runs by name and their recorded values. Command line and window have separate implementations.
// One thread at a time.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "engine/experiment/messages.h"

namespace mantissa {

class LessonFacts {
public:
    virtual ~LessonFacts() = default;

    /// A run's id; nothing if no run has this name. The other functions need a valid id.
    virtual std::optional<RunId> idOf(const std::string& run) const = 0;
    /// Number of steps that the run has done.
    virtual std::int64_t stepsOf(RunId run) const = 0;
    /// A metric's value; nothing if none was recorded at that step, as between two validations. Supported metrics: Loss, ValidationLoss,
    /// ValidationAccuracy, LossScale, SkippedTotal, GradNorm, LearningRate, MemoryBytes.
    virtual std::optional<double> value(RunId run, Metric metric, std::int64_t step) const = 0;
    /// The StepFlag bits of a completed step.
    virtual std::uint32_t flags(RunId run, std::int64_t step) const = 0;
    virtual MemoryLedger memory(RunId run) const = 0;
    /// The step's tensor statistics or examination; null: there is none.
    virtual const StepStats* stats(RunId run, std::int64_t step) const = 0;
    virtual const Examination* examination(RunId run, std::int64_t step) const = 0;
};

/// The first step before `end` with non-finite loss or gradients.
std::optional<std::int64_t> firstNonFiniteStep(const LessonFacts& facts, RunId run, std::int64_t end);

}  // namespace mantissa
