// SPDX-License-Identifier: Apache-2.0
// A lesson's claim about its runs: loss("fp32") < 0.7 * loss("pure fp16"). Parsed once, checked against any facts.
// Immutable values; any thread.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "engine/lessons/lesson_facts.h"
#include "engine/telemetry/text.h"

namespace mantissa {

struct ClaimResult {
    bool holds = false;
    std::string measured;  // "0.6312 < 1.274": the measured value of each side, and their actual relation
    std::string problem;   // why it cannot be checked, in a sentence; the claim does not hold then, and `measured` is empty
};

struct ClaimComparison;  // claim_terms.h

class Claim {
public:
    /// Parses one comparison, or several in a row: 0.4 < loss("fp32") < 0.5. `runs` are the valid run names. Throws InputError with source
    /// `place`.
    Claim(std::string_view text, const std::string& place, const std::vector<std::string>& runs);

    const std::string& text() const { return m_text; }
    /// Returns the claim in words: "mean training loss of fp32, steps 0 to 99 < 0.7".
    const Text& words() const;
    const std::string& place() const { return m_place; }  // "FILE:LINE"

    /// Checks the claim. `stepsDone`: the number of steps the lesson has trained; values without a step are taken at the last of these.
    ClaimResult check(const LessonFacts& facts, std::int64_t stepsDone) const;

private:
    std::string m_text, m_place;
    std::shared_ptr<const ClaimComparison> m_comparison;
};

/// A function of claims, for authors of lessons: "loss(run), loss(run, step), loss(run, first..end)".
struct ClaimFunction {
    std::string_view signature, meaning;
};
std::vector<ClaimFunction> claimFunctions();

}  // namespace mantissa
