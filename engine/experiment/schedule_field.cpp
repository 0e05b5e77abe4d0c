// SPDX-License-Identifier: Apache-2.0
// The optimizer's `schedule`: an object whose keys depend on its kind.
#include <algorithm>

#include "engine/experiment/json_reader.h"
#include "engine/experiment/value_schema.h"
#include "engine/telemetry/number_format.h"

namespace mantissa {
std::vector<FieldPart> scheduleParts(const std::string& kind) {
    std::vector<FieldPart> parts{{"kind", "schedule", FieldKind::Choice, kScheduleKinds},
                                 {"warmup_steps", "warm-up steps", FieldKind::Count, {}, "none"}};
    if (kind == "linear" || kind == "cosine") parts.push_back({"total_steps", "falls to 0 at", FieldKind::Count, {}, "the last step", 1});
    if (kind == "step") {
        parts.push_back({"every", "each", FieldKind::Count, {}, std::to_string(ScheduleSettings{}.every) + " steps", 1});
        parts.push_back({"factor", "times", FieldKind::Number, {}, shortest(ScheduleSettings{}.factor)});
    }
    return parts;
}

void readSchedule(RunSettings& run, const Json& value) {
    ScheduleSettings schedule{.onSkip = run.training.optimizer.schedule.onSkip};
    if (!value.is_object()) refuse("must be an object, as {\"kind\": \"cosine\"}, not " + kindOf(value));
    std::string at;  // key being read
    try {
        at = pointerStep("kind");
        if (value.contains("kind")) schedule.kind = readChoice(value["kind"], "schedule", kScheduleKinds);
        const std::vector<FieldPart> parts = scheduleParts(schedule.kind);
        std::vector<std::string> known;
        for (const FieldPart& part : parts) known.push_back(part.key);
        for (const auto& [key, inner] : value.items()) {
            if (key == "kind") continue;
            at = pointerStep(key);
            const auto part =
                std::find_if(parts.begin(), parts.end(), [&, &name = key](const FieldPart& each) { return each.key == name; });
            if (part == parts.end()) refuse("schedule '" + schedule.kind + "' has only " + listed(known) + didYouMean(key, known));
            if (key == "warmup_steps") schedule.warmupSteps = readInteger(inner, part->least, kMaxSteps);
            if (key == "total_steps") schedule.totalSteps = readInteger(inner, part->least, kMaxSteps);
            if (key == "every") schedule.every = readInteger(inner, part->least, kMaxSteps);
            if (key == "factor") schedule.factor = readNumber(inner, Bound::Positive);
        }
    } catch (BadValue& bad) {
        throw BadValue{at + bad.below, bad.sentence};
    }
    run.training.optimizer.schedule = std::move(schedule);
}

Json scheduleSchema() {
    const auto partSchema = [](const FieldPart& part) {
        Json schema = part.kind == FieldKind::Choice  ? choiceSchema(part.choices)
                      : part.kind == FieldKind::Count ? integerSchema(part.least, kMaxSteps)
                                                      : numberSchema(Bound::Positive);
        schema["title"] = part.label;
        if (!part.choices.empty()) schema["default"] = part.choices.front();
        if (!part.unset.empty()) schema["description"] = "Without the key: " + part.unset + ".";
        return schema;
    };
    Json schema = objectSchema(Json::object());
    for (const std::string& kind : kScheduleKinds) {
        for (const FieldPart& part : scheduleParts(kind)) schema["properties"][part.key] = partSchema(part);
    }
    for (const std::string& kind : kScheduleKinds) {
        Json forbidden = Json::object();
        for (const auto& [key, property] : schema["properties"].items()) forbidden[key] = false;
        for (const FieldPart& part : scheduleParts(kind)) forbidden.erase(part.key);
        Json condition{{"properties", {{"kind", {{"const", kind}}}}}};  // also holds without the key
        if (kind != kScheduleKinds.front()) condition["required"] = Json::array({"kind"});
        if (!forbidden.empty()) schema["allOf"].push_back({{"if", condition}, {"then", {{"properties", forbidden}}}});
    }
    return schema;
}

std::optional<Json> writeSchedule(const RunSettings& run) {
    const ScheduleSettings& schedule = run.training.optimizer.schedule;
    if (schedule.kind == "constant" && schedule.warmupSteps == 0) return std::nullopt;
    Json json{{"kind", schedule.kind}};
    if (schedule.warmupSteps > 0) json["warmup_steps"] = schedule.warmupSteps;
    if (schedule.totalSteps > 0) json["total_steps"] = schedule.totalSteps;
    if (schedule.kind == "step") {
        json["every"] = schedule.every;
        json["factor"] = schedule.factor;
    }
    return json;
}

}  // namespace mantissa
