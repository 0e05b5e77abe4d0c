// SPDX-License-Identifier: Apache-2.0
// A watched training: turns the probe's messages into the events of any run (steps, statistics, examinations). Requests about past steps
// are answered from received data, since a watched step cannot be repeated. One thread: the session's.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "engine/attach/probe_messages.h"
#include "engine/experiment/messages.h"
#include "kernels/dtype/dtype.h"

namespace mantissa {

/// Memory limit of the statistics that a run keeps: those of its first and its latest steps.
inline constexpr std::size_t kMostStatisticsBytes = 64u << 20;

class WatchedRun {
public:
    using Sink = std::function<void(Event&&)>;

    /// `place`: the address or file of its messages.
    WatchedRun(RunId id, const std::string& name, const ProbeHello& hello, const std::string& place, Sink sink);
    /// Creates a run from a recording; `recall` adds its events.
    WatchedRun(const RunInfo& info, Sink sink);

    const RunInfo& info() const { return m_info; }
    const std::string& key() const { return m_info.watch.key; }
    void rename(const std::string& name);

    void take(ProbeMessage&& message);
    /// Handles the end of the connection; `problem` as in ConnectionEnded.
    void disconnect(const std::string& problem);
    /// Restores state from an event of a recording, without emitting it.
    void recall(const Event& event);
    /// Emits the records gathered so far.
    void flush();

    std::int64_t nextStep() const { return m_nextStep; }
    /// Duration of the training so far, in seconds.
    double seconds() const { return m_seconds; }
    /// Statistics of the latest measured step up to `step`, otherwise of the first one after it; null: there are none.
    const StepStats* statisticsOf(std::int64_t step) const;
    /// The stored statistics, by step.
    const std::map<std::int64_t, StepStats>& statistics() const { return m_statistics; }
    const Examination* examinationOf(std::int64_t step) const;
    /// The highest usable loss scale of each received step under FP16, from `firstStep` on. A step without measured gradients takes the
    /// value of the nearest measured step before it, bounded by its own outcome: finite, or not, at its loss scale. Empty: no gradient was
    /// measured.
    std::vector<StepThreshold> thresholds(std::int64_t firstStep, std::int64_t count) const;

private:
    /// Evidence about loss scales from one step.
    struct ScaleFact {
        std::int64_t step = 0;
        float scale = 0;          // the step's; 0: unknown
        bool isOverflow = false;  // of gradients
        bool isLost = false;      // its forward pass is not finite, so no scale is usable
        float gradientMax = 0;    // unscaled; 0: not measured in this step
    };

    RunInfo m_info;
    Sink m_sink;
    std::map<std::uint32_t, DescribedTensor> m_tensors;
    std::set<std::uint32_t> m_wideTensors;  // gradients that have had finite values beyond FP16's largest number
    std::vector<StepRecord> m_records;
    std::int64_t m_nextStep = 0;
    std::vector<ScaleFact> m_facts;                               // by step, for all received steps
    double m_seconds = 0;                                         // of the steps so far
    std::int64_t m_skipped = 0, m_badInARow = 0, m_rowBegin = 0;  // m_rowBegin: the first of the steps that are bad in a row
    double m_nextScale = 1;
    std::int64_t m_cleanSteps = 0;
    std::int64_t m_firstTaken = -1;  // the first step that was not skipped, or of a run that was attached late the first one; -1: none yet
    bool m_hasEmittedNonFinite = false, m_hasSteps = false;
    std::deque<double> m_losses;             // finite ones of the latest consecutive steps, ten at most
    std::deque<double> m_takenLosses;        // finite ones of the latest steps that were not skipped, a hundred at most
    std::deque<std::int64_t> m_latestSkips;  // steps, since the first one that was taken; those that a verdict asks about
    double m_usualLoss = kUnknown, m_latestLoss = kUnknown;
    double m_lr = kUnknown, m_lrBefore = kUnknown, m_lrAfter = kUnknown;  // current; and before and after it grew tenfold at m_lrStep
    std::int64_t m_lrStep = -1;
    double m_gradientMax = kUnknown;  // latest, unscaled
    std::int64_t m_gradientStep = -1;
    std::map<std::int64_t, StepStats> m_statistics;
    std::size_t m_statisticsBytes = 0;
    std::map<std::int64_t, Examination> m_examinations;
    std::optional<OperationsCaptured> m_captured;  // latest
    std::optional<Dtype> m_autocast;
    double m_infoEmittedAt = 0;  // seconds of training

    void take(const ProbeHello& hello);
    void take(TensorsDescribed&& described);
    void take(const ProbeStep& step);
    void take(const ProbeStatistics& statistics);
    void take(OperationsCaptured&& captured);
    void take(const ProbeProblem& problem);
    void take(const ProbeEnd& end);

    void setPolicy(std::optional<Dtype> autocast);
    StepRecord recordOf(const ProbeStep& step);
    void noteProgress(const StepRecord& record);
    static bool isFlaggedBad(const StepRecord& record);
    void noteRow(std::int64_t step, bool isBad);
    void noteFact(const StepRecord& record, bool isForwardFinite);
    void noteGradient(std::int64_t step, double largest);
    /// Whether FP16's range limits a gradient: autocast computes those of embeddings and norms in FP32. `largest`: |gradient| times the
    /// scale.
    bool isBoundByFp16(std::uint32_t tensor, double largest);
    bool isFp16() const { return m_info.policy == facts(Dtype::F16).name; }
    /// Stores an examination; beyond the limit one from the middle is dropped.
    void keep(const Examination& examination);
    void examine(const ProbeStep& step, const StepRecord& record);
    static void add(const OperationsCaptured& captured, Examination& found);
    void keep(const StepStats& statistics);
    void emitInfo();
};

}  // namespace mantissa
