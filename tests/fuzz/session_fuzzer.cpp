// SPDX-License-Identifier: Apache-2.0
// What a session makes of a recording whose JSON is well formed and says anything: a good one, in which the input changes values. Twelve
// bytes each: which item, which of its values, what kind of value comes there, and the value.
#include <cstdlib>
#include <cstring>

#include "engine/session/journal.h"
#include "engine/session/recorded_runs.h"
#include "engine/session/stored_snapshot.h"

namespace {

using namespace mantissa;

struct Sample {
    std::vector<LogEntry> entries;  // the first half before all steps, the others after them
    std::vector<std::pair<RunId, std::vector<StepRecord>>> steps;
    std::vector<SnapshotPlace> places;
    std::vector<StoredSnapshot> snapshots;
};

Sample readSample() {
    const Recording recording(MANTISSA_EARLY_RECORDING);
    Sample sample;
    recording.read({.steps =
                        [&](RunId run, std::span<const StepRecord> records) {
                            sample.steps.push_back({run, {records.begin(), records.end()}});
                        },
                    .entry = [&](const LogEntry& entry) { sample.entries.push_back(entry); }});
    sample.places = recording.snapshots();
    for (const SnapshotPlace& place : sample.places) sample.snapshots.push_back(recording.snapshot(place.id).value());
    return sample;
}

/// The leaf of that number, counted over and over again.
Json* leafOf(Json& json, std::size_t number) {
    std::vector<Json*> leaves;
    const auto gather = [&](const auto& self, Json& each) -> void {
        if (!each.is_structured()) return leaves.push_back(&each);
        for (Json& inner : each) self(self, inner);
    };
    gather(gather, json);
    return leaves.empty() ? nullptr : leaves[number % leaves.size()];
}

void change(Json& json, const std::uint8_t* data) {
    Json* leaf = leafOf(json, data[1]);
    if (leaf == nullptr) return;
    std::int64_t whole = 0;
    std::memcpy(&whole, data + 4, sizeof whole);
    switch (data[2] % 6) {
        case 0:
            *leaf = whole;
            break;
        case 1:
            *leaf = static_cast<std::int8_t>(whole);
            break;
        case 2:
            *leaf = static_cast<double>(whole);
            break;
        case 3:
            *leaf = nullptr;
            break;
        case 4:
            *leaf = std::string(reinterpret_cast<const char*>(data + 4), 8);
            break;
        default:
            *leaf = Json::array({whole});
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static const Sample kSample = readSample();
    Sample sample = kSample;
    for (; size >= 12; data += 12, size -= 12) {
        std::int64_t whole = 0;
        std::memcpy(&whole, data + 4, sizeof whole);
        LogEntry& entry = sample.entries[data[0] % sample.entries.size()];
        auto& records = sample.steps[data[1] % sample.steps.size()].second;
        switch (data[3] % 5) {
            case 0:
                change(entry.body, data);
                break;
            case 1:
                change(sample.snapshots[0].head, data);
                break;
            case 2:
                records[data[0] % records.size()].step = std::abs(whole % (data[2] == 0 ? INT64_MAX : 100));
                break;
            case 3:
                entry.run = static_cast<RunId>(whole);
                break;
            default:
                entry.step = sample.snapshots[0].step = whole;
        }
    }
    RecordedRuns recorded;
    const auto take = [&](const LogEntry& entry) {
        recorded.take(entry);
        if (const auto event = eventIn(entry)) recorded.take(*event);
    };
    const std::size_t half = sample.entries.size() / 2;
    for (std::size_t i = 0; i < half; ++i) take(sample.entries[i]);
    for (const auto& [run, records] : sample.steps) {
        for (const Event& event : recorded.take(run, records)) {
            const auto* steps = std::get_if<StepsRecorded>(&event);
            for (std::size_t i = 1; steps != nullptr && i < steps->records.size(); ++i) {
                if (steps->records[i].step != steps->records[i - 1].step + 1) std::abort();
            }
        }
    }
    for (std::size_t i = half; i < sample.entries.size(); ++i) take(sample.entries[i]);
    recorded.publishLaterSteps([](Event&&) {});
    recorded.take(sample.places);
    try {
        const RunPoint point = pointOf(sample.snapshots[0]);
        const TrainingCounters& counters = point.snapshot->counters;
        // what training adds to and multiplies
        if ((counters.nextMicroBatch + 1) * point.settings.training.data.batchSize < 0 || counters.optimizerStep < 0) std::abort();
    } catch (const InputError&) {
    }
    return 0;
}
