// SPDX-License-Identifier: Apache-2.0
// The parts of a claim: terms that are evaluated on facts, and the table of functions. Immutable values; any thread.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "engine/lessons/claim.h"
#include "engine/telemetry/text.h"
#include "kernels/dtype/dtype.h"

namespace mantissa {

using ClaimValue = std::variant<double, std::string>;

/// Why a term has no value, in a sentence. Claim::check catches it.
struct ClaimProblem {
    std::string sentence;
};

struct ClaimContext {
    const LessonFacts& facts;
    std::int64_t stepsDone = 0;
};

/// How closely a term's words hold together: an operand of a higher rank needs no brackets.
enum class ClaimRank : std::uint8_t { Phrase, Sum, Product, Power, Atom };

struct ClaimTerm {
    bool isText = false;
    std::function<ClaimValue(const ClaimContext&)> value;  // throws ClaimProblem
    Text words;                                            // "mean training loss of fp32, steps 0 to 99"
    ClaimRank rank = ClaimRank::Atom;
    std::optional<double> constant = std::nullopt;  // of a number, also with a minus
    std::vector<Text> ratio = {};                   // two: it is the one over the other
    bool isRelativeDifference = false;              // abs(a / b - 1); `ratio` has a and b
    double number(const ClaimContext& context) const { return std::get<double>(value(context)); }
};

struct ClaimComparison {
    std::vector<ClaimTerm> sides;
    std::vector<std::string> signs;  // one less: "<" "<=" ">" ">=" "==" "!="
    Text words = {};
};

/// Parses a comparison. Throws InputError with source `place`.
ClaimComparison readComparison(std::string_view text, const std::string& place, const std::vector<std::string>& runs);

// ---- Functions ----

/// The arguments of a function. A run is a name in quotes, a range is first..end, without its end.
enum class ClaimTakes : std::uint8_t {
    RunAndWhen,   // a run, and nothing, a step or a range
    RunAndRange,  // a run, and nothing or a range
    RunAndStep,   // a run and a step
    RunMaybeStep,
    Run,
    RunAndPurpose,
    TwoRunsAndRange,  // two runs and a range
    NumberAndFormat,
    Format,
    Number,
};

enum class ClaimReduce : std::uint8_t { Mean, Lowest, Highest };

/// A function's arguments after evaluation.
struct ClaimArguments {
    std::string runName, otherName;  // other: of two runs
    RunId run = 0, other = 0;
    std::optional<std::int64_t> step;
    std::optional<std::pair<std::int64_t, std::int64_t>> range;
    ClaimReduce reduce = ClaimReduce::Mean;
    std::string purpose;
    double number = 0;
    Dtype format = Dtype::F32;
};

/// A function's arguments before evaluation.
struct WrittenArguments {
    ClaimArguments fixed;
    bool hasRun = false;
    std::optional<ClaimTerm> step, end, number;  // with `end`: a range
};

struct ClaimFunctionRow {
    std::string_view name, signature, meaning;
    Pattern words;  // a noun, "training loss"; of a function of a number a pattern, "%1 rounded to %2"
    ClaimTakes takes = ClaimTakes::Number;
    bool isText = false;
    ClaimValue (*value)(const ClaimContext&, const ClaimArguments&) = nullptr;  // throws ClaimProblem
};
std::span<const ClaimFunctionRow> claimFunctionRows();

// ---- Words ----

Text numberWords(double number);
/// Returns a term's words, in brackets if its rank is lower.
Text operandWords(const ClaimTerm& term, ClaimRank least);
/// Whether a function's words hold together without brackets, like |x|.
bool isBracketed(const ClaimFunctionRow& row);
Text callWords(const ClaimFunctionRow& row, const WrittenArguments& written);
Text comparisonWords(const std::vector<ClaimTerm>& sides, const std::vector<std::string>& signs);
/// Whether the comparison is abs(a / b - 1) < c, which words and measured values give in percent.
bool isShareOfDifference(const std::vector<ClaimTerm>& sides, const std::vector<std::string>& signs);

/// The valid last arguments of memory().
const std::vector<std::string>& memoryPurposes();

}  // namespace mantissa
