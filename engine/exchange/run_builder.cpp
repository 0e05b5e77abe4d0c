// SPDX-License-Identifier: Apache-2.0
#include "engine/exchange/run_builder.h"

#include <algorithm>
#include <bit>
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

/// Replaces control characters, so that a file's names and cells fit on one line.
std::string plainText(std::string text) {
    for (char& c : text) c = static_cast<unsigned char>(c) < 0x20 || c == 0x7f ? '_' : c;
    return text;
}

/// Cuts a name to the maximum length, but never within a UTF-8 character.
std::string fitName(std::string_view name, std::size_t most = kMaxNameBytes) {
    std::size_t length = std::min(name.size(), most);
    while (length > 0 && length < name.size() && (name[length] & 0xc0) == 0x80) --length;
    return length == 0 ? "run" : plainText(std::string(name.substr(0, length)));
}

/// Plot titles for a file's own metrics: fitted, unique, and different from the names of tensor shares.
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

std::string fitRunName(std::string_view name) {
    return fitName(name);
}

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
    constexpr double kMost = 9007199254740992;  // 2^53: up to here a double represents every whole number
    if (!(number >= 0 && number <= kMost) || number != std::floor(number)) refuseAt(source, place, "the step is no whole number from 0 on");
    return static_cast<std::int64_t>(number);
}

int RunBuilder::columnOf(std::string_view name, FilePlace place, NameKind kind) {
    if (const auto found = m_names.find(name); found != m_names.end()) return found->second;
    if (name.size() > kMaxNameLength) refuseAt(m_source, place, "a name of " + std::to_string(name.size()) + " bytes");
    const bool isOfHistogram = kind == NameKind::OfHistogram;
    if (isOfHistogram && m_names.size() >= kMaxNames / 2) return -1;
    if (m_names.size() >= kMaxNames) refuseAt(m_source, place, "more than " + std::to_string(kMaxNames) + " different names");
    int column = -1;
    if (const std::optional<NamedMetric> named = metricFromName(name)) {
        column = static_cast<int>(m_columns.size());
        m_columns.push_back({{named->metric, std::string(name), {}, {}}, named->rank, m_names.size()});
    } else if (m_others < kMaxOtherSeries && !datesRows(name) && (!isOfHistogram || m_ofHistograms < kMaxOtherSeries / 2)) {
        m_ofHistograms += isOfHistogram ? 1 : 0;
        column = static_cast<int>(m_columns.size());
        m_columns.push_back({{Metric::Other, std::string(name), {}, {}}, static_cast<int>(m_others++), m_names.size()});
    } else {
        m_unknown.emplace_back(m_names.size(), name);
    }
    m_names.emplace(name, column);
    return column;
}

