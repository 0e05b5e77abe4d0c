// SPDX-License-Identifier: Apache-2.0
// Questions about past steps of runs, answered one after another, a few milliseconds at a time, between training steps. Copies of the runs
// answer them, from the history at the time of the question, so later changes of the runs do not matter. A command that discards the steps
// of a question must end it.
//
// Threads: the session's. An answer is computed on its own thread while that one waits (sliced_work.h).
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "engine/session/event_outbox.h"
#include "engine/session/repeatable_run.h"
#include "engine/session/sliced_work.h"

namespace mantissa {

/// The reason for refusing a question that was stopped before it had an answer.
inline constexpr const char* kEndedOnTheWay = "it was ended on the way";

/// A question about one step of one run.
template <class T>
concept StepQuestion =
    std::is_same_v<T, ExamineStep> || std::is_same_v<T, MeasureStep> || std::is_same_v<T, MeasureTimes> || std::is_same_v<T, ReadElements>;

class Questions {
public:
    using Clock = SlicedWork::Clock;
    explicit Questions(EventOutbox& outbox) : m_outbox(outbox) {}

    /// Adds a question. `runs`: the command's runs, in its order. `lastStep`: the last step of the question. `sketches`: the steps of a
    /// watched run with which `runs` is compared.
    void ask(Command command, const std::vector<const RepeatableRun*>& runs, std::int64_t lastStep, std::vector<StepStats> sketches = {}) {
        add(std::move(command), runs, lastStep, true);
        m_questions.back()->sketches = std::move(sketches);
    }
    /// Examines a step without a request, and emits the result only if the step is not sound.
    void doubt(const RepeatableRun& run, std::int64_t step) { add({0, ExamineStep{run.course().id, step}}, {&run}, step, false); }
    bool isEmpty() const { return m_questions.empty(); }
    /// Whether the present question is being stopped; it then ends after at most one trial or step.
    bool isStopping() const { return !isEmpty() && m_questions.front()->work && m_questions.front()->work->isStopped(); }

    /// Works on the first question until `until`, and emits its results. Requires a question.
    void goOn(Clock::time_point until);

    /// Stops a question, which is then answered with the results so far. No effect for an unknown id.
    void stop(std::uint64_t id);
    /// Refuses all questions about steps of this run from `step` on.
    void endAbout(RunId run, std::int64_t step, const std::string& sentence);
    void endAll(const std::string& sentence);

private:
    struct Question {
        Command command;
        std::vector<RunCourse> pasts;
        std::vector<StepStats> sketches;
        std::int64_t lastStep = 0;
        RunId run = -1;
        std::int64_t step = 0;
        bool isAsked = true;
        // State of the answer between two slices:
        std::vector<Event> events;
        WorkProgress progress;
        std::optional<SlicedWork> work;  // last: it uses all the others
    };
    EventOutbox& m_outbox;
    std::deque<std::unique_ptr<Question>> m_questions;
    Clock::time_point m_lastReport{};  // of progress

    void add(Command command, const std::vector<const RepeatableRun*>& runs, std::int64_t lastStep, bool isAsked);
    void begin(Question& question);
    void emitEvents(Question& question);
    void emitProgress(const Question& question);
    void end(const std::function<bool(const Question&)>& isMeant, const std::string& sentence);
};

}  // namespace mantissa
