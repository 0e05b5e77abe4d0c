// SPDX-License-Identifier: Apache-2.0
// Logs of trainers: lines of Megatron-LM and torchtitan, and the statistics of nvdlfw_inspect. Other lines are ignored.
#include <algorithm>
#include <charconv>
#include <cmath>

#include "engine/exchange/imported_run.h"
#include "engine/exchange/line_reader.h"
#include "engine/exchange/log_reader.h"
#include "engine/exchange/run_builder.h"
#include "engine/exchange/trimmed.h"

namespace mantissa {
namespace {

constexpr std::string_view kBlanks = " \t";

/// Removes a terminal's escape sequences: ESC [ parameters, and a letter.
std::string withoutEscapes(std::string_view line) {
    std::string plain;
    for (std::size_t i = 0; i < line.size(); ++i) {
        if (line[i] != '\x1b') {
            plain += line[i];
            continue;
        }
        if (++i >= line.size() || line[i] != '[') continue;
        while (++i < line.size() && (line[i] < '@' || line[i] > '~')) {
        }
    }
    return plain;
}

/// Removes the commas of "1,234,567.5"; nullopt if a comma does not separate thousands.
std::optional<std::string> withoutGroups(std::string_view text) {
    constexpr std::string_view kDigits = "0123456789";
    std::size_t comma = text.find(',');
    if (comma == std::string_view::npos) return std::string(text);
    const std::size_t first = text.find_first_of(kDigits);
    if (first >= comma || comma - first > 3 || text[first] == '0') return std::nullopt;
    std::string plain(text.substr(0, comma));
    for (; comma < text.size() && text[comma] == ','; comma += 4) {
        const std::string_view group = text.substr(comma + 1, 3);
        if (group.size() != 3 || group.find_first_not_of(kDigits) != std::string_view::npos) return std::nullopt;
        plain += group;
    }
    plain += text.substr(std::min(comma, text.size()));
    return comma < text.size() && text[comma] != '.' ? std::nullopt : std::optional(plain);
}

/// "1.5E+00", "1,234", "nan"; nullopt for a number with a unit, or other text.
std::optional<double> numberIn(std::string_view text) {
    const std::optional<std::string> digits = withoutGroups(trimmed(text));
    if (!digits || digits->empty()) return std::nullopt;
    double value = 0;
    const char* const begin = digits->data() + (digits->starts_with('+') ? 1 : 0);
    const char* const last = digits->data() + digits->size();
    const auto [end, error] = std::from_chars(begin, last, value);
    return error == std::errc() && end == last ? std::optional(value) : std::nullopt;
}

/// A step's number; nullopt for other numbers.
std::optional<std::int64_t> stepIn(std::string_view text) {
    constexpr double kMost = 9007199254740992;  // 2^53, as in `readStep`
    const auto number = numberIn(text);
    if (!number || !(*number >= 0 && *number <= kMost) || *number != std::floor(*number)) return std::nullopt;
    return static_cast<std::int64_t>(*number);
}

using Values = std::vector<std::pair<std::string, double>>;
struct LoggedStep {
    std::int64_t step = 0;
    Values values;
    bool isStatistic = false;  // from nvdlfw_inspect, whose files have no loss
};

/// " [2026-01-01 00:00:00] iteration 10/ 100 | lm loss: 1.0E+01 | loss scale: 65536.0 | number of skipped iterations: 1 | ..."
std::optional<LoggedStep> megatronStep(std::string_view line) {
    const std::size_t word = line.find("iteration");
    const std::size_t slash = word == std::string_view::npos ? word : line.find('/', word);
    if (slash == std::string_view::npos || line.find('|', slash) == std::string_view::npos) return std::nullopt;
    const auto step = stepIn(line.substr(word + 9, slash - word - 9));
    if (!step) return std::nullopt;
    LoggedStep logged{*step, {}};
    for (std::size_t at = line.find('|', slash) + 1; at < line.size();) {
        const std::size_t bar = std::min(line.find('|', at), line.size());
        const std::string_view field = line.substr(at, bar - at);
        at = bar + 1;
        const std::size_t colon = field.find(':');
        if (colon == std::string_view::npos) continue;
        if (const auto value = numberIn(field.substr(colon + 1))) logged.values.emplace_back(trimmed(field.substr(0, colon)), *value);
    }
    return logged;
}

/// "[titan] ... step:  1  loss:  8.1377  grad_norm:  1.2  memory:  2.1GiB(2.6%)  tps: 1,234": a name, a colon, a number.
std::optional<LoggedStep> titanStep(std::string_view line) {
    std::size_t at = line.find("step:");
    if (at == std::string_view::npos) return std::nullopt;
    std::optional<LoggedStep> logged;
    while (at < line.size()) {
        const std::size_t colon = line.find(':', at);
        if (colon == std::string_view::npos) break;
        const std::string_view name = trimmed(line.substr(at, colon - at));
        const std::size_t begin = std::min(line.find_first_not_of(kBlanks, colon + 1), line.size());
        const std::size_t end = std::min(line.find_first_of(kBlanks, begin), line.size());
        const auto value = numberIn(line.substr(begin, end - begin));
        at = end;
        if (!value) continue;
        if (!logged) {
            const auto step = stepIn(line.substr(begin, end - begin));
            if (name != "step" || !step) return std::nullopt;
            logged = LoggedStep{*step, {}};
        } else {
            logged->values.emplace_back(name, *value);
        }
    }
    return logged && !logged->values.empty() ? logged : std::nullopt;
}

/// "INFO - decoder.1.fc1_activation_amax iteration=000002 value=4.3188"
std::optional<LoggedStep> inspectStep(std::string_view line) {
    constexpr std::string_view kStep = " iteration=", kValue = " value=";
    const std::size_t step = line.find(kStep), value = line.find(kValue);
    if (step == std::string_view::npos || value == std::string_view::npos || value < step) return std::nullopt;
    const auto number = stepIn(line.substr(step + kStep.size(), value - step - kStep.size()));
    const auto found = numberIn(line.substr(value + kValue.size()));
    const std::size_t dash = line.substr(0, step).rfind(" - ");
    const std::string_view name =
        trimmed(line.substr(dash == std::string_view::npos ? 0 : dash + 3, step - (dash == std::string_view::npos ? 0 : dash + 3)));
    if (!number || !found || name.empty()) return std::nullopt;
    return LoggedStep{*number, {{std::string(name), *found}}, true};
}

std::optional<LoggedStep> stepOf(std::string_view line) {
    if (auto step = megatronStep(line)) return step;
    if (auto step = inspectStep(line)) return step;
    return titanStep(line);
}

/// Sums counts that are given per line. A repeated step replaces the counts from that step on.
class Total {
public:
    double add(std::int64_t step, double count) {
        while (!m_totals.empty() && m_totals.back().first >= step) m_totals.pop_back();
        m_totals.emplace_back(step, (m_totals.empty() ? 0 : m_totals.back().second) + count);
        return m_totals.back().second;
    }

private:
    std::vector<std::pair<std::int64_t, double>> m_totals;  // after each step
};

constexpr std::string_view kSkippedLately = "number of skipped iterations", kNanLately = "number of nan iterations";

class LinesReader : public LogReader {
public:
    LinesReader(RunBuilder& builder, const std::string& source) : LogReader(builder), m_lines(source) {}

