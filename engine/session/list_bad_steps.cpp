// SPDX-License-Identifier: Apache-2.0
// All non-finite steps of an experiment or a recording, in groups of one verdict and one place.
#include <algorithm>
#include <map>
#include <tuple>

#include "engine/experiment/values.h"
#include "engine/session/diagnose.h"
#include "engine/session/trained_run.h"

namespace mantissa {
namespace {

/// Collects one run's non-finite steps from its events.
class NonFiniteStepList {
public:
    explicit NonFiniteStepList(std::string run) : m_run(std::move(run)) {}

    void add(const StepRecord& record) { m_records.insert_or_assign(record.step, record); }
    void addExamination(std::int64_t step, Examination examination) { m_examinations.insert_or_assign(step, std::move(examination)); }
    std::int64_t first() const { return m_records.begin()->first; }
    std::int64_t last() const { return m_records.rbegin()->first; }

    void appendGroups(std::vector<NonFiniteStepGroup>& groups) const {
        const auto firstOfRun = static_cast<std::ptrdiff_t>(groups.size());
        const Examination* latest = nullptr;  // within the consecutive steps
        std::int64_t before = -2;
        for (const auto& [step, record] : m_records) {
            const auto own = m_examinations.find(step);
            if (own != m_examinations.end()) {
                latest = &own->second;
            } else if (step != before + 1) {
                latest = nullptr;
            }
            NonFiniteStepGroup& group = groupOf(groups, firstOfRun, latest);
            if (own != m_examinations.end()) group.examined.push_back(step);
            if (!group.ranges.empty() && group.ranges.back().second + 1 == step) {
                group.ranges.back().second = step;
            } else {
                group.ranges.emplace_back(step, step);
            }
            ++group.steps;
            group.skipped += record.skipped() ? 1 : 0;
            before = step;
        }
    }

private:
    std::string m_run;
    std::map<std::int64_t, StepRecord> m_records;
    std::map<std::int64_t, Examination> m_examinations;

    static auto keyOf(const Examination& e) {
        return std::tie(e.verdict.kind, e.verdict.isNormalProbing, e.card.layer, e.card.operation, e.card.tensor, e.card.cls);
    }

    NonFiniteStepGroup& groupOf(std::vector<NonFiniteStepGroup>& groups, std::ptrdiff_t firstOfRun, const Examination* examination) const {
        const auto found = std::find_if(groups.begin() + firstOfRun, groups.end(), [&](const NonFiniteStepGroup& group) {
            if (!group.examination || examination == nullptr) return !group.examination && examination == nullptr;
            const bool areNormal = group.examination->verdict.isNormalProbing && examination->verdict.isNormalProbing;
            return areNormal || keyOf(*group.examination) == keyOf(*examination);  // all normal ones form one group
        });
        if (found != groups.end()) return *found;
        NonFiniteStepGroup& group = groups.emplace_back();
        group.run = m_run;
        if (examination != nullptr) group.examination = *examination;
        return group;
    }
};

}  // namespace

ListedSteps listNonFiniteSteps(const Experiment& experiment, std::shared_ptr<Backend> backend, const DiagnoseRequest& request) {
    ListedSteps listed;
    const std::vector<std::string> names = runNames(experiment);
    if (!request.run.empty() && std::find(names.begin(), names.end(), request.run) == names.end()) throw noSuchRun(request.run, names);
    for (const RunSettings& settings : experiment.runs) {
        if (!request.run.empty() && settings.name != request.run) continue;
        NonFiniteStepList list(settings.name);
        std::int64_t latest = 0;
        LiveRun run(0, settings, backend, [&](Event&& event) {
            if (const auto* steps = std::get_if<StepsRecorded>(&event)) {
                for (const StepRecord& record : steps->records) {
                    latest = record.step;
                    if (isNonFiniteStep(record)) list.add(record);
                }
            } else if (auto* examined = std::get_if<StepExamined>(&event)) {
                list.addExamination(latest, std::move(examined->examination));
            } else if (const auto* stopped = std::get_if<RunStopped>(&event); stopped != nullptr && listed.trouble.empty()) {
                listed.trouble = "run '" + settings.name + "' could not go on: " + stopped->reason;
            }
        });
        run.schedule(experiment.events);
        run.setExamining(Examining::ForAList);
        while (run.canStep()) {
            run.step();
            ++listed.steps;
        }
        run.flush();
        list.appendGroups(listed.groups);
    }
    return listed;
}

namespace {

/// Trains a recorded run again, from its first non-finite step to its last one.
void examineAgain(const Recording& recording, const RunsWay& way, std::shared_ptr<Backend> backend, NonFiniteStepList& list,
                  std::string& changed) {
    const std::int64_t first = list.first(), end = std::min(list.last() + 1, way.nextStep());
    if (first >= end) return;  // the step follows a gap
    std::int64_t latest = first;
    LiveRun run(recordedRunBefore(first, recording, way, std::move(backend), first), [&](Event&& event) {
        if (const auto* steps = std::get_if<StepsRecorded>(&event)) {
            for (const StepRecord& record : steps->records) {
                latest = record.step;
                if (!way.pastSteps.has(latest)) continue;
                const PastStep& was = way.pastSteps.at(latest);
                if (!changed.empty() || (isSameValue(was.loss, record.loss) && isSameValue(was.gradNorm, record.gradNorm))) continue;
                changed = "step " + std::to_string(latest) + " of run '" + way.info.settings.name +
                          "' comes out differently than it was recorded: the data or the program have changed since, or this is another "
                          "machine";
            }
        } else if (auto* examined = std::get_if<StepExamined>(&event)) {
            list.addExamination(latest, std::move(examined->examination));
        }
    });
    run.setExamining(Examining::ForAList);
    while (run.nextStep() < end && run.canStep()) {
        for (const AppliedChange& change : way.changes) {
            if (change.step == run.nextStep()) run.change(0, change.pointer, change.value);
        }
        run.step();
    }
    run.flush();
}

}  // namespace

ListedSteps listNonFiniteSteps(const Recording& recording, std::shared_ptr<Backend> backend, const DiagnoseRequest& request) {
    RecordedRuns recorded;
    ListedSteps listed;
    const auto wanted = readSteps(recording, recorded, isNonFiniteStep, listed.steps);
    listed.trouble = recorded.trouble();
    std::vector<std::string> names;
    for (const auto& [id, way] : recorded.runs()) names.push_back(way.info.settings.name);
    if (!request.run.empty() && std::find(names.begin(), names.end(), request.run) == names.end()) throw noSuchRun(request.run, names);
    for (const auto& [id, way] : recorded.runs()) {
        if (!request.run.empty() && way.info.settings.name != request.run) continue;
        listed.missing += way.missingSteps();
        if (!wanted.contains(id) || wanted.at(id).empty()) continue;
        NonFiniteStepList list(way.info.settings.name);
        for (const StepRecord& record : wanted.at(id)) list.add(record);
        if (way.isWatched()) {
            for (const auto& [step, examination] : way.examinations) list.addExamination(step, Examination(examination));
        } else {
            examineAgain(recording, way, backend, list, listed.changed);
        }
        list.appendGroups(listed.groups);
    }
    return listed;
}

}  // namespace mantissa
