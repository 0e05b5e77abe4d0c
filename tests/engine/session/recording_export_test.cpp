// SPDX-License-Identifier: Apache-2.0
// What a recording is exported as, after rewinds, forks, removals and resets.
#include "engine/session/recording_export.h"

#include <unistd.h>

#include <fstream>
#include <iterator>

#include "engine/exchange/imported_run.h"
#include "tests/engine/session/same_records.h"
#include "tests/engine/session/session_fixture.h"

namespace mantissa {
namespace {

namespace fs = std::filesystem;
using test::expectSameBits;
using test::SessionFixture;

class RecordingExport : public testing::Test {
protected:
    fs::path folder = fs::path(testing::TempDir()) / ("export_" + std::to_string(::getpid()));
    std::string file = (folder / "a.mantissa").string();
    RecordingExport() { fs::create_directories(folder); }
    ~RecordingExport() override { fs::remove_all(folder); }
};

TEST_F(RecordingExport, TheLaterStepsHoldAndForksBeginWhereTheyDo) {
    SessionFixture lab;
    lab.session.recordTo(file);
    lab.load(test::task(test::kTwoRuns));
    lab.trainTo(20);
    const RunId a = lab.run("a").id, b = lab.run("b").id;
    ASSERT_EQ(lab.command(ChangeSetting{a, "/optimizer/lr", 0.5}), "");
    lab.trainTo(30);
    ASSERT_EQ(lab.command(RewindRuns{a, 12}), "");
    ASSERT_EQ(lab.command(ChangeSetting{a, "/optimizer/lr", 0.01}), "");
    ASSERT_EQ(lab.command(ForkRun{b, 15, {{"/precision", "fp16"}}, "fork", 0}), "");
    ASSERT_EQ(lab.command(DuplicateRun{b}), "");
    ASSERT_EQ(lab.command(RemoveRun{lab.run("b 2").id}), "");
    ASSERT_EQ(lab.command(RenameRun{b, "bee"}), "");
    lab.trainTo(35);

    ASSERT_EQ(lab.command(ExportRuns{"csv", (folder / "csv").string()}), "");
    ASSERT_EQ(lab.command(ExportRuns{"safetensors", (folder / "weights").string()}), "");
    for (const char* name : {"a", "bee", "fork"}) {
        EXPECT_TRUE(fs::exists(folder / "weights" / (std::string(name) + ".safetensors"))) << name;
        const ImportedRun read = importRuns(folder / "csv" / (std::string(name) + ".csv")).at(0);
        const std::vector<StepRecord>& told = lab.recordsOf(name);
        ASSERT_EQ(read.series.at(0).metric, Metric::Loss);
        ASSERT_EQ(read.series[0].steps.size(), told.size()) << name;
        EXPECT_EQ(read.series[0].steps.front(), name == std::string("fork") ? 15 : 0);
        for (std::size_t i = 0; i < told.size(); ++i) EXPECT_TRUE(isSameValue(read.series[0].values[i], told[i].loss)) << name << " " << i;
    }
    EXPECT_FALSE(fs::exists(folder / "csv" / "b_2.csv"));
    EXPECT_NE(lab.command(ExportRuns{"excel", folder.string()}).find("'excel' is no format"), std::string::npos);

    ASSERT_EQ(lab.command(ExportRuns{"csv", (folder / "look").string(), true}), "");
    EXPECT_TRUE(fs::exists(folder / "look" / "a.csv"));

    lab.session.endRecording();
    int exports = 0;
    Recording(file).read({.steps = nullptr, .entry = [&](const LogEntry& entry) {
                              exports += entry.body.dump().find("folder") != std::string::npos ? 1 : 0;
                          }});
    EXPECT_EQ(exports, 2) << "a look is told of nowhere";
    const std::vector<ExportedRun> runs = recordedRuns(Recording(file));
    ASSERT_EQ(runs.size(), 3u);
    expectSameBits(runs[0].records, lab.recordsOf("a"));
    EXPECT_EQ(runs[0].records[19].epoch, lab.recordsOf("a")[19].epoch);
    ASSERT_EQ(runs[0].changes.size(), 1u);  // the one before the rewind was undone by it
    EXPECT_EQ(runs[0].changes[0].step, 12);
    EXPECT_GT(runs[0].startSeconds, 1.7e9);
    EXPECT_EQ(runs[1].settings.name, "bee");
    EXPECT_EQ(runs[2].settings.training.precision.policy, "bf16");  // its parent's; then it changes
    EXPECT_EQ(runs[2].info.settings.training.precision.policy, "fp16");
    ASSERT_EQ(runs[2].changes.size(), 2u);  // the scaler follows
    EXPECT_EQ(runs[2].changes[0].pointer, "/precision");
    EXPECT_EQ(runs[2].changes[0].step, 15);
}

TEST_F(RecordingExport, WeightsOfAnyStepAreThoseOfThen) {
    SessionFixture lab;
    const auto steps = [&](int count) {
        for (int i = 0; i < count; ++i) ASSERT_EQ(lab.command(SingleStep{}), "");
    };
    lab.session.recordTo(file);
    lab.load(test::task(test::kTwoRuns, R"("events":[{"step":5,"run":"b","set":{"/optimizer/lr":0.003}}],)"));
    steps(25);
    const RunId a = lab.run("a").id;
    ASSERT_EQ(lab.command(RewindRuns{a, 16}), "");
    ASSERT_EQ(lab.command(ChangeSetting{a, "/optimizer/lr", 0.01}), "");
    ASSERT_EQ(lab.command(ForkRun{lab.run("b").id, 10, {{"/precision", "fp16"}}, "child", 0}), "");
    steps(10);  // a has come to 26 now, b to 35, the child to 20
    ASSERT_EQ(lab.command(ExportRuns{"safetensors", (folder / "then").string()}), "");
    steps(4);
    ASSERT_EQ(lab.command(ExportRuns{"safetensors", (folder / "last").string()}), "");
    lab.session.endRecording();

    const Recording recording(file);
    const auto bytesOf = [](const fs::path& path) {
        std::ifstream in(path, std::ios::binary);
        return std::string(std::istreambuf_iterator<char>(in), {});
    };
    const auto expectThose = [&](std::optional<std::int64_t> step, const std::vector<std::string>& runs,
                                 const std::vector<std::string>& same, const char* as) {
        const fs::path out = folder / "out";
        fs::create_directories(out);
        const WrittenFiles written = exportWeights(recording, step, createCpuBackend(), out);
        EXPECT_TRUE(written.remarks.empty());
        std::vector<fs::path> files;
        for (const std::string& run : runs) files.push_back(out / (run + ".safetensors"));
        EXPECT_EQ(written.files, files);
        for (const std::string& run : same)
            EXPECT_TRUE(bytesOf(out / (run + ".safetensors")) == bytesOf(folder / as / (run + ".safetensors"))) << run << " as " << as;
        fs::remove_all(out);
    };
    expectThose(20, {"a", "b", "child"}, {"child"}, "then");
    expectThose(26, {"a", "b"}, {"a"}, "then");
    expectThose(35, {"b"}, {"b"}, "then");
    expectThose({}, {"a", "b", "child"}, {"a", "b", "child"}, "last");
    EXPECT_THROW(exportWeights(recording, 40, createCpuBackend(), folder), InputError);
}

TEST_F(RecordingExport, WithoutARecordingThereIsNothing) {
    SessionFixture lab;
    lab.load(test::task(test::kTwoRuns));
    lab.trainTo(3);
    EXPECT_NE(lab.command(ExportRuns{"csv", folder.string()}).find("nothing is recorded"), std::string::npos);
}

}  // namespace
}  // namespace mantissa
