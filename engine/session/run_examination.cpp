// SPDX-License-Identifier: Apache-2.0
#include "engine/session/run_examination.h"

#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>

#include "engine/experiment/fields.h"
#include "engine/experiment/run_gauges.h"
#include "engine/session/run_info.h"
#include "engine/training/remedies.h"
#include "engine/training/silent_findings.h"
#include "engine/training/then_restore.h"

namespace mantissa {
namespace {

constexpr std::uint32_t kBadFlags = kFlagFoundInf | kFlagLossNonFinite | kFlagGradNormNonFinite;

/// Automatic examinations in a session are short; `mantissa diagnose` and ExamineStep take longer.
constexpr double kSecondsAlongTheWay = 0.2, kSecondsOnDemand = 20, kSecondsForAList = 2;
constexpr std::int64_t kRemedyStepsAlongTheWay = 20, kRemedySteps = 100;

ExaminerOptions examinerOptions(const RepeatableRun& run, bool isOnDemand) {
    return {.trialSeconds = isOnDemand ? kSecondsOnDemand : kSecondsAlongTheWay,
            .remedySteps = isOnDemand ? kRemedySteps : kRemedyStepsAlongTheWay,
            .isThorough = isOnDemand,
            .past = {},
            .settingsWith = [&run](const std::string& pointer,
                                   const std::string& value) { return run.course().changed(pointer, Json::parse(value)).training; },
            .overridesWith =
                [&run](const std::vector<std::string>& places) {
                    const Json precision =
                        fieldAt("/precision")->write(run.course().settings).value_or(Json::object());  // or the policy's name
                    Json overrides = precision.is_object() ? precision.value("overrides", Json::object()) : Json::object();
                    for (const std::string& place : places) overrides[place] = facts(Dtype::F32).name;
                    return overrides.dump();
                }};
}

/// Progress of copies that are re-run for an examination. This time does not count as the examination's.
StepsGoOn rerunning(const ExaminerOptions& options) {
    return [&options](std::int64_t done, std::int64_t of) {
        return !options.goesOn || options.goesOn({.work = QuestionWork::Rerunning, .remedy = {}, .done = done, .of = of});
    };
}

bool isFiniteStep(const Examination& found) {
    return found.verdict.kind == StepVerdict::Sound || found.verdict.kind == StepVerdict::SilentFailure;
}

/// Adds that the update shows in the next step.
Examination withNextStep(Examination update) {
    update.verdict.explanation += "The next step reads what this update wrote."_text;
    return update;
}

/// Names before all else the values that the experiment, or the user, has injected into the examined step.
Examination withInjections(Examination found, const RunCourse& source) {
    Text text;
    const auto say = [&](const std::string& pointer, const Json& value) {
        if (!isInjection(pointer)) return;
        const bool isTensor = pointer == kInjectTensorPointer;
        const Json& injected = isTensor ? value.at("value") : value;
        text += Text("A value was injected into %1 in this step: %2."_text,
                     isTensor ? value.value("tensor", "") : pointer.substr(pointer.rfind('/') + 1),
                     injected.is_string() ? injected.get<std::string>() : injected.dump());
    };
    for (const ScheduledChange& scheduled : source.scheduled) {
        for (const auto& [pointer, value] : scheduled.set)
            if (scheduled.step == found.step) say(pointer, value);
    }
    for (const AppliedChange& change : source.history.changes())
        if (change.step == found.step) say(change.pointer, change.value);
    found.verdict.explanation = text + found.verdict.explanation;
    return found;
}

Examination examineFrom(RepeatableRun& run, const StepStart& before, const RunCourse& source, ExaminerOptions options);

/// Returns a sentence with the file's name if the run's initial weights were not finite.
std::optional<Text> wereLoadedBroken(const RunCourse& source, const Examination& found) {
    const RunPoint& begin = source.history.begin();
    const std::string& file = begin.settings.training.init.weights;
    if (file.empty() || begin.step > 0) return std::nullopt;
    RepeatableRun copy = RepeatableRun::fork(source.id, source, begin.step, source.settings.name);
    while (copy.isLagging()) copy.rerun();
    const std::vector<std::string> broken = brokenTensors(copy.trainer()).weights;
    if (broken.empty()) return std::nullopt;
    Text sentence =
        counted(std::ssize(broken), "%2 was not finite already as loaded from %3, before step 0: load other weights."_text,
                "%1 tensors were not finite already as loaded from %3, before step 0: load other weights."_text, broken.front(), file);
    if (found.step > 1) sentence += "What came after added to it."_text;
    return sentence;
}

/// Examines the previous update on a copy that is re-run to it. Returns nothing if that takes too long or the update is not the cause.
std::optional<Examination> examineUpdateBefore(const RunCourse& source, const Examination& found, const ExaminerOptions& options) {
    const std::int64_t before = found.step - 1;
    const auto missing = static_cast<double>(before - source.history.nearest(before).step);
    if (missing * found.cardMs * 1e-3 > options.trialSeconds) return std::nullopt;  // a step takes no longer than its examination
    RepeatableRun copy = RepeatableRun::fork(source.id, source, before, source.settings.name);
    if (!copy.rerunWhile(rerunning(options))) return std::nullopt;
    Trainer& trainer = copy.prepareNext();
    Examination update = examineUpdate(trainer, trainer.stepStart(), options);
    if (!update.card.layer.empty()) return withNextStep(std::move(update));
    // A step whose passes are not finite, although its loss and gradients are, is not examined otherwise.
    const bool seemedFinite = source.nonFiniteStepsInARowBefore(found.step) == 0;
    if (!seemedFinite || !brokenTensors(trainer).weights.empty()) return std::nullopt;
    ExaminerOptions own = examinerOptions(copy, true);
    std::tie(own.goesOn, own.trialSeconds, own.remedySteps) = std::tie(options.goesOn, options.trialSeconds, options.remedySteps);
    Examination step = examineFrom(copy, trainer.stepStart(), source, std::move(own));
    if (isFiniteStep(step)) return std::nullopt;
    return withNextStep(std::move(step));
}

/// Tries a remedy in a copy, from before `from` to a number of steps beyond `examined`.
void tryFrom(const RunCourse& source, std::int64_t from, std::int64_t examined, Remedy& remedy, const ExaminerOptions& options,
             const StepsGoOn& goesOn) {
    remedy.rewindTo = std::max(source.firstStep, from);
    remedy.label = remedy.rewindTo == 0 ? Text("From the start: %1"_text, remedy.label)
                                        : Text("Back to step %1: %2"_text, remedy.rewindTo, remedy.label);
    const Json value = Json::parse(remedy.value);
    const Field* const field = fieldAt(remedy.pointer);
    const bool needsNewRun = field != nullptr && !field->isLive;
    if (needsNewRun && (remedy.rewindTo != 0 || source.history.begin().step != 0)) return;
    RepeatableRun copy = needsNewRun
                             ? RepeatableRun(source.id, withInitialChange(source.history.begin().settings, remedy.pointer, value),
                                             source.backend, source.scheduled)
                             : RepeatableRun::fork(source.id, source, remedy.rewindTo, source.settings.name, {{remedy.pointer, value}});
    if (!copy.rerunWhile(goesOn)) return;
    if (!needsNewRun) copy.change(remedy.pointer, value);
    const auto step = [&] { return copy.prepareNext().step(); };
    ExaminerOptions own = options;
    if (needsNewRun) own.past.highestLoss = std::nan("");  // measured with another model
    tryOn(copy.trainer(), step, remedy, examined - remedy.rewindTo + options.remedySteps, own, goesOn);
}

/// Finds the step that wrote non-finite running statistics, by re-running a copy to the steps with a non-finite loss.
std::optional<std::int64_t> statisticsBrokenAt(const RunCourse& source, const Examination& found, const ExaminerOptions& options) {
    const auto first = source.pastSteps.firstNonFinite();
    if (!first || *first >= found.step) return std::nullopt;
    const std::int64_t step = *first;
    const auto missing = static_cast<double>(step - source.history.nearest(step).step);
    if (missing * found.cardMs * 1e-3 > options.trialSeconds) return std::nullopt;
    try {
        RepeatableRun copy = RepeatableRun::fork(source.id, source, step, source.settings.name);
        if (!copy.rerunWhile(rerunning(options))) return std::nullopt;
        if (!brokenTensors(copy.trainer()).statistics.empty()) return std::nullopt;
        copy.prepareNext().step();
        if (brokenTensors(copy.trainer()).statistics.empty()) return std::nullopt;
        return step;
    } catch (const std::exception&) {
        return std::nullopt;
    }
}

/// Adds a silent failure that the gauges show in a finite step.
void judgeByGauges(RepeatableRun& run, const StepStart& before, Examination& found) {
    try {
        const auto [record, stats] = measureStep(run.trainer(), before);
        found.gauges = runGauges(runInfo(run), &record, &stats);
    } catch (const std::exception&) {
        return;  // not enough memory, or the run cannot be stepped: no gauges
    }
    const auto matter = silentMatter(found.gauges);
    if (!matter || found.verdict.kind != StepVerdict::Sound) return;
    found.verdict.kind = StepVerdict::SilentFailure;
    found.verdict.headline = matter->headline();
    found.verdict.explanation = matter->sentence;
}

Examination examineFrom(RepeatableRun& run, const StepStart& before, const RunCourse& source, ExaminerOptions options) {
    const std::int64_t step = before.state.counters.nextStep;
    options.past = source.pastBefore(step);
    options.applyScheduled = [&run, step, within = options.remedySteps](const std::string& except) {
        run.endPulses(step - within, step, except);
    };
    options.consecutiveSkips = source.nonFiniteStepsInARowBefore(step) + 1;
    if (options.isThorough) {
        options.tryFrom = [&source, step, own = options](std::int64_t from, Remedy& remedy, const StepsGoOn& goesOn) {
            tryFrom(source, from, step, remedy, own, goesOn);
        };
    }
    Examination found = examineStep(run.trainer(), before, options);
    if (options.isThorough && isFiniteStep(found)) {
        if (Examination update = examineUpdate(run.trainer(), before, options); !update.card.layer.empty())
            return withNextStep(std::move(update));
    }
    if (options.isThorough && found.verdict.kind != StepVerdict::BadWeights) judgeByGauges(run, before, found);
    if (options.isThorough && found.verdict.kind == StepVerdict::BadStatistics) {
        if (const auto broken = statisticsBrokenAt(source, found, options))
            found.verdict.explanation += Text("They were finite before step %1."_text, *broken);
    }
    if (found.verdict.kind != StepVerdict::BadWeights || found.step <= source.history.begin().step) return found;
    try {
        if (const auto sentence = wereLoadedBroken(source, found)) {
            found.verdict.explanation += *sentence;
            return found;
        }
        if (auto update = examineUpdateBefore(source, found, options)) return *std::move(update);
        if (const auto first = source.pastSteps.firstNonFinite(); first && *first < found.step)
            found.verdict.explanation += Text("The loss was first not finite at step %1: examine that step."_text, *first);
        return found;
    } catch (const std::exception&) {
        return found;  // the failing step cannot be re-run: only the broken weights are known
    }
}

}  // namespace

bool isNonFiniteStep(const StepRecord& record) {
    return (record.flags & kBadFlags) != 0;
}

std::pair<StepRecord, StepStats> measureStep(Trainer& trainer, const StepStart& before) {
    return thenRestore(trainer, [&] {
        trainer.restore(before.state);
        trainer.putFaults(before.faults);
        const Instrumentation level = trainer.instrumentation();
        try {
            trainer.setInstrumentation(Instrumentation::Full);
            const StepRecord record = trainer.step();
            std::pair<StepRecord, StepStats> seen{record, trainer.stats().value()};
            trainer.setInstrumentation(level);
            return seen;
        } catch (...) {
            trainer.setInstrumentation(level);
            throw;
        }
    });
}

Examination examineNonFinite(RepeatableRun& run, const StepStart& before, Examining examining) {
    ExaminerOptions options = examinerOptions(run, examining == Examining::AtLeisure);
    if (examining == Examining::ForAList) options.remedySteps = 0, options.trialSeconds = kSecondsForAList;
    return withInjections(examineFrom(run, before, run.course(), std::move(options)), run.course());
}

Examination examineNext(RepeatableRun& run, const RunCourse& source, const std::function<bool(const WorkProgress&)>& goesOn, bool isAsked) {
    const Trainer& trainer = run.prepareNext();
    ExaminerOptions options = examinerOptions(run, true);
    if (!isAsked) options.remedySteps = kRemedyStepsAlongTheWay, options.trialSeconds = kSecondsForAList;
    options.goesOn = goesOn;
    return withInjections(examineFrom(run, trainer.stepStart(), source, std::move(options)), source);
}

}  // namespace mantissa
