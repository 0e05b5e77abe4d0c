// SPDX-License-Identifier: Apache-2.0
// What a session writes into its recording, and how the entries read. Commands and events are stored as the wire says them (kind: the
// event's type, or "command"); beside them stand what only the engine needs to do it all again:
//   "run"     a run begins: {settings, scheduled, train_count, what_if_steps, parent, first_step}
//   "change"  a live change: {pointer, value}, holding from the entry's step
// One thread: the session's. The writing itself is the recorder's.
#pragma once

#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>

#include "engine/experiment/messages.h"
#include "engine/recording/recorder.h"
#include "engine/session/live_run.h"

namespace mantissa {

inline constexpr const char *kRunEntry = "run", *kChangeEntry = "change", *kCommandEntry = "command";

/// `change.step` is the entry's.
Json scheduledToJson(const std::vector<ScheduledChange>& changes);
/// Throws Json::exception, BadValue.
std::vector<ScheduledChange> scheduledOf(const Json& json, const std::string& runName);

/// An entry that is an event of ours; nothing for the engine's own and for what a newer version may have added.
std::optional<Event> eventIn(const LogEntry& entry);

class Journal {
public:
    /// Records the next experiment into this file. Throws as Recorder does.
    void recordTo(const std::string& file) { m_file = file; }
    /// Records each experiment into a file of its own in this folder; it is made when needed. Empty: no more. Not `isRecording`: recordings
    /// are looked for there, and none is written.
    void recordInto(const std::string& folder, bool isRecording) {
        m_folder = folder;
        m_recordsEach = isRecording && !folder.empty();
    }
    const std::string& folder() const { return m_folder; }
    bool recordsEach() const { return m_recordsEach; }

    /// Ends the recording and, where recordings are requested, begins the one of `experiment`. Throws InputError for a file that was
    /// named; a folder that cannot be written to is a problem of the state.
    void begin(const Experiment& experiment, const std::string& text);
    /// Goes on with a recording that was opened. That it cannot be written to is a problem of the state.
    void resume(const std::string& file);
    /// Runs that are only looked at are recorded too, until the next experiment.
    void keepImported() { m_keepsImported = true; }
    /// A recording of no step is not kept, unless it was asked for by name.
    void end();
    bool isWriting(const std::filesystem::path& file) const;
    /// Of the recording in progress: another than at its beginning, when it had to be saved anew.
    std::filesystem::path path() const { return m_recorder->state().path; }
    bool isOn() const { return m_recorder != nullptr; }

    void run(const LiveRun& run, std::int64_t whatIfSteps = 0);
    /// Of a watched run statistics are stored too; `seconds`: that it has trained so far. One that is added is noted by itself.
    void watch(RunId run, double seconds) { m_watched[run] = {.seconds = seconds, .dueSeconds = seconds}; }
    void change(RunId run, std::int64_t step, const std::string& pointer, const Json& value);
    void command(const CommandBody& body, std::int64_t step);
    void event(const Event& event);
    /// Stores the run's latest snapshot now and then, so that a recording can be gone on with soon after it was opened: the step that it
    /// stands before.
    std::optional<std::int64_t> storeSnapshotIfDue(const LiveRun& run);
    /// The same, at once.
    void storeSnapshot(const LiveRun& run);
    void flush();

    /// The state when it has changed since the last call.
    std::optional<RecordingChanged> news();

private:
    struct Board {
        std::mutex mutex;
        std::optional<RecordingState> state;  // guarded by `mutex`
    };
    struct Stored {
        std::int64_t step = -1;
        double trainedSeconds = 0;
    };
    std::string m_file, m_folder;
    bool m_recordsEach = false;  // experiment
    bool m_isByName = false;
    std::unique_ptr<Recorder> m_recorder;
    std::shared_ptr<Board> m_board = std::make_shared<Board>();
    /// A watched run: the time that it has trained, and when its next statistics are stored at the earliest.
    struct Watched {
        double seconds = 0, dueSeconds = 0;
        std::int64_t examinedStep = -1;  // whose statistics are stored in any case
    };
    bool m_keepsImported = false;
    std::set<RunId> m_foreign;  // runs that are only looked at and not kept: theirs is another file
    std::map<RunId, Watched> m_watched;
    std::map<RunId, Stored> m_stored;

    Recorder::Tell teller() const;
    void watchedStatistics(const TensorsMeasured& measured);
};

}  // namespace mantissa
