// SPDX-License-Identifier: Apache-2.0
// The session's parts, and the passing of commands to them.
#include "engine/session/session.h"

#include <algorithm>
#include <exception>

#include "engine/session/command_kinds.h"
#include "engine/session/compare_runs.h"
#include "engine/session/experiment_loader.h"
#include "engine/session/preview.h"
#include "engine/session/reruns.h"
#include "engine/session/run_info.h"
#include "engine/session/session_files.h"

namespace mantissa {
namespace {

/// Carries an exception of the sink to `advance`'s caller. Not a std::exception, so that no handler mistakes it for a refused command or
/// the end of a run.
struct SinkFailure {
    std::exception_ptr cause;
};

Session::EventSink guarded(Session::EventSink sink) {
    return [sink = std::move(sink)](Event&& event) {
        try {
            sink(std::move(event));
        } catch (...) {
            throw SinkFailure{std::current_exception()};
        }
    };
}

template <class Part, class Body>
concept CarriesOut = requires(Part& part, std::uint64_t id, const Body& body) {
    part.carryOut(id, body);
};

}  // namespace

struct Session::Impl {
    CommandInbox inbox;  // first: the threads of watched trainings and followed logs call it until they end
    Journal journal;
    RunTable table;
    SessionNotes notes;
    TrainingClock clock;
    EventOutbox outbox;
    RunMaker maker;
    Questions questions{outbox};
    Scheduler scheduler{inbox, table, journal, outbox, questions, maker, clock};
    WatchedTrainings trainings{inbox, table, outbox, questions};
    ImportedRuns imports{inbox, table, outbox};
    RunEditor editor{table, notes, journal, outbox, questions, maker, scheduler, trainings, imports};
    Reruns reruns{inbox, table, journal, outbox, questions, scheduler, editor};
    SessionFiles files{table, journal, outbox, scheduler};
    ExperimentLoader loader{table, journal, outbox, clock, questions, maker, scheduler, trainings, imports, editor};
    bool hasQuit = false;

    Impl(std::shared_ptr<Backend> backend, EventSink sink)
        : outbox(journal, table, notes, guarded(std::move(sink))), maker(std::move(backend), outbox, clock) {}

    bool isIdle() const { return !scheduler.isTraining() && !reruns.isPending() && questions.isEmpty(); }
    void applyCommands();
    void applyStops();
    void apply(Command&& command);

    /// Passes a command to the part that carries it out.
    template <class Body>
    void pass(std::uint64_t id, const Body& body);
    void carryOut(std::uint64_t id, const WriteNote& command);
    void carryOut(std::uint64_t id, const RemoveNote& command);
    void carryOut(std::uint64_t id, const WatchTraining& command);
    void carryOut(std::uint64_t id, const ImportRuns& command);
    void carryOut(std::uint64_t id, const PreviewExperiment& command);
    void carryOut(std::uint64_t id, const Quit& command);

