// SPDX-License-Identifier: Apache-2.0
// Questions about steps that runs have done, answered one after another and a few milliseconds at a time, beside training. Copies of the
// runs answer them. They begin from the runs' pasts as these were when the question was asked, so that it does not matter what becomes of
// the runs meanwhile; whoever changes a past that is asked about ends the question, as its answer would be about steps that are no more.
//
// Threads: the session's. An answer is worked out on a thread of its own while that one waits (sliced_work.h).
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/session/live_run.h"
#include "engine/session/sliced_work.h"

namespace mantissa {

/// Reason given when a question is stopped, or left by a Quit, before it has an answer.
inline constexpr const char* kEndedOnTheWay = "it was ended on the way";

class Questions {
public:
    using Clock = SlicedWork::Clock;
    struct Owner {
        std::function<void(Event&&)> emit;
        std::function<void(const Command&)> answer;  // after all events of the answer
        std::function<void(const Command&, const std::exception&)> refuse;
    };
    explicit Questions(Owner owner) : m_owner(std::move(owner)) {}

    /// `runs`: that the command names, in its order. `lastStep`: the last of their steps that the answer is about. `sketches`: of the run's
    /// steps that `runs` are compared with where the command's other run is a watched one.
    void ask(Command command, const std::vector<const LiveRun*>& runs, std::int64_t lastStep, std::vector<StepStats> sketches = {}) {
        add(std::move(command), runs, lastStep, true);
        m_questions.back()->sketches = std::move(sketches);
    }
    /// Examines a step that nobody asked about, and tells of it only where something is wrong with it.
    void doubt(const LiveRun& run, std::int64_t step) { add({0, ExamineStep{run.id(), step}}, {&run}, step, false); }
    bool isEmpty() const { return m_questions.empty(); }
    /// Whether the question being answered was told to end: its answer takes no longer than one trial or step.
    bool isStopping() const { return !isEmpty() && m_questions.front()->work && m_questions.front()->work->isStopped(); }

    /// Works on the first answer until then, and tells what has come of it. There is a question.
    void goOn(Clock::time_point until);

    /// Ends a question, which is then answered with what is known; without effect where there is none of this id.
    void stop(std::uint64_t id);
    /// Refuses all questions about steps of this run from `step` on, or all that there are.
    void endAbout(RunId run, std::int64_t step, const std::string& sentence);
    void endAll(const std::string& sentence);

private:
    struct Question {
        Command command;
        std::vector<std::unique_ptr<LiveRun>> pasts;
        std::vector<StepStats> sketches;
        std::int64_t lastStep = 0;
        RunId run = -1;
        std::int64_t step = 0;
        bool isAsked = true;
        // Of the answer, between two slices:
        std::vector<Event> told;
        WorkProgress progress;
        std::optional<SlicedWork> work;  // last: it uses all the others
    };
    Owner m_owner;
    std::deque<std::unique_ptr<Question>> m_questions;
    Clock::time_point m_lastTold{};  // of progress

    void add(Command command, const std::vector<const LiveRun*>& runs, std::int64_t lastStep, bool isAsked);
    void begin(Question& question);
    void emitTold(Question& question);
    void emitProgress(const Question& question);
    void end(const std::function<bool(const Question&)>& isMeant, const std::string& sentence);
};

}  // namespace mantissa
