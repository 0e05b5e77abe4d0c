// SPDX-License-Identifier: Apache-2.0
// Search for the loss scales at which a step is finite, by repeating it. One thread at a time.
#pragma once

#include <functional>
#include <vector>

#include "engine/training/step_trials.h"

namespace mantissa {

/// Appends its trials to `tried` until `isLate` returns true. The arguments must outlive the object.
class ScaleSearch {
public:
    ScaleSearch(StepTrials& trials, std::vector<Trial>& tried, std::function<bool()> isLate)
        : m_trials(trials), m_tried(tried), m_isLate(std::move(isLate)) {}

    /// For a scale that is too small to divide by: tries 2^16, 2^12, ... 1 until the step is finite.
    void searchUp();
    /// Searches below the used scale; above 1 if the step was tried at 1 and is finite.
    void searchDown();

private:
    StepTrials& m_trials;
    std::vector<Trial>& m_tried;
    std::function<bool()> m_isLate;

    void tryAt(double scale) { m_tried.push_back(m_trials.repeat({.scale = scale})); }
    /// Returns the trial that differs only in the scale; null if there is none.
    const Trial* trialAt(double scale) const;
    bool hasTried(double scale) const { return trialAt(scale) != nullptr; }
    bool isFiniteAt(double scale) const { return hasTried(scale) && trialAt(scale)->isFinite(); }
    /// Halves the scale, then divides it by larger factors, whose last interval is bisected. `low`: a known finite scale; 0: none.
    void search(double high, double low);
};

}  // namespace mantissa
