// SPDX-License-Identifier: Apache-2.0
#include "engine/session/stored_snapshot.h"

#include <bit>

namespace mantissa {
namespace {

/// Floats as their bits: JSON has no NaN.
Json bitsOf(float value) {
    return std::bit_cast<std::uint32_t>(value);
}
float floatOf(const Json& bits) {
    return std::bit_cast<float>(bits.get<std::uint32_t>());
}

}  // namespace

StoredSnapshot stored(RunId run, const RunPoint& point) {
    const Snapshot& snapshot = *point.snapshot;
    const TrainingCounters& counters = snapshot.counters;
    Json logMax = Json::array();
    for (const float each : snapshot.scaler.logMax) logMax.push_back(bitsOf(each));
    Json head = {{"settings", runToJson(point.settings)},
                 {"own_settings", runToJson(point.ownSettings)},
                 {"has_told_non_finite", point.hasToldNonFinite},
                 {"scaler",
                  {{"scale", bitsOf(snapshot.scaler.scale)},
                   {"growth_tracker", snapshot.scaler.growthTracker},
                   {"hysteresis_left", snapshot.scaler.hysteresisLeft},
                   {"log_max", std::move(logMax)}}},
                 {"counters",
                  {{"next_micro_batch", counters.nextMicroBatch},
                   {"optimizer_step", counters.optimizerStep},
                   {"schedule_step", counters.scheduleStep},
                   {"skipped_total", counters.skippedTotal},
                   {"wall_seconds", counters.wallSeconds},
                   {"flags_for_next", counters.flagsForNext},
                   {"has_momentum", counters.hasMomentum},
                   {"plan_keeps_momentum", counters.planKeepsMomentum}}}};
    if (const auto& first = snapshot.first)
        head["first_non_finite"] = {{"step", first->step},   {"layer", first->layer},   {"operation", first->operation},
                                    {"phase", first->phase}, {"tensor", first->tensor}, {"class", first->cls}};
    return {run, point.step, std::move(head), snapshot.memory};
}

RunPoint pointOf(const StoredSnapshot& stored) try {
    const Json& head = stored.head;
    RunPoint point{.step = stored.step,
                   .settings = readSettings(head.at("settings")),
                   .ownSettings = readSettings(head.at("own_settings")),
                   .hasToldNonFinite = head.at("has_told_non_finite").get<bool>(),
                   .snapshot = nullptr};
    Snapshot snapshot;
    snapshot.settings = point.settings.training;
    const Json& scaler = head.at("scaler");
    snapshot.scaler.scale = floatOf(scaler.at("scale"));
    snapshot.scaler.growthTracker = scaler.at("growth_tracker").get<std::int64_t>();
    snapshot.scaler.hysteresisLeft = scaler.at("hysteresis_left").get<std::int64_t>();
    for (std::size_t i = 0; i < snapshot.scaler.logMax.size(); ++i) snapshot.scaler.logMax[i] = floatOf(scaler.at("log_max").at(i));
    const Json& counters = head.at("counters");
    snapshot.counters = {.nextStep = stored.step,
                         .nextMicroBatch = counters.at("next_micro_batch").get<std::int64_t>(),
                         .optimizerStep = counters.at("optimizer_step").get<std::int64_t>(),
                         .scheduleStep = counters.at("schedule_step").get<std::int64_t>(),
                         .skippedTotal = counters.at("skipped_total").get<std::int64_t>(),
                         .wallSeconds = counters.at("wall_seconds").get<double>(),
                         .flagsForNext = counters.at("flags_for_next").get<std::uint32_t>(),
                         .hasMomentum = counters.at("has_momentum").get<bool>(),
                         .planKeepsMomentum = counters.at("plan_keeps_momentum").get<bool>()};
    if (const auto first = head.find("first_non_finite"); first != head.end()) {
        const auto text = [&](const char* key) { return first->at(key).get<std::string>(); };
        snapshot.first = FirstNonFinite{
            first->at("step").get<std::int64_t>(), text("layer"), text("operation"), text("phase"), text("tensor"), text("class")};
    }
    snapshot.memory = stored.state;
    point.snapshot = std::make_shared<const Snapshot>(std::move(snapshot));
    return point;
} catch (const Json::exception& error) {
    throw InputError("", "", std::string("the snapshot before step ") + std::to_string(stored.step) + " is not whole: " + error.what());
}

}  // namespace mantissa
