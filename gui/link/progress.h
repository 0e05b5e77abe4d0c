// SPDX-License-Identifier: GPL-3.0-or-later
// The samples, epochs and seconds that a run has used up to the end of each step. They ascend with the steps, so each can be an x axis. Any
// thread may read while the GUI thread does not change it.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/telemetry/record.h"

namespace mantissa::gui {

/// The quantity of an x axis.
enum class XQuantity : std::uint8_t {
    Step,
    Samples,
    Epoch,
    WallTime,     // the column wall_s: seconds since training began, for all runs together; without pauses
    TrainingTime  // the sum of the column step_ms: the run's own steps
};
inline constexpr XQuantity kXQuantities[] = {XQuantity::Step, XQuantity::Samples, XQuantity::Epoch, XQuantity::WallTime,
                                             XQuantity::TrainingTime};

class Progress {
public:
    /// Clears everything. The next step is `firstStep`, and totals continue from those of `parent` before it; null: from zero.
    void begin(std::int64_t firstStep, const Progress* parent);
    void append(const StepRecord& record);
    void reserve(std::size_t steps);
    /// Removes the steps from `end` on.
    void truncate(std::int64_t end);
    /// Keeps only the times of the flagged steps, by index among those kept so far; between two of them times are interpolated linearly.
    void keep(const std::vector<bool>& kept);
    bool isEmpty() const { return m_count == 0; }
    /// Returns the memory in bytes of the data that grows with each step.
    std::size_t memoryBytes() const {
        return (m_wall.size() + m_training.size()) * sizeof(double) + m_indices.size() * sizeof(std::int64_t);
    }

    /// Returns whether the quantity distinguishes steps; imported runs have steps only.
    bool has(XQuantity quantity) const { return quantity == XQuantity::Step || average(quantity) > 0; }
    /// Returns the total at the end of `step`, which may be fractional; beyond the last step it is extrapolated by the average per step.
    double at(XQuantity quantity, double step) const;
    /// Returns the step with that total: the inverse of `at`.
    double stepAt(XQuantity quantity, double value) const;

private:
    /// A piecewise linear sequence, which stores only the steps where the increment changes.
    class Ramp {
    public:
        void clear() { m_pieces.clear(); }
        void append(std::int64_t index, double value, double before);
        void truncate(std::int64_t count);
        double at(std::int64_t index) const;

    private:
        struct Piece {
            std::int64_t first;  // index
            double value, aStep;
        };
        std::vector<Piece> m_pieces;
    };

    struct Used {
        double samples = 0, epochs = 0, wall = 0, training = 0;
    };
    double valueAt(XQuantity quantity, std::int64_t index) const;  // -1: before the first step
    double average(XQuantity quantity) const;                      // per step

    std::int64_t m_firstStep = 0;
    bool m_knowsBefore = true;
    Used m_before;  // totals before the first step
    Ramp m_samples, m_epochs;
    std::vector<double> m_wall, m_training;
    std::vector<std::int64_t> m_indices;  // of each of these two, steps after the first; empty while there is a value for each step
    std::int64_t m_count = 0;             // of steps

    double timeAt(const std::vector<double>& times, std::int64_t index) const;
};

}  // namespace mantissa::gui
