// SPDX-License-Identifier: Apache-2.0
// The keys of each message; for the values in messages see codec_values.h.
#pragma once

#include "engine/wire/codec_questions.h"
#include "engine/wire/wire.h"

namespace mantissa {

// ---- Commands ----

inline constexpr const char* kCommandNames[] = {"load_experiment",
                                                "train",
                                                "pause",
                                                "single_step",
                                                "reset_experiment",
                                                "set_pace",
                                                "lockstep",
                                                "change_setting",
                                                "add_run",
                                                "duplicate_run",
                                                "remove_run",
                                                "rename_run",
                                                "preview_experiment",
                                                "rewind_runs",
                                                "fork_run",
                                                "examine_step",
                                                "measure_step",
                                                "read_elements",
                                                "compare_runs",
                                                "keep_run",
                                                "open_recording",
                                                "import_runs",
                                                "watch_training",
                                                "stop_listening",
                                                "export_runs",
                                                "write_snippet",
                                                "list_recordings",
                                                "delete_recording",
                                                "set_instrumentation",
                                                "measure_thresholds",
                                                "measure_times",
                                                "restore_run",
                                                "write_note",
                                                "remove_note",
                                                "keep_checkpoint",
                                                "arrange_runs",
                                                "stop_question",
                                                "quit"};
static_assert(std::size(kCommandNames) == std::variant_size_v<CommandBody>);

template <class A>
void describe(A& a, Ref<A, LoadExperiment> m) {
    a("name_or_path", m.nameOrPath);
    a("text", m.text);
}
template <class A>
void describe(A& a, Ref<A, Train> m) {
    a("until", m.until);
}
template <class A>
void describe(A&, Ref<A, Pause>) {}
template <class A>
void describe(A&, Ref<A, SingleStep>) {}
template <class A>
void describe(A&, Ref<A, ResetExperiment>) {}
template <class A>
void describe(A& a, Ref<A, SetPace> m) {
    a("steps_per_second", m.stepsPerSecond);
}
template <class A>
void describe(A& a, Ref<A, SetLockstep> m) {
    a("lockstep", m.lockstep);
}
template <class A>
void describe(A& a, Ref<A, ChangeSetting> m) {
    a("run", m.run);
    a("pointer", m.pointer);
    a("value", m.value);
}
template <class A>
void describe(A& a, Ref<A, AddRun> m) {
    a("run", m.run);
}
template <class A>
void describe(A& a, Ref<A, DuplicateRun> m) {
    a("run", m.run);
}
template <class A>
void describe(A& a, Ref<A, RemoveRun> m) {
    a("run", m.run);
}
template <class A>
void describe(A& a, Ref<A, RenameRun> m) {
    a("run", m.run);
    a("name", m.name);
}
template <class A>
void describe(A& a, Ref<A, PreviewExperiment> m) {
    a("text", m.text);
    a("card_bytes", m.cardBytes);
}
template <class A>
void describe(A& a, Ref<A, RewindRuns> m) {
    a("run", m.run);
    a("step", m.step);
}
template <class A>
void describe(A& a, Ref<A, ForkRun> m) {
    a("run", m.run);
    a("step", m.step);
    a("changes", m.changes);
    a("name", m.name);
    a("what_if_steps", m.whatIfSteps);
}
template <class A>
void describe(A& a, Ref<A, KeepRun> m) {
    a("run", m.run);
}
template <class A>
void describe(A& a, Ref<A, OpenRecording> m) {
    a("path", m.path);
}
template <class A>
void describe(A& a, Ref<A, ImportRuns> m) {
    a("path", m.path);
    a("follows", m.follows);
    a("is_alone", m.isAlone);
}
template <class A>
void describe(A& a, Ref<A, WatchTraining> m) {
    a("place", m.place);
    a("token", m.token);
    a("is_alone", m.isAlone);
    a("follows", m.follows);
    a("allows_remote", m.allowsRemote);
}
template <class A>
void describe(A&, Ref<A, StopListening>) {}
template <class A>
void describe(A& a, Ref<A, ExportRuns> m) {
    a("format", m.format);
    a("folder", m.folder);
    a("is_look", m.isPreview);
}
template <class A>
void describe(A& a, Ref<A, WriteSnippet> m) {
    a("run", m.run);
    a("framework", m.framework);
    a("path", m.path);
}
template <class A>
void describe(A&, Ref<A, ListRecordings>) {}
template <class A>
void describe(A& a, Ref<A, DeleteRecording> m) {
    a("path", m.path);
}
template <class A>
void describe(A& a, Ref<A, SetInstrumentation> m) {
    a("level", m.level);
}
template <class A>
void describe(A& a, Ref<A, RestoreRun> m) {
    a("run", m.run);
}
template <class A>
void describe(A& a, Ref<A, WriteNote> m) {
    a("note", m.note);
}
template <class A>
void describe(A& a, Ref<A, RemoveNote> m) {
    a("note", m.note);
}
template <class A>
void describe(A& a, Ref<A, KeepCheckpoint> m) {
    a("run", m.run);
}
template <class A>
void describe(A& a, Ref<A, ArrangeRuns> m) {
    a("looks", m.styles);
}
template <class A>
void describe(A&, Ref<A, Quit>) {}

// ---- Events ----

inline constexpr const char* kEventNames[] = {"hello",
                                              "experiment_loaded",
                                              "run_changed",
                                              "run_added",
                                              "run_removed",
                                              "steps_recorded",
                                              "setting_applied",
                                              "non_finite_found",
                                              "step_examined",
                                              "runs_compared",
                                              "state_changed",
                                              "experiment_reset",
                                              "experiment_text",
                                              "command_done",
                                              "command_refused",
                                              "run_stopped",
                                              "text_sampled",
                                              "experiment_previewed",
                                              "recording_changed",
                                              "recording_opened",
                                              "run_rewinding",
                                              "run_rewound",
                                              "run_caught_up",
                                              "series_imported",
                                              "snippet_written",
                                              "recordings_listed",
                                              "tensors_measured",
                                              "thresholds_measured",
                                              "times_measured",
                                              "elements_read",
                                              "run_restored",
                                              "note_written",
                                              "note_removed",
                                              "checkpoint_kept",
                                              "runs_arranged",
                                              "gauges_read",
                                              "question_progress",
                                              "values_measured",
                                              "watching_changed"};
static_assert(std::size(kEventNames) == std::variant_size_v<Event>);

template <class A>
void describe(A& a, Ref<A, Hello> m) {
    a("protocol", m.protocol);
    a("version", m.version);
    a("devices", m.devices);
    a("device", m.device);
    a("experiments", m.experiments);
}
template <class A>
void describe(A& a, Ref<A, ExperimentLoaded> m) {
    a("name", m.name);
    a("title", m.title);
    a("description", m.description);
    a("steps", m.steps);
    a("train_count", m.trainCount);
    a("validation_count", m.validationCount);
    a("data_name", m.dataName);
    a("data_credit", m.dataCredit);
    a("data_text", m.dataText);
    a("runs", m.runs);
    a("look_for", m.lookFor);
}
template <class A>
void describe(A& a, Ref<A, RunChanged> m) {
    a("info", m.info);
}
template <class A>
void describe(A& a, Ref<A, RunAdded> m) {
    a("info", m.info);
}
template <class A>
void describe(A& a, Ref<A, RunRemoved> m) {
    a("run", m.run);
    a("can_be_restored", m.canBeRestored);
}
template <class A>
void describe(A& a, Ref<A, RunRestored> m) {
    a("info", m.info);
}
template <class A>
void describe(A& a, Ref<A, NoteWritten> m) {
    a("command", m.commandId);
    a("note", m.note);
}
template <class A>
void describe(A& a, Ref<A, NoteRemoved> m) {
    a("note", m.note);
}
template <class A>
void describe(A& a, Ref<A, CheckpointKept> m) {
    a("command", m.commandId);
    a("run", m.run);
    a("step", m.step);
}
template <class A>
void describe(A& a, Ref<A, RunsArranged> m) {
    a("looks", m.styles);
}
template <class A>
void describe(A& a, Ref<A, StepsRecorded> m) {
    a("run", m.run);
    a.columns(m.records);
    a("next_scale", m.nextScale);
    a("clean_steps", m.cleanSteps);
    a("sent_ns", m.sentNs);
    a("allocated_bytes", m.allocatedBytes);
    a("device_used_bytes", m.deviceUsedBytes);
}
template <class A>
void describe(A& a, Ref<A, SettingApplied> m) {
    a("command", m.commandId);
    a("run", m.run);
    a("step", m.step);
    a("pointer", m.pointer);
    a("label", m.label);
    a("from", m.from);
    a("to", m.to);
}
template <class A>
void describe(A& a, Ref<A, NonFiniteFound> m) {
    a("run", m.run);
    a("first", m.first);
}
template <class A>
void describe(A& a, Ref<A, StepExamined> m) {
    a("run", m.run);
    a("examination", m.examination);
}
template <class A>
void describe(A& a, Ref<A, StateChanged> m) {
    a("state", m.state);
    a("pace", m.pace);
    a("lockstep", m.lockstep);
    a("instrumentation", m.instrumentation);
}
template <class A>
void describe(A&, Ref<A, ExperimentReset>) {}
template <class A>
void describe(A& a, Ref<A, ExperimentText> m) {
    a("json", m.json);
}
template <class A>
void describe(A& a, Ref<A, CommandDone> m) {
    a("command", m.commandId);
    a("step", m.step);
}
template <class A>
void describe(A& a, Ref<A, CommandRefused> m) {
    a("command", m.commandId);
    a("run", m.run);
    a("pointer", m.pointer);
    a("sentence", m.sentence);
}
template <class A>
void describe(A& a, Ref<A, RunStopped> m) {
    a("run", m.run);
    a("step", m.step);
    a("reason", m.reason);
}
template <class A>
void describe(A& a, Ref<A, TextSampled> m) {
    a("run", m.run);
    a("step", m.step);
    a("text", m.text);
}
template <class A>
void describe(A& a, Ref<A, ExperimentPreviewed> m) {
    a("command", m.commandId);
    a("pointer", m.pointer);
    a("sentence", m.sentence);
    a("data_text", m.dataText);
    a("model_text", m.modelText);
    a("parameters", m.parameters);
    a("data_bytes", m.dataBytes);
    a("available_bytes", m.availableBytes);
    a("models", m.models);
    a("runs", m.runs);
}

template <class A>
void describe(A& a, Ref<A, RecordingChanged> m) {
    a("path", m.path);
    a("bytes", m.bytes);
    a("steps", m.steps);
    a("problem", m.problem);
    a("is_recording", m.isRecording);
}
template <class A>
void describe(A& a, Ref<A, RecordingOpened> m) {
    a("path", m.path);
    a("started", m.started);
    a("version", m.version);
    a("why_read_only", m.whyReadOnly);
    a("missing", m.missing);
}
template <class A>
void describe(A& a, Ref<A, RunRewinding> m) {
    a("run", m.run);
    a("step", m.step);
    a("target", m.target);
}
template <class A>
void describe(A& a, Ref<A, RunRewound> m) {
    a("run", m.run);
    a("step", m.step);
}
template <class A>
void describe(A& a, Ref<A, RunCaughtUp> m) {
    a("run", m.run);
    a("step", m.step);
    a("differs_at", m.differsAt);
    a("next_scale", m.nextScale);
    a("clean_steps", m.cleanSteps);
}
template <class A>
void describe(A& a, Ref<A, SeriesImported> m) {
    a("run", m.run);
    a("metric", m.metric);
    a("name", m.name);
    a("steps", m.steps);
    a("values", m.values);
}
template <class A>
void describe(A& a, Ref<A, SnippetWritten> m) {
    a("command", m.commandId);
    a("run", m.run);
    a("framework", m.framework);
    a("text", m.text);
    a("left_out", m.leftOut);
}
template <class A>
void describe(A& a, Ref<A, RecordingsListed> m) {
    a("command", m.commandId);
    a("folder", m.folder);
    a("recordings", m.recordings);
}
template <class A>
void describe(A& a, Ref<A, NamedValue> m) {
    a("name", m.name);
    a("value", m.value);
}
template <class A>
void describe(A& a, Ref<A, ValuesMeasured> m) {
    a("run", m.run);
    a("step", m.step);
    a("values", m.values);
}
template <class A>
void describe(A& a, Ref<A, GaugesRead> m) {
    a("run", m.run);
    a("step", m.step);
    a("gauges", m.gauges);
}
template <class A>
void describe(A& a, Ref<A, WatchingChanged> m) {
    a("place", m.place);
}

}  // namespace mantissa
