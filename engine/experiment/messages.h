// SPDX-License-Identifier: Apache-2.0
// The session's two languages: commands in, events out. Plain values; any thread. The wire encodes exactly these.
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
// Questions, which are answered beside training, are in question_messages.h.

struct LoadExperiment {
    std::string nameOrPath;
    std::string text;
};  // text, when given, is the file's content (nameOrPath then only names it)
struct Train {
    std::int64_t until = 0;
};  // until all runs have done so many steps, then pause; 0: to their end
struct Pause {};
struct SingleStep {};       // every run one step, then pause
struct ResetExperiment {};  // from step 0 with the settings that the runs have now; paused
struct SetPace {
    static constexpr double kMost = 1e6;
    double stepsPerSecond = 0;  // 0: as fast as it can
};
struct SetLockstep {
    bool lockstep = true;
};  // true: the run furthest behind goes next
struct ChangeSetting {
    RunId run = 0;
    std::string pointer;
    Json value;
};
struct AddRun {
    Json run;
};  // an element of `runs`, over the experiment's defaults; starts at step 0 and catches up
struct DuplicateRun {
    RunId run = 0;
};  // same settings, from step 0
struct RemoveRun {
    RunId run = 0;
};
struct RenameRun {
    RunId run = 0;
    std::string name;
};
/// Brings back a removed run as it was, with all of its steps, while the session still has it (RunRemoved says whether).
struct RestoreRun {
    RunId run = 0;
};
/// A user's words at a step of one run, or of all.
struct Note {
    std::int32_t id = -1;  // for the life of the experiment
    RunId run = -1;        // -1: all
    std::int64_t step = 0;
    std::string text;  // UTF-8, one line
};
/// Keeps a note: a new one (id -1), or in the place of the one with its id. One that was removed comes back under its id.
struct WriteNote {
    Note note;
};
struct RemoveNote {
    std::int32_t note = 0;
};
/// A question: what would loading this file make? Nothing is loaded, and nothing that is loaded is touched. Answered by ExperimentPreviewed
/// before CommandDone, also where the file cannot be loaded; a question that a later one has overtaken may get none.
struct PreviewExperiment {
    std::string text;
    std::int64_t cardBytes = 0;  // of the card that a batch has to fit; 0: no such question
};
struct SettingChange {
    std::string pointer;
    Json value;
};
/// Takes runs back to before `step`, to the last bit: the nearest snapshot, then the steps from there again with what was changed in them.
/// The steps from there on come anew, and are recorded anew. Answered when the runs have arrived; Pause ends it where it has come to.
struct RewindRuns {
    RunId run = -1;  // -1: all
    std::int64_t step = 0;
};
/// A new run that begins where `run` was before `step`, with `changes` made; the other one is not touched.
struct ForkRun {
    RunId run = 0;
    std::int64_t step = 0;
    std::vector<SettingChange> changes;
    std::string name;              // empty: the parent's, made free
    std::int64_t whatIfSteps = 0;  // 0: a run like others; else it is a what-if, and ends after so many steps
};
struct KeepRun {
    RunId run = 0;
};  // a what-if becomes a run like others
/// Keeps the state in which a run stands, before its next step, for as long as the run has the steps before it: what goes back there or
/// forks there trains nothing again. Told by CheckpointKept.
struct KeepCheckpoint {
    RunId run = 0;
};
struct RunLook {
    RunId run = 0;
    std::int32_t identity = 0;  // telemetry/run_identity.h; -1: none of its own, as a what-if has none
};
/// How runs are shown: in this order, and how each looks. Training does not know of it; the experiment's text and reports go by it.
struct ArrangeRuns {
    std::vector<RunLook> looks;
};
/// Loads a recording: its experiment, its runs with all their steps, ready to go on where it ended, in the same file. One that can only be
/// looked at is shown as it is.
struct OpenRecording {
    std::string path;
};
/// Adds the runs of another program's file or folder, or of another recording, to be looked at beside ours.
struct ImportRuns {
    std::string path;
    bool follows = false;  // while it grows: the runs' WatchInfo says so; a recording is shown as it is
    bool isAlone = false;  // the experiment that is loaded goes first, and what is recorded from now on has the runs
};
/// Listens for PyTorch trainings with a probe, or reads and follows a file of one; each is a run from its first message on. Told by
/// WatchingChanged. A run that is removed ends its connection.
struct WatchTraining {
    std::string place;          // "unix:PATH", "tcp:127.0.0.1:PORT" or FILE.mprobe; empty: where probes look by themselves
    std::string token;          // that a probe has to send; empty: none is asked for
    bool isAlone = false;       // the experiment that is loaded goes first
    bool follows = true;        // a file, while it grows; else it ends where it ends now
    bool allowsRemote = false;  // an address that other machines reach
};
/// No new training connects from now on; runs that are connected stay so.
struct StopListening {};
/// Writes what is recorded of the runs into a folder: "csv", "jsonl", "tensorboard", "html", "safetensors".
struct ExportRuns {
    std::string format;
    std::string folder;
    bool isLook = false;  // at what it would write now: no run catches up for it, and no recording tells of it
};
/// A run's settings in another framework's terms: "pytorch", "keras", "huggingface", "accelerate", "deepspeed". Answered by SnippetWritten.
struct WriteSnippet {
    RunId run = 0;
    std::string framework;
    std::string path;  // of the file to write, what it reads beside it; empty: the text alone is asked for
};
/// How often all runs' tensors are looked at, from each one's next step on. No number of training depends on it.
struct SetInstrumentation {
    Instrumentation level = Instrumentation::Sampled;
};
struct ListRecordings {};  // a question; answered by RecordingsListed
struct DeleteRecording {
    std::string path;
};  // of the folder of recordings, and not the one that is being written
struct Quit {};

