// SPDX-License-Identifier: GPL-3.0-or-later
// One run in the session model: its settings, series, and requests. Only the SessionModel changes it. GUI thread only.
#pragma once

#include <QString>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "engine/experiment/run_gauges.h"
#include "engine/experiment/run_health.h"
#include "engine/telemetry/series.h"
#include "gui/link/progress.h"

namespace mantissa::gui {

/// A request that the engine has not acknowledged yet.
struct PendingChange {
    std::uint64_t commandId = 0;
    QString pointer;
    Json value;
    QString requested;  // as shown: "FP16"

    /// Returns the value of a numeric setting; nothing: off.
    std::optional<double> number() const { return value.is_number() ? std::optional(value.get<double>()) : std::nullopt; }
};

/// A saved state before a step.
struct Checkpoint {
    std::int64_t step = 0;
    bool isByHand = false;  // kept in memory for a fork; else saved automatically in the recording
};

/// Maximum number of kept steps of all runs together: 500 to 650 MB with the data that plots derive.
inline constexpr std::int64_t kMostKeptSteps = 2'500'000;

/// Skips with fewer clean steps between them form one burst.
inline constexpr std::int64_t kBurstGap = 3;

struct RunState {
    RunId id = 0;
    int identity = 0;  // colour, dash and marker; of a what-if its parent's plus an offset (theme.h)
    RunInfo info;
    bool isHidden = false;
    bool isWithheld = false;  // hidden by a lesson until its answer is shown: no view shows what it is or does
    QString stopReason;       // why the run has ended early; empty: it has not

    // Series from the run's first step on. A run that trains has a value at every step; a read-only one has the values of its file.
    // Validation runs at some steps only.
    Series loss, lossScale, gradNorm, samplesPerSecond, memoryBytes, lr, skippedTotal, validationLoss, validationAccuracy;
    // Quantities of some steps, by name: shares of tensor statistics (tensor_share::kAll), and quantities that only a file has. They arrive
    // at most ten times per second, so they are not thinned.
    std::map<std::string, Series, std::less<>> named;
    Progress progress;                 // samples, epochs and seconds by step; empty if a file had steps only
    std::vector<std::uint32_t> flags;  // StepFlag, of each value of `loss` that came as a record
    std::vector<std::int64_t> skippedSteps;
    std::int64_t forgottenSkips = 0;  // number of older skips that are not among them
    std::int64_t thinnedUntil = 0;    // only some steps before this one are kept; 0: all are
    std::int64_t firstScaled = -1;    // the first step with a loss scale other than 1; -1: none yet
    RunHealth health;
    StepRecord last;
    double nextScale = 1;
    std::int64_t cleanSteps = 0;
    std::optional<FirstNonFinite> firstNonFinite;
    std::vector<Examination> examinations;  // of non-finite and requested steps, by step
    std::vector<Gauge> statsGauges;         // of `gaugedStep`, the latest step with tensor statistics
    std::int64_t gaugedStep = -1;
    std::optional<TextSampled> sample;    // the latest
    std::vector<Checkpoint> checkpoints;  // in order of arrival
    std::vector<PendingChange> pending;
    std::vector<PendingChange> answered;          // applied, but not yet in `info`: the engine sends the change next
    std::map<QString, std::int64_t> effectiveAt;  // pointer -> step of the latest change
    std::vector<std::int64_t> changedAt;          // steps of all changes, ascending

