// SPDX-License-Identifier: Apache-2.0
#include "engine/session/watched_trainings.h"

#include <algorithm>
#include <filesystem>

#include "engine/experiment/values.h"
#include "engine/session/compare_runs.h"

namespace mantissa {
namespace {

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

void WatchedTrainings::forget() {
    for (const auto& [id, run] : m_table.watched) stopWatching(id);
    m_table.watched.clear();
    m_putAside.clear();
    m_refusedKeys.clear();
    std::erase_if(m_sources, [](const Source& each) { return !each.isListening; });
}

/// A running training reconnects within a second, and would be added to a newly opened experiment.
void WatchedTrainings::endListening() {
    const bool wasListening = std::any_of(m_sources.begin(), m_sources.end(), [](const Source& each) { return each.isListening; });
    m_sources.clear();
    if (wasListening) m_outbox.emit(WatchingChanged{});
}

void WatchedTrainings::watch(const WatchTraining& command, const std::function<void()>& beforeAdding) {
    const std::string place = command.place.empty() ? defaultProbePlace() : command.place;
    const bool isFile = isProbeFile(place);
    const auto isListening = [](const Source& each) { return each.isListening; };
    const auto before = std::find_if(m_sources.begin(), m_sources.end(), isListening);
    const ProbePlace asked{.place = place, .token = command.token, .follows = command.follows, .allowsRemote = command.allowsRemote};
    const bool isTaken = !isFile && before != m_sources.end() && before->source->place() == place;
    const bool isThere = isTaken && before->asked.token == asked.token && before->asked.allowsRemote == asked.allowsRemote;
    std::unique_ptr<ProbeSource> source;
    if (isTaken && !isThere) carryOut(0, StopListening{});
    if (!isThere) {
        source = std::make_unique<ProbeSource>(asked, [&inbox = m_inbox] { inbox.noteArrival(); });
    }
    // nothing has been changed before this line, except the token of this place
    beforeAdding();
    if (isThere) return m_outbox.emit(WatchingChanged{place});
    const std::string listened = source->place();
    if (!isFile) stopListening();
    m_sources.push_back({std::move(source), asked, !isFile, {}});
    if (!isFile) m_outbox.emit(WatchingChanged{listened});
}

void WatchedTrainings::stopListening() {
    for (Source& each : m_sources)
        if (std::exchange(each.isListening, false)) each.source->stopListening();
}

void WatchedTrainings::carryOut(std::uint64_t, const StopListening&) {
    stopListening();
    m_outbox.emit(WatchingChanged{});
}

void WatchedTrainings::takeArrivals() {
    for (std::size_t i = 0; i < m_sources.size(); ++i) {
        for (ProbeArrival& arrival : m_sources[i].source->take()) take(m_sources[i], std::move(arrival));
        std::erase_if(m_sources[i].runs, [](const auto& each) { return each.second < 0; });
    }
    std::erase_if(m_sources, [](const Source& each) { return each.source->isOver(); });
    for (const auto& [id, run] : m_table.watched) run->flush();
}

void WatchedTrainings::publishFor(RunId id, Event&& event) {
    if (auto* steps = std::get_if<StepsRecorded>(&event)) steps->sentNs = monotonicNs();
    if (const auto* changed = std::get_if<RunChanged>(&event)) m_table.shown[id] = changed->info;
    m_outbox.emit(std::move(event));
}

/// Returns the known run of a probe that reconnects, or a new one. -1: it was removed, or there are too many.
RunId WatchedTrainings::runFor(Source& from, const ProbeHello& hello) {
    for (const auto& [id, run] : m_table.watched)
        if (!hello.run.empty() && run->key() == hello.run) return id;
    for (const RemovedRun& each : m_table.removed)
        if (each.watched != nullptr && each.watched->key() == hello.run) return -1;
    if (m_table.watched.size() >= kMostWatched) {
        if (m_refusedKeys.insert(hello.run).second)  // the probe retries each second
            m_outbox.emit(CommandRefused{0, -1, "",
                                         from.source->place() + ": " + std::to_string(kMostWatched) +
                                             " trainings are watched, the most at once: remove one to watch another"});
        return -1;
    }
    const RunId id = m_table.nextId++;
    const std::string rank = hello.world > 1 ? " rank " + std::to_string(hello.rank) : "";
    const std::string name = freeName(m_table.settings(), cutToBytes(nameOf(hello), kMaxNameBytes - rank.size()) + rank);
    auto run = std::make_unique<WatchedRun>(id, name, hello, from.source->place(),
                                            [this, id](Event&& event) { publishFor(id, std::move(event)); });
    m_table.shown[id] = run->info();
    const auto& added = *m_table.watched.emplace(id, std::move(run)).first->second;
    m_outbox.emit(RunAdded{added.info()});
    return id;
}

void WatchedTrainings::take(Source& from, ProbeArrival&& arrival) {
    const auto known = from.runs.find(arrival.connection);
    if (const auto* ended = std::get_if<ConnectionEnded>(&arrival.what)) {
        if (known == from.runs.end()) {
            // No event of it has been emitted yet.
            const bool isFile = isProbeFile(from.source->place());
            const std::string problem = !ended->problem.empty() ? ended->problem : isFile ? "it holds no training" : "";
            if (!problem.empty()) m_outbox.emit(CommandRefused{0, -1, "", from.source->place() + ": " + problem});
            return;
        }
        const RunId id = known->second;
        from.runs.erase(known);
        const bool isElsewhere = std::any_of(m_sources.begin(), m_sources.end(), [id](const Source& each) {
            return std::any_of(each.runs.begin(), each.runs.end(), [id](const auto& run) { return run.second == id; });
        });
        if (const auto run = m_table.watched.find(id); run != m_table.watched.end() && !isElsewhere)
            run->second->disconnect(ended->problem);
        return;
    }
    auto& message = std::get<ProbeMessage>(arrival.what);
    if (const auto* hello = std::get_if<ProbeHello>(&message); hello != nullptr && known == from.runs.end()) {
        const RunId id = from.runs[arrival.connection] = runFor(from, *hello);
        if (id < 0) return from.source->close(arrival.connection);
    }
    const auto place = from.runs.find(arrival.connection);
    const auto run = place == from.runs.end() ? m_table.watched.end() : m_table.watched.find(place->second);
    if (run == m_table.watched.end()) return;
    run->second->take(std::move(message));
}

void WatchedTrainings::recall(const Event& event) {
    if (const auto* added = std::get_if<RunAdded>(&event); added != nullptr && added->info.kind == RunKind::Watched) {
        const RunId id = added->info.id;
        m_table.watched[id] = std::make_unique<WatchedRun>(added->info, [this, id](Event&& each) { publishFor(id, std::move(each)); });
    }
    const auto pass = [&](RunId id) {
        if (const auto run = m_table.watched.find(id); run != m_table.watched.end()) run->second->recall(event);
    };
    if (const auto* steps = std::get_if<StepsRecorded>(&event)) pass(steps->run);
    if (const auto* measured = std::get_if<TensorsMeasured>(&event)) pass(measured->run);
    if (const auto* examined = std::get_if<StepExamined>(&event)) pass(examined->run);
    if (const auto* changed = std::get_if<RunChanged>(&event)) pass(changed->info.id);
    if (const auto* found = std::get_if<NonFiniteFound>(&event)) pass(found->run);
    if (const auto* gone = std::get_if<RunRemoved>(&event))
        if (auto run = m_table.watched.extract(gone->run)) m_putAside.insert(std::move(run));
    if (const auto* back = std::get_if<RunRestored>(&event))
        if (auto run = m_putAside.extract(back->info.id)) m_table.watched.insert(std::move(run));
}

void WatchedTrainings::stopWatching(RunId run) {
    for (Source& each : m_sources)
        for (auto& [connection, of] : each.runs)
            if (of == run) {
                each.source->close(connection);
                of = -1;
            }
}

void WatchedTrainings::ask(RunId run, ProbeRequest request) {
    for (Source& each : m_sources)
        for (const auto& [connection, of] : each.runs)
            if (of == run) each.source->ask(connection, request);
}

void WatchedTrainings::compare(std::uint64_t id, const CompareRuns& question) {
    std::vector<const StatisticsByStep*> known;
    const LiveRun* own = nullptr;
    for (const RunId each : {question.run, question.other}) {
        const auto found = m_table.watched.find(each);
        found == m_table.watched.end() ? static_cast<void>(own = &m_table.liveRun(each)) : known.push_back(&found->second->statistics());
    }
    std::vector<std::int64_t> steps = sketchedSteps(known, question);
    if (own != nullptr) std::erase_if(steps, [&](std::int64_t step) { return step < own->course().firstStep || step > own->nextStep(); });
    if (steps.empty() && sketchedSteps(known, {.count = kMaxSteps}).empty()) throw InputError("", "", kNoSketches);
    if (own != nullptr && !steps.empty()) {
        std::vector<StepStats> sketches;
        for (const std::int64_t step : steps) sketches.push_back(known.front()->at(step));
        return m_questions.ask({id, question}, {own}, steps.back(), std::move(sketches));
    }
    for (const std::int64_t step : steps)
        m_outbox.send(RunsCompared{id, question.run, question.other, compareSketches(known[0]->at(step), known[1]->at(step)), ""});
    m_outbox.emit(CommandDone{id, m_table.furthestStep()});
}

bool WatchedTrainings::answer(std::uint64_t id, RunId about, const CommandBody& question) {
    const auto found = m_table.watched.find(about);
    if (found == m_table.watched.end()) return false;
    const WatchedRun& run = *found->second;
    const std::string name = "'" + run.info().settings.name + "'";
    const bool isConnected = run.info().watch.link == WatchLink::Connected;
    if (const auto* measure = std::get_if<MeasureStep>(&question)) {
        if (measure->step >= run.nextStep() && isConnected) {
            ask(about, ProbeRequest::MeasureNow);
        } else {
            const StepStats* statistics = run.statisticsOf(measure->step);
            if (statistics == nullptr) throw InputError("", "", "no tensors of " + name + " have been counted yet");
            m_outbox.send(TensorsMeasured{about, *statistics, 0, true});
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
            m_outbox.send(StepExamined{about, *known});
        }
    } else if (const auto* wanted = std::get_if<MeasureThresholds>(&question)) {
        std::vector<StepThreshold> thresholds = run.thresholds(wanted->firstStep, wanted->count);
        if (thresholds.empty()) throw InputError("", "", "no gradients of " + name + " have been measured yet");
        m_outbox.send(ThresholdsMeasured{id, about, run.info().policy == "fp16" ? "" : "fp16", std::move(thresholds)});
    } else {
        throw InputError("", "", "run " + name + " is watched: its past cannot be repeated");
    }
    m_outbox.emit(CommandDone{id, m_table.furthestStep()});
    return true;
}

}  // namespace mantissa
