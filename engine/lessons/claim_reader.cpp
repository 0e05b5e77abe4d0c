// SPDX-License-Identifier: Apache-2.0
// Parses a claim by recursive descent:
//   comparison  sum (sign sum)+
//   sum         product (('+' | '-') product)*
//   product     factor (('*' | '/') factor)*
//   factor      '-' factor | atom ('^' factor)?
//   atom        number | "text" | inf | nan | '(' sum ')' | name '(' arguments ')'
#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

#include "engine/experiment/fields.h"
#include "engine/lessons/claim_terms.h"

namespace mantissa {
namespace {

constexpr int kMaxDepth = 64;  // of nested brackets

ClaimTerm constant(double number) {
    return {false, [number](const ClaimContext&) -> ClaimValue { return number; }, numberWords(number), ClaimRank::Atom, number};
}

std::int64_t wholeStep(const ClaimTerm& term, const ClaimContext& context) {
    const double number = term.number(context);
    if (!(number == std::floor(number)) || std::fabs(number) > 1e15) throw ClaimProblem{"a step is a whole number"};
    return static_cast<std::int64_t>(number);
}

RunId idOf(const ClaimContext& context, const std::string& run) {
    const auto id = context.facts.idOf(run);
    if (!id) throw ClaimProblem{"there is no run \"" + run + "\" now"};
    return *id;
}

ClaimTerm call(const ClaimFunctionRow& row, WrittenArguments written) {
    Text words = callWords(row, written);
    const bool isMagnitude = row.name == "abs";
    const std::vector<Text> ratio = isMagnitude ? written.number->ratio : std::vector<Text>();
    const bool isRelativeDifference = isMagnitude && written.number->isRelativeDifference;
    return {row.isText,
            [value = row.value, written = std::move(written)](const ClaimContext& context) {
                ClaimArguments given = written.fixed;
                if (written.hasRun) given.run = idOf(context, given.runName);
                if (!given.otherName.empty()) given.other = idOf(context, given.otherName);
                if (written.end) {
                    given.range = {wholeStep(*written.step, context), wholeStep(*written.end, context)};
                } else if (written.step) {
                    given.step = wholeStep(*written.step, context);
                }
                if (written.number) given.number = written.number->number(context);
                return value(context, given);
            },
            std::move(words),
            isBracketed(row) ? ClaimRank::Atom : ClaimRank::Phrase,
            std::nullopt,
            ratio,
            isRelativeDifference};
}

class ClaimText {
public:
    ClaimText(std::string_view text, const std::string& place, const std::vector<std::string>& runs)
        : m_rest(text), m_place(place), m_runs(runs) {}

    ClaimComparison comparison() {
        ClaimComparison whole;
        whole.sides.push_back(sum());
        while (!isAtEnd()) {
            whole.signs.push_back(sign());
            whole.sides.push_back(sum());
        }
        if (whole.signs.empty()) refuse("a claim compares: it has one of < <= > >= == !=");
        for (std::size_t i = 0; i < whole.signs.size(); ++i) {
            if (whole.sides[i].isText != whole.sides[i + 1].isText) refuse("a text and a number cannot be compared");
            if (whole.sides[i].isText && whole.signs[i] != "==" && whole.signs[i] != "!=") refuse("texts are compared by == and != alone");
        }
        whole.words = comparisonWords(whole.sides, whole.signs);
        return whole;
    }

private:
    std::string_view m_rest;
    const std::string& m_place;
    const std::vector<std::string>& m_runs;
    int m_depth = 0;

    [[noreturn]] void refuse(const std::string& sentence) const { throw InputError(m_place, "", sentence); }
    [[noreturn]] void refuseHere(const std::string& expected) {
        skipSpaces();
        refuse(expected + " is expected" + (m_rest.empty() ? " at the end" : " where '" + std::string(m_rest.substr(0, 20)) + "' stands"));
    }

    void skipSpaces() {
        while (!m_rest.empty() && (m_rest.front() == ' ' || m_rest.front() == '\t')) m_rest.remove_prefix(1);
    }
    bool isAtEnd() {
        skipSpaces();
        return m_rest.empty();
    }
    bool take(std::string_view token) {
        skipSpaces();
        if (!m_rest.starts_with(token)) return false;
        m_rest.remove_prefix(token.size());
        return true;
    }
    void expect(std::string_view token) {
        if (!take(token)) refuseHere("'" + std::string(token) + "'");
    }

    std::string sign() {
        for (const char* each : {"<=", ">=", "==", "!=", "<", ">"}) {
            if (take(each)) return each;
        }
        refuseHere("one of < <= > >= == !=");
    }

