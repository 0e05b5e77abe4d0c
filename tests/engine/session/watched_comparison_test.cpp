// SPDX-License-Identifier: Apache-2.0
// Watched runs compared by sketches, with each other and with the session's own runs.
#include <filesystem>

#include "engine/diagnosis/sketch.h"
#include "tests/engine/attach/probe_script.h"
#include "tests/engine/session/session_fixture.h"

namespace mantissa {
namespace {

using namespace test;
namespace fs = std::filesystem;

/// A probe's file, written by the test: of each step a sketch of the weight "layers.0.weight", 8 by 2.
class WatchedComparison : public ::testing::Test {
protected:
    fs::path folder = fs::temp_directory_path() / ("mantissa_watched_twins_" + std::to_string(getpid()));
    void SetUp() override { fs::create_directories(folder); }
    void TearDown() override { fs::remove_all(folder); }

    static Json sketchedBody(std::int64_t step, const std::vector<float>& weight) {
        Json body = statisticsBody(step, 1, 2);
        body["elements"] = column<std::int64_t>({static_cast<std::int64_t>(weight.size())});
        body["sketches"] = column<float>(sketchOf(weight));
        return body;
    }
    /// `weightOf` gives the weight of each step with statistics; empty: it has no sketch.
    std::string write(const std::string& name, const std::vector<std::int64_t>& steps,
                      const std::function<std::vector<float>(std::int64_t)>& weightOf) {
        std::vector<std::uint8_t> bytes;
        const auto append = [&](const std::string& type, const Json& body) {
            const auto frame = messageFrame(type, body);
            bytes.insert(bytes.end(), frame.begin(), frame.end());
        };
        append("probe_hello", helloBody(std::string(32 - name.size(), '0') + name, name));
        append("tensors_described", {{"tensors", Json::array({{{"id", 1},
                                                               {"name", "layers.0.weight"},
                                                               {"module", "layers.0"},
                                                               {"class", "Linear"},
                                                               {"role", "weight"},
                                                               {"dtype", "f32"},
                                                               {"shape", {8, 2}},
                                                               {"elements", 16}}})}});
        for (const std::int64_t step : steps) {
            const std::vector<float> weight = weightOf(step);
            append("probe_statistics", weight.empty() ? statisticsBody(step, 1, 2) : sketchedBody(step, weight));
            append("probe_step", stepBody(step, {}));
        }
        append("probe_end", {{"steps", steps.size()}, {"dropped", 0}});
        const std::string path = (folder / (name + ".mprobe")).string();
        std::ofstream(path, std::ios::binary)
            .write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
        return path;
    }
    static RunId watch(SessionFixture& lab, const std::string& path) {
        const std::size_t before = lab.runs().size();
        EXPECT_EQ(lab.command(WatchTraining{.place = path, .follows = false}), "");
        for (int i = 0; i < 1000; ++i) {
            lab.session.advance(1, 20);
            const auto runs = lab.runs();
            if (runs.size() > before && runs.back().watch.link == WatchLink::Ended) return runs.back().id;
        }
        ADD_FAILURE() << path << " has not ended";
        return -1;
    }
    static std::vector<std::int64_t> comparedSteps(const SessionFixture& lab) {
        std::vector<std::int64_t> steps;
        for (const RunsCompared& each : lab.all<RunsCompared>()) steps.push_back(each.comparison.step);
        return steps;
    }
};

const std::vector<std::int64_t> kEach{0, 1, 2, 3, 4, 5, 6, 7, 8, 9};

TEST_F(WatchedComparison, AreComparedInTheStepsOfWhichBothHaveSketches) {
    SessionFixture lab;
    const auto ones = [](std::int64_t) { return std::vector<float>(16, 1.0f); };
    const RunId a = watch(lab, write("a", {0, 1, 2, 3, 4, 5, 6, 7, 8, 9}, ones));
    const RunId b = watch(lab, write("b", {0, 2, 3, 6, 8}, [](std::int64_t step) {
                              if (step == 3) return std::vector<float>();
                              std::vector<float> weight(16, 1.0f);
                              if (step >= 6) weight[3] = 9;  // apart by 8, of a length of sqrt(15 + 81)
                              return weight;
                          }));
    ASSERT_EQ(lab.command(CompareRuns{a, b, 0, 100, 1}), "");
    EXPECT_EQ(comparedSteps(lab), (std::vector<std::int64_t>{0, 2, 6, 8}));
    const auto found = lab.all<RunsCompared>();
    ASSERT_EQ(found[1].comparison.layers.size(), 1u);
    EXPECT_EQ(found[1].comparison.layers[0].layer, "layers.0");
    EXPECT_EQ(found[1].comparison.layers[0].relative(), 0);
    EXPECT_NEAR(found[2].comparison.layers[0].relative(), 8 / std::sqrt(96.0), 0.5);
}

TEST_F(WatchedComparison, StretchesOfStepsHaveOneComparisonEach) {
    SessionFixture lab;
    const auto ones = [](std::int64_t) { return std::vector<float>(16, 1.0f); };
    const RunId a = watch(lab, write("a", kEach, ones)), b = watch(lab, write("b", {1, 3, 4, 8, 9}, ones));
    ASSERT_EQ(lab.command(CompareRuns{a, b, 0, 2, 4}), "");
    EXPECT_EQ(comparedSteps(lab), (std::vector<std::int64_t>{1, 4})) << "of the steps 0 to 3, and 4 to 7";
    ASSERT_EQ(lab.command(CompareRuns{a, b, 5, 2, 1}), "") << "steps without sketches are no error";
    EXPECT_EQ(comparedSteps(lab).size(), 2u);
    ASSERT_EQ(lab.command(CompareRuns{a, b, 9, std::numeric_limits<std::int64_t>::max(), std::numeric_limits<std::int64_t>::max()}), "");
    EXPECT_EQ(comparedSteps(lab).back(), 9);
}

TEST_F(WatchedComparison, ARecordingKeepsTheirSketches) {
    const std::string file = (folder / "pair.mantissa").string();
    const auto ones = [](std::int64_t step) { return std::vector<float>(16, step == 0 ? 1.0f : -1.25f); };
    {
        SessionFixture lab;
        lab.session.recordTo(file);
        watch(lab, write("a", kEach, ones));
        watch(lab, write("b", kEach, ones));
        lab.session.endRecording();
    }
    SessionFixture lab;
    ASSERT_EQ(lab.command(OpenRecording{file}), "");
    ASSERT_EQ(lab.command(CompareRuns{lab.run("a").id, lab.run("b").id, 0, 100, 1}), "");
    ASSERT_FALSE(comparedSteps(lab).empty());
    const LayerDifference found = lab.all<RunsCompared>().back().comparison.layers.at(0);
    EXPECT_EQ(found.distance, 0);
    EXPECT_GT(found.length, 3);
}

TEST_F(WatchedComparison, WhatCannotBeComparedIsRefusedInASentence) {
    SessionFixture lab;
    lab.load(task(kTwoRuns));
    const auto none = [](std::int64_t) { return std::vector<float>(); };
    const RunId a = watch(lab, write("a", kEach, none)), b = watch(lab, write("b", kEach, none));
    EXPECT_NE(lab.command(CompareRuns{a, b, 0, 10, 1}).find("sketches=True"), std::string::npos);
    EXPECT_NE(lab.command(CompareRuns{a, lab.run("a").id, 0, 10, 1}).find("sketches=True"), std::string::npos);
    EXPECT_NE(lab.command(CompareRuns{a, a, 0, 10, 1}).find("with itself"), std::string::npos);
    EXPECT_NE(lab.command(CompareRuns{a, 99, 0, 10, 1}), "") << "no such run";
    const RunId c = watch(lab, write("c", kEach, [](std::int64_t) { return std::vector<float>(16, 1.0f); }));
    const RunId d = watch(lab, write("d", kEach, [](std::int64_t) { return std::vector<float>(12, 1.0f); }));
    EXPECT_NE(lab.command(CompareRuns{c, d, 0, 10, 1}).find("the name and the size"), std::string::npos);
}

TEST_F(WatchedComparison, AnOwnRunIsTrainedAgainAndComparedWithAWatchedOne) {
    SessionFixture lab;
    lab.load(task(kTwoRuns));
    lab.trainTo(30);
    // The weights that the watched run sends are the own run's of step 6 in all steps.
    ASSERT_EQ(lab.command(RewindRuns{lab.run("a").id, 6}), "");
    const auto weights = lab.session.trainer(lab.run("a").id)->weights();
    lab.trainTo(20);
    const std::vector<float>& weight = weights.front().values;
    ASSERT_EQ(weights.front().name, "layers.0.weight");
    const RunId theirs = watch(lab, write("theirs", {0, 6, 12, 55}, [&](std::int64_t) { return weight; }));
    ASSERT_EQ(lab.command(CompareRuns{lab.run("a").id, theirs, 0, 100, 1}), "");
    EXPECT_EQ(comparedSteps(lab), (std::vector<std::int64_t>{0, 6, 12})) << "as far as the own run has come";
    const auto found = lab.all<RunsCompared>();
    EXPECT_GT(found[0].comparison.layers[0].relative(), 1e-3);
    EXPECT_LT(found[1].comparison.layers[0].relative(), 1e-6) << "the step of the weights";
    EXPECT_GT(found[2].comparison.layers[0].relative(), 1e-3);
    ASSERT_EQ(lab.command(CompareRuns{theirs, lab.run("b").id, 6, 1, 1}), "") << "either way round";
    EXPECT_EQ(lab.all<RunsCompared>().back().run, theirs);
    EXPECT_EQ(lab.recordsOf("a").size(), 20u) << "the run itself stays where it is";
}

}  // namespace
}  // namespace mantissa
