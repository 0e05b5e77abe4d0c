// SPDX-License-Identifier: Apache-2.0
// Nothing is lost: what the window does with recordings, and what is left after a crash of the engine or of the window itself.
#include <gtest/gtest.h>
#include <signal.h>

#include <QDir>
#include <QPointer>
#include <QSignalSpy>
#include <QTableView>
#include <QTemporaryDir>

#include "gui/plots/canvas.h"
#include "gui/recordings/recordings_page.h"
#include "tests/gui/support/live_window.h"

namespace mantissa::gui {
namespace {

struct RecordingWindow : LiveWindow {
    QTemporaryDir folder;

    using LiveWindow::LiveWindow;
    ~RecordingWindow() { window.reset(); }  // it goes before its folder does
    bool begin() {
        make(kDefaultExperiment, folder.path());
        window->resize(1920, 1080);
        window->show();
        window->activateWindow();
        window->begin();
        return QTest::qWaitFor([this] { return !session.runs().empty() && session.state().state == LabState::Paused; }, kPatienceMs);
    }
    bool trainsTo(std::int64_t step) {
        engine.send(Train{});
        return reaches(step) && pauses();
    }
    bool pauses() {
        engine.send(Pause{});
        return QTest::qWaitFor([this] { return session.state().state == LabState::Paused; }, kPatienceMs);
    }
    /// Everything that was trained is in the file.
    bool isSafe() {
        return QTest::qWaitFor(
            [this] {
                std::int64_t steps = 0;
                for (const auto& run : session.runs()) steps += run->stepCount();
                return session.recording().isRecording && session.recording().steps >= steps;
            },
            kPatienceMs);
    }
};

TEST(Recordings, ARewoundRunComesBackToTheLastBit) {
    RecordingWindow live;
    ASSERT_TRUE(live.begin());
    ASSERT_TRUE(live.trainsTo(60));
    const RunState& run = *live.session.run(live.session.selected());
    std::vector<double> losses;
    for (std::int64_t step = 0; step < 60; ++step) losses.push_back(run.loss.value(step));
    auto* board = live.window->findChild<PlotBoard*>();
    QSignalSpy caughtUp(&live.session, &SessionModel::runCaughtUp);
    QTest::mouseMove(board->canvas(), board->canvas()->rect().center());
    ASSERT_GT(board->cursors().step(), 0);
    live.window->actionList().rewindAll->trigger();  // which takes no step away that is only pointed at
    board->cursors().setStep(25);
    live.window->actionList().rewindAll->trigger();
    ASSERT_TRUE(QTest::qWaitFor([&] { return caughtUp.count() == static_cast<int>(live.session.runs().size()); }, kPatienceMs));
    EXPECT_EQ(run.stepCount(), 25);
    for (const QList<QVariant>& each : caughtUp) EXPECT_EQ(each[2].toLongLong(), -1) << "a step came out differently";
    ASSERT_TRUE(live.trainsTo(60));
    for (std::int64_t step = 0; step < 60; ++step) EXPECT_EQ(run.loss.value(step), losses[static_cast<std::size_t>(step)]) << step;
}

TEST(Recordings, AKilledEngineGoesOnFromItsLastRecordedStep) {
    RecordingWindow live;
    ASSERT_TRUE(live.begin());
    ASSERT_TRUE(live.trainsTo(40));
    ASSERT_TRUE(live.isSafe());
    const std::int64_t steps = live.session.stepCount();
    ASSERT_EQ(kill(static_cast<pid_t>(live.engine.processId()), SIGKILL), 0);
    ASSERT_TRUE(QTest::qWaitFor([&] { return live.shownBanner() != nullptr; }, kPatienceMs));
    auto* restart = live.child<QPushButton>(QStringLiteral("Restart and go on from the last recorded step"));
    ASSERT_NE(restart, nullptr);
    QSignalSpy opened(&live.session, &SessionModel::recordingOpened);
    QTest::mouseClick(restart, Qt::LeftButton);
    ASSERT_TRUE(opened.wait(kPatienceMs));
    EXPECT_EQ(live.session.stepCount(), steps);
    EXPECT_TRUE(live.session.opened()->whyReadOnly.empty()) << live.session.opened()->whyReadOnly;
    EXPECT_TRUE(live.trainsTo(steps + 5));
}

/// The engine, which ends as one whose device fails when there is a file at $0, and the next time as it should.
constexpr const char* kFailingOnce = R"(
if [ -e "$0.once" ]; then exec "$@"; fi
touch "$0.once"
exec 3<&0
"$@" <&3 &
while kill -0 $! && [ ! -e "$0" ]; do sleep 0.01; done
kill -9 $!
wait $!
echo "mantissa: the device cannot go on: cudaStreamSynchronize: an illegal memory access was encountered" >&2
exit 3)";

TEST(Recordings, AfterAFailureOfTheDeviceTheWindowGoesOnByItselfAndSaysWhy) {
    const QTemporaryDir place;
    const QString fault = place.filePath(QStringLiteral("fault"));
    RecordingWindow live({QStringLiteral("/bin/sh"), QStringLiteral("-c"), QString::fromLatin1(kFailingOnce), fault,
                          QStringLiteral(MANTISSA_ENGINE), QStringLiteral("serve")});
    ASSERT_TRUE(live.begin());
    ASSERT_TRUE(live.trainsTo(40));
    ASSERT_TRUE(live.isSafe());
    const std::int64_t steps = live.session.stepCount();
    QSignalSpy opened(&live.session, &SessionModel::recordingOpened);
    ASSERT_TRUE(QFile(fault).open(QIODevice::WriteOnly));
    ASSERT_TRUE(opened.wait(kPatienceMs));
    EXPECT_EQ(live.session.stepCount(), steps);
    EXPECT_TRUE(live.session.opened()->whyReadOnly.empty()) << live.session.opened()->whyReadOnly;
    ASSERT_NE(live.shownBanner(), nullptr);
    EXPECT_TRUE(live.shownBanner()->accessibleName().contains(
        QStringLiteral("its device cannot go on (cudaStreamSynchronize: an illegal memory access was encountered)")))
        << live.shownBanner()->accessibleName().toStdString();
    EXPECT_TRUE(live.trainsTo(steps + 5));
}

TEST(Recordings, WhereTheCardIsGoneTheProcessorTakesOverAndTheWindowSaysWhy) {
    const QTemporaryDir place;
    LiveWindow live({QStringLiteral(MANTISSA_BROKEN_ENGINE), QStringLiteral("fault"), place.filePath(QStringLiteral("fault"))});
    live.make();
    live.window->show();
    live.window->begin();
    ASSERT_TRUE(QTest::qWaitFor(
        [&] { return live.session.device() && live.session.device()->name == "cpu" && !live.session.runs().empty(); }, kPatienceMs));
    ASSERT_NE(live.shownBanner(), nullptr);
    EXPECT_EQ(live.shownBanner()->accessibleName(), QStringLiteral("CPU takes over from CUDA:0: the GPU does not answer."));
    QString words;
    for (const QLabel* label : live.shownBanner()->findChildren<QLabel*>()) words += label->text();
    EXPECT_TRUE(words.contains(QStringLiteral("stopped at step 1: its device cannot go on (cudaGraphLaunch: unspecified launch failure)")))
        << words.toStdString();
    EXPECT_TRUE(words.contains(QStringLiteral("from the beginning"))) << words.toStdString();
}

TEST(Recordings, AfterACrashOfTheWindowTheLastSessionIsBack) {
    QString path;
    {
        RecordingWindow live;
        live.folder.setAutoRemove(false);
        ASSERT_TRUE(live.begin());
        ASSERT_TRUE(live.trainsTo(30));
        ASSERT_TRUE(live.isSafe());
        path = live.folder.path();
        // it goes without having been closed, as a crash takes it
    }
    RecordingWindow next;
    next.make({}, path);
    next.window->show();
    next.window->begin();
    ASSERT_TRUE(
        QTest::qWaitFor([&] { return next.session.opened().has_value() && next.session.state().state == LabState::Paused; }, kPatienceMs));
    EXPECT_GE(next.session.stepCount(), 30);
    ASSERT_NE(next.shownBanner(), nullptr);
    EXPECT_TRUE(next.shownBanner()->accessibleName().contains(QStringLiteral("did not end properly")));
    QSignalSpy loaded(&next.session, &SessionModel::experimentLoaded);
    QTest::mouseClick(next.child<QPushButton>(QStringLiteral("Start afresh")), Qt::LeftButton);
    ASSERT_TRUE(loaded.wait(kPatienceMs));
    EXPECT_FALSE(next.session.opened().has_value());
    EXPECT_EQ(next.shownBanner(), nullptr);
    next.window->close();
    EXPECT_EQ(SessionMemory(path).unfinished(), QString()) << "a window that is closed leaves no unfinished session";
    QDir(path).removeRecursively();
}

TEST(Recordings, AreListedOpenedAndDeleted) {
    RecordingWindow live;
    ASSERT_TRUE(live.begin());
    ASSERT_TRUE(live.trainsTo(20));
    ASSERT_TRUE(live.isSafe());
    const QString first = QString::fromStdString(live.session.recording().path);
    QPointer<RecordingsPage> page;
    const auto button = [&](const QString& name) -> QPushButton* {
        for (auto* each : page->findChildren<QPushButton*>())
            if (each->accessibleName() == name && each->isVisible()) return each;
        return nullptr;
    };
    // another one is recorded, and the page shows both, the first one chosen
    const auto isListed = [&] {
        live.window->openExperiment(kDefaultExperiment);
        if (!QTest::qWaitFor([&] { return QString::fromStdString(live.session.recording().path) != first; }, kPatienceMs)) return false;
        live.window->actionList().recordings->trigger();
        page = live.window->findChild<RecordingsPage*>();
        auto* model = page->findChild<QTableView*>()->model();
        if (!QTest::qWaitFor([&] { return model->rowCount() == 2; }, kPatienceMs)) return false;
        const int row = model->index(0, 0).data(Qt::ToolTipRole).toString() == first ? 0 : 1;
        page->findChild<QTableView*>()->setCurrentIndex(model->index(row, 0));
        return button(QStringLiteral("Delete the chosen recording"))->isEnabled();
    };
    ASSERT_TRUE(isListed());
    QSignalSpy opened(&live.session, &SessionModel::recordingOpened), requested(page, &RecordingsPage::openRequested);
    QTest::mouseClick(button(QStringLiteral("Delete the chosen recording")), Qt::LeftButton);
    EXPECT_TRUE(QFile::exists(first)) << "first the question";
    EXPECT_TRUE(button(QStringLiteral("Keep it"))->hasFocus());
    QTest::keyClick(page->findChild<QTableView*>(), Qt::Key_Return);
    EXPECT_TRUE(requested.isEmpty()) << "nothing is opened that a question is about";
    if (QPushButton* keep = button(QStringLiteral("Keep it"))) QTest::mouseClick(keep, Qt::LeftButton);
    QTest::keyClick(page->findChild<QTableView*>(), Qt::Key_Return);
    EXPECT_EQ(requested.count(), 1);
    ASSERT_TRUE(opened.wait(kPatienceMs));
    EXPECT_GE(live.session.stepCount(), 20);
    EXPECT_TRUE(QTest::qWaitFor([&] { return QString::fromStdString(live.session.recording().path) == first; }, kPatienceMs))
        << "it goes on in the same file";

    ASSERT_TRUE(QTest::qWaitFor([&] { return page.isNull(); }, kPatienceMs));
    ASSERT_TRUE(isListed());
    QTest::mouseClick(button(QStringLiteral("Delete the chosen recording")), Qt::LeftButton);
    QTest::mouseClick(button(QStringLiteral("Really delete")), Qt::LeftButton);
    EXPECT_TRUE(QTest::qWaitFor([&] { return page->findChild<QTableView*>()->model()->rowCount() == 1; }, kPatienceMs));
    EXPECT_FALSE(QFile::exists(first));
}

TEST(Recordings, TrainedOnceMoreTheyAreBitIdentical) {
    RecordingWindow live;
    ASSERT_TRUE(live.begin());
    ASSERT_TRUE(live.trainsTo(20));
    ASSERT_TRUE(live.isSafe());
    live.window->actionList().recordings->trigger();
    auto* page = live.window->findChild<RecordingsPage*>();
    ASSERT_TRUE(QTest::qWaitFor([&] { return page->findChild<QTableView*>()->model()->rowCount() == 1; }, kPatienceMs));
    QPushButton* again = nullptr;
    QLabel* result = nullptr;
    for (auto* each : page->findChildren<QPushButton*>())
        if (each->text() == QStringLiteral("Replay")) again = each;
    for (auto* each : page->findChildren<QLabel*>())
        if (each->accessibleName() == QStringLiteral("Output of the replay")) result = each;
    ASSERT_TRUE(again && result && again->isEnabled()) << "also of what is being recorded";
    QTest::mouseClick(again, Qt::LeftButton);
    EXPECT_EQ(again->text(), QStringLiteral("Stop replay"));
    QTest::mouseClick(again, Qt::LeftButton);
    ASSERT_TRUE(QTest::qWaitFor([&] { return again->text() == QStringLiteral("Replay"); }, kPatienceMs));
    EXPECT_TRUE(result->text().contains(QStringLiteral("stopped"))) << result->text().toStdString();
    QTest::mouseClick(again, Qt::LeftButton);
    ASSERT_TRUE(QTest::qWaitFor([&] { return again->text() == QStringLiteral("Replay"); }, kPatienceMs));
    EXPECT_TRUE(result->text().contains(QStringLiteral("Bit-identical"))) << result->text().toStdString();
}

TEST(Recordings, AreListedWhileNothingIsRecorded) {
    RecordingWindow live;
    ASSERT_TRUE(live.begin());
    ASSERT_TRUE(live.trainsTo(5));
    ASSERT_TRUE(live.isSafe());
    live.window->actionList().record->setChecked(false);
    live.engine.start(kDefaultExperiment);
    ASSERT_TRUE(
        QTest::qWaitFor([&] { return live.session.stepCount() == 0 && live.session.state().state == LabState::Paused; }, kPatienceMs));
    ASSERT_TRUE(live.trainsTo(5));
    EXPECT_FALSE(live.session.recording().isRecording);
    QSignalSpy listed(&live.session, &SessionModel::recordingsListed);
    live.window->actionList().recordings->trigger();
    ASSERT_TRUE(listed.wait(kPatienceMs));
    EXPECT_EQ(live.window->findChild<RecordingsPage*>()->findChild<QTableView*>()->model()->rowCount(), 1);
}

TEST(Recordings, ANameThatAHandGaveOutlivesTheFormatThatItWasGivenBefore) {
    RecordingWindow live;
    ASSERT_TRUE(live.begin());
    ASSERT_TRUE(live.trainsTo(5));
    const RunId id = live.session.runs().front()->id;
    const auto isNamed = [&](const char* name) {
        return QTest::qWaitFor([&] { return live.session.run(id) && live.session.run(id)->name() == QLatin1String(name); }, kPatienceMs);
    };
    ASSERT_TRUE(isNamed("fp32"));
    live.engine.send(ChangeSetting{id, "/precision", "pure-bf16"});
    ASSERT_TRUE(live.trainsTo(10));
    ASSERT_TRUE(isNamed("pure bf16")) << live.session.run(id)->name().toStdString() << ": it follows the format";
    live.engine.send(RenameRun{id, "mine"});
    ASSERT_TRUE(isNamed("mine"));
    ASSERT_TRUE(live.trainsTo(15));
    ASSERT_TRUE(live.isSafe());
    const std::string path = live.session.recording().path;
    QSignalSpy loaded(&live.session, &SessionModel::experimentLoaded), opened(&live.session, &SessionModel::recordingOpened);
    live.window->openExperiment(kDefaultExperiment);
    ASSERT_TRUE(loaded.wait(kPatienceMs));
    live.window->openFile(QString::fromStdString(path));
    ASSERT_TRUE(opened.wait(kPatienceMs));
    // Commands of a kind are done in their order: when this one is, so is any that was sent while the recording was told.
    const RunId other = live.session.runs().back()->id;
    live.engine.send(RenameRun{other, "other"});
    ASSERT_TRUE(QTest::qWaitFor([&] { return live.session.run(other)->name() == QStringLiteral("other"); }, kPatienceMs));
    EXPECT_EQ(live.session.run(id)->name(), QStringLiteral("mine"));
}

TEST(Recordings, AFileOfAnotherProgramIsLookedAtBesideOurs) {
    RecordingWindow live;
    ASSERT_TRUE(live.begin());
    const QString path = live.folder.filePath(QStringLiteral("pytorch.csv"));
    QFile file(path);
    ASSERT_TRUE(file.open(QIODevice::WriteOnly));
    file.write("step,loss,grad_norm\n0,2.3,1\n100,nan,inf\n200,1.5,0.5\n");
    file.close();
    const std::size_t runs = live.session.runs().size();
    live.window->openFile(path);
    const auto isImported = [&] {  // each series comes by itself
        const RunState& last = *live.session.runs().back();
        return live.session.runs().size() == runs + 1 && last.loss.count() == 3 && last.gradNorm.count() == 3;
    };
    ASSERT_TRUE(QTest::qWaitFor(isImported, kPatienceMs));
    const RunState& run = *live.session.runs().back();
    EXPECT_TRUE(run.isRecorded());
    EXPECT_EQ(run.loss.valueClass(100), ValueClass::NaN);
    EXPECT_EQ(run.gradNorm.valueClass(100), ValueClass::PositiveInf);
    ASSERT_TRUE(QTest::qWaitFor([&] { return live.child<QPushButton>(QStringLiteral("Remove ")) != nullptr; }, kPatienceMs));
    QTest::mouseClick(live.child<QPushButton>(QStringLiteral("Remove ")), Qt::LeftButton);
    EXPECT_TRUE(QTest::qWaitFor([&] { return live.session.runs().size() == runs; }, kPatienceMs));
}

TEST(Recordings, ALogIsFollowedWhereTheMenuSaysSoAndTheNextWindowToo) {
    RecordingWindow live;
    ASSERT_TRUE(live.begin());
    const QString path = live.folder.filePath(QStringLiteral("theirs.csv"));
    const auto write = [&](const char* text) {
        QFile file(path);
        ASSERT_TRUE(file.open(QIODevice::WriteOnly | QIODevice::Append));
        file.write(text);
    };
    write("step,loss\n0,2\n");
    auto* follow = live.window->findChild<QAction*>(QStringLiteral("follow-imported-logs-while-they-grow"));
    ASSERT_NE(follow, nullptr);
    EXPECT_FALSE(follow->isChecked());
    const std::size_t runs = live.session.runs().size();
    const auto opens = [&](std::size_t count) {
        live.window->openFile(path);
        return QTest::qWaitFor([&] { return live.session.runs().size() == count && !live.session.runs().back()->loss.isEmpty(); },
                               kPatienceMs);
    };
    ASSERT_TRUE(opens(runs + 1));
    EXPECT_EQ(live.session.runs().back()->info.watch.link, WatchLink::None);
    follow->trigger();
    ASSERT_TRUE(opens(runs + 2));
    EXPECT_EQ(live.session.runs().back()->info.watch.link, WatchLink::Followed);
    write("1,1\n");
    EXPECT_TRUE(QTest::qWaitFor([&] { return live.session.runs().back()->loss.count() == 2; }, kPatienceMs));
    EXPECT_EQ(live.session.runs()[runs]->loss.count(), 1u) << "read once";
    live.window.reset();
    live.make(kDefaultExperiment, live.folder.path());
    EXPECT_TRUE(live.window->findChild<QAction*>(QStringLiteral("follow-imported-logs-while-they-grow"))->isChecked());
}

}  // namespace
}  // namespace mantissa::gui
