// SPDX-License-Identifier: Apache-2.0
#include "engine/session/diagnose.h"

#include <algorithm>
#include <map>
#include <stdexcept>
#include <tuple>

#include "engine/experiment/values.h"
#include "engine/session/live_run.h"
#include "engine/session/recorded_runs.h"
#include "engine/telemetry/number_format.h"

namespace mantissa {
namespace {

/// What a run tells while it is diagnosed: whether a step was bad, and why it could not go on.
struct Told {
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

/// Whether the run is as it was recorded up to `recorded`, its next step: this trains it. A sentence; empty: it is, bit for bit.
std::string changedSince(LiveRun& run, const StepRecord& recorded, const std::optional<StepRecord>& latest) {
    const std::string since = ": the data or the program have changed since, or this is another machine";
    const std::string ofRun = " of run '" + run.settings().name + "' ";
    if (run.differsAt() >= 0)
        return "step " + std::to_string(run.differsAt()) + ofRun + "comes out differently than it was recorded" + since;
    run.step();
    run.flush();
    const std::string step = "step " + std::to_string(recorded.step) + ofRun;
    if (!latest || latest->step != recorded.step) return step + "cannot be trained again" + since;
    const auto differs = [&](const char* what, double was, double is) {
        return step + "comes out differently than it was recorded, " + what + " " + shortest(was) + " then and " + shortest(is) + " now" +
               since;
    };
    if (!isSameValue(recorded.loss, latest->loss)) return differs("loss", recorded.loss, latest->loss);
    if (!isSameValue(recorded.gradNorm, latest->gradNorm)) return differs("gradient norm", recorded.gradNorm, latest->gradNorm);
    return "";
}

}  // namespace

Diagnosed diagnose(const Experiment& experiment, std::shared_ptr<Backend> backend, const DiagnoseWish& wish) {
    struct Followed {
        Told told;
        std::unique_ptr<LiveRun> run;
    };
    std::vector<std::unique_ptr<Followed>> runs;
    std::vector<std::string> names;
    for (const RunSettings& settings : experiment.runs) {
        names.push_back(settings.name);
        const bool isWanted = wish.run.empty() ? !wish.step || runs.empty() : settings.name == wish.run;
        if (!isWanted) continue;
        auto& followed = *runs.emplace_back(std::make_unique<Followed>());
        followed.run = std::make_unique<LiveRun>(static_cast<RunId>(runs.size()), settings, backend,
                                                 [&told = followed.told](Event&& event) { told.take(std::move(event)); });
        followed.run->schedule(experiment.events);
        if (!wish.step) followed.run->setExamining(Examining::AtLeisure);
    }
    if (runs.empty()) throw noSuchRun(wish.run, names);
    Diagnosed diagnosed;
    std::pair<std::string, Examination> firstNormal;
    while (std::any_of(runs.begin(), runs.end(), [](const auto& each) { return each->run->canStep(); })) {
        for (const auto& [told, run] : [&] {
                 std::vector<std::pair<Told*, LiveRun*>> all;
                 for (const auto& each : runs) all.emplace_back(&each->told, each->run.get());
                 return all;
             }()) {
            if (!run->canStep()) continue;
            if (wish.step && run->nextStep() == *wish.step) {
                diagnosed.run = run->settings().name;
                diagnosed.examination = run->examineNext(*run);
                return diagnosed;
            }
            run->step();
            ++diagnosed.steps;
            if (wish.step || !told->examination) {
                if (!told->stopReason.empty())
                    throw std::runtime_error("run '" + run->settings().name + "' could not go on: " + told->stopReason);
                continue;
            }
            if (told->examination->verdict.isNormalProbing) {
                if (diagnosed.normal++ == 0) firstNormal = {run->settings().name, *told->examination};
                told->examination.reset();
                continue;
            }
            diagnosed.run = run->settings().name;
            diagnosed.examination = *told->examination;
            return diagnosed;
        }
    }
    for (const auto& each : runs) {
        if (wish.step) break;
        const Examination last = each->run->examineNext(*each->run);  // as all were finite, what was lost without a trace
        if (last.verdict.kind == StepVerdict::Sound) continue;
        diagnosed.run = each->run->settings().name;
        diagnosed.examination = last;
        return diagnosed;
    }
    if (diagnosed.normal > 0) std::tie(diagnosed.run, diagnosed.examination) = firstNormal;
    if (wish.step)
        throw InputError("", "",
                         "run '" + runs.front()->run->settings().name + "' has no step " + std::to_string(*wish.step) +
                             ": it ends before step " + std::to_string(runs.front()->run->nextStep()));
    return diagnosed;
}

Diagnosed diagnose(const Recording& recording, std::shared_ptr<Backend> backend, const DiagnoseWish& wish) {
    RecordedRuns recorded;
    Diagnosed diagnosed;
    std::map<RunId, StepRecord> found;  // the step asked for, or the first bad one
    const auto isWanted = [&](const StepRecord& record) { return wish.step ? record.step == *wish.step : isBadStep(record); };
    (void)readAll(recording, recorded, [&](Event&& event) {
        if (const auto* steps = std::get_if<StepsRecorded>(&event)) {
            diagnosed.steps += static_cast<std::int64_t>(steps->records.size());
            const auto wanted = std::find_if(steps->records.begin(), steps->records.end(), isWanted);
            if (wanted != steps->records.end()) found.try_emplace(steps->run, *wanted);
        } else if (const auto* back = std::get_if<RunRewound>(&event)) {
            const auto left = found.find(back->run);
            if (left != found.end() && left->second.step >= back->step) found.erase(left);
        } else if (std::holds_alternative<ExperimentReset>(event)) {
            found.clear();
        }
    });
    diagnosed.trouble = recorded.trouble();
    for (const auto& [id, way] : recorded.runs()) {
        const auto beyond = std::find_if(way.beyond.begin(), way.beyond.end(), isWanted);
        if (beyond != way.beyond.end()) found.try_emplace(id, *beyond);
        diagnosed.steps += static_cast<std::int64_t>(way.beyond.size());
    }
    recorded.take(recording.snapshots());
    std::vector<std::string> names;
    RunsWay* chosen = nullptr;
    std::int64_t step = 0;
    for (auto& [id, way] : recorded.runs()) {
        names.push_back(way.info.settings.name);
        if (!wish.run.empty() && names.back() != wish.run) continue;
        const auto bad = found.find(id);
        if (!wish.step && bad == found.end()) continue;
        const std::int64_t candidate = wish.step ? *wish.step : bad->second.step;
        if (chosen != nullptr && candidate >= step) continue;
        chosen = &way;
        step = candidate;
    }
    if (!wish.run.empty() && std::find(names.begin(), names.end(), wish.run) == names.end()) throw noSuchRun(wish.run, names);
    if (chosen == nullptr) return diagnosed;
    const auto asRecorded = found.find(chosen->run.id);
    if (asRecorded != found.end() && step >= chosen->nextStep())
        throw std::runtime_error("step " + std::to_string(step) + " of run '" + chosen->info.settings.name +
                                 (isBadStep(asRecorded->second) ? "' was bad, and" : "'") +
                                 " cannot be repeated: what comes before it is missing");
    std::erase_if(chosen->snapshots, [&](const SnapshotPlace& place) { return place.step > step; });
    const std::int64_t budgetBytes = chosen->snapshots.empty() ? 0 : chosen->snapshots.back().bytes;  // the nearest one is enough
    std::optional<StepRecord> latest;
    const auto run = LiveRun::recorded(*chosen, storedPoints(recording, *chosen, budgetBytes), std::move(backend), [&](Event&& event) {
        if (const auto* steps = std::get_if<StepsRecorded>(&event)) latest = steps->records.back();
    });
    std::vector<AppliedChange> ofTheStep;  // which going back to before it undoes
    for (const AppliedChange& change : run->history().changes()) {
        if (change.step == step) ofTheStep.push_back(change);
    }
    run->rewind(step);
    while (run->isBehind()) run->catchUp();
    for (const AppliedChange& change : ofTheStep) run->change(0, change.pointer, change.value);
    diagnosed.run = run->settings().name;
    diagnosed.examination = run->examineNext(*run);
    if (asRecorded != found.end()) diagnosed.changed = changedSince(*run, asRecorded->second, latest);
    return diagnosed;
}

MeasuredThresholds measureThresholds(const Experiment& experiment, std::shared_ptr<Backend> backend, const ThresholdWish& wish) {
    std::vector<std::string> names;
    for (const RunSettings& settings : experiment.runs) names.push_back(settings.name);
    auto chosen = std::find_if(experiment.runs.begin(), experiment.runs.end(), [&](const RunSettings& settings) {
        return wish.run.empty() ? settings.training.scaler.preset != "none" : settings.name == wish.run;
    });
    if (chosen == experiment.runs.end() && !wish.run.empty()) throw noSuchRun(wish.run, names);
    if (chosen == experiment.runs.end()) chosen = experiment.runs.begin();
    LiveRun run(0, *chosen, std::move(backend), [](Event&&) {});
    run.schedule(experiment.events);
    MeasuredThresholds measured{.run = chosen->name, .scaler = run.settings().training.scaler, .asIf = asIfStored(run.trainer().plan())};
    ThresholdMeter meter;
    while (run.canStep() && (wish.steps == 0 || run.nextStep() < wish.steps))
        measured.thresholds.push_back(run.measureThresholdAndStep(meter));
    return measured;
}

}  // namespace mantissa
