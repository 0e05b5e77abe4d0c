// SPDX-License-Identifier: Apache-2.0
// Checkpoints: states that are kept, by hand or by the recording, and runs as they were arranged; told, and as a recording has them.
#include <unistd.h>

#include <fstream>
#include <sstream>

#include "engine/recording/database.h"
#include "engine/session/history.h"
#include "engine/session/recorded_runs.h"
#include "engine/session/recording_export.h"
#include "engine/session/replay.h"
#include "engine/telemetry/run_identity.h"
#include "tests/engine/session/same_records.h"
#include "tests/engine/session/session_fixture.h"

namespace mantissa {
namespace {

namespace fs = std::filesystem;
using test::expectSameBits;
using test::SessionFixture;

class Checkpoints : public testing::Test {
protected:
    fs::path folder = fs::path(testing::TempDir()) / ("checkpoints_" + std::to_string(::getpid()));
    std::string file = (folder / "a.mantissa").string();
    Checkpoints() { fs::create_directories(folder); }
    ~Checkpoints() override { fs::remove_all(folder); }

    std::string textOf(const fs::path& path) const {
        std::stringstream text;
        text << std::ifstream(path).rdbuf();
        return text.str();
    }
};

RunPoint stateBefore(std::int64_t step, std::size_t bytes) {
    auto snapshot = std::make_shared<Snapshot>();
    snapshot->memory.resize(bytes);
    return {.step = step, .settings = {}, .ownSettings = {}, .snapshot = snapshot};
}

TEST(CheckpointHistory, OneKeptByHandMakesNoRoomForOthers) {
    History history(stateBefore(0, 0), 1000);
    history.keep(stateBefore(1, 100), 0);
    EXPECT_TRUE(history.keepByHand(stateBefore(2, 100)));
    for (std::int64_t step = 3; step < 200; ++step) history.keep(stateBefore(step, 100), 0);
    EXPECT_LE(history.bytes(), 1000);
    EXPECT_EQ(history.nearest(2).step, 2);
    EXPECT_NE(history.nearest(3).step, 3) << "the others near it went";
    history.forgetFrom(1);
    EXPECT_EQ(history.latest().step, history.nearest(1).step);
    EXPECT_LT(history.latest().step, 2) << "the run has not come to it";
}

TEST(CheckpointHistory, ThoseKeptByHandTakeAtMostHalfOfTheRoom) {
    History history(stateBefore(0, 0), 1000);
    for (std::int64_t step = 1; step <= 5; ++step) EXPECT_TRUE(history.keepByHand(stateBefore(step, 100))) << step;
    EXPECT_FALSE(history.keepByHand(stateBefore(6, 100)));
    EXPECT_TRUE(history.keepByHand(stateBefore(5, 100))) << "the same once more takes no room";
    EXPECT_EQ(history.latest().step, 5);
    EXPECT_EQ(history.bytes(), 500);
}

TEST_F(Checkpoints, AForkAndARewindFindTheStateAsItIs) {
    SessionFixture lab;
    EXPECT_NE(lab.command(KeepCheckpoint{0}), "") << "there is no experiment yet";
    lab.load(test::task(test::kTwoRuns));
    lab.trainTo(20);
    const RunId b = lab.run("b").id;
    ASSERT_EQ(lab.command(KeepCheckpoint{b}), "");
    const auto kept = lab.all<CheckpointKept>();
    ASSERT_EQ(kept.size(), 1u);
    EXPECT_EQ(kept[0].run, b);
    const std::int64_t step = kept[0].step;
    EXPECT_EQ(step, static_cast<std::int64_t>(lab.recordsOf("b").size()));
    EXPECT_NE(kept[0].commandId, 0u);
    lab.trainTo(60);
    const auto plain = lab.recordsOf("b");
    ASSERT_EQ(lab.command(ForkRun{b, step, {}, "fork", 0}), "");
    EXPECT_LE(lab.turns, 2) << "it trains nothing again";
    for (const RunCaughtUp& there : lab.all<RunCaughtUp>()) EXPECT_EQ(there.differsAt, -1);
    lab.trainTo(60);
    expectSameBits(lab.recordsOf("fork"), {plain.begin() + step, plain.end()});
    ASSERT_EQ(lab.command(RewindRuns{b, step}), "");
    EXPECT_LE(lab.turns, 2);
    lab.trainTo(60);
    expectSameBits(lab.recordsOf("b"), plain);
    EXPECT_NE(lab.command(KeepCheckpoint{77}), "");
}

TEST_F(Checkpoints, NoneIsKeptWithAChangeThatGoingBackWouldUndo) {
    SessionFixture lab;
    lab.load(test::task(test::kTwoRuns));
    lab.trainTo(10);
    const RunId a = lab.run("a").id;
    ASSERT_EQ(lab.command(ChangeSetting{a, "/optimizer/lr", 0.5}), "");
    EXPECT_NE(lab.command(KeepCheckpoint{a}).find("train that step first"), std::string::npos);
    ASSERT_EQ(lab.command(SingleStep{}), "");
    EXPECT_EQ(lab.command(KeepCheckpoint{a}), "");
}

TEST_F(Checkpoints, AreInTheRecordingAndComeBackWithIt) {
    std::int64_t step = 0;
    std::vector<StepRecord> plain;
    {
        SessionFixture lab;
        lab.session.recordTo(file);
        lab.load(test::task(test::kTwoRuns));
        lab.trainTo(15);
        const RunId b = lab.run("b").id;
        ASSERT_EQ(lab.command(KeepCheckpoint{b}), "");
        step = lab.all<CheckpointKept>().back().step;
        lab.trainTo(40);
        ASSERT_EQ(lab.command(KeepCheckpoint{b}), "");
        ASSERT_EQ(lab.command(RewindRuns{b, step + 5}), "") << "the second one is gone with its step";
        lab.trainTo(50);
        plain = lab.recordsOf("b");
        ASSERT_EQ(lab.command(ExportRuns{"csv", (folder / "out").string()}), "");
    }
    EXPECT_EQ(textOf(folder / "out" / "b.csv").find("checkpoint"), std::string::npos) << "the CSV has columns, and no more";
    const Recording recording(file);
    EXPECT_FALSE(replay(recording, createCpuBackend(), [](std::int64_t) { return true; }).first.has_value());
    RecordedRuns recorded;
    (void)readAll(recording, recorded, [](Event&&) {});
    recorded.take(recording.snapshots());
    for (const auto& [id, way] : recorded.runs()) {
        if (way.info.settings.name != "b") continue;
        EXPECT_EQ(way.checkpoints, std::set<std::int64_t>{step});
        const std::vector<RunPoint> points = storedPoints(recording, way, 1 << 30);
        EXPECT_EQ(std::count_if(points.begin(), points.end(), [&](const RunPoint& point) { return point.isByHand && point.step == step; }),
                  1);
    }
    SessionFixture again;
    ASSERT_EQ(again.command(OpenRecording{file}), "");
    ASSERT_EQ(again.command(SingleStep{}), "") << "once all runs are where they were";
    ASSERT_EQ(again.command(ForkRun{again.run("b").id, step, {}, "fork", 0}), "");
    EXPECT_LE(again.turns, 2) << "from the file, too";
    again.trainTo(51);
    const auto& fork = again.recordsOf("fork");
    ASSERT_GE(fork.size(), plain.size() - static_cast<std::size_t>(step));
    expectSameBits({fork.begin(), fork.begin() + (static_cast<std::ptrdiff_t>(plain.size()) - step)}, {plain.begin() + step, plain.end()});
}

TEST_F(Checkpoints, WhatTheRecordingStoresByItselfIsTold) {
    {
        SessionFixture lab;
        lab.session.recordTo(file);
        lab.load(test::task(R"({"name":"a"})"));
        lab.trainTo(15);
        ASSERT_EQ(lab.command(KeepCheckpoint{lab.run("a").id}), "");
    }
    // as if it had trained for long: the next state is due at once
    Database(file, Database::Mode::Write).run("UPDATE snapshots SET head = json_set(head, '$.counters.wall_seconds', 5000.0)");
    SessionFixture lab;
    lab.session.recordInto(folder.string(), true);
    ASSERT_EQ(lab.command(OpenRecording{file}), "");
    EXPECT_EQ(lab.count<CheckpointKept>([](const CheckpointKept& kept) { return kept.commandId == 0; }), 0);
    lab.trainTo(40);
    const auto kept = lab.all<CheckpointKept>();
    ASSERT_EQ(lab.count<CheckpointKept>([](const CheckpointKept& each) { return each.commandId == 0; }), 1) << "and the next in a while";
    ASSERT_EQ(lab.command(Quit{}), "");
    lab.session.endRecording();
    const auto places = Recording(file).snapshots();
    EXPECT_EQ(std::count_if(places.begin(), places.end(), [&](const SnapshotPlace& place) { return place.step == kept.back().step; }), 1);
}

TEST_F(Checkpoints, RunsAreArrangedForTextReportAndTheNextTime) {
    {
        SessionFixture lab;
        lab.session.recordTo(file);
        EXPECT_NE(lab.command(ArrangeRuns{{{0, 0}}}), "") << "there is no experiment yet";
        lab.load(test::task(test::kTwoRuns));
        lab.trainTo(10);
        const RunId a = lab.run("a").id, b = lab.run("b").id;
        EXPECT_NE(lab.command(ArrangeRuns{{{a, 6}}}), "") << "there are six ways to look";
        EXPECT_NE(lab.command(ArrangeRuns{{{a, -2}}}), "") << "-1 is for those that have none of their own";
        EXPECT_NE(lab.command(ArrangeRuns{{{77, 0}}}), "");
        EXPECT_NE(lab.command(ArrangeRuns{{{a, 0}, {a, 1}}}), "");
        EXPECT_TRUE(lab.all<RunsArranged>().empty());
        ASSERT_EQ(lab.command(ArrangeRuns{{{b, 4}, {a, 1}}}), "");
        ASSERT_EQ(lab.all<RunsArranged>().size(), 1u);
        EXPECT_EQ(lab.all<RunsArranged>()[0].styles[0].identity, 4);
        const std::string text = lab.all<ExperimentText>().back().json;
        EXPECT_LT(text.find("\"b\""), text.find("\"a\""));
        lab.trainTo(20);
        ASSERT_EQ(lab.command(ChangeSetting{a, "/optimizer/lr", 0.0625}), "");
        lab.trainTo(22);
        ASSERT_EQ(lab.command(ExportRuns{"html", (folder / "out").string()}), "");
    }
    const std::string page = textOf(folder / "out" / "index.html");
    const auto rowOf = [&](const char* name) { return page.find(std::string("</svg>") + name + "</td>"); };
    ASSERT_NE(rowOf("b"), std::string::npos);
    EXPECT_LT(rowOf("b"), rowOf("a"));
    EXPECT_NE(page.find(runIdentity(4).light), std::string::npos);
    EXPECT_EQ(page.find(runIdentity(0).light), std::string::npos);
    EXPECT_NE(textOf(folder / "out" / "loss.svg").find(runIdentity(4).light), std::string::npos);
    SessionFixture again;
    ASSERT_EQ(again.command(OpenRecording{file}), "");
    ASSERT_EQ(again.all<RunsArranged>().size(), 1u);
    const auto arranged = again.all<RunsArranged>()[0];
    ASSERT_EQ(again.command(ArrangeRuns{arranged.styles}), "");
    EXPECT_NE(again.all<ExperimentText>().back().json.find("0.0625"), std::string::npos) << "of runs that are still on their way back";
    ASSERT_EQ(again.command(RenameRun{again.run("b").id, "c"}), "");
    const std::string text = again.all<ExperimentText>().back().json;
    EXPECT_LT(text.find("\"c\""), text.find("\"a\""));
}

}  // namespace
}  // namespace mantissa
