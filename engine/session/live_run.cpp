// SPDX-License-Identifier: Apache-2.0
#include "engine/session/live_run.h"

#include <algorithm>
#include <cmath>
#include <new>
#include <stdexcept>

#include "engine/diagnosis/tensor_shares.h"
#include "engine/experiment/error_text.h"
#include "engine/experiment/fields.h"
#include "engine/experiment/run_gauges.h"
#include "engine/session/run_info.h"
#include "engine/telemetry/number_format.h"
#include "engine/training/schedule.h"
#include "engine/training/silent_findings.h"
#include "kernels/out_of_memory.h"

namespace mantissa {
namespace {

constexpr std::chrono::milliseconds kBetweenStats(100);  // often enough for the plots; the messages are large
constexpr std::chrono::milliseconds kLongestWait(8);     // half a frame of the window; a whole one delays pixels by two frames
using Clock = std::chrono::steady_clock;

}  // namespace

std::int64_t monotonicNs() {
    return std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now().time_since_epoch()).count();
}

std::string refusalSentence(const std::exception& error) {
    const auto* input = dynamic_cast<const InputError*>(&error);
    if (input != nullptr && input->source().empty()) return input->sentence();
    const bool isUnnamed = dynamic_cast<const std::bad_alloc*>(&error) != nullptr && dynamic_cast<const OutOfMemory*>(&error) == nullptr;
    return isUnnamed ? "there is not enough memory" : errorText(error);
}

LiveRun::LiveRun(RepeatableRun run, Sink sink)
    : RepeatableRun(std::move(run)), m_sink(std::move(sink)), m_usedBytes(course().backend->device().busId) {}

LiveRun::LiveRun(RunId id, const RunSettings& settings, std::shared_ptr<Backend> backend, Sink sink)
    : LiveRun(RepeatableRun(id, settings, std::move(backend)), std::move(sink)) {}

std::unique_ptr<LiveRun> LiveRun::fork(RunId id, const LiveRun& parent, std::int64_t step, const std::string& name,
                                       const std::vector<SettingChange>& changes) {
    parent.checkStep(step);
    auto run = std::make_unique<LiveRun>(RepeatableRun::fork(id, parent.course(), step, name, changes), parent.m_sink);
    run->m_examining = parent.m_examining;
    run->m_clock = parent.m_clock;
    return run;
}

void LiveRun::setInstrumentation(Instrumentation level) {
    RepeatableRun::setInstrumentation(level);
    m_publishedStats = -1;
    m_publishedGauges.clear();
}

void LiveRun::publishStats(Clock::duration least) {
    const std::int64_t step = trainer().statsStep();
    if (step < 0 || step == m_publishedStats || isLagging() || Clock::now() - m_lastStats < least) return;
    flush();
    m_publishedStats = step;
    m_lastStats = Clock::now();
    const StepStats stats = *trainer().stats();
    std::vector<Gauge> gauges = statsGauges(course().settings, stats);
    publish(TensorsMeasured{course().id, stats, statisticsCost().ratio(trainer().instrumentation()).value_or(0)});
    const auto isAsReported = [](const Gauge& a, const Gauge& b) { return a.kind == b.kind && a.severity == b.severity; };
    publish(ValuesMeasured{course().id, step, tensorShares(stats)});
    if (!std::equal(gauges.begin(), gauges.end(), m_publishedGauges.begin(), m_publishedGauges.end(), isAsReported))
        publishGauges(step, std::move(gauges));
}

void LiveRun::publishGauges(std::int64_t step, std::vector<Gauge> gauges) {
    m_publishedGauges = gauges;
    publish(GaugesRead{course().id, step, std::move(gauges)});
}

void LiveRun::readGauges() {
    const auto [record, stats] = measureStep(trainer(), trainer().stepStart());
    const bool isAnyMeant = std::any_of(stats.tensors.begin(), stats.tensors.end(), [](const TensorStats& each) { return each.meant > 0; });
    if (!isAnyMeant) return;
    publishGauges(record.step, statsGauges(course().settings, stats));
    publish(ValuesMeasured{course().id, record.step, tensorShares(stats)});
}

void LiveRun::publish(Event&& event) const {
    if (!isLagging()) m_sink(std::move(event));
}

// ---- Steps ----

void LiveRun::step(std::int64_t most, const GoesOn& goesOn) {
    std::optional<std::string> stopReason;
    try {
        StepRecord last;
        const double before = m_clock != nullptr ? m_clock->seconds() - trainer().trainedSeconds() : 0;
        most = std::min(most, course().lastStep() - nextStep());
        applyScheduled();
        // `steps` ends at a non-finite step, and the next one runs alone. So this is evaluated before each step of a row.
        const bool isWanted = m_examining == Examining::ForAList || m_stepsToExamine.wantsNext(m_examining == Examining::AtLeisure);
        trainer().keepNonFiniteSteps(m_examining != Examining::Never && isWanted);
        train(most, goesOn, [&](const StepRecord& record) {
            last = record;
            last.wallSeconds += before;
            takeIn(last);
        });
        stopReason = trainer().scaler().stopReason();  // read before an examination, which restores a snapshot and loses it
        if ((last.flags & kFlagValidated) != 0) sampleText(last.step);
        examineNonFiniteStep();
    } catch (const OutOfMemory& error) {
        return stop(std::string(error.what()) + "; the run has " + memoryText(trainer().allocatedBytes()));
    } catch (const std::bad_alloc&) {  // host memory
        return stop("no memory for what the step needs beside its plan, which has " + memoryText(trainer().allocatedBytes()) + ": " +
                    memoryText(course().backend->availableBytes()) + " are free");
    } catch (const std::exception& error) {
        return stop(refusalSentence(error));
    }
    if (const auto first = takeFirstNonFinite()) {
        flush();
        publish(NonFiniteFound{course().id, *first});
    }
    if (stopReason) return stop(*stopReason);
    publishStats(kBetweenStats);
}