    // Questions: those about watched runs are answered at once, the others by `questions`.
    template <StepQuestion Question>
    void carryOut(std::uint64_t id, const Question& command) {
        if (!trainings.answer(id, command.run, command)) ask(id, command, {command.run}, command.step, command.step);
    }
    void carryOut(std::uint64_t id, const MeasureThresholds& command);
    void carryOut(std::uint64_t id, const CompareRuns& command);
    void carryOut(std::uint64_t id, const StopQuestion& command);
    /// Adds a question about the steps from `step` to `lastStep`.
    void ask(std::uint64_t id, CommandBody question, const std::vector<RunId>& ids, std::int64_t step, std::int64_t lastStep);
};

// ---- Commands ----

void Session::Impl::applyCommands() {
    while (!hasQuit && !reruns.isPending()) {
        auto command = inbox.take();
        if (!command) return;
        apply(*std::move(command));
    }
}

/// Ends questions at once while a task is pending, which delays all other commands.
void Session::Impl::applyStops() {
    for (const Command& stop : inbox.takeStops()) {
        carryOut(stop.id, std::get<StopQuestion>(stop.body));
        outbox.answer(stop);
    }
}

void Session::Impl::apply(Command&& command) {
    if (needsPresent(command.body) && table.isAnyLagging()) return reruns.wait(std::move(command));
    try {
        scheduler.flushAll();  // the recording has earlier steps before the command
        std::visit([&](const auto& body) { pass(command.id, body); }, command.body);
        if (auto* watch = std::get_if<WatchTraining>(&command.body)) watch->token.clear();  // not recorded: the token is secret
        if (isKept(command.body)) journal.command(command.body, table.furthestStep());
        if (reruns.isPending()) {
            reruns.setCommand(std::move(command));
        } else if (!isQuestion(command.body)) {
            outbox.answer(command);
        }
    } catch (const std::exception& error) {  // InputError, std::invalid_argument, std::bad_alloc, or an error of the backend
        outbox.refuse(command, error);
    }
}

template <class Body>
void Session::Impl::pass(std::uint64_t id, const Body& body) {
    const auto passTo = [&]<class... Parts>(Parts&... parts) {
        static_assert((CarriesOut<Parts, Body> + ...) == 1, "one part carries out each command");
        const auto offer = [&]<class Part>(Part& part) {
            if constexpr (CarriesOut<Part, Body>) part.carryOut(id, body);
        };
        (offer(parts), ...);
    };
    passTo(*this, scheduler, trainings, editor, reruns, files, loader);
}

void Session::Impl::carryOut(std::uint64_t id, const WriteNote& command) {
    scheduler.requireExperiment();
    Note note = notes.numbered(command.note);
    if (note.run != -1) table.requireRun(note.run);
    outbox.emit(NoteWritten{id, std::move(note)});
}

void Session::Impl::carryOut(std::uint64_t, const RemoveNote& command) {
    notes.requireNote(command.note);
    outbox.emit(NoteRemoved{command.note});
}

void Session::Impl::carryOut(std::uint64_t, const WatchTraining& command) {
    trainings.watch(command, [&] {
        if (command.isAlone || scheduler.state() == LabState::Empty) loader.loadBare();
    });
}

void Session::Impl::carryOut(std::uint64_t id, const ImportRuns& command) {
    if (!command.isAlone) scheduler.requireExperiment();
    if (isProbeFile(command.path)) return carryOut(id, WatchTraining{.place = command.path, .isAlone = command.isAlone});
    imports.add(command, [&] {
        if (!command.isAlone) return;
        loader.loadBare();
        journal.keepImported();
    });
}

/// Synchronous, between two steps; `serve` uses a thread.
void Session::Impl::carryOut(std::uint64_t id, const PreviewExperiment& question) {
    Experiment planned;
    ExperimentPreviewed preview = previewExperiment(question.text, maker.backend(), planned);
    preview.commandId = id;
    if (question.cardBytes > 0) addLargestBatches(preview, planned, question.cardBytes, maker.backend());
    outbox.emit(std::move(preview));
}

void Session::Impl::carryOut(std::uint64_t, const Quit&) {
    scheduler.flushAll();
    questions.endAll(kEndedOnTheWay);
    hasQuit = true;
}

// ---- Questions ----

void Session::Impl::ask(std::uint64_t id, CommandBody question, const std::vector<RunId>& ids, std::int64_t step, std::int64_t lastStep) {
    std::vector<const RepeatableRun*> about;
    for (const RunId each : ids) about.push_back(&table.liveRun(each));
    for (const RepeatableRun* run : about) run->checkStep(step);
    questions.ask({id, std::move(question)}, about, lastStep);
}

void Session::Impl::carryOut(std::uint64_t id, const MeasureThresholds& command) {
    if (command.count < 1) throw InputError("", "", "there is at least one step to be measured");
    if (trainings.answer(id, command.run, command)) return;
    const std::int64_t done = table.liveRun(command.run).nextStep() - 1;
    ask(id, command, {command.run}, command.firstStep, std::max(command.firstStep, std::min(done, command.firstStep + command.count - 1)));
}

void Session::Impl::carryOut(std::uint64_t id, const CompareRuns& command) {
    if (command.run == command.other) throw InputError("", "", "a run cannot be compared with itself");
    if (command.count < 1 || command.every < 1) throw InputError("", "", "a comparison has at least one step, and goes forward");
    if (table.watched.contains(command.run) || table.watched.contains(command.other)) return trainings.compare(id, command);
    const LiveRun &run = table.liveRun(command.run), &other = table.liveRun(command.other);
    requireOneModel(run.course(), other.course());
    const std::int64_t most = std::min(run.nextStep(), other.nextStep()) - command.firstStep;
    const std::int64_t wanted = (command.count - 1) > most / command.every ? most : (command.count - 1) * command.every;
    ask(id, command, {command.run, command.other}, command.firstStep, command.firstStep + std::max<std::int64_t>(wanted, 0));
}

void Session::Impl::carryOut(std::uint64_t, const StopQuestion& command) {
    questions.stop(command.question);
}

// ---- Interface ----

Session::Session(std::shared_ptr<Backend> backend, EventSink sink) : m_impl(std::make_unique<Impl>(std::move(backend), std::move(sink))) {}

Session::~Session() {
    m_impl->journal.end();
}

void Session::recordTo(const std::string& file) {
    m_impl->journal.recordTo(file);
}

void Session::recordInto(const std::string& folder, bool isRecording) {
    m_impl->journal.recordInto(folder, isRecording);
}

void Session::examineNonFiniteSteps(Examining examining) {
    m_impl->maker.examining = examining;
}

void Session::measureTensors(Instrumentation level) {
    m_impl->maker.instrumentation = level;
}

bool Session::hasCommands() const {
    return !m_impl->inbox.isEmpty();
}

void Session::expectNoWayBack() {
    m_impl->scheduler.expectNoWayBack();
}

void Session::endRecording() {
    m_impl->journal.flush();
    m_impl->outbox.sendRecordingState();
    m_impl->journal.end();
    m_impl->outbox.sendRecordingState();  // reports what could not be written
}

void Session::post(Command command) {
    m_impl->inbox.post(std::move(command));
}

bool Session::advance(double budgetMs, double idleMs) try {
    using Clock = Scheduler::Clock;
    const auto durationOf = [](double ms) {
        return std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double, std::milli>(ms));
    };
    Impl& t = *m_impl;
    if (t.isIdle()) t.inbox.waitUntil(Clock::now() + durationOf(idleMs));
    t.reruns.isPending() ? t.applyStops() : t.applyCommands();
    if (t.inbox.takeArrival()) {
        t.trainings.takeArrivals();
        t.imports.takeArrivals();
    }
    t.clock.setRunning(t.scheduler.isTraining() && !t.reruns.isPending() && !t.hasQuit);
    const auto begin = Clock::now(), deadline = begin + durationOf(budgetMs);
    if (t.reruns.isPending()) {
        if (auto command = t.reruns.goOn(deadline)) t.apply(*std::move(command));
    } else if (!t.hasQuit && t.scheduler.isTraining()) {
        t.scheduler.train(deadline);
    }
    if (!t.questions.isEmpty()) t.scheduler.answerQuestions(begin, deadline, t.reruns.isPending());
    t.outbox.sendRecordingState();
    return !t.hasQuit;
} catch (const SinkFailure& failure) {
    std::rethrow_exception(failure.cause);
}

bool Session::measurePeak() {
    Impl& t = *m_impl;
    if (!t.isIdle() || t.hasQuit) return false;
    const auto& runs = t.table.live;
    if (std::none_of(runs.begin(), runs.end(), [](const auto& run) { return mantissa::measurePeak(*run); })) return false;
    for (const auto& run : runs) t.outbox.send(RunChanged{runInfo(*run)});
    return true;
}

bool Session::readGauges(RunId id) {
    for (const auto& run : m_impl->table.live) {
        if (run->course().id != id || run->isLagging()) continue;
        try {
            run->flush();
            run->readGauges();
            return true;
        } catch (const std::exception&) {  // an error does not end it
            return false;
        }
    }
    return false;
}

LabState Session::state() const {
    return m_impl->scheduler.state();
}

const Trainer* Session::trainer(RunId run) const {
    for (const auto& each : m_impl->table.live) {
        if (each->course().id == run) return &each->trainer();
    }
    return nullptr;
}

}  // namespace mantissa
