// SPDX-License-Identifier: Apache-2.0
// From what was seen to what it means, in words. Pure functions; any thread.
#pragma once

#include <string>
#include <vector>

#include "engine/diagnosis/examination.h"

namespace mantissa {

/// What is known of the run beyond the card and the trials.
struct StepEvidence {
    bool foundInf = true;  // or a loss that is not finite: the step was bad
    bool isBatchFinite = true;
    bool keepsBadGradients = false;       // of earlier steps, which were not set to zero
    std::vector<std::string> badWeights;  // parameters and running statistics that were not finite before the step
    bool isScalerDynamic = false;
    bool hasScaler = false;
    double backoffFactor = 0.5;         // of a dynamic scaler
    std::int64_t consecutiveSkips = 0;  // this one included
    bool isSettling = false;            // it has never grown, in the run's first steps: it is still looking for its first scale
};

/// Names what happened. The trials must hold the step as it was used and, where it could be run, fp32.
SkipVerdict judgeStep(const ProvenanceCard& card, const std::vector<Trial>& trials, const StepEvidence& evidence);

/// "0.05 %", with as many digits as tell it from 0; "" for NaN.
std::string shareText(double share);

}  // namespace mantissa
