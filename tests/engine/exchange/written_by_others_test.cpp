// SPDX-License-Identifier: Apache-2.0
// Files that the real programs have written (tests/golden/make_logs.py): W&B's, trackio's, and TensorBoard's with histograms. Cut anywhere,
// or with any byte changed, they are read as far as they go or refused in a sentence.
#include <sqlite3.h>

#include "engine/exchange/log_reader.h"
#include "engine/exchange/protobuf.h"
#include "engine/exchange/wandb_file.h"
#include "tests/engine/exchange/exchange_files.h"

namespace mantissa {
namespace {

using Steps = std::vector<std::int64_t>;

class WrittenByOthers : public ExchangeTest {
protected:
    static std::string golden(const std::string& name) { return std::string(MANTISSA_GOLDEN) + "/" + name; }
    static const ImportedSeries& named(const ImportedRun& run, const std::string& source) {
        for (const ImportedSeries& each : run.series)
            if (each.source == source) return each;
        throw std::runtime_error(run.name + " has no series " + source);
    }
    static std::string sentenceOf(const std::string& path) {
        try {
            importRuns(path);
        } catch (const InputError& error) {
            EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos) << error.what();
            return error.sentence();
        }
        return "accepted";
    }
    /// What a reader says of a stream of these bytes: a sentence, or nothing.
    static std::string refusalOf(LogFormat format, const std::string& bytes, ImportedRun& run) {
        try {
            std::istringstream in(bytes);
            RunBuilder builder("file", stepBackOf(format));
            makeLogReader(format, builder, "file")->read(in, bytes.size(), false);
            run = builder.finish("run");
        } catch (const InputError& error) {
            EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos) << error.what();
            return error.sentence();
        }
        return "";
    }
    /// What make_logs.py has logged.
    static void expectValues(const ImportedRun& run, double scale = 1) {
        const ImportedSeries& loss = named(run, "train/loss");
        EXPECT_EQ(loss.metric, Metric::Loss);
        ASSERT_GE(loss.steps.size(), 12u);
        for (std::size_t i = 0; i < 12; ++i) {
            EXPECT_EQ(loss.steps[i], static_cast<std::int64_t>(i));
            expectSame(loss.values[i], scale * (i == 4 ? kNaN : i == 5 ? kInf : 3.0 / static_cast<double>(1 + i)), std::to_string(i));
        }
        EXPECT_EQ(seriesOf(run, Metric::LossScale)->values.at(4), 65536);
        EXPECT_EQ(seriesOf(run, Metric::LossScale)->values.at(5), 32768);
        EXPECT_EQ(seriesOf(run, Metric::LearningRate)->values.at(2), 3e-3);
        EXPECT_EQ(named(run, "eval/loss").metric, Metric::ValidationLoss);
        EXPECT_EQ(named(run, "perplexity").values.at(3), 17);
    }
};

TEST_F(WrittenByOthers, AWandbFileIsItsRunsHistory) {
    const std::vector<ImportedRun> runs = importRuns(golden("logs.wandb"));
    ASSERT_EQ(runs.size(), 1u);
    EXPECT_EQ(runs[0].name, "small-gpt");
    expectValues(runs[0]);
    EXPECT_EQ(named(runs[0], "eval/loss").steps, (Steps{0, 4, 8}));
    EXPECT_EQ(named(runs[0], "train/loss").values.at(12), 0.125) << "behind a record longer than a block";
    EXPECT_EQ(named(runs[0], "train/loss").steps.back(), 12);
}

TEST_F(WrittenByOthers, WandbFilesOfAFolderAreFoundBelowIt) {
    const std::string path = write("wandb/offline-run-1/run-1.wandb", read(golden("logs.wandb")));
    write("wandb/offline-run-1/files/wandb-summary.json", "{}");
    EXPECT_EQ(importRuns(folder).at(0).name, "small-gpt");
}

TEST_F(WrittenByOthers, AWandbFileCutAnywhereIsReadAsFarAsItGoes) {
    const std::string whole = read(golden("logs.wandb"));
    std::size_t most = 0;
    for (std::size_t length = 0; length < whole.size(); length += length < 12'000 ? 1 : 97) {
        ImportedRun run;
        const std::string refusal = refusalOf(LogFormat::Wandb, whole.substr(0, length), run);
        EXPECT_EQ(refusal.empty(), length >= 7) << length << ": " << refusal;
        const std::size_t steps = run.series.empty() ? 0 : run.series[0].steps.size();
        EXPECT_GE(steps, most) << length;
        most = steps;
    }
    EXPECT_GE(most, 12u);
    EXPECT_EQ(sentenceOf(write("run.wandb", whole.substr(0, 5))), "byte 5: breaks off in the head of a W&B file");
}

