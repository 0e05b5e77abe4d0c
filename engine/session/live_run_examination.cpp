// SPDX-License-Identifier: Apache-2.0
// Examination of a run's steps: non-finite ones automatically, others on request.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <utility>

#include "engine/diagnosis/tensor_shares.h"
#include "engine/experiment/fields.h"
#include "engine/experiment/run_gauges.h"
#include "engine/session/live_run.h"
#include "engine/telemetry/number_format.h"
#include "engine/training/measure_times.h"
#include "engine/training/remedies.h"
#include "engine/training/schedule.h"
#include "engine/training/silent_findings.h"
#include "engine/training/then_restore.h"

namespace mantissa {
namespace {

constexpr std::uint32_t kBadFlags = kFlagFoundInf | kFlagLossNonFinite | kFlagGradNormNonFinite;

/// Progress of copies that are re-run for an examination. This time does not count as the examination's.
StepsGoOn rerunning(const ExaminerOptions& options) {
    return [&options](std::int64_t done, std::int64_t of) {
        return !options.goesOn || options.goesOn({.work = QuestionWork::Rerunning, .remedy = {}, .done = done, .of = of});
    };
}

/// Adds that the update shows in the next step.
Examination withNextStep(Examination update) {
    update.verdict.explanation += "The next step reads what this update wrote."_text;
    return update;
}

}  // namespace

bool isNonFiniteStep(const StepRecord& record) {
    return (record.flags & kBadFlags) != 0;
}

/// Automatic examinations in a session are short; `mantissa diagnose` and ExamineStep take longer.
constexpr double kSecondsAlongTheWay = 0.2, kSecondsOnDemand = 20, kSecondsForAList = 2;
constexpr std::int64_t kRemedyStepsAlongTheWay = 20, kRemedySteps = 100;

ExaminerOptions LiveRun::examinerOptions(bool isOnDemand) const {
    return {.trialSeconds = isOnDemand ? kSecondsOnDemand : kSecondsAlongTheWay,
            .remedySteps = isOnDemand ? kRemedySteps : kRemedyStepsAlongTheWay,
            .isThorough = isOnDemand,
            .past = {},
            .settingsWith =
                [this](const std::string& pointer, const std::string& value) {
                    return resolvedOn(*m_backend, withChange(m_settings, pointer, Json::parse(value))).training;
                },
            .overridesWith =
                [this](const std::vector<std::string>& places) {
                    const Json precision = fieldAt("/precision")->write(m_settings).value_or(Json::object());  // or only the policy's name
                    Json overrides = precision.is_object() ? precision.value("overrides", Json::object()) : Json::object();
                    for (const std::string& place : places) overrides[place] = facts(Dtype::F32).name;
                    return overrides.dump();
                }};
}

void LiveRun::examineNonFiniteStep() {
    const std::optional<StepStart> before = m_trainer->takeNonFiniteStep();
    if (!before || (m_examining == Examining::ForAList && !m_stepsToExamine.wantsForAList())) return;
    flush();
    publishStats();  // before the examination's passes overwrite them
    const auto start = std::chrono::steady_clock::now();
    ExaminerOptions options = examinerOptions(m_examining == Examining::AtLeisure);
    if (m_examining == Examining::ForAList) options.remedySteps = 0, options.trialSeconds = kSecondsForAList;
    Examination found = examineFrom(*before, *this, options);
    m_stepsToExamine.addExamination(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
    publish(StepExamined{m_id, std::move(found)});
}

Examination LiveRun::examineFrom(const StepStart& before, const LiveRun& source, ExaminerOptions options) {
    const std::int64_t step = before.state.counters.nextStep;
    options.past = source.pastBefore(step);
    options.consecutiveSkips = source.nonFiniteStepsInARowBefore(step) + 1;
    if (options.isThorough) {
        options.tryFrom = [&source, step, own = options](std::int64_t from, Remedy& remedy, const StepsGoOn& goesOn) {
            source.tryFrom(from, step, remedy, own, goesOn);
        };
    }
    Examination found = examineStep(*m_trainer, before, options);
    const bool isFinite = found.verdict.kind == StepVerdict::Sound || found.verdict.kind == StepVerdict::SilentFailure;
    if (options.isThorough && isFinite) {
        if (Examination update = examineUpdate(*m_trainer, before, options); !update.card.layer.empty())
            return withNextStep(std::move(update));
    }
    if (options.isThorough && found.verdict.kind != StepVerdict::BadWeights) judgeByGauges(before, found);
    if (options.isThorough && found.verdict.kind == StepVerdict::BadStatistics) {
        if (const auto broken = source.statisticsBrokenAt(found, options))
            found.verdict.explanation += Text("They were finite before step %1."_text, *broken);
    }
    if (found.verdict.kind != StepVerdict::BadWeights || found.step <= source.m_history->begin().step) return found;
    try {
        if (const auto sentence = source.wereLoadedBroken(found)) {
            found.verdict.explanation += *sentence;
            return found;
        }
        if (auto update = source.examineUpdateBefore(found, options)) return *std::move(update);
        if (const auto first = source.m_pastSteps.firstNonFinite(); first && *first < found.step)
            found.verdict.explanation += Text("The loss was first not finite at step %1: examine that step."_text, *first);
        return found;
    } catch (const std::exception&) {
        return found;  // the failing step cannot be re-run: only the broken weights are known
    }
}

/// Counts from recorded results, so that a run and its recording agree.
std::int64_t LiveRun::nonFiniteStepsInARowBefore(std::int64_t step) const {
    const std::int64_t end = std::min(step, m_pastSteps.end());
    std::int64_t first = end;
    while (m_pastSteps.has(first - 1)) {
        const PastStep& past = m_pastSteps.at(first - 1);
        if (std::isfinite(past.loss) && std::isfinite(past.gradNorm)) break;
        --first;
    }
    return end - first;
}

/// Returns a sentence with the file's name if the run's initial weights were not finite.
std::optional<Text> LiveRun::wereLoadedBroken(const Examination& found) const {
    const RunPoint& begin = m_history->begin();
    const std::string& file = begin.settings.training.init.weights;
    if (file.empty() || begin.step > 0) return std::nullopt;
    const auto copy = fork(m_id, *this, begin.step, m_settings.name, {});
    copy->mute();
    while (copy->isLagging()) copy->rerun();
    const std::vector<std::string> broken = brokenTensors(*copy->m_trainer).weights;
    if (broken.empty()) return std::nullopt;
    Text sentence =
        counted(std::ssize(broken), "%2 was not finite already as loaded from %3, before step 0: load other weights."_text,
                "%1 tensors were not finite already as loaded from %3, before step 0: load other weights."_text, broken.front(), file);
    if (found.step > 1) sentence += "What came after added to it."_text;
    return sentence;
}

/// Repeats the step with full statistics, without committing it.
std::pair<StepRecord, StepStats> LiveRun::measureStep(const StepStart& before) {
    return thenRestore(*m_trainer, [&] {
        m_trainer->restore(before.state);
        m_trainer->putFaults(before.faults);
        const Instrumentation level = m_trainer->instrumentation();
        try {
            m_trainer->setInstrumentation(Instrumentation::Full);
            const StepRecord record = m_trainer->step();
            std::pair<StepRecord, StepStats> seen{record, m_trainer->stats().value()};
            m_trainer->setInstrumentation(level);
            return seen;
        } catch (...) {
            m_trainer->setInstrumentation(level);
            throw;
        }
    });
}

/// Adds a silent failure that the gauges show in a finite step.
void LiveRun::judgeByGauges(const StepStart& before, Examination& found) {
    try {
        const auto [record, stats] = measureStep(before);
        found.gauges = runGauges(info(), &record, &stats);
    } catch (const std::exception&) {
        return;  // not enough memory, or the run cannot be stepped: no gauges
    }
    const auto matter = silentMatter(found.gauges);
    if (!matter || found.verdict.kind != StepVerdict::Sound) return;
    found.verdict.kind = StepVerdict::SilentFailure;
    found.verdict.headline = matter->headline();
    found.verdict.explanation = matter->sentence;
}

void LiveRun::readGauges() {
    const auto [record, stats] = measureStep(m_trainer->stepStart());
    const bool isAnyMeant = std::any_of(stats.tensors.begin(), stats.tensors.end(), [](const TensorStats& each) { return each.meant > 0; });
    if (!isAnyMeant) return;
    publishGauges(record.step, statsGauges(m_settings, stats));
    publish(ValuesMeasured{m_id, record.step, tensorShares(stats)});
}

/// Examines the previous update on a copy that is re-run to it. Returns nothing if that takes too long or the update is not the cause.
std::optional<Examination> LiveRun::examineUpdateBefore(const Examination& found, const ExaminerOptions& options) const {
    const std::int64_t step = found.step - 1;
    const auto missing = static_cast<double>(step - m_history->nearest(step).step);
    if (missing * found.cardMs * 1e-3 > options.trialSeconds) return std::nullopt;  // a step takes no longer than its examination
    const auto copy = fork(m_id, *this, step, m_settings.name, {});
    copy->mute();
    if (!copy->rerunWhile(rerunning(options))) return std::nullopt;
    copy->applyScheduled();
    Examination update = examineUpdate(*copy->m_trainer, copy->m_trainer->stepStart(), options);
    if (update.card.layer.empty()) return std::nullopt;
    return withNextStep(std::move(update));
}

// ---- Statistics of the past ----

/// Returns the changes that are effective in steps `from` to `to`, of settings that affect updates.
std::vector<RunPast::Change> LiveRun::changesOfUpdates(std::int64_t from, std::int64_t to) const {
    const RunPoint& begin = m_history->begin();
    std::vector<AppliedChange> all;
    for (const ScheduledChange& scheduled : m_scheduled) {
        for (const auto& [pointer, value] : scheduled.set) all.push_back({scheduled.step, pointer, value});
    }
    all.insert(all.end(), m_history->changes().begin(), m_history->changes().end());
    std::stable_sort(all.begin(), all.end(), [](const AppliedChange& a, const AppliedChange& b) { return a.step < b.step; });
    RunSettings settings = begin.settings;
    std::vector<RunPast::Change> changes;
    for (const AppliedChange& change : all) {
        if (change.step < begin.step || change.step > to) continue;
        const RunSettings before = settings;
        try {
            settings = resolvedOn(*m_backend, withChange(settings, change.pointer, change.value));
        } catch (const std::exception&) {  // the run refused this change, too, or it is not a setting
            continue;
        }
        const Field* const field = fieldAt(change.pointer);
        const bool isOfUpdates = change.pointer.starts_with("/optimizer/") || change.pointer == "/clip_grad_norm" ||
                                 change.pointer == "/accumulate" || change.pointer == "/zero_grad";
        if (change.step < from || field == nullptr || !isOfUpdates || settings == before) continue;
        const std::optional<Json> value = field->write(before);
        changes.push_back({change.step, change.pointer, settingLabel(change.pointer), settingText(before, change.pointer),
                           settingText(settings, change.pointer), value ? value->dump() : "null"});
    }
    return changes;
}

/// Ratio of the largest of fifty consecutive gradient norms to their median: the median over the latest such rows. NaN: too few norms.
double LiveRun::spreadOfGradNorms(std::int64_t first, std::int64_t last) const {
    constexpr std::int64_t kRow = 50, kRows = 20, kLeast = 10;
    const auto medianOf = [](std::vector<double>& values) {
        const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
        std::nth_element(values.begin(), middle, values.end());
        return *middle;
    };
    std::vector<double> spreads;
    for (std::int64_t end = last; end > first && std::ssize(spreads) < kRows; end -= kRow) {
        std::vector<double> norms;
        for (std::int64_t i = std::max(first, end - kRow); i < end; ++i)
            if (std::isfinite(m_pastSteps.at(i).gradNorm)) norms.push_back(m_pastSteps.at(i).gradNorm);
        if (std::ssize(norms) < kLeast) continue;
        const double largest = *std::max_element(norms.begin(), norms.end()), median = medianOf(norms);
        if (median > 0) spreads.push_back(largest / median);
    }
    return spreads.empty() ? std::nan("") : medianOf(spreads);
}

RunPast LiveRun::pastBefore(std::int64_t step) const {
    constexpr std::int64_t kSteps = 5000, kRow = 10, kHealthy = 50, kLeastHealthy = 10;
    const std::int64_t last = std::min(step, m_pastSteps.end());
    const std::int64_t first = std::min(last, std::max(m_pastSteps.keptFrom(), last - kSteps));
    const bool isWhole = first == 0;  // from the run's beginning
    const auto meanUntil = [&](std::int64_t end) {
        const std::int64_t begin = std::max(first, end - kRow);
        double sum = 0;
        for (std::int64_t i = begin; i < end; ++i) sum += m_pastSteps.at(i).loss;
        return sum / static_cast<double>(end - begin);
    };
    RunPast past;
    past.steps = last - m_pastSteps.firstStep();
    for (std::int64_t end = std::min(last, first + kRow); end > first && end <= last; ++end) {
        const double mean = meanUntil(end);
        if (!std::isfinite(mean) || mean >= (std::isnan(past.usualLoss) ? INFINITY : past.usualLoss)) continue;
        past.usualLoss = mean;
        past.usualUntil = end;
    }
    if (isWhole && last > 0 && m_pastSteps.firstLoss() < past.usualLoss) {  // the run has never learned
        past.usualLoss = m_pastSteps.firstLoss();
        past.usualUntil = 1;
    }
    const std::int64_t until = past.usualUntil;
    std::vector<double> norms;
    const std::int64_t healthy = std::clamp((until - first) / 2, kLeastHealthy, kHealthy);  // the first losses of a young run are higher
    for (std::int64_t i = std::max(first, until - healthy); i < until; ++i) {
        if (i + 1 - first >= std::min(kRow, until - first)) past.highestLoss = std::fmax(past.highestLoss, meanUntil(i + 1));
        if (std::isfinite(m_pastSteps.at(i).gradNorm)) norms.push_back(m_pastSteps.at(i).gradNorm);
    }
    if (!norms.empty()) {
        std::nth_element(norms.begin(), norms.begin() + static_cast<std::ptrdiff_t>(norms.size() / 2), norms.end());
        past.usualGradNorm = norms[norms.size() / 2];
    }
    past.gradNormSpread = spreadOfGradNorms(first, last);
    for (std::int64_t end = last; end > std::max(first, until) && past.healthyUntil == 0; --end) {
        if (meanUntil(end) <= 1.1 * past.highestLoss) past.healthyUntil = end;
    }
    past.healthyUntil = std::max(past.healthyUntil, past.usualUntil);
    for (std::int64_t i = last; i-- > first && std::isnan(past.latestLoss);) {
        if (std::isfinite(m_pastSteps.at(i).loss)) past.latestLoss = m_pastSteps.at(i).loss;
    }
    if (last > 0 && m_pastSteps.firstStep() == 0) past.firstLoss = m_pastSteps.firstLoss();
    if (last - first >= kRow) past.latestMean = meanUntil(last);
    if (isWhole && last >= kRow) past.firstMean = meanUntil(kRow);
    past.changes = changesOfUpdates(first, step);
    return past;
}

/// Tries a remedy in a copy, from before `from` to a number of steps beyond `examined`.
void LiveRun::tryFrom(std::int64_t from, std::int64_t examined, Remedy& remedy, const ExaminerOptions& options,
                      const StepsGoOn& goesOn) const {
    remedy.rewindTo = std::max(firstStep(), from);
    remedy.label = remedy.rewindTo == 0 ? Text("From the start: %1"_text, remedy.label)
                                        : Text("Back to step %1: %2"_text, remedy.rewindTo, remedy.label);
    const Json value = Json::parse(remedy.value);
    const Field* const field = fieldAt(remedy.pointer);
    const bool needsNewRun = field != nullptr && !field->isLive;
    if (needsNewRun && (remedy.rewindTo != 0 || m_history->begin().step != 0)) return;
    const auto copy = needsNewRun ? std::make_unique<LiveRun>(m_id, withInitialChange(m_history->begin().settings, remedy.pointer, value),
                                                              m_backend, m_sink)
                                  : fork(m_id, *this, remedy.rewindTo, m_settings.name, {{remedy.pointer, value}});
    copy->mute();
    if (needsNewRun) copy->m_scheduled = m_scheduled;
    if (!copy->rerunWhile(goesOn)) return;
    if (!needsNewRun) copy->change(0, remedy.pointer, value);
    const auto step = [&] {
        copy->applyScheduled();
        return copy->m_trainer->step();
    };
    ExaminerOptions own = options;
    if (needsNewRun) own.past.highestLoss = std::nan("");  // measured with another model
    tryOn(*copy->m_trainer, step, remedy, examined - remedy.rewindTo + options.remedySteps, own, goesOn);
}

/// Finds the step that wrote non-finite running statistics, by re-running a copy to the steps with a non-finite loss.
std::optional<std::int64_t> LiveRun::statisticsBrokenAt(const Examination& found, const ExaminerOptions& options) const {
    const auto first = m_pastSteps.firstNonFinite();
    if (!first || *first >= found.step) return std::nullopt;
    const std::int64_t step = *first;
    const auto missing = static_cast<double>(step - m_history->nearest(step).step);
    if (missing * found.cardMs * 1e-3 > options.trialSeconds) return std::nullopt;
    try {
        const auto copy = fork(m_id, *this, step, m_settings.name, {});
        copy->mute();
        if (!copy->rerunWhile(rerunning(options))) return std::nullopt;
        if (!brokenTensors(*copy->m_trainer).statistics.empty()) return std::nullopt;
        copy->applyScheduled();
        copy->m_trainer->step();
        if (brokenTensors(*copy->m_trainer).statistics.empty()) return std::nullopt;
        return step;
    } catch (const std::exception&) {
        return std::nullopt;
    }
}

void LiveRun::doubt(const StepRecord& record) {
    if (m_examining != Examining::AlongTheWay || isNonFiniteStep(record)) return;
    if (record.validated() && !std::isfinite(record.validationLoss) && !std::exchange(m_hasDoubtedValidation, true)) m_doubt = record.step;
    if (m_hasCheckedProgress || (record.step + 1) % kStepsToProgress != 0) return;
    const TrainingSettings& training = m_settings.training;
    if (scheduleFactor(training.optimizer.schedule, record.step, training.steps) < kFullRate) return;
    m_hasCheckedProgress = true;
    if (hasNoProgress(pastBefore(record.step + 1), *m_trainer)) m_doubt = record.step;
}

Examination LiveRun::examineNext(const LiveRun& source, const std::function<bool(const WorkProgress&)>& goesOn, bool isAsked) {
    applyScheduled();
    ExaminerOptions options = examinerOptions(true);
    if (!isAsked) options.remedySteps = kRemedyStepsAlongTheWay, options.trialSeconds = kSecondsForAList;
    options.goesOn = goesOn;
    return examineFrom(m_trainer->stepStart(), source, std::move(options));
}

StepThreshold LiveRun::measureThresholdAndStep(ThresholdMeter& meter) {
    applyScheduled();
    const StepThreshold threshold = meter.measure(*m_trainer);
    m_trainer->step();
    m_hasStopped = m_trainer->scaler().stopReason().has_value();
    return threshold;
}

StepStats LiveRun::measureNext() {
    m_trainer->setInstrumentation(Instrumentation::Full);
    applyScheduled();
    m_trainer->step();
    return m_trainer->stats().value();
}

StepTimes LiveRun::measureNextTimes(const std::function<bool()>& goesOn) {
    applyScheduled();
    return measureStepTimes(*m_trainer, *m_backend, goesOn);
}

ElementsFound LiveRun::readNext(const ElementRequest& request) {
    applyScheduled();
    return readElements(*m_trainer, request);
}

std::vector<OperandBlocks> LiveRun::readNextBlocks(const std::string& asPolicy) {
    applyScheduled();
    if (!asPolicy.empty()) apply(0, "/precision", asPolicy);
    return readBlocks(*m_trainer);
}

StepTensors LiveRun::readStepTensors() {
    applyScheduled();  // training the step applies it again without effect
    return mantissa::readStepTensors(*m_trainer);
}

}  // namespace mantissa
