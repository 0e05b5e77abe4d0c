// SPDX-License-Identifier: Apache-2.0
#include "engine/session/session.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <exception>
#include <map>
#include <mutex>
#include <stdexcept>

#include "engine/session/live_run.h"
#include "engine/session/preview.h"
#include "engine/session/weights_place.h"

namespace mantissa {
namespace {

using Clock = std::chrono::steady_clock;
using Milliseconds = std::chrono::duration<double, std::milli>;

Clock::duration durationOf(double ms) {
    return std::chrono::duration_cast<Clock::duration>(Milliseconds(ms));
}

/// What the sink threw, on its way out to whoever called `advance`. No std::exception: nothing on that way may take it for the refusal of a
/// command or the end of a run.
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

struct Session::Impl {
    std::shared_ptr<Backend> backend;
    EventSink sink;

    std::mutex mutex;  // guards `inbox`; everything else belongs to the thread that calls `advance`
    std::condition_variable wake;
    std::deque<Command> inbox;

    Experiment experiment;
    std::vector<std::unique_ptr<LiveRun>> runs;
    RunId nextId = 0;
    LabState state = LabState::Empty;
    double pace = 0;
    bool isLockstep = true;
    std::map<RunId, Clock::duration> spent;  // out of lock-step: each run's share of the time so far
    Clock::time_point due{};                 // of the next step, when paced
    bool hasQuit = false;

    // ---- Scheduling ----

    /// In lock-step the run furthest behind, else the one that has had the least time, so that each goes as fast as it can; null when
    /// all have finished or stopped.
    LiveRun* nextRun() {
        LiveRun* next = nullptr;
        for (const auto& run : runs) {
            if (!run->canStep()) continue;
            const bool isBefore = next == nullptr || (isLockstep ? run->nextStep() < next->nextStep() : timeOf(*run) < timeOf(*next));
            if (isBefore) next = run.get();
        }
        return next;
    }

    /// A newcomer begins with the least that the others have had: it gets its share, and no more.
    Clock::duration& timeOf(const LiveRun& run) {
        const auto isLess = [](const auto& a, const auto& b) { return a.second < b.second; };
        const auto least = std::min_element(spent.begin(), spent.end(), isLess);
        return spent.try_emplace(run.id(), least == spent.end() ? Clock::duration{} : least->second).first->second;
    }

    bool hasCommands() {
        const std::lock_guard lock(mutex);
        return !inbox.empty();
    }

    /// Waits for a command until `deadline`.
    void waitForCommands(Clock::time_point deadline) {
        std::unique_lock lock(mutex);
        wake.wait_until(lock, deadline, [&] { return !inbox.empty(); });
    }

    void applyCommands() {
        while (!hasQuit) {
            Command command;
            {
                const std::lock_guard lock(mutex);
                if (inbox.empty()) return;
                command = std::move(inbox.front());
                inbox.pop_front();
            }
            apply(command);
        }
    }

    void setState(LabState next) {
        for (const auto& run : runs) run->flush();
        state = next;
        due = Clock::now();
        sink(StateChanged{state, pace, isLockstep});
    }

    /// Trains until the deadline, a command, or the end.
    void train(Clock::time_point deadline) {
        while (Clock::now() < deadline && !hasCommands()) {
            LiveRun* run = nextRun();
            if (run == nullptr) return setState(LabState::Finished);
            if (pace > 0 && due > Clock::now()) {
                for (const auto& each : runs) each->flush();
                waitForCommands(std::min(due, deadline));
                continue;
            }
            const auto begin = Clock::now();
            run->step();
            timeOf(*run) += Clock::now() - begin;
            if (pace > 0) {
                const auto active = std::count_if(runs.begin(), runs.end(), [](const auto& each) { return each->canStep(); });
                due = std::max(due, Clock::now() - durationOf(100)) +
                      durationOf(1000 / pace / static_cast<double>(std::max<std::ptrdiff_t>(active, 1)));
            }
        }
        for (const auto& run : runs) run->flushIfDue();
    }

    // ---- Commands ----

    LiveRun& runOf(RunId id) {
        for (const auto& run : runs) {
            if (run->id() == id) return *run;
        }
        throw InputError("", "", "there is no run " + std::to_string(id));
    }

    std::vector<RunSettings> settingsOfRuns() const {
        std::vector<RunSettings> settings;
        for (const auto& run : runs) settings.push_back(run->settings());
        return settings;
    }

