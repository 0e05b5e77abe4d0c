// SPDX-License-Identifier: Apache-2.0
// Validation of questions about past steps. questions.cpp answers them.
#include <algorithm>

#include "engine/session/compare_runs.h"
#include "engine/session/session_impl.h"

namespace mantissa {

void Session::Impl::ask(std::uint64_t id, CommandBody question, const std::vector<RunId>& ids, std::int64_t step, std::int64_t lastStep) {
    std::vector<const LiveRun*> about;
    for (const RunId each : ids) about.push_back(&runOf(each));
    for (const LiveRun* run : about) run->checkStep(step);
    questions.ask({id, std::move(question)}, about, lastStep);
}

void Session::Impl::carryOut(std::uint64_t id, const ExamineStep& command) {
    if (answerWatched(id, command.run, command)) return;
    ask(id, command, {command.run}, command.step, command.step);
}

void Session::Impl::carryOut(std::uint64_t id, const MeasureStep& command) {
    if (answerWatched(id, command.run, command)) return;
    ask(id, command, {command.run}, command.step, command.step);
}

void Session::Impl::carryOut(std::uint64_t id, const MeasureTimes& command) {
    if (answerWatched(id, command.run, command)) return;
    ask(id, command, {command.run}, command.step, command.step);
}

void Session::Impl::carryOut(std::uint64_t id, const ReadElements& command) {
    if (answerWatched(id, command.run, command)) return;
    ask(id, command, {command.run}, command.step, command.step);
}

void Session::Impl::carryOut(std::uint64_t id, const MeasureThresholds& command) {
    if (command.count < 1) throw InputError("", "", "there is at least one step to be measured");
    if (answerWatched(id, command.run, command)) return;
    const std::int64_t done = runOf(command.run).nextStep() - 1;
    ask(id, command, {command.run}, command.firstStep, std::max(command.firstStep, std::min(done, command.firstStep + command.count - 1)));
}

void Session::Impl::carryOut(std::uint64_t id, const CompareRuns& command) {
    if (command.run == command.other) throw InputError("", "", "a run cannot be compared with itself");
    if (command.count < 1 || command.every < 1) throw InputError("", "", "a comparison has at least one step, and goes forward");
    if (watched.contains(command.run) || watched.contains(command.other)) return compareWatched(id, command);
    const LiveRun &run = runOf(command.run), &other = runOf(command.other);
    requireOneModel(run, other);
    const std::int64_t most = std::min(run.nextStep(), other.nextStep()) - command.firstStep;
    const std::int64_t wanted = (command.count - 1) > most / command.every ? most : (command.count - 1) * command.every;
    ask(id, command, {command.run, command.other}, command.firstStep, command.firstStep + std::max<std::int64_t>(wanted, 0));
}

void Session::Impl::carryOut(std::uint64_t, const StopQuestion& command) {
    questions.stop(command.question);
}

}  // namespace mantissa
