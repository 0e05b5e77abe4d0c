// SPDX-License-Identifier: Apache-2.0
#include "engine/session/recorded_runs.h"

#include <algorithm>

#include "engine/session/journal.h"

namespace mantissa {

RecordedRun::RecordedRun(const LogEntry& entry) try
    : id(entry.run),
      settings(readSettings(entry.body.at("settings"))),
      scheduled(scheduledOf(entry.body.at("scheduled"), settings.name)),
      trainCount(entry.body.at("train_count").get<std::int64_t>()),
      whatIfSteps(entry.body.at("what_if_steps").get<std::int64_t>()),
      parent(entry.body.at("parent").get<RunId>()),
      firstStep(entry.body.at("first_step").get<std::int64_t>()) {
} catch (const Json::exception& error) {
    throw InputError("", "", "the entry of run " + std::to_string(entry.run) + " is not whole: " + error.what());
}

void RecordedRuns::take(const LogEntry& entry) {
    if (entry.kind == kRunEntry) {
        const auto before = m_runs.find(entry.run);
        if (before != m_runs.end()) goBack(before->second, -1);
        RunsWay way{RecordedRun(entry), {}, {}, {}, {}, false};
        if (before != m_runs.end()) way.info = before->second.info;
        m_runs.insert_or_assign(entry.run, std::move(way));
    } else if (entry.kind == kChangeEntry) {
        const auto way = m_runs.find(entry.run);
        if (way != m_runs.end() && entry.body.contains("pointer") && entry.body["pointer"].is_string() && entry.body.contains("value"))
            way->second.changes.push_back({entry.step, entry.body["pointer"], entry.body["value"]});
    }
}

void RecordedRuns::take(const Event& event) {
    const auto know = [&](const RunInfo& info) {
        const auto way = m_runs.find(info.id);
        if (way == m_runs.end()) return;
        way->second.info = info;
        if (info.kind == RunKind::Live) way->second.run.whatIfSteps = 0;  // it was kept
    };
    if (const auto* loaded = std::get_if<ExperimentLoaded>(&event)) {
        for (const RunInfo& info : loaded->runs) know(info);
    } else if (const auto* added = std::get_if<RunAdded>(&event)) {
        know(added->info);
    } else if (const auto* changed = std::get_if<RunChanged>(&event)) {
        know(changed->info);
    } else if (const auto* removed = std::get_if<RunRemoved>(&event)) {
        m_runs.erase(removed->run);
    } else if (const auto* back = std::get_if<RunRewound>(&event)) {
        const auto way = m_runs.find(back->run);
        if (way != m_runs.end()) goBack(way->second, back->step);
    } else if (const auto* stopped = std::get_if<RunStopped>(&event)) {
        const auto way = m_runs.find(stopped->run);
        if (way != m_runs.end()) way->second.hasStopped = true;
    }
}

void RecordedRuns::goBack(RunsWay& way, std::int64_t step) {
    m_returns.push_back({way.run.id, step, m_steps});
    if (step >= way.nextStep()) return;
    way.hasStopped = false;
    std::erase_if(way.changes, [&](const AppliedChange& change) { return change.step >= step; });
    way.losses.resize(static_cast<std::size_t>(std::max<std::int64_t>(step - way.run.firstStep, 0)));
}

void RecordedRuns::take(RunId run, std::span<const StepRecord> records) {
    m_steps += static_cast<std::int64_t>(records.size());
    const auto way = m_runs.find(run);
    if (way == m_runs.end()) throw InputError("", "", "it has steps of run " + std::to_string(run) + ", which it has not begun");
    for (const StepRecord& record : records) {
        if (record.step != way->second.nextStep())
            throw InputError("", "",
                             "step " + std::to_string(record.step) + " of run " + std::to_string(run) + " comes where step " +
                                 std::to_string(way->second.nextStep()) + " is due");
        way->second.losses.push_back(record.loss);
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
        for (const SnapshotPlace& place : ours) way.snapshots.push_back(place.id);
    }
}

std::int64_t RecordedRuns::trainCountOf(RunId run) const {
    const auto way = m_runs.find(run);
    return way == m_runs.end() ? 1 : std::max<std::int64_t>(way->second.run.trainCount, 1);
}

}  // namespace mantissa
