// SPDX-License-Identifier: Apache-2.0
// Sessions with a PyTorch training that is watched: live, from a file, recorded and opened again.
#include "engine/attach/watched_run.h"
#include "engine/recording/recording.h"
#include "engine/session/diagnose.h"
#include "engine/session/recording_export.h"
#include "engine/session/replay.h"
#include "tests/engine/session/watching_fixture.h"

namespace mantissa {
namespace {

using namespace test;
namespace fs = std::filesystem;

const ScriptStep kSkipped{.next = 32768, .skipped = true, .foundInf = true};

TEST_F(Watching, StandsBesideOwnRunsWhichTrainOn) {
    SessionFixture lab;
    lab.load(task(kTwoRuns));
    watchFile(lab);
    const RunInfo run = lab.run("small gpt");
    EXPECT_EQ(run.kind, RunKind::Watched);
    EXPECT_EQ(run.policy, "fp16");
    EXPECT_EQ(run.origin, kWatchedFile);
    lab.trainTo(20);
    EXPECT_EQ(lab.recordsOf("a").size(), 20u);
    EXPECT_NE(lab.command(ChangeSetting{run.id, "/precision", "bf16"}).find("is read-only"), std::string::npos);
    EXPECT_NE(lab.command(RewindRuns{run.id, 3}).find("is read-only"), std::string::npos);
    EXPECT_EQ(lab.command(RenameRun{run.id, "theirs"}), "");
    EXPECT_EQ(lab.run("theirs").kind, RunKind::Watched);
    EXPECT_EQ(lab.command(RemoveRun{run.id}), "");
    EXPECT_EQ(lab.command(RestoreRun{run.id}), "");
    EXPECT_EQ(lab.run("theirs").watch.link, WatchLink::Ended);
}

TEST_F(Watching, AnswersQuestionsFromWhatHasCome) {
    SessionFixture lab;
    watchFile(lab);
    const RunId run = lab.run("small gpt").id;
    ASSERT_EQ(lab.command(MeasureStep{run, 18}), "");
    EXPECT_EQ(lab.all<TensorsMeasured>().back().stats.step, 16) << "of the nearest step before with statistics";
    EXPECT_TRUE(lab.all<TensorsMeasured>().back().wasAskedFor);
    ASSERT_EQ(lab.command(ExamineStep{run, 24}), "");
    EXPECT_EQ(lab.all<StepExamined>().back().examination.step, 24);
    EXPECT_NE(lab.command(ExamineStep{run, 10}).find("cannot be repeated"), std::string::npos);
    EXPECT_NE(lab.command(ReadElements{run, 10, {}}).find("is watched"), std::string::npos);
    ASSERT_EQ(lab.command(MeasureThresholds{run, 0, 24}), "");
    const ThresholdsMeasured measured = lab.all<ThresholdsMeasured>().back();
    ASSERT_EQ(measured.thresholds.size(), 24u);
    EXPECT_EQ(measured.asIf, "") << "its gradients are stored in FP16";
    for (const StepThreshold& each : measured.thresholds) {
        const StepRecord& record = lab.records[run][static_cast<std::size_t>(each.step)];
        EXPECT_EQ(each.staysFiniteAt(record.lossScale), !record.skipped()) << "step " << each.step;
    }
    // so the race of its own scaler over its own thresholds skips what it skipped
    ScalerSettings own = lab.run("small gpt").settings.training.scaler;
    const RacedScaler raced = mantissa::raced(measured.thresholds, own);
    std::vector<std::int64_t> skipped;
    for (const StepRecord& record : lab.records[run])
        if (record.skipped() && record.step < 24) skipped.push_back(record.step);
    EXPECT_EQ(raced.skipped, skipped);
}

TEST_F(Watching, IsRecordedAndOpenedAgainAsItWas) {
    std::vector<StepRecord> records;
    std::vector<Examination> examined;
    std::vector<StepThreshold> thresholds;
    {
        SessionFixture lab;
        lab.session.recordTo(file);
        watchFile(lab);
        const RunId run = lab.run("small gpt").id;
        records = lab.records[run];
        for (const StepExamined& each : lab.all<StepExamined>()) examined.push_back(each.examination);
        ASSERT_EQ(lab.command(MeasureThresholds{run, 0, 30}), "");
        thresholds = lab.all<ThresholdsMeasured>().back().thresholds;
        lab.session.endRecording();
    }
    SessionFixture lab;
    ASSERT_EQ(lab.command(OpenRecording{file}), "");
    EXPECT_EQ(lab.all<RecordingOpened>().back().whyReadOnly, "");
    const RunInfo run = lab.run("small gpt");
    EXPECT_EQ(run.kind, RunKind::Watched);
    EXPECT_EQ(run.watch.link, WatchLink::Ended);
    ASSERT_EQ(lab.records[run.id].size(), records.size());
    for (std::size_t i = 0; i < records.size(); ++i)
        EXPECT_TRUE(isSameValue(lab.records[run.id][i].loss, records[i].loss) && lab.records[run.id][i].flags == records[i].flags) << i;
    ASSERT_EQ(lab.all<StepExamined>().size(), examined.size());
    for (std::size_t i = 0; i < examined.size(); ++i)  // NaN and infinities included
        EXPECT_EQ(messageOf(Event(StepExamined{run.id, lab.all<StepExamined>()[i].examination})).dump(),
                  messageOf(Event(StepExamined{run.id, examined[i]})).dump());
    EXPECT_FALSE(lab.all<TensorsMeasured>().empty());
    ASSERT_EQ(lab.command(MeasureStep{run.id, 2}), "");
    ASSERT_EQ(lab.command(MeasureThresholds{run.id, 0, 30}), "");
    EXPECT_EQ(lab.all<ThresholdsMeasured>().back().thresholds.size(), thresholds.size());
}

TEST_F(Watching, ARecordingOfItIsNotTakenForTrainingOfOurs) {
    {
        SessionFixture lab;
        lab.session.recordTo(file);
        watchFile(lab);
        lab.session.endRecording();
    }
    const Recording recording(file);
    const auto backend = createCpuBackend();
    EXPECT_THROW((void)replay(Recording(file), backend, {}), InputError);
    const Diagnosed found = diagnose(recording, backend, {});
    EXPECT_EQ(found.run, "small gpt");
    EXPECT_EQ(found.examination.step, 24) << "the first that is no normal search for a scale";
    EXPECT_EQ(found.examination.verdict.kind, StepVerdict::ForwardOverflow);
    EXPECT_EQ(diagnose(Recording(file), backend, {.run = {}, .step = 1}).examination.verdict.kind, StepVerdict::ScaleTooHigh);
    EXPECT_THROW((void)diagnose(Recording(file), backend, {.run = {}, .step = 10}), InputError);
    const ListedSteps listed = listNonFiniteSteps(Recording(file), backend, {});
    ASSERT_FALSE(listed.groups.empty());
    EXPECT_TRUE(listed.groups.front().examination);
    // unknown columns are empty
    const WrittenFiles written = exportRecording(Recording(file), "csv", folder);
    std::ifstream csv(written.files.at(0));
    std::string header, first;
    std::getline(csv, header);
    std::getline(csv, first);
    EXPECT_TRUE(first.starts_with("0,,,")) << first;
    EXPECT_NE(exportRecording(Recording(file), "pytorch", folder).remarks.at(0).find("was watched"), std::string::npos);
}

TEST_F(Watching, AliveItIsToldStepByStepAndAProcessThatGoesIsMissed) {
    SessionFixture lab;
    ASSERT_EQ(lab.command(WatchTraining{.place = place}), "");
    EXPECT_EQ(lab.all<WatchingChanged>().back().place, place);
    EXPECT_TRUE(lab.runs().empty());
    auto probe = std::make_unique<Probe>(place);
    waitUntil(lab, [&] { return lab.runs().size() == 1; });
    const RunId run = lab.runs()[0].id;
    probe->step(0);
    waitUntil(lab, [&] { return countOf(lab, run) == 1; });
    probe->send("probe_statistics", statisticsBody(0, 65536, 100));
    waitUntil(lab, [&] { return !lab.all<TensorsMeasured>().empty(); });
    EXPECT_FALSE(lab.all<ValuesMeasured>().empty());
    // asked for its next step
    ASSERT_EQ(lab.command(MeasureStep{run, 1}), "");
    EXPECT_EQ(probe->asked(), "look_now");
    ASSERT_EQ(lab.command(ExamineStep{run, 1}), "");
    EXPECT_EQ(probe->asked(), "capture_step");
    probe.reset();
    const auto begin = std::chrono::steady_clock::now();
    waitUntil(lab, [&] { return lab.runs()[0].watch.link == WatchLink::Lost; });
    EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(2));
    EXPECT_EQ(countOf(lab, run), 1u) << "nothing is lost";
    // the same run goes on where its probe connects again
    probe = std::make_unique<Probe>(place);
    probe->step(1);
    waitUntil(lab, [&] { return countOf(lab, run) == 2; });
    EXPECT_EQ(lab.runs().size(), 1u);
    EXPECT_EQ(lab.runs()[0].watch.link, WatchLink::Connected);
    probe->send("probe_end", {{"steps", 2}, {"dropped", 0}});
    waitUntil(lab, [&] { return lab.runs()[0].watch.link == WatchLink::Ended; });
}

TEST_F(Watching, ARemovedRunDoesNotComeBackByItself) {
    SessionFixture lab;
    ASSERT_EQ(lab.command(WatchTraining{.place = place}), "");
    const Probe first(place, "a");
    waitUntil(lab, [&] { return lab.runs().size() == 1; });
    ASSERT_EQ(lab.command(RemoveRun{lab.runs()[0].id}), "");
    EXPECT_EQ(first.asked(), "") << "its connection is closed";
    const Probe again(place, "a"), other(place, "b");
    waitUntil(lab, [&] { return lab.runs().size() == 1; });
    EXPECT_EQ(again.asked(), "");
    EXPECT_EQ(lab.runs()[0].watch.key, "b");
}

TEST_F(Watching, AnOddNameIsMadeOneThatARunMayHave) {
    SessionFixture lab;
    lab.session.recordTo(file);
    ASSERT_EQ(lab.command(WatchTraining{.place = place}), "");
    std::vector<std::unique_ptr<Probe>> probes;
    for (const char* name : {"/data/run1", "../x", "..", ""}) {
        probes.push_back(std::make_unique<Probe>(place, std::string("key ") + name, name));
        const std::size_t count = probes.size();
        waitUntil(lab, [&] { return lab.runs().size() == count; });
        probes.back()->step(0);
    }
    for (const RunInfo& run : lab.runs()) {
        const std::vector<std::uint8_t> frame = encode(Event(RunAdded{run}));
        EXPECT_NO_THROW((void)decodeEvent(std::span(frame).subspan(4))) << run.settings.name;
    }
    EXPECT_EQ(lab.run("run1").kind, RunKind::Watched);
    waitUntil(lab, [&] { return lab.records.size() == 4; });
    lab.session.endRecording();
    EXPECT_EQ(recordedRuns(Recording(file)).size(), 4u);
}

TEST_F(Watching, OneThatWasAttachedLateGoesOnAfterItWasOpenedAgain) {
    {
        SessionFixture lab;
        lab.session.recordTo(file);
        ASSERT_EQ(lab.command(WatchTraining{.place = place}), "");
        const Probe probe(place, "a");
        for (std::int64_t step = 5000; step < 5004; ++step) probe.step(step, step == 5002 ? kSkipped : ScriptStep{});
        waitUntil(lab, [&] { return !lab.runs().empty() && countOf(lab, lab.runs()[0].id) == 4; });
        lab.session.endRecording();
    }
    SessionFixture lab;
    lab.session.recordInto(folder.string());
    ASSERT_EQ(lab.command(OpenRecording{file}), "");
    EXPECT_EQ(lab.all<RecordingOpened>().back().whyReadOnly, "");
    const RunId run = lab.run("script").id;
    ASSERT_EQ(countOf(lab, run), 4u);
    const StepRecord before = lab.records[run].back();
    ASSERT_EQ(lab.command(WatchTraining{.place = place}), "");
    const Probe probe(place, "a");
    probe.step(5004, kSkipped);
    probe.send("probe_statistics", statisticsBody(5004, 65536, 100));
    waitUntil(lab, [&] { return countOf(lab, run) == 5 && !lab.all<TensorsMeasured>().empty(); });
    EXPECT_EQ(lab.runs().size(), 1u) << "it is the same run";
    const StepRecord after = lab.records[run].back();
    EXPECT_EQ(after.skippedTotal, 2);
    EXPECT_GT(after.wallSeconds, before.wallSeconds);
    EXPECT_EQ(lab.all<NonFiniteFound>().size(), 1u) << "the first one is told once";
    lab.session.endRecording();
    SessionFixture again;
    ASSERT_EQ(again.command(OpenRecording{file}), "");
    EXPECT_EQ(countOf(again, again.run("script").id), 5u);
    EXPECT_FALSE(again.all<TensorsMeasured>().empty()) << "statistics are stored on";
}

TEST_F(Watching, ARunThatWasRemovedAndRestoredAnswersAfterItWasOpenedAgain) {
    {
        SessionFixture lab;
        lab.session.recordTo(file);
        watchFile(lab);
        const RunId run = lab.runs()[0].id;
        ASSERT_EQ(lab.command(RemoveRun{run}), "");
        ASSERT_EQ(lab.command(RestoreRun{run}), "");
        lab.session.endRecording();
    }
    SessionFixture lab;
    ASSERT_EQ(lab.command(OpenRecording{file}), "");
    EXPECT_EQ(lab.command(MeasureStep{lab.runs().at(0).id, 18}), "");
}

TEST_F(Watching, StepsThatNeverCameAreNeitherRecordsNorJudged) {
    const std::string probe = fileOf(folder / "gap.mprobe", {{"probe_hello", helloBody("a")},
                                                             {"probe_step", stepBody(0)},
                                                             {"probe_step", stepBody(5'000'000)},
                                                             {"probe_hello", helloBody("a")},
                                                             {"probe_step", stepBody(5'000'001)},
                                                             {"probe_end", {{"steps", 5'000'002}, {"dropped", 0}}}});
    {
        SessionFixture lab;
        lab.session.recordTo(file);
        ASSERT_EQ(lab.command(WatchTraining{.place = probe, .follows = false}), "");
        waitUntil(lab, [&] { return hasEnded(lab) && countOf(lab, lab.runs().back().id) == 3; });
        EXPECT_TRUE(lab.all<CommandRefused>().empty());
        lab.session.endRecording();
    }
    const Recording recording(file);
    const Diagnosed found = diagnose(recording, createCpuBackend(), {});
    EXPECT_EQ(found.trouble, "");
    EXPECT_EQ(found.steps, 3);
    EXPECT_EQ(found.missing, 4'999'999);
    const std::vector<ExportedRun> exported = recordedRuns(Recording(file));
    ASSERT_EQ(exported.at(0).records.size(), 3u);
    EXPECT_EQ(exported.at(0).missingSteps(), 4'999'999);
    SessionFixture lab;
    ASSERT_EQ(lab.command(OpenRecording{file}), "");
    EXPECT_EQ(countOf(lab, lab.run("script").id), 3u);
}

TEST_F(Watching, ItsExportsSayNoSettingsThatNobodyKnows) {
    {
        SessionFixture lab;
        lab.session.recordTo(file);
        watchFile(lab);
        lab.session.endRecording();
    }
    std::ifstream lines(exportRecording(Recording(file), "jsonl", folder).files.at(0));
    std::string head;
    std::getline(lines, head);
    const Json settings = Json::parse(head)["settings"];
    EXPECT_EQ(settings.size(), 3u) << settings.dump();
    EXPECT_EQ(settings["precision"], "fp16");
    EXPECT_EQ(settings["scaler"]["growth_interval"], 8) << settings.dump();
    std::ifstream html(exportRecording(Recording(file), "html", folder / "report").files.at(0));
    const std::string page{std::istreambuf_iterator<char>(html), {}};
    for (const char* invented : {"<b>Memory</b>", "cross-entropy", ">-"}) EXPECT_EQ(page.find(invented), std::string::npos) << invented;
}

}  // namespace
}  // namespace mantissa
