// SPDX-License-Identifier: Apache-2.0
// Watched PyTorch trainings: their probes' messages become events, and questions about them are answered from these messages.
#include <algorithm>
#include <filesystem>

#include "engine/session/compare_runs.h"
#include "engine/session/session_impl.h"

namespace mantissa {
namespace {

constexpr const char* kBareName = "watched-training";
constexpr const char* kBareTitle = "Watched training";
constexpr std::size_t kMostWatched = 64;

/// The probe's name of its run, converted to a valid one.
std::string nameOf(const ProbeHello& hello) {
    const std::string name = hello.name.empty() ? "training" : hello.name;
    try {
        checkFreeName({}, cutToBytes(name, kMaxNameBytes), "", "");
        return name;
    } catch (const InputError&) {  // such as "../train" of a script's path
        const std::string stem = fileStem(std::filesystem::path(name).filename().string());
        return stem.empty() || stem == ".." ? "training" : stem;
    }
}

}  // namespace

void Session::Impl::loadBare() {
    Experiment bare;
    bare.name = kBareName;
    bare.title = kBareTitle;
    journal.begin(bare, "");
    questions.endAll("another experiment was loaded meanwhile");
    experiment = std::move(bare);
    opened.clear();
    clock.begin(0);
    runs.clear();
    forgetShown();
    removed.clear();
    spent.clear();
    emit(ExperimentLoaded{.name = kBareName, .title = kBareTitle});
    emit(ExperimentText{});  // there is no file
    setState(LabState::Finished);
}

void Session::Impl::forgetShown() {
    shown.clear();
    for (const auto& [id, run] : watched) stopWatching(id);
    watched.clear();
    feeds.clear();
    putAside.clear();
    refusedKeys.clear();
    std::erase_if(watching, [](const Watching& each) { return !each.isListening; });
}

/// A running training reconnects within a second, and would be added to a newly opened experiment.
void Session::Impl::endListening() {
    const bool wasListening = std::any_of(watching.begin(), watching.end(), [](const Watching& each) { return each.isListening; });
    watching.clear();
    if (wasListening) emit(WatchingChanged{});
}

void Session::Impl::carryOut(std::uint64_t, const WatchTraining& command) {
    const std::string place = command.place.empty() ? defaultProbePlace() : command.place;
    const bool isFile = isProbeFile(place);
    const auto isListening = [](const Watching& each) { return each.isListening; };
    const auto before = std::find_if(watching.begin(), watching.end(), isListening);
    const ProbePlace asked{.place = place, .token = command.token, .follows = command.follows, .allowsRemote = command.allowsRemote};
    const bool isTaken = !isFile && before != watching.end() && before->source->place() == place;
    const bool isThere = isTaken && before->asked.token == asked.token && before->asked.allowsRemote == asked.allowsRemote;
    std::unique_ptr<ProbeSource> source;
    if (isTaken && !isThere) carryOut(0, StopListening{});
    if (!isThere) {
        source = std::make_unique<ProbeSource>(asked, [this] {
            {
                const std::lock_guard lock(mutex);
                hasArrivals = true;
            }
            wake.notify_one();
        });
    }
    // nothing has been changed before this line, except the token of this place
    if (command.isAlone || state == LabState::Empty) loadBare();
    if (isThere) return emit(WatchingChanged{place});
    const std::string listened = source->place();
    if (!isFile) stopListening();
    watching.push_back({std::move(source), asked, !isFile, {}});
    if (!isFile) emit(WatchingChanged{listened});
}

void Session::Impl::stopListening() {
    for (Watching& each : watching)
        if (std::exchange(each.isListening, false)) each.source->stopListening();
}

void Session::Impl::carryOut(std::uint64_t, const StopListening&) {
    stopListening();
    emit(WatchingChanged{});
}

void Session::Impl::takeArrivals() {
    {
        const std::lock_guard lock(mutex);
        if (!std::exchange(hasArrivals, false)) return;
    }
    for (std::size_t i = 0; i < watching.size(); ++i) {
        for (ProbeArrival& arrival : watching[i].source->take()) take(watching[i], std::move(arrival));
        std::erase_if(watching[i].runs, [](const auto& each) { return each.second < 0; });
    }
    std::erase_if(watching, [](const Watching& each) { return each.source->isOver(); });
    for (const auto& [id, run] : watched) run->flush();
    for (const auto& feed : feeds) take(*feed);
}

void Session::Impl::publishFor(RunId id, Event&& event) {
    if (auto* steps = std::get_if<StepsRecorded>(&event)) steps->sentNs = monotonicNs();
    if (const auto* changed = std::get_if<RunChanged>(&event)) shown[id] = changed->info;
    emit(std::move(event));
}

/// Returns the known run of a probe that reconnects, or a new one. -1: it was removed, or there are too many.
RunId Session::Impl::runFor(Watching& from, const ProbeHello& hello) {
    for (const auto& [id, run] : watched)
        if (!hello.run.empty() && run->key() == hello.run) return id;
    for (const Removed& each : removed)
        if (each.watched != nullptr && each.watched->key() == hello.run) return -1;
    if (watched.size() >= kMostWatched) {
        if (refusedKeys.insert(hello.run).second)  // the probe retries each second
            emit(CommandRefused{0, -1, "",
                                from.source->place() + ": " + std::to_string(kMostWatched) +
                                    " trainings are watched, the most at once: remove one to watch another"});
        return -1;
    }
    const RunId id = nextId++;
    const std::string rank = hello.world > 1 ? " rank " + std::to_string(hello.rank) : "";
    const std::string name = freeName(settingsOfRuns(), cutToBytes(nameOf(hello), kMaxNameBytes - rank.size()) + rank);
    auto run = std::make_unique<WatchedRun>(id, name, hello, from.source->place(),
                                            [this, id](Event&& event) { publishFor(id, std::move(event)); });
    shown[id] = run->info();
    const auto& added = *watched.emplace(id, std::move(run)).first->second;
    emit(RunAdded{added.info()});
    return id;
}

void Session::Impl::take(Watching& from, ProbeArrival&& arrival) {
    const auto known = from.runs.find(arrival.connection);
    if (const auto* ended = std::get_if<ConnectionEnded>(&arrival.what)) {
        if (known == from.runs.end()) {
            // No event of it has been emitted yet.
            const bool isFile = isProbeFile(from.source->place());
            const std::string problem = !ended->problem.empty() ? ended->problem : isFile ? "it holds no training" : "";
            if (!problem.empty()) emit(CommandRefused{0, -1, "", from.source->place() + ": " + problem});
            return;
        }
        const RunId id = known->second;
        from.runs.erase(known);
        const bool isElsewhere = std::any_of(watching.begin(), watching.end(), [id](const Watching& each) {
            return std::any_of(each.runs.begin(), each.runs.end(), [id](const auto& run) { return run.second == id; });
        });
        if (const auto run = watched.find(id); run != watched.end() && !isElsewhere) run->second->disconnect(ended->problem);
        return;
    }
    auto& message = std::get<ProbeMessage>(arrival.what);
    if (const auto* hello = std::get_if<ProbeHello>(&message); hello != nullptr && known == from.runs.end()) {
        const RunId id = from.runs[arrival.connection] = runFor(from, *hello);
        if (id < 0) return from.source->close(arrival.connection);
    }
    const auto place = from.runs.find(arrival.connection);
    const auto run = place == from.runs.end() ? watched.end() : watched.find(place->second);
    if (run == watched.end()) return;
    run->second->take(std::move(message));
}

void Session::Impl::recallWatched(const Event& event) {
    if (const auto* added = std::get_if<RunAdded>(&event); added != nullptr && added->info.kind == RunKind::Watched) {
        const RunId id = added->info.id;
        watched[id] = std::make_unique<WatchedRun>(added->info, [this, id](Event&& each) { publishFor(id, std::move(each)); });
    }
    const auto pass = [&](RunId id) {
        if (const auto run = watched.find(id); run != watched.end()) run->second->recall(event);
    };
    if (const auto* steps = std::get_if<StepsRecorded>(&event)) pass(steps->run);
    if (const auto* measured = std::get_if<TensorsMeasured>(&event)) pass(measured->run);
    if (const auto* examined = std::get_if<StepExamined>(&event)) pass(examined->run);
    if (const auto* changed = std::get_if<RunChanged>(&event)) pass(changed->info.id);
    if (const auto* found = std::get_if<NonFiniteFound>(&event)) pass(found->run);
    if (const auto* gone = std::get_if<RunRemoved>(&event))
        if (auto run = watched.extract(gone->run)) putAside.insert(std::move(run));
    if (const auto* back = std::get_if<RunRestored>(&event))
        if (auto run = putAside.extract(back->info.id)) watched.insert(std::move(run));
}

void Session::Impl::stopWatching(RunId run) {
    for (Watching& each : watching)
        for (auto& [connection, of] : each.runs)
            if (of == run) {
                each.source->close(connection);
                of = -1;
            }
}

void Session::Impl::ask(RunId run, ProbeRequest request) {
    for (Watching& each : watching)
        for (const auto& [connection, of] : each.runs)
            if (of == run) each.source->ask(connection, request);
}

void Session::Impl::compareWatched(std::uint64_t id, const CompareRuns& question) {
    std::vector<const StatisticsByStep*> known;
    const LiveRun* own = nullptr;
    for (const RunId each : {question.run, question.other}) {
        const auto found = watched.find(each);
        found == watched.end() ? static_cast<void>(own = &runOf(each)) : known.push_back(&found->second->statistics());
    }
    std::vector<std::int64_t> steps = sketchedSteps(known, question);
    if (own != nullptr) std::erase_if(steps, [&](std::int64_t step) { return step < own->firstStep() || step > own->nextStep(); });
    if (steps.empty() && sketchedSteps(known, {.count = kMaxSteps}).empty()) throw InputError("", "", kNoSketches);
    if (own != nullptr && !steps.empty()) {
        std::vector<StepStats> sketches;
        for (const std::int64_t step : steps) sketches.push_back(known.front()->at(step));
        return questions.ask({id, question}, {own}, steps.back(), std::move(sketches));
    }
    for (const std::int64_t step : steps)
        sink(RunsCompared{id, question.run, question.other, compareSketches(known[0]->at(step), known[1]->at(step)), ""});
    emit(CommandDone{id, furthestStep()});
}

bool Session::Impl::answerWatched(std::uint64_t id, RunId about, const CommandBody& question) {
    const auto found = watched.find(about);
    if (found == watched.end()) return false;
    const WatchedRun& run = *found->second;
    const std::string name = "'" + run.info().settings.name + "'";
    const bool isConnected = run.info().watch.link == WatchLink::Connected;
    if (const auto* measure = std::get_if<MeasureStep>(&question)) {
        if (measure->step >= run.nextStep() && isConnected) {
            ask(about, ProbeRequest::MeasureNow);
        } else {
            const StepStats* statistics = run.statisticsOf(measure->step);
            if (statistics == nullptr) throw InputError("", "", "no tensors of " + name + " have been counted yet");
            sink(TensorsMeasured{about, *statistics, 0, true});
        }
    } else if (const auto* examine = std::get_if<ExamineStep>(&question)) {
        if (examine->step >= run.nextStep() && isConnected) {
            ask(about, ProbeRequest::CaptureStep);
        } else {
            const Examination* known = run.examinationOf(examine->step);
            if (known == nullptr)
                throw InputError("", "",
                                 "nothing was kept of step " + std::to_string(examine->step) + " of " + name +
                                     ", and a watched run's past cannot be repeated");
            sink(StepExamined{about, *known});
        }
    } else if (const auto* wanted = std::get_if<MeasureThresholds>(&question)) {
        std::vector<StepThreshold> thresholds = run.thresholds(wanted->firstStep, wanted->count);
        if (thresholds.empty()) throw InputError("", "", "no gradients of " + name + " have been measured yet");
        sink(ThresholdsMeasured{id, about, run.info().policy == "fp16" ? "" : "fp16", std::move(thresholds)});
    } else {
        throw InputError("", "", "run " + name + " is watched: its past cannot be repeated");
    }
    emit(CommandDone{id, furthestStep()});
    return true;
}

}  // namespace mantissa
