// SPDX-License-Identifier: Apache-2.0
// The history of a run, to go back to any of its steps: occasional snapshots, and all live changes. A step between two snapshots is
// restored by training from the earlier one. One thread at a time.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/experiment/experiment.h"
#include "engine/training/snapshot.h"

namespace mantissa {

/// The state of a run between two steps, before changes that take effect at the next step.
struct RunPoint {
    std::int64_t step = 0;  // the next one
    RunSettings settings;   // with scheduled changes
    RunSettings ownSettings;
    bool hasToldNonFinite = false;
    std::shared_ptr<const Snapshot> snapshot;  // null: the initial state of the settings
    bool isByHand = false;                     // a requested checkpoint, which is not displaced
};

/// A live change; scheduled changes of the file are not included.
struct AppliedChange {
    std::int64_t step = 0;  // the first step with the change
    std::string pointer;
    Json value;
};

class History {
public:
    /// The largest share of a run's training time that snapshots may take.
    static constexpr double kShareOfTime = 0.01;

    /// `begin` is the earliest point of the run.
    History(RunPoint begin, std::int64_t budgetBytes);

    const RunPoint& begin() const { return m_points.front(); }
    const RunPoint& latest() const { return m_points.back(); }
    /// The latest point at or before `step`.
    const RunPoint& nearest(std::int64_t step) const;

    /// Whether a snapshot of this size fits the limits of time and memory now.
    bool wants(std::int64_t snapshotBytes) const;
    void addTrainedSeconds(double seconds) { m_sinceLatest += seconds; }
    /// Adds a point; `seconds` is the time that its snapshot took. Above the budget, points are removed so that they become sparser with
    /// their distance.
    void keep(RunPoint point, double seconds);
    /// Sets the memory budget of snapshots. The first and the latest point always stay.
    void setBudget(std::int64_t budgetBytes);
    /// Keeps only the first and the latest point from now on.
    void keepOnlyLatest();
    /// Adds a checkpoint of the present state. Returns false, without adding it, if checkpoints would exceed half of the budget.
    bool keepByHand(RunPoint point);

    void note(AppliedChange change) { m_changes.push_back(std::move(change)); }
    const std::vector<AppliedChange>& changes() const { return m_changes; }  // by step
    std::int64_t bytes() const { return m_bytes; }                           // of the snapshots
    std::int64_t budgetByHand() const { return m_budget / 2; }

    /// Removes changes from `step` on and points after it.
    void forgetFrom(std::int64_t step);

private:
    std::vector<RunPoint> m_points;  // by step; the first one stays
    std::vector<AppliedChange> m_changes;
    std::size_t m_mostPoints = 2000;  // bounds the time of makeRoom
    std::int64_t m_budget;
    std::int64_t m_bytes;
    double m_cost = 0;  // seconds for the latest snapshot
    double m_sinceLatest = 0;

    void makeRoom();
};

}  // namespace mantissa
