// SPDX-License-Identifier: Apache-2.0
// Questions about past steps, checked: those about watched runs are answered at once, the others by `Questions`. One thread: the session's.
#pragma once

#include <type_traits>
#include <vector>

#include "engine/session/watched_trainings.h"

namespace mantissa {

/// A question about one step of one run.
template <class T>
concept StepQuestion =
    std::is_same_v<T, ExamineStep> || std::is_same_v<T, MeasureStep> || std::is_same_v<T, MeasureTimes> || std::is_same_v<T, ReadElements>;

class QuestionCommands {
public:
    QuestionCommands(RunTable& table, Questions& questions, WatchedTrainings& trainings)
        : m_table(table), m_questions(questions), m_trainings(trainings) {}

    template <StepQuestion Question>
    void carryOut(std::uint64_t id, const Question& command) {
        if (!m_trainings.answer(id, command.run, command)) ask(id, command, {command.run}, command.step, command.step);
    }
    void carryOut(std::uint64_t id, const MeasureThresholds& command);
    void carryOut(std::uint64_t id, const CompareRuns& command);
    void carryOut(std::uint64_t id, const StopQuestion& command);

private:
    RunTable& m_table;
    Questions& m_questions;
    WatchedTrainings& m_trainings;

    /// Adds a question about the steps from `step` to `lastStep`.
    void ask(std::uint64_t id, CommandBody question, const std::vector<RunId>& ids, std::int64_t step, std::int64_t lastStep);
};

}  // namespace mantissa
