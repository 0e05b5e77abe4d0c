// SPDX-License-Identifier: Apache-2.0
// A run's steps, looked at closer: bad ones by themselves, others when they are asked for.
#include <algorithm>
#include <chrono>
#include <utility>

#include "engine/session/live_run.h"

namespace mantissa {
namespace {

constexpr std::uint32_t kBadFlags = kFlagFoundInf | kFlagLossNonFinite | kFlagGradNormNonFinite;

}  // namespace

bool isBadStep(const StepRecord& record) {
    return (record.flags & kBadFlags) != 0;
}

/// In a session nobody waits for it; `mantissa diagnose` and ExamineStep take their time.
constexpr double kSecondsAlongTheWay = 0.2, kSecondsOnDemand = 20;
constexpr std::int64_t kRemedyStepsAlongTheWay = 20, kRemedySteps = 100;

ExaminerOptions LiveRun::examinerOptions(bool isOnDemand) const {
    return {.trialSeconds = isOnDemand ? kSecondsOnDemand : kSecondsAlongTheWay,
            .remedySteps = isOnDemand ? kRemedySteps : kRemedyStepsAlongTheWay,
            .consecutiveSkips = std::max<std::int64_t>(m_badSteps.consecutive(), 1),
            .settingsWith = [this](const std::string& pointer, const std::string& value) {
                return settledOn(*m_backend, withChange(m_settings, pointer, Json::parse(value))).training;
            }};
}

void LiveRun::examineBadStep() {
    const std::optional<StepStart> before = m_trainer->takeBadStep();
    if (!before) return;
    flush();
    tellCensus();  // the examination's own passes would write over it
    const auto start = std::chrono::steady_clock::now();
    Examination found = examineFrom(*before, *this, examinerOptions(m_examining == Examining::AtLeisure));
    m_badSteps.addExamination(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
    tell(StepExamined{m_id, std::move(found)});
}

Examination LiveRun::examineFrom(const StepStart& before, const LiveRun& source, const ExaminerOptions& options) {
    Examination found = examineStep(*m_trainer, before, options);
    if (found.verdict.kind != StepVerdict::BadWeights || found.step <= source.m_history->begin().step) return found;
    try {
        return source.examineUpdateBefore(found, options).value_or(found);
    } catch (const std::exception&) {
        return found;  // what broke the weights cannot be trained again: then what is known is that they were broken
    }
}

/// On a copy that catches up with the step before. Nothing where that takes too long, or the update is not to blame.
std::optional<Examination> LiveRun::examineUpdateBefore(const Examination& found, const ExaminerOptions& options) const {
    const std::int64_t step = found.step - 1;
    const auto missing = static_cast<double>(step - m_history->nearest(step).step);
    if (missing * found.cardMs * 1e-3 > options.trialSeconds) return std::nullopt;  // a step takes no longer than its card
    const auto copy = fork(m_id, *this, step, m_settings.name, {});
    copy->mute();
    while (copy->isBehind()) copy->catchUp();
    copy->applyScheduled();
    Examination update = examineUpdate(*copy->m_trainer, copy->m_trainer->stepStart(), options);
    if (update.card.layer.empty()) return std::nullopt;
    return update;
}

Examination LiveRun::examineNext(const LiveRun& source) {
    applyScheduled();
    return examineFrom(m_trainer->stepStart(), source, examinerOptions(true));
}

StepThreshold LiveRun::measureThresholdAndStep(ThresholdMeter& meter) {
    applyScheduled();
    const StepThreshold threshold = meter.measure(*m_trainer);
    m_trainer->step();
    m_hasStopped = m_trainer->scaler().stopReason().has_value();
    return threshold;
}

StepCensus LiveRun::measureNext() {
    m_trainer->setInstrumentation(Instrumentation::Full);
    applyScheduled();
    m_trainer->step();
    return m_trainer->census().value();
}

ElementsFound LiveRun::readNext(const ElementWish& wish) {
    applyScheduled();
    return readElements(*m_trainer, wish);
}

TwinStep LiveRun::readTwin() {
    applyScheduled();  // training the step does so again, which changes nothing
    return readTwinStep(*m_trainer);
}

}  // namespace mantissa
