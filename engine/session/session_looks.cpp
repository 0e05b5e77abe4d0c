// SPDX-License-Identifier: Apache-2.0
// Questions about steps that runs have done: answered by copies, which catch up with the step and are trained no further than it takes.
#include <algorithm>

#include "engine/session/session_impl.h"
#include "engine/session/twins.h"

namespace mantissa {

void Session::Impl::sendBack(const std::vector<RunId>& ids, std::int64_t step) {
    std::vector<std::unique_ptr<LiveRun>> copies;
    for (const RunId id : ids) {
        const LiveRun& run = runOf(id);
        copies.push_back(LiveRun::fork(id, run, step, run.settings().name, {}));
        copies.back()->mute();
        copies.back()->setExamining(Examining::Never);
    }
    underWay.emplace();
    for (const auto& copy : copies) underWay->runs.push_back(copy.get());
    underWay->copies = std::move(copies);
}

void Session::Impl::carryOut(std::uint64_t, const ExamineStep& command) {
    sendBack({command.run}, command.step);
}

void Session::Impl::carryOut(std::uint64_t id, const CompareRuns& command) {
    const LiveRun &run = runOf(command.run), &other = runOf(command.other);
    if (command.run == command.other) throw InputError("", "", "a run cannot be compared with itself");
    if (command.count < 1 || command.every < 1) throw InputError("", "", "a comparison has at least one step, and goes forward");
    requireOneModel(run, other);
    sendBack({command.run, command.other}, command.firstStep);
    LiveRun &copy = *underWay->copies.front(), &otherCopy = *underWay->copies.back();
    const std::int64_t last = std::min(run.nextStep(), other.nextStep());
    const std::string note = beginningsNote(run.settings(), other.settings());
    underWay->goFurther = [this, id, command, &copy, &otherCopy, last, note, left = command.count]() mutable {
        const std::int64_t step = copy.nextStep();
        if (left == 0 || step > last) return false;
        if ((step - command.firstStep) % command.every == 0) {
            emit(RunsCompared{id, command.run, command.other, compareNext(copy, otherCopy), note});
            if (--left == 0) return false;
        }
        if (step == last) return false;
        trainTwin(copy);
        trainTwin(otherCopy);
        return true;
    };
}

void Session::Impl::answerFromCopies(UnderWay& done) {
    if (const auto* examined = std::get_if<ExamineStep>(&done.command.body))
        emit(StepExamined{examined->run, done.copies.front()->examineNext(runOf(examined->run))});
}

}  // namespace mantissa