    void read(std::istream& in, std::uint64_t, bool mayGrow) override {
        m_lines.goOn(in, mayGrow);
        std::string_view line;
        while (m_lines.next(line))
            if (const auto step = stepOf(withoutEscapes(line))) take(*step);
    }
    std::uint64_t position() const override { return m_lines.mark().position; }

private:
    LineReader m_lines;
    Total m_skipped, m_nan;

    void take(const LoggedStep& step) {
        if (step.isStatistic) m_builder.expectTraining();
        for (const auto& [name, value] : step.values) {
            const bool isSkips = name == kSkippedLately, isNans = name == kNanLately;
            const double shown = isSkips ? m_skipped.add(step.step, value) : isNans ? m_nan.add(step.step, value) : value;
            const int column = m_builder.columnOf(isSkips ? "skipped_iterations" : isNans ? "nan_iterations" : name, m_lines.place());
            if (column >= 0) m_builder.add(column, step.step, shown, m_lines.place());
        }
    }
};

}  // namespace

bool isTrainersLog(std::string_view begin) {
    while (!begin.empty()) {
        const std::size_t end = begin.find('\n');
        if (end == std::string_view::npos) return false;  // ignores an incomplete line
        if (stepOf(withoutEscapes(begin.substr(0, end)))) return true;
        begin.remove_prefix(end + 1);
    }
    return false;
}

std::unique_ptr<LogReader> makeLinesReader(RunBuilder& builder, const std::string& source) {
    return std::make_unique<LinesReader>(builder, source);
}

}  // namespace mantissa
