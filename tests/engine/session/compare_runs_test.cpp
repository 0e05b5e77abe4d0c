// SPDX-License-Identifier: Apache-2.0
// Runs held against each other at past steps: equal ones are equal to the last bit, and what was put into one of them is found where it is.
#include "engine/session/compare_runs.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "tests/engine/session/session_fixture.h"

namespace mantissa {
namespace {

using test::SessionFixture;
using test::task;

std::vector<StepComparison> compared(const SessionFixture& lab) {
    std::vector<StepComparison> comparisons;
    for (const RunsCompared& each : lab.all<RunsCompared>()) comparisons.push_back(each.comparison);
    return comparisons;
}

std::vector<std::int64_t> stepsOf(const std::vector<StepComparison>& comparisons) {
    std::vector<std::int64_t> steps;
    for (const StepComparison& each : comparisons) steps.push_back(each.step);
    return steps;
}

/// Of runs 'a' and 'b', as they are now.
std::vector<StepComparison> comparedRuns(SessionFixture& lab, std::int64_t first, std::int64_t count, std::int64_t every = 1) {
    lab.events.erase(std::remove_if(lab.events.begin(), lab.events.end(),
                                    [](const Event& event) { return std::holds_alternative<RunsCompared>(event); }),
                     lab.events.end());
    EXPECT_EQ(lab.command(CompareRuns{lab.run("a").id, lab.run("b").id, first, count, every}), "");
    return compared(lab);
}

constexpr const char* kEqual = R"({"name":"a","precision":"fp16"},{"name":"b","precision":"fp16"})";

TEST(ComparedRuns, WithEqualSettingsTheyDifferByNothingAnywhere) {
    for (const char* model : {R"("hidden":[16])", R"("kind":"resnet","depth":8)"}) {
        SessionFixture lab;
        const std::string runs = std::string(R"({"name":"a","precision":"fp16","model":{)") + model +
                                 R"(}},{"name":"b","precision":"fp16","model":{)" + model + "}}";
        lab.load(task(runs));
        lab.trainTo(6);
        const auto memory = lab.session.trainer(lab.run("a").id)->snapshot().memory;
        const auto found = comparedRuns(lab, 0, 100);
        EXPECT_EQ(stepsOf(found), (std::vector<std::int64_t>{0, 1, 2, 3, 4, 5, 6})) << "to the next step, and no further";
        std::set<TensorRole> roles;
        for (const StepComparison& each : found) {
            EXPECT_GT(each.layers.size(), 6u);
            for (const LayerDifference& layer : each.layers) {
                EXPECT_EQ(layer.relative(), 0) << each.step << " " << layer.tensor;
                EXPECT_GT(layer.length, 0) << each.step << " " << layer.tensor << ": there was something to compare";
                roles.insert(layer.role);
            }
        }
        EXPECT_EQ(roles.size(), 4u) << "weights, values and both kinds of gradients";
        EXPECT_EQ(lab.session.trainer(lab.run("a").id)->snapshot().memory, memory) << "the runs stay where they are";
        EXPECT_EQ(lab.session.trainer(lab.run("a").id)->nextStep(), 6);
    }
}

TEST(ComparedRuns, AFaultIsFoundInItsLayerAndStep) {
    for (const auto& [tensor, layer, phase] :
         {std::tuple("layers.1.output", "layers.1", "forward"), std::tuple("layers.0.weight.grad", "layers.0", "backward")}) {
        SessionFixture lab;
        lab.load(task(kEqual, std::string(R"("events":[{"step":12,"run":"b","set":{"/inject/tensor":{"tensor":")") + tensor +
                                  R"(","value":1000}}}],)"));
        lab.trainTo(20);
        const auto found = comparedRuns(lab, 5, 100);
        EXPECT_EQ(stepsOf(found).front(), 5);
        const auto apart = firstApart(found, 0);
        ASSERT_TRUE(apart);
        EXPECT_EQ(found[apart->comparison].step, 12);
        const LayerDifference& where = found[apart->comparison].layers[apart->layer];
        EXPECT_EQ(where.layer, layer);
        EXPECT_EQ(where.tensor, tensor);
        EXPECT_EQ(phaseName(where.role), phase);
        EXPECT_GT(where.relative(), 0.01);
        EXPECT_GT(largestDifference(std::span(found).subspan(apart->comparison + 1), TensorRole::Weight), 0) << "and it has lasted";
    }
}

TEST(ComparedRuns, AFaultThatIsNotFiniteIsInfinitelyFarApart) {
    SessionFixture lab;
    lab.load(task(kEqual, R"("events":[{"step":3,"run":"b","set":{"/inject/tensor":{"tensor":"layers.0.output","value":"nan"}}}],)"));
    lab.trainTo(5);
    const auto found = comparedRuns(lab, 0, 100);
    const auto apart = firstApart(found, 1e9);
    ASSERT_TRUE(apart);
    EXPECT_EQ(found[apart->comparison].step, 3);
    EXPECT_EQ(found[apart->comparison].layers[apart->layer].tensor, "layers.0.output");
    EXPECT_EQ(found[apart->comparison].layers[apart->layer].broken, 1);
    EXPECT_GT(largestDifference(std::span(found).subspan(4), TensorRole::Weight), 0) << "the step was skipped in b alone";
}

