// SPDX-License-Identifier: Apache-2.0
// What a bad step of a watched training was, as far as the probe's evidence goes. Nothing of the step is repeated, so each verdict says
// what it rests on. Pure; any thread.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/attach/probe_messages.h"
#include "engine/diagnosis/examination.h"

namespace mantissa {

struct WatchedEvidence {
    std::optional<FirstBad> bad;  // nothing: every tensor that was looked at was finite
    std::string operation;        // the class of its module
    Dtype format = Dtype::F32;    // that its elements are stored in
    std::optional<Dtype> autocast;
    std::vector<std::string> badWeights;  // parameters and buffers, before the update
    std::optional<double> loss;
    bool hasScaler = false;
    double lossScale = 1;
    /// The largest |gradient|, unscaled, of the latest step in which gradients were measured; NaN: of none.
    double gradientMax = kUnknown;
    std::int64_t gradientStep = -1;                      // that step
    std::int64_t consecutiveSkips = 0;                   // this one included
    double largestOutput = 0;                            // the largest finite magnitude of this step's outputs; 0: none is known
    double usualLoss = kUnknown, latestLoss = kUnknown;  // the lowest mean of ten steps in a row, and the last one that was finite
    double lr = kUnknown, lrBefore = kUnknown;           // where it has grown tenfold in the last ten steps: from `lrStep` on, and before
    std::int64_t lrStep = -1;
};

SkipVerdict judgeWatched(const WatchedEvidence& evidence);

}  // namespace mantissa
