// SPDX-License-Identifier: Apache-2.0
// The window and its engine are killed while they train: the recording has every step up to a quarter of a second before. Where the window
// alone is killed, its engine closes the recording. MANTISSA_KILLS=70 asks for 70 kills; without it there are two.
#include <gtest/gtest.h>
#include <unistd.h>

#include <QFile>
#include <QProcess>
#include <QTemporaryDir>
#include <csignal>
#include <iostream>
#include <random>

#include "engine/wire/wire.h"
#include "tests/gui/support/live_session.h"
#include "tests/support/files_in_memory.h"
#include "tests/support/killed_recording.h"

namespace mantissa::gui {
namespace {

/// A window whose engine's output is kept in a file as well. All of its processes are a group.
class RunningLab {
public:
    RunningLab(const QString& folder, const QString& experiment) : m_output(folder + QStringLiteral("/output")) {
        const QString engine = QStringLiteral("sh -c \"'%1' serve --recordings '%2' | tee '%3'\"")
                                   .arg(QStringLiteral(MANTISSA_ENGINE), folder + QStringLiteral("/recordings"), m_output);
        QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
        for (const char* name : {"XDG_DATA_HOME", "XDG_CONFIG_HOME", "XDG_RUNTIME_DIR", "HOME"})
            environment.insert(QString::fromLatin1(name), folder);
        environment.insert(QStringLiteral("QT_QPA_PLATFORM"), QStringLiteral("offscreen"));
        m_session.setProcessEnvironment(environment);
        m_session.setChildProcessModifier([] { setpgid(0, 0); });
        m_session.start(QStringLiteral(MANTISSA_LAB), {QStringLiteral("--engine"), engine, experiment});
    }
    ~RunningLab() {
        kill(true);
        m_session.waitForFinished(kPatienceMs);
    }
    bool trains() {
        return QTest::qWaitFor([&] { return sent().count() > 0; }, kPatienceMs);
    }
    /// The moment, as CLOCK_MONOTONIC has it.
    std::int64_t kill(bool withItsEngine) {
        const std::int64_t now = test::nowNs();
        if (m_session.processId() > 0) ::kill(static_cast<pid_t>(withItsEngine ? -m_session.processId() : m_session.processId()), SIGKILL);
        m_session.waitForFinished(kPatienceMs);
        return now;
    }
    test::SentSteps sent() const {
        QFile file(m_output);
        test::SentSteps steps;
        if (!file.open(QIODevice::ReadOnly)) return steps;
        const QByteArray bytes = file.readAll();
        FrameReader frames;
        frames.append({reinterpret_cast<const std::uint8_t*>(bytes.constData()), static_cast<std::size_t>(bytes.size())});
        while (const auto payload = frames.next()) steps.take(decodeEvent(*payload));
        return steps;
    }

private:
    QString m_output;
    QProcess m_session;
};

TEST(WindowKills, LoseAQuarterOfASecondAtMost) {
    test::keepFilesInMemory();
    const int count = qEnvironmentVariableIsSet("MANTISSA_KILLS") ? qEnvironmentVariableIntValue("MANTISSA_KILLS") : 2;
    std::mt19937 random(20261125);
    std::uniform_int_distribution<int> lifeMs(0, 1500);
    std::int64_t worstNs = 0, steps = 0;
    for (int kill = 0; kill < count; ++kill) {
        const char* const experiment = test::kKilledExperiments[static_cast<std::size_t>(kill) % std::size(test::kKilledExperiments)];
        SCOPED_TRACE(std::to_string(kill) + ": " + experiment);
        const QTemporaryDir home;
        RunningLab session(home.path(), QString::fromLatin1(experiment));
        ASSERT_TRUE(session.trains());
        QTest::qWait(lifeMs(random));
        const bool withItsEngine = kill % 4 != 3;
        const std::int64_t killedNs = session.kill(withItsEngine);
        const std::string recording = test::onlyRecordingIn(home.filePath(QStringLiteral("recordings")).toStdString());
        if (!withItsEngine) {
            const auto isClosed = [&] { return !QFile::exists(QString::fromStdString(recording + "-wal")); };
            EXPECT_TRUE(QTest::qWaitFor(isClosed, kPatienceMs));
        }
        const test::Loss loss = test::lossOf(session.sent(), killedNs, recording);
        EXPECT_LE(loss.ns, withItsEngine ? test::kMayLoseNs : 0);
        worstNs = std::max(worstNs, loss.ns);
        steps += loss.recordedSteps;
    }
    std::cout << count << " kills of the window, " << steps << " steps recorded, the oldest step lost was " << worstNs / 1'000'000
              << " ms old\n";
}

}  // namespace
}  // namespace mantissa::gui
