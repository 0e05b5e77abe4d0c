// SPDX-License-Identifier: GPL-3.0-or-later
// What was measured of each run's tensors: the latest looks in full, for the microscope and the range of usable scales, and of all of them
// a few shares a layer, for the strip; and a few looks that were asked for. GUI thread only.
#pragma once

#include <QObject>
#include <array>
#include <map>

#include "gui/link/lab.h"

namespace mantissa::gui {

enum class StripGroup { Forward, Gradients, Updates };
inline constexpr std::size_t kStripGroups = 3;
/// Flushed of updates: those that were lost.
enum class StripMeasure { Headroom, Flushed, Subnormal, Overflow, NonFinite };
inline constexpr std::size_t kStripMeasures = 5;

/// A layer's tensors of one group in one step; headroom in powers of two, the others shares from 0 to 1; NaN: nothing was measured.
using StripCell = std::array<float, kStripMeasures>;

struct StripColumn {
    std::int64_t step = 0;
    double lossScale = 1;
    std::array<std::vector<StripCell>, kStripGroups> cells;  // in the order of RunMeasurements::layers
};

struct RunMeasurements {
    std::array<std::vector<std::string>, kStripGroups> layers;  // as the screen has them: the output above
    std::vector<StripColumn> columns;                           // by step
    std::vector<StepStats> looks;                               // the latest, by step
    std::vector<StepStats> asked;                               // those that were asked for, the latest last; no columns
    Dtype format = Dtype::F16;                                  // that shares are counted in
    double cost = 0;                                            // as in TensorsMeasured

    /// The look of that step, or the nearest one's; of -1, the latest. Null: there is none.
    const StepStats* nearest(std::int64_t step) const;
};

/// The format that a run's tensors are judged by: its own, and for a run in fp32 the one that it would be switched to.
Dtype windowFormat(const std::string& policy);

/// A layer's cell; pure.
StripCell stripCell(const StepStats& stats, const std::string& layer, StripGroup group, Dtype format);
bool isOf(StripGroup group, TensorRole role);
/// The same, but for values that a backward pass computes again: they are counted once.
bool isOf(StripGroup group, const TensorStats& tensor);

class Measurements : public QObject {
    Q_OBJECT
public:
    Measurements(const Lab* lab, QObject* parent);
    static constexpr std::size_t kMostLooks = 12, kMostColumns = 600, kMostAsked = 8;
    /// Null: nothing was measured.
    const RunMeasurements* of(RunId run) const;

signals:
    void measured(int run);

private:
    void take(const TensorsMeasured& event);
    void takeAsked(const StepStats& look, RunMeasurements& known);
    const Lab* m_lab;
    std::map<RunId, RunMeasurements> m_runs;
};

}  // namespace mantissa::gui
