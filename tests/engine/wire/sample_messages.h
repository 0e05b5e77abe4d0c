// SPDX-License-Identifier: Apache-2.0
// One of every message, with values that are easily lost on the way.
#pragma once

#include <limits>
#include <vector>

#include "tests/engine/wire/sample_diagnosis.h"

namespace mantissa::test {

inline constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
inline constexpr double kInf = std::numeric_limits<double>::infinity();

inline RunSettings sampleRun() {
    RunSettings run;
    run.name = "fp16 scaled \u00fc";
    run.training.precision = {
        .policy = "fp16", .autocast = "keras", .overrides = {{"layers.1", Dtype::F32}, {"layers.2", Direction::WeightGrad, Dtype::BF16}}};
    run.isScalerChosen = true;
    run.training.scaler.preset = "pytorch";
    run.training.scaler.initScale = 0.1;
    run.training.scaler.growthInterval = 200;
    run.training.clipGradNorm = 1e-3;
    run.training.data.seed = std::numeric_limits<std::uint64_t>::max();
    run.training.model.hidden = {7, 9};
    return run;
}

inline RunInfo sampleInfo() {
    RunInfo info;
    info.id = 3;
    info.kind = RunKind::WhatIf;
    info.parent = 1;
    info.firstStep = 1LL << 33;
    info.origin = "loss.csv";
    info.settings = sampleRun();
    info.policy = "fp16";
    info.policyReason = "because";
    info.isEmulated = true;
    info.scalerPreset = "pytorch";
    info.scalerIsDynamic = true;
    info.memory = {1, 2, 3, 4, 5, 1LL << 40};
    info.allocatedBytes = 1LL << 41;
    info.deviceUsedBytes = 1LL << 42;
    info.products = {"fp16", 1e9, 64, 989.4, 700.5};
    info.modelText = "MLP 64-7-9-10, relu";
    info.watch = {WatchLink::Lost, "0123", "here, process 4711", 1, 2, 3, 64, {"it could not count", "it ends within a message"}};
    info.layers = {{"layers.0", "linear", "fp16", 455, 896}, {"loss", "cross_entropy", "fp32", 0, 4}};
    return info;
}

inline StepsRecorded sampleSteps() {
    StepsRecorded steps{.run = 2,
                        .records = {},
                        .nextScale = 65536,
                        .cleanSteps = 17,
                        .sentNs = 123456789012345,
                        .allocatedBytes = 1LL << 43,
                        .deviceUsedBytes = 1LL << 44};
    const double values[] = {kNan, kInf, -kInf, -0.0, 0.0, 1.0 / 3, std::numeric_limits<double>::denorm_min(), 1.7e308};
    for (std::int64_t i = 0; i < 8; ++i) {
        const double v = values[i];
        steps.records.push_back({.step = i,
                                 .samples = i * 64,
                                 .epoch = v,
                                 .wallSeconds = v,
                                 .loss = v,
                                 .validationLoss = v,
                                 .validationAccuracy = v,
                                 .lossScale = v,
                                 .skippedTotal = -i,
                                 .gradNorm = v,
                                 .lr = v,
                                 .stepMs = v,
                                 .samplesPerSecond = v,
                                 .memoryBytes = 1LL << (40 + i),
                                 .flags = 0xffff0000u + static_cast<std::uint32_t>(i)});
    }
    return steps;
}

inline ExperimentPreviewed samplePreview() {
    return {.commandId = 7,
            .pointer = "/data/path",
            .sentence = "is not there",
            .dataText = "digits: 8",
            .modelText = "MLP",
            .parameters = 1LL << 33,
            .dataBytes = 5,
            .availableBytes = 1LL << 40,
            .models = {"mlp", "resnet"},
            .runs = {{"a", "fp16", "why", {1, 2, 3, 4, 5, 6}, 64}, {"b", "bf16", "", {}, -1}}};
}

inline std::vector<Event> sampleEvents() {
    Hello hello{.protocol = kProtocolVersion, .version = "0.1.0", .devices = {{}}, .experiments = {}};
    hello.experiments.push_back({"a", "A", "what it shows", "digits: 8", "what to see", "range"});
    hello.devices[0] = {.name = "cuda:0", .description = "card", .available = false, .reason = "no driver", .threads = 2};
    return {
        hello,
        ExperimentLoaded{.name = "n",
                         .title = "t",
                         .description = "d",
                         .steps = 9,
                         .trainCount = 8,
                         .validationCount = 7,
                         .dataName = "digits",
                         .dataCredit = "c",
                         .dataText = "digits: 8",
                         .runs = {sampleInfo(), sampleInfo()},
                         .lookFor = "l"},
        RunChanged{sampleInfo()},
        RunAdded{sampleInfo()},
        RunRemoved{-1, true},
        sampleSteps(),
        SettingApplied{5, 1, 42, "/precision", "precision", "FP32", "FP16"},
        NonFiniteFound{1, {12, "layers.2", "linear", "forward", "layers.2.output", "+Inf"}},
        StepExamined{1, sampleExamination()},
        sampleCompared(),
        StateChanged{LabState::Training, 12.5, false, Instrumentation::Blocks},
        ExperimentReset{},
        ExperimentText{"{}\n"},
        CommandDone{8, 99},
        CommandRefused{9, -1, "/optimizer/lr", "must not be negative"},
        RunStopped{2, 55, "there is not enough memory"},
        TextSampled{2, 49, "Light\nis \u00e6ther"},
        samplePreview(),
        RecordingChanged{"/a/b.mantissa", 1LL << 40, 17, "the disk is full", true},
        RecordingOpened{"/a/b.mantissa", "2026-11-21T22:05:33Z", "0.1.0", "newer", "its last steps"},
        RunRewinding{1, 20, 40},
        RunRewound{1, 40},
        RunCaughtUp{1, 40, 12, 65536, 3},
        SeriesImported{2, Metric::GradNorm, {0, 10, 1LL << 40}, {kNan, kInf, -0.0}},
        SnippetWritten{3, 1, "keras", "import keras\n", {"the seed."}},
        RecordingsListed{
            4, "/a", {{"/a/b.mantissa", "Four", "2026-11-21T22:05:33Z", 8000, 1LL << 33, {{"fp16", 8000, {0, 7999}, {2.5, kNan}}, {}}}}},
        sampleMeasured(),
        ThresholdsMeasured{5, 1, "fp16", {{1LL << 40, 0x1p20, 0x1.8p20, 0.25}, {(1LL << 40) + 1, 0, 0, kInf}}},
        sampleTimes(),
        sampleElements(),
        RunRestored{sampleInfo()},
        NoteWritten{6, {3, -1, 1LL << 40, "look here: \u00e6ther"}},
        NoteRemoved{3},
        CheckpointKept{7, 2, 1LL << 40},
        RunsArranged{{{3, 5}, {1, 0}}},
        GaugesRead{2, 1LL << 40, {{GaugeKind::UnchangedWeights, Severity::Bad, 0.5, "The step left all."_text}}},
        QuestionProgress{16, 1, 1LL << 40, {QuestionWork::TryingRemedy, "Switch to BF16"_text, 43, 100}},
        ValuesMeasured{2, 1LL << 40, {{"lost_updates", 0.5}, {"zero_gradients", 0}}},
        WatchingChanged{"unix:/run/attach"}};
}

inline std::vector<Command> sampleCommands() {
    return {{1, LoadExperiment{"four-formats", "{\"runs\":[]}"}},
            {2, Train{400}},
            {3, Pause{}},
            {4, SingleStep{}},
            {5, ResetExperiment{}},
            {6, SetPace{2.5}},
            {7, SetLockstep{false}},
            {8, ChangeSetting{1, "/clip_grad_norm", nullptr}},
            {9, AddRun{Json{{"name", "x"}, {"precision", "bf16"}}}},
            {10, DuplicateRun{1}},
            {11, RemoveRun{2}},
            {12, RenameRun{3, "b"}},
            {13, PreviewExperiment{"{\"runs\":[]}", 1LL << 33}},
            {14, RewindRuns{-1, 1LL << 40}},
            {15, ForkRun{2, 300, {{"/optimizer/lr", 0.5}, {"/clip_grad_norm", nullptr}}, "f", 50}},
            {16, ExamineStep{1, 1LL << 40}},
            {25, MeasureStep{2, 1LL << 33}},
            {26, sampleElementsRequest()},
            {27, CompareRuns{1, 2, 1LL << 40, 48, 7}},
            {17, KeepRun{4}},
            {18, OpenRecording{"/a/b.mantissa"}},
            {19, ImportRuns{"/a/b.csv"}},
            {34, WatchTraining{"tcp:127.0.0.1:4000", "secret", true, false, true}},
            {35, StopListening{}},
            {20, ExportRuns{"jsonl", "/a", true}},
            {21, WriteSnippet{1, "pytorch", "run.py"}},
            {22, ListRecordings{}},
            {23, DeleteRecording{"/a/b.mantissa"}},
            {24, SetInstrumentation{Instrumentation::Blocks}},
            {25, MeasureThresholds{1, 1LL << 40, 2000}},
            {36, MeasureTimes{1, 1LL << 40}},
            {28, RestoreRun{2}},
            {29, WriteNote{{-1, 2, 1LL << 40, "look here"}}},
            {30, RemoveNote{3}},
            {31, KeepCheckpoint{2}},
            {32, ArrangeRuns{{{3, 5}, {1, 0}}}},
            {33, StopQuestion{1ULL << 63}},
            {std::numeric_limits<std::uint64_t>::max(), Quit{}}};
}

}  // namespace mantissa::test
