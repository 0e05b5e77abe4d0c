// SPDX-License-Identifier: Apache-2.0
// Watching a training with the window's own parts and a real engine: the dialog, the card, the page.
#include "gui/watch/watch_dialog.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <QClipboard>
#include <QFile>
#include <QFileInfo>
#include <QGuiApplication>
#include <QLabel>
#include <QPushButton>
#include <QSignalSpy>
#include <QTemporaryDir>

#include "engine/attach/descriptor.h"
#include "engine/wire/wire.h"
#include "gui/controls/parts.h"
#include "gui/controls/run_card.h"
#include "gui/diagnosis/diagnose_page.h"
#include "tests/gui/support/live_session.h"

namespace mantissa::gui {
namespace {

const QString kWatchedFile = QStringLiteral(MANTISSA_GOLDEN "/watched.mprobe");

QPushButton* buttonOf(QWidget& widget, const QString& text) {
    for (QPushButton* button : widget.findChildren<QPushButton*>())
        if (button->text() == text && !button->isHidden()) return button;
    return nullptr;
}

QString textOf(const QWidget& widget) {
    QStringList texts;
    for (const QLabel* label : widget.findChildren<QLabel*>())
        if (!label->isHidden()) texts << label->text();
    return texts.join(u'\n');
}

class Watch : public ::testing::Test {
protected:
    QTemporaryDir folder;
    QString socketPath = folder.filePath(QStringLiteral("attach"));
    LiveSession live;

    void SetUp() override { qputenv("MANTISSA_ATTACH", socketPath.toUtf8()); }
    void TearDown() override { qunsetenv("MANTISSA_ATTACH"); }

