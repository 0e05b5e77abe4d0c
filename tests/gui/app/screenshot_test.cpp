// SPDX-License-Identifier: Apache-2.0
// `mantissa-lab --screenshot`, as a script would call it.
#include <gtest/gtest.h>

#include <QImage>
#include <QProcess>
#include <QTemporaryDir>

#include "tests/gui/lessons/sample_lesson.h"
#include "tests/gui/support/live_session.h"

namespace mantissa::gui {
namespace {

struct Said {
    int exitCode = -1;
    QString words;
};

Said runLab(const QStringList& arguments) {
    QProcess session;
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    const QTemporaryDir runtime;  // where there is none, Qt says so among our sentences
    environment.insert(QStringLiteral("XDG_RUNTIME_DIR"), runtime.path());
    session.setProcessEnvironment(environment);
    session.start(QStringLiteral(MANTISSA_LAB), arguments);
    Said said;
    if (!session.waitForFinished(kPatienceMs)) return said;
    said.exitCode = session.exitStatus() == QProcess::NormalExit ? session.exitCode() : -1;
    said.words = QString::fromUtf8(session.readAllStandardError()).trimmed();
    return said;
}

struct ScreenshotTest : testing::Test {
    QTemporaryDir folder;
    QString path(const QString& name) const { return folder.filePath(name); }
    QString experiment(const QString& text) const {
        QFile file(path(QStringLiteral("experiment.json")));
        EXPECT_TRUE(file.open(QIODevice::WriteOnly) && file.write(text.toUtf8()) > 0);
        return file.fileName();
    }
};

TEST_F(ScreenshotTest, TheSameCallTwiceIsTheSamePicture) {
    const QString small = experiment(smallExperiment());
    QImage pictures[2];
    for (int i = 0; i < 2; ++i) {
        const QString file = path(QStringLiteral("%1.png").arg(i));
        const Said said =
            runLab({QStringLiteral("--screenshot"), file, QStringLiteral("--after-steps"), QStringLiteral("30"), QStringLiteral("--size"),
                    QStringLiteral("1920x1080"), QStringLiteral("--theme"), QStringLiteral("dark"), small});
        ASSERT_EQ(said.exitCode, 0) << said.words.toStdString();
        ASSERT_TRUE(pictures[i].load(file));
        ASSERT_EQ(pictures[i].size(), QSize(1920, 1080));
    }
    EXPECT_LT(pictures[0].pixelColor(4, 1076).lightness(), 60) << "the theme that was asked for";
    // Loss and loss scale, from their titles to their last step; times are elsewhere.
    const QRect plots(420, 88, 1180, 400);
    const QImage one = pictures[0].copy(plots), other = pictures[1].copy(plots);
    EXPECT_EQ(one, other);
    QSet<QRgb> colors;
    for (int x = 0; x < one.width(); x += 3)
        for (int y = 0; y < one.height(); y += 3) colors.insert(one.pixel(x, y));
    EXPECT_GT(colors.size(), 20) << "lines were drawn";
}

TEST_F(ScreenshotTest, ABadValueIsOneSentence) {
    const QString shot = QStringLiteral("--screenshot"), good = path(QStringLiteral("a.png"));
    const std::pair<QStringList, QString> calls[] = {
        {{shot, path(QStringLiteral("a.jpg"))}, QStringLiteral(".png")},
        {{shot, path(QStringLiteral("nowhere/a.png"))}, QStringLiteral("no folder")},
        {{shot, good, QStringLiteral("--after-steps"), QStringLiteral("-1")}, QStringLiteral("--after-steps")},
        {{shot, good, QStringLiteral("--after-steps"), QStringLiteral("ten")}, QStringLiteral("'ten'")},
        {{QStringLiteral("--after-steps"), QStringLiteral("5")}, QStringLiteral("--screenshot")},
        {{shot, good, QStringLiteral("--size"), QStringLiteral("20x20")}, QStringLiteral("1000x600")},
        {{shot, good, QStringLiteral("--size"), QStringLiteral("wide")}, QStringLiteral("'wide'")},
        {{shot, good, QStringLiteral("--layout"), QStringLiteral("cubist")}, QStringLiteral("'cubist'")},
        {{shot, good, QStringLiteral("no-such-experiment")}, QStringLiteral("no-such-experiment")},
        {{shot, good, QStringLiteral("--measure"), QStringLiteral("1")}, QStringLiteral("--measure")},
        {{shot, good, QStringLiteral("--lesson"), QStringLiteral("no-such-lesson")}, QStringLiteral("no-such-lesson")},
        {{shot, good, QStringLiteral("--lesson"), QStringLiteral("why-scale-the-loss"), QStringLiteral("--after-steps"),
          QStringLiteral("5")},
         QStringLiteral("--after-steps")},
    };
    for (const auto& [arguments, part] : calls) {
        const Said said = runLab(arguments);
        EXPECT_EQ(said.exitCode, 2) << arguments.join(u' ').toStdString();
        EXPECT_TRUE(said.words.startsWith(QStringLiteral("mantissa-lab: ")) && said.words.contains(part)) << said.words.toStdString();
        EXPECT_FALSE(said.words.contains(u'\n'));
    }
    EXPECT_FALSE(QFile::exists(good));
}

TEST_F(ScreenshotTest, ALessonIsShownAtItsFirstPage) {
    QFile lesson(path(QStringLiteral("lesson.md")));
    ASSERT_TRUE(lesson.open(QIODevice::WriteOnly));
    // Shorter than the steps that an experiment is trained without being asked.
    const QByteArray shorter = QByteArray(kSampleLesson).replace("\"steps\": 400", "\"steps\": 100");
    ASSERT_NE(shorter, kSampleLesson);
    lesson.write(shorter);
    lesson.close();
    const QString file = path(QStringLiteral("lesson.png"));
    const Said said = runLab({QStringLiteral("--screenshot"), file, QStringLiteral("--size"), QStringLiteral("1600x960"),
                              QStringLiteral("--theme"), QStringLiteral("light"), QStringLiteral("--lesson"), lesson.fileName()});
    ASSERT_EQ(said.exitCode, 0) << said.words.toStdString();
    QImage picture;
    ASSERT_TRUE(picture.load(file));
    EXPECT_EQ(picture.size(), QSize(1600, 960));
}

TEST_F(ScreenshotTest, AnExperimentThatEndsEarlierIsShownAtItsLastStep) {
    const QString file = path(QStringLiteral("a.png"));
    const Said said = runLab(
        {QStringLiteral("--screenshot"), file, QStringLiteral("--after-steps"), QStringLiteral("401"), experiment(smallExperiment())});
    EXPECT_EQ(said.exitCode, 0);
    EXPECT_EQ(said.words, QStringLiteral("mantissa-lab: wide ends after 400 steps: the picture shows its last step"));
    EXPECT_TRUE(QFile::exists(file));
}

TEST_F(ScreenshotTest, WhatTheEngineDeclinesIsTold) {
    const Said said =
        runLab({QStringLiteral("--screenshot"), path(QStringLiteral("a.png")), experiment(QStringLiteral("{\"steps\": -1}"))});
    EXPECT_EQ(said.exitCode, 3);
    EXPECT_TRUE(said.words.contains(QStringLiteral("/steps"))) << said.words.toStdString();
}

}  // namespace
}  // namespace mantissa::gui
