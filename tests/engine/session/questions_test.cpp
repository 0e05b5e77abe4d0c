// SPDX-License-Identifier: Apache-2.0
// Questions about past steps beside training: neither waits for the other, the answer is the same as without it, and a run that is removed,
// taken back or begun anew ends them.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <functional>

#include "engine/training/silent_findings.h"
#include "engine/wire/wire.h"
#include "tests/engine/session/session_fixture.h"

namespace mantissa {
namespace {

using test::SessionFixture;
using test::task;

/// Runs without an end. A step of "hot" overflows at its scale, and an examination of one trains several remedies for 100 steps each.
std::string endless(int hidden) {
    return R"({"data":{"batch_size":16},"model":{"hidden":[)" + std::to_string(hidden) + "," + std::to_string(hidden) +
           R"(]},"steps":100000000,"validation_interval":1000000,"runs":[
        {"name":"hot","precision":"fp16","scaler":{"preset":"static","init_scale":1073741824}},{"name":"wide","precision":"fp32"}]})";
}
constexpr int kSmall = 16, kLarge = 512;  // units of a layer; an examination of the large model takes several slices anywhere

bool isDone(const SessionFixture& lab, std::uint64_t id) {
    return lab.count<CommandDone>([id](const CommandDone& done) { return done.commandId == id; }) > 0;
}
std::string refusalOf(const SessionFixture& lab, std::uint64_t id) {
    for (const CommandRefused& refused : lab.all<CommandRefused>())
        if (refused.commandId == id) return refused.sentence;
    return "";
}
std::vector<QuestionProgress> progressOf(const SessionFixture& lab, std::uint64_t id) {
    std::vector<QuestionProgress> all = lab.all<QuestionProgress>();
    std::erase_if(all, [id](const QuestionProgress& each) { return each.commandId != id; });
    return all;
}
void advanceUntil(SessionFixture& lab, const std::function<bool()>& isThere) {
    while (!isThere()) lab.session.advance(4, 0);
}
/// While training, with `body` asked and under way.
std::uint64_t askWhileTraining(SessionFixture& lab, CommandBody body) {
    EXPECT_EQ(lab.command(Train{}), "");
    const std::uint64_t id = lab.post(std::move(body));
    advanceUntil(lab, [&] { return !progressOf(lab, id).empty(); });
    EXPECT_FALSE(isDone(lab, id));
    EXPECT_EQ(refusalOf(lab, id), "");
    return id;
}
/// All that an examination says but for the time that it took.
std::string textOf(Examination examination) {
    examination.cardMs = examination.allMs = 0;
    return messageOf(Event(StepExamined{0, std::move(examination)})).dump();
}

TEST(Questions, TrainingGoesOnBesideARace) {
    SessionFixture lab;
    lab.load(endless(kSmall));
    lab.trainTo(5);
    const RunId hot = lab.run("hot").id;
    const std::uint64_t id = askWhileTraining(lab, MeasureThresholds{hot, 0, 100'000'000});
    std::vector<std::int64_t> steps;
    std::vector<double> shares;
    while (steps.size() < 4) {
        const std::size_t before = progressOf(lab, id).size();
        advanceUntil(lab, [&] { return progressOf(lab, id).size() > before; });
        steps.push_back(lab.session.trainer(hot)->nextStep());
        shares.push_back(progressOf(lab, id).back().progress.share());
    }
    for (std::size_t i = 1; i < steps.size(); ++i) {
        EXPECT_GT(steps[i], steps[i - 1]) << "training goes on between two pieces of news";
        EXPECT_GT(shares[i], shares[i - 1]) << "and so does the race";
    }
    const QuestionProgress last = progressOf(lab, id).back();
    EXPECT_EQ(last.run, hot);
    EXPECT_EQ(last.step, 0);
    EXPECT_EQ(last.progress.work, QuestionWork::Measuring);
    EXPECT_EQ(last.progress.of, 100'000'000);
    EXPECT_EQ(lab.session.state(), LabState::Training);
}

