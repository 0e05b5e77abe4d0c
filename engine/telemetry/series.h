// SPDX-License-Identifier: Apache-2.0
// A growing series of values at consecutive steps, with a min/max pyramid: what a plot can show at any zoom, spikes included.
// Non-finite values are kept apart: value and class, never a gap alone. One thread at a time.
#pragma once

#include <cstdint>
#include <vector>

namespace mantissa {

enum class ValueClass : std::uint8_t { Finite, PositiveInf, NegativeInf, NaN, Absent };
ValueClass classOf(double value);

struct SeriesPoint {
    double x;
    double y;
};

class Series {
public:
    void append(double value, ValueClass cls);  // at step size()
    void append(double value) { append(value, classOf(value)); }
    void clear();
    std::int64_t size() const { return static_cast<std::int64_t>(m_values.size()); }
    double value(std::int64_t step) const { return m_values[static_cast<std::size_t>(step)]; }  // NaN unless finite
    ValueClass valueClass(std::int64_t step) const { return m_classes[static_cast<std::size_t>(step)]; }

    struct Extremes {
        double min, max;  // over finite values; min > max when there is none
        bool isEmpty() const { return !(min <= max); }
    };
    /// Over steps [first, last). O(log n).
    Extremes extremes(std::int64_t first, std::int64_t last) const;

    /// Points for drawing steps [first, last) into `columns` pixel columns: first, min, max and last of each column, in step order, NaN
    /// where a gap must be drawn. All points when they are few. Every extreme of a full scan is among them.
    std::vector<SeriesPoint> visible(std::int64_t first, std::int64_t last, int columns) const;

private:
    static constexpr int kFanOut = 16;
    std::vector<double> m_values;
    std::vector<ValueClass> m_classes;
    std::vector<std::vector<Extremes>> m_levels;  // level 0: kFanOut values a node
};

}  // namespace mantissa
