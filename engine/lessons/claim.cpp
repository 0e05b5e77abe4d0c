// SPDX-License-Identifier: Apache-2.0
#include "engine/lessons/claim.h"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "engine/lessons/claim_terms.h"
#include "engine/telemetry/number_format.h"

namespace mantissa {
namespace {

/// NaN equals NaN only, and is not ordered.
bool holds(double a, const std::string& sign, double b) {
    const bool isSame = std::isnan(a) || std::isnan(b) ? std::isnan(a) && std::isnan(b) : a == b;
    if (sign == "==") return isSame;
    if (sign == "!=") return !isSame;
    if (sign == "<") return a < b;
    if (sign == "<=") return a <= b;
    if (sign == ">") return a > b;
    return a >= b;
}

bool holds(const ClaimValue& a, const std::string& sign, const ClaimValue& b) {
    if (const auto* text = std::get_if<std::string>(&a)) return (*text == std::get<std::string>(b)) == (sign == "==");
    return holds(std::get<double>(a), sign, std::get<double>(b));
}

/// Large values are shown as powers of two.
std::string shownValue(const ClaimValue& value) {
    constexpr double kPowersFrom = 4096;
    if (const auto* text = std::get_if<std::string>(&value)) return "\"" + *text + "\"";
    const double number = std::get<double>(value);
    int exponent = 0;
    const bool isPower = std::isfinite(number) && std::frexp(number, &exponent) == 0.5;
    if (isPower && (number >= kPowersFrom || number <= 1 / kPowersFrom)) return powerOfTwoText(number);
    return numberText(number);
}

bool isNaN(const ClaimValue& value) {
    return std::holds_alternative<double>(value) && std::isnan(std::get<double>(value));
}

/// The relation of two values: the claim's sign, or its negation.
std::string trueSign(const ClaimValue& a, const std::string& sign, const ClaimValue& b) {
    struct Shown {
        const char *sign, *shown, *contrary;
    };
    constexpr Shown kSigns[] = {{"==", "=", "≠"}, {"!=", "≠", "="}, {"<", "<", "≥"}, {"<=", "≤", ">"}, {">", ">", "≤"}, {">=", "≥", "<"}};
    const Shown& found = *std::find_if(std::begin(kSigns), std::end(kSigns), [&](const Shown& each) { return sign == each.sign; });
    if (holds(a, sign, b)) return found.shown;
    const bool isOrder = sign != "==" && sign != "!=";
    return isOrder && (isNaN(a) || isNaN(b)) ? std::string("is not ") + found.shown : found.contrary;
}

}  // namespace

Claim::Claim(std::string_view text, const std::string& place, const std::vector<std::string>& runs)
    : m_text(text), m_place(place), m_comparison(std::make_shared<const ClaimComparison>(readComparison(text, place, runs))) {}

const Text& Claim::words() const {
    return m_comparison->words;
}

ClaimResult Claim::check(const LessonFacts& facts, std::int64_t stepsDone) const {
    ClaimResult result{.holds = true, .measured = {}, .problem = {}};
    try {
        std::vector<ClaimValue> values;
        for (const ClaimTerm& side : m_comparison->sides) values.push_back(side.value({facts, stepsDone}));
        const bool isShare = isShareOfDifference(m_comparison->sides, m_comparison->signs);
        const auto shown = [&](const ClaimValue& value) {
            return isShare && std::isfinite(std::get<double>(value)) ? shareText(std::get<double>(value)) : shownValue(value);
        };
        result.measured = shown(values.front());
        for (std::size_t i = 0; i < m_comparison->signs.size(); ++i) {
            result.holds = result.holds && holds(values[i], m_comparison->signs[i], values[i + 1]);
            result.measured += " " + trueSign(values[i], m_comparison->signs[i], values[i + 1]) + " " + shown(values[i + 1]);
        }
    } catch (const ClaimProblem& problem) {
        return {.holds = false, .measured = {}, .problem = problem.sentence};
    }
    return result;
}

}  // namespace mantissa