using CommandBody =
    std::variant<LoadExperiment, Train, Pause, SingleStep, ResetExperiment, SetPace, SetLockstep, ChangeSetting, AddRun, DuplicateRun,
                 RemoveRun, RenameRun, PreviewExperiment, RewindRuns, ForkRun, ExamineStep, MeasureStep, ReadElements, CompareRuns, KeepRun,
                 OpenRecording, ImportRuns, WatchTraining, StopListening, ExportRuns, WriteSnippet, ListRecordings, DeleteRecording,
                 SetInstrumentation, MeasureThresholds, RestoreRun, WriteNote, RemoveNote, KeepCheckpoint, ArrangeRuns, StopQuestion, Quit>;
struct Command {
    std::uint64_t id = 0;
    CommandBody body;
};

// ---- Events ----

enum class RunKind : std::uint8_t {
    Live,
    WhatIf,    // a few steps of what could be
    Recorded,  // to be looked at: it has no weights, and trains no further
    Watched,   // a PyTorch training in another process, which a probe reports
};

/// How a watched run's process is connected. Lost: it has gone without a word, and may come back. Ended: it has said so. Followed: its file
/// is read while it grows, and the process cannot be asked for anything.
enum class WatchLink : std::uint8_t { None, Connected, Lost, Ended, Followed };
constexpr bool isOpen(WatchLink link) {
    return link == WatchLink::Connected || link == WatchLink::Followed;
}

struct WatchInfo {
    WatchLink link = WatchLink::None;  // None: the run is not watched
    std::string key;                   // that the probe gave the run: the same after it has connected again
    std::string process;               // "host, process 4711"
    std::int64_t rank = 0, world = 1;
    std::int64_t dropped = 0;           // messages that the probe could not send in time
    std::int64_t statisticsPeriod = 0;  // tensors are counted in each step that is a multiple; 0: only when asked
    std::vector<std::string> problems;  // what the probe could not do, or what is wrong with what it sent, sentences
};

/// A run as it stands: sent when it begins and whenever something of it changes.
struct RunInfo {
    RunId id = 0;
    RunKind kind = RunKind::Live;
    RunId parent = -1;           // that it was forked from; -1: none
    std::int64_t firstStep = 0;  // of its own: the step it was forked before
    std::string origin;          // of a Recorded run: where it was read from; of a Watched one: its address or file
    RunSettings settings;
    std::string policy;        // resolved: "fp16"
    std::string policyReason;  // why `auto` chose it
    bool isEmulated = false;   // its formats are emulated around fp32 arithmetic
    std::string scalerPreset;
    bool scalerIsDynamic = false;
    MemoryLedger memory;
    std::int64_t allocatedBytes = 0;    // by the backend for this run, its samples included
    std::int64_t deviceUsedBytes = -1;  // of the whole device, by whomever, when this was told; -1: not known
    ProductRates products;
    std::string modelText;  // "MLP 64-128-128-10, relu"
    std::vector<LayerLine> layers;
    WatchInfo watch;  // of a Watched run, and of a Recorded one while its file is followed
};

