// SPDX-License-Identifier: Apache-2.0
#include "engine/wire/wire.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <random>

#include "tests/engine/wire/sample_diagnosis.h"

namespace mantissa {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();
using Bytes = std::vector<std::uint8_t>;

std::span<const std::uint8_t> payloadOf(const Bytes& frame) {
    return std::span(frame).subspan(4);
}

RunSettings sampleRun() {
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

RunInfo sampleInfo() {
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
    info.modelText = "MLP 64-7-9-10, relu";
    info.layers = {{"layers.0", "linear", "fp16", 455, 896}, {"loss", "cross_entropy", "fp32", 0, 4}};
    return info;
}

StepsRecorded sampleSteps() {
    StepsRecorded steps{.run = 2, .records = {}, .nextScale = 65536, .cleanSteps = 17, .sentNs = 123456789012345};
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

ExperimentPreviewed samplePreview() {
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

std::vector<Event> sampleEvents() {
    Hello hello{.protocol = kProtocolVersion, .version = "0.1.0", .devices = {{}}, .experiments = {{"a", "A", "what to see", "digits: 8"}}};
    hello.devices[0] = {.name = "cuda:0", .description = "card", .available = false, .reason = "no driver", .threads = 2};
    return {hello,
            ExperimentLoaded{.name = "n",
                             .title = "t",
                             .description = "d",
                             .steps = 9,
                             .trainCount = 8,
                             .validationCount = 7,
                             .dataName = "digits",
                             .dataCredit = "c",
                             .dataText = "digits: 8",
                             .runs = {sampleInfo(), sampleInfo()}},
            RunChanged{sampleInfo()},
            RunAdded{sampleInfo()},
            RunRemoved{-1, true},
            sampleSteps(),
            SettingApplied{5, 1, 42, "/precision", "precision", "FP32", "FP16"},
            NonFiniteFound{1, {12, "layers.2", "linear", "forward", "layers.2.output", "+Inf"}},
            StepExamined{1, test::sampleExamination()},
            test::sampleCompared(),
            StateChanged{LabState::Training, 12.5, false, Instrumentation::Full},
            ExperimentReset{},
            ExperimentText{"{}\n"},
            CommandDone{8, 99},
            CommandRefused{9, -1, "/optimizer/lr", "must not be negative"},
            RunStopped{2, 55, "there is not enough memory"},
            TextSampled{2, 49, "Light\nis \u00e6ther"},
            samplePreview(),
            RecordingChanged{"/a/b.mantissa", 1LL << 40, 17, "the disk is full", true},
            RecordingOpened{"/a/b.mantissa", "2026-11-21T22:05:33Z", "0.1.0", "newer"},
            RunRewinding{1, 20, 40},
            RunRewound{1, 40},
            RunCaughtUp{1, 40, 12, 65536, 3},
            SeriesImported{2, Metric::GradNorm, {0, 10, 1LL << 40}, {kNan, kInf, -0.0}},
            SnippetWritten{3, 1, "keras", "import keras\n"},
            RecordingsListed{4, "/a", {{"/a/b.mantissa", "Four", "2026-11-21T22:05:33Z", 4, 8000, 1LL << 33}}},
            test::sampleMeasured(),
            ThresholdsMeasured{5, 1, "fp16", {{1LL << 40, 0x1p20, 0x1.8p20, 0.25}, {(1LL << 40) + 1, 0, 0, kInf}}},
            test::sampleElements(),
            RunRestored{sampleInfo()},
            NoteWritten{6, {3, -1, 1LL << 40, "look here: \u00e6ther"}},
            NoteRemoved{3},
            CheckpointKept{7, 2, 1LL << 40},
            RunsArranged{{{3, 5}, {1, 0}}}};
}

std::vector<Command> sampleCommands() {
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
            {26, test::sampleElementsWish()},
            {27, CompareRuns{1, 2, 1LL << 40, 48, 7}},
            {17, KeepRun{4}},
            {18, OpenRecording{"/a/b.mantissa"}},
            {19, ImportRuns{"/a/b.csv"}},
            {20, ExportRuns{"jsonl", "/a", true}},
            {21, WriteSnippet{1, "pytorch"}},
            {22, ListRecordings{}},
            {23, DeleteRecording{"/a/b.mantissa"}},
            {24, SetInstrumentation{Instrumentation::Full}},
            {25, MeasureThresholds{1, 1LL << 40, 2000}},
            {28, RestoreRun{2}},
            {29, WriteNote{{-1, 2, 1LL << 40, "look here"}}},
            {30, RemoveNote{3}},
            {31, KeepCheckpoint{2}},
            {32, ArrangeRuns{{{3, 5}, {1, 0}}}},
            {std::numeric_limits<std::uint64_t>::max(), Quit{}}};
}

/// Byte for byte what was sent: a message whose every field survives is encoded to the same bytes again.
TEST(Wire, EveryMessageComesBackAsItWas) {
    const auto events = sampleEvents();
    ASSERT_EQ(events.size(), std::variant_size_v<Event>);
    for (std::size_t i = 0; i < events.size(); ++i) {
        const Bytes frame = encode(events[i]);
        const Event back = decodeEvent(payloadOf(frame));
        ASSERT_EQ(back.index(), i);
        EXPECT_EQ(encode(back), frame) << i;
    }
    const auto commands = sampleCommands();
    ASSERT_EQ(commands.size(), std::variant_size_v<CommandBody>);
    for (std::size_t i = 0; i < commands.size(); ++i) {
        const Bytes frame = encode(commands[i]);
        const Command back = decodeCommand(payloadOf(frame));
        ASSERT_EQ(back.body.index(), i);
        EXPECT_EQ(back.id, commands[i].id);
        EXPECT_EQ(encode(back), frame) << i;
    }
}

TEST(Wire, FieldsArriveInTheirOwnPlaces) {
    const auto info = std::get<RunChanged>(decodeEvent(payloadOf(encode(Event(RunChanged{sampleInfo()}))))).info;
    EXPECT_EQ(info.id, 3);
    EXPECT_EQ(info.kind, RunKind::WhatIf);
    EXPECT_EQ(info.parent, 1);
    EXPECT_EQ(info.firstStep, 1LL << 33);
    EXPECT_EQ(info.origin, "loss.csv");
    EXPECT_EQ(info.settings, sampleRun());
    EXPECT_EQ(info.policy, "fp16");
    EXPECT_EQ(info.policyReason, "because");
    EXPECT_TRUE(info.isEmulated);
    EXPECT_TRUE(info.scalerIsDynamic);
    EXPECT_EQ(info.memory, sampleInfo().memory);
    EXPECT_EQ(info.modelText, "MLP 64-7-9-10, relu");
    ASSERT_EQ(info.layers.size(), 2u);
    EXPECT_EQ(info.layers[0], (LayerLine{"layers.0", "linear", "fp16", 455, 896}));
    const auto refused = std::get<CommandRefused>(decodeEvent(payloadOf(encode(sampleEvents()[14]))));
    EXPECT_EQ(refused.commandId, 9u);
    EXPECT_EQ(refused.run, -1);
    EXPECT_EQ(refused.pointer, "/optimizer/lr");
    EXPECT_EQ(refused.sentence, "must not be negative");
}

TEST(Wire, APreviewArrivesWithEveryRun) {
    const auto preview = std::get<ExperimentPreviewed>(decodeEvent(payloadOf(encode(Event(samplePreview())))));
    EXPECT_EQ(preview.commandId, 7u);
    EXPECT_EQ(preview.pointer, "/data/path");
    EXPECT_EQ(preview.parameters, 1LL << 33);
    EXPECT_EQ(preview.models, (std::vector<std::string>{"mlp", "resnet"}));
    ASSERT_EQ(preview.runs.size(), 2u);
    EXPECT_EQ(preview.runs[0].policyReason, "why");
    EXPECT_EQ(preview.runs[0].memory, (MemoryLedger{1, 2, 3, 4, 5, 6}));
    EXPECT_EQ(preview.runs[0].largestBatch, 64);
    EXPECT_EQ(preview.runs[1].largestBatch, -1);
}

TEST(Wire, ACensusArrivesWithEveryCell) {
    const TensorsMeasured sent = test::sampleMeasured();
    const auto got = std::get<TensorsMeasured>(decodeEvent(payloadOf(encode(Event(sent)))));
    EXPECT_EQ(got.run, sent.run);
    EXPECT_EQ(got.census, sent.census);
    EXPECT_EQ(got.cost, sent.cost);
    EXPECT_TRUE(got.wasAskedFor);
}

TEST(Wire, AListOfElementsSurvives) {
    const ReadElements asked = test::sampleElementsWish();
    const auto question = std::get<ReadElements>(decodeCommand(payloadOf(encode(Command{1, asked}))).body);
    EXPECT_EQ(question.run, asked.run);
    EXPECT_EQ(question.step, asked.step);
    EXPECT_EQ(question.wish, asked.wish);
    const ElementsRead sent = test::sampleElements();
    const auto got = std::get<ElementsRead>(decodeEvent(payloadOf(encode(Event(sent)))));
    EXPECT_EQ(got.commandId, sent.commandId);
    EXPECT_EQ(got.found.lossScale, sent.found.lossScale);
    EXPECT_EQ(got.found.total, sent.found.total);
    ASSERT_EQ(got.found.elements.size(), 2u);
    EXPECT_EQ(got.found.elements[0], sent.found.elements[0]);
    EXPECT_TRUE(std::signbit(got.found.elements[1].value));
    EXPECT_EQ(got.found.elements[1].bits, 0x80000000u);
    EXPECT_TRUE(std::isnan(got.found.elements[1].wide));
}

TEST(Wire, ThresholdsArriveStepByStep) {
    const ThresholdsMeasured sent{5, 1, "fp16", {{1LL << 40, 0x1p20, 0x1.8p20, 0.25}, {(1LL << 40) + 1, 0, 0, 0}}};
    const auto got = std::get<ThresholdsMeasured>(decodeEvent(payloadOf(encode(Event(sent)))));
    EXPECT_EQ(got.commandId, 5u);
    EXPECT_EQ(got.run, 1);
    EXPECT_EQ(got.asIf, "fp16");
    EXPECT_EQ(got.thresholds, sent.thresholds);
    const auto asked = std::get<MeasureThresholds>(decodeCommand(payloadOf(encode(Command{1, MeasureThresholds{3, 1LL << 40, 7}}))).body);
    EXPECT_EQ(asked.run, 3);
    EXPECT_EQ(asked.firstStep, 1LL << 40);
    EXPECT_EQ(asked.count, 7);
}

TEST(Wire, AComparisonArrivesWithEveryLayer) {
    const RunsCompared sent = test::sampleCompared();
    const auto got = std::get<RunsCompared>(decodeEvent(payloadOf(encode(Event(sent)))));
    EXPECT_EQ(std::tie(got.commandId, got.run, got.other, got.note), std::tie(sent.commandId, sent.run, sent.other, sent.note));
    EXPECT_EQ(got.comparison, sent.comparison);
}

TEST(Wire, CellsThatCannotBeAreRefused) {
    Json message = messageOf(Event(test::sampleMeasured()));
    const auto outcome = [&](std::vector<std::uint8_t> bytes) -> std::string {
        message["body"]["tensors"][0]["magnitudes"] = Json::binary(std::move(bytes));
        try {
            eventOf(message);
        } catch (const WireError& error) {
            return error.what();
        }
        return "";
    };
    EXPECT_EQ(outcome({1, 5, 2, 1}), "");
    EXPECT_EQ(outcome({}), "");
    const std::vector<std::vector<std::uint8_t>> impossible{
        {1},                                   // no count
        {0, 5},                                // the cell before the first
        {1, 5, 0, 5},                          // the same one again
        {1, 0},                                // an empty one
        {0x80},                                // a number that does not end
        {0xFF, 0x7F, 1},                       // beyond the last cell
        {1, 0xFF, 0xFF, 0xFF, 0xFF, 0x7F},     // a count beyond 32 bits
        {1, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 1},  // and one of too many bytes
    };
    for (const auto& bytes : impossible) EXPECT_EQ(outcome(bytes), "'magnitudes' of tensors is not a list of cells") << bytes.size();
}

/// The window may run where the engine's files are not.
TEST(Wire, RunsAreReadWithoutTheirData) {
    RunInfo info = sampleInfo();
    info.settings.training.data = {.name = "mnist", .path = "/no/such/folder"};
    EXPECT_EQ(std::get<RunChanged>(decodeEvent(payloadOf(encode(Event(RunChanged{info}))))).info.settings, info.settings);
}

TEST(Wire, RecordsKeepEveryBitOfNonFiniteAndSignedValues) {
    const StepsRecorded sent = sampleSteps();
    const auto got = std::get<StepsRecorded>(decodeEvent(payloadOf(encode(Event(sent)))));
    EXPECT_EQ(got.sentNs, sent.sentNs);
    EXPECT_EQ(got.cleanSteps, 17);
    ASSERT_EQ(got.records.size(), sent.records.size());
    const auto bits = [](double value) { return std::bit_cast<std::uint64_t>(value); };
    for (std::size_t i = 0; i < got.records.size(); ++i) {
        const StepRecord &a = sent.records[i], &b = got.records[i];
        EXPECT_EQ(b.step, a.step);
        EXPECT_EQ(b.samples, a.samples);
        EXPECT_EQ(b.skippedTotal, a.skippedTotal);
        EXPECT_EQ(b.memoryBytes, a.memoryBytes);
        EXPECT_EQ(b.flags, a.flags);
        for (const auto member :
             {&StepRecord::epoch, &StepRecord::wallSeconds, &StepRecord::loss, &StepRecord::validationLoss, &StepRecord::validationAccuracy,
              &StepRecord::lossScale, &StepRecord::gradNorm, &StepRecord::lr, &StepRecord::stepMs, &StepRecord::samplesPerSecond})
            EXPECT_EQ(bits(b.*member), bits(a.*member)) << i;
    }
}

TEST(Wire, NonFiniteScalesTravel) {
    for (const double scale : {kNan, kInf, -kInf, -0.0}) {
        const auto got =
            std::get<StepsRecorded>(decodeEvent(payloadOf(encode(Event(StepsRecorded{.run = 0, .records = {}, .nextScale = scale})))));
        EXPECT_EQ(std::isnan(got.nextScale), std::isnan(scale));
        if (!std::isnan(scale)) {
            EXPECT_EQ(std::bit_cast<std::uint64_t>(got.nextScale), std::bit_cast<std::uint64_t>(scale));
        }
    }
}

TEST(Wire, FramesAreCutAtTheirLengthsHoweverTheBytesArrive) {
    Bytes stream;
    for (const Event& event : sampleEvents()) {
        const Bytes frame = encode(event);
        stream.insert(stream.end(), frame.begin(), frame.end());
    }
    for (const std::size_t chunk : {std::size_t{1}, std::size_t{3}, std::size_t{1000}, stream.size()}) {
        FrameReader reader;
        std::size_t count = 0;
        for (std::size_t at = 0; at < stream.size(); at += chunk) {
            reader.append(std::span(stream).subspan(at, std::min(chunk, stream.size() - at)));
            while (const auto payload = reader.next()) EXPECT_EQ(decodeEvent(*payload).index(), count++);
        }
        EXPECT_EQ(count, sampleEvents().size());
        EXPECT_FALSE(reader.hasPartial());
    }
    FrameReader reader;
    reader.append(std::span(stream).first(stream.size() - 1));
    while (reader.next()) {
    }
    EXPECT_TRUE(reader.hasPartial());
}

/// The sentence of the WireError that `act` throws; empty when it throws none.
template <class Act>
std::string complaint(Act act) {
    try {
        act();
    } catch (const WireError& error) {
        return error.what();
    }
    return "";
}

Bytes cbor(const Json& json) {
    return Json::to_cbor(json);
}

TEST(Wire, BadFramesAreRefusedInASentence) {
    FrameReader reader;
    reader.append(Bytes{0x01, 0x00, 0x00, 0x01});  // 16 MiB + 1
    EXPECT_NE(complaint([&] { reader.next(); }).find("limit of 16 MiB"), std::string::npos);

    const struct {
        const char* what;
        Bytes payload;
        const char* says;
    } kCases[] = {
        {"nothing", {}, "malformed"},
        {"not CBOR", {0xff, 0xff}, "malformed"},
        {"bytes left over", {0x01, 0x01}, "malformed"},
        {"a number", {0x01}, "not a map"},
        {"no type", cbor({{"body", Json::object()}}), "'type' of the message is missing"},
        {"unknown type", cbor({{"type", "helo"}, {"body", Json::object()}}), "unknown type 'helo'"},
        {"type is a number", cbor({{"type", 3}, {"body", Json::object()}}), "is not text"},
        {"no body", cbor({{"type", "run_removed"}}), "'body' of the message is missing"},
        {"body is a list", cbor({{"type", "run_removed"}, {"body", Json::array()}}), "not a map"},
        {"missing field", cbor({{"type", "run_removed"}, {"body", Json::object()}}), "'run' of run_removed is missing"},
        {"wrong type", cbor({{"type", "run_removed"}, {"body", {{"run", "a"}}}}), "not a whole number"},
        {"out of range", cbor({{"type", "run_removed"}, {"body", {{"run", 1LL << 40}}}}), "out of range"},
        {"unknown state", cbor({{"type", "state_changed"}, {"body", {{"state", 4}, {"pace", 0}, {"lockstep", true}}}}),
         "not one of its values"},
        {"count without columns", cbor({{"type", "steps_recorded"}, {"body", {{"run", 0}, {"count", 1 << 20}}}}),
         "'step' of steps_recorded is missing"},
        {"huge count", cbor({{"type", "steps_recorded"}, {"body", {{"run", 0}, {"count", 1LL << 60}, {"step", 0}}}}), "out of range"},
        {"not a run", cbor({{"type", "run_changed"}, {"body", {{"info", {{"id", 0}, {"settings", {{"name", "a"}, {"steps", -1}}}}}}}}),
         "not a run"},
        {"nested too deep", Bytes(100000, 0x81), "nested deeper than 64"},
    };
    for (const auto& [what, payload, says] : kCases) {
        EXPECT_NE(complaint([&, &bytes = payload] { decodeEvent(bytes); }).find(says), std::string::npos)
            << what << ": " << complaint([&, &bytes = payload] { decodeEvent(bytes); });
    }
    EXPECT_NE(complaint([] { decodeCommand(cbor({{"type", "train"}, {"body", Json::object()}})); }).find("'id'"), std::string::npos);
    EXPECT_NE(complaint([] { encode(Event(ExperimentText{std::string(kMaxFrameBytes, 'x')})); }).find("frame limit"), std::string::npos);
}

TEST(Wire, TruncatedAndMutatedMessagesNeverCrash) {
    std::mt19937 random(20240229);
    std::vector<Bytes> seeds;
    for (const Event& event : sampleEvents()) seeds.push_back(encode(event));
    for (const Command& command : sampleCommands()) seeds.push_back(encode(command));
    int refused = 0, accepted = 0;
    for (const Bytes& seed : seeds) {
        const auto decodeBoth = [&](std::span<const std::uint8_t> payload) {
            for (const bool isEvent : {true, false}) {
                const std::string said = complaint([&] { isEvent ? (void)decodeEvent(payload) : (void)decodeCommand(payload); });
                ++(said.empty() ? accepted : refused);
            }
        };
        for (std::size_t length = 4; length < seed.size(); length += 1 + seed.size() / 200)
            decodeBoth(std::span(seed).subspan(4, length - 4));
        for (int round = 0; round < 300; ++round) {
            Bytes bytes = seed;
            for (unsigned n = 1 + random() % 4; n > 0; --n) bytes[4 + random() % (bytes.size() - 4)] = static_cast<std::uint8_t>(random());
            decodeBoth(payloadOf(bytes));
        }
    }
    EXPECT_GT(refused, 1000);
    EXPECT_GT(accepted, 100);
}

}  // namespace
}  // namespace mantissa
