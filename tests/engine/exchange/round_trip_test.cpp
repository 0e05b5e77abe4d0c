// SPDX-License-Identifier: Apache-2.0
// What is exported and imported again: NaN, infinities and skips come through each format.
#include "engine/telemetry/csv.h"
#include "tests/engine/exchange/exchange_files.h"

namespace mantissa {
namespace {

class RoundTrip : public ExchangeTest {
protected:
    const ExportedRun m_run = everyKindOfValue();

    /// Each metric of each record is there and the same, as a double or rounded to float32, and nothing else is.
    void expectAllThere(const std::vector<ImportedRun>& runs, bool isFloat32) const {
        ASSERT_EQ(runs.size(), 1u);
        ASSERT_EQ(runs[0].series.size(), static_cast<std::size_t>(kMetricCount));
        for (const ImportedSeries& series : runs[0].series) {
            std::size_t at = 0;
            for (const StepRecord& record : m_run.records) {
                const bool isAbsent = (series.metric == Metric::ValidationLoss && !record.validated()) ||
                                      (series.metric == Metric::ValidationAccuracy && !record.hasAccuracy());
                if (isAbsent) continue;
                const std::string where = series.source + " at " + std::to_string(record.step);
                ASSERT_LT(at, series.steps.size()) << where;
                EXPECT_EQ(series.steps[at], record.step) << where;
                const double value = metricValue(record, series.metric);
                expectSame(series.values[at++], isFloat32 ? static_cast<double>(static_cast<float>(value)) : value, where);
            }
            EXPECT_EQ(series.steps.size(), at) << series.source;
        }
        EXPECT_EQ(seriesOf(runs[0], Metric::SkippedTotal)->values, (std::vector<double>{0, 1, 1, 2, 2, 2}));
    }
};

TEST_F(RoundTrip, CsvKeepsNaNInfinitiesAndSkips) {
    const auto path = writeCsv(m_run, folder / "new");
    EXPECT_EQ(path, folder / "new" / "fp16_a_b.csv");
    std::istringstream lines(read(path));
    std::string line;
    std::getline(lines, line);
    EXPECT_EQ(line, kCsvHeader);
    for (const StepRecord& record : m_run.records) {
        std::ostringstream row;
        writeCsvRow(row, record);
        std::getline(lines, line);
        EXPECT_EQ(line + "\n", row.str());
    }
    const auto runs = importRuns(path);
    expectAllThere(runs, false);
    EXPECT_EQ(runs[0].name, "fp16_a_b");
    EXPECT_EQ(runs[0].remark, "not shown: samples, epoch, wall_s, skipped, flags");
}

TEST_F(RoundTrip, JsonLinesKeepNaNInfinitiesAndSkips) {
    const auto path = writeJsonLines(m_run, folder);
    EXPECT_EQ(path, folder / "fp16_a_b.jsonl");
    const auto runs = importRuns(path);
    expectAllThere(runs, false);
    EXPECT_EQ(runs[0].name, "fp16 a/b");

    std::istringstream lines(read(path));
    std::vector<Json> objects;
    for (std::string line; std::getline(lines, line);) objects.push_back(Json::parse(line));  // each line is strict JSON
    ASSERT_EQ(objects.size(), 1 + 6 + 2u);
    EXPECT_EQ(objects[0]["schema"], kJsonLinesSchema);
    EXPECT_EQ(objects[0]["version"], 1);
    EXPECT_EQ(readSettings(objects[0]["settings"]), m_run.settings);
    EXPECT_EQ(objects[2]["event"], "nonfinite");  // before the step where it was found
    EXPECT_EQ(objects[2]["class"], "+Inf");
    EXPECT_EQ(objects[3]["step"], 11);
    EXPECT_EQ(objects[3]["skipped"], 1);
    EXPECT_EQ(objects[3]["flags"], "skipped|found_inf");
    EXPECT_EQ(objects[3]["grad_norm"], "Infinity");
    EXPECT_FALSE(objects[3].contains("val_loss"));
    EXPECT_EQ(objects[4]["event"], "change");
    EXPECT_EQ(objects[4]["to"], "\"FP16\"");
    EXPECT_EQ(objects[5]["loss"], "NaN");
    EXPECT_EQ(objects[6]["loss"], "-Infinity");
    EXPECT_EQ(objects[6]["val_loss"], "Infinity");
    EXPECT_FALSE(objects[6].contains("val_accuracy"));
}

TEST_F(RoundTrip, TensorBoardKeepsNaNInfinitiesAndSkipsAsFloat32) {
    const auto path = writeTensorBoard(m_run, folder);
    EXPECT_EQ(path, folder / "fp16_a_b" / "events.out.tfevents.1700000000.mantissa");
    expectAllThere(importRuns(folder), true);
    EXPECT_EQ(importRuns(folder)[0].name, "fp16_a_b");
    EXPECT_EQ(importRuns(path)[0].name, "fp16_a_b");
}

TEST_F(RoundTrip, ACutLastLineOrRecordIsLeftOut) {
    const auto expectAllButOne = [](const ImportedRun& run, const char* what) {
        EXPECT_EQ(seriesOf(run, Metric::Loss)->steps, (std::vector<std::int64_t>{10, 11, 12, 13, 14}));
        EXPECT_NE(run.remark.find(std::string("the last ") + what + " is cut"), std::string::npos) << run.remark;
    };
    const std::string lines = read(writeJsonLines(m_run, folder)), rows = read(writeCsv(m_run, folder));
    const std::string events = read(writeTensorBoard(m_run, folder));
    for (const std::size_t cut : {2, 20}) {
        expectAllButOne(importRuns(write("cut.jsonl", lines.substr(0, lines.size() - cut)))[0], "line");
        expectAllButOne(importRuns(write("cut.tfevents", events.substr(0, events.size() - cut)))[0], "record");
    }
    expectAllButOne(importRuns(write("cut.csv", rows.substr(0, rows.size() - 20)))[0], "line");
}

TEST_F(RoundTrip, AFileThatCannotBeWrittenIsNamed) {
    write("file", "");
    for (const auto writer : {writeCsv, writeJsonLines, writeTensorBoard}) {
        EXPECT_THROW(writer(m_run, folder / "file" / "below"), std::filesystem::filesystem_error);
    }
    ExportedRun big = m_run;
    big.settings.name = "full";
    for (int i = 0; i < 2000; ++i) big.records.push_back(m_run.records[0]);
    std::filesystem::create_symlink("/dev/full", folder / "full.csv");
    std::filesystem::create_symlink("/dev/full", folder / "full.jsonl");
    for (const auto writer : {writeCsv, writeJsonLines}) {
        try {
            writer(big, folder);
            ADD_FAILURE() << "written to a full disk";
        } catch (const std::filesystem::filesystem_error& error) {
            EXPECT_NE(std::string(error.what()).find("full."), std::string::npos) << error.what();
        }
    }
}

}  // namespace
}  // namespace mantissa
