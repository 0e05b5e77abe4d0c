// SPDX-License-Identifier: Apache-2.0
#include "engine/session/scheduler.h"

#include <algorithm>

namespace mantissa {
namespace {

/// Maximum delay of `advance`'s caller.
constexpr std::chrono::milliseconds kAloneAtOnce(40);

std::chrono::steady_clock::duration durationOf(double ms) {
    return std::chrono::duration_cast<std::chrono::steady_clock::duration>(std::chrono::duration<double, std::milli>(ms));
}

}  // namespace

/// Returns the run to step: in lock-step the one with the fewest steps, else the one with the least time. Null if all have finished,
/// stopped or reached their pause. What-ifs come first, and run alone while the others pause. Lagging runs wait for a command.
LiveRun* Scheduler::nextRun() {
    LiveRun* next = nullptr;
    const bool asksWhatIf = hasWhatIfToTrain();
    for (const auto& run : m_table.live) {
        if (!run->canStep() || run->isLagging() || run->course().isWhatIf() != asksWhatIf) continue;
        if (m_trainUntil > 0 && !asksWhatIf && run->nextStep() >= m_trainUntil) continue;
        const bool isBefore = next == nullptr || (m_isLockstep ? run->nextStep() < next->nextStep() : timeOf(*run) < timeOf(*next));
        if (isBefore) next = run.get();
    }
    return next;
}

/// A new run starts with the least time of the others, so that it gets an equal share.
Scheduler::Clock::duration& Scheduler::timeOf(const LiveRun& run) {
    const auto isLess = [](const auto& a, const auto& b) { return a.second < b.second; };
    const auto least = std::min_element(m_spent.begin(), m_spent.end(), isLess);
    return m_spent.try_emplace(run.course().id, least == m_spent.end() ? Clock::duration{} : least->second).first->second;
}

bool Scheduler::hasWhatIfToTrain() const {
    return std::any_of(m_table.live.begin(), m_table.live.end(),
                       [](const auto& run) { return run->course().isWhatIf() && run->canStep() && !run->isLagging(); });
}

bool Scheduler::hasStepsLeft() const {
    return std::any_of(m_table.live.begin(), m_table.live.end(),
                       [](const auto& run) { return !run->course().isWhatIf() && run->canStep(); });
}

void Scheduler::setState(LabState next) {
    flushAll();
    m_state = next;
    m_due = Clock::now();
    m_outbox.emit(StateChanged{m_state, m_pace, m_isLockstep, m_maker.instrumentation});
}

/// Brings runs in lock-step to the step of the furthest before a pause, since a device takes several steps of one run at once. A
/// difference of one step is left.
void Scheduler::bringLevel() {
    if (!m_isLockstep) return;
    std::int64_t furthest = 0;
    for (const auto& run : m_table.live)
        if (!run->course().isWhatIf()) furthest = std::max(furthest, run->nextStep());
    for (const auto& run : m_table.live) {
        const auto behind = [&] { return furthest - run->nextStep(); };
        const bool isInStep = !run->course().isWhatIf() && !run->isLagging() && behind() > 1 && behind() <= kInLockstep;
        while (isInStep && run->canStep() && behind() > 0) run->step(behind());
    }
}

/// Number of steps that the device may run alone: limited by the lag in lock-step and by the requested pause.
std::int64_t Scheduler::stepsAtOnce(const LiveRun& run) const {
    constexpr std::int64_t kMost = 1024;
    if (m_pace > 0) return 1;
    const std::int64_t most = m_isLockstep && m_table.live.size() > 1 ? kInLockstep : kMost;
    return m_trainUntil > 0 && !run.course().isWhatIf() ? std::min(most, m_trainUntil - run.nextStep()) : most;
}

void Scheduler::shareSnapshotBudget() {
    for (const auto& run : m_table.live) run->limitSnapshots(kSnapshotBudget / static_cast<std::int64_t>(m_table.live.size()), m_mayGoBack);
}

void Scheduler::train(Clock::time_point deadline) {
    shareSnapshotBudget();
    while (Clock::now() < deadline && m_inbox.isEmpty()) {
        LiveRun* run = nextRun();
        if (run == nullptr && m_state == LabState::Training) return setState(hasStepsLeft() ? LabState::Paused : LabState::Finished);
        if (run == nullptr || (!run->course().isWhatIf() && m_state != LabState::Training)) return flushAll();  // all what-ifs have ended
        if (!run->course().isWhatIf() && m_pace > 0 && m_due > Clock::now()) {
            flushAll();
            if (!m_questions.isEmpty()) return;  // questions use the time until then
            m_inbox.waitUntil(std::min(m_due, deadline));
            continue;
        }
        const auto begin = Clock::now();
        // A single run continues past the deadline, as its device would idle between two calls.
        const auto until = m_table.live.size() == 1 && m_questions.isEmpty() ? std::max(deadline, begin + kAloneAtOnce) : deadline;
        run->step(stepsAtOnce(*run), [&] { return Clock::now() < until && m_inbox.isEmpty(); });
        if (const auto step = run->takeDoubt()) m_questions.doubt(*run, *step);
        if (const auto stored = m_journal.storeSnapshotIfDue(run->course())) {
            run->flush();
            m_outbox.emit(CheckpointKept{0, run->course().id, *stored});
        }
        timeOf(*run) += Clock::now() - begin;
        if (!run->course().isWhatIf() && m_pace > 0) {
            const auto active = std::count_if(m_table.live.begin(), m_table.live.end(), [](const auto& each) { return each->canStep(); });
            m_due = std::max(m_due, Clock::now() - durationOf(100)) +
                    durationOf(1000 / m_pace / static_cast<double>(std::max<std::ptrdiff_t>(active, 1)));
        }
    }
    if (!isTraining()) return flushAll();  // the last step before the deadline may end a what-if
    for (const auto& run : m_table.live) run->flushIfDue();
}

void Scheduler::answerQuestions(Clock::time_point begin, Clock::time_point deadline, bool isRerunning) {
    constexpr std::chrono::milliseconds kSlice(4), kMostSaved(20);
    const auto now = Clock::now();
    const bool isPaced = m_pace > 0 && m_due > now;
    const bool isShared = (isRerunning || isTraining()) && !isPaced && deadline > begin;
    // Questions get two thirds of the time that training takes. Training keeps at least half of its speed, although questions also slow it
    // through shared caches.
    if (isShared) m_questionsShare = std::min<Clock::duration>(m_questionsShare + (now - begin) * 2 / 3, kMostSaved);
    if (isShared && m_questionsShare <= Clock::duration{} && !m_questions.isStopping()) return;
    const auto until = isShared ? now + m_questionsShare : isPaced ? std::min(m_due, deadline) : deadline;
    do {
        m_questions.goOn(std::min(until, Clock::now() + kSlice));
    } while (Clock::now() < until && m_inbox.isEmpty() && !m_questions.isEmpty());
    m_questionsShare = isShared ? m_questionsShare - (Clock::now() - now) : Clock::duration{};
}

void Scheduler::flushAll() {
    for (const auto& run : m_table.live) {
        run->flush();
        run->publishStats();
    }
}

// ---- Commands ----

void Scheduler::requireExperiment() const {
    if (m_state == LabState::Empty) throw InputError("", "", "no experiment is loaded");
}

void Scheduler::carryOut(std::uint64_t, const Train& command) {
    requireExperiment();
    m_trainUntil = command.until;
    setState(LabState::Training);
}

void Scheduler::carryOut(std::uint64_t, const Pause&) {
    requireExperiment();
    if (m_state == LabState::Training) bringLevel();
    setState(m_state == LabState::Finished ? LabState::Finished : LabState::Paused);
}

void Scheduler::carryOut(std::uint64_t, const SingleStep&) {
    requireExperiment();
    bool hasStepped = false;
    m_clock.setRunning(true);
    for (const auto& run : m_table.live) {
        if (!run->canStep() || run->course().isWhatIf()) continue;
        run->step();
        hasStepped = true;
    }
    m_clock.setRunning(false);
    setState(hasStepped ? LabState::Paused : LabState::Finished);
}

void Scheduler::carryOut(std::uint64_t, const SetPace& command) {
    if (!(command.stepsPerSecond >= 0 && command.stepsPerSecond <= SetPace::kMost))
        throw InputError(
            "", "", "the pace must lie between 0 and " + std::to_string(static_cast<std::int64_t>(SetPace::kMost)) + " steps per second");
    m_pace = command.stepsPerSecond;
    setState(m_state);
}

void Scheduler::carryOut(std::uint64_t, const SetLockstep& command) {
    m_isLockstep = command.lockstep;
    m_spent.clear();
    setState(m_state);
}

void Scheduler::carryOut(std::uint64_t, const SetInstrumentation& command) {
    for (const auto& run : m_table.live) {
        try {
            run->setInstrumentation(command.level);
        } catch (...) {  // no memory: restores all runs
            for (const auto& changed : m_table.live) changed->preferInstrumentation(m_maker.instrumentation);
            throw;
        }
    }
    m_maker.instrumentation = command.level;
    setState(m_state);
}

}  // namespace mantissa
