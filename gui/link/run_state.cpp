// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/link/run_state.h"

#include <QObject>
#include <algorithm>
#include <cmath>
#include <limits>

#include "engine/diagnosis/verdict.h"
#include "engine/experiment/experiment.h"
#include "engine/precision/scaler.h"
#include "engine/telemetry/thin_records.h"
#include "engine/wire/wire.h"

namespace mantissa::gui {
namespace {

/// In the order of Metric; null: it is not kept.
constexpr Series RunState::*kMetricSeries[] = {&RunState::loss,
                                               &RunState::validationLoss,
                                               &RunState::validationAccuracy,
                                               &RunState::lossScale,
                                               &RunState::skippedTotal,
                                               &RunState::gradNorm,
                                               &RunState::lr,
                                               nullptr,
                                               &RunState::samplesPerSecond,
                                               &RunState::memoryBytes};
static_assert(std::size(kMetricSeries) == kMetricCount);

Series RunState::*memberOf(Metric metric) {
    const auto place = static_cast<std::size_t>(metric);
    return place < std::size(kMetricSeries) ? kMetricSeries[place] : nullptr;
}

/// Returns the record of a step as far as the kept series have it.
StepRecord keptRecord(const RunState& run, std::int64_t step) {
    const auto exact = [&](const Series& series) { return series.exact(run.placeIn(series, step)); };
    StepRecord record;
    record.step = step;
    record.flags = run.flagsAt(step);
    record.loss = exact(run.loss);
    if (record.validated()) record.validationLoss = run.validationLoss.exact(step);
    record.gradNorm = exact(run.gradNorm);
    record.lossScale = exact(run.lossScale);
    record.skippedTotal = static_cast<std::int64_t>(exact(run.skippedTotal));
    record.lr = exact(run.lr);
    record.samplesPerSecond = exact(run.samplesPerSecond);
    record.memoryBytes = static_cast<std::int64_t>(exact(run.memoryBytes));
    const auto place = static_cast<double>(step);
    record.samples = std::llround(run.progress.at(XQuantity::Samples, place));
    record.epoch = run.progress.at(XQuantity::Epoch, place);
    record.wallSeconds = run.progress.at(XQuantity::WallTime, place);
    return record;
}

}  // namespace

double initialScale(const RunInfo& info) {
    return resolvedScaler(info.settings.training.scaler).firstScale();
}

QString RunState::name() const {
    return isWithheld ? QObject::tr("run %1, hidden").arg(identity + 1) : QString::fromStdString(info.settings.name);
}

bool hasLossScaler(const RunInfo& info) {
    const ScalerPreset* preset = scalerPreset(info.scalerPreset);
    return preset && preset->skipsOnFoundInf();
}

const Series* RunState::series(Metric metric) const {
    const auto member = memberOf(metric);
    return member ? &(this->*member) : nullptr;
}

const Series* RunState::series(std::string_view key) const {
    for (int metric = 0; metric < kMetricCount; ++metric)
        if (metricName(static_cast<Metric>(metric)) == key) return series(static_cast<Metric>(metric));
    const auto it = named.find(key);
    return it == named.end() ? nullptr : &it->second;
}

std::int64_t RunState::stepCount() const {
    if (!isRecorded()) return std::max(m_end, info.firstStep);
    std::int64_t count = info.firstStep;
    for (int metric = 0; metric < kMetricCount; ++metric)
        if (const Series* values = series(static_cast<Metric>(metric)); values != nullptr && !values->isEmpty())
            count = std::max(count, values->end());
    for (const auto& [name, values] : named)
        if (!values.isEmpty()) count = std::max(count, values.end());
    return count;
}

void RunState::reserve(std::int64_t steps) {
    constexpr std::int64_t kMost = 1 << 21;  // beyond this, the cost of growing is small against the time of the steps
    const auto count = static_cast<std::size_t>(std::clamp<std::int64_t>(steps, 0, kMost));
    for (Series* series : {&loss, &lossScale, &gradNorm, &samplesPerSecond, &memoryBytes, &lr, &skippedTotal}) series->reserve(count);
    flags.reserve(count);
    progress.reserve(count);
}

void RunState::clearSeries() {
    for (const auto member : kMetricSeries)
        if (member) (this->*member).clear(info.firstStep);
    for (auto& [name, series] : named) series.clear(info.firstStep);
    progress.begin(info.firstStep, nullptr);
    flags.clear();
    skippedSteps.clear();
    forgottenSkips = thinnedUntil = 0;
    m_end = info.firstStep;
    health = {};
    firstScaled = -1;
    last = {};
    nextScale = initialScale(info);
    cleanSteps = 0;
    firstNonFinite.reset();
    examinations.clear();
    statsGauges.clear();
    gaugedStep = -1;
    sample.reset();
    checkpoints.clear();
    effectiveAt.clear();
    changedAt.clear();
    stopReason.clear();
}

std::optional<SilentMatter> RunState::silentMatter() const {
    if (auto matter = mantissa::silentMatter(gauges(), health.isLastValidationFinite())) return matter;
    const Examination* found = silentFinding();
    return found ? mantissa::silentMatter(*found) : std::nullopt;
}

std::optional<SilentMatter> RunState::silentMatterAt(const Examination& examination) const {
    const auto validated = validationLoss.isEmpty() ? -1 : validationLoss.end() - 1;
    const bool isValidationFinite = validated < 0 || examination.step < validated || health.isLastValidationFinite();
    return mantissa::silentMatter(examination.gauges.empty() ? gauges() : examination.gauges, isValidationFinite);
}

const Examination* RunState::silentFinding() const {
    // A skipped step contains no information about the steps around it.
    const auto latest = std::find_if(examinations.rbegin(), examinations.rend(), [](const Examination& each) {
        return each.verdict.kind == StepVerdict::SilentFailure || each.verdict.kind == StepVerdict::Sound;
    });
    if (latest == examinations.rend() || (!changedAt.empty() && changedAt.back() > latest->step)) return nullptr;
    return latest->verdict.kind == StepVerdict::SilentFailure && !onlyLearnsNothing(*latest) ? &*latest : nullptr;
}

bool RunState::scalesItsLossAt(std::int64_t step) const {
    if (lossScale.value(step) != 1) return true;
    return info.scalerPreset != "none" && (firstScaled < 0 || step > firstScaled);
}

std::optional<std::int64_t> RunState::lastSkipStep() const {
    if (skippedSteps.empty()) return std::nullopt;
    auto it = skippedSteps.rbegin();
    while (it + 1 != skippedSteps.rend() && *it - *(it + 1) <= kBurstGap) ++it;
    return *it;
}

const Examination* RunState::examinationAt(std::int64_t step) const {
    const auto found = std::ranges::find(examinations, step, &Examination::step);
    return found == examinations.end() ? nullptr : &*found;
}

const Examination* RunState::badExamination() const {
    const auto isBad = [](const Examination& each) { return each.wasSkipped || !each.card.tensor.empty(); };
    const auto latest = std::find_if(examinations.rbegin(), examinations.rend(), isBad);
    if (latest == examinations.rend()) return nullptr;
    const auto burst = lastSkipStep();
    if (!burst || latest->step < *burst || !latest->wasSkipped) return &*latest;
    return &*std::ranges::find_if(examinations, [&](const Examination& each) { return each.step >= *burst && isBad(each); });
}

namespace {

const PendingChange* latestOf(const std::vector<PendingChange>& changes, const QString& pointer) {
    const auto it = std::find_if(changes.rbegin(), changes.rend(), [&](const PendingChange& change) { return change.pointer == pointer; });
    return it == changes.rend() ? nullptr : &*it;
}

}  // namespace

const PendingChange* RunState::pendingFor(const QString& pointer) const {
    return latestOf(pending, pointer);
}

const PendingChange* RunState::requestFor(const QString& pointer) const {
    const PendingChange* request = pendingFor(pointer);
    return request ? request : latestOf(answered, pointer);
}

RunSettings RunState::requestedSettings() const {
    RunSettings requested = info.settings;
    for (const auto* changes : {&answered, &pending}) {
        for (const PendingChange& change : *changes) {
            try {
                requested = withChange(requested, change.pointer.toStdString(), change.value);
            } catch (const std::exception&) {
                // The engine refuses the value with a reason.
            }
        }
    }
    return requested;
}

void RunState::append(const StepRecord& record) {
    const bool mayBeLeftOut = info.kind == RunKind::Watched;  // a probe may drop messages
    if (record.step < stepCount() || (record.step > stepCount() && !mayBeLeftOut))
        throw WireError("step " + std::to_string(record.step) + " of run '" + info.settings.name + "' where step " +
                        std::to_string(stepCount()) + " was due");
    m_end = record.step + 1;
    progress.append(record);
    loss.appendAt(record.step, record.loss);
    lossScale.appendAt(record.step, record.lossScale);
    if (firstScaled < 0 && record.lossScale != 1) firstScaled = record.step;
    gradNorm.appendAt(record.step, record.gradNorm);
    samplesPerSecond.appendAt(record.step, record.samplesPerSecond);
    memoryBytes.appendAt(record.step, static_cast<double>(record.memoryBytes));
    lr.appendAt(record.step, record.lr);
    skippedTotal.appendAt(record.step, static_cast<double>(record.skippedTotal));
    if (record.validated()) validationLoss.appendAt(record.step, record.validationLoss);
    if (record.hasAccuracy()) validationAccuracy.appendAt(record.step, record.validationAccuracy);
    flags.push_back(record.flags);
    if (record.skipped()) skippedSteps.push_back(record.step);
    health.add(record);
    last = record;
}

void RunState::append(const SeriesImported& values) {
    const auto member = memberOf(values.metric);
    if (!member && values.metric != Metric::Other) return;
    Series& to = member ? this->*member : named[values.name];
    if (values.steps.size() != values.values.size()) throw WireError("a series with more steps than values, or fewer");
    for (std::size_t i = 0; i < values.steps.size(); ++i) {
        const std::int64_t step = values.steps[i];
        if (step < info.firstStep || (!to.isEmpty() && step < to.end()))
            throw WireError("step " + std::to_string(step) + " of run '" + info.settings.name + "' does not go on after the one before");
        const double value = values.values[i];
        if (values.metric == Metric::SkippedTotal && value > (to.isEmpty() ? 0 : to.valueAt(to.count() - 1))) skippedSteps.push_back(step);
        if (values.metric == Metric::LossScale && firstScaled < 0 && value != 1) firstScaled = step;
        to.appendAt(step, value);
    }
}

void RunState::append(const ValuesMeasured& values) {
    for (const auto& [name, value] : values.values) {
        Series& series = named[name];
        if (series.isEmpty()) series.clear(info.firstStep);
        if (values.step >= series.end()) series.appendAt(values.step, value);
    }
}

std::uint32_t RunState::flagsAt(std::int64_t step) const {
    const std::size_t row = loss.countBefore(step);
    return row < flags.size() && loss.stepAt(row) == step ? flags[row] : 0;
}

double RunState::wallSecondsAt(std::int64_t step) const {
    const bool isKnown = step >= info.firstStep && step < stepCount() && !progress.isEmpty();
    return isKnown ? progress.at(XQuantity::WallTime, static_cast<double>(step)) : std::numeric_limits<double>::quiet_NaN();
}

void recountCleanSteps(RunState& run) {
    constexpr std::uint32_t kEndsCount = kFlagFoundInf | kFlagScaleGrew | kFlagScaleBackedOff;
    const auto& flags = run.flags;
    const auto ended = std::find_if(flags.rbegin(), flags.rend(), [](std::uint32_t each) { return (each & kEndsCount) != 0; });
    const std::int64_t from =
        ended == flags.rend() ? run.info.firstStep : run.loss.stepAt(static_cast<std::size_t>(flags.rend() - ended) - 1) + 1;
    run.cleanSteps = flags.empty() ? 0 : run.stepCount() - from;
}

void RunState::truncate(std::int64_t step) {
    for (const auto member : kMetricSeries)
        if (member) (this->*member).truncate(step);
    for (auto& [name, series] : named) series.truncate(step);
    std::erase_if(skippedSteps, [&](std::int64_t skipped) { return skipped >= step; });
    if (firstScaled >= step) firstScaled = -1;
}

void RunState::rewind(std::int64_t step) {
    step = std::max(step, info.firstStep);
    if (step >= stepCount()) return;
    if (isRecorded()) return truncate(step);
    // The scale of the first pass, until the engine has re-run the steps.
    nextScale = lossScale.exact(placeIn(lossScale, step));
    const bool hasBegun = step > info.firstStep;
    const StepRecord before = hasBegun ? keptRecord(*this, step - 1) : StepRecord{};
    const std::int64_t skipsBefore = skipCount() - (last.skippedTotal - before.skippedTotal);
    truncate(step);
    m_end = step;
    progress.truncate(step);
    flags.resize(loss.count());
    recountCleanSteps(*this);
    const auto keptSkips = static_cast<std::int64_t>(skippedSteps.size());
    if (step < thinnedUntil) forgottenSkips = hasBegun ? std::max<std::int64_t>(0, skipsBefore - keptSkips) : 0;
    thinnedUntil = std::min(thinnedUntil, step);
    std::erase_if(effectiveAt, [&](const auto& entry) { return entry.second >= step; });
    std::erase_if(changedAt, [&](std::int64_t changed) { return changed >= step; });
    if (firstNonFinite && firstNonFinite->step >= step) firstNonFinite.reset();
    std::erase_if(examinations, [&](const Examination& each) { return each.step >= step; });
    if (gaugedStep >= step) statsGauges.clear(), gaugedStep = -1;
    if (sample && sample->step >= step) sample.reset();
    std::erase_if(checkpoints, [&](const Checkpoint& each) { return each.step > step; });  // the checkpoint before the step itself is kept
    stopReason.clear();
    health = {};
    last = before;
    for (std::size_t row = 0; row < loss.count(); ++row) health.add(keptRecord(*this, loss.stepAt(row)));
}

void RunState::add(const Examination& examination) {
    constexpr std::size_t kMost = 1000;
    const auto place = std::lower_bound(examinations.begin(), examinations.end(), examination.step,
                                        [](const Examination& each, std::int64_t step) { return each.step < step; });
    const bool isKnown = place != examinations.end() && place->step == examination.step;
    if (isKnown) {
        // A stopped examination does not replace a complete one.
        if (!examination.wasStopped || place->remedies.empty()) *place = examination;
    } else {
        examinations.insert(place, examination);
        if (examinations.size() > kMost) examinations.erase(examinations.begin() + kMost / 2);
    }
}

bool RunState::thinBeyond(std::int64_t most) {
    if (static_cast<std::int64_t>(flags.size()) <= most || isRecorded()) return false;
    constexpr std::size_t kFirst = 1024;  // the beginning is kept for comparison with the end
    constexpr std::size_t kMostOfAStretch = 20;
    const std::size_t rows = flags.size(), end = rows - rows / 4;  // the newest quarter is kept whole
    if (end <= kFirst) return false;
    std::vector<bool> kept(rows, true);
    const auto inOlder = rowsToKeep({.count = end - kFirst,
                                     .step = [&](std::size_t row) { return loss.stepAt(kFirst + row); },
                                     .value = [&](std::size_t row, Metric metric) { return series(metric)->exactAt(kFirst + row); },
                                     .flags = [&](std::size_t row) { return flags[kFirst + row]; }},
                                    static_cast<std::int64_t>(rows / 2 / kMostOfAStretch));
    std::copy(inOlder.begin(), inOlder.end(), kept.begin() + kFirst);
    thinnedUntil = loss.stepAt(end);
    const auto isKept = [&](std::int64_t step) { return kept[loss.countBefore(step)]; };
    forgottenSkips += static_cast<std::int64_t>(std::erase_if(skippedSteps, [&](std::int64_t step) { return !isKept(step); }));
    for (Series* validation : {&validationLoss, &validationAccuracy}) {
        std::vector<bool> keptHere(validation->count());
        for (std::size_t i = 0; i < keptHere.size(); ++i) keptHere[i] = isKept(validation->stepAt(i));
        validation->keep(keptHere);
    }
    for (Series* series : {&lossScale, &gradNorm, &samplesPerSecond, &memoryBytes, &lr, &skippedTotal, &loss}) series->keep(kept);
    progress.keep(kept);
    std::size_t row = 0;
    std::erase_if(flags, [&](std::uint32_t) { return !kept[row++]; });
    reserve(most);
    return true;
}

}  // namespace mantissa::gui