    QString name() const;
    bool isLive() const { return info.kind == RunKind::Live; }
    bool isWhatIf() const { return info.kind == RunKind::WhatIf; }
    bool isRecorded() const { return info.kind == RunKind::Recorded; }
    bool isWatched() const { return info.kind == RunKind::Watched; }
    /// Returns whether the engine trains it, or can: only such a run can be rewound, forked, and repeat a step.
    bool isOwn() const { return isLive() || isWhatIf(); }
    /// Returns whether its tensors can be compared with another run's; those of a watched run by the sketches of its probe.
    bool hasTensors() const { return isOwn() || isWatched(); }
    /// Returns whether its probe can receive a request for its next step.
    bool canAskProbe() const { return info.watch.link == WatchLink::Connected; }
    /// Returns the gauges of silent failures after the newest step.
    std::vector<Gauge> gauges() const { return runGauges(info, hasSteps() ? &last : nullptr, statsGauges); }
    /// Returns the silent failure of a run whose numbers are finite, from a gauge, its validation, or `silentFinding`.
    std::optional<SilentMatter> silentMatter() const;
    /// Returns the silent failure of an examined step whose numbers are finite: from its own gauges, or from the run's if it has none, as
    /// in earlier recordings; and a validation that is not finite, for the steps after it.
    std::optional<SilentMatter> silentMatterAt(const Examination& examination) const;
    /// Returns the latest examination of a step that was not skipped, if it found a silent failure and no setting was changed since; else
    /// null.
    const Examination* silentFinding() const;
    /// Returns the step after the last known one.
    std::int64_t stepCount() const;
    bool hasSteps() const { return stepCount() > info.firstStep; }
    std::int64_t skipCount() const { return forgottenSkips + static_cast<std::int64_t>(skippedSteps.size()); }
    /// Returns the StepFlags of a step; 0 if it is not kept.
    std::uint32_t flagsAt(std::int64_t step) const;
    /// Returns the index of the value of `step` or, in a series with some steps only, of the latest one before it; -1: none.
    std::int64_t placeIn(const Series& series, std::int64_t step) const {
        return isRecorded() || step < thinnedUntil ? series.latestStep(step) : step;
    }
    double valueFor(const Series& series, std::int64_t step) const { return series.value(placeIn(series, step)); }
    /// Returns the series of a metric; null if it is not kept (the time of a step).
    const Series* series(Metric metric) const;
    /// Returns a series by its key: metricName() of a metric, or a name of `named`. Null: none.
    const Series* series(std::string_view key) const;
    /// Returns whether the loss was scaled at that step: a scale of 1 before any other means no scaler.
    bool scalesItsLossAt(std::int64_t step) const;
    /// Returns the seconds from the run's beginning to the end of that step; NaN if unknown.
    double wallSecondsAt(std::int64_t step) const;
    /// Returns the step to rewind to: of the first non-finite tensor, or the beginning of the latest burst of skips.
    std::optional<std::int64_t> firstNonFiniteStep() const { return firstNonFinite ? std::optional(firstNonFinite->step) : std::nullopt; }
    std::optional<std::int64_t> lastSkipStep() const;
    /// Returns the examination of that step; null: none.
    const Examination* examinationAt(std::int64_t step) const;
    /// Returns the latest examined step with a failure; of skips in a row the first examined one, which is closest to the cause. Null:
    /// none.
    const Examination* badExamination() const;
    /// Returns whether it can be rewound to before a step, and whether a fork can begin there.
    bool canRewindTo(std::int64_t step) const { return isLive() && info.firstStep <= step && step < stepCount(); }
    bool canForkAt(std::int64_t step) const { return isOwn() && info.firstStep <= step && step <= stepCount(); }
    /// Returns the latest pending request for `pointer`; null: none.
    const PendingChange* pendingFor(const QString& pointer) const;
    /// Returns the latest request for `pointer` that is pending, or applied but not yet in `info`; null: none.
    const PendingChange* requestFor(const QString& pointer) const;
    /// Returns the settings with all requests applied.
    RunSettings requestedSettings() const;

    /// Reserves memory for a run of so many steps.
    void reserve(std::int64_t steps);
    /// Removes all steps; settings, name and identity stay.
    void clearSeries();
    /// Appends the next step. Throws WireError on any other: the engine sends consecutive steps.
    void append(const StepRecord& record);
    /// Appends values of one metric of a read-only run. Throws WireError unless their steps are later.
    void append(const SeriesImported& values);
    /// Appends measured values; values of steps before a series' end are ignored.
    void append(const ValuesMeasured& values);
    /// Restores the state before `step`.
    void rewind(std::int64_t step);
    /// Removes older steps that plots do not need if more than `most` are kept: see rowsToKeep. Returns whether it removed any.
    bool thinBeyond(std::int64_t most);
    /// Adds an examination. It replaces an earlier one of that step, unless it was stopped early and the earlier one was not. If there are
    /// very many, those in the middle are removed.
    void add(const Examination& examination);

private:
    /// Removes values from `step` on.
    void truncate(std::int64_t step);
    std::int64_t m_end = 0;  // the step after the last record
};

/// Returns whether the preset of a run's scaler scales the loss and skips steps on found_inf.
bool hasLossScaler(const RunInfo& info);
/// Recomputes a run's `cleanSteps` from the flags if the engine has not sent it since the scale's last change.
void recountCleanSteps(RunState& run);
/// Returns the loss scale before a run's first step according to its settings; the engine sends the true one with the first records.
double initialScale(const RunInfo& info);

}  // namespace mantissa::gui