TEST(ComparedRuns, AChangeOfPrecisionIsFoundAtItsStepHoweverItWasMade) {
    constexpr const char* kEvent = R"("events":[{"step":9,"run":"b","set":{"/precision":"bf16"}}],)";
    for (const bool isLive : {false, true}) {
        SessionFixture lab;
        lab.load(task(R"({"name":"a","precision":"fp32"},{"name":"b","precision":"fp32"})", isLive ? "" : kEvent));
        if (isLive) {
            lab.trainTo(9);
            ASSERT_EQ(lab.command(ChangeSetting{lab.run("b").id, "/precision", "bf16"}), "");
        }
        lab.trainTo(14);
        const auto found = comparedRuns(lab, 0, 100);
        const auto apart = firstApart(found, 0);
        ASSERT_TRUE(apart);
        EXPECT_EQ(found[apart->comparison].step, 9);
        const LayerDifference& where = found[apart->comparison].layers[apart->layer];
        EXPECT_EQ(where.tensor, "layers.0.output") << "the first that is rounded";
        EXPECT_GT(where.relative(), 1e-4);
        EXPECT_LT(where.relative(), 1e-2) << "8 bits";
        const auto later = comparedRuns(lab, 9, 1);
        ASSERT_EQ(later.size(), 1u);
        EXPECT_EQ(later[0], found[9]) << "wherever the comparison begins";
    }
}

TEST(ComparedRuns, GradientsAreHeldAgainstEachOtherWithoutTheirScales) {
    SessionFixture lab;
    lab.load(task(R"({"name":"a","precision":"fp16","scaler":{"preset":"static","init_scale":1024}},
                     {"name":"b","precision":"fp32"})"));
    lab.trainTo(2);
    const auto found = comparedRuns(lab, 0, 1);
    ASSERT_EQ(found.size(), 1u);
    for (const LayerDifference& layer : found[0].layers) EXPECT_LT(layer.relative(), 0.02) << layer.tensor;
}

TEST(ComparedRuns, EveryNthStepIsHeldAgainstTheOthers) {
    SessionFixture lab;
    lab.load(task(kEqual));
    lab.trainTo(20);
    EXPECT_EQ(stepsOf(comparedRuns(lab, 3, 4, 5)), (std::vector<std::int64_t>{3, 8, 13, 18}));
    EXPECT_EQ(stepsOf(comparedRuns(lab, 3, 2, 5)), (std::vector<std::int64_t>{3, 8}));
    EXPECT_EQ(stepsOf(comparedRuns(lab, 18, 9, 5)), (std::vector<std::int64_t>{18}));
}

TEST(ComparedRuns, WhatCannotBeComparedIsRefusedInASentence) {
    SessionFixture lab;
    lab.load(task(R"({"name":"a"},{"name":"b","model":{"hidden":[8]}},{"name":"c","data":{"seed":3},"init":{"seed":2}},
                     {"name":"e","model":{"activation":"tanh"}})"));
    lab.trainTo(3);
    const auto compare = [&](const char* run, const char* other, std::int64_t first = 0, std::int64_t every = 1) {
        return lab.command(CompareRuns{lab.run(run).id, lab.run(other).id, first, 5, every});
    };
    EXPECT_EQ(compare("a", "b"), "runs 'a' and 'b' have different models: MLP 64-16-10, relu; MLP 64-8-10, relu");
    EXPECT_EQ(compare("a", "e"), "runs 'a' and 'e' have different models: MLP 64-16-10, relu; MLP 64-16-10, tanh");
    EXPECT_EQ(compare("a", "a"), "a run cannot be compared with itself");
    EXPECT_EQ(compare("a", "c", 0, 0), "a comparison has at least one step, and goes forward");
    EXPECT_NE(compare("a", "c", 4).find("and not to step 4"), std::string::npos);
    EXPECT_EQ(lab.command(CompareRuns{lab.run("a").id, 99, 0, 1, 1}), "there is no run 99");
    EXPECT_TRUE(lab.all<RunsCompared>().empty());
    ASSERT_EQ(compare("a", "c"), "") << "other data and seeds are another beginning, not another model";
    EXPECT_EQ(lab.all<RunsCompared>().back().note, "They begin with different weights, and train on different batches.");
}

TEST(ComparedRuns, AStopEndsItAndWhatCameHolds) {
    SessionFixture lab;
    lab.load(task(kEqual));
    lab.trainTo(30);
    const std::uint64_t id = lab.post(CompareRuns{lab.run("a").id, lab.run("b").id, 0, 31, 1});
    while (lab.all<RunsCompared>().size() < 3) lab.session.advance(0, 0);
    const std::size_t told = lab.all<RunsCompared>().size();
    EXPECT_LT(told, 31u);
    lab.post(StopQuestion{id});
    while (lab.count<CommandDone>([&](const CommandDone& done) { return done.commandId == id; }) == 0) lab.session.advance(0, 0);
    EXPECT_EQ(lab.all<RunsCompared>().size(), told);
    for (const RunsCompared& each : lab.all<RunsCompared>()) EXPECT_EQ(each.commandId, id);
}

TEST(ComparedRuns, OfAnExperimentTheyAreTrainedSideBySide) {
    Experiment experiment = parseExperiment(task(kEqual, R"("events":[{"step":12,"run":"b","set":{"/precision":"bf16"}}],)"), "x");
    std::vector<StepComparison> found;
    const auto tell = [&](StepComparison each) { found.push_back(std::move(each)); };
    EXPECT_EQ(compareRuns(experiment, createCpuBackend(), {"a", "b", 4}, tell).note, "");
    ASSERT_EQ(found.size(), 15u);
    const auto apart = firstApart(found, 0);
    ASSERT_TRUE(apart);
    EXPECT_EQ(found[apart->comparison].step, 12);
    EXPECT_THROW(compareRuns(experiment, createCpuBackend(), {"a", "c", 4}, tell), InputError);
    EXPECT_THROW(compareRuns(experiment, createCpuBackend(), {"a", "a", 4}, tell), InputError);
}

}  // namespace
}  // namespace mantissa
