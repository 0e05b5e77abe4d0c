// SPDX-License-Identifier: Apache-2.0
// Scheduling of the session: commands first, then steps.
#include "engine/session/session.h"

#include <algorithm>
#include <exception>

#include "engine/session/session_impl.h"

namespace mantissa {
namespace {

using Clock = std::chrono::steady_clock;

/// Maximum delay of `advance`'s caller.
constexpr std::chrono::milliseconds kAloneAtOnce(40);

using Milliseconds = std::chrono::duration<double, std::milli>;

Clock::duration durationOf(double ms) {
    return std::chrono::duration_cast<Clock::duration>(Milliseconds(ms));
}

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

}  // namespace

// ---- Scheduling ----

void Session::Impl::emit(Event&& event) {
    journal.event(event);
    followEvent(event);
    sink(std::move(event));
}

void Session::Impl::publishRecordingState() {
    if (auto changed = journal.takeChange()) sink(std::move(*changed));
}

/// Returns the run to step: in lock-step the one with the fewest steps, else the one with the least time. Null if all have finished,
/// stopped or reached their pause. What-ifs come first, and run alone while the others pause. Lagging runs wait for a command.
LiveRun* Session::Impl::nextRun() {
    LiveRun* next = nullptr;
    const bool asksWhatIf = hasWhatIfToTrain();
    for (const auto& run : runs) {
        if (!run->canStep() || run->isLagging() || run->isWhatIf() != asksWhatIf) continue;
        if (trainUntil > 0 && !asksWhatIf && run->nextStep() >= trainUntil) continue;
        const bool isBefore = next == nullptr || (isLockstep ? run->nextStep() < next->nextStep() : timeOf(*run) < timeOf(*next));
        if (isBefore) next = run.get();
    }
    return next;
}

/// A new run starts with the least time of the others, so that it gets an equal share.
Clock::duration& Session::Impl::timeOf(const LiveRun& run) {
    const auto isLess = [](const auto& a, const auto& b) { return a.second < b.second; };
    const auto least = std::min_element(spent.begin(), spent.end(), isLess);
    return spent.try_emplace(run.id(), least == spent.end() ? Clock::duration{} : least->second).first->second;
}

bool Session::Impl::hasWhatIfToTrain() const {
    return std::any_of(runs.begin(), runs.end(), [](const auto& run) { return run->isWhatIf() && run->canStep() && !run->isLagging(); });
}

bool Session::Impl::hasStepsLeft() const {
    return std::any_of(runs.begin(), runs.end(), [](const auto& run) { return !run->isWhatIf() && run->canStep(); });
}

bool Session::Impl::hasCommands() {
    const std::lock_guard lock(mutex);
    return !inbox.empty();
}

/// Waits until `deadline` for a command or a probe's message.
void Session::Impl::waitForCommands(Clock::time_point deadline) {
    std::unique_lock lock(mutex);
    wake.wait_until(lock, deadline, [&] { return !inbox.empty() || hasArrivals; });
}

void Session::Impl::applyCommands() {
    while (!hasQuit && !pending) {
        Command command;
        {
            const std::lock_guard lock(mutex);
            if (inbox.empty()) return;
            command = std::move(inbox.front());
            inbox.pop_front();
        }
        apply(std::move(command));
    }
}

/// Ends questions at once while a task is pending, which delays all other commands.
void Session::Impl::applyStops() {
    std::vector<Command> stops;
    {
        const std::lock_guard lock(mutex);
        const auto isStop = [](const Command& command) { return std::holds_alternative<StopQuestion>(command.body); };
        std::copy_if(inbox.begin(), inbox.end(), std::back_inserter(stops), isStop);
        std::erase_if(inbox, isStop);
    }
    for (const Command& stop : stops) {
        carryOut(stop.id, std::get<StopQuestion>(stop.body));
        answer(stop);
    }
}

void Session::Impl::setState(LabState next) {
    flushAll();
    state = next;
    due = Clock::now();
    emit(StateChanged{state, pace, isLockstep, instrumentation});
}

/// Brings runs in lock-step to the step of the furthest before a pause, since a device takes several steps of one run at once. A
/// difference of one step is left.
void Session::Impl::bringLevel() {
    if (!isLockstep) return;
    std::int64_t furthest = 0;
    for (const auto& run : runs)
        if (!run->isWhatIf()) furthest = std::max(furthest, run->nextStep());
    for (const auto& run : runs) {
        const auto behind = [&] { return furthest - run->nextStep(); };
        const bool isInStep = !run->isWhatIf() && !run->isLagging() && behind() > 1 && behind() <= kInLockstep;
        while (isInStep && run->canStep() && behind() > 0) run->step(behind());
    }
}

/// Number of steps that the device may run alone: limited by the lag in lock-step and by the requested pause.
std::int64_t Session::Impl::stepsAtOnce(const LiveRun& run) const {
    constexpr std::int64_t kMost = 1024;
    if (pace > 0) return 1;
    const std::int64_t most = isLockstep && runs.size() > 1 ? kInLockstep : kMost;
    return trainUntil > 0 && !run.isWhatIf() ? std::min(most, trainUntil - run.nextStep()) : most;
}

void Session::Impl::shareSnapshotBudget() {
    for (const auto& run : runs) {
        run->setSnapshotBudget(kSnapshotBudget / static_cast<std::int64_t>(runs.size()));
        if (!mayGoBack) run->keepOnlyLatestState();
    }
}

/// Trains until the deadline, a command, or the end.
void Session::Impl::train(Clock::time_point deadline) {
    shareSnapshotBudget();
    while (Clock::now() < deadline && !hasCommands()) {
        LiveRun* run = nextRun();
        if (run == nullptr && state == LabState::Training) return setState(hasStepsLeft() ? LabState::Paused : LabState::Finished);
        if (run == nullptr || (!run->isWhatIf() && state != LabState::Training)) return flushAll();  // all what-ifs have ended
        if (!run->isWhatIf() && pace > 0 && due > Clock::now()) {
            flushAll();
            if (!questions.isEmpty()) return;  // questions use the time until then
            waitForCommands(std::min(due, deadline));
            continue;
        }
        const auto begin = Clock::now();
        // A single run continues past the deadline, as its device would idle between two calls.
        const auto until = runs.size() == 1 && questions.isEmpty() ? std::max(deadline, begin + kAloneAtOnce) : deadline;
        run->step(stepsAtOnce(*run), [&] { return Clock::now() < until && !hasCommands(); });
        if (const auto step = run->takeDoubt()) questions.doubt(*run, *step);
        if (const auto stored = journal.storeSnapshotIfDue(*run)) {
            run->flush();
            emit(CheckpointKept{0, run->id(), *stored});
        }
        timeOf(*run) += Clock::now() - begin;
        if (!run->isWhatIf() && pace > 0) {
            const auto active = std::count_if(runs.begin(), runs.end(), [](const auto& each) { return each->canStep(); });
            due = std::max(due, Clock::now() - durationOf(100)) +
                  durationOf(1000 / pace / static_cast<double>(std::max<std::ptrdiff_t>(active, 1)));
        }
    }
    if (!isTraining()) return flushAll();  // the last step before the deadline may end a what-if
    for (const auto& run : runs) run->flushIfDue();
}

/// Answers questions for at most four fifths of the time trained or re-run since `begin`, so that training keeps more than half of its
/// speed. All of the time if no run trains.
void Session::Impl::answerQuestions(Clock::time_point begin, Clock::time_point deadline) {
    constexpr std::chrono::milliseconds kSlice(4), kMostSaved(20);
    const auto now = Clock::now();
    const bool isPaced = pace > 0 && due > now;
    const bool isShared = (pending || isTraining()) && !isPaced && deadline > begin;
    if (isShared) questionsShare = std::min<Clock::duration>(questionsShare + (now - begin) * 4 / 5, kMostSaved);
    if (isShared && questionsShare <= Clock::duration{} && !questions.isStopping()) return;
    const auto until = isShared ? now + questionsShare : isPaced ? std::min(due, deadline) : deadline;
    do {
        questions.goOn(std::min(until, Clock::now() + kSlice));
    } while (Clock::now() < until && !hasCommands() && !questions.isEmpty());
    questionsShare = isShared ? questionsShare - (Clock::now() - now) : Clock::duration{};
}

void Session::Impl::flushAll() {
    for (const auto& run : runs) {
        run->flush();
        run->publishStats();
    }
}

bool Session::Impl::isToldToStop() {
    const std::lock_guard lock(mutex);
    return std::any_of(inbox.begin(), inbox.end(), [](const Command& command) {
        return std::holds_alternative<Pause>(command.body) || std::holds_alternative<Quit>(command.body);
    });
}

// ---- Interface ----

Session::Session(std::shared_ptr<Backend> backend, EventSink sink) : m_impl(std::make_unique<Impl>()) {
    m_impl->backend = std::move(backend);
    m_impl->sink = guarded(std::move(sink));
}

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
    m_impl->examining = examining;
}

