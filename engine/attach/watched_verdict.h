// SPDX-License-Identifier: Apache-2.0
// The verdict on a non-finite step of a watched training, from the probe's evidence. The step cannot be repeated, so each verdict states
// its evidence. Pure; any thread.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/attach/probe_messages.h"
#include "engine/diagnosis/examination.h"

namespace mantissa {

struct WatchedEvidence {
    std::optional<FirstBad> bad;  // nothing: every measured tensor was finite
    std::string operation;        // its module's class
    Dtype format = Dtype::F32;    // storage format of its elements
    std::optional<Dtype> autocast;
    std::vector<std::string> badWeights;  // parameters and buffers, before the update
    std::optional<double> loss;
    bool hasScaler = false;
    double lossScale = 1;
    /// The largest |gradient|, unscaled, of the latest step with measured gradients; NaN: none were measured.
    double gradientMax = kUnknown;
    std::int64_t gradientStep = -1;                      // index of that step
    std::int64_t consecutiveSkips = 0;                   // this one included
    static constexpr std::int64_t kLately = 16;          // steps: enough to tell many single skips from a search for a scale
    std::int64_t skipsLately = 0;                        // of the last `stepsLately` steps, this one included
    std::int64_t stepsLately = kLately;                  // fewer than kLately soon after the first update
    bool hasTakenStep = true;                            // before this one; of a run that was attached late, taken for granted
    std::int64_t usualSkips = 2;                         // of so many steps, at most, of a scaler that looks for its scale
    double largestOutput = 0;                            // the largest finite magnitude of this step's outputs; 0: unknown
    double usualLoss = kUnknown, latestLoss = kUnknown;  // the lowest mean of ten consecutive losses, and the last finite one
    double highestLoss = kUnknown;                       // of the latest 100 steps that were not skipped
    double lr = kUnknown, lrBefore = kUnknown;           // set if it grew tenfold in the ten steps before the row of failed steps began
    std::int64_t lrStep = -1;                            // the step from which on it was `lr`
};

SkipVerdict judgeWatched(const WatchedEvidence& evidence);

}  // namespace mantissa
