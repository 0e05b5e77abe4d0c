// SPDX-License-Identifier: Apache-2.0
// Runs of a session whose device takes many steps at once: what happens between two steps still happens there.
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>
#include <vector>

#include "engine/session/live_run.h"
#include "engine/session/run_info.h"
#include "engine/training/device_steps.h"
#include "tests/engine/session/session_fixture.h"
#include "tests/support/capturing_backend.h"

namespace mantissa {
namespace {

/// A run, and what it has told.
struct BurstRun {
    std::vector<StepRecord> records;
    std::int64_t allocatedBytes = 0;
    std::set<std::int64_t> examined;
    LiveRun run;

    explicit BurstRun(const std::string& settings)
        : run(0, parseExperiment(test::task(R"({"name":"run",)" + settings + "}"), "x").runs.front(),
              std::make_shared<test::CapturingBackend>(), [this](Event&& event) { take(event); }) {}

    void take(const Event& event) {
        if (const auto* steps = std::get_if<StepsRecorded>(&event)) {
            records.insert(records.end(), steps->records.begin(), steps->records.end());
            allocatedBytes = steps->allocatedBytes;
        }
        if (const auto* found = std::get_if<StepExamined>(&event)) examined.insert(found->examination.step);
    }
    /// Steps taken by the longest of the calls that it took.
    std::int64_t trainTo(std::int64_t step) {
        std::int64_t longest = 0;
        while (run.nextStep() < step) {
            const std::int64_t before = run.nextStep();
            run.step(step - before);
            longest = std::max(longest, run.nextStep() - before);
        }
        run.flush();
        return longest;
    }
};

TEST(Bursts, TakeMemoryThatIsToldWithTheirSteps) {
    BurstRun burst(R"("precision":"fp16")");
    const std::int64_t before = runInfo(burst.run).allocatedBytes;
    burst.run.step();
    burst.run.flush();
    EXPECT_EQ(burst.allocatedBytes, before);
    EXPECT_GE(burst.trainTo(40), 8);
    const std::int64_t ofIndices = burst.run.course().settings.training.data.batchSize;
    EXPECT_GE(burst.allocatedBytes, before + DeviceSteps::most(ofIndices) * ofIndices * static_cast<std::int64_t>(sizeof(std::int32_t)));
}

TEST(Bursts, CatchUpAsTheyWent) {
    BurstRun burst(R"("precision":"fp16")");
    burst.trainTo(20);
    burst.run.change(1, "/optimizer/lr", 0.01);
    EXPECT_GE(burst.trainTo(60), 8);
    const std::vector<std::byte> memory = burst.run.trainer().snapshot().memory;
    burst.run.rewind(58);
    int calls = 0;
    for (; burst.run.isLagging(); ++calls) burst.run.rerun();
    EXPECT_LT(calls, 20) << "of one step each there may be 58";
    EXPECT_EQ(burst.run.differsAt(), -1) << "the change came at its step";
    EXPECT_EQ(burst.run.nextStep(), 58);
    burst.trainTo(60);
    EXPECT_TRUE(burst.run.trainer().snapshot().memory == memory);
}

TEST(Bursts, OfADeviceThatFallsSilentEndInWords) {
    const RunSettings settings = parseExperiment(test::task(R"({"name":"run","precision":"fp16"})"), "x").runs.front();
    const auto backend = std::make_shared<test::CapturingBackend>();
    Trainer trainer(settings.training, loadDataset(settings.training.data), backend);
    while (trainer.steps(8).size() < 8) continue;
    const std::int64_t before = trainer.nextStep();
    backend->isEndless = true;
    try {
        trainer.steps(
            8, 8, [](const StepRecord&) { return true; }, std::chrono::seconds(0));
        FAIL() << "it waits for ever";
    } catch (const SilentDevice& error) {
        EXPECT_EQ(error.reason, "no step has ended for 0 s: work on cpu that does not end");
    }
    EXPECT_EQ(trainer.nextStep(), before);
}

/// Of each row of bad steps the first, the second, the fourth, ...
TEST(Bursts, ExamineThePlacesOfARowOfNonFiniteStepsAndNoOthers) {
    BurstRun burst(R"("precision":"fp16","scaler":{"preset":"pytorch","init_scale":1073741824,"growth_interval":5})");
    burst.run.setExamining(Examining::AtLeisure);
    EXPECT_GE(burst.trainTo(50), 2);
    std::set<std::int64_t> expected;
    std::int64_t consecutive = 0;
    for (const StepRecord& record : burst.records) {
        consecutive = isNonFiniteStep(record) ? consecutive + 1 : 0;
        if (consecutive > 0 && (consecutive & (consecutive - 1)) == 0) expected.insert(record.step);
    }
    EXPECT_GE(expected.size(), 4u);
    EXPECT_EQ(burst.examined, expected);
}

TEST(Bursts, EndForACommand) {
    const auto backend = std::make_shared<test::CapturingBackend>();
    Session session(backend, [](Event&&) {});
    std::int64_t launches = 0;
    constexpr std::int64_t kAt = 600;  // of one of the longest
    backend->onLaunch = [&] {
        if (++launches == kAt) session.post({3, Pause{}});
    };
    session.post(
        {1,
         LoadExperiment{
             "test",
             R"({"data":{"batch_size":16},"model":{"hidden":[16]},"steps":100000,"validation_interval":1000000,"runs":[{"name":"run"}]})"}});
    session.post({2, Train{}});
    for (int turn = 0; turn < 10000 && (launches < kAt || session.state() == LabState::Training); ++turn) session.advance();
    ASSERT_EQ(session.state(), LabState::Paused);
    EXPECT_LE(launches, kAt + DeviceSteps::kMostAhead) << "what was under way";
}

TEST(Bursts, PauseInLockstepAtOneStep) {
    for (std::int64_t at = 60; at < 76; ++at) {
        const auto backend = std::make_shared<test::CapturingBackend>();
        std::map<RunId, std::int64_t> steps;
        Session session(backend, [&](Event&& event) {
            if (const auto* told = std::get_if<StepsRecorded>(&event)) steps[told->run] += static_cast<std::int64_t>(told->records.size());
        });
        std::int64_t launches = 0;
        backend->onLaunch = [&] {
            if (++launches == at) session.post({4, Pause{}});
        };
        session.post(
            {1, LoadExperiment{"test", R"({"data":{"batch_size":4},"model":{"hidden":[8]},"steps":100000,"validation_interval":1000000,)"
                                       R"("runs":[{"name":"one"},{"name":"two","precision":"bf16"}]})"}});
        session.post({2, SetLockstep{true}});
        session.post({3, Train{}});
        for (int turn = 0; turn < 10000 && (launches < at || session.state() == LabState::Training); ++turn) session.advance();
        ASSERT_EQ(session.state(), LabState::Paused);
        ASSERT_EQ(steps.size(), 2u);
        EXPECT_LE(std::abs(steps.begin()->second - steps.rbegin()->second), 1) << "paused in launch " << at;
    }
}

}  // namespace
}  // namespace mantissa
