// SPDX-License-Identifier: Apache-2.0
// Examines a step of an experiment or of a recording without a session, and measures how high a loss scale the steps of a run would have
// borne. One thread: it trains.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/experiment/messages.h"
#include "engine/recording/recording.h"

namespace mantissa {

struct DiagnoseRequest {
    std::string run;                   // empty: any; of a given step the first run in which it is not sound
    std::optional<std::int64_t> step;  // nothing: the first whose loss or gradients are not finite, and that is not normal; where there is
                                       // none, the step after the last one, if that loses something
};

struct Diagnosed {
    std::string run;           // empty: no step was bad, and nothing is lost at the end
    std::int64_t steps = 0;    // that were looked through, of all runs
    std::int64_t missing = 0;  // of watched runs, whose messages never came
    std::int64_t normal = 0;   // examined steps that a dynamic scaler's search explains
    Examination examination;
    /// The same step of other runs, where no run was asked for: their names, and what is said of it.
    std::vector<std::pair<std::string, SkipVerdict>> others;

    // Of a recording:
    std::string trouble;      // what its entries and steps lack, in a sentence; empty: nothing
    bool isCompared = false;  // whether the examined step was recorded, and repeated as it was
    std::string changed;      // where the repeated step, or one on the way to it, is not what was recorded, in a sentence; empty: it is
};

// ---- All bad steps ----

/// Bad steps of one run that have one verdict and one place.
struct BadStepGroup {
    std::string run;
    std::vector<std::pair<std::int64_t, std::int64_t>> ranges;  // first and last step of each row, ascending
    std::int64_t steps = 0, skipped = 0;                        // in all of them
    std::vector<std::int64_t> examined;                         // the others are like the one before them by their records
    std::optional<Examination> examination;                     // of the first that was examined, without remedies; nothing: none could be
};

struct ListedSteps {
    std::vector<BadStepGroup> groups;  // by run, in the order of their first steps
    std::int64_t steps = 0;            // that were looked through, of all runs
    std::int64_t missing = 0;          // as in Diagnosed
    std::string trouble, changed;      // as in Diagnosed
};

/// All bad steps. Of a row of consecutive ones the 1st, 2nd, 4th, 8th, ... and each whose record differs in kind from the one before
/// (skipped, loss not finite, norm not finite) are examined; the others go with the one before. `request.step` is ignored. Throws as
/// `diagnose`.
ListedSteps listBadSteps(const Experiment& experiment, std::shared_ptr<Backend> backend, const DiagnoseRequest& request);
/// Trains each run once more from before its first bad step to its last one.
ListedSteps listBadSteps(const Recording& recording, std::shared_ptr<Backend> backend, const DiagnoseRequest& request);

// ---- One step ----

/// Trains the experiment's runs in lock-step until a step is bad, or to the step asked for, the step after the last one at most. Throws
/// InputError, std::invalid_argument; std::runtime_error when a run cannot go on.
Diagnosed diagnose(const Experiment& experiment, std::shared_ptr<Backend> backend, const DiagnoseRequest& request);

/// The same of what was recorded: goes back to the step from the nearest snapshot, and compares it with its record. Throws as above;
/// std::runtime_error too where a bad step lies beyond a gap.
Diagnosed diagnose(const Recording& recording, std::shared_ptr<Backend> backend, const DiagnoseRequest& request);

// ---- The highest usable loss scale of steps ----

struct ThresholdRequest {
    std::string run;         // empty: the first with a loss scale, else the first
    std::int64_t steps = 0;  // at most; 0: all
};

struct MeasuredThresholds {
    std::string run;
    ScalerSettings scaler;  // the run's own, as it begins
    std::string asIf;       // as in ThresholdsMeasured
    std::vector<StepThreshold> thresholds;
};

/// Trains one run of the experiment from its first step on. Throws as above.
MeasuredThresholds measureThresholds(const Experiment& experiment, std::shared_ptr<Backend> backend, const ThresholdRequest& request);

}  // namespace mantissa
