// SPDX-License-Identifier: Apache-2.0
#include "engine/session/diagnose.h"

#include <algorithm>
#include <optional>
#include <stdexcept>
#include <tuple>

#include "engine/diagnosis/verdict.h"
#include "engine/experiment/values.h"
#include "engine/session/trained_run.h"
#include "engine/telemetry/number_format.h"
#include "engine/training/thresholds.h"

namespace mantissa {
namespace {

/// Events of a run during the diagnosis: the last examination, and the reason if the run stopped.
struct CollectedEvents {
    std::optional<Examination> examination;
    std::string stopReason;
    void take(Event&& event) {
        if (auto* examined = std::get_if<StepExamined>(&event)) {
            if (!examination) examination = std::move(examined->examination);
        } else if (const auto* stopped = std::get_if<RunStopped>(&event)) {
            stopReason = stopped->reason;
        }
    }
};

/// Rank of a verdict. Among several runs the highest rank is reported.
int gravityOf(const Examination& found) {
    if (found.verdict.kind == StepVerdict::Sound) return 0;
    if (found.verdict.isNormalProbing) return 1;
    return onlyLearnsNothing(found) ? 2 : 3;
}

/// Returns the first examination of the highest rank, with the verdicts of the other runs.
Diagnosed gravestOf(std::vector<Diagnosed> all) {
    const auto gravest = std::max_element(
        all.begin(), all.end(), [](const Diagnosed& a, const Diagnosed& b) { return gravityOf(a.examination) < gravityOf(b.examination); });
    Diagnosed chosen = *gravest;
    for (auto each = all.begin(); each != all.end(); ++each) {
        if (each != gravest) chosen.others.emplace_back(each->run, each->examination.verdict);
        if (chosen.changed.empty()) chosen.changed = each->changed;
    }
    return chosen;
}

constexpr const char* kNotExamined = "was not examined while it was watched, and a watched training's past cannot be repeated";
constexpr const char* kSince = ": the data or the program have changed since, or this is another machine";

std::string changedAt(std::int64_t step, const RepeatableRun& run) {
    return "step " + std::to_string(step) + " of run '" + run.course().settings.name + "' comes out differently than it was recorded" +
           kSince;
}

/// Trains the step of `recorded` and compares it with the record, bit for bit. Returns a sentence about the first difference; empty: none.
std::string changedSince(LiveRun& run, const StepRecord& recorded, const std::optional<StepRecord>& latest) {
    if (run.differsAt() >= 0) return changedAt(run.differsAt(), run);
    const std::string ofRun = " of run '" + run.course().settings.name + "' ";
    run.step();
    run.flush();
    const std::string step = "step " + std::to_string(recorded.step) + ofRun;
    if (!latest || latest->step != recorded.step) return step + "cannot be trained again" + kSince;
    const auto differs = [&](const char* what, double was, double is) {
        return step + "comes out differently than it was recorded, " + what + " " + shortest(was) + " then and " + shortest(is) + " now" +
               kSince;
    };
    if (!isSameValue(recorded.loss, latest->loss)) return differs("loss", recorded.loss, latest->loss);
    if (!isSameValue(recorded.gradNorm, latest->gradNorm)) return differs("gradient norm", recorded.gradNorm, latest->gradNorm);
    return "";
}

}  // namespace

Diagnosed diagnose(const Experiment& experiment, std::shared_ptr<Backend> backend, const DiagnoseRequest& request) {
    struct Followed {
        CollectedEvents collected;
        std::unique_ptr<LiveRun> run;
    };
    std::vector<std::unique_ptr<Followed>> runs;
    for (const RunSettings& settings : experiment.runs) {
        if (!request.run.empty() && settings.name != request.run) continue;
        auto& followed = *runs.emplace_back(std::make_unique<Followed>());
        followed.run = std::make_unique<LiveRun>(static_cast<RunId>(runs.size()), settings, backend,
                                                 [&collected = followed.collected](Event&& event) { collected.take(std::move(event)); });
        followed.run->schedule(experiment.events);
        if (!request.step) followed.run->setExamining(Examining::AtLeisure);
    }
    if (runs.empty()) throw noSuchRun(request.run, runNames(experiment));
    Diagnosed diagnosed;
    if (request.step) {
        std::vector<Diagnosed> ofTheStep;
        for (const auto& each : runs) {
            LiveRun& run = *each->run;
            for (; run.canStep() && run.nextStep() < *request.step && each->collected.stopReason.empty(); ++diagnosed.steps) run.step();
            const bool isThere = run.nextStep() == *request.step && each->collected.stopReason.empty();
            if (isThere) ofTheStep.push_back({.run = run.course().settings.name, .examination = examineNext(run, run.course())});
        }
        if (!ofTheStep.empty()) {
            Diagnosed found = gravestOf(std::move(ofTheStep));
            found.steps = diagnosed.steps;
            return found;
        }
        const auto longest = std::max_element(runs.begin(), runs.end(),
                                              [](const auto& a, const auto& b) { return a->run->nextStep() < b->run->nextStep(); });
        const std::string name = "run '" + (*longest)->run->course().settings.name + "'";
        if (!(*longest)->collected.stopReason.empty())
            throw std::runtime_error(name + " could not go on: " + (*longest)->collected.stopReason);
        throw InputError("", "",
                         name + " has no step " + std::to_string(*request.step) + ": it can be examined up to step " +
                             std::to_string((*longest)->run->nextStep()));
    }
    std::pair<std::string, Examination> firstNormal;
    while (std::any_of(runs.begin(), runs.end(), [](const auto& each) { return each->run->canStep(); })) {
        for (const auto& each : runs) {
            auto& [collected, run] = *each;
            if (!run->canStep()) continue;
            run->step();
            ++diagnosed.steps;
            if (!collected.examination) {
                if (!collected.stopReason.empty())
                    throw std::runtime_error("run '" + run->course().settings.name + "' could not go on: " + collected.stopReason);
                continue;
            }
            if (collected.examination->verdict.isNormalProbing) {
                if (diagnosed.normal++ == 0) firstNormal = {run->course().settings.name, *collected.examination};
                collected.examination.reset();
                continue;
            }
            diagnosed.run = run->course().settings.name;
            diagnosed.examination = *collected.examination;
            return diagnosed;
        }
    }
    Diagnosed slow;
    for (const auto& each : runs) {
        Examination last = examineNext(*each->run, each->run->course());  // all steps were finite: searches for silent failures
        if (last.verdict.kind == StepVerdict::Sound || (onlyLearnsNothing(last) && !slow.run.empty())) continue;
        Diagnosed& found = onlyLearnsNothing(last) ? slow : diagnosed;
        found.run = each->run->course().settings.name;
        found.examination = std::move(last);
        if (!diagnosed.run.empty()) return diagnosed;
    }
    if (!slow.run.empty()) std::tie(diagnosed.run, diagnosed.examination) = std::tie(slow.run, slow.examination);
    if (!slow.run.empty()) return diagnosed;
    if (diagnosed.normal > 0) std::tie(diagnosed.run, diagnosed.examination) = firstNormal;
    return diagnosed;
}

namespace {

/// Of consecutive steps the 1st, 2nd, 4th, ...: those examined during training.
std::vector<StepRecord> examinedOf(const std::vector<StepRecord>& records) {
    std::vector<StepRecord> chosen;
    StepsToExamine rows;
    for (std::size_t i = 0; i < records.size(); ++i) {
        if (i > 0 && records[i].step != records[i - 1].step + 1) rows.beginAgain();
        if (rows.wantsNext(true)) chosen.push_back(records[i]);
        rows.add(true, 0);
    }
    return chosen;
}

/// Trains to a recorded step, or to the run's next one, and examines it. `asRecorded`: null if the step was not recorded.
void examineRecorded(const Recording& recording, const RunsWay& way, std::int64_t step, const StepRecord* asRecorded,
                     std::shared_ptr<Backend> backend, Diagnosed& diagnosed) {
    if (asRecorded != nullptr && step >= way.nextStep())
        throw std::runtime_error("step " + std::to_string(step) + " of run '" + way.info.settings.name +
                                 (isNonFiniteStep(*asRecorded) ? "' was bad, and" : "'") +
                                 " cannot be repeated: what comes before it is missing");
    const std::int64_t start = asRecorded == nullptr && step > way.run.firstStep ? step - 1 : step;  // repeats a recorded step first
    std::optional<StepRecord> latest;
    LiveRun run(recordedRunBefore(step, recording, way, std::move(backend), start), [&](Event&& event) {
        if (const auto* steps = std::get_if<StepsRecorded>(&event)) latest = steps->records.back();
    });
    for (const AppliedChange& change : way.changes)
        if (change.step == step) run.change(0, change.pointer, change.value);
    diagnosed.run = run.course().settings.name;
    diagnosed.examination = examineNext(run, run.course());
    diagnosed.isCompared = asRecorded != nullptr;
    if (asRecorded != nullptr)
        diagnosed.changed = changedSince(run, *asRecorded, latest);
    else if (run.differsAt() >= 0)
        diagnosed.changed = changedAt(run.differsAt(), run);
}

}  // namespace

Diagnosed diagnose(const Recording& recording, std::shared_ptr<Backend> backend, const DiagnoseRequest& request) {
    RecordedRuns recorded;
    Diagnosed diagnosed;
    const auto isWanted = [&](const StepRecord& record) { return request.step ? record.step == *request.step : isNonFiniteStep(record); };
    const auto wanted = readSteps(recording, recorded, isWanted, diagnosed.steps);
    diagnosed.trouble = recorded.trouble();
    struct Place {
        const RunsWay* way;
        std::int64_t step;
        std::optional<StepRecord> record;  // nothing: the run's next step, or a step of a watched run
    };
    std::vector<Place> places, ends;
    std::vector<std::string> names;
    std::string changed;             // first difference from the recording in an examined step
    const RunsWay* first = nullptr;  // first run in the search
    for (const auto& [id, way] : recorded.runs()) {
        names.push_back(way.info.settings.name);
        if (!request.run.empty() && names.back() != request.run) continue;
        if (way.isWatched()) {
            diagnosed.missing += way.missingSteps();
            for (const auto& [step, examination] : way.examinations)
                if (!request.step || request.step == step) places.push_back({&way, step, {}});
            if (request.step && !way.examinations.contains(*request.step) && !request.run.empty())
                throw InputError("", "", "step " + std::to_string(*request.step) + " of '" + request.run + "' " + kNotExamined);
            continue;
        }
        const std::vector<StepRecord> records = wanted.contains(id) ? wanted.at(id) : std::vector<StepRecord>();
        if (request.step) {
            if (first == nullptr) first = &way;
            if (!records.empty())
                places.push_back({&way, *request.step, records.back()});
            else if (way.nextStep() == *request.step)
                places.push_back({&way, *request.step, {}});
            continue;
        }
        for (const StepRecord& record : examinedOf(records)) places.push_back({&way, record.step, record});
        if (!way.hasStopped && way.beyond.empty() && !way.pastSteps.isEmpty()) ends.push_back({&way, way.nextStep(), {}});
    }
    if (!request.run.empty() && std::find(names.begin(), names.end(), request.run) == names.end()) throw noSuchRun(request.run, names);
    if (places.empty() && first != nullptr) places.push_back({first, *request.step, {}});  // throws: names the last possible step
    std::stable_sort(places.begin(), places.end(), [](const Place& a, const Place& b) { return a.step < b.step; });
    places.insert(places.end(), ends.begin(), ends.end());  // all steps were finite: searches for silent failures
    if (request.step && names.empty()) throw InputError("", "", "the recording holds no run");
    if (request.step && places.empty()) throw InputError("", "", "step " + std::to_string(*request.step) + " " + kNotExamined);
    std::optional<Diagnosed> firstNormal, slow;
    std::vector<Diagnosed> ofTheStep;
    for (const Place& place : places) {
        Diagnosed found = diagnosed;
        if (place.way->isWatched()) {
            found.run = place.way->info.settings.name;
            found.examination = place.way->examinations.at(place.step);
        } else {
            examineRecorded(recording, *place.way, place.step, place.record ? &*place.record : nullptr, backend, found);
        }
        const SkipVerdict& verdict = found.examination.verdict;
        if (changed.empty()) changed = found.changed;
        if (request.step) {
            ofTheStep.push_back(std::move(found));
            continue;
        }
        if (verdict.isNormalProbing) {
            ++diagnosed.normal;
            if (!firstNormal) firstNormal = std::move(found);
        } else if (!place.record && onlyLearnsNothing(found.examination)) {
            if (!slow) slow = std::move(found);
        } else if (place.record || verdict.kind != StepVerdict::Sound) {
            found.changed = changed;
            return found;
        }
    }
    if (!ofTheStep.empty()) return gravestOf(std::move(ofTheStep));
    Diagnosed& result = slow ? *slow : firstNormal ? *firstNormal : diagnosed;
    result.normal = diagnosed.normal;
    if (result.changed.empty()) result.changed = changed;
    return result;
}

MeasuredThresholds measureThresholds(const Experiment& experiment, std::shared_ptr<Backend> backend, const ThresholdRequest& request) {
    auto chosen = std::find_if(experiment.runs.begin(), experiment.runs.end(), [&](const RunSettings& settings) {
        return request.run.empty() ? settings.training.scaler.preset != "none" : settings.name == request.run;
    });
    if (chosen == experiment.runs.end() && !request.run.empty()) throw noSuchRun(request.run, runNames(experiment));
    if (chosen == experiment.runs.end()) chosen = experiment.runs.begin();
    RepeatableRun run(0, *chosen, std::move(backend));
    run.schedule(experiment.events);
    MeasuredThresholds measured{
        .run = chosen->name, .scaler = run.course().settings.training.scaler, .asIf = asIfStored(run.trainer().plan())};
    ThresholdMeter meter;
    while (run.canStep() && (request.steps == 0 || run.nextStep() < request.steps) && !run.trainer().scaler().stopReason()) {
        Trainer& trainer = run.prepareNext();
        measured.thresholds.push_back(meter.measure(trainer));
        trainer.step();
    }
    return measured;
}

}  // namespace mantissa
