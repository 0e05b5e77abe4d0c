// SPDX-License-Identifier: Apache-2.0
#include "engine/session/questions.h"

#include <algorithm>
#include <exception>
#include <utility>

#include "engine/plan/roofline.h"
#include "engine/session/compare_runs.h"
#include "engine/session/run_examination.h"
#include "engine/session/trained_run.h"
#include "engine/training/elements.h"
#include "engine/training/measure_times.h"
#include "engine/training/thresholds.h"

namespace mantissa {
namespace {

constexpr std::chrono::milliseconds kBetweenProgress(100);    // the window's update interval
constexpr std::chrono::milliseconds kBetweenThresholds(100);  // the plot grows no faster

/// Inputs of an answer, on its own thread.
struct Answering {
    const Command& command;
    const std::vector<RunCourse>& pasts;
    const std::vector<StepStats>& sketches;
    const SlicedWork::GoesOn& goesOn;
    WorkProgress& progress;
    std::vector<Event>& events;
    bool isAsked;

    bool goesOnWith(WorkProgress now) const {
        progress = std::move(now);
        return goesOn();
    }
    /// Returns a copy of the run before `step`.
    RepeatableRun copyAt(std::size_t place, std::int64_t step) const {
        const RunCourse& past = pasts[place];
        RepeatableRun copy = RepeatableRun::fork(past.id, past, step, past.settings.name);
        const bool isThere = copy.rerunWhile([&](std::int64_t done, std::int64_t of) {
            return goesOnWith({QuestionWork::Rerunning, {}, done, of});
        });
        if (!isThere) throw InputError("", "", kEndedOnTheWay);
        return copy;
    }
};

void answer(const ExamineStep& question, const Answering& how) {
    RepeatableRun copy = how.copyAt(0, question.step);
    Examination found = examineNext(
        copy, how.pasts[0], [&](const WorkProgress& progress) { return how.goesOnWith(progress); }, how.isAsked);
    if (how.isAsked || found.verdict.kind != StepVerdict::Sound) how.events.emplace_back(StepExamined{question.run, std::move(found)});
}

void answer(const MeasureStep& question, const Answering& how) {
    RepeatableRun copy = how.copyAt(0, question.step);
    copy.trainer().setInstrumentation(Instrumentation::Full);
    copy.prepareNext().step();
    how.events.emplace_back(TensorsMeasured{.run = question.run, .stats = copy.trainer().stats().value(), .wasAskedFor = true});
}

void answer(const MeasureTimes& question, const Answering& how) {
    RepeatableRun copy = how.copyAt(0, question.step);
    TimesMeasured measured{.commandId = how.command.id, .run = question.run, .step = question.step, .times = {}};
    Trainer& trainer = copy.prepareNext();
    measured.times = measureStepTimes(trainer, *copy.course().backend, [&] { return how.goesOnWith({QuestionWork::Measuring, {}, 0, 1}); });
    for (const GpuRates& gpu : gpuRates()) measured.predictions.push_back(predictStep(trainer.plan(), gpu, trainer.settings().accumulate));
    how.events.emplace_back(std::move(measured));
}

void answer(const ReadElements& question, const Answering& how) {
    RepeatableRun copy = how.copyAt(0, question.step);
    ElementsRead read{how.command.id, question.run, question.step, {}};
    if (question.isOfBlocks)
        read.blocks = readNextBlocks(copy, question.asPolicy);
    else
        read.found = readElements(copy.prepareNext(), question.request);
    how.events.emplace_back(std::move(read));
}

void answer(const MeasureThresholds& question, const Answering& how) {
    RepeatableRun copy = how.copyAt(0, question.firstStep);
    copy.preferInstrumentation(Instrumentation::Off);  // the meter takes its own statistics
    ThresholdMeter meter;
    ThresholdsMeasured part{.commandId = how.command.id, .run = question.run, .asIf = "", .thresholds = {}};
    auto lastReport = SlicedWork::Clock::now();
    const auto publishPart = [&] {
        if (part.thresholds.empty()) return;
        how.events.emplace_back(part);
        part.thresholds.clear();
        lastReport = SlicedWork::Clock::now();
    };
    for (std::int64_t i = 0; i < question.count && copy.canStep() && !copy.trainer().scaler().stopReason(); ++i) {
        if (!how.goesOnWith({QuestionWork::Measuring, {}, i, question.count})) break;
        Trainer& trainer = copy.prepareNext();
        part.thresholds.push_back(meter.measure(trainer));
        trainer.step();
        part.asIf = asIfStored(trainer.plan());
        if (SlicedWork::Clock::now() - lastReport >= kBetweenThresholds) publishPart();
    }
    publishPart();
}

/// Compares a copy of a run of the session with the sketches of a watched run.
void compareWithSketches(const CompareRuns& question, const Answering& how) {
    RepeatableRun copy = how.copyAt(0, how.sketches.front().step);
    std::int64_t done = 0;
    for (const StepStats& theirs : how.sketches) {
        while (copy.nextStep() < theirs.step) {
            if (!how.goesOnWith({QuestionWork::Measuring, {}, done, static_cast<std::int64_t>(how.sketches.size())})) return;
            trainNextStep(copy);
        }
        const StepStats own = sketchNext(copy, theirs);
        const bool isOwnFirst = copy.course().id == question.run;
        how.events.emplace_back(RunsCompared{how.command.id, question.run, question.other,
                                             isOwnFirst ? compareSketches(own, theirs) : compareSketches(theirs, own), ""});
        ++done;
    }
}

void answer(const CompareRuns& question, const Answering& how) {
    if (!how.sketches.empty()) return compareWithSketches(question, how);
    const RunCourse &run = how.pasts[0], &other = how.pasts[1];
    RepeatableRun copy = how.copyAt(0, question.firstStep), otherCopy = how.copyAt(1, question.firstStep);
    const std::int64_t last = std::min(*run.target, *other.target);
    const std::string note = beginningsNote(run.settings, other.settings);
    for (std::int64_t step = question.firstStep, compared = 0; step <= last; ++step) {
        if (!how.goesOnWith({QuestionWork::Measuring, {}, compared, question.count})) return;
        if ((step - question.firstStep) % question.every == 0) {
            how.events.emplace_back(RunsCompared{how.command.id, question.run, question.other, compareNext(copy, otherCopy), note});
            if (++compared == question.count) return;
        }
        if (step == last) return;
        trainNextStep(copy);
        trainNextStep(otherCopy);
    }
}

template <class Other>
void answer(const Other&, const Answering&) {}

std::int64_t firstStepOf(const CommandBody& body) {
    return std::visit(
        [](const auto& question) -> std::int64_t {
            using T = std::remove_cvref_t<decltype(question)>;
            if constexpr (StepQuestion<T>) return question.step;
            if constexpr (std::is_same_v<T, MeasureThresholds> || std::is_same_v<T, CompareRuns>) return question.firstStep;
            return 0;
        },
        body);
}

}  // namespace

void Questions::add(Command command, const std::vector<const RepeatableRun*>& runs, std::int64_t lastStep, bool isAsked) {
    auto question = std::make_unique<Question>();
    question->run = runs.front()->course().id;
    question->step = firstStepOf(command.body);
    question->lastStep = lastStep;
    question->isAsked = isAsked;
    question->command = std::move(command);
    for (const RepeatableRun* run : runs) question->pasts.push_back(run->past());
    m_questions.push_back(std::move(question));
    if (m_questions.size() > 1) emitProgress(*m_questions.back());  // shows it as waiting
}

void Questions::begin(Question& question) {
    question.work.emplace([&question](const SlicedWork::GoesOn& goesOn) {
        const Answering how{question.command,  question.pasts,  question.sketches, goesOn,
                            question.progress, question.events, question.isAsked};
        std::visit([&](const auto& body) { answer(body, how); }, question.command.body);
    });
}

void Questions::emitEvents(Question& question) {
    for (Event& event : std::exchange(question.events, {})) m_outbox.emit(std::move(event));
}

void Questions::emitProgress(const Question& question) {
    if (!question.isAsked) return;
    m_lastReport = Clock::now();
    m_outbox.emit(QuestionProgress{question.command.id, question.run, question.step, question.progress});
}

void Questions::goOn(Clock::time_point until) {
    Question& question = *m_questions.front();
    try {
        if (!question.work) begin(question);
        const bool isOver = question.work->goOn(until);
        emitEvents(question);
        if (!isOver) {
            if (Clock::now() - m_lastReport >= kBetweenProgress) emitProgress(question);
            return;
        }
    } catch (const std::exception& error) {
        const auto failed = std::move(m_questions.front());
        m_questions.pop_front();
        emitEvents(*failed);
        if (failed->isAsked) m_outbox.refuse(failed->command, error);
        return;
    }
    const auto answered = std::move(m_questions.front());
    m_questions.pop_front();
    if (answered->isAsked) m_outbox.answer(answered->command);
}

void Questions::stop(std::uint64_t id) {
    if (!isEmpty() && m_questions.front()->command.id == id && m_questions.front()->work) return m_questions.front()->work->stop();
    end([id](const Question& question) { return question.command.id == id; }, kEndedOnTheWay);
}

void Questions::endAbout(RunId run, std::int64_t step, const std::string& sentence) {
    end(
        [&](const Question& question) {
            return question.lastStep >= step &&
                   std::any_of(question.pasts.begin(), question.pasts.end(), [run](const RunCourse& past) { return past.id == run; });
        },
        sentence);
}

void Questions::endAll(const std::string& sentence) {
    end([](const Question&) { return true; }, sentence);
}

void Questions::end(const std::function<bool(const Question&)>& isMeant, const std::string& sentence) {
    std::vector<std::unique_ptr<Question>> ended;
    std::deque<std::unique_ptr<Question>> left;
    for (auto& question : m_questions) isMeant(*question) ? ended.push_back(std::move(question)) : left.push_back(std::move(question));
    m_questions = std::move(left);
    for (const auto& question : ended) {
        question->work.reset();
        if (question->isAsked) m_outbox.refuse(question->command, InputError("", "", sentence));
    }
}

}  // namespace mantissa