struct Hello {  // first of all
    std::int32_t protocol = 0;
    std::string version;
    std::vector<DeviceInfo> devices;
    std::string device;  // the name of the one that runs train on
    std::vector<BundledExperiment> experiments;
};
struct ExperimentLoaded {
    std::string name, title, description;
    std::int64_t steps = 0;
    std::int64_t trainCount = 0, validationCount = 0;
    std::string dataName, dataCredit;
    std::string dataText;  // of all its data sets: "digits: 1437 training and 360 validation images of 8x8, 10 classes"
    std::vector<RunInfo> runs;
    std::string lookFor;  // as in Experiment
};
struct RunChanged {
    RunInfo info;
};  // plan, settings or name changed
struct RunAdded {
    RunInfo info;
};
struct RunRemoved {
    RunId run = 0;
    bool canBeRestored = false;
};
/// Of the removed runs that can be restored, the session keeps so many, the latest, and so does who follows it.
inline constexpr std::size_t kMostRestorable = 4;
/// A removed run goes on as it was, with the steps that it had.
struct RunRestored {
    RunInfo info;
};
/// Records of consecutive steps of one run; sent at most every few milliseconds. `scale` etc. are the state after the last of them.
struct StepsRecorded {
    RunId run = 0;
    std::vector<StepRecord> records;
    double nextScale = 1;                                   // the scale of the next step
    std::int64_t cleanSteps = 0;                            // since the last growth or overflow
    std::int64_t sentNs = 0;                                // CLOCK_MONOTONIC when sent: the window measures its latency from it
    std::int64_t allocatedBytes = 0, deviceUsedBytes = -1;  // of RunInfo, as they are now; 0, -1: not known
};
/// A setting took effect. `step` is the first step that ran, or will run, with it.
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
/// A run's state before `step` is kept.
struct CheckpointKept {
    std::uint64_t commandId = 0;  // 0: by itself, in the recording alone, now and then
    RunId run = 0;
    std::int64_t step = 0;
};
struct RunsArranged {
    std::vector<RunLook> looks;  // of runs that are not among them nothing is said
};
/// What a language model wrote after `step`, at a validation.
struct TextSampled {
    RunId run = 0;
    std::int64_t step = 0;
    std::string text;  // UTF-8; bytes that are none are shown as U+FFFD
};
enum class LabState : std::uint8_t { Empty, Paused, Training, Finished };
struct StateChanged {
    LabState state = LabState::Empty;
    double pace = 0;
    bool lockstep = true;
    Instrumentation instrumentation = Instrumentation::Off;
};
struct ExperimentReset {};  // all series begin anew
struct ExperimentText {
    std::string json;
};  // the file of the experiment as it stands now; after a load and after each change of its runs
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
/// A run could not go on (not: overflow, NaN, skips, which are data). It stands still; the others go on.
struct RunStopped {
    RunId run = 0;
    std::int64_t step = 0;
    std::string reason;
};
/// A run that has only been planned.
struct PreviewedRun {
    std::string name;
    std::string policy;        // resolved
    std::string policyReason;  // why `auto` chose it
    MemoryLedger memory;
    std::int64_t largestBatch = -1;  // that fits the card; 0: none does, -1: not known
};
/// The answer to PreviewExperiment. Where a card was named it comes twice: at once, and with the batches that fit.
struct ExperimentPreviewed {
    std::uint64_t commandId = 0;
    std::string pointer, sentence;  // what keeps it from being loaded; no sentence: nothing does
    std::string dataText;           // as that of ExperimentLoaded
    std::string modelText;          // of the first run
    std::int64_t parameters = 0;    // of the first run
    std::int64_t dataBytes = 0;     // in the device's memory: each run's copy and, where it is the host's, each data set once
    std::int64_t availableBytes = 0;
    std::vector<std::string> models;  // kinds that can take the first run's data; empty: not known
    std::vector<PreviewedRun> runs;
};

