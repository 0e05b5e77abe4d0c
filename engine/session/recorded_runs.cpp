// SPDX-License-Identifier: Apache-2.0
#include "engine/session/recorded_runs.h"

#include <algorithm>
#include <limits>

#include "engine/experiment/values.h"
#include "engine/session/journal.h"
#include "engine/session/live_run.h"
#include "engine/session/stored_snapshot.h"

namespace mantissa {
namespace {

constexpr RunId kMostId = std::numeric_limits<RunId>::max() - 1;  // leaves one for the next run

/// Number of records with consecutive steps, from the first on.
std::size_t countInOrder(std::span<const StepRecord> records) {
    std::size_t count = 1;
    while (count < records.size() && records[count].step == records[count - 1].step + 1) ++count;
    return count;
}

[[noreturn]] void refuseEntry(const LogEntry& entry, const std::string& why) {
    throw InputError("", "", "the entry of run " + std::to_string(entry.run) + " is not whole: " + why);
}

const Json& memberOf(const LogEntry& entry, const char* key) {
    const auto found = entry.body.find(key);
    if (found == entry.body.end()) refuseEntry(entry, std::string("it has no '") + key + "'");
    return *found;
}

std::vector<ScheduledChange> scheduledIn(const LogEntry& entry, const std::string& runName) {
    std::vector<ScheduledChange> changes;
    for (const Json& each : memberOf(entry, "scheduled")) {
        if (!each.is_object() || !each.contains("step") || !each.contains("set") || !each.at("set").is_object())
            refuseEntry(entry, "'scheduled' must be a list of steps and the settings that change there");
        ScheduledChange change{readInteger(each.at("step"), 0, kMaxSteps), runName, {}};
        for (const auto& [pointer, value] : each.at("set").items()) change.set.emplace_back(pointer, value);
        changes.push_back(std::move(change));
    }
    return changes;
}

std::string dataSumIn(const LogEntry& entry) {
    if (!entry.body.contains("data_sum")) return "";
    const Json& sum = memberOf(entry, "data_sum");
    if (!sum.is_string()) refuseEntry(entry, "'data_sum' must be text");
    return sum.get<std::string>();
}

/// Checksum that earlier versions wrote for all images and arrays.
constexpr std::string_view kNoSum = "00000000";

}  // namespace

RecordedRun::RecordedRun(const LogEntry& entry) try
    : id(entry.run),
      settings(readRecordedSettings(memberOf(entry, "settings"))),
      scheduled(scheduledIn(entry, settings.name)),
      trainCount(readInteger(memberOf(entry, "train_count"), 1, kMaxSteps)),
      whatIfSteps(readInteger(memberOf(entry, "what_if_steps"), 0, kMaxSteps)),
      parent(static_cast<RunId>(readInteger(memberOf(entry, "parent"), -1, kMostId))),
      firstStep(readInteger(memberOf(entry, "first_step"), 0, kMaxSteps)),
      dataSum(dataSumIn(entry)) {
    if (dataSum == kNoSum) dataSum.clear();
    if (id < 0 || id > kMostId) throw InputError("", "", "it has a run of the number " + std::to_string(id));
} catch (const BadValue& error) {
    throw InputError("", "", "a number in the entry of run " + std::to_string(entry.run) + " " + error.sentence);
}

RecordedRun::RecordedRun(const RunInfo& info, std::int64_t trainCountOfAll)
    : id(info.id), settings(info.settings), trainCount(trainCountOfAll), parent(info.parent), firstStep(info.firstStep) {}

void RecordedRuns::note(const std::string& trouble) {
    if (m_trouble.empty()) m_trouble = trouble;
}

void RecordedRuns::requireRuns() const {
    if (m_runs.empty() && !m_trouble.empty()) throw InputError("", "", m_trouble);
}

void RecordedRuns::begin(const LogEntry& entry) try {
    RunsWay way{.run = RecordedRun(entry)};
    m_freeId = std::max(m_freeId, entry.run + 1);
    way.info.id = entry.run;  // for a recording that has lost its info
    way.info.settings = way.run.settings;
    way.info.parent = way.run.parent;
    way.info.firstStep = way.run.firstStep;
    if (const auto before = m_runs.find(entry.run); before != m_runs.end()) {
        goBack(before->second, -1);
        way.info = before->second.info;
    }
    m_runs.insert_or_assign(entry.run, std::move(way));
} catch (const InputError& error) {
    note(error.what());  // with its place
}

void RecordedRuns::know(const RunInfo& info) {
    auto way = m_runs.find(info.id);
    if (info.kind == RunKind::Recorded && info.id >= 0 && info.id <= kMostId) m_freeId = std::max(m_freeId, info.id + 1);
    if (way == m_runs.end()) {
        if (info.kind == RunKind::Recorded || info.id < 0 || info.id > kMostId || info.firstStep < 0 || info.firstStep > kMaxSteps) return;
        if (info.kind != RunKind::Watched) note("the entry of run " + std::to_string(info.id) + " is lost");
        way = m_runs.emplace(info.id, RunsWay{.run = RecordedRun(info, m_trainCount)}).first;
        m_freeId = std::max(m_freeId, info.id + 1);
    }
    if (info.kind == RunKind::Watched && way->second.pastSteps.isEmpty() && info.firstStep >= 0 && info.firstStep <= kMaxSteps) {
        way->second.run.firstStep = info.firstStep;  // known only from its first step
        way->second.pastSteps = PastSteps(info.firstStep);
    }
    way->second.info = info;
    if (info.kind == RunKind::Live) way->second.run.whatIfSteps = 0;  // the what-if was kept as a run
}

void RecordedRuns::take(const LogEntry& entry) {
    if (entry.kind == kRunEntry) {
        begin(entry);
    } else if (entry.kind == kChangeEntry) {
        const auto way = m_runs.find(entry.run);
        const auto change = changeIn(entry);
        if (way != m_runs.end() && change) way->second.changes.push_back({entry.step, change->pointer, change->value});
    }
}

void RecordedRuns::take(const Event& event) {
    if (const auto* loaded = std::get_if<ExperimentLoaded>(&event)) {
        m_trainCount = std::max<std::int64_t>(loaded->trainCount, 1);
        for (const RunInfo& info : loaded->runs) know(info);
    } else if (const auto* added = std::get_if<RunAdded>(&event)) {
        know(added->info);
    } else if (const auto* changed = std::get_if<RunChanged>(&event)) {
        know(changed->info);
    } else if (const auto* removed = std::get_if<RunRemoved>(&event)) {
        if (const auto way = m_runs.find(removed->run); way != m_runs.end()) m_removed.insert(m_runs.extract(way));
    } else if (const auto* restored = std::get_if<RunRestored>(&event)) {
        if (const auto way = m_removed.find(restored->info.id); way != m_removed.end()) m_runs.insert(m_removed.extract(way));
        know(restored->info);
    } else if (const auto* back = std::get_if<RunRewound>(&event)) {
        const auto way = m_runs.find(back->run);
        if (way != m_runs.end()) goBack(way->second, back->step);
    } else if (const auto* kept = std::get_if<CheckpointKept>(&event)) {
        const auto way = m_runs.find(kept->run);
        if (way != m_runs.end() && kept->commandId != 0) way->second.checkpoints.insert(kept->step);
    } else if (const auto* examined = std::get_if<StepExamined>(&event)) {
        const auto way = m_runs.find(examined->run);
        if (way != m_runs.end() && way->second.isWatched())
            way->second.examinations.insert_or_assign(examined->examination.step, examined->examination);
    } else if (const auto* stopped = std::get_if<RunStopped>(&event)) {
        const auto way = m_runs.find(stopped->run);
        if (way != m_runs.end()) way->second.hasStopped = true;
    }
}

void RecordedRuns::goBack(RunsWay& way, std::int64_t step) {
    m_returns.push_back({way.run.id, step, m_steps});
    const auto isLeft = [&](const auto& each) { return each.step >= step; };
    way.hasStopped = false;
    std::erase_if(way.changes, isLeft);
    std::erase_if(way.beyond, isLeft);
    way.checkpoints.erase(way.checkpoints.upper_bound(step), way.checkpoints.end());
    way.pastSteps.truncate(std::max(step, way.run.firstStep));
}

std::vector<Event> RecordedRuns::take(RunId id, std::span<const StepRecord> records) {
    m_steps += static_cast<std::int64_t>(records.size());
    const auto found = m_runs.find(id);
    if (found == m_runs.end()) {
        note("it has steps of run " + std::to_string(id) + ", which it has not begun");
        return {};
    }
    RunsWay& way = found->second;
    std::vector<Event> events;
    while (!records.empty()) {
        const std::size_t count = countInOrder(records);
        const auto inOrder = records.first(count);
        records = records.subspan(count);
        const std::int64_t step = inOrder.front().step;
        if (way.isWatched() && step > way.nextStep()) way.pastSteps = PastSteps(step);  // messages in between were lost
        const std::int64_t due = way.beyond.empty() ? way.nextStep() : way.beyond.back().step + 1;
        if (step != due)
            note("step " + std::to_string(step) + " of run " + std::to_string(id) + " comes where step " + std::to_string(due) + " is due");
        if (step < way.run.firstStep) continue;
        if (step < due) {
            goBack(way, step);
            events.push_back(RunRewound{id, step});
        }
        if (step > way.nextStep()) {
            way.beyond.insert(way.beyond.end(), inOrder.begin(), inOrder.end());
            continue;
        }
        StepsRecorded steps{
            .run = id, .records = {inOrder.begin(), inOrder.end()}, .nextScale = inOrder.back().lossScale, .sentNs = monotonicNs()};
        for (StepRecord& record : steps.records) {
            if (record.samples >= 0) record.epoch = static_cast<double>(record.samples) / static_cast<double>(way.run.trainCount);
            way.pastSteps.add({record.loss, record.gradNorm});
            ++way.received;
        }
        events.push_back(std::move(steps));
    }
    return events;
}

void publishSeries(RunId run, const ImportedSeries& series, const std::function<void(Event&&)>& publish) {
    constexpr std::size_t kMostSteps = 200'000;  // of one event; takes far less than a frame
    for (std::size_t begin = 0; begin < series.steps.size(); begin += kMostSteps) {
        const auto end = std::min(begin + kMostSteps, series.steps.size());
        const auto first = static_cast<std::ptrdiff_t>(begin), last = static_cast<std::ptrdiff_t>(end);
        publish(SeriesImported{run,
                               series.metric,
                               {series.steps.begin() + first, series.steps.begin() + last},
                               {series.values.begin() + first, series.values.begin() + last},
                               series.metric == Metric::Other ? series.source : std::string()});
    }
}

void RecordedRuns::publishLaterSteps(const std::function<void(Event&&)>& publish) const {
    for (const auto& [id, way] : m_runs) {
        for (int metric = 0; metric < kMetricCount; ++metric) {
            ImportedSeries series{.metric = static_cast<Metric>(metric), .source = {}, .steps = {}, .values = {}};
            const bool isOfValidation = series.metric == Metric::ValidationLoss || series.metric == Metric::ValidationAccuracy;
            for (const StepRecord& record : way.beyond) {
                if (isOfValidation && !(series.metric == Metric::ValidationLoss ? record.validated() : record.hasAccuracy())) continue;
                series.steps.push_back(record.step);
                series.values.push_back(metricValue(record, series.metric));
            }
            publishSeries(id, series, publish);
        }
    }
}

void RecordedRuns::take(const std::vector<SnapshotPlace>& places) {
    for (auto& [id, way] : m_runs) {
        std::vector<SnapshotPlace> ours;
        for (const SnapshotPlace& place : places) {
            const bool isLeft = std::any_of(m_returns.begin(), m_returns.end(), [&](const Return& back) {
                return back.run == place.run && place.stepsBefore <= back.stepsBefore && place.step > back.step;
            });
            if (place.run == id && !isLeft && place.step <= way.nextStep()) ours.push_back(place);
        }
        std::stable_sort(ours.begin(), ours.end(), [](const SnapshotPlace& a, const SnapshotPlace& b) { return a.step < b.step; });
        way.snapshots = std::move(ours);
    }
}

std::vector<RunPoint> storedPoints(const Recording& recording, const RunsWay& way, std::int64_t budgetBytes) {
    std::vector<const SnapshotPlace*> places;  // in order of preference
    for (auto place = way.snapshots.rbegin(); place != way.snapshots.rend(); ++place) places.push_back(&*place);
    const auto isByHand = [&](const SnapshotPlace* place) { return way.checkpoints.contains(place->step); };
    if (!places.empty()) std::stable_partition(places.begin() + 1, places.end(), isByHand);
    std::vector<RunPoint> points;
    for (const SnapshotPlace* place : places) {
        const bool isFirst = way.run.parent >= 0 && place == &way.snapshots.front();
        if (place->bytes > budgetBytes && !isFirst) continue;
        const auto snapshot = recording.snapshot(place->id);
        if (!snapshot) continue;
        budgetBytes -= place->bytes;
        points.push_back(pointOf(*snapshot));
        points.back().isByHand = isByHand(place);
    }
    std::stable_sort(points.begin(), points.end(), [](const RunPoint& a, const RunPoint& b) { return a.step < b.step; });
    return points;
}

std::string readAll(const Recording& recording, RecordedRuns& recorded, const std::function<void(Event&&)>& publish) {
    const auto takeSteps = [&](RunId run, std::span<const StepRecord> records) {
        for (Event& event : recorded.take(run, records)) publish(std::move(event));
    };
    recording.read({.steps = takeSteps, .entry = [&](const LogEntry& entry) {
                        recorded.take(entry);
                        std::optional<Event> event = eventIn(entry);
                        if (!event) return;
                        recorded.take(*event);
                        publish(std::move(*event));
                    }});
    recorded.publishLaterSteps(publish);
    return recording.whyReadOnly().empty() ? recorded.trouble() : recording.whyReadOnly();
}

std::map<RunId, std::vector<StepRecord>> readSteps(const Recording& recording, RecordedRuns& recorded,
                                                   const std::function<bool(const StepRecord&)>& isWanted, std::int64_t& count) {
    std::map<RunId, std::vector<StepRecord>> wanted;
    const auto take = [&](RunId run, const std::vector<StepRecord>& records) {
        count += static_cast<std::int64_t>(records.size());
        std::copy_if(records.begin(), records.end(), std::back_inserter(wanted[run]), isWanted);
    };
    (void)readAll(recording, recorded, [&](Event&& event) {
        if (const auto* steps = std::get_if<StepsRecorded>(&event)) {
            take(steps->run, steps->records);
        } else if (const auto* back = std::get_if<RunRewound>(&event)) {
            std::erase_if(wanted[back->run], [back](const StepRecord& record) { return record.step >= back->step; });
        } else if (std::holds_alternative<ExperimentReset>(event)) {
            wanted.clear();
        }
    });
    recorded.requireRuns();
    for (const auto& [id, way] : recorded.runs()) take(id, way.beyond);
    recorded.take(recording.snapshots());
    return wanted;
}

}  // namespace mantissa
