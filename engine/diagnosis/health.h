// SPDX-License-Identifier: Apache-2.0
// The health of a run, in words: the line on its card and in the command line's table. A pure function of the recent steps.
#pragma once

#include <cstdint>
#include <string>

#include "engine/telemetry/text.h"

namespace mantissa {

enum class Verdict : std::uint8_t {
    NotStarted,
    Finite,
    Calibrating,
    Probing,
    Steady,
    HittingSpike,
    ScaleFell,  // far below its highest value since the first search
    Collapsing,
    NotFinite,
    Dead,
    Stopped,
    SilentFailure  // finite, but training loses information or does not progress
};
enum class Severity : std::uint8_t { Good, Note, Bad };

/// The input of the verdict. Steps are counted from 0; -1: never.
struct HealthInput {
    std::string preset = "none";
    bool isDynamic = false;
    double scale = 1;        // of the next step
    std::int64_t steps = 0;  // done so far
    std::int64_t skippedTotal = 0;
    std::int64_t consecutiveSkips = 0;       // ending with the last step
    std::int64_t lastSkip = -1;              // step
    std::int64_t lastSkipRow = 0;            // skips in a row that ended with `lastSkip`
    std::int64_t lastGrowth = -1;            // step
    std::int64_t lastGrowthBeforeSkip = -1;  // the last growth before `lastSkip`
    std::int64_t cleanSteps = 0;
    double highestScale = 0;  // since the search from the initial scale; 0: unknown, or that search is not over
    std::int64_t skipsSinceHighest = 0;
    std::int64_t growthInterval = 0;  // 0: growth does not depend on a number of steps
    bool isOver = false;              // no step follows
    bool isLastLossFinite = true;
    bool isLastNormFinite = true;
    std::int64_t firstNonFiniteStep = -1;
    std::string firstNonFiniteWhere;       // "layers.1, cross_entropy, forward"
    bool isFirstNonFiniteForward = false;  // then no loss scale can help
    std::string stopReason;                // why the run ended early; empty: it did not
};

struct Health {
    Verdict verdict = Verdict::NotStarted;
    Severity severity = Severity::Good;
    Text title;     // "Calibrating"
    Text sentence;  // "Finding a usable scale: 3 skips in the first 5 steps. Normal."
};

Health judge(const HealthInput& input);

}  // namespace mantissa