TEST_F(WrittenByOthers, AWandbFileWithAChangedByteIsRefusedWithThePlace) {
    const std::string whole = read(golden("logs.wandb"));
    for (std::size_t at = 7; at < 4000; at += 3) {
        std::string bytes = whole;
        bytes[at] ^= 0x10;
        ImportedRun run;
        const std::string sentence = refusalOf(LogFormat::Wandb, bytes, run);
        EXPECT_TRUE(sentence.starts_with("byte ") || run.remark.find("the last record is cut") != std::string::npos)
            << at << ": " << sentence;
    }
    std::string version = whole;
    version[6] = 1;
    EXPECT_EQ(sentenceOf(write("run.wandb", version)), "byte 4: its version is none that is known, which is 0");
    // Kinds and lengths are not under the check sum of a fuzzer's luck: each is looked at by itself.
    std::string kind = whole;
    kind[13] = 9;
    EXPECT_EQ(sentenceOf(write("run.wandb", kind)), "byte 7: a piece of a record of no known kind");
    std::string length = whole;
    length[11] = length[12] = '\xff';
    EXPECT_EQ(sentenceOf(write("run.wandb", length)), "byte 7: a piece of a record that is longer than its block");
    std::string middle(wandb_file::kHead);
    std::string piece;
    protobuf::putLittleEndian(piece, wandb_file::checkSum(wandb_file::Middle, ""), 4);
    middle += piece + std::string("\0\0\3", 3);
    EXPECT_EQ(sentenceOf(write("run.wandb", middle)), "byte 7: a piece that belongs to no record");
}

/// A history record of these items: each a key, and a field of its value.
std::string historyOf(const std::vector<std::pair<std::string, std::string>>& items, int step) {
    std::string history, number, record;
    for (const auto& [key, value] : items) {
        std::string item;
        protobuf::putBytes(item, wandb_file::item::kNestedKey, key);
        protobuf::putBytes(history, wandb_file::history::kItem, item + value);
    }
    protobuf::putVarint(number, wandb_file::step::kNumber, static_cast<std::uint64_t>(step));
    protobuf::putBytes(history, wandb_file::history::kStep, number);
    protobuf::putBytes(record, wandb_file::record::kHistory, history);
    return record;
}

TEST_F(WrittenByOthers, WandbValuesAreNumbersOfEveryKind) {
    std::string file(wandb_file::kHead);
    const auto json = [](const std::string& text) {
        std::string field;
        protobuf::putBytes(field, wandb_file::item::kValueJson, text);
        return field;
    };
    std::string integer, number;
    protobuf::putVarint(integer, wandb_file::item::kInteger, 3);  // zigzag
    protobuf::putDouble(number, wandb_file::item::kNumber, 0.5);
    wandb_file::appendRecord(file, historyOf({{"loss", number}, {"offset", integer}, {"inner", json(R"({"a":{"b":2},"c":[1]})")}}, 3));
    wandb_file::appendRecord(file,
                             historyOf({{"loss", json("-Infinity")}, {"offset", json("7")}, {"inner", json(R"({"a":{"b":NaN}})")}}, 5));
    wandb_file::appendRecord(file, historyOf({{"loss", json("2")}, {"_step", json("9")}}, 6));
    const ImportedRun run = importRuns(write("run.wandb", file)).at(0);
    EXPECT_EQ(named(run, "loss").steps, (Steps{3, 5, 9}));
    EXPECT_EQ(named(run, "loss").values, (std::vector<double>{0.5, -kInf, 2}));
    EXPECT_EQ(named(run, "offset").values, (std::vector<double>{-2, 7}));
    EXPECT_EQ(named(run, "inner/a/b").values.at(0), 2);
    wandb_file::appendRecord(file, historyOf({{"loss", json("{\"a\":")}}, 7));
    EXPECT_NE(sentenceOf(write("run.wandb", file)).find("the value of 'loss': not JSON"), std::string::npos);
}

TEST_F(WrittenByOthers, EachRunOfATrackioDataBaseIsOne) {
    const std::vector<ImportedRun> runs = importRuns(golden("logs-trackio.db"));
    ASSERT_EQ(runs.size(), 2u);
    for (const ImportedRun& run : runs) {
        EXPECT_TRUE(run.name == "first" || run.name == "second") << run.name;
        expectValues(run, run.name == "first" ? 1 : 2);
    }
    EXPECT_NE(runs[0].name, runs[1].name);
}

