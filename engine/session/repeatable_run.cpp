// SPDX-License-Identifier: Apache-2.0
#include "engine/session/repeatable_run.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "engine/experiment/checkpoint.h"
#include "engine/experiment/fields.h"
#include "engine/telemetry/number_format.h"

namespace mantissa {
namespace {

using Clock = std::chrono::steady_clock;

double secondsOf(Clock::duration time) {
    return std::chrono::duration<double>(time).count();
}

void sortByStep(std::vector<ScheduledChange>& changes) {
    std::stable_sort(changes.begin(), changes.end(), [](const ScheduledChange& a, const ScheduledChange& b) { return a.step < b.step; });
}

/// Returns a finite number as shortest text, others as NaN, +Inf, -Inf.
std::string injectedText(float value) {
    if (std::isfinite(value)) return shortest(value);
    return std::isnan(value) ? "NaN" : value > 0 ? "+Inf" : "-Inf";
}

/// Injects a fault into the trainer's next step.
SettingEffect inject(Trainer& trainer, const std::string& pointer, const Json& value) {
    if (pointer == kInjectTensorPointer) {
        const TensorInjection injection = injectedTensor(value);
        trainer.injectTensor(injection);
        return {pointer, injection.tensor + (injection.element ? "[" + std::to_string(*injection.element) + "]" : ""),
                injectedText(injection.value)};
    }
    const float to = injectedValue(value, pointer);
    const float from = pointer == kInjectLabelPointer ? trainer.injectLabel(to) : trainer.injectInput(to);
    return {pointer, injectedText(from), injectedText(to)};
}

/// Applies a change to a trainer. `settings`: those after it. Returns the effect of an action; nothing for a setting.
std::optional<SettingEffect> applyTo(Trainer& trainer, const std::string& pointer, const Json& value, const TrainingSettings& settings) {
    if (pointer == kScalePointer) {
        const std::string from = scaleText(static_cast<double>(trainer.scaler().scale()));
        trainer.setLossScale(value.get<double>());
        return SettingEffect{pointer, from, scaleText(static_cast<double>(trainer.scaler().scale()))};
    }
    if (isInjection(pointer)) return inject(trainer, pointer, value);
    const bool resetsStatistics = pointer == kResetStatisticsPointer, resetsScaler = pointer == kResetScalerPointer;
    if (resetsStatistics)
        trainer.resetStatistics();
    else
        trainer.change(settings);
    if (resetsScaler) trainer.setLossScale(resolvedScaler(settings.scaler).firstScale());
    if (resetsStatistics || resetsScaler) return SettingEffect{pointer, "", "reset"};
    return std::nullopt;
}

RunCourse newCourse(RunId id, const RunSettings& requested, std::shared_ptr<Backend> backend, std::vector<ScheduledChange> scheduled) {
    const RunSettings settings = resolvedOn(*backend, requested);
    return {.id = id,
            .settings = settings,
            .ownSettings = settings,
            .backend = std::move(backend),
            .dataset = loadDataset(settings.training.data),
            .history = History({.settings = settings, .ownSettings = settings}, kSnapshotBudget),
            .scheduled = std::move(scheduled)};
}

RunCourse courseFrom(const RecordedRun& run, const RunPoint& begin, std::shared_ptr<Backend> backend) {
    RunCourse course{.id = run.id,
                     .parent = run.parent,
                     .firstStep = run.firstStep,
                     .settings = begin.settings,
                     .ownSettings = begin.ownSettings,
                     .backend = std::move(backend),
                     .dataset = loadDataset(run.settings.training.data),
                     .history = History(begin, kSnapshotBudget),
                     .pastSteps = PastSteps(run.firstStep)};
    course.settings.name = course.ownSettings.name = run.settings.name;
    return course;
}

RunPoint pointBeforeNext(const RunCourse& course, const Trainer& trainer) {
    return {trainer.nextStep(), course.settings, course.ownSettings, course.hasToldNonFinite,
            std::make_shared<const Snapshot>(trainer.snapshot())};
}

}  // namespace

// ---- Beginnings ----

RepeatableRun::RepeatableRun(RunId id, const RunSettings& settings, std::shared_ptr<Backend> backend,
                             std::vector<ScheduledChange> scheduled)
    : m_course(newCourse(id, settings, std::move(backend), std::move(scheduled))) {
    makeTrainer();
    // initial weights from a seed can be repeated; a file may change
    if (!m_course.settings.training.init.weights.empty())
        m_course.history = History(pointBeforeNext(m_course, *m_trainer), kSnapshotBudget);
}

RepeatableRun RepeatableRun::fork(RunId id, const RunCourse& parent, std::int64_t step, const std::string& name,
                                  const std::vector<SettingChange>& changes) {
    const RunPoint& point = parent.history.nearest(step);
    RunCourse course{.id = id,
                     .parent = parent.id,
                     .firstStep = step,
                     .backend = parent.backend,
                     .dataset = parent.dataset,
                     .history = History(point, kSnapshotBudget),
                     .pastSteps = parent.pastSteps,
                     .target = step,
                     .instrumentation = parent.instrumentation};
    course.settings.name = name;
    for (const AppliedChange& change : parent.history.changes()) {
        if (change.step < step) {
            course.history.note(change);
        } else {
            course.scheduled.push_back({change.step, name, {{change.pointer, change.value}}});
        }
    }
    for (const ScheduledChange& scheduled : parent.scheduled) course.scheduled.push_back({scheduled.step, name, scheduled.set});
    sortByStep(course.scheduled);
    RepeatableRun run(std::move(course));
    run.returnTo(point);
    std::vector<ScheduledChange>& all = run.m_course.scheduled;
    for (const SettingChange& change : changes) {  // a change given for this fork replaces the parent's scheduled ones
        for (ScheduledChange& scheduled : all) {
            if (scheduled.step >= step) std::erase_if(scheduled.set, [&](const auto& each) { return each.first == change.pointer; });
        }
    }
    std::erase_if(all, [](const ScheduledChange& scheduled) { return scheduled.set.empty(); });
    return run;
}

RepeatableRun RepeatableRun::recorded(const RunsWay& way, std::vector<RunPoint> points, std::shared_ptr<Backend> backend) {
    const bool beginsAgain = way.run.firstStep == 0 && (points.empty() || points.front().step > 0);  // so may a fork
    const bool hasBegin = !points.empty() && points.front().step == way.run.firstStep;
    if (way.run.parent >= 0 && !beginsAgain && !hasBegin)
        throw InputError("", "", "the recording lacks the state in which '" + way.run.settings.name + "' begins");
    RepeatableRun run = way.run.parent < 0 || beginsAgain ? RepeatableRun(way.run.id, way.run.settings, std::move(backend))
                                                          : RepeatableRun(courseFrom(way.run, points.front(), std::move(backend)));
    RunCourse& course = run.m_course;
    course.parent = way.run.parent;
    course.requireData(way.run.dataSum);
    course.scheduled = way.run.scheduled;
    if (way.run.whatIfSteps > 0) run.makeWhatIf(way.run.whatIfSteps);
    for (const AppliedChange& change : way.changes) course.history.note(change);
    for (RunPoint& point : points) course.history.keep(std::move(point), 0);
    course.pastSteps = way.pastSteps;
    course.target = way.nextStep();
    run.returnTo(course.history.nearest(*course.target));
    run.rename(way.info.settings.name);
    course.hasStopped = way.hasStopped;
    return run;
}

RunCourse RepeatableRun::past() const {
    RunCourse past = m_course;
    past.target = nextStep();
    return past;
}

void RepeatableRun::makeTrainer() {
    requireFit(m_course.settings, *m_course.dataset);  // again, since a recording may come from elsewhere
    const TrainingSettings& training = m_course.settings.training;
    if (training.init.weights.empty()) {
        m_trainer = std::make_unique<Trainer>(training, m_course.dataset, m_course.backend);
    } else {
        const auto weights = loadWeights(training.init.weights, parameterShapes(training.model, shapeOf(*m_course.dataset)));
        m_trainer = std::make_unique<Trainer>(training, m_course.dataset, m_course.backend, &weights);
    }
    preferInstrumentation(m_course.instrumentation);
}

void RepeatableRun::preferInstrumentation(Instrumentation level) {
    m_course.instrumentation = level;
    try {
        m_trainer->setInstrumentation(level);
    } catch (const std::invalid_argument&) {
    } catch (const std::bad_alloc&) {
    }
}

void RepeatableRun::setInstrumentation(Instrumentation level) {
    m_trainer->setInstrumentation(level);
    m_course.instrumentation = level;
}

// ---- Steps ----

void RepeatableRun::train(std::int64_t most, const GoesOn& goesOn, const std::function<void(const StepRecord&)>& take) {
    trainSteps(most, goesOn, [&](const StepRecord& record) {
        m_course.pastSteps.add({record.loss, record.gradNorm});
        m_statisticsCost.add(m_trainer->instrumentation(), m_trainer->statsStep() == record.step, record.stepMs);
        take(record);
    });
}

void RepeatableRun::trainSteps(std::int64_t most, const GoesOn& goesOn, const std::function<void(const StepRecord&)>& take) {
    for (const ScheduledChange& change : m_course.scheduled) {
        if (change.step > m_trainer->nextStep()) most = std::min(most, change.step - m_trainer->nextStep());
    }
    // Commands wait for pending device steps: no longer than half a frame of the window.
    constexpr double kLongestWaitMs = 8;
    const double inTime = kLongestWaitMs / std::max(m_stepMs, 1e-3);
    const auto start = Clock::now();
    m_trainer->steps(most, static_cast<std::int64_t>(std::min(inTime, 1e6)), [&](const StepRecord& record) {
        m_stepMs = record.stepMs;
        take(record);
        return !goesOn || goesOn();
    });
    const auto trained = Clock::now();
    m_course.history.addTrainedSeconds(secondsOf(trained - start));
    if (m_course.history.wants(m_trainer->snapshotBytes())) {
        RunPoint point = pointBeforeNext(m_course, *m_trainer);
        m_course.history.keep(std::move(point), secondsOf(Clock::now() - trained));
    }
}

Trainer& RepeatableRun::prepareNext() {
    const std::int64_t step = m_trainer->nextStep();
    for (const ScheduledChange& scheduled : m_course.scheduled) {
        if (scheduled.step != step) continue;
        for (const auto& [pointer, value] : scheduled.set) {
            try {
                apply(pointer, value, m_course.changed(pointer, value));
            } catch (const std::exception&) {  // a live change made the event invalid, or memory is short
            }
        }
    }
    return *m_trainer;
}

std::optional<FirstNonFinite> RepeatableRun::takeFirstNonFinite() {
    auto first = m_trainer->firstNonFinite();
    if (!first || std::exchange(m_course.hasToldNonFinite, true)) return std::nullopt;
    return first;
}

// ---- Changes ----

void RepeatableRun::schedule(const std::vector<ScheduledChange>& changes) {
    m_course.scheduled.clear();
    std::copy_if(changes.begin(), changes.end(), std::back_inserter(m_course.scheduled),
                 [&](const ScheduledChange& change) { return change.run == m_course.settings.name; });
    sortByStep(m_course.scheduled);
}

void RepeatableRun::endPulses(std::int64_t from, std::int64_t to, const std::string& except) {
    const auto hasBegun = [&](const std::string& pointer) {
        return std::any_of(m_course.scheduled.begin(), m_course.scheduled.end(), [&](const ScheduledChange& each) {
            return each.step > from && each.step <= to &&
                   std::any_of(each.set.begin(), each.set.end(), [&](const auto& change) { return change.first == pointer; });
        });
    };
    for (const ScheduledChange& scheduled : m_course.scheduled) {
        if (scheduled.step != m_trainer->nextStep()) continue;
        for (const auto& [pointer, value] : scheduled.set) {
            if (pointer == except || !hasBegun(pointer)) continue;
            try {
                RunSettings settings = m_course.settings;
                settings.training = m_trainer->settings();
                applyTo(*m_trainer, pointer, value, resolvedOn(*m_course.backend, withChange(settings, pointer, value)).training);
            } catch (const std::exception&) {  // the trial made the event invalid, or memory is short
            }
        }
    }
}

std::vector<SettingEffect> RepeatableRun::apply(const std::string& pointer, const Json& value, RunSettings next) {
    RunSettings& now = m_course.settings;
    if (isInjection(pointer) && m_trainer->nextStep() >= m_course.lastStep()) throw InputError("", pointer, "the run has no next batch");
    if (auto action = applyTo(*m_trainer, pointer, value, next.training)) {
        if (pointer == kResetScalerPointer) now = std::move(next);
        return {*std::move(action)};
    }
    m_statisticsCost = {};  // measured with the former settings
    const RunSettings before = std::exchange(now, std::move(next));
    std::vector<SettingEffect> effects{{pointer, settingText(before, pointer), settingText(now, pointer)}};
    constexpr const char* kPreset = "/scaler/preset";
    const bool scalerFollowed = pointer != kPreset && now.training.scaler.preset != before.training.scaler.preset;
    if (scalerFollowed) effects.push_back({kPreset, settingText(before, kPreset), settingText(now, kPreset)});
    return effects;
}

void RepeatableRun::change(const std::string& pointer, const Json& value) {
    apply(pointer, value, m_course.changed(pointer, value));
    noteChange(pointer, value);
}

void RepeatableRun::noteChange(const std::string& pointer, const Json& value) {
    adoptChange(pointer, value);
    m_course.history.note({m_trainer->nextStep(), pointer, value});
}

void RepeatableRun::adoptChange(const std::string& pointer, const Json& value) {
    try {
        m_course.ownSettings = resolvedOn(*m_course.backend, withChange(m_course.ownSettings, pointer, value));
    } catch (const InputError&) {
        // valid only after an event's change; repeated when that event is applied
    }
}

void RepeatableRun::rename(const std::string& name) {
    m_course.settings.name = m_course.ownSettings.name = name;
    for (ScheduledChange& scheduled : m_course.scheduled) scheduled.run = name;
}

// ---- Rewinding and re-running ----

void RepeatableRun::checkStep(std::int64_t step) const {
    if (step >= m_course.firstStep && step <= nextStep()) return;
    throw InputError("", "",
                     "run '" + m_course.settings.name + "' can go back to before a step from " + std::to_string(m_course.firstStep) +
                         " to " + std::to_string(nextStep()) + ", and not to step " + std::to_string(step));
}

void RepeatableRun::limitSnapshots(std::int64_t bytes, bool mayGoBack) {
    m_course.history.setBudget(bytes);
    if (!mayGoBack) m_course.history.keepOnlyLatest();
}

void RepeatableRun::keepCheckpoint() {
    const std::string name = "run '" + m_course.settings.name + "'";
    History& history = m_course.history;
    const auto& changes = history.changes();
    // a rewind would undo changes made at this step
    if (!changes.empty() && changes.back().step == nextStep())
        throw InputError("", "", name + " was changed before step " + std::to_string(nextStep()) + ": train that step first");
    if (!history.keepByHand(history.latest().step == nextStep() ? history.latest() : pointBeforeNext(m_course, *m_trainer)))
        throw InputError("", "",
                         "the checkpoints of " + name + " would take more than the " + std::to_string(history.budgetByHand() >> 20) +
                             " MiB there are for them");
}

void RepeatableRun::returnTo(const RunPoint& point) {
    const std::string name = std::exchange(m_course.settings, point.settings).name;
    m_course.ownSettings = point.ownSettings;
    m_course.settings.name = m_course.ownSettings.name = name;
    m_course.hasToldNonFinite = point.hasToldNonFinite;
    m_course.hasStopped = false;
    if (point.snapshot == nullptr) return makeTrainer();
    RunSettings settings = point.settings;
    settings.training = point.snapshot->settings;
    requireFit(settings, *m_course.dataset);
    if (m_trainer == nullptr) {
        m_trainer = std::make_unique<Trainer>(point.snapshot->settings, m_course.dataset, m_course.backend);
        preferInstrumentation(m_course.instrumentation);
    }
    m_trainer->restore(*point.snapshot);
}

void RepeatableRun::rewind(std::int64_t step) {
    checkStep(step);
    const RunPoint point = m_course.history.nearest(step);
    m_course.history.forgetFrom(step);
    m_course.target = step;
    m_differsAt = -1;
    returnTo(point);
}

void RepeatableRun::rerun(const GoesOn& goesOn) {
    const std::int64_t from = m_trainer->nextStep(), target = *m_course.target;
    if (from < target) {
        applyChangesAgain();
        std::int64_t most = target - from;
        for (const AppliedChange& change : m_course.history.changes()) {
            if (change.step > from) most = std::min(most, change.step - from);
        }
        prepareNext().keepNonFiniteSteps(false);
        trainSteps(most, goesOn, [&](const StepRecord& record) {
            const PastSteps& past = m_course.pastSteps;
            const bool isKnown = past.has(record.step);
            if (m_differsAt < 0 && isKnown && !isSameValue(past.at(record.step).loss, record.loss)) m_differsAt = record.step;
        });
    }
    if (m_trainer->nextStep() != target) return;
    applyChangesAgain();  // changes made before the next step was trained
    // Steps before a fork belong to its parent.
    if (m_course.history.begin().step < m_course.firstStep)
        m_course.history = History(pointBeforeNext(m_course, *m_trainer), kSnapshotBudget);
    if (m_course.pastSteps.firstStep() != m_course.firstStep) m_course.pastSteps = PastSteps(m_course.firstStep);
    m_course.pastSteps.truncate(target);
    m_course.target.reset();
}

bool RepeatableRun::rerunWhile(const StepsGoOn& goesOn) {
    constexpr std::chrono::milliseconds kAtOnce(4);  // commands wait this long while training shares the device
    const std::int64_t from = m_trainer->nextStep();
    while (isLagging()) {
        if (!goesOn(m_trainer->nextStep() - from, *m_course.target - from)) return false;
        const auto until = Clock::now() + kAtOnce;
        rerun([until] { return Clock::now() < until; });
    }
    return true;
}

void RepeatableRun::applyChangesAgain() {
    const std::int64_t step = m_trainer->nextStep();
    for (const AppliedChange& change : m_course.history.changes()) {
        if (change.step != step) continue;
        apply(change.pointer, change.value, m_course.changed(change.pointer, change.value));
        adoptChange(change.pointer, change.value);
    }
}

}  // namespace mantissa
