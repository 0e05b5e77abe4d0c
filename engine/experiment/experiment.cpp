// SPDX-License-Identifier: Apache-2.0
// Conversion between JSON and runs, with the merge of a file's levels. fields.cpp defines the keys.
#include "engine/experiment/experiment.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "engine/data/one_line.h"
#include "engine/experiment/checkpoint.h"
#include "engine/experiment/fields.h"
#include "engine/experiment/json_reader.h"

namespace mantissa {
namespace {

/// Location of a run's JSON in the file, for errors.
struct Place {
    std::string source;
    std::string run;            // "/runs/2"; empty: a single run
    const Json* own = nullptr;  // keys of the run in the file; others come from the experiment. Null: all are the run's own

    /// `pointer` of a run's settings as a pointer into the file.
    std::string of(const std::string& pointer) const {
        if (own == nullptr) return run + pointer;
        // a missing key is reported at its nearest existing parent
        for (std::string at = pointer; !at.empty(); at.erase(at.rfind('/'))) {
            if (own->contains(Json::json_pointer(at))) return run + pointer;
            if (at.rfind('/') == 0) break;
        }
        return pointer;
    }
    [[noreturn]] void refuse(const std::string& pointer, const std::string& sentence) const {
        throw InputError(source, of(pointer), sentence);
    }
};

std::vector<std::string> keysOf(std::string_view group) {
    std::vector<std::string> keys;
    for (const Field& field : fields()) {
        if (field.group == group) keys.push_back(field.key);
        if (group.empty() && !field.group.empty() && (keys.empty() || keys.back() != field.group)) keys.push_back(field.group);
    }
    return keys;
}

void checkKeys(const Json& object, const std::vector<std::string>& known, const std::string& place, const std::string& source) {
    for (const auto& [key, value] : object.items()) {
        if (std::find(known.begin(), known.end(), key) != known.end()) continue;
        throw InputError(source, place + pointerStep(key), "unknown key" + didYouMean(key, known));
    }
}

/// Refuses unknown keys of one level of the file.
void checkLevel(const Json& level, std::vector<std::string> extra, const std::string& place, const std::string& source) {
    std::vector<std::string> known = keysOf("");
    known.insert(known.end(), extra.begin(), extra.end());
    checkKeys(level, known, place, source);
    for (const auto& [key, value] : level.items()) {
        if (!isGroup(key)) continue;
        if (!value.is_object())
            throw InputError(source, place + pointerStep(key), "must be an object, as {\"" + keysOf(key).front() + "\": ...}");
        checkKeys(value, keysOf(key), place + pointerStep(key), source);
    }
}

const Json* find(const Json& run, const Field& field) {
    const Json* at = &run;
    if (!field.group.empty()) {
        const auto group = run.find(field.group);
        if (group == run.end()) return nullptr;
        at = &*group;
    }
    const auto found = at->find(field.key);
    return found == at->end() ? nullptr : &*found;
}

/// Reads the keys present over PyTorch's defaults.
RunSettings readFields(const Json& json, const Place& place) {
    RunSettings run;
    for (const Field& field : fields()) {
        const Json* value = find(json, field);
        if (value == nullptr) continue;
        const std::string problem = field.whyNot ? field.whyNot(run) : "";
        if (!problem.empty()) place.refuse(field.pointer(), problem);
        try {
            field.read(run, *value);
        } catch (const BadValue& bad) {
            place.refuse(field.pointer() + bad.below, bad.sentence);
        }
    }
    run.isScalerChosen = json.contains("scaler");
    if (!run.isScalerChosen) run.training.scaler = defaultScaler(run.training.precision.policy);
    return run;
}

RunSettings readRun(const Json& json, const Place& place) {
    RunSettings run = readFields(json, place);
    if (run.name.empty()) throw InputError(place.source, place.run + "/name", "a run needs a name");
    if (const auto found = findContradiction(run)) place.refuse(found->pointer, found->sentence);
    return run;
}

/// The experiment's settings with the run's on top. Keys of an optimizer, data set or model do not apply to runs with another.
Json merged(const Json& defaults, const Json& own) {
    Json run = defaults;
    for (const auto& [key, value] : own.items()) {  // first: the run's own keys must not be erased
        const bool hasKinds = key == "optimizer" || key == "data" || key == "model";
        const auto kind = hasKinds ? value.find(kindKey(key)) : value.end();
        RunSettings other;
        std::string& otherKind = key == "data"    ? other.training.data.name
                                 : key == "model" ? other.training.model.kind
                                                  : other.training.optimizer.kind;
        const Json level = run.value(key, Json::object());
        if (kind != value.end() && level.value(kindKey(key), Json(otherKind)) != *kind) {
            otherKind = kind->is_string() ? kind->get<std::string>() : "";
            for (const Field& field : fields()) {
                if (!field.whyNot || field.whyNot(other).empty()) continue;
                if (field.group == key && run.contains(key)) run[key].erase(field.key);
                if (field.group == "loss" && key == "model") run.erase(field.group);
                if (field.group.empty() && key == "model") run.erase(field.key);  // such as the length of a text sample
            }
        }
    }
    for (const auto& [key, value] : own.items()) {
        if (isMergedGroup(key) && run.contains(key)) {
            run[key].update(value);
        } else {
            run[key] = value;
        }
    }
    return run;
}

void resolvePaths(RunSettings& run, const std::filesystem::path& folder) {
    for (std::string* path : {&run.training.init.weights, &run.training.data.path}) {
        // absolute, so that the path stays valid if the experiment is saved in another folder
        if (!path->empty() && !isBundledWeights(*path)) *path = std::filesystem::absolute(folder / *path).lexically_normal().string();
    }
}

/// The run's data if it exists and the run can be trained on it.
std::shared_ptr<const Dataset> dataOf(const RunSettings& run, const Place& place) {
    try {
        auto dataset = loadDataset(run.training.data);
        if (const auto found = findMisfit(run, *dataset)) place.refuse(found->pointer, found->sentence);
        return dataset;
    } catch (const DataError& error) {
        place.refuse("/data/" + error.key(), error.what());
    } catch (const std::bad_alloc&) {
        place.refuse("/data", "there is not enough memory for the data set");
    }
}

std::string textAt(const Json& document, const std::string& key, const std::string& source) {
    const auto found = document.find(key);
    if (found == document.end()) return "";
    if (!found->is_string()) throw InputError(source, pointerStep(key), "must be text");
    return found->get<std::string>();
}

void readRuns(Experiment& experiment, const Json& document, const std::string& source) {
    const auto runs = document.find("runs");
    if (runs == document.end()) throw InputError(source, "/runs", "an experiment needs a list of runs");
    if (!runs->is_array() || runs->empty()) throw InputError(source, "/runs", "must be a list of at least one run");
    for (std::size_t i = 0; i < runs->size(); ++i) {
        const Json& own = (*runs)[i];
        const std::string place = "/runs" + pointerStep(i);
        if (!own.is_object()) throw InputError(source, place, "must be an object");
        checkLevel(own, {}, place, source);
        RunSettings run = readRun(merged(experiment.defaults, own), {source, place, &own});
        resolvePaths(run, experiment.folder);
        const auto dataset = dataOf(run, {source, place, &own});
        if (std::find(experiment.data.begin(), experiment.data.end(), dataset) == experiment.data.end()) experiment.data.push_back(dataset);
        checkFreeName(experiment.runs, run.name, source, place + "/name");
        experiment.runs.push_back(std::move(run));
    }
}

void readEvents(Experiment& experiment, const Json& document, const std::string& source) {
    const auto events = document.find("events");
    if (events == document.end()) return;
    if (!events->is_array()) throw InputError(source, "/events", "must be a list");
    std::vector<std::string> names;
    for (const RunSettings& run : experiment.runs) names.push_back(run.name);
    for (std::size_t i = 0; i < events->size(); ++i) {
        const Json& json = (*events)[i];
        const std::string place = "/events" + pointerStep(i);
        const auto need = [&](const char* key, bool isRight, const char* what) {
            if (!isRight) throw InputError(source, place + pointerStep(key), what);
        };
        if (!json.is_object()) throw InputError(source, place, "must be an object");
        checkKeys(json, {"step", "run", "set"}, place, source);
        need("step", json.contains("step") && json["step"].is_number_unsigned(), "must be a step's number, from 0");
        need("run", json.contains("run") && json["run"].is_string(), "must be a run's name");
        need("set", json.contains("set") && json["set"].is_object() && !json["set"].empty(),
             "must be an object from pointers to values, at least one");
        ScheduledChange change;
        change.run = json["run"].get<std::string>();
        if (std::find(names.begin(), names.end(), change.run) == names.end()) throw noSuchRun(change.run, names, source, place + "/run");
        need("step", std::in_range<std::int64_t>(json["step"].get<std::uint64_t>()), "is after the run's last step");
        change.step = json["step"].get<std::int64_t>();
        for (const auto& [pointer, value] : json["set"].items()) change.set.emplace_back(pointer, value);
        experiment.events.push_back(std::move(change));
    }
}

}  // namespace

InputError::InputError(std::string source, std::string pointer, std::string sentence)
    : std::runtime_error(oneLine((source.empty() ? "" : source + ": ") + (pointer.empty() ? "" : "at " + pointer + ": ") + sentence)),
      m_source(std::move(source)),
      m_pointer(std::move(pointer)),
      m_sentence(oneLine(sentence)) {}

std::string dataText(const Experiment& experiment) {
    std::string text;
    for (const auto& dataset : experiment.data) text += (text.empty() ? "" : "; ") + dataText(*dataset);
    return text;
}

std::int64_t Experiment::steps() const {
    std::int64_t most = 0;
    for (const RunSettings& run : runs) most = std::max(most, run.training.steps);
    return most;
}

Experiment parseExperiment(std::string_view text, const std::string& source, const std::filesystem::path& folder) {
    return parseExperiment(text, source, folder, {});
}

Experiment parseExperiment(std::string_view text, const std::string& source, const std::filesystem::path& folder,
                           const std::vector<std::pair<std::string, Json>>& patches) {
    Json document = readJson(text, source);
    if (!document.is_object()) throw InputError(source, "", "must be a JSON object with a list of 'runs'");
    for (const auto& [pointer, value] : patches) setAt(document, pointer, value, source);
    std::vector<std::string> topKeys{"runs", "events"};
    for (const TopText& top : topTexts()) topKeys.push_back(top.key);
    checkLevel(document, topKeys, "", source);

    Experiment experiment;
    experiment.folder = folder;
    experiment.name = std::filesystem::path(source).stem().string();
    for (const TopText& top : topTexts()) {
        std::string read = textAt(document, top.key, source);
        if (top.member != nullptr) experiment.*top.member = std::move(read);
    }
    const auto& groups = experimentGroups();
    if (document.contains("group") && std::find(groups.begin(), groups.end(), experiment.group) == groups.end())
        throw InputError(source, "/group", "there is no group '" + experiment.group + "'" + didYouMean(experiment.group, groups));
    if (document.contains("name")) throw InputError(source, "/name", "unknown key (did you mean 'title'?)");
    experiment.defaults = Json::object();
    for (const std::string& key : keysOf("")) {
        if (document.contains(key)) experiment.defaults[key] = document[key];
    }
    readFields(experiment.defaults, {source, "", nullptr});  // top-level settings must be valid even if every run overrides them
    readRuns(experiment, document, source);
    readEvents(experiment, document, source);
    if (const auto bad = findImpossibleEvent(experiment)) {
        throw InputError(source, "/events" + pointerStep(bad->event) + bad->pointer, bad->sentence);
    }
    return experiment;
}

RunSettings readSettings(const Json& json) {
    if (!json.is_object()) throw InputError("", "", "a run must be an object");
    checkLevel(json, {}, "", "");
    return readRun(json, {"", "", nullptr});
}

RunSettings readRecordedSettings(const Json& json) {
    RunSettings run = readSettings(json);
    ModelSettings& model = run.training.model;
    if (learnsClasses(model.kind) && !json.contains("loss")) run.training.loss.logits = "fp32";
    if (model.kind == "llama" && !json.at("model").contains("fused_kernels")) model.fusedKernels = true;
    return run;
}

RunSettings makeRun(const Json& json, const Experiment& experiment) {
    if (!json.is_object()) throw InputError("", "", "a run must be an object");
    checkLevel(json, {}, "", "");  // first: a merge needs settings at their right levels
    RunSettings run = readSettings(merged(experiment.defaults, json));
    resolvePaths(run, experiment.folder);
    dataOf(run, {"", "", nullptr});
    return run;
}

RunSettings resolvedOn(const Backend& backend, RunSettings run) {
    if (!run.isScalerChosen) run.training.scaler = defaultScaler(resolvePolicy(run.training.precision, backend).name);
    return run;
}

Json runToJson(const RunSettings& run) {
    Json json = Json::object();
    for (const Field& field : fields()) {
        auto value = field.write(run);
        if (value) (field.group.empty() ? json : json[field.group])[field.key] = std::move(*value);
    }
    return json;
}

RunSettings withChange(const RunSettings& run, const std::string& pointer, const Json& value) {
    const Place place{"", "", nullptr};
    if (pointer == kScalePointer) {
        if (!value.is_number() || !(value.get<double>() > 0)) place.refuse(pointer, "must be a number greater than 0");
        if (run.training.scaler.preset == "none") place.refuse(pointer, "there is no scale to set while the loss scaler is 'none'");
        return run;
    }
    if (pointer == kResetStatisticsPointer) {
        if (value != true) place.refuse(pointer, "must be true");
        if (run.training.model.kind != "resnet") place.refuse(pointer, "only a resnet has running statistics");
        return run;
    }
    if (pointer == kResetScalerPointer) {
        if (value != true) place.refuse(pointer, "must be true");
        if (run.training.scaler.preset == "none") place.refuse(pointer, "there is no loss scaler to reset");
        return withInitialChange(run, "/scaler", {{"preset", run.training.scaler.preset}});
    }
    if (isInjection(pointer)) {
        if (const auto problem = whyNotInjected(run, pointer, value, nullptr)) place.refuse(pointer + problem->below, problem->sentence);
        return run;
    }
    const bool isWholeScaler = pointer == "/scaler";
    const Field* field = fieldAt(pointer);
    if (field == nullptr && !isWholeScaler) {
        std::vector<std::string> known{kScalePointer,        kInjectInputPointer,     kInjectLabelPointer,
                                       kInjectTensorPointer, kResetStatisticsPointer, kResetScalerPointer};
        for (const Field& each : fields()) {
            if (each.isLive) known.push_back(each.pointer());
        }
        place.refuse(pointer, "there is no such setting" + didYouMean(pointer, known));
    }
    if (field != nullptr && !field->isLive) place.refuse(pointer, "'" + field->label + "' is fixed for the life of a run");
    return withInitialChange(run, pointer, value);
}

RunSettings withInitialChange(const RunSettings& run, const std::string& pointer, const Json& value) {
    const bool isWholeScaler = pointer == "/scaler";
    const Field* field = fieldAt(pointer);
    Json json = runToJson(run);
    if (pointer == "/scaler/preset") {
        json["scaler"] = {{"preset", value}};  // another preset starts with its own values
    } else {
        if (!isWholeScaler && field->group == "scaler" && !run.isScalerChosen) json["scaler"] = {{"preset", run.training.scaler.preset}};
        if (field != nullptr && field->pointer() == "/precision" && pointer != "/precision" && json["precision"].is_string()) {
            json["precision"] = {{"policy", json["precision"]}};
        }
        setAt(json, pointer, value, "");
    }
    return readSettings(json);
}

}  // namespace mantissa
