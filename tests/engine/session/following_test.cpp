// SPDX-License-Identifier: Apache-2.0
// Imported runs whose logs are followed: what a program has flushed is in the run within a second, whatever the format.
#include <sqlite3.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <thread>

#include "engine/exchange/event_file.h"
#include "engine/exchange/protobuf.h"
#include "engine/exchange/wandb_file.h"
#include "tests/engine/session/session_fixture.h"

namespace mantissa {
namespace {

namespace fs = std::filesystem;
using FollowingClock = std::chrono::steady_clock;
using test::SessionFixture;

class Following : public testing::Test {
protected:
    fs::path folder = fs::temp_directory_path() / ("mantissa_following_" + std::to_string(::getpid()));
    void SetUp() override { fs::create_directories(folder); }
    void TearDown() override { fs::remove_all(folder); }

    std::string write(const std::string& name, const std::string& bytes, bool isAppended = false) const {
        fs::create_directories((folder / name).parent_path());
        std::ofstream(folder / name, isAppended ? std::ios::binary | std::ios::app : std::ios::binary) << bytes;
        return (folder / name).string();
    }
    /// Losses of a run as a window has them.
    static std::map<std::int64_t, double> lossesOf(const SessionFixture& lab, RunId run) {
        std::map<std::int64_t, double> losses;
        for (const Event& event : lab.events) {
            if (const auto* back = std::get_if<RunRewound>(&event); back != nullptr && back->run == run)
                losses.erase(losses.lower_bound(back->step), losses.end());
            const auto* series = std::get_if<SeriesImported>(&event);
            if (series == nullptr || series->run != run || series->metric != Metric::Loss) continue;
            for (std::size_t i = 0; i < series->steps.size(); ++i) losses[series->steps[i]] = series->values[i];
        }
        return losses;
    }
    static void waitUntil(SessionFixture& lab, const std::function<bool()>& isThere) {
        const auto deadline = FollowingClock::now() + std::chrono::seconds(30);
        while (!isThere() && FollowingClock::now() < deadline) lab.session.advance(1, 20);
        ASSERT_TRUE(isThere());
    }
    static RunId lastRun(const SessionFixture& lab) { return lab.runs().back().id; }

