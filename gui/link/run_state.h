// SPDX-License-Identifier: GPL-3.0-or-later
// One run as the window knows it: what it is, its series, its requests. Only the Lab changes it. GUI thread only.
#pragma once

#include <QString>
#include <array>
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

    /// Of a setting that is a number; nothing: off.
    std::optional<double> number() const { return value.is_number() ? std::optional(value.get<double>()) : std::nullopt; }
};

/// A state that is kept, before a step.
struct Checkpoint {
    std::int64_t step = 0;
    bool isByHand = false;  // held in memory for a fork; else it was written into the recording, by itself
};

/// Steps that are kept, of all runs together: 500 to 650 MB with what plots derive from them.
inline constexpr std::int64_t kMostKeptSteps = 2'500'000;

/// Skips with fewer clean steps between them belong together.
inline constexpr std::int64_t kBurstGap = 3;

struct RunState {
    RunId id = 0;
    int identity = 0;  // colour, dash and marker, until another is chosen; a what-if's looks like its parent's (theme.h)
    RunInfo info;
    bool isHidden = false;
    bool isWithheld = false;  // hidden by a lesson until its answer is told: no view says what it is or does
    QString stopReason;       // why the run has ended before its time; empty: it has not

    // Series from the run's first step on. A run that trains has a value of each at every step; one that is only looked at has what its
    // file had. Validation runs at some steps only.
    Series loss, lossScale, gradNorm, samplesPerSecond, memoryBytes, lr, skippedTotal, validationLoss, validationAccuracy;
    // Quantities of some steps, by name: shares of tensor statistics (tensor_share::kAll), and what only a file knows. They come at most
    // ten times a second, so that they are not thinned.
    std::map<std::string, Series, std::less<>> named;
    Progress progress;                 // samples, epochs and seconds by step; empty where a file had steps only
    std::vector<std::uint32_t> flags;  // StepFlag, of each value of `loss` that came as a record
    std::vector<std::int64_t> skippedSteps;
    std::int64_t forgottenSkips = 0;  // that are not among them
    std::int64_t thinnedUntil = 0;    // of the steps before this one only some are kept; 0: of none
    std::int64_t firstScaled = -1;    // the first step with a loss scale other than 1; -1: none yet
    RunHealth health;
    StepRecord last;
    double nextScale = 1;
    std::int64_t cleanSteps = 0;
    std::optional<FirstNonFinite> firstNonFinite;
    std::vector<Examination> examinations;  // of bad steps, and of those asked for; by step
    std::vector<Gauge> lookGauges;          // of the newest step whose tensors were measured along the way, `gaugedStep`
    std::int64_t gaugedStep = -1;
    std::optional<TextSampled> sample;    // the latest
    std::vector<Checkpoint> checkpoints;  // as they came
    std::vector<PendingChange> pending;
    std::vector<PendingChange> answered;          // and made, while `info` is as before: the engine tells of it next
    std::map<QString, std::int64_t> effectiveAt;  // pointer -> step, of the latest change
    std::vector<std::int64_t> changedAt;          // steps of all changes, ascending

