// SPDX-License-Identifier: Apache-2.0
#include "engine/session/question_commands.h"

#include <algorithm>

#include "engine/session/compare_runs.h"

namespace mantissa {

void QuestionCommands::ask(std::uint64_t id, CommandBody question, const std::vector<RunId>& ids, std::int64_t step,
                           std::int64_t lastStep) {
    std::vector<const RepeatableRun*> about;
    for (const RunId each : ids) about.push_back(&m_table.liveRun(each));
    for (const RepeatableRun* run : about) run->checkStep(step);
    m_questions.ask({id, std::move(question)}, about, lastStep);
}

void QuestionCommands::carryOut(std::uint64_t id, const MeasureThresholds& command) {
    if (command.count < 1) throw InputError("", "", "there is at least one step to be measured");
    if (m_trainings.answer(id, command.run, command)) return;
    const std::int64_t done = m_table.liveRun(command.run).nextStep() - 1;
    ask(id, command, {command.run}, command.firstStep, std::max(command.firstStep, std::min(done, command.firstStep + command.count - 1)));
}

void QuestionCommands::carryOut(std::uint64_t id, const CompareRuns& command) {
    if (command.run == command.other) throw InputError("", "", "a run cannot be compared with itself");
    if (command.count < 1 || command.every < 1) throw InputError("", "", "a comparison has at least one step, and goes forward");
    if (m_table.watched.contains(command.run) || m_table.watched.contains(command.other)) return m_trainings.compare(id, command);
    const LiveRun &run = m_table.liveRun(command.run), &other = m_table.liveRun(command.other);
    requireOneModel(run.course(), other.course());
    const std::int64_t most = std::min(run.nextStep(), other.nextStep()) - command.firstStep;
    const std::int64_t wanted = (command.count - 1) > most / command.every ? most : (command.count - 1) * command.every;
    ask(id, command, {command.run, command.other}, command.firstStep, command.firstStep + std::max<std::int64_t>(wanted, 0));
}

void QuestionCommands::carryOut(std::uint64_t, const StopQuestion& command) {
    m_questions.stop(command.question);
}

}  // namespace mantissa