/// How the recording stands; at once when that changes, else about once a second while it grows.
struct RecordingChanged {
    std::string path;        // empty: nothing is being recorded
    std::int64_t bytes = 0;  // on the disk
    std::int64_t steps = 0;  // safe there, of all runs
    std::string problem;     // a full disk, ...; empty while all is well
    bool isRecording = false;
};
/// After ExperimentLoaded and all of its steps: they came from a recording.
struct RecordingOpened {
    std::string path;
    std::string started;      // UTC, "2026-11-21T22:05:33Z"
    std::string version;      // of the program that wrote it
    std::string whyReadOnly;  // why nothing of it can go on, in a sentence; empty: all can
    std::string missing;      // what is missing of it, or may be, in a sentence; empty: nothing that is known
};
struct RunRewinding {
    RunId run = 0;
    std::int64_t step = 0, target = 0;
};  // on the way, when it takes a while
/// The run goes on from before `step`: its series end there, and what was changed by hand from there on is undone.
struct RunRewound {
    RunId run = 0;
    std::int64_t step = 0;
};
/// The run has trained its way to before `step`, where it was rewound to, forked, or left when it was recorded, and is ready to go on. The
/// steps on the way were compared with what they gave the first time.
struct RunCaughtUp {
    RunId run = 0;
    std::int64_t step = 0;
    std::int64_t differsAt = -1;  // the first step that came out differently; -1: none
    double nextScale = 1;         // as in StepsRecorded
    std::int64_t cleanSteps = 0;
};
/// Values of a run that is only looked at, at ascending steps; more of the same metric follows for later steps.
struct SeriesImported {
    RunId run = 0;
    Metric metric = Metric::Loss;
    std::vector<std::int64_t> steps;
    std::vector<double> values;
    std::string name = {};  // of Metric::Other: the file's; else empty
};
struct SnippetWritten {
    std::uint64_t commandId = 0;
    RunId run = 0;
    std::string framework, text;
    std::vector<std::string> leftOut;  // what the text has no room to say: settings without an equivalent, sentences
};
/// A run of a recording, in a few points.
struct ListedRun {
    std::string policy;      // as it begins, as the file says it: "fp16", "auto"
    std::int64_t steps = 0;  // that it has done
    /// At some of its steps, ascending, the last one included; none: there are none, or the recording is an old one of many.
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
    std::string folder;  // empty: none is kept
    std::vector<ListedRecording> recordings;
};
/// The gauges of silent failures that go by tensors, as a look at `step` gave them: when one has become better or worse, and at the end of
/// `train`. Recorded, so that they are known where no tensor is.
struct GaugesRead {
    RunId run = 0;
    std::int64_t step = 0;
    std::vector<Gauge> gauges;
};

/// Shares from the tensor statistics of a step, by name (diagnosis/tensor_shares.h). Sent with each TensorsMeasured that was not asked for,
/// after validations, and at the end of `train`. Recorded.
struct ValuesMeasured {
    RunId run = 0;
    std::int64_t step = 0;
    std::vector<NamedValue> values;
};

/// Whether the session listens for trainings, and where.
struct WatchingChanged {
    std::string place;  // as a probe names it; empty: it does not listen
};

using Event =
    std::variant<Hello, ExperimentLoaded, RunChanged, RunAdded, RunRemoved, StepsRecorded, SettingApplied, NonFiniteFound, StepExamined,
                 RunsCompared, StateChanged, ExperimentReset, ExperimentText, CommandDone, CommandRefused, RunStopped, TextSampled,
                 ExperimentPreviewed, RecordingChanged, RecordingOpened, RunRewinding, RunRewound, RunCaughtUp, SeriesImported,
                 SnippetWritten, RecordingsListed, TensorsMeasured, ThresholdsMeasured, ElementsRead, RunRestored, NoteWritten, NoteRemoved,
                 CheckpointKept, RunsArranged, GaugesRead, QuestionProgress, ValuesMeasured, WatchingChanged>;

}  // namespace mantissa
