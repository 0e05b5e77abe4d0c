// SPDX-License-Identifier: Apache-2.0
// Rewinding a run to earlier steps, forking it, and re-running.
#include <algorithm>
#include <utility>

#include "engine/session/live_run.h"

namespace mantissa {
std::shared_ptr<const Snapshot> LiveRun::takeSnapshot() const {
    return std::make_shared<const Snapshot>(m_trainer->snapshot());
}

RunPoint LiveRun::pointHere(std::shared_ptr<const Snapshot> snapshot) const {
    return {m_trainer->nextStep(), m_settings, m_ownSettings, m_hasToldNonFinite, std::move(snapshot)};
}

void LiveRun::checkStep(std::int64_t step) const {
    if (step >= m_firstStep && step <= nextStep()) return;
    throw InputError("", "",
                     "run '" + m_settings.name + "' can go back to before a step from " + std::to_string(m_firstStep) + " to " +
                         std::to_string(nextStep()) + ", and not to step " + std::to_string(step));
}

void LiveRun::keepCheckpoint() {
    const std::string name = "run '" + m_settings.name + "'";
    const auto& changes = m_history->changes();
    // a rewind would undo changes made at this step
    if (!changes.empty() && changes.back().step == nextStep())
        throw InputError("", "", name + " was changed before step " + std::to_string(nextStep()) + ": train that step first");
    const bool isKnown = m_history->latest().step == nextStep();
    if (!m_history->keepByHand(isKnown ? m_history->latest() : pointHere(takeSnapshot())))
        throw InputError("", "",
                         "the checkpoints of " + name + " would take more than the " + std::to_string(m_history->budgetByHand() >> 20) +
                             " MiB there are for them");
}

void LiveRun::returnTo(const RunPoint& point) {
    const std::string name = std::exchange(m_settings, point.settings).name;
    m_ownSettings = point.ownSettings;
    m_settings.name = m_ownSettings.name = name;
    m_hasToldNonFinite = point.hasToldNonFinite;
    m_hasStopped = false;
    m_stepsToExamine.beginAgain();
    m_doubt.reset();
    m_hasDoubtedValidation = m_hasCheckedProgress = false;
    m_publishedStats = -1;
    m_publishedGauges.clear();
    if (point.snapshot == nullptr) return makeTrainer();
    RunSettings settings = point.settings;
    settings.training = point.snapshot->settings;
    requireFit(settings, *m_dataset);
    if (m_trainer == nullptr) {
        m_trainer = std::make_unique<Trainer>(point.snapshot->settings, m_dataset, m_backend);
        preferInstrumentation(m_instrumentation);
    }
    m_trainer->restore(*point.snapshot);
}

void LiveRun::rewind(std::int64_t step) {
    checkStep(step);
    flush();
    const RunPoint point = m_history->nearest(step);
    m_history->forgetFrom(step);
    m_target = step;
    m_differsAt = -1;
    returnTo(point);
}

LiveRun::LiveRun(const RecordedRun& run, const RunPoint& begin, std::shared_ptr<Backend> backend, Sink sink)
    : m_id(run.id),
      m_parent(run.parent),
      m_firstStep(run.firstStep),
      m_settings(begin.settings),
      m_ownSettings(begin.ownSettings),
      m_backend(std::move(backend)),
      m_dataset(loadDataset(run.settings.training.data)),
      m_sink(std::move(sink)),
      m_history(std::make_unique<History>(begin, kSnapshotBudget)),
      m_pastSteps(run.firstStep) {
    m_settings.name = m_ownSettings.name = run.settings.name;
}

std::unique_ptr<LiveRun> LiveRun::recorded(const RunsWay& way, std::vector<RunPoint> points, std::shared_ptr<Backend> backend, Sink sink) {
    std::unique_ptr<LiveRun> run;
    const bool beginsAgain = way.run.firstStep == 0 && (points.empty() || points.front().step > 0);  // so may a fork
    if (way.run.parent < 0 || beginsAgain) {
        run = std::make_unique<LiveRun>(way.run.id, way.run.settings, std::move(backend), std::move(sink));
        run->m_parent = way.run.parent;
    } else if (!points.empty() && points.front().step == way.run.firstStep) {
        run.reset(new LiveRun(way.run, points.front(), std::move(backend), std::move(sink)));
    } else {
        throw InputError("", "", "the recording lacks the state in which '" + way.run.settings.name + "' begins");
    }
    run->requireData(way.run.dataSum);
    run->resume(way, std::move(points));
    return run;
}

void LiveRun::resume(const RunsWay& way, std::vector<RunPoint> points) {
    m_scheduled = way.run.scheduled;
    if (way.run.whatIfSteps > 0) makeWhatIf(way.run.whatIfSteps);
    for (const AppliedChange& change : way.changes) m_history->note(change);
    for (RunPoint& point : points) m_history->keep(std::move(point), 0);
    m_pastSteps = way.pastSteps;
    m_target = way.nextStep();
    returnTo(m_history->nearest(*m_target));
    rename(way.info.settings.name);
    m_hasStopped = way.hasStopped;
}

void LiveRun::rerun(const GoesOn& goesOn) {
    const std::int64_t from = reachedStep();
    if (from < *m_target) {
        applyChangesAgain();
        std::int64_t most = *m_target - from;
        for (const AppliedChange& change : m_history->changes()) {
            if (change.step > from) most = std::min(most, change.step - from);
        }
        trainSteps(most, goesOn, [&](const StepRecord& record) {
            m_stepMs = record.stepMs;
            const bool isKnown = m_pastSteps.has(record.step);
            if (m_differsAt < 0 && isKnown && !isSameValue(m_pastSteps.at(record.step).loss, record.loss)) m_differsAt = record.step;
        });
    }
    if (reachedStep() == *m_target) arrive();
}

bool LiveRun::rerunWhile(const StepsGoOn& goesOn) {
    constexpr std::chrono::milliseconds kAtOnce(4);  // commands wait this long while training shares the device
    const std::int64_t from = reachedStep();
    while (isLagging()) {
        if (!goesOn(reachedStep() - from, *m_target - from)) return false;
        const auto until = std::chrono::steady_clock::now() + kAtOnce;
        rerun([until] { return std::chrono::steady_clock::now() < until; });
    }
    return true;
}

void LiveRun::applyChangesAgain() {
    const std::int64_t step = reachedStep();
    for (const AppliedChange& change : m_history->changes()) {
        if (change.step == step) applyForGood(0, change.pointer, change.value);
    }
}

void LiveRun::arrive() {
    applyChangesAgain();  // changes made before the next step was trained
    // Steps before a fork belong to its parent.
    if (m_history->begin().step < m_firstStep) m_history = std::make_unique<History>(pointHere(takeSnapshot()), kSnapshotBudget);
    if (m_pastSteps.firstStep() != m_firstStep) m_pastSteps = PastSteps(m_firstStep);
    m_pastSteps.truncate(reachedStep());
    m_target.reset();
}

}  // namespace mantissa
