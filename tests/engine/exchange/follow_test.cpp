// SPDX-License-Identifier: Apache-2.0
// Logs that are followed while they grow: what a follower has reported is what an import of the file gives, at any moment.
#include <sqlite3.h>

#include "engine/exchange/event_file.h"
#include "engine/exchange/wandb_file.h"
#include "tests/engine/exchange/followed_logs.h"

namespace mantissa {
namespace {

TEST_F(Follow, EachFormatInPiecesOfAnySize) {
    const std::string jsonl =
        "{\"step\":1,\"train\":{\"loss\":3},\"x\":1}\n\n{\"step\":2,\"train\":{\"loss\":NaN},\"x\":2}\n{\"step\":3,\"train\":{\"loss\":1},"
        "\"x\":3}\n";
    const std::string inspect =
        "INFO - loss iteration=000001 value=4.5\nINFO - decoder.fc1_activation_amax iteration=000001 value=4.3\n"
        "INFO - loss iteration=000002 value=4.0\nINFO - decoder.fc1_activation_amax iteration=000002 value=4.1\n";
    const std::string titan = "config: {\"a\": 1}\n[titan] step:  1  loss:  8.1377  tps: 1,234\n[titan] step:  2  loss:  7.5  tps: 1,250\n";
    for (const std::size_t piece : {1u, 7u, 64u}) {
        expectFollowed("a.csv", csvOf(20), piece);
        expectFollowed("a.jsonl", jsonl, piece);
        expectFollowed("megatron.log", kGrowingLines, piece);
        expectFollowed("inspect.log", inspect, piece);
        expectFollowed("titan.log", titan, piece);
        expectFollowed("a.tfevents", golden("logs.tfevents"), 5 * piece);
        expectFollowed("a.wandb", golden("logs.wandb"), 61 * piece);
    }
}

TEST_F(Follow, WhatIsAppendedAloneIsRead) {
    const std::string path = write("a.csv", csvOf(200'000));
    Listener listener(path);
    EXPECT_EQ(listener.poll(), 600'000u);
    append(path, csvOf(200'001, 200'000));
    const auto begin = std::chrono::steady_clock::now();
    EXPECT_EQ(listener.poll(), 3u);
    const std::chrono::duration<double, std::milli> one = std::chrono::steady_clock::now() - begin;
    const auto before = std::chrono::steady_clock::now();
    (void)importRuns(path);
    const std::chrono::duration<double, std::milli> whole = std::chrono::steady_clock::now() - before;
    EXPECT_LT(one.count(), whole.count() / 4);
}

TEST_F(Follow, ARowIsWaitedForUntilItsEndIsThere) {
    const std::string path = write("a.csv", "step,loss,text\n1,2,\"a\n");
    Listener listener(path);
    EXPECT_EQ(listener.poll(), 0u);
    append(path, "b\"\n2,1,x\n3,0.");
    EXPECT_EQ(listener.poll(), 2u);
    append(path, "5,y\n");
    EXPECT_EQ(listener.poll(), 1u);
    EXPECT_EQ(listener.of("loss").at(3), 0.5);
}

TEST_F(Follow, ATruncatedFileIsReadAgain) {
    const std::string path = write("a.csv", csvOf(10));
    Listener listener(path);
    listener.poll();
    write("a.csv", "step,loss\n0,7\n");
    EXPECT_EQ(listener.poll(), 0u) << "it may be in the middle of being written";
    EXPECT_EQ(listener.of("loss").size(), 10u);
    listener.poll();
    EXPECT_EQ(listener.of("loss"), (std::map<std::int64_t, double>{{0, 7}}));
    EXPECT_TRUE(listener.of("lr").empty());
}

TEST_F(Follow, AnotherFileOfItsNameIsReadAgainAndItsNewRowsAloneAreReported) {
    const std::string path = write("a.csv", csvOf(10));
    Listener listener(path);
    listener.poll();
    write("b.csv", csvOf(12));
    std::filesystem::rename(folder / "b.csv", path);
    EXPECT_EQ(listener.poll(), 6u);
    EXPECT_EQ(listener.of("loss").size(), 12u);
}

TEST_F(Follow, AFileThatIsWrittenAgainWithAnotherColumnIsReadAnew) {
    const std::string path = write("a.csv", "step,loss\n0,2\n1,1\n");
    Listener listener(path);
    listener.poll();
    write("a.csv", "");
    listener.poll();
    EXPECT_EQ(listener.of("loss").size(), 2u) << "curves do not come and go";
    write("a.csv", "step,loss,val_loss\n0,2,\n1,1,\n2,0.5,3\n");
    EXPECT_EQ(listener.poll(), 2u);
    EXPECT_EQ(listener.of("val_loss").at(2), 3);
    EXPECT_EQ(listener.of("loss").size(), 3u);
}

TEST_F(Follow, AFileThatHasGoneIsSaidAndIsFollowedWhenItIsBack) {
    const std::string path = write("a.csv", csvOf(3));
    Listener listener(path);
    listener.poll();
    std::filesystem::remove(path);
    listener.poll();
    EXPECT_EQ(listener.runs[0].trouble, path + ": has gone; it is read again when it is back");
    EXPECT_EQ(listener.of("loss").size(), 3u) << "its values stay";
    write("a.csv", csvOf(4));
    EXPECT_EQ(listener.poll(), 3u);
    EXPECT_EQ(listener.runs[0].trouble, "");
}

TEST_F(Follow, ARowThatCannotBeReadIsSaidWithItsPlace) {
    const std::string path = write("a.csv", csvOf(3));
    Listener listener(path);
    listener.poll();
    append(path, "3,x,1,1\n");
    listener.poll();
    EXPECT_EQ(listener.runs[0].trouble, path + ": line 5: loss is 'x', which is no number");
    append(path, "4,1,1,1\n");
    EXPECT_EQ(listener.poll(), 0u);
    EXPECT_NE(listener.runs[0].trouble, "");
    std::filesystem::remove(path);
    write("a.csv", csvOf(5));
    for (int i = 0; i < 2; ++i) listener.poll();  // where it gets the old file's number, it is taken for one that is being rewritten
    EXPECT_EQ(listener.runs[0].trouble, "");
    EXPECT_EQ(listener.of("loss").size(), 5u);
}

TEST_F(Follow, AStepThatComesAgainTakesThePlaceOfWhatWasTold) {
    const std::string path = write("train.log", "step: 1 loss: 3 mfu: 1\nstep: 2 loss: 2 mfu: 1\nstep: 3 loss: 1 mfu: 1\n");
    Listener listener(path);
    listener.poll();
    append(path, "step: 2 loss: 2.5 mfu: 1\n");
    listener.poll();
    EXPECT_EQ(listener.of("loss"), (std::map<std::int64_t, double>{{1, 3}, {2, 2.5}}));
}

TEST_F(Follow, ABetterNameOfAMetricTakesThePlaceOfAnother) {
    const std::string path = write("a.jsonl", "{\"step\":1,\"batch_loss\":3}\n{\"step\":2,\"batch_loss\":2}\n");
    Listener listener(path);
    listener.poll();
    append(path, "{\"step\":3,\"loss\":1}\n");
    listener.poll();
    EXPECT_EQ(listener.of("loss").size(), 1u);
    EXPECT_TRUE(listener.of("batch_loss").empty());
    EXPECT_EQ(listener.runs[0].remark, "not shown: batch_loss (loss is shown)");
}

TEST_F(Follow, ATrainersFolderGoesOnWithItsLatestCheckpoint) {
    const auto state = [](int steps) {
        std::string text = "{\n \"log_history\": [";
        for (int i = 1; i <= steps; ++i)
            text += (i > 1 ? "," : "") + ("{\"step\":" + std::to_string(i) + ",\"loss\":" + std::to_string(1.0 / i) + "}");
        return text + "]\n}\n";
    };
    write("out/checkpoint-2/trainer_state.json", state(2));
    Listener listener((folder / "out").string());
    EXPECT_EQ(listener.poll(), 2u);
    write("out/checkpoint-4/trainer_state.json", state(4).substr(0, 30));  // half written
    std::filesystem::remove_all(folder / "out/checkpoint-2");
    listener.poll();
    write("out/checkpoint-4/trainer_state.json", state(4));
    EXPECT_EQ(listener.poll(), 2u);
    EXPECT_EQ(listener.of("loss").size(), 4u);
    EXPECT_EQ(listener.runs.size(), 1u);
    EXPECT_EQ(listener.runs[0].trouble, "");
}

TEST_F(Follow, AFoldersNewRunsAreFound) {
    const std::string whole = golden("logs.tfevents");
    write("a/1.tfevents", whole.substr(0, whole.size() / 2));
    Listener listener(folder.string());
    listener.poll();
    const std::size_t before = listener.of("train/loss").size();
    append((folder / "a/1.tfevents").string(), whole.substr(whole.size() / 2));
    write("b/1.tfevents", whole);
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(10);
    while (listener.runs.size() < 2 && std::chrono::steady_clock::now() < deadline) listener.poll();
    ASSERT_EQ(listener.runs.size(), 2u);
    EXPECT_LT(before, 12u);
    for (const int run : {0, 1}) EXPECT_EQ(listener.of("train/loss", run).size(), 12u);
}

TEST_F(Follow, ATrackioDataBaseIsReadWhileItsWriterWrites) {
    const std::string path = (folder / "lab.db").string();
    sqlite3* writer = nullptr;
    ASSERT_EQ(sqlite3_open(path.c_str(), &writer), SQLITE_OK);
    const auto run = [&](const std::string& sql) {
        EXPECT_EQ(sqlite3_exec(writer, sql.c_str(), nullptr, nullptr, nullptr), SQLITE_OK) << sql;
    };
    run("PRAGMA journal_mode = WAL; CREATE TABLE metrics(id INTEGER PRIMARY KEY AUTOINCREMENT, run_id TEXT, timestamp TEXT, run_name TEXT, "
        "step INTEGER, metrics TEXT)");
    const auto log = [&](const std::string& name, int step) {
        run("INSERT INTO metrics(run_id, timestamp, run_name, step, metrics) VALUES ('" + name + "id', '', '" + name + "', " +
            std::to_string(step) + ", '{\"loss\":" + std::to_string(step) + "}')");
    };
    log("a", 0);
    Listener listener(path);
    EXPECT_EQ(listener.poll(), 1u);
    log("a", 1);
    log("b", 0);
    EXPECT_EQ(listener.poll(), 2u);
    ASSERT_EQ(listener.runs.size(), 2u);
    EXPECT_EQ(listener.runs[1].name, "b");
    run("BEGIN IMMEDIATE");
    log("a", 2);
    EXPECT_EQ(listener.poll(), 0u) << "what is not committed is not there";
    run("COMMIT");
    EXPECT_EQ(listener.poll(), 1u);
    sqlite3_close(writer);  // which folds its log into the file
    EXPECT_EQ(listener.poll(), 0u);
    EXPECT_EQ(listener.of("loss").size(), 3u);
    ASSERT_EQ(sqlite3_open(path.c_str(), &writer), SQLITE_OK);
    log("a", 3);
    EXPECT_EQ(listener.poll(), 1u);
    EXPECT_EQ(listener.runs[0].trouble, "");
    sqlite3_close(writer);
}

TEST_F(Follow, ALogOfAKilledWriterIsReadAndLeftAsItIs) {
    const std::string path = (folder / "lab.db").string();
    sqlite3* writer = nullptr;
    ASSERT_EQ(sqlite3_open(path.c_str(), &writer), SQLITE_OK);
    ASSERT_EQ(
        sqlite3_exec(
            writer,
            "PRAGMA journal_mode = WAL; CREATE TABLE metrics(run_name, step, metrics); INSERT INTO metrics VALUES ('a', 0, '{\"loss\":1}')",
            nullptr, nullptr, nullptr),
        SQLITE_OK);
    const std::string file = read(path), log = read(path + "-wal");
    sqlite3_close(writer);
    const std::string left = write("left/lab.db", file);
    write("left/lab.db-wal", log);
    EXPECT_EQ(importRuns(left).at(0).name, "a");
    EXPECT_EQ(read(left + "-wal"), log);
    EXPECT_FALSE(std::filesystem::exists(left + "-shm"));
}

TEST_F(Follow, WhatIsNoLogIsRefused) {
    const auto sentence = [](const std::string& path) {
        try {
            const LogFollower follower(path);
        } catch (const InputError& error) {
            return error.sentence();
        }
        return std::string("accepted");
    };
    EXPECT_EQ(sentence((folder / "missing").string()), "there is no such file");
    EXPECT_EQ(sentence(folder.string()), kNoLogs);
    EXPECT_EQ(sentence(write("a.png", "\x89PNG\r\n\x1a\n" + std::string(8, '\0'))),
              "is neither CSV, JSON lines, an event file of TensorBoard, a file of W&B nor one of trackio");
    EXPECT_EQ(sentence(write("a.csv", "step,loss\n1,x\n")), "line 2: loss is 'x', which is no number");
}

}  // namespace
}  // namespace mantissa
