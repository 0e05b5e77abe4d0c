// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/link/run_state.h"

#include <QObject>
#include <algorithm>
#include <cmath>
#include <limits>

#include "engine/experiment/experiment.h"
#include "engine/precision/scaler.h"
#include "engine/wire/wire.h"

namespace mantissa::gui {

double initialScale(const RunInfo& info) {
    return scalerInForce(info.settings.training.scaler).firstScale();
}

QString RunState::name() const {
    return isWithheld ? QObject::tr("run %1, hidden").arg(identity + 1) : QString::fromStdString(info.settings.name);
}

std::array<Series*, 9> RunState::allSeries() {
    return {&loss, &lossScale, &gradNorm, &samplesPerSecond, &memoryBytes, &lr, &skippedTotal, &validationLoss, &validationAccuracy};
}

Series* RunState::seriesOf(Metric metric) {
    switch (metric) {
        case Metric::Loss:
            return &loss;
        case Metric::ValidationLoss:
            return &validationLoss;
        case Metric::ValidationAccuracy:
            return &validationAccuracy;
        case Metric::LossScale:
            return &lossScale;
        case Metric::SkippedTotal:
            return &skippedTotal;
        case Metric::GradNorm:
            return &gradNorm;
        case Metric::LearningRate:
            return &lr;
        case Metric::StepMs:
            return nullptr;
        case Metric::SamplesPerSecond:
            return &samplesPerSecond;
        case Metric::MemoryBytes:
            return &memoryBytes;
    }
    return nullptr;
}

const Series* RunState::series(Metric metric) const {
    return const_cast<RunState*>(this)->seriesOf(metric);
}

std::int64_t RunState::stepCount() const {
    if (!isRecorded()) return loss.end();
    std::int64_t count = info.firstStep;
    for (int metric = 0; metric < kMetricCount; ++metric)
        if (const Series* values = series(static_cast<Metric>(metric))) count = std::max(count, values->end());
    return count;
}

void RunState::reserve(std::int64_t steps) {
    constexpr std::int64_t kMost = 1 << 21;  // beyond, growing is paid for by the time that the steps take
    const auto count = static_cast<std::size_t>(std::clamp<std::int64_t>(steps, 0, kMost));
    for (Series* series : {&loss, &lossScale, &gradNorm, &samplesPerSecond, &memoryBytes, &lr, &skippedTotal}) series->reserve(count);
    flags.reserve(count);
    progress.reserve(count);
}

void RunState::clearSeries() {
    for (Series* series : allSeries()) series->clear(info.firstStep);
    progress.begin(info.firstStep, nullptr);
    flags.clear();
    skippedSteps.clear();
    health = {};
    firstScaled = -1;
    last = {};
    nextScale = initialScale(info);
    cleanSteps = 0;
    firstNonFinite.reset();
    examinations.clear();
    lookGauges.clear();
    gaugedStep = -1;
    sample.reset();
    checkpoints.clear();
    effectiveAt.clear();
    stopReason.clear();
}

std::vector<Gauge> RunState::gauges() const {
    return runGauges(info, hasSteps() ? &last : nullptr, lookGauges);
}

std::optional<SilentMatter> RunState::silentMatter() const {
    return mantissa::silentMatter(gauges(), health.isLastValidationFinite());
}

bool RunState::scalesItsLossAt(std::int64_t step) const {
    if (lossScale.value(step) != 1) return true;
    return info.scalerPreset != "none" && (firstScaled < 0 || step > firstScaled);
}

std::optional<std::int64_t> RunState::firstNonFiniteStep() const {
    return firstNonFinite ? std::optional(firstNonFinite->step) : std::nullopt;
}

std::optional<std::int64_t> RunState::lastSkipStep() const {
    if (skippedSteps.empty()) return std::nullopt;
    auto it = skippedSteps.rbegin();
    while (it + 1 != skippedSteps.rend() && *it - *(it + 1) <= kBurstGap) ++it;
    return *it;
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

const PendingChange* RunState::wishFor(const QString& pointer) const {
    const PendingChange* wish = pendingFor(pointer);
    return wish ? wish : latestOf(answered, pointer);
}

RunSettings RunState::wishedSettings() const {
    RunSettings wished = info.settings;
    for (const auto* changes : {&answered, &pending}) {
        for (const PendingChange& change : *changes) {
            try {
                wished = withChange(wished, change.pointer.toStdString(), change.value);
            } catch (const std::exception&) {
                // The engine will refuse it, and say why.
            }
        }
    }
    return wished;
}

void RunState::append(const StepRecord& record) {
    if (record.step != loss.end())
        throw WireError("step " + std::to_string(record.step) + " of run '" + info.settings.name + "' where step " +
                        std::to_string(loss.end()) + " was due");
    loss.append(record.loss);
    lossScale.append(record.lossScale);
    if (firstScaled < 0 && record.lossScale != 1) firstScaled = record.step;
    gradNorm.append(record.gradNorm);
    samplesPerSecond.append(record.samplesPerSecond);
    memoryBytes.append(static_cast<double>(record.memoryBytes));
    lr.append(record.lr);
    skippedTotal.append(static_cast<double>(record.skippedTotal));
    if (record.validated()) validationLoss.appendAt(record.step, record.validationLoss);
    if (record.hasAccuracy()) validationAccuracy.appendAt(record.step, record.validationAccuracy);
    progress.append(record);
    flags.push_back(record.flags);
    if (record.skipped()) skippedSteps.push_back(record.step);
    health.add(record);
    last = record;
}

void RunState::append(const SeriesImported& values) {
    Series* to = seriesOf(values.metric);
    if (!to) return;
    if (values.steps.size() != values.values.size()) throw WireError("a series with more steps than values, or fewer");
    for (std::size_t i = 0; i < values.steps.size(); ++i) {
        const std::int64_t step = values.steps[i];
        if (step < info.firstStep || (!to->isEmpty() && step < to->end()))
            throw WireError("step " + std::to_string(step) + " of run '" + info.settings.name + "' does not go on after the one before");
        const double value = values.values[i];
        if (values.metric == Metric::SkippedTotal && value > (to->isEmpty() ? 0 : to->valueAt(to->count() - 1)))
            skippedSteps.push_back(step);
        if (values.metric == Metric::LossScale && firstScaled < 0 && value != 1) firstScaled = step;
        to->appendAt(step, value);
    }
}

StepRecord RunState::recordAt(std::int64_t step) const {
    StepRecord record;
    record.step = step;
    record.flags = flags[static_cast<std::size_t>(step - info.firstStep)];
    record.loss = loss.exact(step);
    if (record.validated()) record.validationLoss = validationLoss.exact(step);
    record.gradNorm = gradNorm.exact(step);
    record.lossScale = lossScale.exact(step);
    record.skippedTotal = static_cast<std::int64_t>(skippedTotal.value(step));
    record.lr = lr.value(step);
    record.samplesPerSecond = samplesPerSecond.exact(step);
    record.memoryBytes = static_cast<std::int64_t>(memoryBytes.value(step));
    const auto place = static_cast<double>(step);
    record.samples = std::llround(progress.at(XQuantity::Samples, place));
    record.epoch = progress.at(XQuantity::Epoch, place);
    record.wallSeconds = progress.at(XQuantity::WallTime, place);
    return record;
}

double RunState::wallSecondsAt(std::int64_t step) const {
    const bool isKept = step >= info.firstStep && step - info.firstStep < static_cast<std::int64_t>(flags.size());
    return isKept ? recordAt(step).wallSeconds : std::numeric_limits<double>::quiet_NaN();
}

void RunState::recountCleanSteps() {
    constexpr std::uint32_t kEndsCount = kFlagFoundInf | kFlagScaleGrew | kFlagScaleBackedOff;
    cleanSteps = 0;
    for (auto it = flags.rbegin(); it != flags.rend() && (*it & kEndsCount) == 0; ++it) ++cleanSteps;
}

void RunState::rewind(std::int64_t step) {
    step = std::max(step, info.firstStep);
    if (step >= stepCount()) return;
    // What the step used the first time, until the engine has caught up and says.
    nextScale = lossScale.exact(step);
    const bool hasBegun = step > info.firstStep;
    const StepRecord before = hasBegun ? recordAt(step - 1) : StepRecord{};
    for (Series* series : allSeries()) series->truncate(step);
    progress.truncate(step);
    flags.resize(static_cast<std::size_t>(step - info.firstStep));
    recountCleanSteps();
    std::erase_if(skippedSteps, [&](std::int64_t skipped) { return skipped >= step; });
    std::erase_if(effectiveAt, [&](const auto& entry) { return entry.second >= step; });
    if (firstScaled >= step) firstScaled = -1;
    if (firstNonFinite && firstNonFinite->step >= step) firstNonFinite.reset();
    std::erase_if(examinations, [&](const Examination& each) { return each.step >= step; });
    if (gaugedStep >= step) lookGauges.clear(), gaugedStep = -1;
    if (sample && sample->step >= step) sample.reset();
    std::erase_if(checkpoints, [&](const Checkpoint& each) { return each.step > step; });  // that before the step itself is kept
    stopReason.clear();
    health = {};
    last = before;
    for (std::int64_t s = info.firstStep; s < step; ++s) health.add(recordAt(s));
}

}  // namespace mantissa::gui