TEST(Questions, AChangeIsMadeBeforeTheExaminationEnds) {
    SessionFixture lab;
    lab.load(endless(kLarge));
    lab.trainTo(3);
    const RunId hot = lab.run("hot").id, wide = lab.run("wide").id;
    const std::uint64_t id = askWhileTraining(lab, ExamineStep{hot, 1});
    EXPECT_EQ(lab.command(ChangeSetting{wide, "/optimizer/lr", 0.001}), "");
    EXPECT_EQ(lab.all<SettingApplied>().size(), 1u);
    EXPECT_FALSE(isDone(lab, id)) << "the click did not wait for the answer";
    EXPECT_EQ(lab.command(Pause{}), "");
    EXPECT_FALSE(isDone(lab, id)) << "and a pause does not end it";
    EXPECT_EQ(refusalOf(lab, id), "");
    lab.post(StopQuestion{id});
    advanceUntil(lab, [&] { return isDone(lab, id); });
}

TEST(Questions, TheAnswerIsTheSameBesideTraining) {
    const auto answer = [](bool trains) {
        SessionFixture lab;
        lab.load(endless(kSmall));
        lab.trainTo(12);
        const RunId hot = lab.run("hot").id, wide = lab.run("wide").id;
        EXPECT_EQ(lab.command(ChangeSetting{hot, "/optimizer/lr", 0.05}), "");
        EXPECT_EQ(trains ? lab.command(Train{}) : "", "");
        std::array<std::uint64_t, 4> ids{};
        ids[0] = lab.post(ExamineStep{hot, 7});
        ids[1] = lab.post(MeasureThresholds{wide, 2, 9});
        ids[2] = lab.post(CompareRuns{hot, wide, 3, 4, 2});
        ids[3] = lab.post(MeasureStep{wide, 5});
        advanceUntil(lab, [&] { return std::all_of(ids.begin(), ids.end(), [&](std::uint64_t id) { return isDone(lab, id); }); });
        std::vector<std::string> texts{textOf(lab.all<StepExamined>().back().examination)};
        for (ThresholdsMeasured& part : lab.all<ThresholdsMeasured>())
            for (const StepThreshold& each : part.thresholds)
                texts.push_back(std::to_string(each.step) + " " + std::to_string(each.highest) + " " + std::to_string(each.overflowFrom));
        for (RunsCompared& each : lab.all<RunsCompared>()) {
            each.commandId = 0;
            texts.push_back(messageOf(Event(each)).dump());
        }
        EXPECT_EQ(lab.all<TensorsMeasured>().back().stats.step, 5);
        EXPECT_EQ(lab.session.trainer(hot)->nextStep() > 12, trains);
        return texts;
    };
    const std::vector<std::string> alone = answer(false);
    EXPECT_EQ(alone.size(), 1u + 9u + 4u);
    EXPECT_EQ(answer(true), alone);
}

TEST(Questions, AStoppedExaminationSaysWhatItKnows) {
    SessionFixture lab;
    lab.load(endless(kLarge));
    lab.trainTo(3);
    const RunId hot = lab.run("hot").id;
    ASSERT_EQ(lab.command(Train{}), "");
    const std::uint64_t id = lab.post(ExamineStep{hot, 1});
    const auto isTrying = [&] {
        const auto progress = progressOf(lab, id);
        return !progress.empty() && progress.back().progress.work == QuestionWork::TryingRemedy;
    };
    advanceUntil(lab, isTrying);
    EXPECT_FALSE(progressOf(lab, id).back().progress.remedy.empty());
    EXPECT_EQ(lab.command(StopQuestion{id}), "");
    advanceUntil(lab, [&] { return isDone(lab, id); });
    ASSERT_EQ(lab.all<StepExamined>().size(), 1u);
    const Examination found = lab.all<StepExamined>().front().examination;
    EXPECT_EQ(found.step, 1);
    EXPECT_EQ(found.verdict.kind, StepVerdict::ScaleTooHigh) << "the trials came first";
    ASSERT_FALSE(found.remedies.empty());
    EXPECT_TRUE(std::any_of(found.remedies.begin(), found.remedies.end(), [](const Remedy& each) { return each.steps < 100; }));
    EXPECT_EQ(lab.command(StopQuestion{id}), "") << "once more has no effect";
    EXPECT_EQ(lab.command(StopQuestion{4711}), "");
    EXPECT_EQ(lab.all<StepExamined>().size(), 1u);
    EXPECT_EQ(lab.session.state(), LabState::Training);
}

