// SPDX-License-Identifier: Apache-2.0
// Examination of a step of an experiment or a recording, and measurement of the highest usable loss scales of a run, without a session. One
// thread: it trains.
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
    std::string run;                   // empty: any; with `step` the run with the gravest verdict
    std::optional<std::int64_t> step;  // nothing: the first non-finite step beyond normal probing, or else a silent failure at the end
};

struct Diagnosed {
    std::string run;           // empty: no failure found
    std::int64_t steps = 0;    // searched, of all runs
    std::int64_t missing = 0;  // steps of watched runs whose messages were lost
    std::int64_t normal = 0;   // examined steps explained by a dynamic scaler's search
    Examination examination;
    /// The verdicts on this step of other runs, by name, if no run was requested.
    std::vector<std::pair<std::string, SkipVerdict>> others;

    // Of a recording:
    std::string trouble;      // missing entries or steps, in a sentence; empty: none
    bool isCompared = false;  // whether the examined step was recorded, so that its repetition could be compared
    std::string changed;      // first difference between repeated and recorded steps, in a sentence; empty: none
};

// ---- All non-finite steps ----

/// Non-finite steps of one run with one verdict and one place.
struct NonFiniteStepGroup {
    std::string run;
    std::vector<std::pair<std::int64_t, std::int64_t>> ranges;  // first and last step of each row, ascending
    std::int64_t steps = 0, skipped = 0;                        // in all ranges
    std::vector<std::int64_t> examined;                         // the others have records like the step before
    std::optional<Examination> examination;  // of the first examined step, without remedies; nothing: none could be examined
};

struct ListedSteps {
    std::vector<NonFiniteStepGroup> groups;  // by run, in the order of their first steps
    std::int64_t steps = 0;            // searched, of all runs
    std::int64_t missing = 0;          // as in Diagnosed
    std::string trouble, changed;      // as in Diagnosed
};

/// Lists all non-finite steps. Of consecutive ones the 1st, 2nd, 4th, 8th, ... and each whose record differs in kind from the one before
/// (skipped, loss not finite, norm not finite) are examined; the others join the group of the step before. `request.step` is ignored.
/// Throws like `diagnose`.
ListedSteps listNonFiniteSteps(const Experiment& experiment, std::shared_ptr<Backend> backend, const DiagnoseRequest& request);
/// Lists all non-finite steps of a recording. Trains each run again from its first non-finite step to its last.
ListedSteps listNonFiniteSteps(const Recording& recording, std::shared_ptr<Backend> backend, const DiagnoseRequest& request);

// ---- One step ----

/// Trains the experiment's runs in lock-step to the first non-finite step, or to the requested step, at most the one after the last, and
/// examines it. Throws InputError, std::invalid_argument; std::runtime_error if a run cannot continue.
Diagnosed diagnose(const Experiment& experiment, std::shared_ptr<Backend> backend, const DiagnoseRequest& request);

/// Examines a step of a recording: trains to it from the nearest snapshot and compares it with its record. Throws as above, and
/// std::runtime_error if a gap precedes the step.
Diagnosed diagnose(const Recording& recording, std::shared_ptr<Backend> backend, const DiagnoseRequest& request);

// ---- The highest usable loss scale of steps ----

struct ThresholdRequest {
    std::string run;         // empty: the first run with a loss scale, else the first
    std::int64_t steps = 0;  // at most; 0: all
};

struct MeasuredThresholds {
    std::string run;
    ScalerSettings scaler;  // the run's own, at its beginning
    std::string asIf;       // as in ThresholdsMeasured
    std::vector<StepThreshold> thresholds;
};

/// Trains one run of the experiment from its first step and measures the highest usable loss scale of each step. Throws as above.
MeasuredThresholds measureThresholds(const Experiment& experiment, std::shared_ptr<Backend> backend, const ThresholdRequest& request);

}  // namespace mantissa