void Session::measureTensors(Instrumentation level) {
    m_impl->instrumentation = level;
}

bool Session::hasCommands() const {
    return m_impl->hasCommands();
}

void Session::expectNoWayBack() {
    m_impl->mayGoBack = false;
}

void Session::endRecording() {
    m_impl->journal.flush();
    m_impl->publishRecordingState();
    m_impl->journal.end();
    m_impl->publishRecordingState();  // reports what could not be written
}

void Session::post(Command command) {
    {
        const std::lock_guard lock(m_impl->mutex);
        m_impl->inbox.push_back(std::move(command));
    }
    m_impl->wake.notify_one();
}

bool Session::advance(double budgetMs, double idleMs) try {
    Impl& t = *m_impl;
    if (!t.isTraining() && !t.pending && t.questions.isEmpty()) t.waitForCommands(Clock::now() + durationOf(idleMs));
    t.pending ? t.applyStops() : t.applyCommands();
    t.takeArrivals();
    t.clock.setRunning(t.isTraining() && !t.pending && !t.hasQuit);
    const auto begin = Clock::now(), deadline = begin + durationOf(budgetMs);
    if (t.pending) {
        t.goOn(deadline);
    } else if (!t.hasQuit && t.isTraining()) {
        t.train(deadline);
    }
    if (!t.questions.isEmpty()) t.answerQuestions(begin, deadline);
    t.publishRecordingState();
    return !t.hasQuit;
} catch (const SinkFailure& failure) {
    std::rethrow_exception(failure.cause);
}

bool Session::measurePeak() {
    Impl& t = *m_impl;
    if (t.isTraining() || t.pending || !t.questions.isEmpty() || t.hasQuit) return false;
    if (std::none_of(t.runs.begin(), t.runs.end(), [](const auto& run) { return run->measurePeak(); })) return false;
    for (const auto& run : t.runs) t.sink(RunChanged{run->info()});
    return true;
}

bool Session::readGauges(RunId id) {
    for (const auto& run : m_impl->runs) {
        if (run->id() != id || run->isLagging()) continue;
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
    return m_impl->state;
}

const Trainer* Session::trainer(RunId run) const {
    for (const auto& each : m_impl->runs) {
        if (each->id() == run) return &each->trainer();
    }
    return nullptr;
}

}  // namespace mantissa