TEST(Questions, OneThatWaitsSaysSoAndCanBeStopped) {
    SessionFixture lab;
    lab.load(endless(kSmall));
    lab.trainTo(3);
    const RunId hot = lab.run("hot").id;
    const std::uint64_t race = lab.post(MeasureThresholds{hot, 0, 100'000'000});
    const std::uint64_t waiting = lab.post(MeasureStep{hot, 1});
    const std::uint64_t next = lab.post(ReadElements{hot, 1, {.tensors = {{"layers.0", "linear", "layers.0.output"}}}});
    advanceUntil(lab, [&] { return !progressOf(lab, next).empty(); });
    EXPECT_EQ(progressOf(lab, waiting).front().progress.work, QuestionWork::Waiting);
    EXPECT_EQ(progressOf(lab, waiting).front().progress.share(), -1);
    EXPECT_EQ(lab.command(StopQuestion{waiting}), "");
    EXPECT_EQ(refusalOf(lab, waiting), "it was ended on the way");
    EXPECT_EQ(lab.command(StopQuestion{race}), "");
    advanceUntil(lab, [&] { return isDone(lab, next) || !refusalOf(lab, next).empty(); });
    EXPECT_TRUE(isDone(lab, race)) << "one after another";
    EXPECT_TRUE(lab.all<TensorsMeasured>().empty());
}

TEST(Questions, ARunThatIsRemovedTakesItsQuestionsAlong) {
    SessionFixture lab;
    lab.load(endless(kLarge));
    lab.trainTo(3);
    const RunId hot = lab.run("hot").id, wide = lab.run("wide").id;
    const std::uint64_t id = askWhileTraining(lab, ExamineStep{hot, 1});
    const std::uint64_t other = lab.post(MeasureStep{wide, 1}), both = lab.post(CompareRuns{wide, hot, 0, 3, 1});
    EXPECT_EQ(lab.command(RemoveRun{hot}), "");
    EXPECT_EQ(refusalOf(lab, id), "run 'hot' was removed meanwhile");
    EXPECT_EQ(refusalOf(lab, both), "run 'hot' was removed meanwhile");
    advanceUntil(lab, [&] { return isDone(lab, other); });
    EXPECT_TRUE(lab.all<StepExamined>().empty());
    EXPECT_EQ(lab.command(RestoreRun{hot}), "");
    const std::uint64_t again = lab.post(MeasureThresholds{hot, 0, 3});
    advanceUntil(lab, [&] { return isDone(lab, again); });
}

TEST(Questions, ARewindEndsThoseAboutStepsThatAreNoMore) {
    SessionFixture lab;
    lab.load(endless(kLarge));
    lab.trainTo(8);
    const RunId hot = lab.run("hot").id;
    const std::uint64_t about6 = askWhileTraining(lab, ExamineStep{hot, 6});
    const std::uint64_t about2 = lab.post(MeasureThresholds{hot, 0, 3}), upTo6 = lab.post(MeasureThresholds{hot, 0, 7});
    EXPECT_EQ(lab.command(RewindRuns{hot, 6}), "");
    EXPECT_EQ(refusalOf(lab, about6), "run 'hot' went back to before step 6 meanwhile");
    EXPECT_EQ(refusalOf(lab, upTo6), "run 'hot' went back to before step 6 meanwhile");
    advanceUntil(lab, [&] { return isDone(lab, about2); });
    EXPECT_TRUE(lab.all<StepExamined>().empty());
    EXPECT_EQ(lab.session.trainer(hot)->nextStep(), 6);
}

