// SPDX-License-Identifier: Apache-2.0
#include "engine/wire/wire.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>

#include "tests/engine/wire/sample_messages.h"

namespace mantissa {
namespace {

using Bytes = std::vector<std::uint8_t>;

std::span<const std::uint8_t> payloadOf(const Bytes& frame) {
    return std::span(frame).subspan(4);
}

/// Byte for byte what was sent: a message whose every field survives is encoded to the same bytes again.
TEST(Wire, EveryMessageComesBackAsItWas) {
    const auto events = test::sampleEvents();
    ASSERT_EQ(events.size(), std::variant_size_v<Event>);
    for (std::size_t i = 0; i < events.size(); ++i) {
        const Bytes frame = encode(events[i]);
        const Event back = decodeEvent(payloadOf(frame));
        ASSERT_EQ(back.index(), i);
        EXPECT_EQ(encode(back), frame) << i;
    }
    const auto commands = test::sampleCommands();
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
    const auto info = std::get<RunChanged>(decodeEvent(payloadOf(encode(Event(RunChanged{test::sampleInfo()}))))).info;
    EXPECT_EQ(info.id, 3);
    EXPECT_EQ(info.kind, RunKind::WhatIf);
    EXPECT_EQ(info.parent, 1);
    EXPECT_EQ(info.firstStep, 1LL << 33);
    EXPECT_EQ(info.origin, "loss.csv");
    EXPECT_EQ(info.settings, test::sampleRun());
    EXPECT_EQ(info.policy, "fp16");
    EXPECT_EQ(info.policyReason, "because");
    EXPECT_TRUE(info.isEmulated);
    EXPECT_TRUE(info.scalerIsDynamic);
    EXPECT_EQ(info.memory, test::sampleInfo().memory);
    EXPECT_EQ(info.modelText, "MLP 64-7-9-10, relu");
    ASSERT_EQ(info.layers.size(), 2u);
    EXPECT_EQ(info.layers[0], (LayerLine{"layers.0", "linear", "fp16", 455, 896}));
    const auto refused = std::get<CommandRefused>(decodeEvent(payloadOf(encode(test::sampleEvents()[14]))));
    EXPECT_EQ(refused.commandId, 9u);
    EXPECT_EQ(refused.run, -1);
    EXPECT_EQ(refused.pointer, "/optimizer/lr");
    EXPECT_EQ(refused.sentence, "must not be negative");
}

TEST(Wire, APreviewArrivesWithEveryRun) {
    const auto preview = std::get<ExperimentPreviewed>(decodeEvent(payloadOf(encode(Event(test::samplePreview())))));
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

TEST(Wire, AStatsArrivesWithEveryCell) {
    const TensorsMeasured sent = test::sampleMeasured();
    const auto got = std::get<TensorsMeasured>(decodeEvent(payloadOf(encode(Event(sent)))));
    EXPECT_EQ(got.run, sent.run);
    EXPECT_EQ(got.stats, sent.stats);
    EXPECT_EQ(got.cost, sent.cost);
    EXPECT_TRUE(got.wasAskedFor);
}

TEST(Wire, AListOfElementsSurvives) {
    const ReadElements asked = test::sampleElementsRequest();
    const auto question = std::get<ReadElements>(decodeCommand(payloadOf(encode(Command{1, asked}))).body);
    EXPECT_EQ(question.run, asked.run);
    EXPECT_EQ(question.step, asked.step);
    EXPECT_EQ(question.request, asked.request);
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

TEST(Wire, StepTimesArrive) {
    const auto question = std::get<MeasureTimes>(decodeCommand(payloadOf(encode(Command{1, MeasureTimes{3, 1LL << 40}}))).body);
    EXPECT_EQ(question.run, 3);
    EXPECT_EQ(question.step, 1LL << 40);
    const TimesMeasured sent = test::sampleTimes();
    const auto got = std::get<TimesMeasured>(decodeEvent(payloadOf(encode(Event(sent)))));
    EXPECT_EQ(got.commandId, sent.commandId);
    EXPECT_EQ(got.step, sent.step);
    EXPECT_EQ(got.times, sent.times);
    EXPECT_EQ(got.predictions, sent.predictions);
}

TEST(Wire, BlocksArriveWithTheirMap) {
    const auto question = std::get<ReadElements>(decodeCommand(payloadOf(encode(Command{1, readBlocksOf(3, 1LL << 40, "mxfp8")}))).body);
    EXPECT_EQ(question.run, 3);
    EXPECT_EQ(question.step, 1LL << 40);
    EXPECT_TRUE(question.isOfBlocks);
    EXPECT_EQ(question.asPolicy, "mxfp8");
    EXPECT_FALSE(test::sampleElementsRequest().isOfBlocks);
    ElementsRead sent{.commandId = 9, .run = 3, .step = 4, .found = {}, .blocks = {test::sampleBlocks(), {}}};
    const auto got = std::get<ElementsRead>(decodeEvent(payloadOf(encode(Event(sent)))));
    ASSERT_EQ(got.blocks.size(), 2u);
    EXPECT_EQ(got.blocks[0], sent.blocks[0]);
    EXPECT_TRUE(std::isnan(got.blocks[1].sqnr)) << "unknown";
    sent.blocks[0].map.cols = 3;  // more cells than numbers
    EXPECT_THROW(decodeEvent(payloadOf(encode(Event(sent)))), WireError);
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

TEST(Wire, TextsOfEarlierRecordingsAreRead) {
    Bytes frame = encode(Event(GaugesRead{2, 7, {{GaugeKind::UnchangedWeights, Severity::Bad, 0.5, "old"_text}}}));
    Json message = Json::from_cbor(payloadOf(frame));
    bool isFound = false;
    const std::function<void(Json&)> putString = [&](Json& json) {
        if (!json.is_structured()) return;
        for (auto& [key, value] : json.items()) {
            if (key == "sentence") {
                isFound = true;
                value = "75 % of %1";
            } else {
                putString(value);
            }
        }
    };
    putString(message);
    ASSERT_TRUE(isFound);
    const auto read = std::get<GaugesRead>(decodeEvent(Json::to_cbor(message)));
    EXPECT_EQ(read.gauges[0].sentence.english(), "75 % of %1.");
}

TEST(Wire, ProgressOfAQuestionArrivesWhole) {
    const QuestionProgress sent{1ULL << 63, 2, 1LL << 40, {QuestionWork::TryingRemedy, "Switch to BF16"_text, 43, 100}};
    const auto got = std::get<QuestionProgress>(decodeEvent(payloadOf(encode(Event(sent)))));
    EXPECT_EQ(std::tie(got.commandId, got.run, got.step, got.progress), std::tie(sent.commandId, sent.run, sent.step, sent.progress));
    EXPECT_EQ(got.progress.share(), 0.43);
    EXPECT_EQ(WorkProgress{}.share(), -1);
    const auto stop = std::get<StopQuestion>(decodeCommand(payloadOf(encode(Command{1, StopQuestion{sent.commandId}}))).body);
    EXPECT_EQ(stop.question, sent.commandId);
    Json message = messageOf(Event(sent));
    message["body"]["work"] = static_cast<int>(QuestionWork::Measuring) + 1;
    EXPECT_THROW(eventOf(message), WireError);
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
    RunInfo info = test::sampleInfo();
    info.settings.training.data = {.name = "mnist", .path = "/no/such/folder"};
    EXPECT_EQ(std::get<RunChanged>(decodeEvent(payloadOf(encode(Event(RunChanged{info}))))).info.settings, info.settings);
}

TEST(Wire, RecordsKeepEveryBitOfNonFiniteAndSignedValues) {
    const StepsRecorded sent = test::sampleSteps();
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
    for (const double scale : {test::kNan, test::kInf, -test::kInf, -0.0}) {
        const auto got =
            std::get<StepsRecorded>(decodeEvent(payloadOf(encode(Event(StepsRecorded{.run = 0, .records = {}, .nextScale = scale})))));
        EXPECT_EQ(std::isnan(got.nextScale), std::isnan(scale));
        if (!std::isnan(scale)) {
            EXPECT_EQ(std::bit_cast<std::uint64_t>(got.nextScale), std::bit_cast<std::uint64_t>(scale));
        }
    }
}

TEST(Wire, AStoredMessageIsTextAndReadsBackToTheSame) {
    for (const Event& event : test::sampleEvents()) {
        if (std::holds_alternative<StepsRecorded>(event)) continue;  // which have rows of their own
        Json message = messageOf(event);
        makeStorable(message);
        const Event back = eventOf(Json::parse(message.dump()), Missing::IsDefault);
        Json again = messageOf(back);
        makeStorable(again);
        EXPECT_EQ(again.dump(), message.dump());
    }
    // earlier recordings have null for a number that was not finite
    Json message = messageOf(Event(StepExamined{1, {}}));
    const Json early = Json::parse(message.dump());
    EXPECT_TRUE(early["body"]["examination"]["card"]["wide"].is_null());
    EXPECT_TRUE(std::isnan(std::get<StepExamined>(eventOf(early, Missing::IsDefault)).examination.card.wide));
    EXPECT_THROW((void)eventOf(early), WireError) << "between engine and window it is an error";
}

}  // namespace
}  // namespace mantissa
