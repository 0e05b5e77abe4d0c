// SPDX-License-Identifier: Apache-2.0
// Claims in words, as data: "mean training loss of fp32, steps 0 to 99 < 0.7".
#include <algorithm>
#include <cctype>
#include <cmath>

#include "engine/lessons/claim_terms.h"

namespace mantissa {
namespace {

/// "FP8 E4M3" of the format fp8_e4m3.
std::string formatName(Dtype format) {
    std::string name(facts(format).name);
    std::transform(name.begin(), name.end(), name.begin(),
                   [](unsigned char c) { return c == '_' ? ' ' : static_cast<char>(std::toupper(c)); });
    return name;
}

/// What a function gives, of a run: its noun, or the purpose of memory.
Text nounOf(const ClaimFunctionRow& row, const ClaimArguments& fixed) {
    constexpr std::pair<std::string_view, Pattern> kPurposes[] = {{"total", "memory in all"_text},
                                                                  {"weights", "memory of the weights"_text},
                                                                  {"masters", "memory of the master weights"_text},
                                                                  {"gradients", "memory of the gradients"_text},
                                                                  {"optimizer", "memory of the optimizer"_text},
                                                                  {"activations", "memory of the activations"_text},
                                                                  {"workspace", "memory of the workspace"_text}};
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

Text callWords(const ClaimFunctionRow& row, const WrittenArguments& written) {
    const ClaimArguments& fixed = written.fixed;
    switch (row.takes) {
        case ClaimTakes::NumberAndFormat:
            return {row.words, written.number->words, formatName(fixed.format)};
        case ClaimTakes::Number:
            return {row.words, written.number->words};
        case ClaimTakes::Format:
            return {"%1 of %2"_text, Text(row.words), formatName(fixed.format)};
        default:
            break;
    }
    const Text noun = nounOf(row, fixed);
    if (!written.step) return {"%1 of %2"_text, noun, fixed.runName};
    if (!written.end) return {"%1 of %2 at step %3"_text, noun, fixed.runName, written.step->words};
    const Text last = written.end->constant ? numberWords(*written.end->constant - 1) : written.end->words + Text::verbatim("\u2212 1");
    return {rangePattern(row, fixed.reduce), noun, fixed.runName, written.step->words, last};
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
