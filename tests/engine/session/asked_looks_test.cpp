// SPDX-License-Identifier: Apache-2.0
// Steps that are measured, and read, when somebody asks: what is answered is what was, and nothing else notices.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>

#include "engine/recording/recording.h"
#include "kernels/peak_rates.h"
#include "tests/engine/session/same_records.h"
#include "tests/engine/session/session_fixture.h"

namespace mantissa {
namespace {

using test::SessionFixture;
using test::task;

const std::string kAskedRun = R"({"name":"a","precision":"fp16","scaler":{"preset":"static","init_scale":256},"accumulate":2})";

std::vector<TensorsMeasured> askedOf(const SessionFixture& lab) {
    std::vector<TensorsMeasured> asked;
    for (TensorsMeasured& each : lab.all<TensorsMeasured>()) {
        if (each.wasAskedFor) asked.push_back(std::move(each));
    }
    return asked;
}

/// One step at a time, so that each one's look is told.
std::map<std::int64_t, StepStats> fullLooks(std::int64_t steps, std::int64_t switchAt) {
    SessionFixture lab;
    lab.session.measureTensors(Instrumentation::Full);
    lab.load(task(kAskedRun));
    const RunId run = lab.run("a").id;
    std::map<std::int64_t, StepStats> looks;
    for (std::int64_t step = 0; step < steps; ++step) {
        if (step == switchAt) {
            EXPECT_EQ(lab.command(ChangeSetting{run, "/scaler/scale", 512}), "");
        }
        EXPECT_EQ(lab.command(SingleStep{}), "");
        lab.session.advance(0, 0);
        looks[step] = lab.session.trainer(run)->stats().value();
        EXPECT_EQ(looks[step].step, step);
    }
    return looks;
}

TEST(AskedLooks, AreThoseOfARunThatWasMeasuredInFull) {
    constexpr std::int64_t kSteps = 24, kSwitch = 12;
    const auto full = fullLooks(kSteps, kSwitch);
    for (const Instrumentation level : {Instrumentation::Off, Instrumentation::Sampled}) {
        SessionFixture lab;
        lab.session.measureTensors(level);
        lab.load(task(kAskedRun));
        const RunId run = lab.run("a").id;
        for (std::int64_t step = 0; step < kSteps; ++step) {
            if (step == kSwitch) {
                ASSERT_EQ(lab.command(ChangeSetting{run, "/scaler/scale", 512}), "");
            }
            ASSERT_EQ(lab.command(SingleStep{}), "");
            lab.session.advance(0, 0);
        }
        const auto memory = lab.session.trainer(run)->snapshot().memory;
        const std::size_t told = lab.all<TensorsMeasured>().size();
        for (const std::int64_t step : {0, 7, 12, 23}) {
            ASSERT_EQ(lab.command(MeasureStep{run, step}), "");
            const TensorsMeasured asked = askedOf(lab).back();
            EXPECT_EQ(asked.run, run);
            EXPECT_EQ(asked.cost, 0) << "it says nothing of what looking costs the run";
            EXPECT_EQ(asked.stats, full.at(step)) << step;
        }
        EXPECT_EQ(lab.all<TensorsMeasured>().size(), told + 4);
        EXPECT_EQ(lab.session.trainer(run)->snapshot().memory, memory);
        EXPECT_EQ(lab.session.trainer(run)->nextStep(), kSteps);
        EXPECT_EQ(lab.session.trainer(run)->instrumentation(), level);
        EXPECT_NE(lab.command(MeasureStep{run, kSteps + 1}), "");
        EXPECT_NE(lab.command(MeasureStep{99, 0}), "");
    }
}

TEST(AskedLooks, WhileItTrainsTheStepsAreAsWithoutThem) {
    SessionFixture lab, other;
    for (SessionFixture* each : {&lab, &other}) each->load(task(kAskedRun));
    const RunId run = lab.run("a").id;
    lab.trainTo(10);
    ASSERT_EQ(lab.command(Train{}), "");
    ASSERT_EQ(lab.command(MeasureStep{run, 5}), "");
    EXPECT_EQ(lab.session.state(), LabState::Training);
    lab.trainTo(40);
    other.trainTo(40);
    EXPECT_EQ(askedOf(lab).back().stats.step, 5);
    const auto first = std::min(lab.recordsOf("a").size(), other.recordsOf("a").size());
    lab.records[run].resize(first);
    other.records[other.run("a").id].resize(first);
    test::expectSameBits(lab.recordsOf("a"), other.recordsOf("a"));
}

TEST(AskedLooks, ListElementsOfTheBarsThatTheyShow) {
    SessionFixture lab;
    lab.load(task(kAskedRun));
    const RunId run = lab.run("a").id;
    lab.trainTo(20);
    ASSERT_EQ(lab.command(MeasureStep{run, 9}), "");
    const StepStats stats = askedOf(lab).back().stats;
    ElementRequest request{.limit = 30};
    std::map<int, std::int64_t> bars;
    for (const TensorStats& tensor : stats.tensors) {
        if (tensor.role != TensorRole::WeightGradient) continue;
        request.tensors.push_back(nameOf(tensor));
        for (const ExponentBin& bin : binsOf(tensor.magnitudes)) bars[bin.exponent] += bin.count;
    }
    const auto [exponent, expected] = *std::max_element(bars.begin(), bars.end(), [](auto a, auto b) { return a.second < b.second; });
    request.from = std::ldexp(1.0, exponent);
    request.below = std::ldexp(1.0, exponent + 1);
    ASSERT_GT(expected, 30);
    const std::uint64_t id = lab.lastId + 1;
    ASSERT_EQ(lab.command(ReadElements{run, 9, request}), "");
    const ElementsRead read = lab.all<ElementsRead>().back();
    EXPECT_EQ(read.commandId, id);
    EXPECT_EQ(read.run, run);
    EXPECT_EQ(read.step, 9);
    EXPECT_EQ(read.found.total, expected);
    EXPECT_EQ(read.found.lossScale, 256);
    ASSERT_EQ(read.found.elements.size(), 30u);
    for (const Element& element : read.found.elements) {
        EXPECT_EQ(std::ilogb(element.value), exponent);
        EXPECT_NEAR(element.wide, element.value, 0.1 * request.below) << "the same gradient, in fp32";
    }
    request.tensors[0].operation = "none";
    EXPECT_EQ(lab.command(ReadElements{run, 9, request}), "the step makes no tensor '" + request.tensors[0].tensor + "' by that operation");
    EXPECT_EQ(lab.session.trainer(run)->nextStep(), static_cast<std::int64_t>(lab.recordsOf("a").size()));
}

TEST(AskedLooks, MeasureWhereTheTimeOfAStepGoes) {
    SessionFixture lab;
    lab.load(task(kAskedRun));
    const RunId run = lab.run("a").id;
    lab.trainTo(20);
    const auto memory = lab.session.trainer(run)->snapshot().memory;
    const std::uint64_t id = lab.lastId + 1;
    ASSERT_EQ(lab.command(MeasureTimes{run, 9}), "");
    const TimesMeasured measured = lab.all<TimesMeasured>().back();
    EXPECT_EQ(measured.commandId, id);
    EXPECT_EQ(measured.run, run);
    EXPECT_EQ(measured.step, 9);
    EXPECT_GT(measured.times.seconds, 0);
    EXPECT_FALSE(measured.times.operations.empty());
    ASSERT_EQ(measured.predictions.size(), gpuRates().size());
    for (const StepTimes& gpu : measured.predictions) {
        for (const OperationTime& each : measured.times.operations) EXPECT_NE(gpu.find(each), nullptr) << gpu.device << each.operation;
    }
    EXPECT_EQ(lab.session.trainer(run)->snapshot().memory, memory);
    EXPECT_NE(lab.command(MeasureTimes{run, 21}), "") << "the step after the next one";
}

TEST(AskedLooks, ReadTheBlocksOfAStepOfARunThatHasThem) {
    SessionFixture lab;
    lab.load(task(R"({"name":"a","precision":"mxfp8","model":{"kind":"mlp","hidden":[64,64]}})"));
    const RunId run = lab.run("a").id;
    lab.trainTo(10);
    ASSERT_EQ(lab.command(ChangeSetting{run, "/precision", "bf16"}), "");
    lab.trainTo(20);
    const auto memory = lab.session.trainer(run)->snapshot().memory;
    const std::uint64_t id = lab.lastId + 1;
    ASSERT_EQ(lab.command(readBlocksOf(run, 9)), "");
    const ElementsRead read = lab.all<ElementsRead>().back();
    EXPECT_EQ(read.commandId, id);
    EXPECT_EQ(read.step, 9);
    ASSERT_FALSE(read.blocks.empty());
    for (const OperandBlocks& each : read.blocks) {
        EXPECT_EQ(each.format, "mxfp8_e4m3");
        EXPECT_GT(each.sqnr, 20) << each.tensor;
    }
    const auto now = static_cast<std::int64_t>(lab.recordsOf("a").size());
    EXPECT_EQ(lab.command(readBlocksOf(run, now)), "step " + std::to_string(now) + " quantises nothing to blocks: its precision is bf16");
    ASSERT_EQ(lab.command(readBlocksOf(run, now, "nvfp4")), "") << "as after a switch";
    const ElementsRead switched = lab.all<ElementsRead>().back();
    ASSERT_FALSE(switched.blocks.empty());
    for (const OperandBlocks& each : switched.blocks) EXPECT_EQ(each.format, "nvfp4");
    EXPECT_EQ(lab.command(readBlocksOf(run, 9, "fp16")), "step 9 quantises nothing to blocks: its precision is fp16");
    EXPECT_NE(lab.command(readBlocksOf(run, 9, "fp15")), "");
    EXPECT_EQ(lab.session.trainer(run)->snapshot().memory, memory);
}

TEST(AskedLooks, AreNotRecorded) {
    const std::filesystem::path file = std::filesystem::path(testing::TempDir()) / ("asked_" + std::to_string(::getpid()) + ".mantissa");
    {
        SessionFixture lab;
        lab.session.recordTo(file.string());
        lab.load(task(kAskedRun));
        lab.trainTo(20);
        const RunId run = lab.run("a").id;
        ASSERT_EQ(lab.command(MeasureStep{run, 5}), "");
        const TensorName name = nameOf(askedOf(lab).back().stats.tensors.front());
        ASSERT_EQ(lab.command(ReadElements{run, 5, {.tensors = {name}}}), "");
        lab.session.endRecording();
    }
    SessionFixture opened;
    ASSERT_EQ(opened.command(OpenRecording{file.string()}), "");
    EXPECT_TRUE(opened.all<TensorsMeasured>().empty());
    EXPECT_TRUE(opened.all<ElementsRead>().empty());
    const auto check = [](const LogEntry& entry) {
        const std::string text = entry.kind + entry.body.dump();
        for (const char* word : {"measure_step", "read_elements", "elements_read", "tensors_measured"})
            EXPECT_EQ(text.find(word), std::string::npos) << text;
    };
    Recording(file.string()).read({.steps = [](RunId, std::span<const StepRecord>) {}, .entry = check});
    std::filesystem::remove(file);
}

}  // namespace
}  // namespace mantissa
