// SPDX-License-Identifier: Apache-2.0
// A session that is recorded: trained once more, opened again, gone on with.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <random>

#include "engine/recording/recorder.h"
#include "engine/session/replay.h"
#include "tests/engine/session/same_records.h"
#include "tests/engine/session/session_fixture.h"

namespace mantissa {
namespace {

namespace fs = std::filesystem;
using test::expectSameBits;
using test::SessionFixture;

/// Four formats of a small task, with changes by events.
std::string fourFormats(int steps) {
    return R"({"data":{"batch_size":16},"model":{"hidden":[16]},"validation_interval":100,"steps":)" + std::to_string(steps) +
           R"(,"runs":[{"name":"fp32"},
 {"name":"fp16","precision":"fp16","scaler":{"preset":"pytorch","init_scale":1048576,"growth_interval":7}},
 {"name":"bf16","precision":"bf16"},
 {"name":"fp8","precision":"fp8"}],
 "events":[{"step":20,"run":"fp16","set":{"/scaler/scale":16777216}},{"step":31,"run":"fp32","set":{"/inject/input":"inf"}},
 {"step":33,"run":"bf16","set":{"/inject/tensor":{"tensor":"layers.0.output","value":-3000,"element":7}}}]})";
}

class Recorded : public testing::Test {
protected:
    fs::path folder = fs::path(testing::TempDir()) / ("recorded_" + std::to_string(::getpid()));
    std::string file = (folder / "a.mantissa").string();

    Recorded() { fs::create_directories(folder); }
    ~Recorded() override { fs::remove_all(folder); }

    static Replayed replayed(const std::string& path) {
        const Recording recording(path);
        return replay(recording, createCpuBackend(), [](std::int64_t) { return true; });
    }
    static void expectIdentical(const Replayed& done) {
        EXPECT_FALSE(done.first.has_value()) << done.first->run << " at step " << done.first->step << ": " << done.first->column << " "
                                             << done.first->recorded << " " << done.first->replayed;
    }
};

TEST_F(Recorded, ThreeThousandStepsWithTwentyLiveChangesComeOutTheSame) {
    {
        SessionFixture lab;
        lab.session.recordTo(file);
        lab.load(fourFormats(3000));
        const std::pair<const char*, Json> changes[] = {
            {"/optimizer/lr", 0.003},     {"/precision", "bf16"}, {"/clip_grad_norm", 0.5},  {"/scaler/scale", 65536.0},
            {"/inject/input", "nan"},     {"/precision", "fp8"},  {"/optimizer/lr", 0.0005}, {"/accumulate", 2},
            {"/clip_grad_norm", nullptr}, {"/precision", "fp16"},
        };
        std::mt19937 random(3);
        std::int64_t step = 0;
        int made = 0;
        while (made < 20) {
            step += 20 + static_cast<std::int64_t>(random() % 200);
            lab.trainTo(step);
            const auto runs = lab.runs();
            const auto& [pointer, value] = changes[random() % std::size(changes)];
            made += lab.command(ChangeSetting{runs[random() % runs.size()].id, pointer, value}).empty() ? 1 : 0;  // a scale needs a scaler
        }
        ASSERT_LT(step, 3000);
        lab.trainTo(3000);
    }
    const Replayed done = replayed(file);
    EXPECT_EQ(done.runs, 4);
    EXPECT_EQ(done.steps, 4 * 3000);
    EXPECT_EQ(done.changes, 20);
    expectIdentical(done);
}