    /// The frames that a real probe wrote.
    static std::vector<QByteArray> frames() {
        QFile file(kWatchedFile);
        EXPECT_TRUE(file.open(QIODevice::ReadOnly));
        FrameReader reader;
        const QByteArray bytes = file.readAll();
        reader.append({reinterpret_cast<const std::uint8_t*>(bytes.data()), static_cast<std::size_t>(bytes.size())});
        std::vector<QByteArray> all;
        for (qsizetype at = 0; const auto payload = reader.next(); at += all.back().size())
            all.push_back(bytes.mid(at, static_cast<qsizetype>(payload->size()) + 4));
        return all;
    }
    /// Sends frames as a probe does, in one connection: those of the run and its tensors, and others from one number up to another.
    void play(std::size_t from = 0, std::size_t upTo = 1'000'000) const {
        QByteArray bytes;
        const std::vector<QByteArray> all = frames();
        for (std::size_t i = 0; i < all.size(); ++i) {
            const bool isOfTheRun = all[i].contains("probe_hello") || all[i].contains("tensors_described");
            if (isOfTheRun || (i >= from && i < upTo)) bytes += all[i];
        }
        const Descriptor probe(socket(AF_UNIX, SOCK_STREAM, 0));
        sockaddr_un address{};
        address.sun_family = AF_UNIX;
        socketPath.toStdString().copy(address.sun_path, sizeof address.sun_path - 1);
        ASSERT_EQ(connect(probe.number(), reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
        ASSERT_EQ(send(probe.number(), bytes.data(), static_cast<std::size_t>(bytes.size()), MSG_NOSIGNAL), bytes.size());
    }
    const RunState* watched() const {
        for (const auto& run : live.session.runs())
            if (run->isWatched()) return run.get();
        return nullptr;
    }
};

TEST_F(Watch, TheDialogSaysWhatToPasteAndClosesWhenATrainingComes) {
    ASSERT_TRUE(live.begin());
    auto* dialog = new WatchDialog(&live.session, &live.engine, nullptr);
    dialog->show();
    EXPECT_TRUE(WatchDialog::scriptLines().contains(QStringLiteral("probe.step(loss)")));
    const QString place = WatchDialog::installCommand().section(u'"', 1, 1).section(u'$', 0, 0);
    EXPECT_TRUE(QFileInfo::exists(place + QStringLiteral("/mantissa_probe/__init__.py"))) << "Python finds it there, without a copy";
    QPushButton* copy = buttonOf(*dialog, QStringLiteral("Copy"));
    ASSERT_NE(copy, nullptr);
    copy->click();
    EXPECT_EQ(QGuiApplication::clipboard()->text(), WatchDialog::installCommand());
    QPushButton* start = buttonOf(*dialog, QStringLiteral("Start watching"));
    ASSERT_NE(start, nullptr);
    start->click();
    ASSERT_TRUE(QTest::qWaitFor([&] { return live.session.listensAt() == QStringLiteral("unix:") + socketPath; }, kPatienceMs));
    EXPECT_TRUE(live.session.runs().empty()) << "alone, unless the runs are to stay";
    EXPECT_TRUE(textOf(*dialog).contains(socketPath));
    const QPointer<WatchDialog> shown = dialog;
    play();
    ASSERT_TRUE(QTest::qWaitFor([&] { return watched() && watched()->stepCount() == 30; }, kPatienceMs));
    ASSERT_TRUE(QTest::qWaitFor([&] { return shown.isNull(); }, kPatienceMs)) << "it has done its work";
    EXPECT_EQ(watched()->skipCount(), 14);
}

TEST_F(Watch, AnEngineThatIsStartedAgainHasItsRunGoOn) {
    live.engine.setRecordingsFolder(folder.filePath(QStringLiteral("recordings")));
    live.engine.watch({});
    ASSERT_TRUE(QTest::qWaitFor([&] { return !live.session.listensAt().isEmpty(); }, kPatienceMs));
    play(0, 30);
    ASSERT_TRUE(QTest::qWaitFor([&] { return watched() && watched()->info.watch.link == WatchLink::Lost; }, kPatienceMs));
    const std::int64_t before = watched()->stepCount();
    ASSERT_GT(before, 5);
    ASSERT_LT(before, 30);
    ASSERT_TRUE(QTest::qWaitFor([&] { return live.session.recording().steps == before; }, kPatienceMs)) << "all of them are safe";
    QSignalSpy lost(&live.engine, &EngineClient::lost);
    ASSERT_EQ(kill(static_cast<pid_t>(live.engine.processId()), SIGKILL), 0);
    ASSERT_TRUE(lost.wait(kPatienceMs));
    live.engine.restart();
    ASSERT_TRUE(QTest::qWaitFor([&] { return live.session.opened().has_value() && !live.session.listensAt().isEmpty(); }, kPatienceMs));
    ASSERT_NE(watched(), nullptr);
    EXPECT_EQ(watched()->stepCount(), before);
    play(30);
    ASSERT_TRUE(
        QTest::qWaitFor([&] { return watched()->stepCount() == 30 && watched()->info.watch.link == WatchLink::Ended; }, kPatienceMs));
    EXPECT_EQ(live.session.runs().size(), 1u) << "it is the same run";
}

TEST_F(Watch, BesideOwnRunsTheyStay) {
    ASSERT_TRUE(live.begin());
    WatchDialog dialog(&live.session, &live.engine, nullptr);
    dialog.setAttribute(Qt::WA_DeleteOnClose, false);
    dialog.show();
    dialog.findChild<QCheckBox*>()->setChecked(true);
    buttonOf(dialog, QStringLiteral("Start watching"))->click();
    ASSERT_TRUE(QTest::qWaitFor([&] { return !live.session.listensAt().isEmpty(); }, kPatienceMs));
    EXPECT_EQ(live.session.runs().size(), 2u);
    buttonOf(dialog, QStringLiteral("Stop listening"))->click();
    ASSERT_TRUE(QTest::qWaitFor([&] { return live.session.listensAt().isEmpty(); }, kPatienceMs));
    EXPECT_NE(buttonOf(dialog, QStringLiteral("Start watching")), nullptr);
}

TEST_F(Watch, APlaceThatIsTakenIsSaidInTheDialog) {
    LiveSession other;
    ASSERT_TRUE(other.begin());
    other.engine.send(WatchTraining{});
    ASSERT_TRUE(QTest::qWaitFor([&] { return !other.session.listensAt().isEmpty(); }, kPatienceMs));
    ASSERT_TRUE(live.begin());
    WatchDialog dialog(&live.session, &live.engine, nullptr);
    dialog.setAttribute(Qt::WA_DeleteOnClose, false);
    dialog.show();
    buttonOf(dialog, QStringLiteral("Start watching"))->click();
    ASSERT_TRUE(QTest::qWaitFor([&] { return textOf(dialog).contains(QStringLiteral("another program listens there")); }, kPatienceMs));
    EXPECT_EQ(live.session.runs().size(), 2u) << "nothing was put away for it";
}

TEST_F(Watch, TheCardSaysWhatItIsAndOffersNothingThatCannotBe) {
    ASSERT_TRUE(live.begin());
    live.engine.send(WatchTraining{.place = kWatchedFile.toStdString()});
    ASSERT_TRUE(QTest::qWaitFor([&] { return watched() && watched()->stepCount() == 30 && watched()->info.watch.link == WatchLink::Ended; },
                                kPatienceMs));
    RunCard card(&live.session, &live.engine, watched()->id, nullptr);
    card.show();
    const QString text = textOf(card);
    EXPECT_TRUE(text.contains(QStringLiteral("PyTorch 2.15"))) << qPrintable(text);
    EXPECT_TRUE(text.contains(QStringLiteral("ended"))) << qPrintable(text);
    EXPECT_TRUE(text.contains(QStringLiteral("14 skipped"))) << qPrintable(text);
    EXPECT_EQ(watched()->info.policy, "fp16");
    EXPECT_FALSE(watched()->canForkAt(5));
    EXPECT_FALSE(watched()->canRewindTo(5));
    EXPECT_TRUE(watched()->gauges().empty()) << "settings that nobody knows are not judged";
    EXPECT_EQ(watched()->silentMatter(), std::nullopt);
}

TEST_F(Watch, DiagnoseShowsItsNonFiniteStepsWithoutAsking) {
    ASSERT_TRUE(live.begin());
    live.engine.send(WatchTraining{.place = kWatchedFile.toStdString()});
    ASSERT_TRUE(QTest::qWaitFor([&] { return watched() && watched()->info.watch.link == WatchLink::Ended; }, kPatienceMs));
    CapturedModel captured(&live.session, nullptr);
    Measurements measurements(&live.session, nullptr);
    DiagnosePage page(&live.session, &live.engine, &captured, &measurements, nullptr);
    page.resize(1280, 720);
    page.show();
    page.ask(watched()->id, 24);
    const QString text = textOf(page);
    EXPECT_TRUE(text.contains(QStringLiteral("h.0.mlp.c_fc"))) << qPrintable(text);
    QPushButton* examine = page.findChild<QPushButton*>(QStringLiteral("examine"));
    ASSERT_NE(examine, nullptr);
    EXPECT_FALSE(examine->isVisible()) << "a file cannot be asked for its next step";
}

}  // namespace
}  // namespace mantissa::gui
