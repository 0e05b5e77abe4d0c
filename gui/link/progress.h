// SPDX-License-Identifier: GPL-3.0-or-later
// What a run has used up by the end of each step: samples, epochs, seconds. Ascending in the steps, so that each of them can stand on an
// x axis. Any thread may read while the GUI thread does not change it.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/telemetry/record.h"

namespace mantissa::gui {

/// What an x axis counts.
enum class XQuantity : std::uint8_t {
    Step,
    Samples,
    Epoch,
    WallTime,     // the column wall_s: seconds since training began, whichever run had its turn; pauses left out
    TrainingTime  // the sum of the column step_ms: the run's own steps
};
inline constexpr XQuantity kXQuantities[] = {XQuantity::Step, XQuantity::Samples, XQuantity::Epoch, XQuantity::WallTime,
                                             XQuantity::TrainingTime};

class Progress {
public:
    /// Forgets everything. The next step is `firstStep`, and goes on from what `parent` had used up before it; null: from nothing.
    void begin(std::int64_t firstStep, const Progress* parent);
    void append(const StepRecord& record);
    void reserve(std::size_t steps);
    /// Forgets the steps from `end` on.
    void truncate(std::int64_t end);
    /// Keeps the times of those steps, by their number among those that are kept so far; between two of them they grow evenly.
    void keep(const std::vector<bool>& kept);
    bool isEmpty() const { return m_count == 0; }
    /// Of what grows with each step.
    std::size_t memoryBytes() const {
        return (m_wall.size() + m_training.size()) * sizeof(double) + m_indices.size() * sizeof(std::int64_t);
    }

    /// Whether steps can be told apart by it: imported runs know steps only.
    bool has(XQuantity quantity) const;
    /// Used up by the end of `step`, which may lie between two steps; beyond the last one as much a step as on average.
    double at(XQuantity quantity, double step) const;
    /// The step by whose end so much was used up: the inverse of `at`.
    double stepAt(XQuantity quantity, double value) const;

private:
    /// Grows by the same amount each step until that amount changes: a few numbers, however many steps.
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
    double average(XQuantity quantity) const;                      // a step

    std::int64_t m_firstStep = 0;
    bool m_knowsBefore = true;
    Used m_before;  // the first step
    Ramp m_samples, m_epochs;
    std::vector<double> m_wall, m_training;
    std::vector<std::int64_t> m_indices;  // of each of these two, steps after the first; empty while each step has its own
    std::int64_t m_count = 0;             // of steps

    double timeAt(const std::vector<double>& times, std::int64_t index) const;
};

}  // namespace mantissa::gui
