// SPDX-License-Identifier: GPL-3.0-or-later
// What the window knows: the runs and all that the engine has said of them. Views read it; only EngineClient's events change it.
// GUI thread only.
#pragma once

#include <QObject>
#include <QString>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "engine/experiment/run_health.h"
#include "engine/telemetry/series.h"
#include "engine/wire/wire.h"

namespace mantissa::gui {

/// A setting that took effect, for the flags and the event list.
struct Marker {
    RunId run = 0;
    std::int64_t step = 0;
    QString pointer, label, from, to;
};

/// A wish that the engine has not acknowledged yet.
struct PendingChange {
    std::uint64_t commandId = 0;
    QString pointer;
    Json value;
    QString wished;  // as shown: "FP16"

    /// Of a setting that is a number; nothing: off.
    std::optional<double> number() const { return value.is_number() ? std::optional(value.get<double>()) : std::nullopt; }
};

struct RunState {
    RunId id = 0;
    int identity = 0;  // colour, dash and marker, for life (theme.h)
    RunInfo info;
    bool isHidden = false;
    QString stopReason;  // why the run has ended before its time; empty: it has not

    // series, one value a step
    Series loss, lossScale, gradNorm, samplesPerSecond, memoryBytes, lr, skippedTotal;
    // validation: sparse
    std::vector<std::int64_t> validationSteps;
    std::vector<double> validationLoss, validationAccuracy;  // same length; non-finite possible
    std::vector<std::int64_t> skippedSteps;
    std::int64_t firstScaled = -1;  // the first step with a loss scale other than 1; -1: none yet
    RunHealth health;
    StepRecord last;
    double nextScale = 1;
    std::int64_t cleanSteps = 0;
    std::optional<FirstNonFinite> firstNonFinite;
    std::optional<TextSampled> sample;  // the latest
    std::vector<PendingChange> pending;
    std::map<QString, std::int64_t> effectiveAt;  // pointer -> step, of the latest change

    std::int64_t stepCount() const { return loss.size(); }
    /// Whether the loss was scaled at that step (below stepCount()): a scale of 1 before any other stands for no scaler.
    bool scalesItsLossAt(std::int64_t step) const;
    /// The latest wish for `pointer` that is still on its way; null: none.
    const PendingChange* pendingFor(const QString& pointer) const;
    /// Back to before step 0; settings, name and identity stay.
    void clearSeries();
    /// The next step. Throws WireError on any other: the engine sends consecutive steps.
    void append(const StepRecord& record);
    QString name() const { return QString::fromStdString(info.settings.name); }
};

class Lab : public QObject {
    Q_OBJECT
public:
    explicit Lab(QObject* parent = nullptr);
    ~Lab() override;

    const std::vector<std::unique_ptr<RunState>>& runs() const { return m_runs; }
    RunState* run(RunId id);
    const RunState* run(RunId id) const;
    const std::vector<Marker>& markers() const { return m_markers; }
    const Hello& hello() const { return m_hello; }
    const ExperimentLoaded& experiment() const { return m_experiment; }
    /// The experiment as it stands, as the file's JSON; empty before the first one.
    const QString& experimentText() const { return m_experimentText; }
    const StateChanged& state() const { return m_state; }
    /// CLOCK_MONOTONIC at which the engine sent the latest records; 0 before any.
    std::int64_t lastSentNs() const { return m_lastSentNs; }
    /// Steps done by the run that is furthest.
    std::int64_t stepCount() const;

    RunId selected() const { return m_selected; }
    void select(RunId id);
    void setHidden(RunId id, bool hidden);

    /// Takes in one event of the engine. Throws WireError on one that breaks the protocol.
    void handle(const Event& event);
    /// Notes a wish until the engine answers.
    void notePending(RunId run, const PendingChange& change);
    /// The engine is gone: wishes that nobody will answer are dropped. What was recorded stays.
    void engineLost();

signals:
    void greeted();            // Hello
    void experimentLoaded();   // all runs are new
    void runsChanged();        // added, removed, renamed, hidden
    void runChanged(int run);  // settings, plan, pending, name, text, stopped
    void recordsAppended();    // at most once per handled event
    void markersChanged();
    void stateChanged();
    void selectionChanged();
    void seriesReset();  // all series begin anew
    void refused(int run, const QString& pointer, const QString& sentence);
    void previewed(const ExperimentPreviewed& preview);  // of an experiment that is not loaded

private:
    std::vector<std::unique_ptr<RunState>> m_runs;
    std::vector<Marker> m_markers;
    Hello m_hello;
    ExperimentLoaded m_experiment;
    QString m_experimentText;
    StateChanged m_state;
    RunId m_selected = -1;
    std::int64_t m_lastSentNs = 0;
    /// The lowest identity that the fewest runs wear: 0..5 while there are at most six runs.
    int freeIdentity() const;
    RunState& addRun(const RunInfo& info, int identity);
    void dropPending(std::uint64_t commandId);

    void take(const Hello& event);
    void take(const ExperimentLoaded& event);
    void take(const RunChanged& event);
    void take(const RunAdded& event);
    void take(const RunRemoved& event);
    void take(const StepsRecorded& event);
    void take(const SettingApplied& event);
    void take(const NonFiniteFound& event);
    void take(const StateChanged& event);
    void take(const ExperimentReset& event);
    void take(const ExperimentText& event);
    void take(const CommandDone& event);
    void take(const CommandRefused& event);
    void take(const RunStopped& event);
    void take(const TextSampled& event);
    void take(const ExperimentPreviewed& event);
    template <class T>
    void take(const T&) {}
};

}  // namespace mantissa::gui
