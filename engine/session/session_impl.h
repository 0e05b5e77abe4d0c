// SPDX-License-Identifier: Apache-2.0
// Implementation of the session: scheduling is in session.cpp, commands in session_commands.cpp, rewinds and forks in session_history.cpp,
// questions about past steps in session_questions.cpp, watched trainings in session_watching.cpp, notes in session_notes.cpp.
#pragma once

#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <set>

#include "engine/attach/probe_source.h"
#include "engine/attach/watched_run.h"
#include "engine/session/journal.h"
#include "engine/session/live_run.h"
#include "engine/session/log_feed.h"
#include "engine/session/questions.h"
#include "engine/session/session.h"

namespace mantissa {

struct Session::Impl {
    using Clock = std::chrono::steady_clock;

    std::shared_ptr<Backend> backend;
    EventSink sink;
    Journal journal;

    std::mutex mutex;  // guards `inbox` and `hasArrivals`; everything else belongs to the thread that calls `advance`
    std::condition_variable wake;
    std::deque<Command> inbox;

    Experiment experiment;
    std::string opened;  // the opened recording; empty: none
    std::vector<std::unique_ptr<LiveRun>> runs;
    std::map<RunId, RunInfo> shown;                        // read-only runs
    std::map<RunId, std::unique_ptr<WatchedRun>> watched;  // read-only runs that a probe reports or has reported
    /// A source of probes' messages: a file, or a listening address, of which there is at most one.
    struct Watching {
        std::unique_ptr<ProbeSource> source;
        ProbePlace asked;
        bool isListening = false;
        std::map<int, RunId> runs;  // by connection; -1: closed, its messages are ignored
    };
    std::vector<Watching> watching;
    std::vector<std::unique_ptr<LogFeed>> feeds;            // followed logs of imported runs
    std::set<std::string> refusedKeys;                      // keys of runs beyond the limit of watched runs, already reported
    bool hasArrivals = false;                               // guarded by `mutex`
    std::map<RunId, std::unique_ptr<WatchedRun>> putAside;  // removed by an opened recording, which may restore them
    /// A removed run, live or read-only, that can be restored.
    struct Removed {
        RunId id = -1;
        std::unique_ptr<LiveRun> run;  // null: it was read-only
        RunInfo shown;
        std::unique_ptr<WatchedRun> watched;
        std::vector<Note> notes;  // removed with it
    };
    std::deque<Removed> removed;  // the latest last
    std::map<std::int32_t, Note> notes;
    std::int32_t nextNote = 0;
    std::vector<RunStyle> styles;  // the latest arrangement of runs; empty: in order of creation
    RunId nextId = 0;
    LabState state = LabState::Empty;
    TrainingClock clock;
    std::int64_t trainUntil = 0;  // steps after which runs pause; 0: none
    double pace = 0;
    bool isLockstep = true;
    Instrumentation instrumentation = Instrumentation::Off;
    Examining examining = Examining::Never;
    bool mayGoBack = true;
    std::map<RunId, Clock::duration> spent;  // without lock-step: training time of each run
    Clock::time_point due{};                 // of the next step, when paced
    bool hasQuit = false;

    /// A command for which runs must be re-run; all others wait until it is answered.
    struct Pending {
        Command command;
        std::vector<LiveRun*> runs;
        std::unique_ptr<LiveRun> newcomer;  // of ForkRun
        Clock::time_point lastReport;       // the epoch: not yet

        /// Whether only a new fork is re-run.
        bool isAside() const { return newcomer != nullptr; }
    };
    std::optional<Pending> pending;
    Clock::duration questionsShare{};  // time that questions may use now; negative after an overrun

    void emit(Event&& event);
    void publishRecordingState();

    // ---- Scheduling ----

    bool hasWhatIfToTrain() const;
    bool isTraining() const { return state == LabState::Training || hasWhatIfToTrain(); }
    bool hasStepsLeft() const;                      // of ordinary runs
    static constexpr std::int64_t kInLockstep = 8;  // steps that one run may be ahead of another on a device
    std::int64_t stepsAtOnce(const LiveRun& run) const;
    void bringLevel();
    void shareSnapshotBudget();
    LiveRun* nextRun();
    Clock::duration& timeOf(const LiveRun& run);
    bool hasCommands();
    bool isToldToStop();
    void waitForCommands(Clock::time_point deadline);
    void applyCommands();
    void applyStops();
    void setState(LabState next);
    void train(Clock::time_point deadline);
    void answerQuestions(Clock::time_point begin, Clock::time_point deadline);
    void flushAll();

    // ---- Commands ----

    LiveRun& runOf(RunId id);
    std::vector<RunSettings> settingsOfRuns() const;
    std::unique_ptr<LiveRun> makeRunLive(RunId id, const RunSettings& settings);
    void apply(Command&& command);
    void answer(const Command& command);
    void refuse(const Command& command, const std::exception& error);
    std::string textNow() const;
    std::int64_t furthestStep() const;
    void requireExperiment() const;
    /// Sorts runs by `styles`; runs without one follow in order of creation.
    void sortRuns();
    /// Adds a run. `whatIfSteps`: 0 for an ordinary one.
    void addLive(std::unique_ptr<LiveRun> run, std::int64_t whatIfSteps = 0);
    void remove(RunId id, bool mayComeBack);
    /// Discards the oldest removed runs if there are too many or they are too large.
    void trimRemoved();

