// SPDX-License-Identifier: Apache-2.0
// Loss scalers in a race over the same steps: each is told at each step whether its own scale would have overflowed there. Pure values and
// functions; any thread.
//
// The thresholds are those of the run as it went. A scaler that skips other steps would train other weights, whose gradients overflow
// elsewhere; what is exact is the race of the scaler that the run itself had. Every entrant begins at the first of the thresholds. An
// overflow is an element of a gradient that is not finite: those frameworks that look at sums or norms find the same as long as these stay
// within fp32.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "engine/precision/scaler.h"

namespace mantissa {

/// The largest power of two that a loss scale can be in fp32: `highest` of a step whose gradients are all 0.
inline constexpr double kHighestLossScale = 0x1p127;

/// The highest usable loss scale of a step.
struct StepThreshold {
    std::int64_t step = 0;
    double highest = 0;       // the largest power of two at which its gradients are finite; 0: there is none
    double overflowFrom = 0;  // the scale from which on they overflow, up to roundings; above `highest`, at most twice as much
    double gradientMax = 0;   // the largest |gradient|, unscaled; 0 where none was finite

    /// Whether the gradients stay finite at this scale, which may be no power of two.
    bool bears(double scale) const { return highest > 0 && scale < overflowFrom; }
    /// Whether the largest gradient, and so every one, is rounded to 0 in FP16 at this scale: finite, and of no use.
    bool flushesAll(double scale) const { return gradientMax > 0 && gradientMax * scale <= kFlushedInFp16; }
    static constexpr double kFlushedInFp16 = 0x1p-25;  // half of its smallest subnormal; a tie goes to 0
    bool operator==(const StepThreshold&) const = default;
};

/// How one scaler would have fared.
struct RacedScaler {
    ScalerSettings settings;
    std::vector<float> scales;          // used at each step, up to where the framework would have ended the run
    std::vector<std::int64_t> skipped;  // the steps that were
    std::int64_t longestRow = 0;        // of skips
    std::int64_t flushedSteps = 0;      // taken at a scale at which every gradient is 0 in FP16
    double meanHeadroom = 0;            // of the steps taken: how many powers of two the scale stayed below `highest`; NaN where none tells
    double finalScale = 1;              // after the last step
    std::int64_t endStep = -1;          // where it is over: -1: nowhere
    std::string endReason;              // in a clause

    std::int64_t wasted() const { return static_cast<std::int64_t>(skipped.size()); }
    bool isOver() const { return endStep >= 0; }
    bool operator==(const RacedScaler&) const = default;
};

/// `scaler` must be sound (see checkScaler).
RacedScaler raced(std::span<const StepThreshold> thresholds, const ScalerSettings& scaler);

/// One for each, in their order.
std::vector<RacedScaler> race(std::span<const StepThreshold> thresholds, std::span<const ScalerSettings> scalers);

/// Every preset that has a scale, with its own numbers.
std::vector<ScalerSettings> racingPresets();

}  // namespace mantissa
