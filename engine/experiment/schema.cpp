// SPDX-License-Identifier: Apache-2.0
#include "engine/experiment/schema.h"

#include <algorithm>
#include <limits>

#include "engine/experiment/fields.h"
#include "engine/experiment/value_schema.h"
#include "engine/telemetry/joined.h"

namespace mantissa {
namespace {

RunSettings withKind(const Field& kind, const std::string& choice) {
    RunSettings run;
    kind.read(run, choice);
    return run;
}

std::vector<const Field*> kindFields() {
    std::vector<const Field*> kinds;
    for (const Field& field : fields()) {
        if (isKind(field)) kinds.push_back(&field);
    }
    return kinds;
}

/// The choices of `kind` that allow the field.
std::vector<std::string> allowedBy(const Field& kind, const Field& field) {
    std::vector<std::string> allowed;
    for (const std::string& choice : kind.choices) {
        if (isAllowed(field, withKind(kind, choice))) allowed.push_back(choice);
    }
    return allowed;
}

/// Whether the kind decides if the field is allowed.
bool dependsOn(const Field& field, const Field& kind) {
    const std::size_t allowed = allowedBy(kind, field).size();
    return allowed > 0 && allowed < kind.choices.size();
}

/// The value without the key, if it is the same for all kinds.
std::optional<Json> defaultOf(const Field& field) {
    if (isKind(field)) return field.write({});
    std::optional<Json> same;
    for (const Field* kind : kindFields()) {
        for (const std::string& choice : kind->choices) {
            const std::optional<Json> value = field.write(withKind(*kind, choice));
            if (value && same && *value != *same) return std::nullopt;
            if (value) same = value;
        }
    }
    return same;
}

std::string sentences(const Field& field) {
    std::string text;
    for (const Field* kind : kindFields()) {
        if (!dependsOn(field, *kind)) continue;
        text += "Only for the " + kind->label + ": " + joined(allowedBy(*kind, field)) + ". ";
    }
    if (!field.unset.empty()) text += "Without the key: " + field.unset + ". ";
    return text + (field.isLive ? "Can change while a run trains." : "Fixed for the life of a run.");
}

Json fieldSchema(const Field& field) {
    Json schema{{"title", field.label}, {"description", sentences(field)}};
    schema.update(field.schema);
    const bool isName = field.pointer() == "/name";  // has no default
    if (const auto value = defaultOf(field); value && !isName) schema["default"] = *value;
    return schema;
}

/// The key in a level of the file that contains the field.
const std::string& levelKey(const Field& field) {
    return field.group.empty() ? field.key : field.group;
}

Json reference(const std::string& definition) {
    return {{"$ref", "#/$defs/" + definition}};
}

Json referenceTo(const Field& field) {
    return reference(field.group.empty() ? field.key : field.group + "/properties/" + field.key);
}

/// Groups, and fields outside of groups, by their keys.
Json levelDefinitions() {
    Json definitions = Json::object();
    for (const Field& field : fields()) {
        if (field.group.empty()) {
            definitions[field.key] = fieldSchema(field);
            continue;
        }
        Json& group = definitions[field.group];
        if (group.is_null()) group = objectSchema(Json::object());
        group["properties"][field.key] = fieldSchema(field);
    }
    return definitions;
}

/// Refuses the keys of other kinds where a level names a kind. At the top a missing kind is the default one; in a run it is inherited.
Json kindRules(bool isTop) {
    Json rules = Json::array();
    for (const Field* kind : kindFields()) {
        for (const std::string& choice : kind->choices) {
            const RunSettings run = withKind(*kind, choice);
            Json forbidden = Json::object();
            for (const Field& field : fields()) {
                if (isAllowed(field, run) || !dependsOn(field, *kind)) continue;
                Json& keys = forbidden["properties"];
                (field.group.empty() ? keys : keys[field.group]["properties"])[field.key] = false;
            }
            if (forbidden.empty()) continue;
            Json group{{"properties", {{kind->key, {{"const", choice}}}}}}, level = Json::object();
            const bool isDefault = *kind->write({}) == choice;
            if (!isTop || !isDefault) {
                group["required"] = Json::array({kind->key});
                level["required"] = Json::array({kind->group});
            }
            level["properties"][kind->group] = std::move(group);
            rules.push_back({{"if", std::move(level)}, {"then", std::move(forbidden)}});
        }
    }
    return rules;
}

/// A level of the file: settings and these keys.
Json levelSchema(Json properties, bool isTop) {
    for (const Field& field : fields()) {
        if (!isTop || field.pointer() != "/name") properties[levelKey(field)] = reference(levelKey(field));
    }
    Json schema = objectSchema(std::move(properties));
    schema["allOf"] = kindRules(isTop);
    return schema;
}

bool hasParts(const Json& schema) {
    if (schema.contains("anyOf")) return std::any_of(schema["anyOf"].begin(), schema["anyOf"].end(), hasParts);
    return schema.contains("type") && (schema["type"] == "object" || schema["type"] == "array");
}

/// What an event can set: by pointer, and below the pointers of lists and objects.
Json changesSchema() {
    Json properties = Json::object(), below = Json::object();
    for (const Field& field : fields()) {
        if (!field.isLive) continue;
        properties[field.pointer()] = referenceTo(field);
        if (hasParts(field.schema)) below["^" + field.pointer() + "/"] = true;
    }
    properties["/scaler"] = reference("scaler");
    properties[kScalePointer] = numberSchema(Bound::Positive);
    properties[kScalePointer]["description"] = "The current loss scale.";
    properties[kResetStatisticsPointer] = {{"const", true}, {"description", "Resets the running statistics of batch norms."}};
    properties[kResetScalerPointer] = {{"const", true}, {"description", "Resets the loss scaler to its preset's defaults."}};
    properties.update(injectionSchemas());
    Json schema = objectSchema(std::move(properties));
    schema["patternProperties"] = std::move(below);
    schema["minProperties"] = 1;
    return schema;
}

Json eventSchema() {
    Json schema = objectSchema({{"step", integerSchema(0, std::numeric_limits<std::int64_t>::max())},
                                {"run", {{"type", "string"}, {"description", "The run's name."}}},
                                {"set", changesSchema()}});
    schema["properties"]["step"]["description"] = "The first step that uses the change.";
    schema["required"] = {"step", "run", "set"};
    return schema;
}

}  // namespace

Json experimentSchema() {
    Json properties = Json::object();
    for (const TopText& text : topTexts()) {
        properties[text.key] = text.key == "group" ? choiceSchema(experimentGroups()) : textSchema();
        properties[text.key]["description"] = text.help;
    }
    properties["runs"] = {{"type", "array"},
                          {"description", "The runs. Each overrides settings of the top level."},
                          {"minItems", 1},
                          {"items", reference("run")}};
    properties["events"] = {{"type", "array"}, {"description", "Changes of runs at given steps."}, {"items", reference("event")}};

    Json schema{{"$schema", "https://json-schema.org/draft/2020-12/schema"},
                {"title", "Experiment of Mantissa"},
                {"description", "Settings at the top level are defaults of the runs."}};
    schema.update(levelSchema(std::move(properties), true));
    schema["required"] = Json::array({"runs"});
    Json& definitions = schema["$defs"] = levelDefinitions();
    definitions["run"] = levelSchema(Json::object(), false);
    definitions["run"]["required"] = Json::array({"name"});
    definitions["event"] = eventSchema();
    return schema;
}

}  // namespace mantissa