void RunBuilder::add(int column, std::int64_t step, double value, FilePlace place) {
    Column& to = m_columns[static_cast<std::size_t>(column)];
    ImportedSeries& series = to.series;
    while (!series.steps.empty() && series.steps.back() >= step) {
        if (m_stepBack == StepBack::IsRefused && series.metric != Metric::Other) {
            refuseAt(m_source, place,
                     "step " + std::to_string(step) + " after step " + std::to_string(series.steps.back()) + ": steps must ascend");
        }
        if (const std::size_t left = series.steps.size() - 1; left < to.reported) {
            to.reported = left;
            goBackTo(series.steps.back());
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

/// Whether a metric that is not ours is plotted: it has more than one step, or none of our metrics has.
bool RunBuilder::isPlotted(const Column& column) const {
    const auto isLong = [](const Column& each) { return each.series.metric != Metric::Other && each.series.steps.size() > 1; };
    if (column.isLeftOut || column.series.steps.empty()) return false;
    return column.series.steps.size() > 1 || std::none_of(m_columns.begin(), m_columns.end(), isLong);
}

RunBuilder::Shown RunBuilder::shown() const {
    const auto isOurs = [](const Column& column) { return column.series.metric != Metric::Other; };
    // Without any of our metrics it may be no record of a training.
    const bool hasOurs = m_isTraining || std::any_of(m_columns.begin(), m_columns.end(),
                                                     [&](const Column& column) { return isOurs(column) && !column.series.steps.empty(); });
    std::vector<std::pair<std::size_t, std::string>> unknown = m_unknown;
    std::vector<const Column*> kept;
    for (const Column& column : m_columns) {
        const bool isKept = isOurs(column) ? !column.series.steps.empty() : hasOurs && isPlotted(column);
        if (isKept) kept.push_back(&column);
        if (!isKept && !isOurs(column)) unknown.emplace_back(column.order, column.series.source);
    }
    std::stable_sort(kept.begin(), kept.end(), [](const Column* a, const Column* b) {
        return a->series.metric != b->series.metric ? a->series.metric < b->series.metric : a->rank < b->rank;
    });
    Shown shown;
    PlotNames plotNames;
    const Column* last = nullptr;
    for (const Column* column : kept) {
        if (isOurs(*column) && last != nullptr && last->series.metric == column->series.metric) {
            unknown.emplace_back(column->order, column->series.source + " (" + last->series.source + " is shown)");
            continue;
        }
        last = column;
        shown.places.push_back({static_cast<std::size_t>(column - m_columns.data()),
                                isOurs(*column) ? column->series.source : plotNames.take(column->series.source)});
    }
    std::sort(unknown.begin(), unknown.end());
    std::vector<std::string> names;
    for (auto& [order, name] : unknown) names.push_back(std::move(name));
    shown.remark = m_remarks;
    if (!names.empty()) shown.remark += (m_remarks.empty() ? "" : "; ") + ("not shown: " + listed(names));
    shown.remark = plainText(shown.remark);
    return shown;
}

ImportedRun RunBuilder::finish(std::string_view name) {
    Shown shown = this->shown();
    ImportedRun run{fitName(name), {}, std::move(shown.remark)};
    for (Shown::Place& place : shown.places) {
        run.series.push_back(std::move(m_columns[place.column].series));
        run.series.back().source = std::move(place.title);
    }
    return run;
}

std::int64_t RunBuilder::lastStep() const {
    std::int64_t last = -1;
    for (const Shown::Place& place : shown().places) last = std::max(last, m_columns[place.column].series.steps.back());
    return last;
}

void RunBuilder::goBackTo(std::int64_t step) {
    m_backTo = m_backTo < 0 ? step : std::min(m_backTo, step);
}

RunChange RunBuilder::takeChange() {
    Shown shown = this->shown();
    // If a metric has a better name or another title, everything is reported again.
    std::vector<bool> isAsReported(m_columns.size(), false);
    for (const Shown::Place& place : shown.places) isAsReported[place.column] = m_columns[place.column].title == place.title;
    bool hasReported = m_isReplaced;
    for (std::size_t i = 0; i < m_columns.size(); ++i) {
        hasReported = hasReported || m_columns[i].reported > 0;
        m_isReplaced = m_isReplaced || (m_columns[i].reported > 0 && !isAsReported[i]);
    }
    if (m_isReplaced) m_backTo = 0;
    RunChange change{m_isReplaced && !hasReported ? -1 : m_backTo, {}, std::move(shown.remark)};
    for (Column& column : m_columns) {
        const auto first = std::lower_bound(column.series.steps.begin(), column.series.steps.end(), m_backTo);
        if (m_backTo >= 0) column.reported = std::min(column.reported, static_cast<std::size_t>(first - column.series.steps.begin()));
    }
    m_isReplaced = false;
    m_backTo = -1;
    for (Shown::Place& place : shown.places) {
        Column& column = m_columns[place.column];
        const auto from = static_cast<std::ptrdiff_t>(column.reported);
        column.reported = column.series.steps.size();
        column.title = place.title;
        if (static_cast<std::size_t>(from) == column.reported) continue;
        change.series.push_back({column.series.metric,
                                 std::move(place.title),
                                 {column.series.steps.begin() + from, column.series.steps.end()},
                                 {column.series.values.begin() + from, column.series.values.end()}});
    }
    return change;
}

void RunBuilder::goOnFrom(const RunBuilder& before) {
    if (before.m_isReplaced) m_isReplaced = true;
    if (before.m_backTo >= 0) goBackTo(before.m_backTo);
    for (const Column& old : before.m_columns) {
        if (old.reported == 0) continue;
        const auto name = m_names.find(old.series.source);
        if (name == m_names.end() || name->second < 0) {
            m_isReplaced = true;
            continue;
        }
        Column& now = m_columns[static_cast<std::size_t>(name->second)];
        const std::size_t most = std::min(old.reported, now.series.steps.size());
        now.reported = 0;
        now.title = old.title;
        while (now.reported < most && now.series.steps[now.reported] == old.series.steps[now.reported] &&
               std::bit_cast<std::uint64_t>(now.series.values[now.reported]) ==
                   std::bit_cast<std::uint64_t>(old.series.values[now.reported]))
            ++now.reported;
        if (now.reported < old.reported) goBackTo(old.series.steps[now.reported]);
    }
}

}  // namespace mantissa
