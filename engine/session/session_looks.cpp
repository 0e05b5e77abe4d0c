// SPDX-License-Identifier: Apache-2.0
// Questions about steps that runs have done: answered by copies, which catch up with the step and are trained no further than it takes.
#include "engine/session/session_impl.h"

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

void Session::Impl::carryOut(std::uint64_t, const MeasureStep& command) {
    sendBack({command.run}, command.step);
}

void Session::Impl::carryOut(std::uint64_t, const ReadElements& command) {
    sendBack({command.run}, command.step);
}

void Session::Impl::answerFromCopies(UnderWay& done) {
    LiveRun& copy = *done.copies.front();
    if (const auto* examined = std::get_if<ExamineStep>(&done.command.body))
        emit(StepExamined{examined->run, copy.examineNext(runOf(examined->run))});
    if (const auto* measured = std::get_if<MeasureStep>(&done.command.body))
        emit(TensorsMeasured{.run = measured->run, .census = copy.measureNext(), .wasAskedFor = true});
    if (const auto* read = std::get_if<ReadElements>(&done.command.body))
        emit(ElementsRead{done.command.id, read->run, read->step, copy.readNext(read->wish)});
}

}  // namespace mantissa