    /// Follows the log, and measures how long each step takes from when it is written until the run has it.
    static void expectFollowed(const std::string& name, const std::string& path, const std::function<void(int)>& writeStep, int first) {
        SCOPED_TRACE(name);
        SessionFixture lab;
        lab.load(test::task(R"({"name": "own"})"));
        ASSERT_EQ(lab.command(ImportRuns{.path = path, .follows = true}), "");
        const RunId run = lastRun(lab);
        EXPECT_EQ(lab.runs().back().watch.link, WatchLink::Followed);
        EXPECT_EQ(lab.runs().back().kind, RunKind::Recorded);
        const std::size_t before = lossesOf(lab, run).size();
        double longest = 0;
        for (int step = first; step < first + 5; ++step) {
            writeStep(step);
            const auto flushed = FollowingClock::now();
            waitUntil(lab, [&] { return lossesOf(lab, run).contains(step); });
            longest = std::max(longest, std::chrono::duration<double>(FollowingClock::now() - flushed).count());
            std::this_thread::sleep_for(std::chrono::milliseconds(37 * (step - first)));  // anywhere between two looks
        }
        EXPECT_EQ(lossesOf(lab, run).size(), before + 5);
        EXPECT_LT(longest, 1.0) << "seconds";
        RecordProperty(name, std::to_string(longest));
        std::printf("    %s: %.2f s at most from the writer's flush to the run\n", name.c_str(), longest);
    }
};

std::string eventOf(int step) {
    std::string value, summary, event, record;
    protobuf::putBytes(value, event_file::value::kTag, "loss");
    protobuf::putFloat(value, event_file::value::kSimpleValue, 1.0f / static_cast<float>(1 + step));
    protobuf::putBytes(summary, event_file::summary::kValue, value);
    protobuf::putVarint(event, event_file::event::kStep, static_cast<std::uint64_t>(step));
    protobuf::putBytes(event, event_file::event::kSummary, summary);
    event_file::appendRecord(record, event);
    return record;
}

std::string wandbRecordOf(int step) {
    std::string item, number, history, record;
    protobuf::putBytes(item, wandb_file::item::kNestedKey, "loss");
    protobuf::putBytes(item, wandb_file::item::kValueJson, std::to_string(1.0 / (1 + step)));
    protobuf::putVarint(number, wandb_file::step::kNumber, static_cast<std::uint64_t>(step));
    protobuf::putBytes(history, wandb_file::history::kItem, item);
    protobuf::putBytes(history, wandb_file::history::kStep, number);
    protobuf::putBytes(record, wandb_file::record::kHistory, history);
    return record;
}

std::string stateOf(int steps) {
    std::string text = "{\n \"log_history\": [";
    for (int i = 0; i <= steps; ++i)
        text += (i > 0 ? ",{\"step\":" : "{\"step\":") + std::to_string(i) + ",\"loss\":" + std::to_string(i) + "}";
    return text + "]}\n";
}

TEST_F(Following, EachFormatWithinASecondOfWhatWasFlushed) {
    const auto appended = [&](const std::string& name, const std::function<std::string(int)>& line) {
        return [this, name, line](int step) { write(name, line(step), true); };
    };
    const auto text = [](const std::string& before, const std::string& after) {
        return [before, after](int step) { return before + std::to_string(step) + after; };
    };
    expectFollowed("CSV", write("a.csv", "step,loss\n0,1\n"), appended("a.csv", text("", ",0.5\n")), 1);
    expectFollowed("JSON lines", write("a.jsonl", ""), appended("a.jsonl", text("{\"step\":", ",\"loss\":0.5}\n")), 0);
    expectFollowed("Megatron", write("m.log", "building\n"), appended("m.log", text(" iteration ", "/ 9 | lm loss: 2.5E+00 |\n")), 0);
    expectFollowed("torchtitan", write("t.log", "building\n"), appended("t.log", text("[titan] step: ", " loss: 2.5 tps: 1,234\n")), 0);
    expectFollowed("nvdlfw-inspect", write("i.log", ""), appended("i.log", text("INFO - loss iteration=", " value=2.5\n")), 0);
    expectFollowed("TensorBoard", write("tb/a.tfevents", eventOf(0)), appended("tb/a.tfevents", eventOf), 1);
    expectFollowed("folder of TensorBoard", (folder / "tb").string(), appended("tb/a.tfevents", eventOf), 6);
    std::string wandb(wandb_file::kHead);
    expectFollowed(
        "W&B", write("a.wandb", wandb),
        [&](int step) {
            const std::size_t before = wandb.size();
            wandb_file::appendRecord(wandb, wandbRecordOf(step));
            write("a.wandb", wandb.substr(before), true);
        },
        0);
    expectFollowed(
        "trainer_state.json", write("hf/trainer_state.json", stateOf(0)), [&](int step) { write("hf/trainer_state.json", stateOf(step)); },
        1);
    write("out/checkpoint-0/trainer_state.json", stateOf(0));
    expectFollowed(
        "checkpoints", (folder / "out").string(),
        [&](int step) { write("out/checkpoint-" + std::to_string(step) + "/trainer_state.json", stateOf(step)); }, 1);
    sqlite3* writer = nullptr;
    ASSERT_EQ(sqlite3_open((folder / "lab.db").c_str(), &writer), SQLITE_OK);
    const auto run = [&](const std::string& sql) { EXPECT_EQ(sqlite3_exec(writer, sql.c_str(), nullptr, nullptr, nullptr), SQLITE_OK); };
    const auto log = [&](int step) { run("INSERT INTO metrics VALUES ('a', " + std::to_string(step) + ", '{\"loss\":1}')"); };
    run("PRAGMA journal_mode = WAL; CREATE TABLE metrics(run_name, step, metrics)");
    log(0);
    expectFollowed("trackio", (folder / "lab.db").string(), log, 1);
    sqlite3_close(writer);
}

TEST_F(Following, GoesOnWhileRunsTrain) {
    SessionFixture lab;
    lab.load(test::task(R"({"name": "own"})"));
    const std::string path = write("a.csv", "step,loss\n0,1\n");
    ASSERT_EQ(lab.command(ImportRuns{.path = path, .follows = true}), "");
    const RunId run = lastRun(lab);
    ASSERT_EQ(lab.command(Train{}), "");
    write("a.csv", "1,0.5\n", true);
    waitUntil(lab, [&] { return lossesOf(lab, run).size() == 2; });
}

TEST_F(Following, AFileThatGoesIsSaidAndItsReturnToo) {
    SessionFixture lab;
    lab.load(test::task(R"({"name": "own"})"));
    const std::string path = write("a.csv", "step,loss\n0,1\n1,2\n");
    ASSERT_EQ(lab.command(ImportRuns{.path = path, .follows = true}), "");
    const RunId run = lastRun(lab);
    fs::remove(path);
    waitUntil(lab, [&] { return lab.runs().back().watch.link == WatchLink::Lost; });
    EXPECT_EQ(lab.runs().back().watch.problems, std::vector<std::string>{path + ": has gone; it is read again when it is back"});
    EXPECT_EQ(lossesOf(lab, run).size(), 2u);
    write("a.csv", "step,loss\n0,1\n1,3\n2,4\n");
    waitUntil(lab, [&] { return lossesOf(lab, run).size() == 3; });
    EXPECT_EQ(lab.runs().back().watch.link, WatchLink::Followed);
    EXPECT_EQ(lossesOf(lab, run).at(1), 3);
}

TEST_F(Following, ARunIsCalledAsItsLogSaysWhenThatComesUnlessAHandHasNamedIt) {
    SessionFixture lab;
    lab.load(test::task(R"({"name": "own"})"));
    std::string named(wandb_file::kHead), run, record;
    protobuf::putBytes(run, wandb_file::run::kDisplayName, "small-gpt");
    protobuf::putBytes(record, wandb_file::record::kRun, run);
    wandb_file::appendRecord(named, record);
    for (const bool byHand : {false, true}) {
        const std::string path = write("run-1.wandb", "");
        ASSERT_EQ(lab.command(ImportRuns{.path = path, .follows = true}), "");
        EXPECT_EQ(lab.runs().back().settings.name, "run-1");
        if (byHand) {
            ASSERT_EQ(lab.command(RenameRun{lastRun(lab), "mine"}), "");
        }
        std::string whole = named;
        wandb_file::appendRecord(whole, wandbRecordOf(0));
        write("run-1.wandb", whole, true);
        const RunId id = lastRun(lab);
        waitUntil(lab, [&] { return lossesOf(lab, id).size() == 1; });
        EXPECT_EQ(lab.runs().back().settings.name, byHand ? "mine" : "small-gpt");
        ASSERT_EQ(lab.command(RemoveRun{id}), "");
    }
}

TEST_F(Following, ARemovedRunIsFollowedNoMore) {
    SessionFixture lab;
    lab.load(test::task(R"({"name": "own"})"));
    const std::string path = write("a.csv", "step,loss\n0,1\n");
    ASSERT_EQ(lab.command(ImportRuns{.path = path, .follows = true}), "");
    const RunId run = lastRun(lab);
    ASSERT_EQ(lab.command(RemoveRun{run}), "");
    write("a.csv", "1,1\n", true);
    const auto until = FollowingClock::now() + std::chrono::milliseconds(600);
    while (FollowingClock::now() < until) lab.session.advance(1, 20);
    EXPECT_EQ(lossesOf(lab, run).size(), 1u);
    ASSERT_EQ(lab.command(RestoreRun{run}), "");
    EXPECT_EQ(lab.runs().back().watch.link, WatchLink::None);
}

TEST_F(Following, WhatIsNoLogIsRefusedAndChangesNothing) {
    SessionFixture lab;
    lab.load(test::task(R"({"name": "own"})"));
    const std::string path = write("a.csv", "step,loss\n0,x\n");
    EXPECT_EQ(lab.command(ImportRuns{.path = path, .follows = true}), path + ": line 2: loss is 'x', which is no number");
    EXPECT_EQ(lab.command(ImportRuns{.path = path, .follows = true, .isAlone = true}), path + ": line 2: loss is 'x', which is no number");
    EXPECT_EQ(lab.runs().size(), 1u);
    EXPECT_EQ(lab.runs().back().settings.name, "own");
}

TEST_F(Following, ARecordingHasWhatWasFollowed) {
    const std::string path = write("a.csv", "step,loss,perplexity\n0,1,9\n1,nan,8\n"), file = (folder / "a.mantissa").string();
    {
        SessionFixture lab;
        lab.session.recordTo(file);
        ASSERT_EQ(lab.command(ImportRuns{.path = path, .follows = true, .isAlone = true}), "");
        write("a.csv", "2,0.5,7\n", true);
        waitUntil(lab, [&] { return lossesOf(lab, lastRun(lab)).size() == 3; });
        lab.session.endRecording();
    }
    SessionFixture opened;
    ASSERT_EQ(opened.command(OpenRecording{file}), "");
    ASSERT_EQ(opened.runs().size(), 1u);
    const RunInfo run = opened.runs().back();
    EXPECT_EQ(run.settings.name, "a");
    EXPECT_EQ(run.watch.link, WatchLink::None) << "nothing is followed any more";
    EXPECT_EQ(lossesOf(opened, run.id).size(), 3u);
    EXPECT_TRUE(std::isnan(lossesOf(opened, run.id).at(1)));
    EXPECT_EQ(opened.command(RenameRun{run.id, "theirs"}), "");
    SessionFixture beside;
    beside.load(test::task(R"({"name": "own"})"));
    ASSERT_EQ(beside.command(ImportRuns{.path = file}), "");
    EXPECT_EQ(lossesOf(beside, lastRun(beside)).size(), 3u);
    EXPECT_EQ(beside.runs().back().settings.name, "a");
}

}  // namespace
}  // namespace mantissa
