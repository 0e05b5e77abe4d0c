// SPDX-License-Identifier: Apache-2.0
// The engine behind the window, with all of its threads at work at once. packaging/test.sh runs it under the thread sanitizer as well,
// which ends the program with a report and another exit code where two threads meet.
#include <csignal>
#include <map>
#include <thread>

#include "tests/engine/cli/program.h"
#include "tests/engine/cli/served.h"

namespace mantissa {
namespace {

constexpr const char* kExperiment =
    R"({"data": {"batch_size": 16}, "model": {"hidden": [16]}, "steps": 1000000, "validation_interval": 50,
        "runs": [{"name": "a", "precision": "fp16"}, {"name": "b", "precision": "bf16"}]})";

class ServeThreads : public ProgramTest {};

TEST_F(ServeThreads, DoEverythingAtOnce) {
    std::signal(SIGPIPE, SIG_IGN);  // a dead engine fails an expectation instead
    Served engine(MANTISSA_PROGRAM, (folder / "recordings").string(), (folder / "stderr").string());
    ASSERT_TRUE(engine.waitFor([](const Event& event) { return std::holds_alternative<Hello>(event); })) << read(folder / "stderr");
    ASSERT_EQ(engine.done(LoadExperiment{"test", kExperiment}), "");
    ASSERT_EQ(engine.done(Train{}), "");
    ASSERT_TRUE(engine.trainsTo(1, 60));
    // answered by threads of their own, while steps and their records go on
    engine.send(PreviewExperiment{kExperiment, 0});
    EXPECT_EQ(engine.done(ChangeSetting{0, "/optimizer/lr", 0.05}), "");
    EXPECT_EQ(engine.done(ChangeSetting{1, "/precision", "fp16"}), "");
    EXPECT_EQ(engine.done(SetInstrumentation{Instrumentation::Full}), "");
    ASSERT_TRUE(engine.trainsTo(1, 90));
    EXPECT_EQ(engine.done(RewindRuns{-1, 20}), "");
    EXPECT_EQ(engine.done(Train{}), "");
    ASSERT_TRUE(engine.trainsTo(0, 100));
    EXPECT_EQ(engine.done(ForkRun{0, 50, {{"/precision", "bf16"}}, "fork", 0}), "");
    EXPECT_EQ(engine.done(KeepCheckpoint{1}), "");
    const std::uint64_t race = engine.send(MeasureThresholds{0, 10, 40}), comparison = engine.send(CompareRuns{0, 1, 10, 5, 5}),
                        examined = engine.send(ExamineStep{1, 30}), endless = engine.send(MeasureThresholds{0, 10, 900'000});
    EXPECT_EQ(engine.answerTo(race), "");
    EXPECT_EQ(engine.answerTo(comparison), "");
    EXPECT_EQ(engine.answerTo(examined), "");
    EXPECT_EQ(engine.done(StopQuestion{endless}), "");
    (void)engine.answerTo(endless);  // with what is known, or refused
    for (const char* format : {"csv", "html", "safetensors"})
        EXPECT_EQ(engine.done(ExportRuns{format, (folder / format).string(), false}), "") << format;
    EXPECT_EQ(engine.done(ListRecordings{}), "");
    EXPECT_EQ(engine.done(RemoveRun{1}), "");
    EXPECT_EQ(engine.done(RestoreRun{1}), "");
    EXPECT_EQ(engine.done(ResetExperiment{}), "");
    EXPECT_EQ(engine.done(Train{}), "");
    ASSERT_TRUE(engine.trainsTo(0, 20));
    EXPECT_EQ(engine.done(LoadExperiment{"four-formats", ""}), "") << "while the first one trains";
    EXPECT_EQ(engine.done(Train{}), "");
    engine.send(PreviewExperiment{kExperiment, 0});
    engine.send(Quit{});
    EXPECT_EQ(engine.end(), 0) << read(folder / "stderr");
    EXPECT_EQ(read(folder / "stderr"), "");
}

class ServeBehind : public ProgramTest {};

TEST_F(ServeBehind, AWindowThatFallsBehindIsWaitedFor) {
    std::signal(SIGPIPE, SIG_IGN);
    Served engine(MANTISSA_PROGRAM, (folder / "recordings").string(), (folder / "stderr").string());
    ASSERT_TRUE(engine.waitFor([](const Event& event) { return std::holds_alternative<Hello>(event); }));
    ASSERT_EQ(engine.done(LoadExperiment{"test", R"({"data": {"batch_size": 4}, "model": {"hidden": [4]}, "steps": 100000000,
        "runs": [{"name": "a"}, {"name": "b"}, {"name": "c"}, {"name": "d"}]})"}),
              "");
    ASSERT_EQ(engine.done(SetInstrumentation{Instrumentation::Full}), "");
    ASSERT_EQ(engine.done(Train{}), "");
    std::this_thread::sleep_for(std::chrono::seconds(5));  // without reading
    const std::uint64_t pause = engine.send(Pause{});
    std::size_t bytes = 0;
    std::map<RunId, std::int64_t> next;
    ASSERT_TRUE(engine.waitFor([&](const Event& event) {
        bytes += encode(event).size();
        if (const auto* steps = std::get_if<StepsRecorded>(&event)) {
            for (const StepRecord& record : steps->records) EXPECT_EQ(record.step, next[steps->run]++) << "nothing is left out";
        }
        const auto* done = std::get_if<CommandDone>(&event);
        return done != nullptr && done->commandId == pause;
    }));
    EXPECT_GT(next[3], 100);
    EXPECT_LT(bytes, 8u << 20);
}

}  // namespace
}  // namespace mantissa
