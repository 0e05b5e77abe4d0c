// SPDX-License-Identifier: Apache-2.0
// Questions about steps that runs have done: answered by copies, which catch up with the step and are trained no further than it takes.
#include <algorithm>

#include "engine/session/session_impl.h"
#include "engine/session/twins.h"

namespace mantissa {
namespace {

constexpr std::chrono::milliseconds kBetweenThresholds(100);  // a picture that grows need not grow faster

/// A step at a time, on a copy of the run.
class ThresholdAnswer {
public:
    ThresholdAnswer(std::uint64_t commandId, const MeasureThresholds& command, LiveRun& copy, std::function<void(Event&&)> tell)
        : m_left(command.count), m_copy(copy), m_tell(std::move(tell)), m_lastTold(std::chrono::steady_clock::now()) {
        m_part.commandId = commandId;
        m_part.run = command.run;
    }

    /// False when there is no more to measure.
    bool goFurther() {
        if (m_left > 0 && m_copy.canStep()) {
            m_part.thresholds.push_back(m_copy.measureThresholdAndStep(m_meter));
            m_part.asIf = asIfStored(m_copy.trainer().plan());
            --m_left;
        }
        const bool isOver = m_left == 0 || !m_copy.canStep();
        const auto now = std::chrono::steady_clock::now();
        if (isOver || now - m_lastTold >= kBetweenThresholds) {
            tellRest();
            m_lastTold = now;
        }
        return !isOver;
    }

    void tellRest() {
        if (m_part.thresholds.empty()) return;
        m_tell(ThresholdsMeasured(m_part));
        m_part.thresholds.clear();
    }

private:
    std::int64_t m_left;
    LiveRun& m_copy;
    std::function<void(Event&&)> m_tell;
    std::chrono::steady_clock::time_point m_lastTold;
    ThresholdMeter m_meter;
    ThresholdsMeasured m_part;
};

}  // namespace

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

void Session::Impl::carryOut(std::uint64_t id, const MeasureThresholds& command) {
    if (command.count < 1) throw InputError("", "", "there is at least one step to be measured");
    sendBack({command.run}, command.firstStep);
    LiveRun& copy = *underWay->copies.front();
    copy.preferInstrumentation(Instrumentation::Off);  // it is looked at in another way
    const auto going = std::make_shared<ThresholdAnswer>(id, command, copy, [this](Event&& event) { emit(std::move(event)); });
    underWay->goFurther = [going] { return going->goFurther(); };
    underWay->tellRest = [going] { going->tellRest(); };
}

void Session::Impl::carryOut(std::uint64_t, const MeasureStep& command) {
    sendBack({command.run}, command.step);
}

void Session::Impl::carryOut(std::uint64_t, const ReadElements& command) {
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
    LiveRun& copy = *done.copies.front();
    if (const auto* examined = std::get_if<ExamineStep>(&done.command.body))
        emit(StepExamined{examined->run, copy.examineNext(runOf(examined->run))});
    if (const auto* measured = std::get_if<MeasureStep>(&done.command.body))
        emit(TensorsMeasured{.run = measured->run, .census = copy.measureNext(), .wasAskedFor = true});
    if (const auto* read = std::get_if<ReadElements>(&done.command.body))
        emit(ElementsRead{done.command.id, read->run, read->step, copy.readNext(read->wish)});
}

}  // namespace mantissa
