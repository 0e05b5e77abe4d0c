// SPDX-License-Identifier: Apache-2.0
// Claims in words, as data: "mean training loss of fp32, steps 0 to 99 < 0.7".
#include <algorithm>
#include <cmath>

#include "engine/lessons/claim_terms.h"

namespace mantissa {
namespace {

/// A run's name, which may have a comma.
std::string nameOf(const std::string& run) {
    return run.find(',') == std::string::npos ? run : "\u201C" + run + "\u201D";
}

/// What a function gives, of a run: its noun, or the purpose of memory.
Text nounOf(const ClaimFunctionRow& row, const ClaimArguments& fixed) {
    constexpr std::pair<std::string_view, Pattern> kPurposes[] = {{"total", "total memory with scratch"_text},
                                                                  {"weights", "memory of the weights"_text},
                                                                  {"masters", "memory of the master weights"_text},
                                                                  {"gradients", "memory of the gradients"_text},
                                                                  {"optimizer", "memory of the optimizer"_text},
                                                                  {"activations", "memory of the activations"_text},
                                                                  {"workspace", "memory of the workspace with scratch"_text}};
    for (const auto& [purpose, words] : kPurposes)
        if (row.takes == ClaimTakes::RunAndPurpose && fixed.purpose == purpose) return words;
    return row.words;
}

/// The pattern for a noun, a run and the first and last step of a range.
Pattern rangePattern(const ClaimFunctionRow& row, ClaimReduce reduce) {
    if (reduce == ClaimReduce::Lowest) return "lowest %1 of %2, steps %3 to %4"_text;
    if (reduce == ClaimReduce::Highest) return "highest %1 of %2, steps %3 to %4"_text;
    return row.takes == ClaimTakes::RunAndWhen ? "mean %1 of %2, steps %3 to %4"_text : "%1 of %2, steps %3 to %4"_text;
}

}  // namespace

Text numberWords(double number) {
    constexpr double kPowersFrom = 4096;  // as measured values are shown
    int exponent = 0;
    const bool isPower = std::isfinite(number) && std::frexp(number, &exponent) == 0.5;
    if (isPower && (number >= kPowersFrom || number <= 1 / kPowersFrom)) return {"%1"_text, PowerOfTwo{number}};
    return {"%1"_text, Figure{number, 9}};
}

Text operandWords(const ClaimTerm& term, ClaimRank least) {
    return term.rank < least ? Text("(%1)"_text, term.words) : term.words;
}

bool isBracketed(const ClaimFunctionRow& row) {
    return row.takes == ClaimTakes::Number;
}

Text callWords(const ClaimFunctionRow& row, const WrittenArguments& written) {
    const ClaimArguments& fixed = written.fixed;
    switch (row.takes) {
        case ClaimTakes::NumberAndFormat:
            return {row.words, operandWords(*written.number, ClaimRank::Atom), std::string(facts(fixed.format).screenName)};
        case ClaimTakes::Number:
            return {row.words, written.number->words};
        case ClaimTakes::Format:
            return {"%1 of %2"_text, Text(row.words), std::string(facts(fixed.format).screenName)};
        default:
            break;
    }
    const Text noun = nounOf(row, fixed);
    if (!written.step) return {"%1 of %2"_text, noun, nameOf(fixed.runName)};
    if (!written.end) return {"%1 of %2 at step %3"_text, noun, nameOf(fixed.runName), written.step->words};
    const Text last = written.end->constant ? numberWords(*written.end->constant - 1) : written.end->words + Text::verbatim("\u2212 1");
    if (row.takes == ClaimTakes::TwoRunsAndRange)
        return {"%1 of %2 and %3, steps %4 to %5"_text, noun, nameOf(fixed.runName), nameOf(fixed.otherName), written.step->words, last};
    return {rangePattern(row, fixed.reduce), noun, nameOf(fixed.runName), written.step->words, last};
}

Text comparisonWords(const std::vector<ClaimTerm>& sides, const std::vector<std::string>& signs) {
    if (isShareOfDifference(sides, signs))
        return {"%1 and %2 differ by less than %3"_text, sides[0].ratio[0], sides[0].ratio[1], Percent{*sides[1].constant}};
    constexpr std::pair<std::string_view, const char*> kShown[] = {{"==", "="}, {"!=", "\u2260"}, {"<=", "\u2264"}, {">=", "\u2265"}};
    Text words = sides.front().words;
    for (std::size_t i = 0; i < signs.size(); ++i) {
        const auto shown = std::find_if(std::begin(kShown), std::end(kShown), [&](const auto& each) { return each.first == signs[i]; });
        words += Text::verbatim(shown == std::end(kShown) ? signs[i] : shown->second) + sides[i + 1].words;
    }
    return words;
}

bool isShareOfDifference(const std::vector<ClaimTerm>& sides, const std::vector<std::string>& signs) {
    return signs.size() == 1 && signs[0] == "<" && sides[0].isRelativeDifference && sides[1].constant.has_value();
}

}  // namespace mantissa
