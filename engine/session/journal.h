// SPDX-License-Identifier: Apache-2.0
// The entries that a session writes into its recording, and reading them. Commands and events are stored in wire format (kind: the event's
// type, or "command"). Two more kinds let the engine repeat the training:
//   "run"     a run begins: {settings, scheduled, train_count, what_if_steps, parent, first_step}
//   "change"  a live change: {pointer, value}, effective from the entry's step
// One thread: the session's. The recorder's own thread writes the file.
#pragma once

#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>

#include "engine/experiment/messages.h"
#include "engine/recording/recorder.h"
#include "engine/session/run_course.h"

namespace mantissa {

inline constexpr const char *kRunEntry = "run", *kChangeEntry = "change", *kCommandEntry = "command";

/// Returns the change of a "change" entry; nothing if it is not whole.
std::optional<SettingChange> changeIn(const LogEntry& entry);

/// Returns the event in an entry; nothing for entries of other kinds, and for events of a newer version.
std::optional<Event> eventIn(const LogEntry& entry);

class Journal {
public:
    /// Records the next experiment into this file.
    void recordTo(const std::string& file) { m_file = file; }
    /// Records each experiment into a new file in this folder, which is created when needed. Empty: off. Without `isRecording` recordings
    /// are only listed there.
    void recordInto(const std::string& folder, bool isRecording) {
        m_folder = folder;
        m_recordsEach = isRecording && !folder.empty();
    }
    const std::string& folder() const { return m_folder; }
    bool recordsEach() const { return m_recordsEach; }

    /// Ends the recording and, if requested, begins one of `experiment`. Throws InputError if a file set by `recordTo` cannot be written;
    /// errors of a folder are reported in the state.
    void begin(const Experiment& experiment, const std::string& text);
    /// Continues an opened recording. Errors are reported in the state.
    void resume(const std::string& file);
    /// Records read-only runs too, until the next experiment.
    void keepImported() { m_keepsImported = true; }
    /// Ends the recording. A file without steps is deleted, unless `recordTo` named it.
    void end();
    bool isWriting(const std::filesystem::path& file) const;
    /// The file of the present recording; it changes if the recording had to be saved again.
    std::filesystem::path path() const { return m_recorder->state().path; }
    bool isOn() const { return m_recorder != nullptr; }

    void run(const RunCourse& run, std::int64_t whatIfSteps = 0);
    /// Stores tensor statistics of a watched run too, of which `seconds` have been trained. Runs added later are registered automatically.
    void watch(RunId run, double seconds) { m_watched[run] = {.seconds = seconds, .dueSeconds = seconds}; }
    void change(RunId run, std::int64_t step, const std::string& pointer, const Json& value);
    void command(const CommandBody& body, std::int64_t step);
    void event(const Event& event);
    /// Stores the run's latest snapshot if enough has been trained since the last one, so that an opened recording can continue quickly.
    /// Returns its step.
    std::optional<std::int64_t> storeSnapshotIfDue(const RunCourse& run);
    /// Stores the run's latest snapshot.
    void storeSnapshot(const RunCourse& run);
    void flush();

    /// Returns the state of the recording if it has changed since the last call.
    std::optional<RecordingChanged> takeChange();

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
    bool m_recordsEach = false;
    bool m_isByName = false;
    std::unique_ptr<Recorder> m_recorder;
    std::shared_ptr<Board> m_board = std::make_shared<Board>();
    /// A watched run: its trained time, and the earliest time of the next stored statistics.
    struct Watched {
        double seconds = 0, dueSeconds = 0;
        std::int64_t examinedStep = -1;  // its statistics are always stored
    };
    bool m_keepsImported = false;
    std::set<RunId> m_foreign;  // read-only runs of other files, which are not recorded
    std::map<RunId, Watched> m_watched;
    std::map<RunId, Stored> m_stored;

    Recorder::Publish stateObserver() const;
    void watchedStatistics(const TensorsMeasured& measured);
};

}  // namespace mantissa
