// SPDX-License-Identifier: Apache-2.0
// Rewinding and forking runs, and re-running them.
#include <algorithm>

#include "engine/session/session_impl.h"

namespace mantissa {
namespace {

constexpr std::chrono::milliseconds kBetweenReports(100);

const InputError& endedOnTheWay() {
    static const InputError error("", "", kEndedOnTheWay);
    return error;
}

}  // namespace

bool Session::Impl::isAnyLagging() const {
    return std::any_of(runs.begin(), runs.end(), [](const auto& run) { return run->isLagging(); });
}

void Session::Impl::carryOut(std::uint64_t, const RewindRuns& command) {
    requireExperiment();
    std::vector<LiveRun*> wanted;
    for (const auto& run : runs) {
        const bool isMeant = command.run == run->id() || (command.run == -1 && !run->isWhatIf() && run->firstStep() <= command.step);
        if (isMeant && (command.run != -1 || run->nextStep() > command.step)) wanted.push_back(run.get());
    }
    if (command.run != -1 && wanted.empty()) runOf(command.run);  // throws the reason
    for (LiveRun* run : wanted) run->checkStep(command.step);     // for all runs before any is changed
    if (state == LabState::Training) setState(LabState::Paused);
    for (LiveRun* run : wanted) {
        questions.endAbout(run->id(), command.step,
                           "run '" + run->settings().name + "' went back to before step " + std::to_string(command.step) + " meanwhile");
        run->rewind(command.step);
        emit(RunRewound{run->id(), command.step});
    }
    pending.emplace().runs = std::move(wanted);
}

void Session::Impl::carryOut(std::uint64_t, const ForkRun& command) {
    const LiveRun& parent = runOf(command.run);
    const std::string request = command.name.empty() ? parent.settings().name : command.name;
    if (!command.name.empty()) checkFreeName(settingsOfRuns(), request, "", "/name");
    if (command.whatIfSteps < 0) throw InputError("", "", "a what-if has at least one step");
    auto newcomer = LiveRun::fork(nextId, parent, command.step, freeName(settingsOfRuns(), request), command.changes);
    ++nextId;
    pending.emplace().runs = {newcomer.get()};
    pending->newcomer = std::move(newcomer);
}

void Session::Impl::carryOut(std::uint64_t, const KeepRun& command) {
    LiveRun& run = runOf(command.run);
    if (!run.isWhatIf()) throw InputError("", "", "run '" + run.settings().name + "' is no what-if");
    run.keepWhatIf();
    emit(RunChanged{run.info()});
    if (state == LabState::Finished && run.canStep()) setState(LabState::Paused);
}

void Session::Impl::carryOut(std::uint64_t id, const KeepCheckpoint& command) {
    LiveRun& run = runOf(command.run);
    run.keepCheckpoint();
    journal.storeSnapshot(run);
    emit(CheckpointKept{id, run.id(), run.nextStep()});
}

void Session::Impl::goOn(Clock::time_point deadline) {
    do {
        if (isToldToStop()) return stopPending(*std::exchange(pending, std::nullopt));
        const auto lagging = std::find_if(pending->runs.begin(), pending->runs.end(), [](const LiveRun* run) { return run->isLagging(); });
        if (lagging == pending->runs.end()) {
            return finish(*std::exchange(pending, std::nullopt));
        }
        LiveRun& run = **lagging;
        const auto now = Clock::now();
        if (pending->lastReport == Clock::time_point{}) pending->lastReport = now;
        if (now - pending->lastReport >= kBetweenReports && !pending->isAside()) {
            pending->lastReport = now;
            emit(RunRewinding{run.id(), run.reachedStep(), run.nextStep()});
        }
        try {
            run.rerun([&] { return Clock::now() < deadline && !isToldToStop(); });
        } catch (const std::exception& error) {
            if (pending->isAside()) return refuse(std::exchange(pending, std::nullopt)->command, error);
            pending->runs.erase(lagging);
            onlyShow(run.id(), run.info(), refusalSentence(error));
        }
    } while (Clock::now() < deadline);
}

void Session::Impl::publishPosition(const LiveRun& run) {
    const LossScaler& scaler = run.trainer().scaler();
    emit(RunChanged{run.info()});
    emit(RunCaughtUp{run.id(), run.nextStep(), run.differsAt(), static_cast<double>(scaler.scale()), scaler.cleanSteps()});
}

void Session::Impl::finish(Pending done) {
    try {
        if (done.newcomer != nullptr) {
            adopt(std::get<ForkRun>(done.command.body), std::move(done.newcomer));
            return answer(done.command);
        }
        for (const LiveRun* run : done.runs) publishPosition(*run);
        if (!std::holds_alternative<RewindRuns>(done.command.body)) return apply(std::move(done.command));  // it waited for the runs
        if (state == LabState::Finished) setState(LabState::Paused);
        answer(done.command);
    } catch (const std::exception& error) {
        refuse(done.command, error);
    }
}

/// Stops a pending task. Runs that have not arrived keep lagging until a command needs them, so no step is lost. A rewind stays effective,
/// since all steps before its target were trained once.
void Session::Impl::stopPending(Pending left) {
    for (const LiveRun* run : left.runs) {
        if (!left.isAside() && !run->isLagging()) publishPosition(*run);
    }
    if (!std::holds_alternative<RewindRuns>(left.command.body)) return refuse(left.command, endedOnTheWay());
    if (state == LabState::Finished) setState(LabState::Paused);
    answer(left.command);
}

void Session::Impl::adopt(const ForkRun& fork, std::unique_ptr<LiveRun> run) {
    LiveRun& child = *run;
    if (fork.whatIfSteps > 0) child.makeWhatIf(fork.whatIfSteps);
    addLive(std::move(run), fork.whatIfSteps);
    publishPosition(child);
    try {
        for (const SettingChange& change : fork.changes) {
            child.change(0, change.pointer, change.value);
            journal.change(child.id(), child.nextStep(), change.pointer, change.value);
        }
    } catch (const std::exception&) {
        remove(child.id(), false);
        throw;
    }
}

}  // namespace mantissa