TEST_F(Recorded, RewindsForksWhatIfsAndResetsComeOutTheSame) {
    {
        SessionFixture lab;
        lab.session.recordTo(file);
        lab.load(fourFormats(80));
        lab.trainTo(50);
        const RunId fp16 = lab.run("fp16").id;
        ASSERT_EQ(lab.command(ChangeSetting{fp16, "/optimizer/lr", 0.01}), "");
        lab.trainTo(60);
        ASSERT_EQ(lab.command(RewindRuns{fp16, 40}), "");
        ASSERT_EQ(lab.command(ChangeSetting{fp16, "/precision", "bf16"}), "");
        lab.trainTo(70);
        ASSERT_EQ(lab.command(ForkRun{fp16, 45, {{"/clip_grad_norm", 0.1}}, "child", 0}), "");
        ASSERT_EQ(lab.command(ChangeSetting{fp16, "/inject/tensor", Json{{"tensor", "layers.1.weight.grad"}, {"value", "nan"}}}), "");
        ASSERT_EQ(lab.command(ForkRun{lab.run("fp32").id, 30, {}, "", 10}), "");
        lab.trainTo(75);
        ASSERT_EQ(lab.command(RewindRuns{lab.run("child").id, 50}), "");
        ASSERT_EQ(lab.command(AddRun{Json{{"name", "late"}}}), "");
        ASSERT_EQ(lab.command(RemoveRun{lab.run("fp8").id}), "");
        ASSERT_EQ(lab.command(RenameRun{lab.run("bf16").id, "brain"}), "");
        lab.trainTo(80);
        ASSERT_EQ(lab.command(ResetExperiment{}), "");
        lab.trainTo(20);
    }
    const Replayed done = replayed(file);
    EXPECT_GT(done.steps, 400);
    expectIdentical(done);
}

TEST_F(Recorded, AValueThatIsNotTheSameIsNamed) {
    {
        SessionFixture lab;
        lab.session.recordTo(file);
        lab.load(fourFormats(40));
        lab.trainTo(30);
    }
    const Recording recording(file);
    // the same steps, one of them with another loss
    const std::string other = (folder / "b.mantissa").string();
    {
        Recorder recorder(other, recording.facts(), [](const RecordingState&) {});
        recording.read({.steps =
                            [&](RunId run, std::span<const StepRecord> records) {
                                std::vector<StepRecord> copy(records.begin(), records.end());
                                for (StepRecord& record : copy) {
                                    if (run == 2 && record.step == 17) record.loss = std::nextafter(record.loss, 100.0);
                                }
                                recorder.append(run, copy);
                            },
                        .entry = [&](const LogEntry& entry) { recorder.append(entry); }});
    }
    const auto first = replayed(other).first;
    ASSERT_TRUE(first.has_value());
    EXPECT_EQ(first->run, "bf16");
    EXPECT_EQ(first->step, 17);
    EXPECT_EQ(first->column, "loss");
}

TEST_F(Recorded, OpenedAgainItGoesOnWhereItEndedInTheSameFile) {
    std::map<std::string, std::vector<StepRecord>> expected;
    {
        SessionFixture whole;
        whole.load(fourFormats(90));
        whole.trainTo(40);
        ASSERT_EQ(whole.command(ChangeSetting{whole.run("bf16").id, "/optimizer/lr", 0.004}), "");
        whole.trainTo(90);
        for (const RunInfo& run : whole.runs()) expected[run.settings.name] = whole.records[run.id];
    }
    {
        SessionFixture lab;
        lab.session.recordInto(folder.string());
        lab.load(fourFormats(90));
        lab.trainTo(40);
        ASSERT_EQ(lab.command(ChangeSetting{lab.run("bf16").id, "/optimizer/lr", 0.004}), "");
        lab.trainTo(60);
        ASSERT_EQ(lab.command(ForkRun{lab.run("bf16").id, 50, {}, "child", 0}), "");
    }
    SessionFixture lab;
    lab.session.recordInto(folder.string());
    ASSERT_EQ(lab.command(ListRecordings{}), "");
    const auto listed = lab.all<RecordingsListed>().at(0).recordings;
    ASSERT_EQ(listed.size(), 1u);
    EXPECT_EQ(listed[0].steps, 60) << "of the longest run";
    ASSERT_EQ(listed[0].runs.size(), 5u);
    const ListedRun& first = listed[0].runs[0];
    EXPECT_EQ(first.policy, "fp32");
    EXPECT_EQ(first.steps, 60);
    ASSERT_EQ(first.lossSteps.size(), first.losses.size());
    EXPECT_EQ(first.lossSteps.back(), 59);
    for (std::size_t i = 0; i < first.losses.size(); ++i) {
        const double loss = expected.at("fp32")[static_cast<std::size_t>(first.lossSteps[i])].loss;
        EXPECT_TRUE(first.losses[i] == loss || (std::isnan(first.losses[i]) && std::isnan(loss))) << first.lossSteps[i];
    }
    ASSERT_EQ(lab.command(OpenRecording{listed[0].path}), "");
    EXPECT_EQ(lab.all<RecordingOpened>().at(0).whyReadOnly, "");
    EXPECT_EQ(lab.session.state(), LabState::Paused);
    for (const auto& [name, records] : expected) {
        expectSameBits(lab.recordsOf(name), {records.begin(), records.begin() + 60});
        EXPECT_EQ(lab.recordsOf(name)[50].epoch, records[50].epoch);
    }
    EXPECT_EQ(lab.run("child").firstStep, 50);
    EXPECT_EQ(lab.all<SettingApplied>().size(), 4u) << "marks of the changes come again";
    EXPECT_NE(lab.command(OpenRecording{listed[0].path}), "") << "it is being written";
    EXPECT_NE(lab.command(DeleteRecording{listed[0].path}), "");

    lab.trainTo(90);
    for (const auto& [name, records] : expected) expectSameBits(lab.recordsOf(name), records);
    expectSameBits(lab.recordsOf("child"), {expected["bf16"].begin() + 50, expected["bf16"].end()});
    for (const RunCaughtUp& there : lab.all<RunCaughtUp>()) EXPECT_EQ(there.differsAt, -1);
    ASSERT_EQ(lab.command(RewindRuns{-1, 55}), "");
    lab.session.endRecording();
    expectIdentical(replayed(listed[0].path));
    EXPECT_EQ(lab.command(DeleteRecording{listed[0].path}), "");
    EXPECT_FALSE(fs::exists(listed[0].path));
    EXPECT_NE(lab.command(DeleteRecording{"/etc/passwd"}), "");
}

