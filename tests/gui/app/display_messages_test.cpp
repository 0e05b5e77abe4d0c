// SPDX-License-Identifier: Apache-2.0
// Without a display the program ends with one sentence, not with Qt's lines and an abort.
#include <gtest/gtest.h>

#include <QProcess>

#include "gui/app/display_messages.h"
#include "tests/gui/support/live_session.h"

namespace mantissa::gui {
namespace {

/// What mantissa-lab says with only these variables about displays.
QString saidWith(const QMap<QString, QString>& variables) {
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    for (const char* name : {"DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"}) environment.remove(QString::fromLatin1(name));
    for (auto it = variables.begin(); it != variables.end(); ++it) environment.insert(it.key(), it.value());
    QProcess session;
    session.setProcessEnvironment(environment);
    session.start(QStringLiteral(MANTISSA_LAB), {QStringLiteral("--measure"), QStringLiteral("1")});
    EXPECT_TRUE(session.waitForFinished(kPatienceMs));
    EXPECT_EQ(session.exitStatus(), QProcess::NormalExit);
    EXPECT_EQ(session.exitCode(), DisplayMessages::kExitNoDisplay);
    const QString said = QString::fromLocal8Bit(session.readAllStandardError());
    EXPECT_EQ(said.count(QLatin1Char('\n')), 1) << said.toStdString();
    return said;
}

TEST(DisplayMessages, NoDisplayIsOneSentence) {
    EXPECT_TRUE(saidWith({}).contains(QStringLiteral("neither DISPLAY nor WAYLAND_DISPLAY is set")));
}

TEST(DisplayMessages, HelpAndVersionNeedNoDisplayAndSayWhenTheyCannotBeWritten) {
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    for (const char* name : {"DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"}) environment.remove(QString::fromLatin1(name));
    for (const char* option : {"--help", "--version"}) {
        QProcess program, full;
        for (QProcess* each : {&program, &full}) each->setProcessEnvironment(environment);
        full.setStandardOutputFile(QStringLiteral("/dev/full"));
        for (QProcess* each : {&program, &full}) {
            each->start(QStringLiteral(MANTISSA_LAB), {QString::fromLatin1(option)});
            ASSERT_TRUE(each->waitForFinished(kPatienceMs));
        }
        EXPECT_EQ(program.exitCode(), 0) << option;
        EXPECT_TRUE(program.readAllStandardOutput().contains("mantissa-lab")) << option;
        EXPECT_EQ(full.exitCode(), 3) << option;
        EXPECT_TRUE(full.readAllStandardError().contains("cannot be written")) << option;
    }
}

TEST(DisplayMessages, ADisplayThatCannotBeOpenedIsNamed) {
    EXPECT_TRUE(saidWith({{QStringLiteral("QT_QPA_PLATFORM"), QStringLiteral("xcb")}, {QStringLiteral("DISPLAY"), QStringLiteral(":987")}})
                    .contains(QStringLiteral("':987'")));
}

TEST(DisplayMessages, AnUnknownPlatformIsNamed) {
    EXPECT_TRUE(saidWith({{QStringLiteral("QT_QPA_PLATFORM"), QStringLiteral("nothing-of-this-name")}})
                    .contains(QStringLiteral("nothing-of-this-name")));
}

}  // namespace
}  // namespace mantissa::gui
