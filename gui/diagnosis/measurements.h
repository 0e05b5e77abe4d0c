// SPDX-License-Identifier: GPL-3.0-or-later
// The tensor statistics of each run: the latest in full, for the microscope and the usable scales; of all samples a few shares per layer,
// for the strip; and those requested for single steps. GUI thread only.
#pragma once

#include <QObject>
#include <array>
#include <map>
#include <span>

#include "gui/link/session_model.h"

namespace mantissa::gui {

enum class StripGroup { Forward, Gradients, Updates };
inline constexpr std::size_t kStripGroups = 3;
/// For updates, Flushed means lost updates.
enum class StripMeasure { Headroom, Flushed, Subnormal, Overflow, NonFinite };
inline constexpr std::size_t kStripMeasures = 5;

/// A layer's tensors of one group in one step: headroom in powers of two, the others shares from 0 to 1; NaN: no statistics.
using StripCell = std::array<float, kStripMeasures>;

struct StripColumn {
    std::int64_t step = 0;
    double lossScale = 1;
    std::array<std::vector<StripCell>, kStripGroups> cells;  // in the order of RunMeasurements::layers
};

struct RunMeasurements {
    std::array<std::vector<std::string>, kStripGroups> layers;  // in display order: the output first
    std::vector<StripColumn> columns;                           // by step
    std::vector<StepStats> samples;                             // the latest, by step
    std::vector<StepStats> earlier;                             // of a watched run, whose steps cannot be measured again; by step
    std::vector<StepStats> asked;                               // requested ones, the latest last; without columns
    Dtype format = Dtype::F16;                                  // the format that shares refer to
    double cost = 0;                                            // as in TensorsMeasured

    /// Returns the tensor statistics of that step, or the nearest ones; -1: the latest. Null: none.
    const StepStats* nearest(std::int64_t step) const;
};

/// Returns the steps of these statistics whose loss was not finite.
std::vector<std::int64_t> failedSteps(const RunState& run, std::span<const StepStats> samples);

/// Returns the format that a run's tensors are judged by: its own, or for fp32 the one that it could switch to.
Dtype windowFormat(const std::string& policy);

/// Computes a layer's cell; pure.
StripCell stripCell(const StepStats& stats, const std::string& layer, StripGroup group, Dtype format);
bool isOf(StripGroup group, TensorRole role);
/// Returns whether a tensor belongs to a group, except values recomputed in the backward pass, which are counted once.
bool isOf(StripGroup group, const TensorStats& tensor);

class Measurements : public QObject {
    Q_OBJECT
public:
    Measurements(const SessionModel* session, QObject* parent);
    static constexpr std::size_t kMostSamples = 12, kMostColumns = 600, kMostAsked = 8, kMostEarlierTensors = 40'000;
    /// Returns a run's tensor statistics; null: none.
    const RunMeasurements* of(RunId run) const;

signals:
    void measured(int run);

private:
    void take(const TensorsMeasured& event);
    const SessionModel* m_session;
    std::map<RunId, RunMeasurements> m_runs;
};

}  // namespace mantissa::gui
