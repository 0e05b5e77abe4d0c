// SPDX-License-Identifier: Apache-2.0
// Commands, except those for rewinds and forks (session_history.cpp) and for files (session_files.cpp).
#include <algorithm>
#include <set>

#include "engine/session/preview.h"
#include "engine/session/session_impl.h"
#include "engine/session/weights_place.h"
#include "engine/telemetry/run_identity.h"

namespace mantissa {
namespace {

/// Limit of kept removed runs: users remove large runs to free memory.
constexpr std::int64_t kRemovedBytes = 256 << 20;

bool changesExperiment(const CommandBody& body) {
    return std::holds_alternative<LoadExperiment>(body) || std::holds_alternative<ChangeSetting>(body) ||
           std::holds_alternative<AddRun>(body) || std::holds_alternative<DuplicateRun>(body) || std::holds_alternative<RemoveRun>(body) ||
           std::holds_alternative<RenameRun>(body) || std::holds_alternative<ForkRun>(body) || std::holds_alternative<KeepRun>(body) ||
           std::holds_alternative<RewindRuns>(body) || std::holds_alternative<RestoreRun>(body) ||
           std::holds_alternative<ArrangeRuns>(body);
}

bool isPreview(const CommandBody& body) {
    const auto* const exported = std::get_if<ExportRuns>(&body);
    return exported && exported->isPreview;
}

/// Whether the command needs the runs' present state, so that lagging runs must be re-run first.
bool needsPresent(const CommandBody& body) {
    return std::holds_alternative<Train>(body) || std::holds_alternative<SingleStep>(body) ||
           std::holds_alternative<ResetExperiment>(body) || std::holds_alternative<WriteSnippet>(body) ||
           (std::holds_alternative<ExportRuns>(body) && !isPreview(body)) || std::holds_alternative<KeepCheckpoint>(body) ||
           (changesExperiment(body) && !std::holds_alternative<LoadExperiment>(body) && !std::holds_alternative<RewindRuns>(body) &&
            !std::holds_alternative<ArrangeRuns>(body));
}

/// Whether it is a question about past steps, answered during training.
bool isQuestion(const CommandBody& body) {
    return std::holds_alternative<ExamineStep>(body) || std::holds_alternative<MeasureThresholds>(body) ||
           std::holds_alternative<MeasureStep>(body) || std::holds_alternative<ReadElements>(body) ||
           std::holds_alternative<MeasureTimes>(body) || std::holds_alternative<CompareRuns>(body);
}

/// Whether the recording stores it.
bool isKept(const CommandBody& body) {
    return !std::holds_alternative<SetInstrumentation>(body) && !std::holds_alternative<PreviewExperiment>(body) &&
           !std::holds_alternative<ListRecordings>(body) && !std::holds_alternative<WriteSnippet>(body) &&
           !std::holds_alternative<StopQuestion>(body) && !isQuestion(body) && !isPreview(body);
}

}  // namespace

LiveRun& Session::Impl::runOf(RunId id) {
    for (const auto& run : runs) {
        if (run->id() == id) return *run;
    }
    if (shown.contains(id)) throw InputError("", "", "run '" + shown.at(id).settings.name + "' is read-only");
    throw InputError("", "", "there is no run " + std::to_string(id));
}

std::vector<RunSettings> Session::Impl::settingsOfRuns() const {
    std::vector<RunSettings> settings;
    for (const auto& run : runs) settings.push_back(run->settings());
    for (const auto& [id, info] : shown) settings.push_back(info.settings);
    return settings;
}

std::unique_ptr<LiveRun> Session::Impl::makeRunLive(RunId id, const RunSettings& settings) {
    return atWeights(settings.training.init.weights, [&] {
        auto run = std::make_unique<LiveRun>(id, settings, backend, [this](Event&& event) { emit(std::move(event)); });
        run->preferInstrumentation(instrumentation);
        run->setExamining(examining);
        run->useClock(clock);
        return run;
    });
}

void Session::Impl::refuse(const Command& command, const std::exception& error) {
    const auto* change = std::get_if<ChangeSetting>(&command.body);
    const auto* input = dynamic_cast<const InputError*>(&error);
    const std::string pointer = input != nullptr ? input->pointer() : change != nullptr ? change->pointer : "";
    emit(CommandRefused{command.id, change != nullptr ? change->run : -1, pointer, refusalSentence(error)});
}

void Session::Impl::answer(const Command& command) {
    // Lagging runs do not have their former settings yet, so their order is written with the next text.
    const bool isTooEarly = std::holds_alternative<ArrangeRuns>(command.body) && (isAnyLagging() || runs.empty());
    if (changesExperiment(command.body) && !isTooEarly) emit(ExperimentText{textNow()});
    emit(CommandDone{command.id, furthestStep()});
}

void Session::Impl::apply(Command&& command) {
    if (needsPresent(command.body) && isAnyLagging()) {
        pending.emplace().command = std::move(command);
        for (const auto& run : runs) {
            if (run->isLagging()) pending->runs.push_back(run.get());
        }
        return;
    }
    try {
        flushAll();  // the recording has earlier steps before the command
        std::visit([&](const auto& body) { carryOut(command.id, body); }, command.body);
        if (auto* watch = std::get_if<WatchTraining>(&command.body)) watch->token.clear();  // not recorded: the token is secret
        if (isKept(command.body)) journal.command(command.body, furthestStep());
        if (pending) {
            pending->command = std::move(command);
        } else if (!isQuestion(command.body)) {
            answer(command);
        }
    } catch (const std::exception& error) {  // InputError, std::invalid_argument, std::bad_alloc, or an error of the backend
        refuse(command, error);
    }
}

/// Returns a file of the runs with their present initial settings, without changes by the file's events and without what-ifs.
std::string Session::Impl::textNow() const {
    Experiment now = experiment;
    now.runs.clear();
    now.events.clear();
    for (const auto& run : runs) {
        if (run->isWhatIf()) continue;
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

std::int64_t Session::Impl::furthestStep() const {
    std::int64_t step = 0;
    for (const auto& run : runs) step = std::max(step, run->nextStep());
    return step;
}

void Session::Impl::carryOut(std::uint64_t, const LoadExperiment& load) {
    std::string source = load.nameOrPath;
    std::filesystem::path folder = std::filesystem::path(load.nameOrPath).parent_path();  // folder of the text's file
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
    journal.begin(next, text);
    // a bad experiment has thrown before this line and left the old one unchanged
    questions.endAll("another experiment was loaded meanwhile");
    const Dataset& data = *next.data.front();
    ExperimentLoaded loaded{.name = next.name,
                            .title = next.title,
                            .description = next.description,
                            .steps = next.steps(),
                            .trainCount = data.trainCount(),
                            .validationCount = data.validationCount(),
                            .dataName = data.name,
                            .dataCredit = data.credit,
                            .dataText = dataText(next),
                            .runs = {},
                            .lookFor = next.lookFor};
    for (const auto& run : made) {
        journal.run(*run);
        loaded.runs.push_back(run->info());
    }
    experiment = std::move(next);
    opened.clear();
    clock.begin(0);
    runs = std::move(made);
    endListening();
    forgetShown();
    removed.clear();
    spent.clear();
    emit(std::move(loaded));
    setState(LabState::Paused);
}

void Session::Impl::requireExperiment() const {
    if (state == LabState::Empty) throw InputError("", "", "no experiment is loaded");
}

void Session::Impl::carryOut(std::uint64_t, const Train& command) {
    requireExperiment();
    trainUntil = command.until;
    setState(LabState::Training);
}
void Session::Impl::carryOut(std::uint64_t, const Pause&) {
    requireExperiment();
    if (state == LabState::Training) bringLevel();
    setState(state == LabState::Finished ? LabState::Finished : LabState::Paused);
}
void Session::Impl::carryOut(std::uint64_t, const SingleStep&) {
    requireExperiment();
    bool hasStepped = false;
    clock.setRunning(true);
    for (const auto& run : runs) {
        if (!run->canStep() || run->isWhatIf()) continue;
        run->step();
        hasStepped = true;
    }
    clock.setRunning(false);
    setState(hasStepped ? LabState::Paused : LabState::Finished);
}
void Session::Impl::carryOut(std::uint64_t, const ResetExperiment&) {
    requireExperiment();
    std::vector<std::unique_ptr<LiveRun>> made;
    std::vector<RunId> whatIfs;
    for (const auto& run : runs) {
        if (run->isWhatIf()) {
            whatIfs.push_back(run->id());
            continue;
        }
        made.push_back(makeRunLive(run->id(), run->ownSettings()));
        made.back()->schedule(run->scheduled());
    }
    for (const RunId id : whatIfs) remove(id, false);
    questions.endAll("the runs were started again meanwhile");
    removed.clear();
    runs = std::move(made);
    clock.begin(0);
    emit(ExperimentReset{});
    for (const auto& run : runs) {
        journal.run(*run);
        emit(RunChanged{run->info()});
    }
    setState(LabState::Paused);
}
void Session::Impl::carryOut(std::uint64_t, const SetPace& command) {
    if (!(command.stepsPerSecond >= 0 && command.stepsPerSecond <= SetPace::kMost))
        throw InputError(
            "", "", "the pace must lie between 0 and " + std::to_string(static_cast<std::int64_t>(SetPace::kMost)) + " steps per second");
    pace = command.stepsPerSecond;
    setState(state);
}
void Session::Impl::carryOut(std::uint64_t, const SetLockstep& command) {
    isLockstep = command.lockstep;
    spent.clear();
    setState(state);
}
void Session::Impl::carryOut(std::uint64_t, const SetInstrumentation& command) {
    for (const auto& run : runs) {
        try {
            run->setInstrumentation(command.level);
        } catch (...) {  // no memory: restores all runs
            for (const auto& changed : runs) changed->preferInstrumentation(instrumentation);
            throw;
        }
    }
    instrumentation = command.level;
    setState(state);
}
void Session::Impl::carryOut(std::uint64_t id, const ChangeSetting& command) {
    LiveRun& run = runOf(command.run);
    run.change(id, command.pointer, command.value);
    journal.change(run.id(), run.nextStep(), command.pointer, command.value);
    if (state == LabState::Finished && run.canStep()) setState(LabState::Paused);
}

void Session::Impl::addLive(std::unique_ptr<LiveRun> run, std::int64_t whatIfSteps) {
    journal.run(*run, whatIfSteps);
    run->useClock(clock);
    runs.push_back(std::move(run));
    emit(RunAdded{runs.back()->info()});
    if (state == LabState::Finished && whatIfSteps == 0) setState(LabState::Paused);
}

void Session::Impl::carryOut(std::uint64_t, const AddRun& command) {
    requireExperiment();
    RunSettings settings = makeRun(command.run, experiment);
    settings.name = freeName(settingsOfRuns(), settings.name);
    addLive(makeRunLive(nextId, settings));
    ++nextId;
}
void Session::Impl::carryOut(std::uint64_t, const DuplicateRun& command) {
    RunSettings settings = runOf(command.run).settings();
    settings.name = freeName(settingsOfRuns(), settings.name);
    addLive(makeRunLive(nextId, settings));
    ++nextId;
}

void Session::Impl::remove(RunId id, bool mayComeBack) {
    for (const auto& run : runs)
        if (run->id() == id) questions.endAbout(id, run->firstStep(), "run '" + run->settings().name + "' was removed meanwhile");
    Removed gone{.id = id, .run = nullptr, .shown = {}, .watched = nullptr, .notes = {}};
    for (const auto& [noteId, note] : notes)
        if (note.run == id) gone.notes.push_back(note);
    const auto run = std::find_if(runs.begin(), runs.end(), [&](const auto& each) { return each->id() == id; });
    if (run != runs.end()) {
        gone.run = std::move(*run);
        runs.erase(run);
    }
    if (const auto entry = shown.find(id); entry != shown.end()) {
        gone.shown = entry->second;
        shown.erase(entry);
        if (gone.shown.kind == RunKind::Recorded) gone.shown.watch = {};
        stopFollowing(id);
    }
    if (auto watch = watched.extract(id)) {
        stopWatching(id);
        watch.mapped()->disconnect("");
        gone.watched = std::move(watch.mapped());
    }
    spent.erase(id);
    if (mayComeBack) removed.push_back(std::move(gone));
    trimRemoved();
    emit(RunRemoved{id, !removed.empty() && removed.back().id == id});
}

void Session::Impl::trimRemoved() {
    const auto bytes = [this] {
        std::int64_t sum = 0;
        for (const Removed& each : removed)
            if (each.run != nullptr) sum += each.run->info().memory.total() + each.run->history().bytes();
        return sum;
    };
    while (!removed.empty() && (removed.size() > kMostRestorable || bytes() > kRemovedBytes)) removed.pop_front();
}

void Session::Impl::carryOut(std::uint64_t, const RemoveRun& command) {
    if (!shown.contains(command.run) && !runOf(command.run).isWhatIf()) {
        const auto lasting = std::count_if(runs.begin(), runs.end(), [](const auto& run) { return !run->isWhatIf(); });
        if (lasting == 1) throw InputError("", "", "the last run stays: an experiment has at least one");
    }
    remove(command.run, true);
}
void Session::Impl::carryOut(std::uint64_t, const RestoreRun& command) {
    const auto found = std::find_if(removed.begin(), removed.end(), [&](const Removed& each) { return each.id == command.run; });
    if (found == removed.end())
        throw InputError(
            "", "", "run " + std::to_string(command.run) + " is gone for good: only the latest removed runs are kept, and no large ones");
    Removed back = std::move(*found);
    removed.erase(found);
    if (back.run != nullptr) {
        const std::string name = freeName(settingsOfRuns(), back.run->settings().name);
        runs.push_back(std::move(back.run));
        emit(RunRestored{runs.back()->info()});
        if (name != runs.back()->settings().name) runs.back()->rename(name);
        runs.back()->preferInstrumentation(instrumentation);
        sortRuns();
    } else {
        back.shown.settings.name = freeName(settingsOfRuns(), back.shown.settings.name);
        shown[back.id] = back.shown;
        emit(RunRestored{back.shown});
        if (back.watched != nullptr) {
            watched[back.id] = std::move(back.watched);
            watched[back.id]->rename(back.shown.settings.name);  // its probe reconnects each second
        }
    }
    for (Note& note : back.notes) emit(NoteWritten{0, std::move(note)});
    if (state == LabState::Finished && nextRun() != nullptr) setState(LabState::Paused);
}
void Session::Impl::carryOut(std::uint64_t, const RenameRun& command) {
    const auto entry = shown.find(command.run);
    const std::string before = entry != shown.end() ? entry->second.settings.name : runOf(command.run).settings().name;
    std::vector<RunSettings> others = settingsOfRuns();
    std::erase_if(others, [&](const RunSettings& other) { return other.name == before; });
    checkFreeName(others, command.name, "", "/name");
    if (entry == shown.end()) return runOf(command.run).rename(command.name);
    if (const auto watch = watched.find(command.run); watch != watched.end()) return watch->second->rename(command.name);
    entry->second.settings.name = command.name;
    emit(RunChanged{entry->second});
}
void Session::Impl::sortRuns() {
    const auto placeOf = [this](const std::unique_ptr<LiveRun>& run) {
        const auto style = std::find_if(styles.begin(), styles.end(), [&](const RunStyle& each) { return each.run == run->id(); });
        return std::pair(style - styles.begin(), run->id());
    };
    std::sort(runs.begin(), runs.end(), [&](const auto& a, const auto& b) { return placeOf(a) < placeOf(b); });
}
void Session::Impl::carryOut(std::uint64_t, const ArrangeRuns& command) {
    requireExperiment();
    std::set<RunId> placed;
    for (const RunStyle& style : command.styles) {
        if (!placed.insert(style.run).second) throw InputError("", "", "a run stands in one place");
        if (style.identity < -1 || style.identity >= static_cast<std::int32_t>(kRunIdentities.size()))
            throw InputError("", "", "there are " + std::to_string(kRunIdentities.size()) + " run styles");
        if (!shown.contains(style.run)) runOf(style.run);  // throws: no such run
    }
    emit(RunsArranged{command.styles});
    sortRuns();
}
/// Synchronous, between two steps; `serve` uses a thread.
void Session::Impl::carryOut(std::uint64_t id, const PreviewExperiment& question) {
    Experiment planned;
    ExperimentPreviewed preview = previewExperiment(question.text, *backend, planned);
    preview.commandId = id;
    if (question.cardBytes > 0) addLargestBatches(preview, planned, question.cardBytes, *backend);
    emit(std::move(preview));
}
void Session::Impl::carryOut(std::uint64_t, const Quit&) {
    flushAll();
    questions.endAll(kEndedOnTheWay);
    hasQuit = true;
}

}  // namespace mantissa
