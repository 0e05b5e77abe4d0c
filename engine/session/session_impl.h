// SPDX-License-Identifier: Apache-2.0
// Inside the session: scheduling is in session.cpp, commands are in session_commands.cpp, the way back in session_history.cpp,
// questions about past steps in session_looks.cpp, trainings that are watched in session_watching.cpp, notes in session_notes.cpp.
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

    std::mutex mutex;  // guards `inbox`; everything else belongs to the thread that calls `advance`
    std::condition_variable wake;
    std::deque<Command> inbox;

    Experiment experiment;
    std::string opened;  // the recording that the runs came from; empty: none
    std::vector<std::unique_ptr<LiveRun>> runs;
    std::map<RunId, RunInfo> shown;                        // runs that are only looked at
    std::map<RunId, std::unique_ptr<WatchedRun>> watched;  // of those, the ones that a probe reports or has reported
    /// Where messages of probes come from: one that listens at most, and files.
    struct Watching {
        std::unique_ptr<ProbeSource> source;
        ProbePlace asked;
        bool isListening = false;
        std::map<int, RunId> runs;  // by connection; -1: it is closed, and nothing of it counts any more
    };
    std::vector<Watching> watching;
    std::vector<std::unique_ptr<LogFeed>> feeds;            // logs of imported runs that are followed
    std::set<std::string> refusedKeys;                      // of runs beyond the most that are watched, which was said
    bool hasArrivals = false;                               // guarded by `mutex`
    std::map<RunId, std::unique_ptr<WatchedRun>> putAside;  // that an opened recording has removed, and may restore
    /// A removed run that can come back: a run, or one that was only looked at.
    struct Removed {
        RunId id = -1;
        std::unique_ptr<LiveRun> run;  // null: it was only looked at
        RunInfo shown;
        std::unique_ptr<WatchedRun> watched;
        std::vector<Note> notes;  // that went with it
    };
    std::deque<Removed> removed;  // the latest last
    std::map<std::int32_t, Note> notes;
    std::int32_t nextNote = 0;
    std::vector<RunLook> looks;  // as runs were arranged last; empty: as they came
    RunId nextId = 0;
    LabState state = LabState::Empty;
    TrainingClock clock;
    std::int64_t trainUntil = 0;  // steps after which runs pause; 0: they do not
    double pace = 0;
    bool isLockstep = true;
    Instrumentation instrumentation = Instrumentation::Off;
    Examining examining = Examining::Never;
    bool mayGoBack = true;
    std::map<RunId, Clock::duration> spent;  // out of lock-step: each run's share of the time so far
    Clock::time_point due{};                 // of the next step, when paced
    bool hasQuit = false;

    /// A command that runs have to catch up for; all others wait until it is answered.
    struct UnderWay {
        Command command;
        std::vector<LiveRun*> runs;
        std::unique_ptr<LiveRun> newcomer;  // of ForkRun
        Clock::time_point lastTold;         // the epoch: not yet

        /// Whether none of the session's own runs is on the way.
        bool isAside() const { return newcomer != nullptr; }
    };
    std::optional<UnderWay> underWay;
    Clock::duration questionsShare{};  // of the time: what they may use now, less than 0 where they have used more

    void emit(Event&& event);
    void tellRecording();

    // ---- Scheduling ----

    bool hasWhatIfToTrain() const;
    bool isTraining() const { return state == LabState::Training || hasWhatIfToTrain(); }
    bool hasStepsLeft() const;                      // of runs that are no what-ifs
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
    /// Runs in the order of their looks; those without one as they came, below.
    void sortRuns();
    /// `whatIfSteps`: 0 for a run like others.
    void addLive(std::unique_ptr<LiveRun> run, std::int64_t whatIfSteps = 0);
    void remove(RunId id, bool mayComeBack);
    /// Lets go of removed runs that are too many or too large to be kept; the latest go last.
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

    /// Whatever an event makes of notes and looks, said now or read from a recording.
    void followEvent(const Event& event);
    void carryOut(std::uint64_t id, const WriteNote& command);
    void carryOut(std::uint64_t id, const RemoveNote& command);

    // ---- Trainings that are watched ----

    void carryOut(std::uint64_t id, const WatchTraining& command);
    void carryOut(std::uint64_t id, const StopListening& command);
    /// Loads an experiment without runs, for what is watched.
    void loadBare();
    /// Lets go of the runs that are only looked at, and of where they come from; who listens goes on.
    void forgetShown();
    /// What an event of a recording says of watched runs.
    void recallWatched(const Event& event);
    /// No new training connects from now on.
    void stopListening();
    /// The same, and trainings that are connected are let go.
    void endListening();
    /// Takes in what probes have sent.
    void takeArrivals();
    void take(Watching& from, ProbeArrival&& arrival);
    RunId runFor(Watching& from, const ProbeHello& hello);
    void tellOf(RunId id, Event&& event);
    /// Answers a question about a watched run from what has come; false: the run is none.
    bool answerWatched(std::uint64_t id, RunId run, const CommandBody& question);
    /// One of the two runs, or both, are watched: they are compared by sketches.
    void compareWatched(std::uint64_t id, const CompareRuns& question);
    void ask(RunId run, ProbeRequest request);
    /// Ends the connections that a run comes from.
    void stopWatching(RunId run);

    // ---- Questions about past steps ----

    /// `step`, `lastStep`: the first and the last that the question is about.
    void ask(std::uint64_t id, CommandBody question, const std::vector<RunId>& ids, std::int64_t step, std::int64_t lastStep);
    void carryOut(std::uint64_t id, const ExamineStep& command);
    void carryOut(std::uint64_t id, const MeasureThresholds& command);
    void carryOut(std::uint64_t id, const MeasureStep& command);
    void carryOut(std::uint64_t id, const ReadElements& command);
    void carryOut(std::uint64_t id, const CompareRuns& command);
    void carryOut(std::uint64_t id, const StopQuestion& command);

    // ---- Files ----

    std::string tellAgain(const Recording& recording, RecordedRuns& recorded);
    Experiment experimentOf(const Recording& recording) const;

    /// Adds a run that is only looked at.
    RunId show(RunInfo info, const std::string& origin);
    void showRecording(const std::string& path);
    /// Loads an experiment without runs, whose recording has the runs that are imported.
    void loadForImports();
    void followLog(const ImportRuns& command);
    /// Takes in what has come of a log that is followed.
    void take(LogFeed& from);
    /// What an event of a recording says of imported runs; their files are followed no more.
    void recallImported(Event& event);
    void stopFollowing(RunId run);
    /// From now on the run is only looked at, for this reason.
    void onlyShow(RunId id, RunInfo info, const std::string& reason);

    // ---- Back, and on again ----

    bool isAnyBehind() const;
    /// Lets runs catch up until the deadline; then what was under way is finished.
    void goOn(Clock::time_point deadline);
    void finish(UnderWay done);
    void giveUp(UnderWay left);
    void tellWhereItIs(const LiveRun& run);
    void adopt(const ForkRun& fork, std::unique_ptr<LiveRun> run);

    // last: its thread ends before what it may use
    Questions questions{{.emit = [this](Event&& event) { emit(std::move(event)); },
                         .answer = [this](const Command& command) { answer(command); },
                         .refuse = [this](const Command& command, const std::exception& error) { refuse(command, error); }}};
};

}  // namespace mantissa