    void carryOut(std::uint64_t id, const LoadExperiment& command);
    void carryOut(std::uint64_t id, const Train& command);
    void carryOut(std::uint64_t id, const Pause& command);
    void carryOut(std::uint64_t id, const SingleStep& command);
    void carryOut(std::uint64_t id, const ResetExperiment& command);
    void carryOut(std::uint64_t id, const SetPace& command);
    void carryOut(std::uint64_t id, const SetLockstep& command);
    void carryOut(std::uint64_t id, const ChangeSetting& command);
    void carryOut(std::uint64_t id, const AddRun& command);
    void carryOut(std::uint64_t id, const DuplicateRun& command);
    void carryOut(std::uint64_t id, const RemoveRun& command);
    void carryOut(std::uint64_t id, const RestoreRun& command);
    void carryOut(std::uint64_t id, const RenameRun& command);
    void carryOut(std::uint64_t id, const PreviewExperiment& command);
    void carryOut(std::uint64_t id, const RewindRuns& command);
    void carryOut(std::uint64_t id, const ForkRun& command);
    void carryOut(std::uint64_t id, const KeepRun& command);
    void carryOut(std::uint64_t id, const KeepCheckpoint& command);
    void carryOut(std::uint64_t id, const ArrangeRuns& command);
    void carryOut(std::uint64_t id, const OpenRecording& command);
    void carryOut(std::uint64_t id, const ImportRuns& command);
    void carryOut(std::uint64_t id, const ExportRuns& command);
    void carryOut(std::uint64_t id, const WriteSnippet& command);
    void carryOut(std::uint64_t id, const ListRecordings& command);
    void carryOut(std::uint64_t id, const DeleteRecording& command);
    void carryOut(std::uint64_t id, const SetInstrumentation& command);
    void carryOut(std::uint64_t id, const Quit& command);

    // ---- Notes ----

    /// Updates notes and run styles after an event, emitted or read from a recording.
    void followEvent(const Event& event);
    void carryOut(std::uint64_t id, const WriteNote& command);
    void carryOut(std::uint64_t id, const RemoveNote& command);

    // ---- Watched trainings ----

    void carryOut(std::uint64_t id, const WatchTraining& command);
    void carryOut(std::uint64_t id, const StopListening& command);
    /// Loads an experiment without runs, for watched trainings.
    void loadBare();
    /// Discards all read-only runs and their sources, except listening ones.
    void forgetShown();
    /// Updates watched runs after an event of a recording.
    void recallWatched(const Event& event);
    /// Stops accepting new trainings.
    void stopListening();
    /// Stops accepting new trainings, and closes all connections.
    void endListening();
    /// Processes messages of probes and changes of followed logs.
    void takeArrivals();
    void take(Watching& from, ProbeArrival&& arrival);
    RunId runFor(Watching& from, const ProbeHello& hello);
    void publishFor(RunId id, Event&& event);
    /// Answers a question about a watched run from its messages; returns false for other runs.
    bool answerWatched(std::uint64_t id, RunId run, const CommandBody& question);
    /// Compares two runs by sketches, of which at least one is watched.
    void compareWatched(std::uint64_t id, const CompareRuns& question);
    void ask(RunId run, ProbeRequest request);
    /// Closes a run's connections.
    void stopWatching(RunId run);

    // ---- Questions about past steps ----

    /// Adds a question about the steps from `step` to `lastStep`.
    void ask(std::uint64_t id, CommandBody question, const std::vector<RunId>& ids, std::int64_t step, std::int64_t lastStep);
    void carryOut(std::uint64_t id, const ExamineStep& command);
    void carryOut(std::uint64_t id, const MeasureThresholds& command);
    void carryOut(std::uint64_t id, const MeasureStep& command);
    void carryOut(std::uint64_t id, const MeasureTimes& command);
    void carryOut(std::uint64_t id, const ReadElements& command);
    void carryOut(std::uint64_t id, const CompareRuns& command);
    void carryOut(std::uint64_t id, const StopQuestion& command);

    // ---- Files ----

    std::string publishRecorded(const Recording& recording, RecordedRuns& recorded);
    Experiment experimentOf(const Recording& recording) const;

    /// Adds a read-only run.
    RunId show(RunInfo info, const std::string& origin);
    void showRecording(const std::string& path);
    /// Loads an experiment without runs, whose recording includes imported runs.
    void loadForImports();
    void followLog(const ImportRuns& command);
    /// Processes changes of a followed log.
    void take(LogFeed& from);
    /// Updates imported runs after an event of a recording, without following their files.
    void recallImported(Event& event);
    void stopFollowing(RunId run);
    /// Makes a run read-only, for this reason.
    void onlyShow(RunId id, RunInfo info, const std::string& reason);

    // ---- Rewinding and re-running ----

    bool isAnyLagging() const;
    /// Re-runs until the deadline, and finishes the waiting command when the runs have arrived.
    void goOn(Clock::time_point deadline);
    void finish(Pending done);
    void stopPending(Pending left);
    void publishPosition(const LiveRun& run);
    void adopt(const ForkRun& fork, std::unique_ptr<LiveRun> run);

    // last: its thread ends before what it may use
    Questions questions{{.emit = [this](Event&& event) { emit(std::move(event)); },
                         .answer = [this](const Command& command) { answer(command); },
                         .refuse = [this](const Command& command, const std::exception& error) { refuse(command, error); }}};
};

}  // namespace mantissa
