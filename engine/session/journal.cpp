// SPDX-License-Identifier: Apache-2.0
#include "engine/session/journal.h"

#include <algorithm>
#include <chrono>
#include <ctime>

#include "engine/experiment/error_text.h"
#include "engine/session/stored_snapshot.h"
#include "engine/wire/wire.h"

namespace mantissa {
namespace {

constexpr double kStatisticsBytesPerSecond = 200e3;  // of a watched run
constexpr std::size_t kBytesOfATensor = 300, kBytesOfACell = 3;
/// Minimum training time between stored snapshots: the largest of this part of the time trained, these seconds, and the time for the
/// snapshot's bytes at this rate.
constexpr double kPartOfTraining = 0.1, kLeastSeconds = 10, kBytesPerSecond = 1e6;

/// File names have at most 255 bytes, including SQLite's suffixes.
constexpr std::size_t kMostOfAName = 150;

std::string fileNameNow(const std::string& experiment) {
    const std::time_t now = std::time(nullptr);
    std::tm utc{};
    gmtime_r(&now, &utc);
    char text[32];
    std::strftime(text, sizeof text, "%Y-%m-%d %H-%M-%S ", &utc);
    return text + cutToBytes(fileStem(experiment), kMostOfAName);
}

std::filesystem::path freePath(const std::filesystem::path& folder, const std::string& name) {
    std::filesystem::path path = folder / (name + kRecordingExtension);
    for (int i = 2; std::filesystem::exists(path); ++i) path = folder / (name + " " + std::to_string(i) + kRecordingExtension);
    return path;
}

Json scheduledToJson(const std::vector<ScheduledChange>& changes) {
    Json list = Json::array();
    for (const ScheduledChange& change : changes) {
        Json set = Json::object();
        for (const auto& [pointer, value] : change.set) set[pointer] = value;
        list.push_back({{"step", change.step}, {"set", std::move(set)}});
    }
    return list;
}

}  // namespace

std::optional<SettingChange> changeIn(const LogEntry& entry) {
    const auto pointer = entry.body.find("pointer"), value = entry.body.find("value");
    if (pointer == entry.body.end() || !pointer->is_string() || value == entry.body.end()) return std::nullopt;
    return SettingChange{pointer->get<std::string>(), *value};
}

std::optional<Event> eventIn(const LogEntry& entry) {
    if (entry.kind == kRunEntry || entry.kind == kChangeEntry || entry.kind == kCommandEntry) return std::nullopt;
    try {
        return eventOf({{"type", entry.kind}, {"body", entry.body}}, Missing::IsDefault);
    } catch (const WireError&) {
        return std::nullopt;
    }
}

Recorder::Publish Journal::stateObserver() const {
    return [board = m_board](const RecordingState& state) {
        const std::lock_guard lock(board->mutex);
        board->state = state;
    };
}

void Journal::begin(const Experiment& experiment, const std::string& text) {
    end();
    m_keepsImported = false;
    m_isByName = !m_file.empty();
    if (m_file.empty() && !m_recordsEach) return;
    const std::map<std::string, std::string> facts{
        {"version", MANTISSA_VERSION},
        {"name", experiment.name},
        {"title", experiment.title},
        {"experiment", text},
        {"folder", std::filesystem::absolute(experiment.folder / ".").lexically_normal().string()}};
    try {
        if (!m_isByName) std::filesystem::create_directories(m_folder);
        const std::filesystem::path path = m_isByName ? std::filesystem::path(m_file) : freePath(m_folder, fileNameNow(experiment.name));
        m_recorder = std::make_unique<Recorder>(path.string(), facts, stateObserver());
    } catch (const std::exception& error) {  // InputError, std::filesystem::filesystem_error
        if (m_isByName) throw;
        stateObserver()({.path = m_folder, .problem = errorText(error), .isRecording = false});
        return;
    }
    m_file.clear();
    stateObserver()(m_recorder->state());
}

void Journal::resume(const std::string& file) {
    end();
    m_isByName = true;
    try {
        m_recorder = Recorder::resume(file, stateObserver());
        stateObserver()(m_recorder->state());
    } catch (const std::exception& error) {
        stateObserver()({.path = file, .problem = errorText(error), .isRecording = false});
    }
}

void Journal::end() {
    if (m_recorder == nullptr) return;
    m_recorder->flush();
    const RecordingState last = m_recorder->state();
    const bool isEmpty = last.steps == 0 && last.problem.empty();
    m_recorder.reset();
    std::error_code ignored;
    if (isEmpty && !m_isByName) std::filesystem::remove(last.path, ignored);
    m_foreign.clear();
    m_watched.clear();
    m_stored.clear();
    const std::lock_guard lock(m_board->mutex);
    if (!m_board->state || m_board->state->problem.empty())
        m_board->state = RecordingState{.isRecording = false};  // keeps an unread problem until it is emitted
}

bool Journal::isWriting(const std::filesystem::path& file) const {
    std::error_code error;  // on an error the files count as different
    return isOn() && std::filesystem::equivalent(file, path(), error);
}

void Journal::run(const RunCourse& run, std::int64_t whatIfSteps) {
    if (!isOn()) return;
    Json body{{"settings", runToJson(run.settings)},
              {"scheduled", scheduledToJson(run.scheduled)},
              {"train_count", run.dataset->trainCount()},
              {"what_if_steps", whatIfSteps},
              {"parent", run.parent},
              {"first_step", run.firstStep}};
    if (!run.dataset->sum.empty()) body["data_sum"] = run.dataset->sum;
    m_recorder->append(LogEntry{kRunEntry, run.id, run.firstStep, std::move(body)});
    m_stored[run.id] = {};
    // the parent's state cannot be restored from the file later
    if (run.parent >= 0 && run.history.begin().snapshot != nullptr) m_recorder->append(stored(run.id, run.history.begin()));
}

void Journal::change(RunId run, std::int64_t step, const std::string& pointer, const Json& value) {
    if (isOn()) m_recorder->append(LogEntry{kChangeEntry, run, step, {{"pointer", pointer}, {"value", value}}});
}

void Journal::command(const CommandBody& body, std::int64_t step) {
    if (isOn()) m_recorder->append(LogEntry{kCommandEntry, -1, step, messageOf(body)});
}

namespace {

/// Run and step of an event; -1: none.
struct Place {
    RunId run = -1;
    std::int64_t step = -1;
};

template <class T, class... Types>
constexpr bool kIsOneOf = (std::is_same_v<T, Types> || ...);

/// Returns nothing for events that are not recorded: answers, states, progress.
template <class T>
std::optional<Place> placeOf(const T& event) {
    if constexpr (kIsOneOf<T, CheckpointKept, SettingApplied, GaugesRead, ValuesMeasured, TextSampled, RunStopped, RunRewound>)
        return Place{event.run, event.step};
    else if constexpr (kIsOneOf<T, RunRemoved, SeriesImported>)
        return Place{event.run};
    else if constexpr (kIsOneOf<T, RunChanged, RunRestored>)
        return Place{event.info.id};
    else if constexpr (kIsOneOf<T, RunAdded>)
        return Place{event.info.id, event.info.firstStep};
    else if constexpr (kIsOneOf<T, NoteWritten>)
        return Place{event.note.run, event.note.step};
    else if constexpr (kIsOneOf<T, NonFiniteFound>)
        return Place{event.run, event.first.step};
    else if constexpr (kIsOneOf<T, StepExamined>)
        return Place{event.run, event.examination.step};
    else if constexpr (kIsOneOf<T, NoteRemoved, RunsArranged, ExperimentLoaded, ExperimentText, ExperimentReset>)
        return Place{};
    return std::nullopt;
}

}  // namespace

void Journal::event(const Event& event) {
    if (!isOn()) return;
    if (const auto* steps = std::get_if<StepsRecorded>(&event)) {
        if (const auto watched = m_watched.find(steps->run); watched != m_watched.end() && !steps->records.empty())
            watched->second.seconds = steps->records.back().wallSeconds;
        return m_recorder->append(steps->run, steps->records);
    }
    if (const auto* added = std::get_if<RunAdded>(&event); added != nullptr && added->info.kind == RunKind::Watched)
        m_watched[added->info.id] = {};
    if (const auto* added = std::get_if<RunAdded>(&event); added != nullptr && added->info.kind == RunKind::Recorded && !m_keepsImported)
        m_foreign.insert(added->info.id);
    if (const auto* measured = std::get_if<TensorsMeasured>(&event)) return watchedStatistics(*measured);
    if (const auto* examined = std::get_if<StepExamined>(&event))
        if (const auto watched = m_watched.find(examined->run); watched != m_watched.end())
            watched->second.examinedStep = examined->examination.step;
    const std::optional<Place> place = std::visit([](const auto& each) { return placeOf(each); }, event);
    if (!place || m_foreign.contains(place->run)) return;
    if (const auto* rewound = std::get_if<RunRewound>(&event); rewound != nullptr && m_stored[rewound->run].step > place->step)
        m_stored[rewound->run] = {};  // snapshots of undone steps are invalid
    Json message = messageOf(event);
    if (const auto* arranged = std::get_if<RunsArranged>(&event)) {
        RunsArranged own = *arranged;
        std::erase_if(own.styles, [this](const RunStyle& style) { return m_foreign.contains(style.run); });
        message = messageOf(Event(std::move(own)));
    }
    makeStorable(message);
    m_recorder->append(LogEntry{message["type"], place->run, place->step, std::move(message["body"])});
}

/// Records statistics of a watched run, which cannot be repeated, up to a limit of bytes per second of training.
void Journal::watchedStatistics(const TensorsMeasured& measured) {
    const auto watched = m_watched.find(measured.run);
    if (watched == m_watched.end()) return;
    Watched& run = watched->second;
    std::size_t bytes = 0;
    for (const TensorStats& tensor : measured.stats.tensors)
        bytes += kBytesOfATensor + tensor.magnitudes.cells.size() * kBytesOfACell + tensor.sketch.size() * 2 * sizeof(float);
    if (run.seconds < run.dueSeconds && measured.stats.step != run.examinedStep) return;
    run.dueSeconds = std::max(run.dueSeconds, run.seconds) + static_cast<double>(bytes) / kStatisticsBytesPerSecond;
    Json message = messageOf(Event(measured));
    makeStorable(message);
    m_recorder->append(LogEntry{message["type"], measured.run, measured.stats.step, std::move(message["body"])});
}

std::optional<std::int64_t> Journal::storeSnapshotIfDue(const RunCourse& run) {
    const RunPoint& latest = run.history.latest();
    if (!isOn() || latest.snapshot == nullptr) return std::nullopt;
    Stored& last = m_stored[run.id];
    const double trained = latest.snapshot->counters.wallSeconds;
    const double spacing =
        std::max({kLeastSeconds, trained * kPartOfTraining, static_cast<double>(latest.snapshot->memory.size()) / kBytesPerSecond});
    if (trained < last.trainedSeconds) last = {};  // the run was rewound
    if (latest.step == last.step || trained - last.trainedSeconds < spacing) return std::nullopt;
    storeSnapshot(run);
    return latest.step;
}

void Journal::storeSnapshot(const RunCourse& run) {
    const RunPoint& latest = run.history.latest();
    if (!isOn() || latest.snapshot == nullptr) return;
    Stored& last = m_stored[run.id];
    if (latest.step == last.step) return;
    last = {latest.step, latest.snapshot->counters.wallSeconds};
    m_recorder->append(stored(run.id, latest));
}

void Journal::flush() {
    if (isOn()) m_recorder->flush();
}

std::optional<RecordingChanged> Journal::takeChange() {
    const std::lock_guard lock(m_board->mutex);
    if (!m_board->state) return std::nullopt;
    const RecordingState state = *std::exchange(m_board->state, std::nullopt);
    return RecordingChanged{state.path, state.bytes, state.steps, state.problem, state.isRecording && !state.path.empty()};
}

}  // namespace mantissa
