// SPDX-License-Identifier: Apache-2.0
// Finds the loss scales at which a step is finite, by repeating it. One thread at a time.
#pragma once

#include <functional>
#include <vector>

#include "engine/training/step_trials.h"

namespace mantissa {

/// Appends its trials to `tried`, and tries no more once `isLate`. All must outlive it.
class ScaleSearch {
public:
    ScaleSearch(StepTrials& trials, std::vector<Trial>& tried, std::function<bool()> isLate)
        : m_trials(trials), m_tried(tried), m_isLate(std::move(isLate)) {}

    /// Where the scale is too small to divide by: from 2^16 down until the step is finite.
    void searchUp();
    /// Downwards from the scale that was used, to 1 where that was tried and is finite.
    void searchDown();

private:
    StepTrials& m_trials;
    std::vector<Trial>& m_tried;
    std::function<bool()> m_isLate;

    void tryAt(double scale) { m_tried.push_back(m_trials.repeat({.scale = scale})); }
    /// The step as it is but for the scale; null: it was not tried.
    const Trial* trialAt(double scale) const;
    bool hasTried(double scale) const { return trialAt(scale) != nullptr; }
    bool isFiniteAt(double scale) const { return hasTried(scale) && trialAt(scale)->isFinite(); }
    /// By halves, then in strides, whose last one is searched. `low`: a scale that is known to be finite; 0: none.
    void search(double high, double low);
};

}  // namespace mantissa
