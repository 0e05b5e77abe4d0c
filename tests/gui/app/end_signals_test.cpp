// SPDX-License-Identifier: Apache-2.0
// A signal that asks the window to end is answered as its close button is: the recording is closed, and the exit code says which it was.
#include <gtest/gtest.h>

#include <QDirIterator>
#include <QProcess>
#include <QTemporaryDir>
#include <csignal>

#include "tests/gui/support/live_session.h"

namespace mantissa::gui {
namespace {

QString firstRecording(const QString& folder) {
    QDirIterator files(folder, {QStringLiteral("*.mantissa")}, QDir::Files, QDirIterator::Subdirectories);
    return files.hasNext() ? files.next() : QString();
}

TEST(EndSignals, CloseTheWindowAndItsRecording) {
    for (const int signal : {SIGTERM, SIGHUP, SIGINT, SIGXFSZ}) {
        SCOPED_TRACE(signal);
        const QTemporaryDir home;
        QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
        for (const char* name : {"XDG_DATA_HOME", "XDG_RUNTIME_DIR", "HOME"}) environment.insert(QString::fromLatin1(name), home.path());
        environment.insert(QStringLiteral("QT_QPA_PLATFORM"), QStringLiteral("offscreen"));
        QProcess session;
        session.setProcessEnvironment(environment);
        session.start(QStringLiteral(MANTISSA_LAB), {QStringLiteral("four-formats")});
        ASSERT_TRUE(QTest::qWaitFor([&] { return !firstRecording(home.path()).isEmpty(); }, kPatienceMs));
        QTest::qWait(500);
        ASSERT_EQ(::kill(static_cast<pid_t>(session.processId()), signal), 0);
        ASSERT_TRUE(session.waitForFinished(kPatienceMs));
        EXPECT_EQ(session.exitStatus(), QProcess::NormalExit);
        EXPECT_EQ(session.exitCode(), 128 + signal);
        EXPECT_FALSE(QFile::exists(firstRecording(home.path()) + QStringLiteral("-wal"))) << "it was closed";
    }
}

}  // namespace
}  // namespace mantissa::gui
