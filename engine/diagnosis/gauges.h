// SPDX-License-Identifier: Apache-2.0
// Gauges of failures without a NaN: each has a value and a line for the run's health. Pure values and functions; any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/diagnosis/health.h"
#include "engine/diagnosis/tensor_stats.h"
#include "engine/precision/policy.h"
#include "engine/telemetry/text.h"

namespace mantissa {

enum class GaugeKind : std::uint8_t {
    LostUpdates,         // value: largest share of nonzero updates lost in a layer
    UnchangedWeights,    // value: share of the updated tensors in which no weight changed
    FlushedEpsilon,      // value: Adam's epsilon, which is too small for the storage format of the moments
    BrokenStatistics,    // value: number of batch norms' running statistics with a non-finite element
    ScheduleAhead,       // value: steps by which the learning rate's schedule is ahead of the optimizer
    ClippedWhileScaled,  // value: the effective clip bound of unscaled gradients
    Tf32ForIeee,         // value: number of operations that compute in tf32 although fp32 was requested
    BrokenWeights,       // value: number of weight tensors with a non-finite element
    LostDecay,           // value: Adam's beta2
};
/// The gauge's name in `--json`: "swallowed updates".
std::string_view gaugeName(GaugeKind kind);
/// The gauge's name in texts and in the window: "lost updates".
std::string_view gaugeTitle(GaugeKind kind);

struct Gauge {
    GaugeKind kind = GaugeKind::LostUpdates;
    Severity severity = Severity::Good;
    double value = 0;
    Text sentence;
};

/// The input of the gauges. With default values every gauge is Good or absent.
struct GaugeInput {
    const StepStats* stats = nullptr;   // null: updates, weights and statistics are not judged
    std::optional<double> adamEpsilon;  // of an optimizer with second moments
    double beta2 = 0;                   // of that optimizer
    Dtype moments = Dtype::F32;         // storage dtype of its moments
    WeightUpdate weightUpdate{};        // rounding of updates to 16-bit weights
    std::int64_t scheduleSteps = 0;     // steps that the schedule has advanced
    std::int64_t optimizerSteps = 0;    // without skipped ones
    bool hasSchedule = false;
    std::optional<double> clipGradNorm;
    bool clipsScaled = false;  // clips before unscaling
    double lossScale = 1;
    bool asksForFp32 = false;             // requests IEEE fp32, not tf32
    std::vector<std::string> tf32Layers;  // operations of the plan that compute in tf32, by layer
};

/// The share of lost updates from which a layer does not learn. Healthy runs with 16-bit weights lose up to four fifths of a layer's
/// updates.
inline constexpr double kLostUpdates = 0.85;

/// Lost updates of one layer, summed over its tensors.
struct LostUpdateShare {
    std::string layer;
    std::int64_t meant = 0, lost = 0;
    double share() const { return meant == 0 ? 0 : static_cast<double>(lost) / static_cast<double>(meant); }
};
std::vector<LostUpdateShare> lostUpdateShares(const StepStats& stats);

/// Returns the gauge of non-finite weights. `broken`: names of the weight tensors with a non-finite element; `isPartial`: one block in
/// eight was measured.
Gauge weightsGauge(const std::vector<std::string>& broken, bool isPartial = false);

/// The smallest usable epsilon of Adam for moments stored in this format: a twentieth of the square root of the largest number that is
/// flushed to 0. If the second moment is flushed and the gradient is 0, the first moment is divided by epsilon alone; with this epsilon a
/// weight then moves at most 600 learning rates (beta2 = 0.999), and small networks have been observed to train.
double leastEpsilon(Dtype moments);

/// The bound below which subnormal second moments round back to themselves: half the smallest subnormal number over 1 - beta2.
double standingBelow(Dtype moments, double beta2);

/// Returns the gauges that apply to the run, in the order of GaugeKind, including Good ones.
std::vector<Gauge> gaugesOf(const GaugeInput& input);

/// The most important silent failure of a finite step or run, for the window's health lines and cards, `train` and `diagnose`.
struct SilentMatter {
    Text title;                // "Finite, but updates are lost"
    Text sentence;             // "In layers.2, 75 % of the updates are smaller than ..."
    std::int64_t step = -1;    // the examined step; -1: it is not about one step
    bool isOfUpdates = false;  // updates too small to change a weight, which is normal once the loss is far down
    Text headline() const { return {"%1."_text, title}; }
};
/// Returns the Bad gauge that causes the others; without one, a failure if the latest validation is not finite; else nothing.
std::optional<SilentMatter> silentMatter(const std::vector<Gauge>& gauges, bool isValidationFinite = true);

}  // namespace mantissa