    static ClaimTerm combined(ClaimTerm a, const char* sign, ClaimTerm b, double (*combine)(double, double)) {
        ClaimTerm whole;
        const ClaimRank rank = *sign == '^' ? ClaimRank::Power : *sign == '+' || *sign == '-' ? ClaimRank::Sum : ClaimRank::Product;
        const bool isOrdered = *sign == '-' || *sign == '/' || *sign == '^';  // the right operand cannot be one of its own rank
        const Text left = operandWords(a, *sign == '^' ? ClaimRank::Atom : rank);
        const Text right = operandWords(b, isOrdered ? static_cast<ClaimRank>(static_cast<int>(rank) + 1) : rank);
        if (*sign == '^')
            whole.words = a.constant == 2 && b.constant ? numberWords(std::exp2(*b.constant)) : Text("%1^%2"_text, left, right);
        else
            whole.words = left + Text::verbatim(*sign == '*' ? "\u00D7" : *sign == '-' ? "\u2212" : sign) + right;
        whole.rank = *sign == '^' && a.constant == 2 && b.constant ? ClaimRank::Atom : rank;
        if (*sign == '/') whole.ratio = {a.words, b.words};
        whole.isRelativeDifference = *sign == '-' && b.constant == 1 && a.ratio.size() == 2;
        if (whole.isRelativeDifference) whole.ratio = a.ratio;
        whole.value = [a = std::move(a), b = std::move(b), combine](const ClaimContext& context) -> ClaimValue {
            return combine(a.number(context), b.number(context));
        };
        return whole;
    }
    static ClaimTerm negative(ClaimTerm term) {
        ClaimTerm whole;
        whole.constant = term.constant ? std::optional(-*term.constant) : std::nullopt;
        whole.words = whole.constant ? numberWords(*whole.constant) : Text("−%1"_text, operandWords(term, ClaimRank::Product));
        whole.rank = whole.constant ? ClaimRank::Atom : ClaimRank::Product;
        whole.value = [term = std::move(term)](const ClaimContext& context) -> ClaimValue { return -term.number(context); };
        return whole;
    }
    ClaimTerm asNumber(ClaimTerm term) const {
        if (term.isText) refuse("a text cannot be reckoned with");
        return term;
    }

    ClaimTerm sum() {
        if (++m_depth > kMaxDepth) refuse("brackets nest too deep");
        ClaimTerm term = product();
        for (;;) {
            if (take("+")) {
                term = combined(asNumber(std::move(term)), "+", asNumber(product()), [](double a, double b) { return a + b; });
            } else if (take("-")) {
                term = combined(asNumber(std::move(term)), "-", asNumber(product()), [](double a, double b) { return a - b; });
            } else {
                --m_depth;
                return term;
            }
        }
    }
    ClaimTerm product() {
        ClaimTerm term = factor();
        for (;;) {
            if (take("*")) {
                term = combined(asNumber(std::move(term)), "*", asNumber(factor()), [](double a, double b) { return a * b; });
            } else if (take("/")) {
                term = combined(asNumber(std::move(term)), "/", asNumber(factor()), [](double a, double b) { return a / b; });
            } else {
                return term;
            }
        }
    }
    ClaimTerm factor() {
        if (++m_depth > kMaxDepth) refuse("signs nest too deep");
        ClaimTerm term = take("-") ? negative(asNumber(factor())) : atom();
        if (take("^"))
            term = combined(asNumber(std::move(term)), "^", asNumber(factor()), [](double a, double b) { return std::pow(a, b); });
        --m_depth;
        return term;
    }
    ClaimTerm atom() {
        if (take("(")) {
            ClaimTerm inner = sum();
            expect(")");
            return inner;
        }
        skipSpaces();
        if (m_rest.starts_with('"')) {
            const std::string quoted = text();
            return {true, [quoted](const ClaimContext&) -> ClaimValue { return quoted; }, Text("“%1”"_text, Text::term(quoted))};
        }
        if (!m_rest.empty() && (std::isdigit(static_cast<unsigned char>(m_rest.front())) != 0)) return constant(number());
        const std::string name = word();
        if (name.empty()) refuseHere("a number, a text or a function");
        if (name == "inf") return constant(std::numeric_limits<double>::infinity());
        if (name == "nan") return constant(std::numeric_limits<double>::quiet_NaN());
        return function(name);
    }

