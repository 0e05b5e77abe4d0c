// SPDX-License-Identifier: Apache-2.0
#include "engine/session/reruns.h"

#include <algorithm>

#include "engine/session/run_info.h"

namespace mantissa {
namespace {

constexpr std::chrono::milliseconds kBetweenReports(100);

}  // namespace

void Reruns::carryOut(std::uint64_t, const RewindRuns& command) {
    m_scheduler.requireExperiment();
    std::vector<LiveRun*> wanted;
    for (const auto& run : m_table.live) {
        const bool isMeant =
            command.run == run->course().id || (command.run == -1 && !run->course().isWhatIf() && run->course().firstStep <= command.step);
        if (isMeant && (command.run != -1 || run->nextStep() > command.step)) wanted.push_back(run.get());
    }
    if (command.run != -1 && wanted.empty()) m_table.liveRun(command.run);  // throws the reason
    for (LiveRun* run : wanted) run->checkStep(command.step);               // for all runs before any is changed
    if (m_scheduler.state() == LabState::Training) m_scheduler.setState(LabState::Paused);
    for (LiveRun* run : wanted) {
        m_questions.endAbout(
            run->course().id, command.step,
            "run '" + run->course().settings.name + "' went back to before step " + std::to_string(command.step) + " meanwhile");
        run->rewind(command.step);
        m_outbox.emit(RunRewound{run->course().id, command.step});
    }
    m_pending.emplace().runs = std::move(wanted);
}

void Reruns::carryOut(std::uint64_t, const ForkRun& command) {
    const LiveRun& parent = m_table.liveRun(command.run);
    const std::string request = command.name.empty() ? parent.course().settings.name : command.name;
    if (!command.name.empty()) checkFreeName(m_table.settings(), request, "", "/name");
    if (command.whatIfSteps < 0) throw InputError("", "", "a what-if has at least one step");
    auto newcomer = LiveRun::fork(m_table.nextId, parent, command.step, freeName(m_table.settings(), request), command.changes);
    ++m_table.nextId;
    m_pending.emplace().runs = {newcomer.get()};
    m_pending->newcomer = std::move(newcomer);
}

void Reruns::wait(Command&& command) {
    m_pending.emplace().command = std::move(command);
    for (const auto& run : m_table.live) {
        if (run->isLagging()) m_pending->runs.push_back(run.get());
    }
}

std::optional<Command> Reruns::goOn(Clock::time_point deadline) {
    do {
        if (m_inbox.hasPauseOrQuit()) {
            stop(*std::exchange(m_pending, std::nullopt));
            return std::nullopt;
        }
        const auto lagging =
            std::find_if(m_pending->runs.begin(), m_pending->runs.end(), [](const LiveRun* run) { return run->isLagging(); });
        if (lagging == m_pending->runs.end()) {
            return finish(*std::exchange(m_pending, std::nullopt));
        }
        LiveRun& run = **lagging;
        const auto now = Clock::now();
        if (m_pending->lastReport == Clock::time_point{}) m_pending->lastReport = now;
        if (now - m_pending->lastReport >= kBetweenReports && !m_pending->isAside()) {
            m_pending->lastReport = now;
            m_outbox.emit(RunRewinding{run.course().id, run.trainer().nextStep(), run.nextStep()});
        }
        try {
            run.rerun([&] { return Clock::now() < deadline && !m_inbox.hasPauseOrQuit(); });
        } catch (const std::exception& error) {
            if (m_pending->isAside()) {
                m_outbox.refuse(std::exchange(m_pending, std::nullopt)->command, error);
                return std::nullopt;
            }
            m_pending->runs.erase(lagging);
            m_editor.makeReadOnly(run.course().id, runInfo(run), refusalSentence(error));
        }
    } while (Clock::now() < deadline);
    return std::nullopt;
}

void Reruns::publishPosition(const LiveRun& run) {
    const LossScaler& scaler = run.trainer().scaler();
    m_outbox.emit(RunChanged{runInfo(run)});
    m_outbox.emit(RunCaughtUp{run.course().id, run.nextStep(), run.differsAt(), static_cast<double>(scaler.scale()), scaler.cleanSteps()});
}

std::optional<Command> Reruns::finish(Pending done) {
    try {
        if (done.newcomer != nullptr) {
            adopt(std::get<ForkRun>(done.command.body), std::move(done.newcomer));
            m_outbox.answer(done.command);
            return std::nullopt;
        }
        for (const LiveRun* run : done.runs) publishPosition(*run);
        if (!std::holds_alternative<RewindRuns>(done.command.body)) return std::move(done.command);
        m_scheduler.pauseIfFinished();
        m_outbox.answer(done.command);
    } catch (const std::exception& error) {
        m_outbox.refuse(done.command, error);
    }
    return std::nullopt;
}

/// Stops a pending task. Runs that have not arrived keep lagging until a command needs them, so no step is lost. A rewind stays effective,
/// since all steps before its target were trained once.
void Reruns::stop(Pending left) {
    for (const LiveRun* run : left.runs) {
        if (!left.isAside() && !run->isLagging()) publishPosition(*run);
    }
    if (!std::holds_alternative<RewindRuns>(left.command.body)) return m_outbox.refuse(left.command, InputError("", "", kEndedOnTheWay));
    m_scheduler.pauseIfFinished();
    m_outbox.answer(left.command);
}

void Reruns::adopt(const ForkRun& fork, std::unique_ptr<LiveRun> run) {
    LiveRun& child = *run;
    if (fork.whatIfSteps > 0) child.makeWhatIf(fork.whatIfSteps);
    m_editor.add(std::move(run), fork.whatIfSteps);
    publishPosition(child);
    try {
        for (const SettingChange& change : fork.changes) {
            child.change(0, change.pointer, change.value);
            m_journal.change(child.course().id, child.nextStep(), change.pointer, change.value);
        }
    } catch (const std::exception&) {
        m_editor.remove(child.course().id, false);
        throw;
    }
}

}  // namespace mantissa
