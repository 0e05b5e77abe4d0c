// SPDX-License-Identifier: Apache-2.0
#include "engine/exchange/run_builder.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <set>

#include "engine/diagnosis/tensor_shares.h"
#include "engine/exchange/metric_names.h"
#include "engine/experiment/fields.h"

namespace mantissa {
namespace {

constexpr std::size_t kMaxNames = 10'000, kMaxNameLength = 1000, kMaxListed = 12;

std::string shortened(std::string_view text) {
    constexpr std::size_t kMost = 40;
    return text.size() <= kMost ? std::string(text) : std::string(text.substr(0, kMost)) + "...";
}

std::string listed(const std::vector<std::string>& names) {
    std::string text;
    for (std::size_t i = 0; i < std::min(names.size(), kMaxListed); ++i) text += (i > 0 ? ", " : "") + shortened(names[i]);
    if (names.size() > kMaxListed) text += " and " + std::to_string(names.size() - kMaxListed) + " more";
    return text;
}

/// In one line, whatever a file had in its names and cells.
std::string plainText(std::string text) {
    for (char& c : text) c = static_cast<unsigned char>(c) < 0x20 || c == 0x7f ? '_' : c;
    return text;
}

/// As long as a run's may be; never cut within a UTF-8 character.
std::string fitName(std::string_view name, std::size_t most = kMaxNameBytes) {
    std::size_t length = std::min(name.size(), most);
    while (length > 0 && length < name.size() && (name[length] & 0xc0) == 0x80) --length;
    return length == 0 ? "run" : plainText(std::string(name.substr(0, length)));
}

/// Titles of the plots that a file brings, by which they are known: fitted, each of them once, and none that is the name of a share of
/// ours.
class PlotNames {
public:
    std::string take(std::string_view name) {
        std::string title = fitName(name);
        for (int number = 2; !m_taken.insert(title).second; ++number) {
            const std::string suffix = " (" + std::to_string(number) + ")";
            title = fitName(name, kMaxNameBytes - suffix.size()) + suffix;
        }
        return title;
    }

private:
    std::set<std::string> m_taken{std::begin(tensor_share::kAll), std::end(tensor_share::kAll)};
};

}  // namespace

void refuseAt(const std::string& source, FilePlace place, const std::string& sentence) {
    throw InputError(source, "", std::string(place.unit) + " " + std::to_string(place.number) + ": " + plainText(sentence));
}

double readNumber(std::string_view text, const std::string& source, FilePlace place, std::string_view name) {
    std::string_view digits = text.starts_with('+') ? text.substr(1) : text;
    double value = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    const std::string what = shortened(name) + " is '" + shortened(text) + "', ";
    if (error == std::errc::result_out_of_range) refuseAt(source, place, what + "which is beyond what a double can hold");
    if (error != std::errc() || end != digits.data() + digits.size()) {
        const bool hasComma = text.find(',') != std::string_view::npos;
        refuseAt(source, place, what + "which is no number" + (hasComma ? ": decimals begin with a point" : ""));
    }
    return value;
}

std::int64_t readStep(double number, const std::string& source, FilePlace place) {
    constexpr double kMost = 9007199254740992;  // 2^53: up to there a double counts in ones
    if (!(number >= 0 && number <= kMost) || number != std::floor(number)) refuseAt(source, place, "the step is no whole number from 0 on");
    return static_cast<std::int64_t>(number);
}

int RunBuilder::columnOf(std::string_view name, FilePlace place) {
    if (const auto found = m_names.find(name); found != m_names.end()) return found->second;
    if (name.size() > kMaxNameLength) refuseAt(m_source, place, "a name of " + std::to_string(name.size()) + " bytes");
    if (m_names.size() >= kMaxNames) refuseAt(m_source, place, "more than " + std::to_string(kMaxNames) + " different names");
    int column = -1;
    if (const std::optional<NamedMetric> named = metricFromName(name)) {
        column = static_cast<int>(m_columns.size());
        m_columns.push_back({{named->metric, std::string(name), {}, {}}, named->rank, m_names.size()});
    } else if (m_others < kMaxOtherSeries && !datesRows(name)) {
        column = static_cast<int>(m_columns.size());
        m_columns.push_back({{Metric::Other, std::string(name), {}, {}}, static_cast<int>(m_others++), m_names.size()});
    } else {
        m_unknown.emplace_back(m_names.size(), name);
    }
    m_names.emplace(name, column);
    return column;
}

void RunBuilder::add(int column, std::int64_t step, double value, FilePlace place) {
    ImportedSeries& series = m_columns[static_cast<std::size_t>(column)].series;
    while (!series.steps.empty() && series.steps.back() >= step) {
        if (m_stepBack == StepBack::IsRefused && series.metric != Metric::Other) {
            refuseAt(m_source, place,
                     "step " + std::to_string(step) + " after step " + std::to_string(series.steps.back()) + ": steps must ascend");
        }
        series.steps.pop_back();
        series.values.pop_back();
    }
    if (series.steps.size() >= kMaxImportedSteps) {
        refuseAt(m_source, place, "more than " + std::to_string(kMaxImportedSteps) + " steps, the most that is read");
    }
    series.steps.push_back(step);
    series.values.push_back(value);
}

void RunBuilder::add(int column, std::int64_t step, std::string_view cell, FilePlace place) {
    Column& to = m_columns[static_cast<std::size_t>(column)];
    if (to.isLeftOut) return;
    if (isMetric(column)) return add(column, step, readNumber(cell, m_source, place, to.series.source), place);
    try {
        add(column, step, readNumber(cell, m_source, place, to.series.source), place);
    } catch (const InputError&) {
        to.isLeftOut = true;
        to.series.steps.clear();
        to.series.values.clear();
    }
}

void RunBuilder::addRemark(const std::string& remark) {
    m_remarks += (m_remarks.empty() ? "" : "; ") + remark;
}

/// What only the file knows is plotted where it has a curve of its own: numbers alone, at more than one step if the run has more.
bool RunBuilder::isPlotted(const Column& column) const {
    const auto isLong = [](const Column& each) { return each.series.metric != Metric::Other && each.series.steps.size() > 1; };
    if (column.isLeftOut || column.series.steps.empty()) return false;
    return column.series.steps.size() > 1 || std::none_of(m_columns.begin(), m_columns.end(), isLong);
}

ImportedRun RunBuilder::finish(std::string_view name) {
    const auto isOurs = [](const Column& column) { return column.series.metric != Metric::Other; };
    // Without any of ours it may be no record of a training at all.
    const bool hasOurs = std::any_of(m_columns.begin(), m_columns.end(),
                                     [&](const Column& column) { return isOurs(column) && !column.series.steps.empty(); });
    std::vector<bool> isKept;
    for (const Column& column : m_columns) {
        isKept.push_back(isOurs(column) ? !column.series.steps.empty() : hasOurs && isPlotted(column));
        if (!isKept.back() && !isOurs(column)) m_unknown.emplace_back(column.order, column.series.source);
    }
    std::size_t place = 0;
    std::erase_if(m_columns, [&](const Column&) { return !isKept[place++]; });
    std::stable_sort(m_columns.begin(), m_columns.end(), [](const Column& a, const Column& b) {
        return a.series.metric != b.series.metric ? a.series.metric < b.series.metric : a.rank < b.rank;
    });
    ImportedRun run{fitName(name), {}, ""};
    PlotNames plotNames;
    for (Column& column : m_columns) {
        if (isOurs(column) && !run.series.empty() && run.series.back().metric == column.series.metric) {
            m_unknown.emplace_back(column.order, column.series.source + " (" + run.series.back().source + " is shown)");
        } else {
            run.series.push_back(std::move(column.series));
            if (run.series.back().metric == Metric::Other) run.series.back().source = plotNames.take(run.series.back().source);
        }
    }
    std::sort(m_unknown.begin(), m_unknown.end());
    std::vector<std::string> names;
    for (auto& [order, unknown] : m_unknown) names.push_back(std::move(unknown));
    if (!names.empty()) addRemark("not shown: " + listed(names));
    run.remark = plainText(m_remarks);
    return run;
}

}  // namespace mantissa
