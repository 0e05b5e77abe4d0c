// SPDX-License-Identifier: Apache-2.0
// The pages of the export dialog: nothing that is there is replaced unasked, and what went wrong is said where it was asked for.
#include <gtest/gtest.h>

#include <QComboBox>
#include <QDir>
#include <QFileDialog>
#include <QLineEdit>
#include <QMessageBox>
#include <QPlainTextEdit>
#include <QTemporaryDir>
#include <QTimer>
#include <set>

#include "gui/app/theme.h"
#include "gui/controls/parts.h"
#include "gui/exports/data_page.h"
#include "gui/exports/destination.h"
#include "gui/exports/picture_page.h"
#include "gui/exports/program_page.h"
#include "gui/exports/report_picture.h"
#include "gui/plots/plot_board.h"
#include "tests/gui/support/live_session.h"
#include "tests/gui/support/session_by_hand.h"

namespace mantissa::gui {
namespace {

/// Types each of `names` into a file dialog and accepts; declines to replace a file; after the last name, cancels.
struct DialogUser : QTimer {
    QStringList names;
    int questions = 0;
    explicit DialogUser(QStringList typed) : names(std::move(typed)) {
        callOnTimeout([this] {
            QWidget* modal = QApplication::activeModalWidget();
            if (auto* question = qobject_cast<QMessageBox*>(modal)) {
                ++questions;
                question->button(QMessageBox::No)->click();
            } else if (auto* dialog = qobject_cast<QFileDialog*>(modal)) {
                if (names.isEmpty()) return dialog->reject();
                const QString name = names.takeFirst();
                if (!name.isEmpty()) dialog->findChild<QLineEdit*>(QStringLiteral("fileNameEdit"))->setText(name);
                QMetaObject::invokeMethod(dialog, "accept", Qt::QueuedConnection);
            }
        });
        start(20);
    }
};

TEST(Destination, TheNameThatIsWrittenIsTheOneThatWasAskedAbout) {
    QTemporaryDir folder;
    const QString there = folder.filePath(QStringLiteral("fig.png"));
    ASSERT_TRUE(QFile(there).open(QIODevice::WriteOnly));
    const QStringList suffixes{QStringLiteral("png"), QStringLiteral("svg")};
    const auto asked = [&](const QStringList& typed, int questions) {
        const DialogUser user(typed);
        const QString path = askSavePath(nullptr, {}, {}, suffixes);
        EXPECT_EQ(user.questions, questions);
        return QFileInfo(path).fileName();
    };
    EXPECT_EQ(asked({folder.filePath(QStringLiteral("fig")), QString()}, 1), QString()) << "\"fig\" is free, \"fig.png\" is not";
    EXPECT_EQ(asked({folder.filePath(QStringLiteral("run.2"))}, 0), QStringLiteral("run.2.png"));
    EXPECT_EQ(asked({folder.filePath(QStringLiteral("fig.SVG"))}, 0), QStringLiteral("fig.SVG"));
}

struct DataPageTest : testing::Test, LiveSession {
    QTemporaryDir folder;
    QString said(const DataPage& page) { return page.findChild<QLabel*>(QStringLiteral("dataSaid"))->text(); }
    QStringList exported() { return QDir(folder.filePath(QStringLiteral("out"))).entryList(QDir::Dirs | QDir::NoDotAndDotDot); }
};

TEST_F(DataPageTest, EachExportHasAFolderOfItsOwn) {
    engine.setRecordingsFolder(folder.filePath(QStringLiteral("recordings")));
    ASSERT_TRUE(begin());
    engine.send(SingleStep{});
    ASSERT_TRUE(reaches(1));
    DataPage page(&session, &engine, nullptr);
    const QString out = folder.filePath(QStringLiteral("out"));
    for (int time = 1; time <= 2; ++time) {
        page.exportInto(out);
        ASSERT_TRUE(QTest::qWaitFor([&] { return said(page).startsWith(QStringLiteral("Exported to")); }, kPatienceMs))
            << said(page).toStdString();
        EXPECT_EQ(exported().size(), time);
    }
    for (const QString& each : exported()) {
        EXPECT_TRUE(each.startsWith(QStringLiteral("two "))) << each.toStdString();
        EXPECT_TRUE(QFile::exists(out + u'/' + each + QStringLiteral("/wide.csv")));
    }
    // a full disk: what is in the files is not all
    session.handle(RecordingChanged{session.recording().path, 1000, 2, "the disk is full", false});
    page.exportInto(out);
    EXPECT_TRUE(QTest::qWaitFor([&] { return said(page).contains(QStringLiteral("without what could not be recorded")); }, kPatienceMs))
        << said(page).toStdString();
}

TEST_F(DataPageTest, ShowsWhatItWouldWrite) {
    engine.setRecordingsFolder(folder.filePath(QStringLiteral("recordings")));
    ASSERT_TRUE(begin());
    engine.send(SingleStep{});
    ASSERT_TRUE(reaches(1));
    DataPage page(&session, &engine, nullptr);
    page.resize(900, 500);
    page.show();
    auto* preview = page.findChild<ExportPreview*>();
    const auto* format = page.findChild<ComboBox*>();
    ASSERT_TRUE(QTest::qWaitFor([&] { return preview->files().contains(QStringLiteral("wide.csv")); }, kPatienceMs));
    EXPECT_TRUE(page.findChild<QPlainTextEdit*>()->toPlainText().startsWith(QStringLiteral("step,")));
    const_cast<ComboBox*>(format)->setCurrentIndex(format->findData(QStringLiteral("html")));
    const QLabel* report = nullptr;
    ASSERT_TRUE(QTest::qWaitFor(
        [&] {
            for (const QLabel* label : page.findChildren<QLabel*>())
                if (label->isVisible() && !label->pixmap(Qt::ReturnByValue).isNull()) report = label;
            return report != nullptr && preview->files().contains(QStringLiteral("index.html"));
        },
        kPatienceMs));
    const QImage picture = report->pixmap(Qt::ReturnByValue).toImage();
    EXPECT_GT(picture.height(), picture.width()) << "all of the page";
    std::set<QRgb> colors;
    for (int x = 0; x < picture.width(); x += 2)
        for (int y = 0; y < picture.height(); y += 2) colors.insert(picture.pixel(x, y));
    EXPECT_TRUE(colors.contains(Theme::light().run(0).color.rgb())) << "the runs' lines are drawn";
    EXPECT_TRUE(colors.contains(qRgb(0x2F, 0x3E, 0x4E))) << "and the bars of memory";
    // while an edge of the window moves, nothing is drawn
    for (int width = 900; width > 800; width -= 10) page.resize(width, 500);
    QCoreApplication::sendPostedEvents();
    EXPECT_EQ(report->pixmap(Qt::ReturnByValue).width(), picture.width());
    EXPECT_TRUE(QTest::qWaitFor([&] { return report->pixmap(Qt::ReturnByValue).width() < picture.width(); }, kPatienceMs));
}

TEST(ReportPicture, IsAsWideAsItsWidestTable) {
    const QTemporaryDir folder;
    QFile page(folder.filePath(QStringLiteral("index.html")));
    ASSERT_TRUE(page.open(QIODevice::WriteOnly));
    page.write("<h1>t</h1><table><tr><td class=\"text run\"><svg width=\"32\" height=\"12\"></svg>" + QByteArray(200, 'x') +
               "</td><td>12345</td></tr></table><pre>" + QByteArray("many words ").repeated(100) + "</pre>");
    page.close();
    const QImage picture = reportPicture(folder.path(), 600, 1);
    ASSERT_EQ(picture.width(), 600);
    int inked = 0;
    for (int y = 0; y < picture.height(); ++y)
        for (int x = 598; x < 600; ++x) inked += picture.pixelColor(x, y) == Qt::white ? 0 : 1;
    EXPECT_EQ(inked, 0) << "nothing is cut at its edge";
}

TEST_F(DataPageTest, ALookLeavesNothingBehind) {
    engine.setRecordingsFolder(folder.filePath(QStringLiteral("recordings")));
    ASSERT_TRUE(begin());
    engine.send(SingleStep{});
    ASSERT_TRUE(reaches(1));
    QTemporaryDir temporary;
    const auto left = [&] { return QDir(temporary.path()).entryList(QDir::Dirs | QDir::NoDotAndDotDot).size(); };
    const QByteArray usual = qgetenv("TMPDIR");
    qputenv("TMPDIR", temporary.path().toLocal8Bit());
    {
        DataPage page(&session, &engine, nullptr);
        auto* preview = page.findChild<ExportPreview*>();
        preview->showFormat(QStringLiteral("csv"));
        ASSERT_TRUE(QTest::qWaitFor([&] { return !preview->files().isEmpty(); }, kPatienceMs));
        EXPECT_EQ(left(), 1);
        // the engine is still at work when another format is chosen, and when the page is closed
        preview->showFormat(QStringLiteral("html"));
        preview->showFormat(QStringLiteral("jsonl"));
    }
    EXPECT_EQ(left(), 2) << "what is still being written to stays";
    EXPECT_TRUE(QTest::qWaitFor([&] { return left() == 0; }, kPatienceMs)) << left();
    usual.isNull() ? static_cast<void>(qunsetenv("TMPDIR")) : static_cast<void>(qputenv("TMPDIR", usual));
}

TEST_F(DataPageTest, WithoutARecordingThereAreWeightsAlone) {
    ASSERT_TRUE(begin());
    DataPage page(&session, &engine, nullptr);
    auto* button = page.findChild<QPushButton*>();
    auto* format = page.findChild<ComboBox*>();
    EXPECT_FALSE(button->isEnabled());
    EXPECT_TRUE(said(page).startsWith(QStringLiteral("Nothing is being recorded"))) << said(page).toStdString();
    format->setCurrentIndex(format->findData(QStringLiteral("safetensors")));
    EXPECT_TRUE(button->isEnabled());
    EXPECT_EQ(said(page), QString());
}

TEST_F(DataPageTest, AStoppedEngineIsNoLongerBlamedOnceItIsBack) {
    engine.setRecordingsFolder(folder.filePath(QStringLiteral("recordings")));
    ASSERT_TRUE(begin());
    DataPage page(&session, &engine, nullptr);
    engine.quit();
    emit engine.lost({}, {});
    EXPECT_TRUE(said(page).contains(QStringLiteral("has stopped")));
    ASSERT_TRUE(begin());
    EXPECT_TRUE(QTest::qWaitFor([&] { return said(page).isEmpty() && page.findChild<QPushButton*>()->isEnabled(); }, kPatienceMs));
}

TEST(PicturePage, WhatWasTypedSaysWhichKindOfFile) {
    SessionModel session;
    loadThreeRuns(session);
    session.handle(steps(0, 0, 50));
    PlotBoard board(&session);
    board.resize(800, 600);
    PicturePage page(&session, &board, nullptr);
    page.show();
    QTemporaryDir folder;
    const QString path = folder.filePath(QStringLiteral("fig.svg"));
    const DialogUser user({path});
    for (auto* each : page.findChildren<QPushButton*>())
        if (each->accessibleName() == QStringLiteral("Save the picture")) QTest::mouseClick(each, Qt::LeftButton);
    QFile file(path);
    ASSERT_TRUE(file.open(QIODevice::ReadOnly));
    EXPECT_TRUE(file.readAll().contains("<svg")) << "PNG was chosen before";
    EXPECT_EQ(page.findChild<QLabel*>(QStringLiteral("pictureSaid"))->text(), QStringLiteral("Saved %1").arg(path));
}

TEST(ProgramPage, SettingsOfATrainerSayWhatTheyLeaveOut) {
    LiveSession live;
    ASSERT_TRUE(live.begin());
    ProgramPage page(&live.session, &live.engine, nullptr);
    page.show();
    for (auto* each : page.findChildren<QComboBox*>())
        if (const int deepSpeed = each->findData(QStringLiteral("deepspeed")); deepSpeed >= 0) each->setCurrentIndex(deepSpeed);
    auto* text = page.findChild<QPlainTextEdit*>();
    ASSERT_TRUE(QTest::qWaitFor([&] { return text->toPlainText().contains(QStringLiteral("gradient_clipping")); }, kPatienceMs));
    const QLabel* said = page.findChild<QLabel*>(QStringLiteral("programSaid"));
    EXPECT_TRUE(QTest::qWaitFor([&] { return said->text().startsWith(QStringLiteral("Left out: the model")); }, kPatienceMs))
        << said->text().toStdString();
}

TEST(ProgramPage, AProgramThatWasNotSavedIsStillThere) {
    LiveSession live;
    ASSERT_TRUE(live.begin());
    ProgramPage page(&live.session, &live.engine, nullptr);
    page.show();
    auto* text = page.findChild<QPlainTextEdit*>();
    ASSERT_TRUE(QTest::qWaitFor([&] { return text->toPlainText().contains(QStringLiteral("import torch")); }, kPatienceMs));
    const QLabel* said = page.findChild<QLabel*>(QStringLiteral("programSaid"));
    page.saveTo(QStringLiteral("/nowhere/a.py"));
    const auto says = [&](const char* words) {
        const QString expected = QString::fromLatin1(words);
        EXPECT_TRUE(QTest::qWaitFor([&] { return said->text().contains(expected); }, kPatienceMs)) << said->text().toStdString();
    };
    says("was not saved");
    EXPECT_TRUE(text->toPlainText().contains(QStringLiteral("import torch")));
    QTemporaryDir folder;
    page.saveTo(folder.filePath(QStringLiteral("a.py")));
    says("Saved");
    for (const char* file : {"a.py", "a.initial.safetensors", "a.batches.npy", "a.data.npz"})
        EXPECT_TRUE(QFile::exists(folder.filePath(QString::fromLatin1(file)))) << file;
}

}  // namespace
}  // namespace mantissa::gui
