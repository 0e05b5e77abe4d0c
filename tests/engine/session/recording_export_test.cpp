// SPDX-License-Identifier: Apache-2.0
// What a recording is exported as, after rewinds, forks, removals and resets.
#include "engine/session/recording_export.h"

#include <unistd.h>

#include "engine/exchange/imported_run.h"
#include "tests/engine/session/same_records.h"
#include "tests/engine/session/session_lab.h"

namespace mantissa {
namespace {

namespace fs = std::filesystem;
using test::expectSameBits;
using test::Lab;

class RecordingExport : public testing::Test {
protected:
    fs::path folder = fs::path(testing::TempDir()) / ("export_" + std::to_string(::getpid()));
    std::string file = (folder / "a.mantissa").string();
    RecordingExport() { fs::create_directories(folder); }
    ~RecordingExport() override { fs::remove_all(folder); }
};

TEST_F(RecordingExport, TheLaterStepsHoldAndForksBeginWhereTheyDo) {
    Lab lab;
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

    lab.session.endRecording();
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

TEST_F(RecordingExport, WithoutARecordingThereIsNothing) {
    Lab lab;
    lab.load(test::task(test::kTwoRuns));
    lab.trainTo(3);
    EXPECT_NE(lab.command(ExportRuns{"csv", folder.string()}).find("nothing is recorded"), std::string::npos);
}

}  // namespace
}  // namespace mantissa