void LiveRun::takeIn(const StepRecord& record) {
    constexpr std::uint32_t kKind = kFlagSkipped | kFlagFoundInf | kFlagLossNonFinite | kFlagGradNormNonFinite;
    m_stepsToExamine.add(isNonFiniteStep(record), record.stepMs * 1e-3, record.flags & kKind);
    doubt(record);
    m_records.push_back(record);
    flushIfDue();
}

void LiveRun::stop(const std::string& reason) {
    markStopped();
    flush();
    publish(RunStopped{course().id, trainer().nextStep(), reason});
}

void LiveRun::sampleText(std::int64_t step) {
    const std::string text = trainer().sampleText(course().settings.training.sampleTokens);
    if (text.empty()) return;
    flush();
    publish(TextSampled{course().id, step, shownText(text)});
}

void LiveRun::doubt(const StepRecord& record) {
    if (m_examining != Examining::AlongTheWay || isNonFiniteStep(record)) return;
    if (record.validated() && !std::isfinite(record.validationLoss) && !std::exchange(m_hasDoubtedValidation, true)) m_doubt = record.step;
    if (m_hasCheckedProgress || (record.step + 1) % kStepsToProgress != 0) return;
    const TrainingSettings& training = course().settings.training;
    if (scheduleFactor(training.optimizer.schedule, record.step, training.steps) < kFullRate) return;
    m_hasCheckedProgress = true;
    if (hasNoProgress(course().pastBefore(record.step + 1), trainer())) m_doubt = record.step;
}

void LiveRun::examineNonFiniteStep() {
    const std::optional<StepStart> before = trainer().takeNonFiniteStep();
    if (!before || (m_examining == Examining::ForAList && !m_stepsToExamine.wantsForAList())) return;
    flush();
    publishStats();  // before the examination's passes overwrite them
    const auto start = Clock::now();
    Examination found = examineNonFinite(*this, *before, m_examining);
    m_stepsToExamine.addExamination(std::chrono::duration<double>(Clock::now() - start).count());
    publish(StepExamined{course().id, std::move(found)});
}

void LiveRun::flush() {
    if (m_records.empty()) return;
    StepsRecorded steps{.run = course().id,
                        .records = std::move(m_records),
                        .nextScale = static_cast<double>(trainer().scaler().scale()),
                        .cleanSteps = trainer().scaler().cleanSteps(),
                        .sentNs = monotonicNs(),
                        .allocatedBytes = trainer().allocatedBytes(),
                        .deviceUsedBytes = m_usedBytes.recent().value_or(-1)};
    m_records = {};
    m_lastFlush = Clock::now();
    m_sink(std::move(steps));
}

void LiveRun::flushIfDue() {
    if (m_records.empty()) return;
    if (m_records.size() >= kMostLiveRecords || Clock::now() - m_lastFlush >= kLongestWait) flush();
}

// ---- Changes ----

void LiveRun::applyScheduled() {
    const std::int64_t step = trainer().nextStep();
    for (const ScheduledChange& scheduled : course().scheduled) {
        if (scheduled.step != step) continue;
        for (const auto& [pointer, value] : scheduled.set) {
            try {
                apply(0, pointer, value);
            } catch (const std::exception& error) {  // a live change made the event invalid, or memory is short
                publish(CommandRefused{0, course().id, pointer, refusalSentence(error)});
            }
        }
    }
}

void LiveRun::apply(std::uint64_t commandId, const std::string& pointer, const Json& value) {
    RunSettings next = course().changed(pointer, value);
    flush();
    for (const SettingEffect& effect : RepeatableRun::apply(pointer, value, std::move(next))) {
        publish(SettingApplied{commandId, course().id, trainer().nextStep(), effect.pointer, settingLabel(effect.pointer), effect.from,
                               effect.to});
    }
    publish(RunChanged{runInfo(*this)});
}

void LiveRun::change(std::uint64_t commandId, const std::string& pointer, const Json& value) {
    apply(commandId, pointer, value);
    noteChange(pointer, value);
}

void LiveRun::rename(const std::string& name) {
    flush();
    RepeatableRun::rename(name);
    publish(RunChanged{runInfo(*this)});
}

void LiveRun::rewind(std::int64_t step) {
    checkStep(step);
    flush();
    m_stepsToExamine.beginAgain();
    m_doubt.reset();
    m_hasDoubtedValidation = m_hasCheckedProgress = false;
    m_publishedStats = -1;
    m_publishedGauges.clear();
    RepeatableRun::rewind(step);
}

}  // namespace mantissa
