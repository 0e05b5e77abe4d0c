// SPDX-License-Identifier: Apache-2.0
#include "engine/session/stored_snapshot.h"

#include <bit>
#include <cmath>
#include <limits>

#include "engine/experiment/values.h"

namespace mantissa {
namespace {

/// Floats as bits, since JSON has no NaN.
Json bitsOf(float value) {
    return std::bit_cast<std::uint32_t>(value);
}
std::uint32_t bits32(const Json& json) {
    return static_cast<std::uint32_t>(readInteger(json, 0, std::numeric_limits<std::uint32_t>::max()));
}
float floatOf(const Json& bits) {
    return std::bit_cast<float>(bits32(bits));
}

/// Throws BadValue for counters out of range, which would index outside the data or overflow.
TrainingCounters countersOf(const Json& json, std::int64_t step, std::int64_t batchSize) {
    constexpr std::int64_t kMostSamples = std::numeric_limits<std::int64_t>::max() / 4;
    const auto count = [&](const char* key, std::int64_t most) { return readInteger(json.at(key), 0, most); };
    return {.nextStep = step,
            .nextMicroBatch = count("next_micro_batch", kMostSamples / batchSize),
            .optimizerStep = count("optimizer_step", step),
            .scheduleStep = count("schedule_step", step),
            .skippedTotal = count("skipped_total", step),
            .wallSeconds = json.at("wall_seconds").get<double>(),
            .flagsForNext = bits32(json.at("flags_for_next")),
            .hasMomentum = json.at("has_momentum").get<bool>(),
            .planKeepsMomentum = json.at("plan_keeps_momentum").get<bool>()};
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
                  {{"scale", bitsOf(snapshot.scaler.ofLoss())},
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
    if (const double scale = snapshot.scaler.scale; std::isfinite(scale) && scale != static_cast<double>(snapshot.scaler.ofLoss()))
        head["scaler"]["exact_scale"] = scale;  // fp32 cannot represent it
    if (const auto& first = snapshot.first)
        head["first_non_finite"] = {{"step", first->step},   {"layer", first->layer},   {"operation", first->operation},
                                    {"phase", first->phase}, {"tensor", first->tensor}, {"class", first->cls}};
    return {run, point.step, std::move(head), snapshot.memory};
}

RunPoint pointOf(const StoredSnapshot& stored) try {
    const Json& head = stored.head;
    RunPoint point{.step = readInteger(stored.step, 0, kMaxSteps),
                   .settings = readRecordedSettings(head.at("settings")),
                   .ownSettings = readRecordedSettings(head.at("own_settings")),
                   .hasToldNonFinite = head.at("has_told_non_finite").get<bool>(),
                   .snapshot = nullptr};
    Snapshot snapshot;
    snapshot.settings = point.settings.training;
    const Json& scaler = head.at("scaler");
    const float scale = floatOf(scaler.at("scale"));
    const auto exact = scaler.find("exact_scale");
    snapshot.scaler.scale = exact != scaler.end() ? readNumber(*exact) : static_cast<double>(scale);
    if (exact != scaler.end() && scale != snapshot.scaler.ofLoss()) throw BadValue{"", "is no loss scale"};
    snapshot.scaler.growthTracker = readInteger(scaler.at("growth_tracker"), 0, kMaxSteps);
    snapshot.scaler.hysteresisLeft = readInteger(scaler.at("hysteresis_left"), 0, kMaxSteps);
    for (std::size_t i = 0; i < snapshot.scaler.logMax.size(); ++i) snapshot.scaler.logMax[i] = floatOf(scaler.at("log_max").at(i));
    snapshot.counters = countersOf(head.at("counters"), point.step, point.settings.training.data.batchSize);
    if (const auto first = head.find("first_non_finite"); first != head.end()) {
        const auto text = [&](const char* key) { return first->at(key).get<std::string>(); };
        snapshot.first = FirstNonFinite{
            readInteger(first->at("step"), 0, kMaxSteps), text("layer"), text("operation"), text("phase"), text("tensor"), text("class")};
    }
    snapshot.memory = stored.state;
    point.snapshot = std::make_shared<const Snapshot>(std::move(snapshot));
    return point;
} catch (const Json::exception&) {
    throw InputError("", "", "the snapshot before step " + std::to_string(stored.step) + " is not whole");
} catch (const BadValue& error) {
    throw InputError("", "", "a number in the snapshot before step " + std::to_string(stored.step) + " " + error.sentence);
}

}  // namespace mantissa