/// A data base of these statements.
std::string dataBaseOf(const std::string& path, const std::string& sql) {
    sqlite3* database = nullptr;
    EXPECT_EQ(sqlite3_open(path.c_str(), &database), SQLITE_OK);
    EXPECT_EQ(sqlite3_exec(database, sql.c_str(), nullptr, nullptr, nullptr), SQLITE_OK) << sqlite3_errmsg(database);
    sqlite3_close(database);
    return path;
}

TEST_F(WrittenByOthers, ATrackioDataBaseIsReadWithoutTrust) {
    const std::string table = "CREATE TABLE metrics(run_name, step, metrics);", at = "INSERT INTO metrics VALUES ";
    const auto sentence = [&](const std::string& name, const std::string& sql) {
        return sentenceOf(dataBaseOf((folder / name).string(), sql));
    };
    EXPECT_EQ(sentence("a.db", "CREATE TABLE other(x)"),
              "is a data base, and none of trackio, which has a table 'metrics'; a recording is opened, not imported");
    EXPECT_TRUE(sentence("b.db", table).starts_with("has no values of a known metric"));
    EXPECT_NE(sentence("c.db", table + at + "('a', 0, '{\"loss\":')").find("row 1: not JSON"), std::string::npos);
    EXPECT_EQ(sentence("d.db", table + at + "('a', 'x', '{}')"), "row 1: the step is no whole number from 0 on");
    EXPECT_EQ(sentence("e.db", table + at + "('a', -1, '{}')"), "row 1: the step is no whole number from 0 on");
    EXPECT_EQ(sentence("f.db", table + at + "('a', 1, '[1]')"), "row 1: its metrics are no object");
    EXPECT_EQ(sentence("g.db", table + at + "('a', 1, '{\"loss\":1}'), ('a', 2, '{\"loss\":2}')"), "accepted");
    EXPECT_NE(
        sentence("h.db",
                 "CREATE TABLE rows(x); CREATE VIEW metrics AS SELECT 'a' AS run_name, 1 AS step, '{\"loss\":1}' AS metrics, 1 AS rowid")
            .find("cannot be read: "),
        std::string::npos)
        << "what is in a schema is never run";
    EXPECT_FALSE(std::filesystem::exists(folder / "g.db-wal"));
}

TEST_F(WrittenByOthers, ATrackioDataBaseCutAnywhereIsReadOrRefused) {
    const std::string whole = read(golden("logs-trackio.db"));
    for (std::size_t length = 0; length < whole.size(); length += 509) (void)sentenceOf(write("lab.db", whole.substr(0, length)));
    for (std::size_t at = 0; at < whole.size(); at += 101) {
        std::string bytes = whole;
        bytes[at] ^= 0x55;
        (void)sentenceOf(write("lab.db", bytes));
    }
}

TEST_F(WrittenByOthers, InspectsStatisticsNeedNoLoss) {
    const ImportedRun run = importRuns(golden("nvdlfw_inspect_globalrank-0.log")).at(0);
    EXPECT_EQ(named(run, "decoder.1.fc1_activation_fp8_underflows%").values.at(3), 0.75);
    EXPECT_EQ(named(run, "decoder.1.fc1_activation_amax").values.at(11), 15.3188);
    write("out/nvdlfw_inspect_statistics_logs/nvdlfw_inspect_globalrank-0.log", read(golden("nvdlfw_inspect_globalrank-0.log")));
    EXPECT_EQ(importRuns(folder / "out").size(), 1u);
}

TEST_F(WrittenByOthers, OfHistogramsTheBoundsAndTheCountAreCurves) {
    const ImportedRun run = importRuns(golden("logs.tfevents")).at(0);
    EXPECT_EQ(named(run, "train/loss").steps.size(), 12u);
    for (const std::string tag : {"weights", "gradients"}) {
        EXPECT_EQ(named(run, tag + "/count").values, std::vector<double>(12, 1000)) << tag;
        for (const double least : named(run, tag + "/min").values) EXPECT_TRUE(least < -2 && least > -6) << tag << least;
    }
    // Both were written of the same values: one as a HistogramProto, one as the plug-in's tensor.
    for (const char* part : {"/min", "/max"})
        for (std::size_t i = 0; i < 12; ++i)
            EXPECT_NEAR(named(run, std::string("weights") + part).values[i], named(run, std::string("gradients") + part).values[i], 1e-6);
    EXPECT_EQ(run.remark, "");
}

TEST_F(WrittenByOthers, AnEventFileWithHistogramsCutAnywhereIsReadAsFarAsItGoes) {
    const std::string whole = read(golden("logs.tfevents"));
    for (std::size_t length = 0; length < whole.size(); ++length) {
        ImportedRun run;
        EXPECT_EQ(refusalOf(LogFormat::Events, whole.substr(0, length), run), "") << length;
    }
}

}  // namespace
}  // namespace mantissa
