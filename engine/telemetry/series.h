// SPDX-License-Identifier: Apache-2.0
// A growing series of values at ascending steps, with a min/max pyramid: what a plot can show at any zoom, spikes included.
// Non-finite values are kept apart: value and class, never a gap alone. Steps that were never given a value are no gap either: lines run
// across them. One thread at a time; while it does not change, any number may read.
#pragma once

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
    /// At step end().
    void append(double value, ValueClass cls);
    void append(double value) { append(value, classOf(value)); }
    /// At `step`, which is end() or later.
    void appendAt(std::int64_t step, double value);
    /// Forgets everything; the next value is that of `firstStep`.
    void clear(std::int64_t firstStep = 0);
    /// Forgets the steps from `end` on.
    void truncate(std::int64_t end);

    /// Keeps those values, by their number, and forgets the others; their steps then count as never given.
    void keep(const std::vector<bool>& kept);

    std::int64_t firstStep() const { return m_steps.empty() ? m_firstStep : m_steps.front(); }
    /// The step after the last value.
    std::int64_t end() const { return m_values.empty() ? m_firstStep : stepAt(m_values.size() - 1) + 1; }
    bool isEmpty() const { return m_values.empty(); }
    /// Room for so many values, so that a long series is not copied as it grows. Memory is used as it fills.
    void reserve(std::size_t count);

    double value(std::int64_t step) const;           // NaN unless finite
    ValueClass valueClass(std::int64_t step) const;  // Absent where there is none
    double exact(std::int64_t step) const;           // with its infinities; NaN where there is none
    /// The last step up to `step` that has a value; -1: none has.
    std::int64_t latestStep(std::int64_t step) const;

    // Values by their number, 0 to count() - 1, for those who look at all of them.
    std::size_t count() const { return m_values.size(); }
    std::int64_t stepAt(std::size_t index) const {
        return m_steps.empty() ? m_firstStep + static_cast<std::int64_t>(index) : m_steps[index];
    }
    double valueAt(std::size_t index) const { return m_values[index]; }
    ValueClass classAt(std::size_t index) const { return m_classes[index]; }
    double exactAt(std::size_t index) const;  // with its infinities
    /// The number of values before `step`.
    std::size_t countBefore(std::int64_t step) const;

    struct Extremes {
        double min, max;  // over finite values; min > max when there is none
        bool isEmpty() const { return !(min <= max); }
    };
    /// Over steps [first, last). O(log n).
    Extremes extremes(std::int64_t first, std::int64_t last) const;

    /// What a column of pixels shows of its steps.
    struct Column {
        std::int64_t number = -1;  // its first step divided by its width
        double first, last;        // of its values; NaN unless finite
        Extremes extremes;
    };
    /// The columns that one line showed last. A view that scrolls, or a series that grows, shows most of them again.
    class ColumnMemory {
        friend class Series;
        std::vector<Column> m_columns;  // at their number, modulo the size, a power of two
        std::int64_t m_width = 0;
        std::uint64_t m_generation = 0;
    };

    /// Points for drawing steps [first, last) into `columns` pixel columns, which need not be a whole number: first, min, max and last of
    /// each column, in step order, NaN where a gap must be drawn. All points when they are few. Every extreme of a full scan is among them.
    /// `memory`: of this series, not of a copy; for one thread at a time.
    std::vector<SeriesPoint> visible(std::int64_t first, std::int64_t last, double columns, ColumnMemory* memory = nullptr) const;

private:
    static std::uint64_t newGeneration();
    static constexpr std::size_t kFanOut = 16;
    std::vector<double> m_values;
    std::vector<ValueClass> m_classes;
    std::int64_t m_firstStep = 0;
    std::vector<std::int64_t> m_steps;             // of each value; empty while they follow each other
    std::vector<std::vector<Extremes>> m_levels;   // whole nodes only; level 0: kFanOut values each, above: kFanOut nodes
    std::uint64_t m_generation = newGeneration();  // unique, but for copies; another one whenever values are forgotten

    void push(double value, ValueClass cls);
    void closeNodes();
    Extremes extremesOf(std::size_t begin, std::size_t end) const;
    Column columnOf(std::int64_t number, std::size_t begin, std::size_t end) const;
};

}  // namespace mantissa
