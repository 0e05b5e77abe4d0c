// SPDX-License-Identifier: Apache-2.0
// Gauges of silent failures through a session: when they are told, that training does not notice, and that a recording tells the same.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "engine/diagnosis/tensor_shares.h"
#include "engine/recording/recording.h"
#include "engine/session/diagnose.h"
#include "tests/engine/session/same_records.h"
#include "tests/engine/session/session_fixture.h"

namespace mantissa {
namespace {

using test::SessionFixture;
using test::task;

/// Updates far below half an ulp of BF16; the same with FP32 masters; clipped before it is unscaled.
const std::string kSilent =
    R"({"name":"lost","precision":"pure-bf16","optimizer":{"kind":"sgd","lr":0.001}},
       {"name":"kept","precision":"bf16","optimizer":{"kind":"sgd","lr":0.001}},
       {"name":"kahan","precision":{"policy":"pure-bf16","weight_update":"kahan"},"optimizer":{"kind":"sgd","lr":0.001}},
       {"name":"clipped","precision":"fp16","clip_grad_norm":1,"unscale":"after_clip"})";

const Gauge* gaugeAmong(const std::vector<Gauge>& gauges, GaugeKind kind) {
    for (const Gauge& gauge : gauges) {
        if (gauge.kind == kind) return &gauge;
    }
    return nullptr;
}

TEST(GaugesSession, ALookAtTheNextStepChangesNothing) {
    SessionFixture lab, other;
    for (SessionFixture* each : {&lab, &other}) each->load(task(kSilent));
    for (const std::int64_t until : {3, 20, 40}) {
        lab.trainTo(until);
        for (const char* name : {"lost", "kept", "kahan", "clipped"}) EXPECT_TRUE(lab.session.readGauges(lab.run(name).id));
    }
    other.trainTo(40);
    for (const char* name : {"lost", "kept", "kahan", "clipped"}) test::expectSameBits(lab.recordsOf(name), other.recordsOf(name));
    EXPECT_TRUE(lab.all<TensorsMeasured>().empty());
    const auto severityOf = [&](const char* name) {
        const RunId id = lab.run(name).id;
        std::optional<Severity> latest;
        for (const GaugesRead& read : lab.all<GaugesRead>()) {
            if (read.run == id) latest = gaugeAmong(read.gauges, GaugeKind::LostUpdates)->severity;
        }
        return latest.value_or(Severity::Good);
    };
    EXPECT_EQ(severityOf("lost"), Severity::Bad);
    EXPECT_EQ(severityOf("kahan"), Severity::Note) << "what a step loses is carried on";
    EXPECT_EQ(severityOf("kept"), Severity::Good);
    EXPECT_FALSE(lab.session.readGauges(77));
}

TEST(GaugesSession, AreToldWhenOneBecomesBetterOrWorse) {
    SessionFixture lab;
    lab.session.measureTensors(Instrumentation::Full);
    lab.load(task(R"({"name":"a","precision":"pure-bf16","optimizer":{"kind":"sgd","lr":0.001}})"));
    lab.trainTo(30);
    const RunId id = lab.run("a").id;
    ASSERT_EQ(lab.all<GaugesRead>().size(), 1u) << "once, however many looks";
    ASSERT_EQ(lab.command(ChangeSetting{id, "/precision", "bf16"}), "");
    lab.trainTo(60);
    const auto read = lab.all<GaugesRead>();
    ASSERT_EQ(read.size(), 2u);
    EXPECT_EQ(gaugeAmong(read[0].gauges, GaugeKind::LostUpdates)->severity, Severity::Bad);
    EXPECT_EQ(gaugeAmong(read[1].gauges, GaugeKind::LostUpdates)->severity, Severity::Good);
    EXPECT_GE(read[1].step, 30);
}

TEST(GaugesSession, EachLookIsToldInSharesOfTheWholeModel) {
    SessionFixture lab;
    lab.session.measureTensors(Instrumentation::Full);
    lab.load(task(R"({"name":"a","precision":"pure-bf16","optimizer":{"kind":"sgd","lr":0.001}})"));
    lab.trainTo(20);
    const auto looks = lab.all<TensorsMeasured>();
    const auto values = lab.all<ValuesMeasured>();
    ASSERT_GT(looks.size(), 0u);
    ASSERT_EQ(values.size(), looks.size());
    for (std::size_t i = 0; i < looks.size(); ++i) {
        EXPECT_EQ(values[i].step, looks[i].stats.step);
        EXPECT_EQ(values[i].values, tensorShares(looks[i].stats));
    }
    EXPECT_GT(tensorShare(looks.back().stats, tensor_share::kLostUpdates), 0.85);
}

TEST(GaugesSession, ARecordingTellsTheSame) {
    const std::filesystem::path file = std::filesystem::path(testing::TempDir()) / ("gauges_" + std::to_string(::getpid()) + ".mantissa");
    std::vector<GaugesRead> told;
    std::vector<ValuesMeasured> values;
    {
        SessionFixture lab;
        lab.session.recordTo(file.string());
        lab.load(task(kSilent));
        lab.trainTo(30);
        for (const char* name : {"lost", "clipped"}) EXPECT_TRUE(lab.session.readGauges(lab.run(name).id));
        told = lab.all<GaugesRead>();
        values = lab.all<ValuesMeasured>();
        lab.session.endRecording();
    }
    ASSERT_EQ(told.size(), 2u);
    ASSERT_EQ(values.size(), 2u);
    {
        SessionFixture opened;
        ASSERT_EQ(opened.command(OpenRecording{file.string()}), "");
        const auto again = opened.all<GaugesRead>();
        ASSERT_EQ(again.size(), 2u);
        for (std::size_t i = 0; i < 2; ++i) {
            EXPECT_EQ(again[i].step, told[i].step);
            EXPECT_EQ(again[i].gauges.front().sentence, told[i].gauges.front().sentence);
        }
        const auto valuesAgain = opened.all<ValuesMeasured>();
        ASSERT_EQ(valuesAgain.size(), 2u);
        for (std::size_t i = 0; i < 2; ++i) {
            EXPECT_EQ(valuesAgain[i].step, values[i].step);
            EXPECT_EQ(valuesAgain[i].values, values[i].values);
        }
    }
    const Recording recording(file.string());
    const Diagnosed lost = diagnose(recording, createCpuBackend(), {.run = "lost", .step = 20});
    ASSERT_FALSE(lost.examination.gauges.empty());
    EXPECT_EQ(gaugeAmong(lost.examination.gauges, GaugeKind::LostUpdates)->severity, Severity::Bad);
    EXPECT_EQ(lost.examination.verdict.kind, StepVerdict::SilentFailure);
    EXPECT_TRUE(lost.examination.verdict.headline.english().starts_with("Finite, but ")) << lost.examination.verdict.headline.english();
    const Diagnosed kept = diagnose(recording, createCpuBackend(), {.run = "kept", .step = 20});
    EXPECT_EQ(gaugeAmong(kept.examination.gauges, GaugeKind::LostUpdates)->severity, Severity::Good);
    const Diagnosed clipped = diagnose(recording, createCpuBackend(), {.run = "clipped", .step = 20});
    EXPECT_EQ(gaugeAmong(clipped.examination.gauges, GaugeKind::ClippedWhileScaled)->severity, Severity::Bad);
    std::filesystem::remove(file);
}

}  // namespace
}  // namespace mantissa
