// SPDX-License-Identifier: Apache-2.0
// What trainers print: Megatron-LM's and torchtitan's lines, and the statistics of nvdlfw_inspect. Other lines of a log are passed over.
#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>

#include "engine/exchange/imported_run.h"
#include "engine/exchange/line_reader.h"
#include "engine/exchange/run_builder.h"
#include "engine/exchange/trimmed.h"

namespace mantissa {
namespace {

constexpr std::string_view kBlanks = " \t";

/// Without the colours of a terminal: ESC [ ... m.
std::string withoutColours(std::string_view line) {
    std::string plain;
    for (std::size_t i = 0; i < line.size(); ++i) {
        if (line[i] != '\x1b') {
            plain += line[i];
            continue;
        }
        const std::size_t end = line.find('m', i);
        if (end == std::string_view::npos) break;
        i = end;
    }
    return plain;
}

/// "1.5E+00", "1,234", "nan"; nothing for what has a unit, or is no number.
std::optional<double> numberIn(std::string_view text) {
    std::string digits(trimmed(text));
    std::erase(digits, ',');
    double value = 0;
    const char* begin = digits.data() + (digits.starts_with('+') ? 1 : 0);
    const auto [end, error] = std::from_chars(begin, digits.data() + digits.size(), value);
    return error == std::errc() && !digits.empty() && end == digits.data() + digits.size() ? std::optional(value) : std::nullopt;
}

using Values = std::vector<std::pair<std::string, double>>;
struct LoggedStep {
    std::int64_t step = 0;
    Values values;
};

/// " [2026-01-01 00:00:00] iteration 10/ 100 | lm loss: 1.0E+01 | loss scale: 65536.0 | number of skipped iterations: 1 | ..."
std::optional<LoggedStep> megatronStep(std::string_view line) {
    const std::size_t word = line.find("iteration");
    const std::size_t slash = word == std::string_view::npos ? word : line.find('/', word);
    if (slash == std::string_view::npos || line.find('|', slash) == std::string_view::npos) return std::nullopt;
    const auto number = numberIn(line.substr(word + 9, slash - word - 9));
    if (!number || *number < 0 || *number != std::floor(*number)) return std::nullopt;
    LoggedStep logged{static_cast<std::int64_t>(*number), {}};
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
            if (name != "step" || *value < 0 || *value != std::floor(*value)) return std::nullopt;
            logged = LoggedStep{static_cast<std::int64_t>(*value), {}};
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
    const auto number = numberIn(line.substr(step + kStep.size(), value - step - kStep.size()));
    const auto found = numberIn(line.substr(value + kValue.size()));
    const std::size_t dash = line.substr(0, step).rfind(" - ");
    const std::string_view name =
        trimmed(line.substr(dash == std::string_view::npos ? 0 : dash + 3, step - (dash == std::string_view::npos ? 0 : dash + 3)));
    if (!number || !found || *number < 0 || name.empty()) return std::nullopt;
    return LoggedStep{static_cast<std::int64_t>(*number), {{std::string(name), *found}}};
}

std::optional<LoggedStep> stepOf(std::string_view line) {
    if (auto step = megatronStep(line)) return step;
    if (auto step = inspectStep(line)) return step;
    return titanStep(line);
}

constexpr std::string_view kSkippedLately = "number of skipped iterations", kNanLately = "number of nan iterations";

}  // namespace

bool isTrainersLog(std::string_view begin) {
    while (!begin.empty()) {
        const std::size_t end = begin.find('\n');
        if (end == std::string_view::npos) return false;  // a line that is cut says nothing
        if (stepOf(withoutColours(begin.substr(0, end)))) return true;
        begin.remove_prefix(end + 1);
    }
    return false;
}

ImportedRun readTrainersLog(std::istream& in, const std::string& source) {
    LineReader lines(in, source);
    RunBuilder builder(source, RunBuilder::StepBack::Replaces);
    double skipped = 0, nan = 0;
    std::string_view line;
    while (lines.next(line)) {
        const auto step = stepOf(withoutColours(line));
        if (!step) continue;
        for (const auto& [name, value] : step->values) {
            // Megatron counts since the line before.
            const bool isSkips = name == kSkippedLately, isNans = name == kNanLately;
            const double shown = isSkips ? skipped += value : isNans ? nan += value : value;
            const int column = builder.columnOf(isSkips ? "skipped_iterations" : isNans ? "nan_iterations" : name, lines.place());
            if (column >= 0) builder.add(column, step->step, shown, lines.place());
        }
    }
    return builder.finish(std::filesystem::path(source).stem().string());
}

}  // namespace mantissa