TEST(Questions, AResetALoadAndAQuitEndAll) {
    const std::vector<std::pair<CommandBody, std::string>> ends{
        {ResetExperiment{}, "the runs were started again meanwhile"},
        {LoadExperiment{"test", endless(kSmall)}, "another experiment was loaded meanwhile"},
        {Quit{}, "it was ended on the way"}};
    for (const auto& [command, sentence] : ends) {
        SCOPED_TRACE(sentence);
        SessionFixture lab;
        lab.load(endless(kLarge));
        lab.trainTo(3);
        const RunId hot = lab.run("hot").id;
        const std::uint64_t id = askWhileTraining(lab, ExamineStep{hot, 1}), waiting = lab.post(MeasureStep{hot, 1});
        EXPECT_EQ(lab.command(command), "");
        EXPECT_EQ(refusalOf(lab, id), sentence);
        EXPECT_EQ(refusalOf(lab, waiting), sentence);
        lab.session.advance(1, 0);
        EXPECT_TRUE(lab.all<StepExamined>().empty());
    }
}

TEST(Questions, OneUnderWayGoesWithItsSession) {
    SessionFixture lab;
    lab.load(endless(kLarge));
    lab.trainTo(3);
    askWhileTraining(lab, ExamineStep{lab.run("hot").id, 1});
}

/// What an examination by itself finds in a run of the digits with these settings, with nothing asked.
std::vector<Examination> foundUnasked(const std::string& settings) {
    SessionFixture lab;
    lab.session.examineNonFiniteSteps(Examining::AlongTheWay);
    lab.load(R"({"data":{"batch_size":16},"validation_interval":20,)" + settings + "}");
    lab.trainTo(160);
    lab.session.advance(10'000, 0);
    EXPECT_TRUE(lab.all<QuestionProgress>().empty());
    EXPECT_EQ(lab.count<CommandDone>([](const CommandDone& done) { return done.commandId == 0; }), 0);
    std::vector<Examination> found;
    for (const StepExamined& each : lab.all<StepExamined>()) found.push_back(each.examination);
    return found;
}

TEST(Questions, AFailedValidationIsExaminedUnasked) {
    const auto found = foundUnasked(R"("model":{"kind":"resnet","depth":8},"steps":60,"precision":"fp16","scaler":{"preset":"pytorch"},
        "events":[{"step":12,"run":"run","set":{"/inject/input":"inf"}}],"runs":[{"name":"run"}])");
    ASSERT_EQ(found.size(), 2u) << "the bad step, and the first validation after it";
    EXPECT_EQ(found[0].step, 12);
    EXPECT_EQ(found[1].step, 19);
    EXPECT_EQ(found[1].verdict.kind, StepVerdict::BadStatistics);
}

TEST(Questions, ARunThatLearnsNothingIsExaminedUnaskedOnce) {
    const auto found = foundUnasked(R"("model":{"hidden":[16]},"steps":160,"runs":[{"name":"run"}],"optimizer":{"kind":"sgd","lr":1e-12})");
    ASSERT_EQ(found.size(), 1u);
    EXPECT_EQ(found[0].step, kStepsToProgress - 1);
    EXPECT_EQ(found[0].verdict.kind, StepVerdict::SilentFailure);
    EXPECT_FALSE(found[0].remedies.empty());
}

TEST(Questions, ARunThatLearnsIsLeftAlone) {
    EXPECT_TRUE(
        foundUnasked(R"("model":{"hidden":[16]},"steps":160,"runs":[{"name":"run"}],"optimizer":{"kind":"sgd","lr":0.05})").empty());
}

TEST(Questions, ARunThatLearnsSlowlyIsLeftAlone) {
    EXPECT_TRUE(
        foundUnasked(
            R"("model":{"hidden":[32,32],"activation":"sigmoid"},"steps":160,"runs":[{"name":"run"}],"optimizer":{"kind":"sgd","lr":0.002})")
            .empty())
        << "the loss does not fall by step 50, and nothing is lost";
}

TEST(Questions, AWarmUpIsWaitedFor) {
    EXPECT_TRUE(
        foundUnasked(
            R"("model":{"hidden":[16]},"steps":160,"runs":[{"name":"run"}],"optimizer":{"kind":"sgd","lr":0.1,"schedule":{"kind":"constant","warmup_steps":150}})")
            .empty());
}

}  // namespace
}  // namespace mantissa
