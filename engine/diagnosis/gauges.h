// SPDX-License-Identifier: Apache-2.0
// What goes wrong without a NaN: each as a value and a line of the run's health. Pure values and functions; any thread.
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
    LostUpdates,         // value: share of the updates that were meant, of the worst layer
    StandingWeights,     // share of the tensors with meant updates none of which moved a weight
    FlushedEpsilon,      // Adam's epsilon, for moments in the format that they are stored in
    BrokenStatistics,    // running statistics of batch norms with a number that is not finite
    ScheduleAhead,       // steps that the learning rate's schedule is ahead of the optimizer
    ClippedWhileScaled,  // the bound that gradients without their scale meet
    Tf32ForIeee,         // operations that compute in tf32 though fp32 was asked for
    BrokenWeights,       // tensors of weights with a number that is not finite
};
/// In `--json`: "lost updates".
std::string_view gaugeName(GaugeKind kind);
/// In texts and in the window: "lost updates".
std::string_view gaugeTitle(GaugeKind kind);

struct Gauge {
    GaugeKind kind = GaugeKind::LostUpdates;
    Severity severity = Severity::Good;
    double value = 0;
    Text sentence;
};

/// What the gauges are read from. Whoever fills it knows the run's settings; defaults mean that nothing is wrong.
struct GaugeInput {
    const StepStats* look = nullptr;    // null: updates and statistics are not judged
    std::optional<double> adamEpsilon;  // of Adam and AdamW
    Dtype weights = Dtype::F32;         // what weights and moments are stored in
    WeightUpdate weightUpdate{};        // how a step is added to weights of 16 bits
    std::int64_t scheduleSteps = 0;     // that a schedule has gone
    std::int64_t optimizerSteps = 0;    // that were taken, not skipped
    bool hasSchedule = false;
    std::optional<double> clipGradNorm;
    bool clipsScaled = false;  // clips first and unscales then
    double lossScale = 1;
    bool asksForFp32 = false;             // plain fp32, IEEE's
    std::vector<std::string> tf32Layers;  // operations of the plan that compute in tf32, by layer
};

/// A layer of which so many updates are lost does not learn. Healthy runs of 16-bit weights lose up to four fifths of one.
inline constexpr double kLostUpdates = 0.85;

/// Lost updates of one layer, summed over its tensors.
struct LostUpdateShare {
    std::string layer;
    std::int64_t meant = 0, lost = 0;
    double share() const { return meant == 0 ? 0 : static_cast<double>(lost) / static_cast<double>(meant); }
};
std::vector<LostUpdateShare> lostUpdateShares(const StepStats& look);

/// `broken`: the names of weights with a number that is not finite; `isPartial`: one block in eight of the weights was measured.
Gauge weightsGauge(const std::vector<std::string>& broken, bool isPartial = false);

/// The least epsilon of Adam for moments that are stored in that format: a twentieth of the root of the largest number that becomes 0
/// there. Where the second moment has become 0 and the gradient is 0, the first moment is divided by epsilon alone: with this one a weight
/// then moves 600 learning rates at most (beta2 = 0.999), and small networks have been seen to train.
double leastEpsilon(Dtype moments);

/// Those that apply to the run, in the order of GaugeKind; Good ones too.
std::vector<Gauge> gaugesOf(const GaugeInput& input);

/// What a step or a run whose numbers are finite is headed by. One judge for the window's lines and cards, `train` and `diagnose`.
struct SilentMatter {
    Text title;              // "Finite, but updates are lost"
    Text sentence;           // "75 % of the updates of layers.2 are smaller than ..."
    std::int64_t step = -1;  // that was examined; -1: it is not of one step
    Text headline() const { return {"%1."_text, title}; }
};
/// By the gauge that is Bad and the first cause of the others; else by the latest validation. Nothing: neither is wrong.
std::optional<SilentMatter> silentMatter(const std::vector<Gauge>& gauges, bool isValidationFinite = true);

}  // namespace mantissa
