// SPDX-License-Identifier: Apache-2.0
// The session's training: which run takes the next steps, at which pace, and how long questions may use the device. Commands come first:
// each step ends the work when one waits. One thread: the session's.
#pragma once

#include <chrono>
#include <map>

#include "engine/session/command_inbox.h"
#include "engine/session/questions.h"
#include "engine/session/run_maker.h"

namespace mantissa {

class Scheduler {
public:
    using Clock = std::chrono::steady_clock;
    Scheduler(CommandInbox& inbox, RunTable& table, Journal& journal, EventOutbox& outbox, Questions& questions, RunMaker& maker,
              TrainingClock& clock)
        : m_inbox(inbox), m_table(table), m_journal(journal), m_outbox(outbox), m_questions(questions), m_maker(maker), m_clock(clock) {}

    LabState state() const { return m_state; }
    /// Whether any run, also a what-if, trains.
    bool isTraining() const { return m_state == LabState::Training || hasWhatIfToTrain(); }
    /// Whether an ordinary run has steps to train.
    bool hasStepsLeft() const;
    /// Throws InputError if no experiment is loaded.
    void requireExperiment() const;
    /// Emits pending records, and the new state.
    void setState(LabState next);
    /// Pauses a finished session, after a change that lets a run train.
    void pauseIfFinished() {
        if (m_state == LabState::Finished) setState(LabState::Paused);
    }
    /// Sets the state of an opened recording, which emits its own states.
    void beginRecorded() { m_state = LabState::Paused; }
    /// Keeps only the first and the latest state of each run from now on.
    void expectNoWayBack() { m_mayGoBack = false; }
    void flushAll();
    /// Forgets the training time of a run, or of all runs.
    void forgetTime(RunId run) { m_spent.erase(run); }
    void forgetTimes() { m_spent.clear(); }
    /// Returns the run to step; null if all have finished, stopped or reached their pause.
    LiveRun* nextRun();

    /// Trains until the deadline, a command, or the end.
    void train(Clock::time_point deadline);
    /// Answers questions for at most two thirds of the time trained or re-run since `begin`, so that training keeps more than half of its
    /// speed. All of the time if no run trains. `isRerunning`: a command waits for runs.
    void answerQuestions(Clock::time_point begin, Clock::time_point deadline, bool isRerunning);

    void carryOut(std::uint64_t id, const Train& command);
    void carryOut(std::uint64_t id, const Pause& command);
    void carryOut(std::uint64_t id, const SingleStep& command);
    void carryOut(std::uint64_t id, const SetPace& command);
    void carryOut(std::uint64_t id, const SetLockstep& command);
    void carryOut(std::uint64_t id, const SetInstrumentation& command);

private:
    static constexpr std::int64_t kInLockstep = 8;  // steps that one run may be ahead of another on a device
    CommandInbox& m_inbox;
    RunTable& m_table;
    Journal& m_journal;
    EventOutbox& m_outbox;
    Questions& m_questions;
    RunMaker& m_maker;
    TrainingClock& m_clock;
    LabState m_state = LabState::Empty;
    std::int64_t m_trainUntil = 0;  // steps after which runs pause; 0: none
    double m_pace = 0;              // steps per second; 0: no limit
    bool m_isLockstep = true;
    bool m_mayGoBack = true;
    std::map<RunId, Clock::duration> m_spent;  // without lock-step: training time of each run
    Clock::time_point m_due{};                 // of the next step, when paced
    Clock::duration m_questionsShare{};        // time that questions may use now; negative after an overrun

    bool hasWhatIfToTrain() const;
    std::int64_t stepsAtOnce(const LiveRun& run) const;
    void bringLevel();
    void shareSnapshotBudget();
    Clock::duration& timeOf(const LiveRun& run);
};

}  // namespace mantissa
