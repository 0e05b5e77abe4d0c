// SPDX-License-Identifier: Apache-2.0
#include "engine/telemetry/series.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cmath>
#include <limits>

namespace mantissa {
namespace {

constexpr double kNotFinite = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr Series::Extremes kNothing{kInf, -kInf};

void widen(Series::Extremes& extremes, const Series::Extremes& other) {
    extremes.min = std::min(extremes.min, other.min);
    extremes.max = std::max(extremes.max, other.max);
}

/// Four independent chains, so that comparisons do not wait for each other.
Series::Extremes extremesOver(const Series::Extremes* nodes, std::size_t count) {
    Series::Extremes parts[4] = {kNothing, kNothing, kNothing, kNothing};
    std::size_t i = 0;
    for (; i + 4 <= count; i += 4)
        for (std::size_t part = 0; part < 4; ++part) widen(parts[part], nodes[i + part]);
    for (; i < count; ++i) widen(parts[0], nodes[i]);
    for (std::size_t part = 1; part < 4; ++part) widen(parts[0], parts[part]);
    return parts[0];
}

/// A column's width, rounded up to nodes of the pyramid of at most a quarter of it: a column then needs few nodes.
std::int64_t wholeNodes(std::int64_t width, std::int64_t fanOut) {
    constexpr std::int64_t kFewest = 4;
    std::int64_t node = 1;
    while (width > kFewest * fanOut * node) node *= fanOut;
    return (width + node - 1) / node * node;
}

}  // namespace

ValueClass classOf(double value) {
    if (std::isfinite(value)) return ValueClass::Finite;
    if (std::isnan(value)) return ValueClass::NaN;
    return value > 0 ? ValueClass::PositiveInf : ValueClass::NegativeInf;
}

std::uint64_t Series::newGeneration() {
    static std::atomic<std::uint64_t> last = 0;
    return ++last;
}

void Series::appendAt(std::int64_t step, double value) {
    if (m_values.empty()) m_firstStep = step;
    if (step != end() && m_steps.empty())  // the first gap: from here on each value has an explicit step
        for (std::size_t i = 0; i < m_values.size(); ++i) m_steps.push_back(m_firstStep + static_cast<std::int64_t>(i));
    if (!m_steps.empty()) m_steps.push_back(step);
    m_values.push_back(value);
    if (m_values.size() % kFanOut == 0) closeNodes();
}

void Series::reserve(std::size_t count) {
    m_values.reserve(count);
    if (!m_steps.empty()) m_steps.reserve(count);
    if (m_levels.empty()) m_levels.emplace_back();
    m_levels.front().reserve(count / kFanOut);
}

void Series::closeNodes() {
    // complete nodes only: later values are read one by one
    std::size_t count = m_values.size() / kFanOut;
    for (std::size_t level = 0; count > 0; ++level) {
        if (level == m_levels.size()) m_levels.emplace_back();
        Extremes node = kNothing;
        for (std::size_t i = (count - 1) * kFanOut; i < count * kFanOut; ++i) {
            if (level > 0)
                widen(node, m_levels[level - 1][i]);
            else if (std::isfinite(m_values[i]))
                widen(node, {m_values[i], m_values[i]});
        }
        m_levels[level].push_back(node);
        if (count % kFanOut != 0) break;
        count /= kFanOut;
    }
}

void Series::clear(std::int64_t firstStep) {
    m_values.clear();
    m_steps.clear();
    m_levels.clear();
    m_firstStep = firstStep;
    m_generation = newGeneration();
}

void Series::truncate(std::int64_t end) {
    std::size_t count = countBefore(end);
    m_values.resize(count);
    if (!m_steps.empty()) m_steps.resize(count);
    for (std::vector<Extremes>& nodes : m_levels) nodes.resize(count /= kFanOut);
    m_generation = newGeneration();
}

void Series::keep(const std::vector<bool>& kept) {
    Series fewer;
    fewer.m_firstStep = m_firstStep;
    for (std::size_t i = 0; i < m_values.size(); ++i)
        if (kept[i]) fewer.appendAt(stepAt(i), exactAt(i));
    *this = std::move(fewer);
}

std::size_t Series::countBefore(std::int64_t step) const {
    if (!m_steps.empty()) return static_cast<std::size_t>(std::lower_bound(m_steps.begin(), m_steps.end(), step) - m_steps.begin());
    return static_cast<std::size_t>(std::clamp<std::int64_t>(step - m_firstStep, 0, static_cast<std::int64_t>(m_values.size())));
}

double Series::value(std::int64_t step) const {
    const std::size_t index = countBefore(step);
    return index < m_values.size() && stepAt(index) == step ? valueAt(index) : kNotFinite;
}

ValueClass Series::valueClass(std::int64_t step) const {
    const std::size_t index = countBefore(step);
    return index < m_values.size() && stepAt(index) == step ? classAt(index) : ValueClass::Absent;
}

double Series::exact(std::int64_t step) const {
    const std::size_t index = countBefore(step);
    return index < m_values.size() && stepAt(index) == step ? exactAt(index) : kNotFinite;
}

std::int64_t Series::latestStep(std::int64_t step) const {
    const std::size_t count = countBefore(step + 1);
    return count == 0 ? -1 : stepAt(count - 1);
}

Series::Extremes Series::extremesOf(std::size_t begin, std::size_t end) const {
    Extremes result = kNothing;
    const auto takeValue = [&](std::size_t i) {
        if (std::isfinite(m_values[i])) widen(result, {m_values[i], m_values[i]});
    };
    while (begin < end && begin % kFanOut != 0) takeValue(begin++);
    while (begin < end && end % kFanOut != 0) takeValue(--end);
    // [begin, end) consists of whole nodes of level 0 now; each level takes its unaligned ends
    for (std::size_t level = 0; begin < end; ++level) {
        begin /= kFanOut;
        end /= kFanOut;
        const Extremes* const nodes = m_levels[level].data();
        const std::size_t whole = std::min(end, (begin + kFanOut - 1) / kFanOut * kFanOut);
        widen(result, extremesOver(nodes + begin, whole - begin));
        begin = whole;
        const std::size_t rest = begin < end ? end % kFanOut : 0;
        widen(result, extremesOver(nodes + end - rest, rest));
        end -= rest;
    }
    return result;
}

Series::Extremes Series::extremes(std::int64_t first, std::int64_t last) const {
    return extremesOf(countBefore(first), countBefore(last));
}

Series::Column Series::columnOf(std::int64_t number, std::size_t begin, std::size_t end) const {
    return {number, valueAt(begin), valueAt(end - 1), extremesOf(begin, end)};
}

std::vector<SeriesPoint> Series::visible(std::int64_t first, std::int64_t last, double columns, ColumnMemory* memory) const {
    std::vector<SeriesPoint> points;
    const std::size_t firstIndex = countBefore(first), lastIndex = countBefore(last);
    if (firstIndex >= lastIndex) return points;
    const auto at = [&](std::size_t index, double value) { points.push_back({static_cast<double>(stepAt(index)), value}); };
    constexpr double kPointsAColumn = 4;
    if (columns <= 0 || static_cast<double>(lastIndex - firstIndex) <= kPointsAColumn * columns) {
        for (std::size_t index = firstIndex; index < lastIndex; ++index) at(index, valueAt(index));
        return points;
    }
    // columns start at multiples of their width, so that the plot does not flicker while scrolling
    const auto steps = static_cast<double>(stepAt(lastIndex - 1) - stepAt(firstIndex) + 1);
    constexpr double kRounding = 1e-9;
    const std::int64_t width = wholeNodes(static_cast<std::int64_t>(std::ceil(steps / columns * (1 - kRounding))), kFanOut);
    const auto columnCount = static_cast<std::size_t>(columns) + 2;
    points.reserve(static_cast<std::size_t>(kPointsAColumn) * columnCount);
    if (memory && (memory->m_width != width || memory->m_generation != m_generation || memory->m_columns.size() < columnCount)) {
        memory->m_columns.assign(std::bit_ceil(columnCount), {});
        memory->m_width = width;
        memory->m_generation = m_generation;
    }
    for (std::size_t begin = firstIndex; begin < lastIndex;) {
        const std::int64_t number = stepAt(begin) / width, columnEnd = (number + 1) * width;
        const std::size_t end = std::min(lastIndex, countBefore(columnEnd));
        // A column that the view cuts or that still grows is not reused.
        const bool isWhole = columnEnd <= std::min(last, this->end()) && (begin > firstIndex || first <= number * width);
        Column column;
        if (memory && isWhole) {
            Column& kept = memory->m_columns[static_cast<std::size_t>(number) & (memory->m_columns.size() - 1)];
            if (kept.number != number) kept = columnOf(number, begin, end);
            column = kept;
        } else {
            column = columnOf(number, begin, end);
        }
        at(begin, column.first);
        if (!column.extremes.isEmpty() && end - begin > 2) {
            const double middle = static_cast<double>(stepAt(begin) + stepAt(end - 1) + 1) / 2;
            points.push_back({middle, column.extremes.min});
            points.push_back({middle, column.extremes.max});
        }
        if (end - begin > 1) at(end - 1, column.last);
        begin = end;
    }
    return points;
}

}  // namespace mantissa
