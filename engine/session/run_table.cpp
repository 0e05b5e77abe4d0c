// SPDX-License-Identifier: Apache-2.0
#include "engine/session/run_table.h"

#include <algorithm>

namespace mantissa {

LiveRun& RunTable::liveRun(RunId id) const {
    for (const auto& run : live) {
        if (run->course().id == id) return *run;
    }
    if (shown.contains(id)) throw InputError("", "", "run '" + shown.at(id).settings.name + "' is read-only");
    throw InputError("", "", "there is no run " + std::to_string(id));
}

void RunTable::requireRun(RunId id) const {
    if (!shown.contains(id)) liveRun(id);
}

std::vector<RunSettings> RunTable::settings() const {
    std::vector<RunSettings> all;
    for (const auto& run : live) all.push_back(run->course().settings);
    for (const auto& [id, info] : shown) all.push_back(info.settings);
    return all;
}

std::int64_t RunTable::furthestStep() const {
    std::int64_t step = 0;
    for (const auto& run : live) step = std::max(step, run->nextStep());
    return step;
}

bool RunTable::isAnyLagging() const {
    return std::any_of(live.begin(), live.end(), [](const auto& run) { return run->isLagging(); });
}

std::string RunTable::text() const {
    Experiment now = experiment;
    now.runs.clear();
    now.events.clear();
    for (const auto& run : live) {
        const RunCourse& course = run->course();
        if (course.isWhatIf()) continue;
        now.runs.push_back(course.ownSettings);
        for (ScheduledChange change : course.scheduled) {
            change.run = course.settings.name;
            now.events.push_back(std::move(change));
        }
    }
    std::stable_sort(now.events.begin(), now.events.end(),
                     [](const ScheduledChange& a, const ScheduledChange& b) { return a.step < b.step; });
    return writeExperiment(now);
}

void RunTable::sort() {
    const auto placeOf = [this](const std::unique_ptr<LiveRun>& run) {
        const RunId id = run->course().id;
        const auto style = std::find_if(styles.begin(), styles.end(), [id](const RunStyle& each) { return each.run == id; });
        return std::pair(style - styles.begin(), id);
    };
    std::sort(live.begin(), live.end(), [&](const auto& a, const auto& b) { return placeOf(a) < placeOf(b); });
}

void RunTable::follow(const Event& event) {
    if (std::holds_alternative<ExperimentLoaded>(event)) styles.clear();
    if (const auto* arranged = std::get_if<RunsArranged>(&event)) styles = arranged->styles;
}

}  // namespace mantissa
