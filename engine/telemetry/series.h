// SPDX-License-Identifier: Apache-2.0
// A growing series of values at ascending steps, with a min/max pyramid for plots at any zoom that keep every spike. A non-finite value
// keeps its class and is not only a gap. Steps without a value are no gap either: lines cross them. One thread at a time; any number of
// threads may read while it does not change.
#pragma once

#include <cmath>
#include <cstddef>
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
    /// Appends a value at step end().
    void append(double value) { appendAt(end(), value); }
    /// Appends a value at `step`, which must be end() or later.
    void appendAt(std::int64_t step, double value);
    /// Removes all values; the next value is that of `firstStep`.
    void clear(std::int64_t firstStep = 0);
    /// Removes the steps from `end` on.
    void truncate(std::int64_t end);

    /// Keeps the selected values, by their index, and removes the others; their steps then have no value.
    void keep(const std::vector<bool>& kept);

    std::int64_t firstStep() const { return m_steps.empty() ? m_firstStep : m_steps.front(); }
    /// The step after the last value.
    std::int64_t end() const { return m_values.empty() ? m_firstStep : stepAt(m_values.size() - 1) + 1; }
    bool isEmpty() const { return m_values.empty(); }
    /// Reserves space for `count` values, so that a long series is not copied as it grows. Memory is used only as it fills.
    void reserve(std::size_t count);

    double value(std::int64_t step) const;           // NaN unless finite
    ValueClass valueClass(std::int64_t step) const;  // Absent without a value
    double exact(std::int64_t step) const;           // including infinities; NaN without a value
    /// The last step up to `step` with a value; -1: none.
    std::int64_t latestStep(std::int64_t step) const;

    // Values by their index, 0 to count() - 1, for iteration.
    std::size_t count() const { return m_values.size(); }
    std::int64_t stepAt(std::size_t index) const {
        return m_steps.empty() ? m_firstStep + static_cast<std::int64_t>(index) : m_steps[index];
    }
    /// NaN unless finite.
    double valueAt(std::size_t index) const { return std::isfinite(m_values[index]) ? m_values[index] : std::nan(""); }
    ValueClass classAt(std::size_t index) const { return classOf(m_values[index]); }
    double exactAt(std::size_t index) const { return m_values[index]; }  // including infinities
    /// The number of values before `step`.
    std::size_t countBefore(std::int64_t step) const;

    struct Extremes {
        double min, max;  // over finite values; min > max if there is none
        bool isEmpty() const { return !(min <= max); }
    };
    /// Extremes over steps [first, last). O(log n).
    Extremes extremes(std::int64_t first, std::int64_t last) const;

    /// The values of one pixel column.
    struct Column {
        std::int64_t number = -1;  // its first step divided by its width
        double first, last;        // values; NaN unless finite
        Extremes extremes;
    };
    /// A cache of a line's latest columns. A scrolling view or a growing series shows most of them again.
    class ColumnMemory {
        friend class Series;
        std::vector<Column> m_columns;  // at their number modulo the size, a power of two
        std::int64_t m_width = 0;
        std::uint64_t m_generation = 0;
    };

    /// Points for drawing steps [first, last) into `columns` pixel columns, which may be fractional: first, min, max and last of each
    /// column, in step order, NaN for a gap. All points if they are few. Contains every extreme of a full scan.
    /// `memory`: of this series, not of a copy; for one thread at a time.
    std::vector<SeriesPoint> visible(std::int64_t first, std::int64_t last, double columns, ColumnMemory* memory = nullptr) const;

private:
    static std::uint64_t newGeneration();
    static constexpr std::size_t kFanOut = 16;
    std::vector<double> m_values;
    std::int64_t m_firstStep = 0;
    std::vector<std::int64_t> m_steps;             // of each value; empty while they are consecutive
    std::vector<std::vector<Extremes>> m_levels;   // complete nodes only; level 0: kFanOut values each, above: kFanOut nodes
    std::uint64_t m_generation = newGeneration();  // unique, except for copies; changes when values are removed

    void closeNodes();
    Extremes extremesOf(std::size_t begin, std::size_t end) const;
    Column columnOf(std::int64_t number, std::size_t begin, std::size_t end) const;
};

}  // namespace mantissa
