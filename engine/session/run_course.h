// SPDX-License-Identifier: Apache-2.0
// What is known of a run apart from its trainer: settings, changes, results and states. A copy is enough to train the run again from any of
// its steps (RepeatableRun::fork), whatever becomes of the run. One thread at a time.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/data/dataset.h"
#include "engine/diagnosis/examination.h"
#include "engine/experiment/messages.h"
#include "engine/session/history.h"
#include "engine/session/past_steps.h"
#include "kernels/backend.h"

namespace mantissa {

struct RunCourse {
    RunId id = 0;
    RunId parent = -1;
    std::int64_t firstStep = 0;
    RunSettings settings;
    RunSettings ownSettings;  // without changes by the file's events: those of a reset and of a saved file
    std::shared_ptr<Backend> backend;
    std::shared_ptr<const Dataset> dataset;
    History history;
    PastSteps pastSteps{0};                                  // results of trained steps, expected of repeated ones
    std::vector<ScheduledChange> scheduled;                  // by step
    std::optional<std::int64_t> target;                      // the end of a re-run that is not complete; of a copy, the run's next step
    std::optional<std::int64_t> whatIfEnd;                   // the end of a what-if
    Instrumentation instrumentation = Instrumentation::Off;  // requested; a trainer without memory for it has less
    bool hasStopped = false;
    bool hasToldNonFinite = false;

    bool isWhatIf() const { return whatIfEnd.has_value(); }
    /// The step after the last one to be trained.
    std::int64_t lastStep() const { return whatIfEnd.value_or(settings.training.steps); }
    /// Returns the settings after a change. Throws InputError, std::invalid_argument if it is impossible.
    RunSettings changed(const std::string& pointer, const Json& value) const;
    /// Throws std::runtime_error if the data files have changed since they were recorded. `sum`: the recorded checksum, empty if unknown.
    void requireData(const std::string& sum) const;
    /// The number of consecutive non-finite steps before `step`.
    std::int64_t nonFiniteStepsInARowBefore(std::int64_t step) const;
    /// Statistics of the steps before `step`, by which an examination judges it.
    RunPast pastBefore(std::int64_t step) const;
};

}  // namespace mantissa
