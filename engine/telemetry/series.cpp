// SPDX-License-Identifier: Apache-2.0
#include "engine/telemetry/series.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace mantissa {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr Series::Extremes kNothing{std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity()};

void widen(Series::Extremes& extremes, const Series::Extremes& other) {
    extremes.min = std::min(extremes.min, other.min);
    extremes.max = std::max(extremes.max, other.max);
}

}  // namespace

ValueClass classOf(double value) {
    if (std::isnan(value)) return ValueClass::NaN;
    if (std::isinf(value)) return value > 0 ? ValueClass::PositiveInf : ValueClass::NegativeInf;
    return ValueClass::Finite;
}

void Series::append(double value, ValueClass cls) {
    const bool isFinite = cls == ValueClass::Finite;
    std::size_t index = m_values.size();
    m_values.push_back(isFinite ? value : kNan);
    m_classes.push_back(cls);
    const Extremes point = isFinite ? Extremes{value, value} : kNothing;
    // every level's last node covers the new step; a level appears once there are two nodes below it
    for (std::size_t level = 0;; ++level) {
        index /= kFanOut;
        if (level == m_levels.size()) {
            if (index == 0 && level > 0) break;
            m_levels.emplace_back();
            if (level > 0) {  // what was there before this level came
                for (std::size_t i = 0; i < m_levels[level - 1].size(); ++i) {
                    if (i % kFanOut == 0) m_levels[level].push_back(kNothing);
                    widen(m_levels[level].back(), m_levels[level - 1][i]);
                }
            }
        }
        std::vector<Extremes>& nodes = m_levels[level];
        if (index == nodes.size()) nodes.push_back(kNothing);
        widen(nodes.back(), point);
    }
}

void Series::clear() {
    m_values.clear();
    m_classes.clear();
    m_levels.clear();
}

Series::Extremes Series::extremes(std::int64_t first, std::int64_t last) const {
    auto begin = static_cast<std::size_t>(std::max<std::int64_t>(first, 0));
    auto end = static_cast<std::size_t>(std::clamp<std::int64_t>(last, 0, size()));
    Extremes result = kNothing;
    const auto takeValue = [&](std::size_t i) {
        if (m_classes[i] == ValueClass::Finite) widen(result, {m_values[i], m_values[i]});
    };
    while (begin < end && begin % kFanOut != 0) takeValue(begin++);
    while (begin < end && end % kFanOut != 0) takeValue(--end);
    // [begin, end) is whole nodes of level 0 now; climb while ends are ragged
    for (std::size_t level = 0; begin < end; ++level) {
        begin /= kFanOut;
        end /= kFanOut;
        const std::vector<Extremes>& nodes = m_levels[level];
        const bool isTop = level + 1 == m_levels.size();
        while (begin < end && (isTop || begin % kFanOut != 0)) widen(result, nodes[begin++]);
        while (begin < end && end % kFanOut != 0) widen(result, nodes[--end]);
    }
    return result;
}

std::vector<SeriesPoint> Series::visible(std::int64_t first, std::int64_t last, int columns) const {
    first = std::max<std::int64_t>(first, 0);
    last = std::min(last, size());
    std::vector<SeriesPoint> points;
    if (first >= last) return points;
    const std::int64_t count = last - first;
    const auto at = [&](std::int64_t step) { points.push_back({static_cast<double>(step), m_values[static_cast<std::size_t>(step)]}); };
    constexpr std::int64_t kPointsAColumn = 4;
    if (columns <= 0 || count <= kPointsAColumn * columns) {
        for (std::int64_t step = first; step < last; ++step) at(step);
        return points;
    }
    // columns begin at multiples of their width, so that what is drawn does not flicker as the view scrolls
    const std::int64_t width = (count + columns - 1) / columns;
    for (std::int64_t begin = first; begin < last;) {
        const std::int64_t end = std::min(last, (begin / width + 1) * width);
        at(begin);
        const Extremes e = extremes(begin, end);
        if (!e.isEmpty() && end - begin > 2) {
            const double middle = static_cast<double>(begin) + static_cast<double>(end - begin) / 2;
            points.push_back({middle, e.min});
            points.push_back({middle, e.max});
        }
        if (end - begin > 1) at(end - 1);
        begin = end;
    }
    return points;
}

}  // namespace mantissa