    QString name() const;
    bool isLive() const { return info.kind == RunKind::Live; }
    bool isWhatIf() const { return info.kind == RunKind::WhatIf; }
    bool isRecorded() const { return info.kind == RunKind::Recorded; }
    bool isWatched() const { return info.kind == RunKind::Watched; }
    /// Whether the engine trains it, or can: only such a run goes back, forks, and repeats a step.
    bool isOwn() const { return isLive() || isWhatIf(); }
    /// Whether its tensors can be compared with another run's: a watched run's by the sketches that its probe sends.
    bool hasTensors() const { return isOwn() || isWatched(); }
    /// Whether its probe can be asked for its next step.
    bool canAskProbe() const { return info.watch.link == WatchLink::Connected; }
    /// Of silent failures, as they stand after the newest step.
    std::vector<Gauge> gauges() const;
    /// The heading of a run whose numbers are finite and which fails all the same: of a gauge, its validation, or `silentFinding`.
    std::optional<SilentMatter> silentMatter() const;
    /// The latest examination of a step that was not skipped, if it found a silent failure and no setting was changed since; else null.
    const Examination* silentFinding() const;
    /// The step after the last one that is known.
    std::int64_t stepCount() const;
    bool hasSteps() const { return stepCount() > info.firstStep; }
    std::int64_t skipCount() const { return forgottenSkips + static_cast<std::int64_t>(skippedSteps.size()); }
    /// StepFlag of a step; 0 where it is not kept.
    std::uint32_t flagsAt(std::int64_t step) const;
    /// Where the value of `step` stands: there, or where only some are kept, as of a file's, at the latest before it; -1: there is none.
    std::int64_t placeIn(const Series& series, std::int64_t step) const;
    double valueFor(const Series& series, std::int64_t step) const { return series.value(placeIn(series, step)); }
    /// Null for a metric that is not kept (the time of a step).
    const Series* series(Metric metric) const;
    /// By its key: metricName() of a metric, or a name of `named`. Null: it has none of that key.
    const Series* series(std::string_view key) const;
    /// Whether the loss was scaled at that step: a scale of 1 before any other stands for no scaler.
    bool scalesItsLossAt(std::int64_t step) const;
    /// From the run's beginning to the end of that step; NaN where it is not known: of a run that is only looked at.
    double wallSecondsAt(std::int64_t step) const;
    /// Where it went wrong, to go back to before that: the first non-finite tensor, the beginning of the latest burst of skips.
    std::optional<std::int64_t> firstNonFiniteStep() const;
    std::optional<std::int64_t> lastSkipStep() const;
    /// The latest examined step that went wrong; of skips in a row the first examined one, as where they began says more than where they
    /// ended. Null: none.
    const Examination* badExamination() const;
    /// Whether it can go back to before a step, and whether another run can begin there.
    bool canRewindTo(std::int64_t step) const { return isLive() && info.firstStep <= step && step < stepCount(); }
    bool canForkAt(std::int64_t step) const { return isOwn() && info.firstStep <= step && step <= stepCount(); }
    /// The latest request for `pointer` that is still on its way; null: none.
    const PendingChange* pendingFor(const QString& pointer) const;
    /// The same, or the latest that is made and not in `info` yet.
    const PendingChange* requestFor(const QString& pointer) const;
    /// As they are when all requests are granted: what another request is one more change of.
    RunSettings requestedSettings() const;

    /// Back to before the first step; settings, name and identity stay.
    /// For a run of so many steps.
    void reserve(std::int64_t steps);
    void clearSeries();
    /// From the flags, where the engine has not said how many there are since the scale's last change.
    void recountCleanSteps();
    /// The next step. Throws WireError on any other: the engine sends consecutive steps.
    void append(const StepRecord& record);
    /// Values of one metric, of a run that is only looked at. Throws WireError unless they go on at later steps.
    void append(const SeriesImported& values);
    /// What comes of a step that is told already is left out.
    void append(const ValuesMeasured& values);
    /// Back to before `step`, as it was then.
    void rewind(std::int64_t step);
    /// Where more than `most` steps are kept, forgets those of the older ones that plots do not need: see rowsToKeep. True: it has.
    bool thinBeyond(std::int64_t most);
    /// Takes the place of an earlier one of that step, unless it was stopped on its way and the earlier one was not. Of very many, those in
    /// the middle go.
    void add(const Examination& examination);

private:
    /// Forgets values from `step` on.
    void truncate(std::int64_t step);
    std::int64_t m_end = 0;  // the step after the last record
    std::array<Series*, 9> allSeries();
    Series* seriesOf(Metric metric);
    StepRecord recordAt(std::int64_t step) const;  // as far as it is kept
};

/// The scale before a run's first step. The engine says the true one with the first records; until then this is what the settings promise.
double initialScale(const RunInfo& info);

}  // namespace mantissa::gui
