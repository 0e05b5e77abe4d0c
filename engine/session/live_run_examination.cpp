// SPDX-License-Identifier: Apache-2.0
// A run's bad steps, looked at closer.
#include <algorithm>
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
            .consecutiveSkips = std::max<std::int64_t>(m_badSteps.consecutive(), 1)};
}

void LiveRun::examineIfBad(const StepRecord& record) {
    m_badSteps.add(isBadStep(record), record.stepMs * 1e-3);
    const std::optional<StepStart> before = m_trainer->takeBadStep();
    if (!before) return;
    flush();
    tellCensus();  // the examination's own passes would write over it
    Examination found = examineFrom(*before, examinerOptions(m_examinesAtLeisure));
    m_badSteps.addExamination(found.allMs * 1e-3);
    tell(StepExamined{m_id, std::move(found)});
}

Examination LiveRun::examineFrom(const StepStart& before, const ExaminerOptions& options) {
    Examination found = examineStep(*m_trainer, before, options);
    if (found.verdict.kind != StepVerdict::BadWeights || found.step <= m_history->begin().step) return found;
    try {
        const auto earlier = fork(m_id, *this, found.step - 1, m_settings.name, {});
        earlier->mute();
        while (earlier->isBehind()) earlier->catchUp();
        earlier->applyScheduled();
        Examination update = examineUpdate(*earlier->m_trainer, earlier->m_trainer->stepStart(), options);
        if (!update.card.layer.empty()) return update;
    } catch (const std::exception&) {
        // what broke the weights cannot be trained again: then what is known is that they were broken
    }
    return found;
}

Examination LiveRun::examineNext() {
    applyScheduled();
    return examineFrom(m_trainer->stepStart(), examinerOptions(true));
}

}  // namespace mantissa