    std::string text() {
        expect("\"");
        const std::size_t end = m_rest.find('"');
        if (end == std::string_view::npos) refuse("a text has no closing quote");
        const std::string taken(m_rest.substr(0, end));
        m_rest.remove_prefix(end + 1);
        return taken;
    }
    std::string word() {
        skipSpaces();
        const auto end = std::find_if(m_rest.begin(), m_rest.end(),
                                      [](char c) { return !((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_'); });
        const std::string taken(m_rest.begin(), end);
        m_rest.remove_prefix(taken.size());
        return taken;
    }
    /// "400", "0.7", "1e-4"; "0" of "0..400".
    double number() {
        const std::size_t range = m_rest.find("..");
        const std::string_view digits = m_rest.substr(0, range);
        double value = 0;
        const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
        if (error != std::errc{}) refuseHere("a number");
        m_rest.remove_prefix(static_cast<std::size_t>(end - digits.data()));
        return value;
    }

    // ---- Functions ----

    const ClaimFunctionRow& rowOf(const std::string& name) const {
        std::vector<std::string> known{"highest", "lowest"};
        for (const ClaimFunctionRow& row : claimFunctionRows()) {
            if (row.name == name) return row;
            known.emplace_back(row.name);
        }
        refuse("there is no function '" + name + "'" + didYouMean(name, known));
    }

    ClaimTerm function(const std::string& name) {
        if (name != "highest" && name != "lowest") return callOf(rowOf(name), ClaimReduce::Mean);
        expect("(");
        const ClaimFunctionRow& row = rowOf(word());
        ClaimTerm term = callOf(row, name == "highest" ? ClaimReduce::Highest : ClaimReduce::Lowest);
        expect(")");
        return term;
    }

    ClaimTerm callOf(const ClaimFunctionRow& row, ClaimReduce reduce) {
        WrittenArguments written;
        written.fixed.reduce = reduce;
        expect("(");
        switch (row.takes) {
            case ClaimTakes::Run:
                takeRun(written);
                break;
            case ClaimTakes::RunAndWhen:
            case ClaimTakes::RunAndRange:
            case ClaimTakes::RunMaybeStep:
                takeRun(written);
                if (take(",")) takeWhen(written);
                break;
            case ClaimTakes::RunAndStep:
                takeRun(written);
                expect(",");
                takeWhen(written);
                break;
            case ClaimTakes::RunAndPurpose:
                takeRun(written);
                expect(",");
                written.fixed.purpose = choice("memory", memoryPurposes());
                break;
            case ClaimTakes::TwoRunsAndRange:
                takeRun(written);
                expect(",");
                written.fixed.otherName = runName();
                expect(",");
                takeWhen(written);
                break;
            case ClaimTakes::NumberAndFormat:
                written.number = asNumber(sum());
                expect(",");
                takeFormat(written);
                break;
            case ClaimTakes::Format:
                takeFormat(written);
                break;
            case ClaimTakes::Number:
                written.number = asNumber(sum());
                break;
        }
        expect(")");
        const bool needsRange =
            row.takes == ClaimTakes::RunAndRange || row.takes == ClaimTakes::TwoRunsAndRange || reduce != ClaimReduce::Mean;
        const bool canRange = needsRange || row.takes == ClaimTakes::RunAndWhen;
        if (reduce != ClaimReduce::Mean && (row.takes != ClaimTakes::RunAndWhen || !written.end))
            refuse("highest and lowest look over steps: highest(loss(\"RUN\", 0..400))");
        if (written.step && needsRange && !written.end) refuse("it goes: " + std::string(row.signature));
        if (written.end && !canRange) refuse("it goes: " + std::string(row.signature));
        return call(row, std::move(written));
    }

    void takeRun(WrittenArguments& written) {
        written.hasRun = true;
        written.fixed.runName = runName();
    }
    /// The name of a run of the experiment, in quotes.
    std::string runName() {
        const std::string name = text();
        if (std::find(m_runs.begin(), m_runs.end(), name) == m_runs.end())
            refuse("the experiment has no run \"" + name + "\"" + didYouMean(name, m_runs));
        return name;
    }
    void takeWhen(WrittenArguments& written) {
        written.step = asNumber(sum());
        if (take("..")) written.end = asNumber(sum());
    }
    std::string choice(const std::string& what, const std::vector<std::string>& known) {
        const std::string name = text();
        if (std::find(known.begin(), known.end(), name) == known.end()) refuse(what + " has no \"" + name + "\"" + didYouMean(name, known));
        return name;
    }
    void takeFormat(WrittenArguments& written) {
        const std::string name = word();
        std::vector<std::string> known;
        for (const Dtype dtype : kAllDtypes) known.emplace_back(facts(dtype).name);
        const auto dtype = dtypeFromName(name);
        if (!dtype) refuse("there is no format '" + name + "'" + didYouMean(name, known));
        written.fixed.format = *dtype;
    }
};

}  // namespace

ClaimComparison readComparison(std::string_view text, const std::string& place, const std::vector<std::string>& runs) {
    return ClaimText(text, place, runs).comparison();
}

}  // namespace mantissa