    std::unique_ptr<LiveRun> makeRunLive(RunId id, const RunSettings& settings) {
        return atWeights(settings.training.init.weights, [&] { return std::make_unique<LiveRun>(id, settings, backend, sink); });
    }

    void apply(const Command& command) {
        RunId about = -1;
        const ChangeSetting* change = std::get_if<ChangeSetting>(&command.body);
        if (change != nullptr) about = change->run;
        std::string pointer = change != nullptr ? change->pointer : "";
        try {
            std::visit([&](const auto& body) { carryOut(command.id, body); }, command.body);
            if (changesExperiment(command.body)) sink(ExperimentText{textNow()});
            sink(CommandDone{command.id, furthestStep()});
        } catch (const std::exception& error) {  // InputError, std::invalid_argument, no memory, and what a backend throws
            if (const auto* input = dynamic_cast<const InputError*>(&error)) pointer = input->pointer();
            sink(CommandRefused{command.id, about, pointer, refusalSentence(error)});
        }
    }

    static bool changesExperiment(const CommandBody& body) {
        return std::holds_alternative<LoadExperiment>(body) || std::holds_alternative<ChangeSetting>(body) ||
               std::holds_alternative<AddRun>(body) || std::holds_alternative<DuplicateRun>(body) ||
               std::holds_alternative<RemoveRun>(body) || std::holds_alternative<RenameRun>(body);
    }

    /// The file that begins as the runs would begin now: what events of the file have done is no setting of theirs.
    std::string textNow() const {
        Experiment now = experiment;
        now.runs.clear();
        now.events.clear();
        for (const auto& run : runs) {
            now.runs.push_back(run->ownSettings());
            for (ScheduledChange change : run->scheduled()) {
                change.run = run->settings().name;
                now.events.push_back(std::move(change));
            }
        }
        std::stable_sort(now.events.begin(), now.events.end(),
                         [](const ScheduledChange& a, const ScheduledChange& b) { return a.step < b.step; });
        return writeExperiment(now);
    }

    std::int64_t furthestStep() const {
        std::int64_t step = 0;
        for (const auto& run : runs) step = std::max(step, run->nextStep());
        return step;
    }

    void carryOut(std::uint64_t, const LoadExperiment& load) {
        std::string source = load.nameOrPath;
        std::filesystem::path folder = std::filesystem::path(load.nameOrPath).parent_path();  // where a text's file lies
        const std::string text = load.text.empty() ? loadExperimentText(load.nameOrPath, source, folder) : load.text;
        Experiment next = parseExperiment(text, source, folder);
        if (!load.text.empty()) next.name = load.nameOrPath;
        std::vector<std::unique_ptr<LiveRun>> made;
        for (std::size_t i = 0; i < next.runs.size(); ++i) {
            try {
                made.push_back(makeRunLive(nextId++, next.runs[i]));
            } catch (const std::invalid_argument& error) {
                throw InputError(source, "/runs/" + std::to_string(i), error.what());
            }
            made.back()->schedule(next.events);
        }
        // nothing has been changed up to here, so a bad experiment leaves the old one as it was
        experiment = std::move(next);
        runs = std::move(made);
        spent.clear();
        const Dataset& data = *experiment.data.front();
        ExperimentLoaded loaded{.name = experiment.name,
                                .title = experiment.title,
                                .description = experiment.description,
                                .steps = experiment.steps(),
                                .trainCount = data.trainCount(),
                                .validationCount = data.validationCount(),
                                .dataName = data.name,
                                .dataCredit = data.credit,
                                .dataText = dataText(experiment),
                                .runs = {}};
        for (const auto& run : runs) loaded.runs.push_back(run->info());
        sink(std::move(loaded));
        setState(LabState::Paused);
    }

    void requireExperiment() const {
        if (state == LabState::Empty) throw InputError("", "", "no experiment is loaded");
    }

