// SPDX-License-Identifier: Apache-2.0
#include "engine/session/replay.h"

#include <cmath>
#include <map>
#include <set>

#include "engine/session/journal.h"
#include "engine/session/live_run.h"

namespace mantissa {
namespace {

/// Columns that depend only on the experiment.
struct Column {
    const char* name;
    double (*of)(const StepRecord&);
};
constexpr Column kColumns[] = {
    {"step", [](const StepRecord& r) { return static_cast<double>(r.step); }},
    {"samples", [](const StepRecord& r) { return static_cast<double>(r.samples); }},
    {"loss", [](const StepRecord& r) { return r.loss; }},
    {"val_loss", [](const StepRecord& r) { return metricValue(r, Metric::ValidationLoss); }},
    {"val_accuracy", [](const StepRecord& r) { return metricValue(r, Metric::ValidationAccuracy); }},
    {"loss_scale", [](const StepRecord& r) { return r.lossScale; }},
    {"skipped_total", [](const StepRecord& r) { return static_cast<double>(r.skippedTotal); }},
    {"grad_norm", [](const StepRecord& r) { return r.gradNorm; }},
    {"lr", [](const StepRecord& r) { return r.lr; }},
    {"memory_bytes", [](const StepRecord& r) { return static_cast<double>(r.memoryBytes); }},
    {"flags", [](const StepRecord& r) { return static_cast<double>(r.flags); }},
};

/// Ends the reading early.
struct Ended {};

class Replayer {
public:
    Replayer(std::shared_ptr<Backend> backend, const std::function<bool(std::int64_t)>& tick)
        : m_backend(std::move(backend)), m_tick(tick) {}

    Replayed result;

    bool isTrainedElsewhere() const { return !m_elsewhere.empty() && result.runs == 0; }

    void take(RunId id, std::span<const StepRecord> recorded) {
        if (m_elsewhere.contains(id)) return;
        LiveRun& run = runOf(id);
        for (const StepRecord& each : recorded) {
            m_record.reset();
            if (run.canStep()) run.step();
            run.flush();
            compare(run, each);
            if (!m_tick(++result.steps) || result.first) throw Ended();
        }
    }

    void take(const LogEntry& entry) {
        if (entry.kind == kRunEntry) {
            begin(RecordedRun(entry));
        } else if (entry.kind == kChangeEntry) {
            const auto change = changeIn(entry);
            if (!change) throw InputError("", "", "a change of run " + std::to_string(entry.run) + " is not whole");
            runOf(entry.run).change(0, change->pointer, change->value);
            ++result.changes;
        } else if (const auto event = eventIn(entry)) {
            if (const auto* added = std::get_if<RunAdded>(&*event);
                added != nullptr && (added->info.kind == RunKind::Watched || added->info.kind == RunKind::Recorded))
                m_elsewhere.insert(added->info.id);
            take(*event);
        }
    }

private:
    std::shared_ptr<Backend> m_backend;
    const std::function<bool(std::int64_t)>& m_tick;
    std::map<RunId, std::unique_ptr<LiveRun>> m_runs, m_removed;
    std::set<RunId> m_elsewhere;         // trained elsewhere
    std::optional<StepRecord> m_record;  // the latest step

    void take(const Event& event) {
        if (const auto* back = std::get_if<RunRewound>(&event)) {
            if (m_elsewhere.contains(back->run)) return;
            LiveRun& run = runOf(back->run);
            run.rewind(back->step);
            rerun(run);
        } else if (const auto* removed = std::get_if<RunRemoved>(&event)) {
            // It may be restored later.
            if (removed->canBeRestored && m_runs.contains(removed->run))
                m_removed.insert(m_runs.extract(removed->run));
            else
                m_runs.erase(removed->run);
        } else if (const auto* restored = std::get_if<RunRestored>(&event)) {
            m_runs.insert(m_removed.extract(restored->info.id));
        } else if (const auto* changed = std::get_if<RunChanged>(&event)) {
            if (changed->info.kind == RunKind::Live && m_runs.contains(changed->info.id)) runOf(changed->info.id).keepWhatIf();
        }
    }

    LiveRun& runOf(RunId id) {
        const auto found = m_runs.find(id);
        if (found == m_runs.end()) throw InputError("", "", "run " + std::to_string(id) + " has not begun");
        return *found->second;
    }

    static void rerun(LiveRun& run) {
        while (run.isLagging()) run.rerun();
    }

    void begin(const RecordedRun& recorded) {
        std::unique_ptr<LiveRun> run;
        if (recorded.parent >= 0) {
            run = LiveRun::fork(recorded.id, runOf(recorded.parent), recorded.firstStep, recorded.settings.name, {});
            rerun(*run);
        } else {
            run = std::make_unique<LiveRun>(recorded.id, recorded.settings, m_backend, [this](Event&& event) {
                if (const auto* steps = std::get_if<StepsRecorded>(&event)) m_record = steps->records.back();
            });
        }
        run->course().requireData(recorded.dataSum);
        run->schedule(recorded.scheduled);
        if (recorded.whatIfSteps > 0) run->makeWhatIf(recorded.whatIfSteps);
        m_runs.insert_or_assign(recorded.id, std::move(run));
        ++result.runs;
    }

    void compare(const LiveRun& run, const StepRecord& recorded) {
        const std::string& name = run.course().settings.name;
        if (!m_record) {
            result.first = {name, recorded.step, "step", static_cast<double>(recorded.step), NAN};
            return;
        }
        for (const Column& column : kColumns) {
            const double was = column.of(recorded), is = column.of(*m_record);
            if (isSameValue(was, is)) continue;
            result.first = {name, recorded.step, column.name, was, is};
            return;
        }
    }
};

}  // namespace

Replayed replay(const Recording& recording, std::shared_ptr<Backend> backend, const std::function<bool(std::int64_t)>& tick) {
    Replayer replayer(std::move(backend), tick);
    try {
        recording.read({.steps = [&](RunId run, std::span<const StepRecord> records) { replayer.take(run, records); },
                        .entry = [&](const LogEntry& entry) { replayer.take(entry); }});
    } catch (const Ended&) {
    }
    if (replayer.isTrainedElsewhere()) throw InputError("", "", "its runs were trained elsewhere, and their steps cannot be trained again");
    return replayer.result;
}

}  // namespace mantissa
