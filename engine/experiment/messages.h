// SPDX-License-Identifier: Apache-2.0
// Commands and events of the session. Plain values; any thread. The wire encodes exactly these.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "engine/diagnosis/examination.h"
#include "engine/experiment/experiment.h"
#include "engine/experiment/question_messages.h"
#include "engine/telemetry/record.h"
#include "kernels/backend.h"

namespace mantissa {

// ---- Commands. Applied at the next step boundary; each is answered by CommandDone or CommandRefused with the same id. ----
// Questions, which are answered while runs train, are in question_messages.h.

/// Loads an experiment, paused at step 0: a bundled name or a path, or `text` as the file's content, which `nameOrPath` then only names.
struct LoadExperiment {
    std::string nameOrPath;
    std::string text;
};
/// Trains until all runs have done `until` steps, then pauses. 0: to the end of each run.
struct Train {
    std::int64_t until = 0;
};
struct Pause {};
struct SingleStep {};       ///< Trains every run one step, then pauses.
struct ResetExperiment {};  ///< Restarts at step 0 with the runs' present settings, paused.
struct SetPace {
    static constexpr double kMost = 1e6;
    double stepsPerSecond = 0;  // 0: unlimited
};
/// Turns lock-step on or off: with it the run with the fewest steps trains next, else runs share the time equally.
struct SetLockstep {
    bool lockstep = true;
};
struct ChangeSetting {
    RunId run = 0;
    std::string pointer;
    Json value;
};
/// Adds a run, given as an element of `runs`, with the experiment's defaults. It starts at step 0.
struct AddRun {
    Json run;
};
/// Adds a run with the settings of another one, at step 0.
struct DuplicateRun {
    RunId run = 0;
};
struct RemoveRun {
    RunId run = 0;
};
struct RenameRun {
    RunId run = 0;
    std::string name;
};
/// Restores a removed run with all of its steps, if the session still has it (see RunRemoved).
struct RestoreRun {
    RunId run = 0;
};
/// A user's note at a step of one run, or of all.
struct Note {
    std::int32_t id = -1;  // for the life of the experiment
    RunId run = -1;        // -1: all
    std::int64_t step = 0;
    std::string text;  // UTF-8, one line
};
/// Adds a note (id -1), or replaces or restores the note with its id.
struct WriteNote {
    Note note;
};
struct RemoveNote {
    std::int32_t note = 0;
};
/// Previews an experiment without loading it. Answered by ExperimentPreviewed before CommandDone, also if the file cannot be loaded; a
/// preview that a later one supersedes may get no answer.
struct PreviewExperiment {
    std::string text;
    std::int64_t cardBytes = 0;  // GPU memory that a batch has to fit; 0: not requested
};
struct SettingChange {
    std::string pointer;
    Json value;
};
/// Rewinds runs to before `step`, bit-exactly: from the nearest snapshot the steps are trained again with their changes. Later steps are
/// discarded. Answered when the runs have arrived or Pause interrupts them; interrupted runs continue for the next command that needs them.
struct RewindRuns {
    RunId run = -1;  // -1: all
    std::int64_t step = 0;
};
/// Adds a run that begins in the state of `run` before `step`, with `changes`; `run` does not change.
struct ForkRun {
    RunId run = 0;
    std::int64_t step = 0;
    std::vector<SettingChange> changes;
    std::string name;              // empty: derived from the parent's
    std::int64_t whatIfSteps = 0;  // 0: an ordinary run; else a what-if that ends after so many steps
};
/// Turns a what-if into an ordinary run.
struct KeepRun {
    RunId run = 0;
};
/// Stores the run's state before its next step, so that a rewind or fork to this step needs no training. The checkpoint exists as long as
/// the run has the steps before it. Reported by CheckpointKept.
struct KeepCheckpoint {
    RunId run = 0;
};
struct RunStyle {
    RunId run = 0;
    std::int32_t identity = 0;  // telemetry/run_identity.h; -1: none, as for a what-if
};
/// Sets the order and the style of runs in views, in the experiment's text and in reports. It does not affect training.
struct ArrangeRuns {
    std::vector<RunStyle> styles;
};
/// Opens a recording: its experiment, and its runs with all their steps. Runs can continue, recorded in this file; a read-only recording is
/// only shown.
struct OpenRecording {
    std::string path;
};
/// Adds the runs of another program's file or folder, or of another recording, as read-only runs.
struct ImportRuns {
    std::string path;
    bool follows = false;  // also read new data while the file grows (see WatchInfo); not for recordings
    bool isAlone = false;  // replaces the loaded experiment; the next recording includes the imported runs
};
/// Listens for PyTorch trainings with a probe, or reads a probe's file. Each training is a run from its first message on. Reported by
/// WatchingChanged. Removing a run closes its connection.
struct WatchTraining {
    std::string place;          // "unix:PATH", "tcp:127.0.0.1:PORT" or FILE.mprobe; empty: the probes' default
    std::string token;          // that probes must send; empty: none
    bool isAlone = false;       // replaces the loaded experiment
    bool follows = true;        // reads new data while a file grows
    bool allowsRemote = false;  // allows an address that other machines can reach
};
/// Stops accepting new trainings; connected ones stay connected.
struct StopListening {};
/// Exports the recorded runs into a folder as "csv", "jsonl", "tensorboard", "html" or "safetensors".
struct ExportRuns {
    std::string format;
    std::string folder;
    bool isPreview = false;  // a preview of the export: runs are not re-run for it, and it is not recorded
};
/// Writes a run's settings for "pytorch", "keras", "huggingface", "accelerate" or "deepspeed". Answered by SnippetWritten.
struct WriteSnippet {
    RunId run = 0;
    std::string framework;
    std::string path;  // of the file to write, with its input files beside it; empty: only the text
};
/// Sets how often all runs' tensors are measured, from the next step on. It does not change training results.
struct SetInstrumentation {
    Instrumentation level = Instrumentation::Sampled;
};
/// Lists the recordings of the session's folder. Answered by RecordingsListed.
struct ListRecordings {};
/// Deletes a recording from the folder of recordings; refused for the one being written.
struct DeleteRecording {
    std::string path;
};
struct Quit {};

using CommandBody = std::variant<LoadExperiment, Train, Pause, SingleStep, ResetExperiment, SetPace, SetLockstep, ChangeSetting, AddRun,
                                 DuplicateRun, RemoveRun, RenameRun, PreviewExperiment, RewindRuns, ForkRun, ExamineStep, MeasureStep,
                                 ReadElements, CompareRuns, KeepRun, OpenRecording, ImportRuns, WatchTraining, StopListening, ExportRuns,
                                 WriteSnippet, ListRecordings, DeleteRecording, SetInstrumentation, MeasureThresholds, MeasureTimes,
                                 RestoreRun, WriteNote, RemoveNote, KeepCheckpoint, ArrangeRuns, StopQuestion, Quit>;
struct Command {
    std::uint64_t id = 0;
    CommandBody body;
};

// ---- Events ----

enum class RunKind : std::uint8_t {
    Live,
    WhatIf,    // a fork of a few steps
    Recorded,  // read-only: it has no weights and does not train
    Watched,   // a PyTorch training in another process, which a probe reports
};

/// The connection of a watched run's process. Lost: the connection was lost, and may come back. Ended: the process reported its end.
/// Followed: a file is read while it grows; the process accepts no requests.
enum class WatchLink : std::uint8_t { None, Connected, Lost, Ended, Followed };
constexpr bool isOpen(WatchLink link) {
    return link == WatchLink::Connected || link == WatchLink::Followed;
}

struct WatchInfo {
    WatchLink link = WatchLink::None;  // None: the run is not watched
    std::string key;                   // the probe's key of the run, unchanged after a reconnection
    std::string process;               // "host, process 4711"
    std::int64_t rank = 0, world = 1;
    std::int64_t dropped = 0;           // messages that the probe could not send in time
    std::int64_t statisticsPeriod = 0;  // tensors are measured at each step that is a multiple; 0: only on request
    std::vector<std::string> problems;  // problems of the probe or its messages, sentences
};

/// Properties of a run; sent when it begins and whenever they change.
struct RunInfo {
    RunId id = 0;
    RunKind kind = RunKind::Live;
    RunId parent = -1;           // the run it was forked from; -1: none
    std::int64_t firstStep = 0;  // its first own step; of a fork, the step that it was forked before
    std::string origin;          // of a Recorded run: its source, or why it is read-only; of a Watched one: its address or file
    RunSettings settings;
    std::string policy;        // resolved: "fp16"
    std::string policyReason;  // why `auto` chose it
    bool isEmulated = false;   // its formats are emulated around fp32 arithmetic
    std::string scalerPreset;
    bool scalerIsDynamic = false;
    MemoryLedger memory;
    std::int64_t allocatedBytes = 0;    // by the backend for this run, its samples included
    std::int64_t deviceUsedBytes = -1;  // of the whole device, by all processes, when this was sent; -1: unknown
    ProductRates products;
    std::string modelText;  // "MLP 64-128-128-10, relu"
    std::vector<LayerLine> layers;
    WatchInfo watch;  // of a Watched run, and of a Recorded one while its file is followed
};

struct Hello {  // the first event
    std::int32_t protocol = 0;
    std::string version;
    std::vector<DeviceInfo> devices;
    std::string device;  // the name of the device that runs train on
    std::vector<BundledExperiment> experiments;
};
struct ExperimentLoaded {
    std::string name, title, description;
    std::int64_t steps = 0;
    std::int64_t trainCount = 0, validationCount = 0;
    std::string dataName, dataCredit;
    std::string dataText;  // all data sets: "digits: 1437 training and 360 validation images of 8x8, 10 classes"
    std::vector<RunInfo> runs;
    std::string lookFor;  // as in Experiment
};
/// A run's plan, settings or name changed.
struct RunChanged {
    RunInfo info;
};
struct RunAdded {
    RunInfo info;
};
struct RunRemoved {
    RunId run = 0;
    bool canBeRestored = false;
};
/// The number of removed runs that can be restored; the session and its clients keep the latest.
inline constexpr std::size_t kMostRestorable = 4;
/// A removed run was restored, with its steps.
struct RunRestored {
    RunInfo info;
};
/// Records of consecutive steps of one run, sent at most every few milliseconds. `nextScale` and `cleanSteps` are the state after the last
/// step.
struct StepsRecorded {
    RunId run = 0;
    std::vector<StepRecord> records;
    double nextScale = 1;                                   // the scale of the next step
    std::int64_t cleanSteps = 0;                            // since the last growth or overflow
    std::int64_t sentNs = 0;                                // CLOCK_MONOTONIC when sent, from which the window measures its latency
    std::int64_t allocatedBytes = 0, deviceUsedBytes = -1;  // present values as in RunInfo; 0, -1: unknown
};
/// A setting took effect. `step` is the first step with it.
struct SettingApplied {
    std::uint64_t commandId = 0;  // 0: from the experiment's `events`
    RunId run = 0;
    std::int64_t step = 0;
    std::string pointer;   // "/precision"
    std::string label;     // "precision", "loss scale", "lr"
    std::string from, to;  // as shown: "FP32", "FP16"; "2^18", "2^26"
};
struct NonFiniteFound {
    RunId run = 0;
    FirstNonFinite first;
};
struct NoteWritten {
    std::uint64_t commandId = 0;
    Note note;
};
struct NoteRemoved {
    std::int32_t note = 0;
};
/// A run's state before `step` was stored.
struct CheckpointKept {
    std::uint64_t commandId = 0;  // 0: stored automatically, only in the recording
    RunId run = 0;
    std::int64_t step = 0;
};
struct RunsArranged {
    std::vector<RunStyle> styles;  // other runs keep their style
};
/// Text that a language model generated at the validation after `step`.
struct TextSampled {
    RunId run = 0;
    std::int64_t step = 0;
    std::string text;  // UTF-8; invalid bytes become U+FFFD
};
enum class LabState : std::uint8_t { Empty, Paused, Training, Finished };
struct StateChanged {
    LabState state = LabState::Empty;
    double pace = 0;
    bool lockstep = true;
    Instrumentation instrumentation = Instrumentation::Off;
};
/// The runs restarted at step 0; all series begin again.
struct ExperimentReset {};
/// The present experiment as a file; sent after a load and after each change of its runs.
struct ExperimentText {
    std::string json;
};
struct CommandDone {
    std::uint64_t commandId = 0;
    std::int64_t step = 0;
};
struct CommandRefused {
    std::uint64_t commandId = 0;
    RunId run = -1;
    std::string pointer;
    std::string sentence;
};
/// A run cannot continue and has stopped; the others continue. Overflow, NaN and skips are data and do not stop a run.
struct RunStopped {
    RunId run = 0;
    std::int64_t step = 0;
    std::string reason;
};
/// A run of a previewed experiment.
struct PreviewedRun {
    std::string name;
    std::string policy;        // resolved
    std::string policyReason;  // why `auto` chose it
    MemoryLedger memory;
    std::int64_t largestBatch = -1;  // that fits the GPU; 0: none does, -1: unknown
};
/// The answer to PreviewExperiment. If GPU memory was given it is sent twice: at once, and with the batches that fit.
struct ExperimentPreviewed {
    std::uint64_t commandId = 0;
    std::string pointer, sentence;  // why it cannot be loaded; no sentence: it can
    std::string dataText;           // as in ExperimentLoaded
    std::string modelText;          // of the first run
    std::int64_t parameters = 0;    // of the first run
    std::int64_t dataBytes = 0;     // in device memory: each run's copy, and on the host each data set once
    std::int64_t availableBytes = 0;
    std::vector<std::string> models;  // kinds that accept the first run's data; empty: unknown
    std::vector<PreviewedRun> runs;
};

/// The state of the recording; sent at once when it changes, else about once a second while it grows.
struct RecordingChanged {
    std::string path;        // empty: no recording
    std::int64_t bytes = 0;  // on the disk
    std::int64_t steps = 0;  // on the disk, of all runs
    std::string problem;     // a full disk, ...; empty: none
    bool isRecording = false;
};
/// A recording was opened; sent after its ExperimentLoaded and all of its steps.
struct RecordingOpened {
    std::string path;
    std::string started;      // UTC, "2026-11-21T22:05:33Z"
    std::string version;      // of the program that wrote it
    std::string whyReadOnly;  // why its runs cannot continue, in a sentence; empty: they can
    std::string missing;      // what is or may be missing, in a sentence; empty: nothing known
};
/// Progress of runs that train towards a step.
struct RunRewinding {
    RunId run = 0;
    std::int64_t step = 0, target = 0;
};
/// The run was rewound to before `step`: its series end there, and changes made by hand from there on are undone.
struct RunRewound {
    RunId run = 0;
    std::int64_t step = 0;
};
/// The run has reached the state before `step` to which it was rewound, forked or restored from a recording. The repeated steps were
/// compared with their first results.
struct RunCaughtUp {
    RunId run = 0;
    std::int64_t step = 0;
    std::int64_t differsAt = -1;  // the first step with a different result; -1: none
    double nextScale = 1;         // as in StepsRecorded
    std::int64_t cleanSteps = 0;
};
/// Values of one metric of an imported run, at ascending steps; later steps follow in further events.
struct SeriesImported {
    RunId run = 0;
    Metric metric = Metric::Loss;
    std::vector<std::int64_t> steps;
    std::vector<double> values;
    std::string name = {};  // for Metric::Other: the name in the file; else empty
};
struct SnippetWritten {
    std::uint64_t commandId = 0;
    RunId run = 0;
    std::string framework, text;
    std::vector<std::string> leftOut;  // settings without an equivalent in the framework, sentences
};
/// Summary of a recorded run, with a few points of its loss.
struct ListedRun {
    std::string policy;      // at its beginning, as requested: "fp16", "auto"
    std::int64_t steps = 0;  // done
    /// Some of its steps, ascending, with the last one; empty: no steps, or an older one of many recordings.
    std::vector<std::int64_t> lossSteps;
    std::vector<double> losses;
};
struct ListedRecording {
    std::string path, title, started;
    std::int64_t steps = 0;  // of the longest run
    std::int64_t bytes = 0;
    std::vector<ListedRun> runs;
};
struct RecordingsListed {
    std::uint64_t commandId = 0;
    std::string folder;  // empty: there is none
    std::vector<ListedRecording> recordings;
};
/// Gauges of silent failures from the tensor statistics of `step`; sent when one becomes better or worse, and at the end of `train`.
/// Recorded, unlike the statistics.
struct GaugesRead {
    RunId run = 0;
    std::int64_t step = 0;
    std::vector<Gauge> gauges;
};

/// Shares from the tensor statistics of a step, by name (diagnosis/tensor_shares.h). Sent with each TensorsMeasured without a request,
/// after validations, and at the end of `train`. Recorded.
struct ValuesMeasured {
    RunId run = 0;
    std::int64_t step = 0;
    std::vector<NamedValue> values;
};

/// The session started or stopped listening for trainings.
struct WatchingChanged {
    std::string place;  // the address for probes; empty: it does not listen
};

using Event =
    std::variant<Hello, ExperimentLoaded, RunChanged, RunAdded, RunRemoved, StepsRecorded, SettingApplied, NonFiniteFound, StepExamined,
                 RunsCompared, StateChanged, ExperimentReset, ExperimentText, CommandDone, CommandRefused, RunStopped, TextSampled,
                 ExperimentPreviewed, RecordingChanged, RecordingOpened, RunRewinding, RunRewound, RunCaughtUp, SeriesImported,
                 SnippetWritten, RecordingsListed, TensorsMeasured, ThresholdsMeasured, TimesMeasured, ElementsRead, RunRestored,
                 NoteWritten, NoteRemoved, CheckpointKept, RunsArranged, GaugesRead, QuestionProgress, ValuesMeasured, WatchingChanged>;

}  // namespace mantissa