    void carryOut(std::uint64_t, const Train&) {
        requireExperiment();
        setState(LabState::Training);
    }
    void carryOut(std::uint64_t, const Pause&) {
        requireExperiment();
        setState(state == LabState::Finished ? LabState::Finished : LabState::Paused);
    }
    void carryOut(std::uint64_t, const SingleStep&) {
        requireExperiment();
        bool hasStepped = false;
        for (const auto& run : runs) {
            if (!run->canStep()) continue;
            run->step();
            hasStepped = true;
        }
        setState(hasStepped ? LabState::Paused : LabState::Finished);
    }
    void carryOut(std::uint64_t, const ResetExperiment&) {
        requireExperiment();
        std::vector<std::unique_ptr<LiveRun>> made;
        for (const auto& run : runs) {
            made.push_back(makeRunLive(run->id(), run->ownSettings()));
            made.back()->schedule(run->scheduled());
        }
        runs = std::move(made);
        sink(ExperimentReset{});
        for (const auto& run : runs) sink(RunChanged{run->info()});
        setState(LabState::Paused);
    }
    void carryOut(std::uint64_t, const SetPace& command) {
        if (!(command.stepsPerSecond >= 0 && command.stepsPerSecond <= 1e6))
            throw InputError("", "", "the pace must lie between 0 and 1000000 steps per second");
        pace = command.stepsPerSecond;
        setState(state);
    }
    void carryOut(std::uint64_t, const SetLockstep& command) {
        isLockstep = command.lockstep;
        spent.clear();
        setState(state);
    }
    void carryOut(std::uint64_t id, const ChangeSetting& command) {
        LiveRun& run = runOf(command.run);
        run.change(id, command.pointer, command.value);
        if (state == LabState::Finished && run.canStep()) setState(LabState::Paused);
    }

    void addLive(const RunSettings& settings) {
        runs.push_back(makeRunLive(nextId, settings));
        ++nextId;
        sink(RunAdded{runs.back()->info()});
        if (state == LabState::Finished) setState(LabState::Paused);
    }

    void carryOut(std::uint64_t, const AddRun& command) {
        requireExperiment();
        RunSettings settings = makeRun(command.run, experiment);
        settings.name = freeName(settingsOfRuns(), settings.name);
        addLive(settings);
    }
    void carryOut(std::uint64_t, const DuplicateRun& command) {
        RunSettings settings = runOf(command.run).settings();
        settings.name = freeName(settingsOfRuns(), settings.name);
        addLive(settings);
    }
    void carryOut(std::uint64_t, const RemoveRun& command) {
        const RunId id = runOf(command.run).id();
        if (runs.size() == 1) throw InputError("", "", "the last run stays: an experiment has at least one");
        std::erase_if(runs, [&](const auto& run) { return run->id() == id; });
        spent.erase(id);
        sink(RunRemoved{id});
    }
    void carryOut(std::uint64_t, const RenameRun& command) {
        LiveRun& run = runOf(command.run);
        std::vector<RunSettings> others = settingsOfRuns();
        std::erase_if(others, [&](const RunSettings& other) { return other.name == run.settings().name; });
        checkFreeName(others, command.name, "", "/name");
        run.rename(command.name);
    }
    /// In process, between two steps; `serve` has a thread for it.
    void carryOut(std::uint64_t id, const PreviewExperiment& question) {
        Experiment planned;
        ExperimentPreviewed preview = previewExperiment(question.text, *backend, planned);
        preview.commandId = id;
        if (question.cardBytes > 0) addLargestBatches(preview, planned, question.cardBytes, *backend);
        sink(std::move(preview));
    }
    template <class T>
    void carryOut(std::uint64_t, const T&) {
        throw InputError("", "", "this is not there yet");
    }
    void carryOut(std::uint64_t, const Quit&) { hasQuit = true; }
};

Session::Session(std::shared_ptr<Backend> backend, EventSink sink) : m_impl(std::make_unique<Impl>()) {
    m_impl->backend = std::move(backend);
    m_impl->sink = guarded(std::move(sink));
}

Session::~Session() = default;

void Session::post(Command command) {
    {
        const std::lock_guard lock(m_impl->mutex);
        m_impl->inbox.push_back(std::move(command));
    }
    m_impl->wake.notify_one();
}

bool Session::advance(double budgetMs, double idleMs) try {
    Impl& t = *m_impl;
    if (t.state != LabState::Training) t.waitForCommands(Clock::now() + durationOf(idleMs));
    t.applyCommands();
    if (!t.hasQuit && t.state == LabState::Training) t.train(Clock::now() + durationOf(budgetMs));
    return !t.hasQuit;
} catch (const SinkFailure& failure) {
    std::rethrow_exception(failure.cause);
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
