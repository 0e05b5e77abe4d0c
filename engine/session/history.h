// SPDX-License-Identifier: Apache-2.0
// What a run needs to go back to any of its steps: snapshots now and then, and the live changes since it began. Between two snapshots a
// step is found again by training from the earlier one. One thread at a time.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/experiment/experiment.h"
#include "engine/training/snapshot.h"

namespace mantissa {

/// A run between two steps. Before the changes that hold from the next step on.
struct RunPoint {
    std::int64_t step = 0;  // the next one
    RunSettings settings;   // in force
    RunSettings ownSettings;
    bool hasToldNonFinite = false;
    std::shared_ptr<const Snapshot> snapshot;  // null: as the settings begin
    bool isByHand = false;                     // a checkpoint that was asked for: it makes no room for others
};

/// A live change, not one of the file's.
struct AppliedChange {
    std::int64_t step = 0;  // the first one that it holds for
    std::string pointer;
    Json value;
};

class History {
public:
    /// Snapshots cost at most this share of the time that a run trains, whatever its size and pace.
    static constexpr double kShareOfTime = 0.01;

    /// `begin`: the earliest point that the run can go back to.
    History(RunPoint begin, std::int64_t budgetBytes);

    const RunPoint& begin() const { return m_points.front(); }
    const RunPoint& latest() const { return m_points.back(); }
    /// The latest point at or before `step`.
    const RunPoint& nearest(std::int64_t step) const;

    /// Whether a snapshot of so many bytes is worth its time now, and fits at all.
    bool wants(std::int64_t snapshotBytes) const;
    void addTrainedSeconds(double seconds) { m_sinceLatest += seconds; }
    /// `seconds`: what taking it cost. Where the budget is used up, points make room: the further back, the sparser they become.
    void keep(RunPoint point, double seconds);
    /// Of the snapshots from now on; at least the first and the latest point stay.
    void setBudget(std::int64_t budgetBytes);
    /// Keeps the first and the latest point alone from now on.
    void keepOnlyLatest();
    /// A checkpoint, of where the run stands. False, and not kept, when those kept by hand would leave too little for the others.
    bool keepByHand(RunPoint point);

    void note(AppliedChange change) { m_changes.push_back(std::move(change)); }
    const std::vector<AppliedChange>& changes() const { return m_changes; }  // by step
    std::int64_t bytes() const { return m_bytes; }                           // of the snapshots
    std::int64_t budgetByHand() const { return m_budget / 2; }

    /// The run goes on from before `step` in another way.
    void forgetFrom(std::int64_t step);

private:
    std::vector<RunPoint> m_points;  // by step; the first one stays
    std::vector<AppliedChange> m_changes;
    std::size_t m_mostPoints = 2000;  // making room looks at all of them
    std::int64_t m_budget;
    std::int64_t m_bytes;
    double m_cost = 0;  // seconds, of a snapshot
    double m_sinceLatest = 0;

    void makeRoom();
};

}  // namespace mantissa
