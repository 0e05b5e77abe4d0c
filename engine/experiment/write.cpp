// SPDX-License-Identifier: Apache-2.0
// Writing an experiment file: settings that all runs share are at the top level, the others in each run.
#include <algorithm>

#include "engine/experiment/experiment.h"
#include "engine/experiment/fields.h"

namespace mantissa {
namespace {

/// Moves members that all `objects` share to `shared`.
void hoist(std::vector<Json*> objects, Json& shared) {
    const Json first = *objects.front();
    for (const auto& [key, value] : first.items()) {
        const bool isInAll =
            std::all_of(objects.begin(), objects.end(), [&, &name = key](const Json* object) { return object->contains(name); });
        if (!isInAll) continue;
        if (isMergedGroup(key)) {
            std::vector<Json*> groups;
            for (Json* object : objects) groups.push_back(&(*object)[key]);
            // keys of different optimizers or data sets must not mix at the top level
            const bool isOneKind = std::all_of(groups.begin(), groups.end(), [&, &name = key](const Json* group) {
                return group->value(kindKey(name), "") == groups.front()->value(kindKey(name), "");
            });
            if (!isOneKind) continue;
            Json common = Json::object();
            hoist(groups, common);
            if (!common.empty()) shared[key] = std::move(common);
            for (Json* object : objects) {
                if ((*object)[key].empty()) object->erase(key);
            }
        } else if (std::all_of(objects.begin(), objects.end(),
                               [&, &name = key, &same = value](const Json* object) { return (*object)[name] == same; })) {
            shared[key] = value;
            for (Json* object : objects) object->erase(key);
        }
    }
}

/// Moves keys that the top-level model does not take to the runs.
void keepWithModels(const std::vector<Json*>& runs, Json& shared) {
    RunSettings top;
    if (shared.contains("model")) top.training.model.kind = shared["model"].value("kind", top.training.model.kind);
    for (const Field& field : fields()) {
        if (!field.group.empty() || !field.whyNot || !shared.contains(field.key) || field.whyNot(top).empty()) continue;
        for (Json* run : runs) (*run)[field.key] = shared[field.key];
        shared.erase(field.key);
    }
}

}  // namespace

std::string writeExperiment(const Experiment& whole) {
    Experiment experiment = whole;
    std::erase_if(experiment.events, [&](const ScheduledChange& event) {
        return std::none_of(whole.runs.begin(), whole.runs.end(), [&](const RunSettings& run) { return run.name == event.run; });
    });
    while (const auto bad = findImpossibleEvent(experiment)) {
        experiment.events.erase(experiment.events.begin() + static_cast<std::ptrdiff_t>(bad->event));
    }
    Json document = Json::object();
    if (!experiment.title.empty()) document["title"] = experiment.title;
    if (!experiment.description.empty()) document["description"] = experiment.description;
    if (!experiment.lookFor.empty()) document["look_for"] = experiment.lookFor;
    if (!experiment.group.empty()) document["group"] = experiment.group;
    std::vector<Json> runs;
    Json names = Json::array();
    for (const RunSettings& run : experiment.runs) {
        runs.push_back(runToJson(run));
        names.push_back(run.name);
        runs.back().erase("name");
    }
    if (!runs.empty()) {
        std::vector<Json*> objects;
        for (Json& run : runs) objects.push_back(&run);
        hoist(objects, document);
        keepWithModels(objects, document);
    }
    document["runs"] = Json::array();
    for (std::size_t i = 0; i < runs.size(); ++i) {
        Json run{{"name", names[i]}};
        run.update(runs[i]);
        document["runs"].push_back(std::move(run));
    }
    for (const ScheduledChange& event : experiment.events) {
        Json set = Json::object();
        for (const auto& [pointer, value] : event.set) set[pointer] = value;
        document["events"].push_back({{"step", event.step}, {"run", event.run}, {"set", set}});
    }
    return document.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace mantissa
