// SPDX-License-Identifier: Apache-2.0
// What a session makes of a recording whose JSON is well formed and says anything: a good one, in which the input changes values. Twelve
// bytes each: which item, which of its values, what kind of value comes there, and the value.
#include <cstdlib>
#include <cstring>
#include <map>
#include <optional>

#include "engine/session/journal.h"
#include "engine/session/recorded_runs.h"
#include "engine/session/stored_snapshot.h"

namespace {

using namespace mantissa;

struct Item {
    LogEntry entry;
    std::optional<Event> event;
};

struct Sample {
    std::vector<Item> items;  // the first half before all steps, the others after them
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
                    .entry =
                        [&](const LogEntry& entry) {
                            sample.items.push_back({entry, eventIn(entry)});
                        }});
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
    std::map<std::size_t, LogEntry> changed;  // what is not changed is not read again
    std::vector<StoredSnapshot> snapshots = kSample.snapshots;
    auto steps = kSample.steps;
    for (; size >= 12; data += 12, size -= 12) {
        std::int64_t whole = 0;
        std::memcpy(&whole, data + 4, sizeof whole);
        const std::size_t item = data[0] % kSample.items.size();
        const auto entry = [&]() -> LogEntry& { return changed.try_emplace(item, kSample.items[item].entry).first->second; };
        auto& records = steps[data[1] % steps.size()].second;
        switch (data[3] % 5) {
            case 0:
                change(entry().body, data);
                break;
            case 1:
                change(snapshots[0].head, data);
                break;
            case 2:
                records[data[0] % records.size()].step = std::abs(whole % (data[2] == 0 ? INT64_MAX : 100));
                break;
            case 3:
                entry().run = static_cast<RunId>(whole);
                break;
            default:
                entry().step = snapshots[0].step = whole;
        }
    }
    RecordedRuns recorded;
    const auto take = [&](std::size_t first, std::size_t end) {
        for (std::size_t i = first; i < end; ++i) {
            const auto found = changed.find(i);
            const std::optional<Item> reread =
                found == changed.end() ? std::nullopt : std::optional(Item{found->second, eventIn(found->second)});
            const Item& item = reread ? *reread : kSample.items[i];
            recorded.take(item.entry);
            if (item.event) recorded.take(*item.event);
        }
    };
    const std::size_t half = kSample.items.size() / 2;
    take(0, half);
    for (const auto& [run, records] : steps) {
        for (const Event& event : recorded.take(run, records)) {
            const auto* news = std::get_if<StepsRecorded>(&event);
            for (std::size_t i = 1; news != nullptr && i < news->records.size(); ++i) {
                if (news->records[i].step != news->records[i - 1].step + 1) std::abort();
            }
        }
    }
    take(half, kSample.items.size());
    recorded.publishLaterSteps([](Event&&) {});
    recorded.take(kSample.places);
    try {
        const RunPoint point = pointOf(snapshots[0]);
        const TrainingCounters& counters = point.snapshot->counters;
        // what training adds to and multiplies
        if ((counters.nextMicroBatch + 1) * point.settings.training.data.batchSize < 0 || counters.optimizerStep < 0) std::abort();
    } catch (const InputError&) {
    }
    return 0;
}
