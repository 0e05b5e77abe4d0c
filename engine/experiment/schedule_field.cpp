// SPDX-License-Identifier: Apache-2.0
// The optimizer's `schedule`: an object whose keys depend on its kind.
#include <algorithm>

#include "engine/experiment/json_reader.h"
#include "engine/experiment/values.h"
#include "engine/telemetry/number_format.h"

namespace mantissa {
std::vector<FieldPart> scheduleParts(const std::string& kind) {
    std::vector<FieldPart> parts{{"kind", "schedule", FieldKind::Choice, kScheduleKinds},
                                 {"warmup_steps", "warm-up steps", FieldKind::Count, {}, "none"}};
    if (kind == "linear" || kind == "cosine") parts.push_back({"total_steps", "falls to 0 at", FieldKind::Count, {}, "the last step"});
    if (kind == "step") {
        parts.push_back({"every", "each", FieldKind::Count, {}, std::to_string(ScheduleSettings{}.every) + " steps"});
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
        std::vector<std::string> known;
        for (const FieldPart& part : scheduleParts(schedule.kind)) known.push_back(part.key);
        for (const auto& [key, inner] : value.items()) {
            if (key == "kind") continue;
            at = pointerStep(key);
            if (std::find(known.begin(), known.end(), key) == known.end())
                refuse("schedule '" + schedule.kind + "' has only " + listed(known) + didYouMean(key, known));
            if (key == "warmup_steps") schedule.warmupSteps = readInteger(inner, 0, kMaxSteps);
            if (key == "total_steps") schedule.totalSteps = readInteger(inner, 1, kMaxSteps);
            if (key == "every") schedule.every = readInteger(inner, 1, kMaxSteps);
            if (key == "factor") check(schedule.factor = readNumber(inner), Bound::Positive);
        }
    } catch (BadValue& bad) {
        throw BadValue{at + bad.below, bad.sentence};
    }
    run.training.optimizer.schedule = std::move(schedule);
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
