// SPDX-License-Identifier: Apache-2.0
// Where a session listens for trainings, who may connect, and what ends it.
#include "engine/attach/watched_run.h"
#include "tests/engine/session/watching_fixture.h"

namespace mantissa {
namespace {

using namespace test;
namespace fs = std::filesystem;

class Listening : public Watching {};

TEST_F(Listening, WhatIsOpenedNextLetsItGoAndEndsListening) {
    SessionFixture lab;
    ASSERT_EQ(lab.command(WatchTraining{.place = place}), "");
    const Probe first(place, "a");
    waitUntil(lab, [&] { return lab.runs().size() == 1; });
    lab.load(task(kTwoRuns));
    EXPECT_EQ(lab.runs().size(), 2u);
    EXPECT_EQ(lab.all<WatchingChanged>().back().place, "") << "the training would turn up beside these runs within a second";
    EXPECT_FALSE(fs::exists(folder / "attach"));
    ASSERT_EQ(lab.command(WatchTraining{.place = place}), "");
    const Probe second(place, "b");
    waitUntil(lab, [&] { return lab.runs().size() == 3; });
    ASSERT_EQ(lab.command(WatchTraining{.place = place, .isAlone = true}), "");
    EXPECT_TRUE(lab.runs().empty());
    const Probe third(place, "c");
    waitUntil(lab, [&] { return lab.runs().size() == 1; });
    ASSERT_EQ(lab.command(StopListening{}), "");
    EXPECT_EQ(lab.all<WatchingChanged>().back().place, "");
    third.step(0);
    waitUntil(lab, [&] { return countOf(lab, lab.runs()[0].id) == 1; });
    EXPECT_EQ(lab.runs()[0].watch.link, WatchLink::Connected) << "which was there stays";
    EXPECT_FALSE(fs::exists(folder / "attach"));
}

TEST_F(Listening, AnotherPlaceThatIsNoneLeavesTheFirst) {
    SessionFixture lab;
    ASSERT_EQ(lab.command(WatchTraining{.place = place}), "");
    const Probe probe(place, "a");
    waitUntil(lab, [&] { return lab.runs().size() == 1; });
    for (int i = 0; i < 2; ++i)
        EXPECT_NE(lab.command(WatchTraining{.place = "unix:/proc/none/attach"}).find("cannot be listened at"), std::string::npos);
    probe.step(0);
    waitUntil(lab, [&] { return countOf(lab, lab.runs()[0].id) == 1; });
    ASSERT_EQ(lab.command(WatchTraining{.place = place + "2"}), "");
    probe.step(1);
    waitUntil(lab, [&] { return countOf(lab, lab.runs()[0].id) == 2; });
    const Probe other(place + "2", "b");
    waitUntil(lab, [&] { return lab.runs().size() == 2; });
}

TEST_F(Listening, AnOlderConnectionOfARunMayEndWhileANewerOneTells) {
    SessionFixture lab;
    ASSERT_EQ(lab.command(WatchTraining{.place = place}), "");
    auto older = std::make_unique<Probe>(place, "a");
    waitUntil(lab, [&] { return lab.runs().size() == 1; });
    const Probe newer(place, "a");
    newer.step(0);
    waitUntil(lab, [&] { return countOf(lab, lab.runs()[0].id) == 1; });
    older.reset();
    for (int i = 0; i < 20; ++i) lab.session.advance(1, 10);
    EXPECT_EQ(lab.runs()[0].watch.link, WatchLink::Connected);
}

TEST_F(Listening, AConnectionOrFileThatIsNoTrainingIsSaid) {
    SessionFixture lab;
    ASSERT_EQ(lab.command(WatchTraining{.place = place}), "");
    const fs::path empty = folder / "empty.mprobe";
    std::ofstream(empty).close();
    const auto lastRefusal = [&] {
        const auto all = lab.all<CommandRefused>();
        return all.empty() ? std::string() : all.back().sentence;
    };
    ASSERT_EQ(lab.command(WatchTraining{.place = empty.string(), .follows = false}), "");
    waitUntil(lab, [&] { return lastRefusal() == empty.string() + ": it holds no training"; });
    std::ofstream(empty) << "garbage and more";
    ASSERT_EQ(lab.command(WatchTraining{.place = empty.string(), .follows = false}), "");
    waitUntil(lab, [&] { return lastRefusal().find("byte 0: ") != std::string::npos; });
    EXPECT_TRUE(lab.runs().empty());
}

TEST_F(Listening, TheSamePlaceWithAnotherTokenAsksForThatOne) {
    SessionFixture lab;
    ASSERT_EQ(lab.command(WatchTraining{.place = place}), "");
    const Probe before(place, "a");
    waitUntil(lab, [&] { return lab.runs().size() == 1; });
    ASSERT_EQ(lab.command(WatchTraining{.place = place, .token = "secret"}), "");
    const Probe without(place, "b");
    EXPECT_EQ(without.asked(), "") << "its connection is closed";
    EXPECT_EQ(lab.runs().size(), 1u);
    before.step(0);
    waitUntil(lab, [&] { return countOf(lab, lab.runs()[0].id) == 1; });
    for (int i = 0; i < 5; ++i) {
        ASSERT_EQ(lab.command(StopListening{}), "");
        ASSERT_EQ(lab.command(WatchTraining{.place = place}), "");
    }
    EXPECT_EQ(lab.all<WatchingChanged>().back().place, place);
}

TEST_F(Listening, OneTrainingTooManyIsSaidOnce) {
    SessionFixture lab;
    for (int i = 0; i < 65; ++i) {
        const std::string key = std::to_string(i);
        const std::string probe = fileOf(
            folder / (key + ".mprobe"),
            {{"probe_hello", helloBody(key, "run " + key)}, {"probe_step", stepBody(0)}, {"probe_end", {{"steps", 1}, {"dropped", 0}}}});
        ASSERT_EQ(lab.command(WatchTraining{.place = probe, .follows = false}), "");
    }
    waitUntil(lab, [&] { return !lab.all<CommandRefused>().empty(); });
    for (int i = 0; i < 10; ++i) lab.session.advance(1, 10);
    ASSERT_EQ(lab.all<CommandRefused>().size(), 1u);
    EXPECT_NE(lab.all<CommandRefused>()[0].sentence.find("64 trainings are watched"), std::string::npos);
    EXPECT_EQ(lab.runs().size(), 64u);
}

TEST_F(Listening, ItsTokenIsInNoRecording) {
    SessionFixture lab;
    lab.session.recordTo(file);
    watchFile(lab);
    ASSERT_EQ(lab.command(WatchTraining{.place = "tcp:127.0.0.1:0", .token = "hunter2secret"}), "");
    lab.session.endRecording();
    std::ifstream recording(file, std::ios::binary);
    const std::string bytes{std::istreambuf_iterator<char>(recording), {}};
    EXPECT_NE(bytes.find("watch_training"), std::string::npos);
    EXPECT_EQ(bytes.find("hunter2secret"), std::string::npos);
}

TEST_F(Listening, ABadPlaceLeavesEverythingAsItWas) {
    SessionFixture lab;
    lab.load(task(kTwoRuns));
    EXPECT_NE(lab.command(WatchTraining{.place = (folder / "none.mprobe").string(), .isAlone = true}).find("cannot be read"),
              std::string::npos);
    EXPECT_EQ(lab.runs().size(), 2u);
    lab.trainTo(5);
    EXPECT_EQ(lab.recordsOf("a").size(), 5u);
}

TEST_F(Listening, HostileMessagesEndTheirConnectionAlone) {
    SessionFixture lab;
    ASSERT_EQ(lab.command(WatchTraining{.place = place}), "");
    const Probe good(place, "a"), bad(place, "b");
    waitUntil(lab, [&] { return lab.runs().size() == 2; });
    bad.step(0);
    bad.step(-1);
    bad.step(2);
    good.step(0);
    waitUntil(lab, [&] {
        const auto runs = lab.runs();
        return std::any_of(runs.begin(), runs.end(), [](const RunInfo& run) { return !run.watch.problems.empty(); });
    });
    for (const RunInfo& run : lab.runs()) {
        const std::string problem = run.watch.problems.empty() ? "" : run.watch.problems[0];
        EXPECT_EQ(problem, run.watch.key == "a" ? "" : "'step' of probe_step is out of range");
        EXPECT_TRUE(run.watch.key != "b" || countOf(lab, run.id) <= 1u);
    }
    good.step(1);
    waitUntil(lab, [&] { return countOf(lab, lab.run("script").id) == 2; });
}

}  // namespace
}  // namespace mantissa
