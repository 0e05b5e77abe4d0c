// SPDX-License-Identifier: Apache-2.0
// Folders and data bases that are followed: files that come, go and grow beside each other.
#include <sqlite3.h>

#include "tests/engine/exchange/followed_logs.h"

namespace mantissa {
namespace {

/// A folder's event files as the import of the folder has them, each value.
void expectAsImported(Listener& listener, const std::filesystem::path& folder) {
    const ImportedRun expected = importRuns(folder.string()).at(0);
    for (const ImportedSeries& series : expected.series) {
        const auto& followed = listener.of(series.source);
        ASSERT_EQ(followed.size(), series.steps.size()) << series.source;
        for (std::size_t i = 0; i < series.steps.size(); ++i)
            expectSame(followed.at(series.steps[i]), series.values[i], series.source + " " + std::to_string(series.steps[i]));
    }
    EXPECT_EQ(listener.runs[0].trouble, "");
}

TEST_F(Follow, AnEventFileThatIsRemovedTakesItsValuesAlong) {
    const std::string whole = golden("logs.tfevents");
    write("a/1.tfevents", whole);
    Listener listener(folder.string());
    listener.poll();
    EXPECT_EQ(listener.of("train/loss").size(), 12u);
    std::filesystem::remove(folder / "a/1.tfevents");
    write("a/2.tfevents", whole.substr(0, whole.size() / 2));
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(10);
    while (listener.of("train/loss").size() == 12 && std::chrono::steady_clock::now() < deadline) listener.poll();
    expectAsImported(listener, folder);
}

TEST_F(Follow, AnEarlierEventFileThatGrowsStaysBelowTheLaterOne) {
    const std::string whole = golden("logs.tfevents");
    const std::string first = write("a/1.tfevents", whole.substr(0, whole.size() / 3));
    write("a/2.tfevents", whole.substr(0, whole.size() / 2));
    Listener listener(folder.string());
    listener.poll();
    append(first, whole.substr(whole.size() / 3));
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(1);
    while (std::chrono::steady_clock::now() < deadline) EXPECT_EQ(listener.poll(), 0u) << "the later file has these steps already";
    expectAsImported(listener, folder);
}

TEST_F(Follow, ADataBaseThatIsNotTrackiosIsRefusedAndInAFolderPassedOver) {
    const std::string path = (folder / "study.db").string();
    sqlite3* writer = nullptr;
    ASSERT_EQ(sqlite3_open(path.c_str(), &writer), SQLITE_OK);
    ASSERT_EQ(sqlite3_exec(writer, "CREATE TABLE trials(number, value)", nullptr, nullptr, nullptr), SQLITE_OK);
    sqlite3_close(writer);
    EXPECT_THROW(LogFollower{path}, InputError);
    write("a.csv", csvOf(3));
    write("train.log", kGrowingLines);
    write("notes.txt", "bought a new disk\n");
    EXPECT_EQ(importRuns(folder.string()).size(), 2u);
    Listener listener(folder.string());
    listener.poll();
    EXPECT_EQ(listener.runs.size(), 2u);
}

TEST_F(Follow, RowsBeforeOneThatCannotBeReadAreShown) {
    const std::string path = (folder / "lab.db").string();
    sqlite3* writer = nullptr;
    ASSERT_EQ(sqlite3_open(path.c_str(), &writer), SQLITE_OK);
    const auto run = [&](const char* sql) { ASSERT_EQ(sqlite3_exec(writer, sql, nullptr, nullptr, nullptr), SQLITE_OK) << sql; };
    run("PRAGMA journal_mode = WAL; CREATE TABLE metrics(run_name, step, metrics); INSERT INTO metrics VALUES ('a', 0, '{\"loss\":1}')");
    Listener listener(path);
    listener.poll();
    run("INSERT INTO metrics VALUES ('b', 0, '{\"loss\":1}'); INSERT INTO metrics VALUES ('a', -1, '{\"loss\":1}')");
    for (int i = 0; i < 20; ++i) listener.poll();
    sqlite3_close(writer);
    ASSERT_EQ(listener.runs.size(), 2u);
    EXPECT_EQ(listener.of("loss", 1).size(), 1u);
    EXPECT_NE(listener.runs[0].trouble.find("row 3: the step is no whole number from 0 on"), std::string::npos) << listener.runs[0].trouble;
}

TEST(RunBuilderNames, HistogramsLeaveRoomForScalars) {
    RunBuilder builder("x", RunBuilder::StepBack::Replaces);
    int plotted = 0;
    for (int i = 0; i < 20'000; ++i)
        plotted += builder.columnOf("h" + std::to_string(i), {}, RunBuilder::NameKind::OfHistogram) >= 0 ? 1 : 0;
    EXPECT_EQ(plotted, static_cast<int>(kMaxOtherSeries / 2));
    EXPECT_GE(builder.columnOf("perplexity", {}), 0);
}

}  // namespace
}  // namespace mantissa
