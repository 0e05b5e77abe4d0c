// SPDX-License-Identifier: Apache-2.0
// Without a session: the first bad step of an experiment or of a recording, or any other, examined at leisure; and how high a loss scale
// the steps of a run would have borne. One thread: it trains.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "engine/experiment/messages.h"
#include "engine/recording/recording.h"

namespace mantissa {

struct DiagnoseWish {
    std::string run;                   // empty: any, the first of them for a given step
    std::optional<std::int64_t> step;  // nothing: the first whose loss or gradients are not finite, and that is not normal
};

struct Diagnosed {
    std::string run;         // empty: no step was bad
    std::int64_t steps = 0;  // that were looked through, of all runs
    std::int64_t normal = 0;  // examined steps that a dynamic scaler's search explains
    Examination examination;

    // Of a recording:
    std::string trouble;  // what its entries and steps lack, in a sentence; empty: nothing
    std::string changed;  // where the repeated step, or one on the way to it, is not what was recorded, in a sentence; empty: it is
};

/// Trains the experiment's runs in lock-step until a step is bad, or to the step asked for. Throws InputError, std::invalid_argument;
/// std::runtime_error when a run cannot go on.
Diagnosed diagnose(const Experiment& experiment, std::shared_ptr<Backend> backend, const DiagnoseWish& wish);

/// Goes back to the step from the recording's nearest snapshot, and compares it with what was recorded. Throws as above; std::runtime_error
/// too where a bad step lies beyond a gap.
Diagnosed diagnose(const Recording& recording, std::shared_ptr<Backend> backend, const DiagnoseWish& wish);

// ---- How high a loss scale steps would have borne ----

struct ThresholdWish {
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
MeasuredThresholds measureThresholds(const Experiment& experiment, std::shared_ptr<Backend> backend, const ThresholdWish& wish);

}  // namespace mantissa
