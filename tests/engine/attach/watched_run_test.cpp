// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>

#include "tests/engine/attach/watched_by_hand.h"

namespace mantissa {
namespace {

using namespace test;

TEST(WatchedRun, TellsEachStepAsTheScriptSawIt) {
    // what the script itself printed, beside what its probe wrote
    std::ifstream file(MANTISSA_GOLDEN "/watched.json");
    const Json seen = Json::parse(file)["steps"];
    FrameReader reader;
    reader.append(bytesOfFile(kWatchedFile));
    std::vector<Event> events;
    std::optional<WatchedRun> run;
    while (const auto payload = reader.next()) {
        ProbeMessage message = decodeProbeMessage(*payload).value();
        if (const auto* hello = std::get_if<ProbeHello>(&message))
            run.emplace(0, "small gpt", *hello, "file", [&](Event&& event) { events.push_back(std::move(event)); });
        run->take(std::move(message));
    }
    run->flush();
    std::vector<StepRecord> records;
    for (const Event& event : events)
        if (const auto* steps = std::get_if<StepsRecorded>(&event))
            records.insert(records.end(), steps->records.begin(), steps->records.end());
    ASSERT_EQ(records.size(), seen.size());
    std::int64_t skipped = 0;
    for (std::size_t i = 0; i < records.size(); ++i) {
        const double loss = std::stod(seen[i]["loss"].get<std::string>()), norm = std::stod(seen[i]["norm"].get<std::string>());
        EXPECT_TRUE(isSameValue(records[i].loss, loss)) << "step " << i;
        EXPECT_EQ(records[i].lossScale, seen[i]["scale"].get<double>()) << "step " << i;
        EXPECT_EQ(records[i].skipped(), seen[i]["skipped"].get<bool>()) << "step " << i;
        skipped += records[i].skipped() ? 1 : 0;
        EXPECT_EQ(records[i].skippedTotal, skipped);
        if (std::isfinite(norm))
            EXPECT_NEAR(records[i].gradNorm, norm, 1e-5 * norm) << "step " << i;
        else
            EXPECT_NE(records[i].flags & kFlagGradNormNonFinite, 0u) << "step " << i;
    }
    EXPECT_EQ(run->info().policy, "fp16");
    EXPECT_EQ(run->info().watch.link, WatchLink::Ended);
    EXPECT_EQ(run->info().settings.training.scaler.growthInterval, 8);
    const Examination* broken = run->examinationOf(24);
    ASSERT_NE(broken, nullptr);
    EXPECT_EQ(broken->card.layer, "h.0.mlp.c_fc");
    EXPECT_TRUE(broken->trials.empty()) << "nothing was repeated";
    EXPECT_EQ(broken->verdict.kind, StepVerdict::ForwardOverflow);
    EXPECT_EQ(run->examinationOf(0)->verdict.kind, StepVerdict::ScaleTooHigh);
}

TEST(WatchedRun, StepsWhoseMessagesWereDroppedAreLeftOut) {
    Watched watched;
    watched.step(0);
    watched.step(1, {.dropped = 2});
    watched.step(4, {.loss = 0.5, .dropped = 2});
    const auto records = watched.records();
    ASSERT_EQ(records.size(), 3u);
    EXPECT_EQ(records[2].step, 4);
    EXPECT_EQ(records[2].loss, 0.5);
    EXPECT_EQ(watched.run.info().watch.dropped, 2);
    watched.run.take(decoded("probe_statistics", statisticsBody(4, 65536, 100)));
    ASSERT_EQ(watched.run.thresholds(0, 10).size(), 3u);
    EXPECT_EQ(watched.run.thresholds(2, 3).at(0).step, 4);
    EXPECT_TRUE(watched.run.thresholds(2, 2).empty()) << "steps 2 and 3 never came";
}

TEST(WatchedRun, AGapOfAnyLengthIsNoReasonToRefuse) {
    Watched watched;  // as where the lab was restarted after days
    watched.step(0);
    watched.step(5'000'000);
    watched.run.take(decoded("probe_statistics", statisticsBody(5'000'000, 65536, 100)));
    watched.step(5'000'001);
    EXPECT_EQ(watched.records().size(), 3u);
    EXPECT_EQ(watched.run.nextStep(), 5'000'002);
}

TEST(WatchedRun, BeginsWhereTheProbeBegan) {
    Watched watched;
    watched.step(100);
    watched.step(101);
    EXPECT_EQ(watched.run.info().firstStep, 100);
    ASSERT_EQ(watched.records().size(), 2u);
    EXPECT_EQ(watched.records()[0].step, 100);
    watched.step(101);
    EXPECT_EQ(watched.records().size(), 2u) << "a step that has come before is left out";
}

TEST(WatchedRun, KnowsItsPrecisionByAutocastAndByItsWeights) {
    Watched watched;
    watched.step(0);
    EXPECT_EQ(watched.run.info().policy, "fp16");
    watched.step(1, {.autocast = "bf16"});
    EXPECT_EQ(watched.run.info().policy, "bf16");
    Json tensors = tensorsBody();
    tensors["tensors"][2]["dtype"] = "f16";
    watched.run.take(decoded("tensors_described", tensors));
    Json step = stepBody(2);
    step["autocast"] = nullptr;
    watched.run.take(decoded("probe_step", step));
    EXPECT_EQ(watched.run.info().policy, "pure-fp16");
}

TEST(WatchedRun, ThresholdsAgreeWithWhatEachStepHasShown) {
    Watched watched;
    EXPECT_TRUE(watched.run.thresholds(0, 10).empty());
    watched.step(0, {.scale = 1024, .next = 1024});
    watched.run.take(decoded("probe_statistics", statisticsBody(0, 1024, 1024)));  // 1 unscaled: overflows from 65520 on
    watched.step(1, {.scale = 1024, .next = 131072});
    watched.step(2, {.scale = 131072, .next = 65536, .skipped = true, .foundInf = true});
    watched.step(3, {.scale = 65536, .next = 131072});  // finite above the estimate: it bears more
    watched.step(4, {.scale = 4096, .next = 4096, .skipped = true, .foundInf = true});
    const auto thresholds = watched.run.thresholds(0, 100);
    ASSERT_EQ(thresholds.size(), 5u);
    EXPECT_EQ(thresholds[0].highest, 32768);
    EXPECT_TRUE(thresholds[0].staysFiniteAt(65519));
    EXPECT_FALSE(thresholds[0].staysFiniteAt(65520));
    EXPECT_EQ(thresholds[1].highest, 32768);
    EXPECT_FALSE(thresholds[2].staysFiniteAt(131072));
    EXPECT_TRUE(thresholds[3].staysFiniteAt(65536));
    EXPECT_EQ(thresholds[4].highest, 2048);
    EXPECT_FALSE(thresholds[4].staysFiniteAt(4096));
    const auto some = watched.run.thresholds(3, 1);
    ASSERT_EQ(some.size(), 1u);
    EXPECT_EQ(some[0].step, 3);
}

TEST(WatchedRun, NoScaleIsUsableInAStepWhoseForwardPassFailed) {
    Watched watched;
    watched.step(0, {.scale = 1024, .next = 1024});
    watched.run.take(decoded("probe_statistics", statisticsBody(0, 1024, 1024)));
    const double nan = std::numeric_limits<double>::quiet_NaN();
    watched.step(1, {.loss = nan, .scale = 1024, .next = 512, .skipped = true, .foundInf = true});
    watched.step(2, {.scale = 512,
                     .next = 256,
                     .skipped = true,
                     .foundInf = true,
                     .firstBad = bad("head.output", "head", "value", "inf", kAllFinite, 0)});
    watched.step(3, {.scale = 256, .next = 256});
    const auto thresholds = watched.run.thresholds(0, 100);
    ASSERT_EQ(thresholds.size(), 4u);
    for (const int step : {1, 2}) EXPECT_FALSE(thresholds[static_cast<std::size_t>(step)].staysFiniteAt(0x1p-100)) << step;
    EXPECT_EQ(thresholds[3].highest, 32768);
    (void)watched.records();
    WatchedRun again(watched.run.info(), [](Event&&) {});
    for (const Event& event : watched.events) again.recall(event);
    ASSERT_EQ(again.thresholds(0, 100).size(), 4u);
    for (const int step : {1, 2}) EXPECT_FALSE(again.thresholds(step, 1).at(0).staysFiniteAt(0x1p-100)) << step << ", opened again";
}

TEST(WatchedRun, AGradientSeenFiniteBeyondFp16IsNotBoundByIt) {
    Watched watched;
    watched.step(0);
    watched.run.take(decoded("probe_statistics", statisticsBody(0, 65536, 3e9f)));
    EXPECT_TRUE(watched.run.thresholds(0, 1).empty()) << "no gradient that FP16 bounds was measured";
}

TEST(WatchedRun, GradientsOfSomeTensorsRaiseWhatIsKnownAndDoNotLowerIt) {
    Watched watched;
    watched.step(0);
    watched.run.take(decoded("probe_statistics", statisticsBody(0, 65536, 65504)));  // 1 unscaled, nearly
    Json step = stepBody(1);
    step["magnitudes"] = {{"tensor", column<std::uint32_t>({1})}, {"bits", column<std::uint32_t>({0x3F800000})}};  // 1 times the scale
    watched.run.take(decoded("probe_step", step));
    const auto thresholds = watched.run.thresholds(0, 2);
    ASSERT_EQ(thresholds.size(), 2u);
    EXPECT_EQ(thresholds[1].gradientMax, thresholds[0].gradientMax);
}

TEST(WatchedRun, UnderBf16AFiniteStepSaysNothingOfFp16) {
    Watched watched;
    watched.step(0, {.scale = 1, .next = 1, .autocast = "bf16"});
    watched.run.take(decoded("probe_statistics", statisticsBody(0, 1, 1e6f)));
    const auto thresholds = watched.run.thresholds(0, 1);
    ASSERT_EQ(thresholds.size(), 1u) << "a large gradient is what FP16 could not hold";
    EXPECT_LT(thresholds[0].highest, 1);
}

TEST(WatchedRun, ANormThatIsNoNumberIsKnownToBeNone) {
    Watched watched;
    Json step = stepBody(0);
    step["optimizers"][0]["grad_norm"] = std::nan("");
    step["scaler"] = nullptr;
    watched.run.take(decoded("probe_step", step));
    const StepRecord record = watched.records().at(0);
    EXPECT_NE(record.flags & kFlagGradNormNonFinite, 0u);
    EXPECT_TRUE(hasMetric(record, Metric::GradNorm));
    EXPECT_EQ(watched.all<StepExamined>().size(), 1u);
    // of two optimizers the norms that are known
    Json two = stepBody(1);
    two["optimizers"].push_back(two["optimizers"][0]);
    two["optimizers"][0]["grad_norm"] = nullptr;
    two["optimizers"][1]["grad_norm"] = 3.0;
    watched.run.take(decoded("probe_step", two));
    EXPECT_EQ(watched.records().back().gradNorm, 3);
}

TEST(WatchedRun, ATensorThatDidNoHarmMakesNoBadStep) {
    Watched watched;
    watched.step(0, {.firstBad = bad("input.mask", "", "value", "inf")});
    EXPECT_TRUE(watched.all<StepExamined>().empty()) << "loss and gradients are finite, and the optimizer has stepped";
    watched.step(1, {.skipped = true, .foundInf = true, .firstBad = bad("head.output.grad", "head", "gradient", "inf")});
    EXPECT_EQ(watched.all<StepExamined>().size(), 1u);
}

TEST(WatchedRun, NoThresholdFollowsFromAScaleThatIsNone) {
    for (const double scale : {0.0, -5.0, 1e-320, static_cast<double>(NAN), static_cast<double>(INFINITY)}) {
        Watched watched;
        watched.step(0);
        watched.run.take(decoded("probe_statistics", statisticsBody(0, 65536, 65504)));
        watched.step(1, {.scale = scale, .next = scale, .skipped = true, .foundInf = true});
        watched.run.take(decoded("probe_statistics", statisticsBody(1, scale, 100)));
        watched.step(2);
        const auto thresholds = watched.run.thresholds(0, 3);
        ASSERT_EQ(thresholds.size(), 3u);
        for (const StepThreshold& each : thresholds) EXPECT_EQ(each.highest, 65536) << scale << " at step " << each.step;
    }
}

TEST(WatchedRun, ABlockOfATensorDoesNotTellItsLargestGradient) {
    Watched watched;
    watched.step(0);
    Json block = statisticsBody(0, 65536, 100);
    block["elements"] = column<std::int64_t>({1000});  // 8 of which were counted
    watched.run.take(decoded("probe_statistics", block));
    EXPECT_TRUE(watched.run.thresholds(0, 1).empty());
    WatchedRun again(watched.run.info(), [](Event&&) {});
    for (const Event& event : watched.events) again.recall(event);
    EXPECT_TRUE(again.thresholds(0, 1).empty());
}

TEST(WatchedRun, OfVeryManyOperationsOnlySomeAreKept) {
    Watched watched;
    watched.step(0);
    Json operations = Json::array();
    for (int i = 0; i < 5000; ++i) operations.push_back({{"operation", "op"}, {"shape", {1}}});
    Json captured{{"step", 1}, {"operations", operations}, {"first_bad", 4000}, {"left_out", 0}, {"problem", ""}};
    watched.run.take(decoded("operations_captured", captured));
    watched.run.take(decoded("operations_captured", captured));
    ASSERT_EQ(watched.all<StepExamined>().size(), 1u) << "the same again says nothing new";
    EXPECT_EQ(watched.all<StepExamined>()[0].examination.card.chain.size(), 200u);
}

TEST(WatchedRun, RecallsWhatARecordingTells) {
    Watched watched;
    watched.step(0);
    watched.run.take(decoded("probe_statistics", statisticsBody(0, 65536, 40000)));
    watched.step(1, kSkip);
    watched.run.flush();
    WatchedRun again(watched.run.info(), [](Event&&) { FAIL() << "nothing is told"; });
    for (const Event& event : watched.events) again.recall(event);
    EXPECT_EQ(again.info().watch.link, WatchLink::Lost) << "its process is gone";
    EXPECT_EQ(again.nextStep(), 2);
    ASSERT_NE(again.examinationOf(1), nullptr);
    ASSERT_NE(again.statisticsOf(1), nullptr);
    EXPECT_EQ(*again.statisticsOf(1), *watched.run.statisticsOf(1));
    EXPECT_EQ(again.thresholds(0, 9), watched.run.thresholds(0, 9));
}

TEST(WatchedRun, OfAStormOnlySomeStepsAreKept) {
    Watched watched;
    for (int i = 0; i < 64; ++i) watched.step(i, kSkip);
    EXPECT_EQ(watched.all<StepExamined>().size(), 3u + 5u) << "1, 2, 3, then 4, 8, 16, 32, 64";
    EXPECT_EQ(watched.all<NonFiniteFound>().size(), 1u);
}

Json captured(std::int64_t step, const Json& firstBad) {
    const auto operation = [](const char* name, double absMax) {
        return Json{{"operation", name}, {"module", "head"}, {"node", ""},        {"phase", "forward"},
                    {"dtype", "f16"},    {"shape", {2}},     {"abs_max", absMax}, {"input_abs_max", 1.0}};
    };
    return {{"step", step},
            {"operations", Json::array({operation("mm", 2), operation("exp", INFINITY), operation("add", INFINITY)})},
            {"first_bad", firstBad},
            {"left_out", 0},
            {"problem", ""}};
}

TEST(WatchedRun, ACaptureNamesTheOperation) {
    Watched watched;
    watched.step(0);
    watched.run.take(decoded("operations_captured", captured(1, 1)));
    const auto examined = watched.all<StepExamined>();
    ASSERT_EQ(examined.size(), 1u);
    EXPECT_EQ(examined[0].examination.card.operation, "exp");
    EXPECT_EQ(examined[0].examination.card.instruction, 2);
    EXPECT_EQ(examined[0].examination.card.chain.size(), 3u);
}

TEST(WatchedRun, ACaptureIsMergedWithItsStepInWhicheverOrderTheyCome) {
    const ScriptStep script{.loss = std::nan(""), .firstBad = bad("head.output", "head", "value", "inf", kAllFinite, 0)};
    Watched asTheProbeSends, theOther;
    asTheProbeSends.step(0);
    asTheProbeSends.run.take(decoded("operations_captured", captured(1, 1)));
    asTheProbeSends.step(1, script);
    theOther.step(0);
    theOther.step(1, script);
    theOther.run.take(decoded("operations_captured", captured(1, 1)));
    for (const Watched* watched : {&asTheProbeSends, &theOther}) {
        const Examination* found = watched->run.examinationOf(1);
        ASSERT_NE(found, nullptr);
        EXPECT_EQ(found->verdict.kind, StepVerdict::ForwardOverflow);
        EXPECT_EQ(found->card.operation, "exp");
        EXPECT_EQ(found->card.chain.size(), 3u);
        EXPECT_NE(found->verdict.explanation.english().find("exp in head was the first"), std::string::npos);
    }
}

TEST(WatchedRun, ACaptureThatFailedOrIsNotWholeSaysSo) {
    Watched watched;
    watched.step(0);
    watched.run.take(decoded("operations_captured", {{"step", 1}, {"operations", Json::array()}, {"problem", "it is compiled"}}));
    SkipVerdict verdict = watched.all<StepExamined>().back().examination.verdict;
    EXPECT_EQ(verdict.kind, StepVerdict::Unexplained);
    EXPECT_NE(verdict.explanation.english().find("it is compiled"), std::string::npos);
    Json some = captured(2, nullptr);
    some["left_out"] = 7;
    watched.run.take(decoded("operations_captured", some));
    verdict = watched.all<StepExamined>().back().examination.verdict;
    EXPECT_EQ(verdict.kind, StepVerdict::Unexplained);
    EXPECT_NE(verdict.explanation.english().find("7 operations were not seen"), std::string::npos);
}

}  // namespace
}  // namespace mantissa
