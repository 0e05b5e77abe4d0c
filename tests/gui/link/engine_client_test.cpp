// SPDX-License-Identifier: Apache-2.0
// The link against the real engine, and against engines that go wrong.
#include "gui/link/engine_client.h"

#include <gtest/gtest.h>
#include <signal.h>

#include <QFile>
#include <QSignalSpy>
#include <QTemporaryDir>

#include "engine/telemetry/run_identity.h"
#include "gui/link/run_order.h"
#include "tests/gui/support/live_session.h"

namespace mantissa::gui {
namespace {

struct Loss {
    QString reason, lastWords;
};

/// Starts `broken_engine how` and waits for the link to call it lost.
Loss lossOf(const QStringList& commandLine) {
    SessionModel session;
    EngineClient engine(&session, commandLine);
    QSignalSpy lost(&engine, &EngineClient::lost);
    engine.start(QStringLiteral("four-formats"));
    if (lost.isEmpty()) lost.wait(kPatienceMs);
    EXPECT_EQ(lost.count(), 1);
    EXPECT_FALSE(engine.isRunning());
    if (lost.isEmpty()) return {};
    return {lost[0][0].toString(), lost[0][1].toString()};
}

Loss lossOf(const char* how) {
    return lossOf(QStringList{QStringLiteral(MANTISSA_BROKEN_ENGINE), QString::fromLatin1(how)});
}

TEST(BrokenEngine, Garbage) {
    EXPECT_TRUE(lossOf("garbage").reason.contains(QStringLiteral("cannot read")));
}

TEST(BrokenEngine, ALaterProtocol) {
    EXPECT_TRUE(lossOf("future").reason.contains(QStringLiteral("speaks protocol %1").arg(kProtocolVersion + 1)));
}

TEST(BrokenEngine, NoHello) {
    EXPECT_TRUE(lossOf("no-hello").reason.contains(QStringLiteral("hello")));
}

TEST(BrokenEngine, ExitsWithLastWords) {
    const Loss loss = lossOf("exit");
    EXPECT_TRUE(loss.reason.contains(QStringLiteral("exit code 3"))) << loss.reason.toStdString();
    EXPECT_EQ(loss.lastWords, QStringLiteral("out of paper"));
}

TEST(BrokenEngine, ADeviceThatFails) {
    const QTemporaryDir folder;
    const QString file = folder.filePath(QStringLiteral("fault"));
    SessionModel session;
    EngineClient engine(&session, {QStringLiteral(MANTISSA_BROKEN_ENGINE), QStringLiteral("fault"), file});
    QSignalSpy lost(&engine, &EngineClient::lost);
    engine.start(QStringLiteral("x"));
    ASSERT_TRUE(!lost.isEmpty() || lost.wait(kPatienceMs));
    EXPECT_EQ(lost[0][0].toString(), QStringLiteral("its device cannot go on (cudaGraphLaunch: unspecified launch failure)"));
    EXPECT_TRUE(engine.hasLostDevice());
    EXPECT_EQ(session.device()->name, "cuda:0");
    engine.restart();
    ASSERT_TRUE(QTest::qWaitFor([&] { return session.device()->name == "cpu"; }, kPatienceMs));
    EXPECT_FALSE(engine.hasLostDevice());
}

TEST(BrokenEngine, CannotBeStarted) {
    EXPECT_TRUE(lossOf(QStringList{QStringLiteral("/nowhere/mantissa")}).reason.contains(QStringLiteral("could not be started")));
}

TEST(BrokenEngine, ALeapOfSteps) {
    const Loss loss = lossOf("leap");
    EXPECT_TRUE(loss.reason.contains(QStringLiteral("step 1000000000000 of run 'only' where step 1 was due"))) << loss.reason.toStdString();
}

TEST(EngineClient, AFloodOfFramesLeavesRoomForPaints) {
    SessionModel session;
    EngineClient engine(&session, {QStringLiteral(MANTISSA_BROKEN_ENGINE), QStringLiteral("flood")});
    // A turn of the event loop is where a paint would happen: the flood must be spread over several.
    int turns = 0;
    QTimer turn;
    QObject::connect(&turn, &QTimer::timeout, [&] {
        if (!session.runs().empty() && session.stepCount() < 20000) ++turns;
    });
    turn.start(0);
    engine.start(QStringLiteral("x"));
    ASSERT_TRUE(QTest::qWaitFor([&] { return session.stepCount() == 20000; }, kPatienceMs));
    EXPECT_GT(turns, 3);
}

TEST(EngineClient, TheEngineGreetsLoadsAndSteps) {
    LiveSession live;
    ASSERT_TRUE(live.begin());
    EXPECT_EQ(live.session.hello().protocol, kProtocolVersion);
    EXPECT_FALSE(live.session.hello().experiments.empty());
    EXPECT_EQ(live.session.experiment().title, "Two formats");
    live.engine.send(SingleStep{});
    ASSERT_TRUE(live.reaches(1));
    EXPECT_EQ(live.session.stepCount(), 1);
}

TEST(EngineClient, AChangeIsPendingThenEffective) {
    LiveSession live;
    ASSERT_TRUE(live.begin());
    live.engine.send(SingleStep{});
    ASSERT_TRUE(live.reaches(1));
    const RunId run = live.session.runs()[0]->id;
    live.engine.change(run, QStringLiteral("/precision"), "bf16", QStringLiteral("BF16"));
    ASSERT_EQ(live.session.run(run)->pending.size(), 1u);
    EXPECT_EQ(live.session.run(run)->info.policy, "fp32") << "the old format holds until the engine answers";
    ASSERT_TRUE(live.settles());
    ASSERT_EQ(live.session.markers().size(), 1u);
    EXPECT_EQ(live.session.markers()[0].step, 1);
    ASSERT_TRUE(QTest::qWaitFor([&] { return live.session.run(run)->info.policy == "bf16"; }, kPatienceMs));
}

TEST(EngineClient, ARefusedChangeLeavesEverythingAsItWas) {
    LiveSession live;
    ASSERT_TRUE(live.begin());
    QSignalSpy refusals(&live.session, &SessionModel::refused);
    const RunId run = live.session.runs()[1]->id;
    live.engine.change(run, QStringLiteral("/optimizer/lr"), -1.0, QStringLiteral("-1"));
    ASSERT_TRUE(live.settles());
    ASSERT_EQ(refusals.count(), 1);
    EXPECT_EQ(refusals[0][0].toInt(), run);
    EXPECT_EQ(refusals[0][1].toString(), QStringLiteral("/optimizer/lr"));
    EXPECT_TRUE(live.session.markers().empty());
}

TEST(EngineClient, AKilledEngineIsLostAndStartsAgainWithTheRunsAsTheyWere) {
    LiveSession live;
    ASSERT_TRUE(live.begin());
    const RunId first = live.session.runs()[0]->id;
    live.engine.change(first, QStringLiteral("/optimizer/lr"), 0.25, QStringLiteral("0.25"));
    live.engine.send(DuplicateRun{first});
    ASSERT_TRUE(QTest::qWaitFor([&] { return live.session.runs().size() == 3; }, kPatienceMs));
    ASSERT_TRUE(live.settles());

    QSignalSpy lost(&live.engine, &EngineClient::lost);
    ASSERT_EQ(kill(static_cast<pid_t>(live.engine.processId()), SIGKILL), 0);
    ASSERT_TRUE(lost.wait(kPatienceMs));
    EXPECT_EQ(lost[0][0].toString(), QStringLiteral("ended by signal 9"));
    EXPECT_EQ(live.engine.send(Train{}), 0u);

    QSignalSpy loaded(&live.session, &SessionModel::experimentLoaded);
    live.engine.restart();
    ASSERT_TRUE(loaded.wait(kPatienceMs));
    ASSERT_EQ(live.session.runs().size(), 3u);
    EXPECT_EQ(live.session.runs()[0]->info.settings.training.optimizer.lr, 0.25);
    EXPECT_EQ(live.session.runs()[2]->info.settings.training.optimizer.lr, 0.25);
    EXPECT_EQ(live.session.stepCount(), 0);
}

TEST(EngineClient, AReportHasTheLooksThatOnlyTheWindowKnows) {
    const QTemporaryDir folder;
    LiveSession live;
    live.engine.setRecordingsFolder(folder.filePath(QStringLiteral("recordings")));
    ASSERT_TRUE(live.begin());
    const RunId narrow = live.session.runs()[1]->id;
    ASSERT_NE(live.engine.send(ArrangeRuns{stylesRecoloured(live.session, narrow, 4)}), 0u);
    QSignalSpy loaded(&live.session, &SessionModel::experimentLoaded), undoable(&live.engine, &EngineClient::sent);
    live.engine.load(QStringLiteral("two"), smallExperiment());
    ASSERT_TRUE(loaded.wait(kPatienceMs));
    ASSERT_EQ(live.session.runs()[1]->identity, 4) << "as it was, by its name";
    EXPECT_EQ(undoable.count(), 1) << "a report of it is no user action";
    const auto page = [&](int look) {
        const QString to = folder.filePath(QString::number(look));
        QSignalSpy answers(&live.engine, &EngineClient::answered);
        const quint64 id = live.engine.ask(ExportRuns{"html", to.toStdString()});
        EXPECT_TRUE(QTest::qWaitFor([&] { return !answers.isEmpty() && answers.last()[0].toULongLong() == id; }, kPatienceMs));
        QFile file(to + QStringLiteral("/index.html"));
        EXPECT_TRUE(file.open(QIODevice::ReadOnly));
        return QString::fromUtf8(file.readAll());
    };
    const auto isIn = [](const QString& text, std::size_t identity) { return text.contains(QLatin1String(runIdentity(identity).light)); };
    const QString recoloured = page(0);
    EXPECT_TRUE(isIn(recoloured, 4));
    EXPECT_FALSE(isIn(recoloured, 1));

    // A run that is gone leaves its look to the next one, and comes back with another.
    const RunId wide = live.session.runs()[0]->id, same = live.session.runs()[1]->id;
    live.engine.send(RemoveRun{wide});
    live.engine.send(DuplicateRun{same});
    ASSERT_TRUE(QTest::qWaitFor([&] { return live.session.runs().size() == 2 && !live.session.run(wide); }, kPatienceMs));
    live.engine.send(RestoreRun{wide});
    ASSERT_TRUE(QTest::qWaitFor([&] { return live.session.runs().size() == 3; }, kPatienceMs));
    EXPECT_EQ(live.session.runs()[0]->id, wide) << "where it stood";
    const QString whole = page(1);
    for (const auto& run : live.session.runs()) EXPECT_TRUE(isIn(whole, static_cast<std::size_t>(run->identity))) << run->identity;
    const auto rowOf = [&](const char* name) { return whole.indexOf(QStringLiteral("</svg>%1</td>").arg(QLatin1String(name))); };
    ASSERT_GE(rowOf("wide"), 0);
    EXPECT_LT(rowOf("wide"), rowOf("narrow"));
}

TEST(EngineClient, TheTextOfTheExperimentReadsBack) {
    LiveSession live;
    ASSERT_TRUE(live.begin());
    const Experiment read = parseExperiment(live.session.experimentText().toStdString(), "text");
    ASSERT_EQ(read.runs.size(), 2u);
    EXPECT_EQ(read.title, "Two formats");
    EXPECT_EQ(read.runs[1], live.session.runs()[1]->info.settings);
}

TEST(EngineClient, ARestartBeginsBeforeTheFilesEventsUnderTheRunsNewNames) {
    LiveSession live;
    const QString text = QStringLiteral(R"({"steps":100000,"model":{"hidden":[8]},"runs":[{"name":"a"}],
                                            "events":[{"step":3,"run":"a","set":{"/precision":"bf16"}}]})");
    QSignalSpy loaded(&live.session, &SessionModel::experimentLoaded);
    live.engine.start(QStringLiteral("switch"), text);
    ASSERT_TRUE(loaded.wait(kPatienceMs));
    const RunId run = live.session.runs()[0]->id;
    live.engine.send(RenameRun{run, "b"});
    live.engine.send(Train{});
    ASSERT_TRUE(live.reaches(10));
    EXPECT_EQ(live.session.runs()[0]->info.settings.training.precision.policy, "bf16");

    live.engine.load(QStringLiteral("broken"), QStringLiteral("{"));  // refused: all stays as it was
    QTest::qWait(100);
    live.engine.restart();
    ASSERT_TRUE(loaded.wait(kPatienceMs));
    EXPECT_EQ(live.session.experiment().name, "switch");
    EXPECT_EQ(live.session.runs()[0]->info.settings.training.precision.policy, "fp32") << "what an event did is no setting of the run";
    const Experiment again = parseExperiment(live.session.experimentText().toStdString(), "text");
    ASSERT_EQ(again.events.size(), 1u);
    EXPECT_EQ(again.events[0].run, "b");
}

TEST(EngineClient, QuitEndsTheProcessAndIsNoLoss) {
    LiveSession live;
    ASSERT_TRUE(live.begin());
    live.engine.send(Train{});
    ASSERT_TRUE(live.reaches(2));
    QSignalSpy lost(&live.engine, &EngineClient::lost);
    const auto pid = static_cast<pid_t>(live.engine.processId());
    live.engine.quit();
    QTest::qWait(0);
    EXPECT_EQ(kill(pid, 0), -1) << "the process is still there";
    EXPECT_TRUE(lost.isEmpty());
}

}  // namespace
}  // namespace mantissa::gui