TEST_F(Recorded, StandsBesideOthersToBeLookedAt) {
    {
        SessionFixture lab;
        lab.session.recordTo(file);
        lab.load(fourFormats(40));
        lab.trainTo(30);
    }
    SessionFixture lab;
    lab.load(fourFormats(45));
    ASSERT_EQ(lab.command(ImportRuns{file}), "");
    const RunInfo beside = lab.run("fp16 2");
    EXPECT_EQ(beside.kind, RunKind::Recorded);
    EXPECT_EQ(beside.origin, file);
    EXPECT_EQ(lab.records[beside.id].size(), 30u);
    EXPECT_NE(lab.command(ChangeSetting{beside.id, "/optimizer/lr", 0.1}).find("is read-only"), std::string::npos);
    lab.trainTo(20);
    EXPECT_EQ(lab.command(RenameRun{beside.id, "theirs"}), "");
    EXPECT_EQ(lab.command(RemoveRun{beside.id}), "");
    EXPECT_NE(lab.command(ImportRuns{(folder / "none.csv").string()}), "");
}

TEST_F(Recorded, WithoutAStepNothingIsKept) {
    {
        SessionFixture lab;
        lab.session.recordInto((folder / "made").string());
        lab.load(fourFormats(40));
        lab.load(fourFormats(40));
    }
    EXPECT_TRUE(fs::is_empty(folder / "made"));
}

TEST_F(Recorded, WhoseDataAreGoneCanBeLookedAt) {
    const std::string text = (folder / "text.txt").string();
    std::ofstream(text) << std::string(400, 'a') + std::string(400, 'b');
    {
        SessionFixture lab;
        lab.session.recordTo(file);
        lab.load(R"({"data":{"name":"text","path":")" + text + R"(","context":8,"batch_size":2},
                     "model":{"kind":"gpt","n_layer":1,"n_head":1,"n_embd":8},"steps":5,"runs":[{"name":"a"}]})");
        lab.trainTo(3);
    }
    fs::remove(text);
    SessionFixture lab;
    ASSERT_EQ(lab.command(OpenRecording{file}), "");
    EXPECT_EQ(lab.run("a").kind, RunKind::Recorded);
    EXPECT_NE(lab.run("a").origin.find("text.txt"), std::string::npos) << "why";
    EXPECT_EQ(lab.recordsOf("a").size(), 3u);
    EXPECT_EQ(lab.session.state(), LabState::Finished);
}

}  // namespace
}  // namespace mantissa
