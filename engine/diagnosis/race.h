// SPDX-License-Identifier: Apache-2.0
// Comparison of loss scalers over a run's steps ("scaler race"): each scaler is updated with whether its own scale would have overflowed.
// Pure values and functions; any thread.
//
// The thresholds are those of the run itself. A scaler that skips other steps would train other weights, with other thresholds, so the
// result is exact only for the run's own scaler. Every scaler begins at the first threshold. An overflow is a non-finite gradient element;
// frameworks that check sums or norms find it too, as long as these stay within fp32.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "engine/precision/scaler.h"

namespace mantissa {

/// The largest power of two that fp32 can hold as a loss scale: `highest` of a step whose gradients are all 0.
inline constexpr double kHighestLossScale = 0x1p127;

/// The highest usable loss scale of a step.
struct StepThreshold {
    std::int64_t step = 0;
    double highest = 0;       // the largest power of two at which its gradients are finite; 0: there is none
    double overflowFrom = 0;  // the smallest scale at which they overflow, up to rounding; at most 2 * highest
    double gradientMax = 0;   // the largest |gradient|, unscaled; 0 if none is finite

    /// Whether the gradients stay finite at this scale, which need not be a power of two.
    bool staysFiniteAt(double scale) const { return highest > 0 && scale < overflowFrom; }
    /// Whether FP16 rounds every gradient to 0 at this scale.
    bool flushesAll(double scale) const { return gradientMax > 0 && gradientMax * scale <= kFlushedInFp16; }
    static constexpr double kFlushedInFp16 = 0x1p-25;  // half of FP16's smallest subnormal; a tie rounds to 0
    bool operator==(const StepThreshold&) const = default;
};

/// The result of one scaler.
struct RacedScaler {
    ScalerSettings settings;
    std::vector<float> scales;          // used at each step, until the framework would have ended the run
    std::vector<std::int64_t> skipped;  // the skipped steps
    std::int64_t longestRow = 0;        // most consecutive skips
    std::int64_t flushedSteps = 0;      // steps taken at a scale at which FP16 flushes every gradient
    double meanHeadroom = 0;    // mean of log2(highest / scale) over the steps taken whose gradients are not all 0; NaN: there is none
    double finalScale = 1;      // after the last step
    std::int64_t endStep = -1;  // the step at which the run would have ended; -1: none
    std::string endReason;      // a clause

    std::int64_t skippedSteps() const { return static_cast<std::int64_t>(skipped.size()); }
    bool isOver() const { return endStep >= 0; }
    bool operator==(const RacedScaler&) const = default;
};

/// Runs one scaler over the thresholds. `scaler` must pass `checkScaler`.
RacedScaler raced(std::span<const StepThreshold> thresholds, const ScalerSettings& scaler);

/// Returns every preset that skips on overflow, with its default values.
std::vector<ScalerSettings> racingPresets();

}  // namespace mantissa
