// SPDX-License-Identifier: Apache-2.0
// What leaves the window: pictures that say what they show, tables that read back to the same values.
#include <gtest/gtest.h>

#include <QApplication>
#include <QClipboard>
#include <QImageReader>
#include <QMimeData>
#include <QTemporaryDir>
#include <cmath>
#include <limits>

#include "gui/exports/plot_clipboard.h"
#include "gui/exports/plot_table.h"
#include "gui/plots/board_picture.h"
#include "gui/plots/plot_board.h"
#include "tests/gui/support/session_by_hand.h"

namespace mantissa::gui {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();

/// Line operators in the streams of a PDF, which are deflated.
qsizetype linesIn(const QByteArray& pdf) {
    qsizetype lines = 0;
    for (qsizetype at = pdf.indexOf("stream\n"); at >= 0; at = pdf.indexOf("\nstream\n", at + 1)) {
        const qsizetype begin = pdf.indexOf('\n', at + 1) + 1;
        const QByteArray length("\0\1\0\0", 4);  // a first guess of the size that qUncompress wants before the data
        lines += qUncompress(length + pdf.mid(begin, pdf.indexOf("endstream", begin) - begin)).count(" l\n");
    }
    return lines;
}

class ExportTest : public testing::Test {
protected:
    ExportTest() : m_board(&m_session) {
        m_board.resize(1200, 900);
        m_board.show();
        ExperimentLoaded loaded = threeRuns();
        loaded.title = "Three <runs> & more";
        m_session.handle(loaded);
        m_session.handle(ExperimentText{R"({"title": "Three"})"});
        StepsRecorded event = steps(1, 0, 200);
        event.records[3].loss = std::nan("");
        event.records[4].loss = kInf;
        event.records[5].loss = -kInf;
        event.records[6].loss = 0.1;
        m_session.handle(event);
        m_session.handle(steps(0, 0, 100, kFlagValidated));
        m_board.refreshNow();
    }
    QByteArray written(PictureFormat format, int panel, ThemeKind theme = ThemeKind::Light) {
        const QString path = m_folder.filePath(QStringLiteral("picture"));
        EXPECT_EQ(BoardPicture(&m_session, m_board, panel, theme).write(path, format, 2), QString());
        QFile file(path);
        EXPECT_TRUE(file.open(QIODevice::ReadOnly));
        return file.readAll();
    }

    SessionModel m_session;
    PlotBoard m_board;
    QTemporaryDir m_folder;
};

TEST_F(ExportTest, APictureCarriesItsRunsSeedVersionAndExperiment) {
    const BoardPicture picture(&m_session, m_board, -1, ThemeKind::Light);
    written(PictureFormat::Png, -1);
    QImageReader reader(m_folder.filePath(QStringLiteral("picture")), "PNG");
    const QImage image = reader.read();
    EXPECT_EQ(image.size(), picture.size() * 2);
    EXPECT_EQ(image.text(QStringLiteral("Title")), QStringLiteral("Three <runs> & more"));
    for (const char* part : {"fp32", "fp16", "bf16", "seed 1", "Mantissa " MANTISSA_VERSION})
        EXPECT_TRUE(image.text(QStringLiteral("Description")).contains(QString::fromLatin1(part))) << part;
    EXPECT_EQ(image.text(QStringLiteral("Experiment")), m_session.experimentText());
}

TEST_F(ExportTest, LightIsLightWhateverTheWindowWears) {
    for (const ThemeKind theme : {ThemeKind::Light, ThemeKind::Dark}) {
        const QImage image = BoardPicture(&m_session, m_board, 0, theme).image(1);
        EXPECT_EQ(image.pixelColor(1, 1), (theme == ThemeKind::Light ? Theme::light() : Theme::dark()).surface);
    }
    EXPECT_EQ(&Theme::current(), &Theme::light()) << "the window's own theme is back";
    Theme::apply(*qApp, ThemeKind::Dark);
    EXPECT_EQ(BoardPicture(&m_session, m_board, 0, ThemeKind::Light).image(1).pixelColor(1, 1), Theme::light().surface);
    EXPECT_EQ(&Theme::current(), &Theme::dark());
    Theme::apply(*qApp, ThemeKind::Light);
}

TEST_F(ExportTest, ADrawingIsMadeOfLinesAndWords) {
    const QByteArray svg = written(PictureFormat::Svg, -1);
    EXPECT_GT(svg.count("<polyline"), 20);
    EXPECT_FALSE(svg.contains("<image")) << "a picture of the lines is not the lines";
    for (const char* part : {"Three &lt;runs&gt; &amp; more", "fp16", "Loss scale", "seed 1", "Mantissa " MANTISSA_VERSION})
        EXPECT_TRUE(svg.contains(part)) << part;
    for (const char* tick : {">100<", ">150<", ">2\u00B9\u2076<"}) EXPECT_TRUE(svg.contains(tick)) << "an axis without numbers: " << tick;
    const QByteArray one = written(PictureFormat::Svg, 3);
    EXPECT_TRUE(one.contains("Gradient norm"));
    EXPECT_FALSE(one.contains("Throughput")) << "of one plot, the others are left out";
    const QByteArray pdf = written(PictureFormat::Pdf, -1);
    EXPECT_TRUE(pdf.startsWith("%PDF-"));
    EXPECT_TRUE(QByteArray(pdf).replace('\0', QByteArrayView()).contains("experiment.json")) << "in UTF-16 since Qt 6.11";
    EXPECT_FALSE(pdf.contains("/Subtype /Image"));
    EXPECT_GT(linesIn(pdf), 200);
}

TEST_F(ExportTest, APictureThatCannotBeWrittenIsSaidSo) {
    const QString problem =
        BoardPicture(&m_session, m_board, 0, ThemeKind::Light).write(QStringLiteral("/nowhere/a.png"), PictureFormat::Png, 1);
    EXPECT_TRUE(problem.contains(QStringLiteral("/nowhere/a.png"))) << problem.toStdString();
    const QString path = m_folder.filePath(QStringLiteral("huge.png"));
    EXPECT_NE(BoardPicture(&m_session, m_board, 0, ThemeKind::Light).write(path, PictureFormat::Png, 1e6), QString());
    EXPECT_FALSE(QFile::exists(path)) << "a file without a picture in it";
}

TEST_F(ExportTest, ATableKeepsEveryValue) {
    m_session.setHidden(0, true);
    const QStringList rows = plotTable(m_session, m_board.choice().keys(0), 2, 8).split(u'\n');
    EXPECT_EQ(rows.mid(0, 7),
              (QStringList{QStringLiteral("step\tfp16 loss"), QStringLiteral("2\t2"), QStringLiteral("3\tnan"), QStringLiteral("4\tinf"),
                           QStringLiteral("5\t-inf"), QStringLiteral("6\t0.1"), QStringLiteral("7\t2")}));
    m_session.setHidden(0, false);
    const QStringList both = plotTable(m_session, m_board.choice().keys(0), 99, 101).split(u'\n');
    EXPECT_EQ(both[0], QStringLiteral("step\tfp32 loss\tfp32 val_loss\tfp32 val_accuracy\tfp16 loss"));
    EXPECT_EQ(both[1], QStringLiteral("99\t2\t0\t0\t2"));
    EXPECT_EQ(both[2], QStringLiteral("100\t\t\t\t2")) << "where a run has no step, its cells are empty";
}

TEST_F(ExportTest, ACopyIsAPictureAndATable) {
    const QString said = copyPlot(&m_session, m_board, 0, CopyAs::Both);
    EXPECT_TRUE(said.contains(QStringLiteral("200 rows"))) << said.toStdString();
    const QMimeData* data = QApplication::clipboard()->mimeData();
    EXPECT_TRUE(data->hasImage());
    EXPECT_TRUE(data->text().startsWith(QStringLiteral("step\tfp32 loss")));
    copyPlot(&m_session, m_board, 0, CopyAs::Picture);
    EXPECT_FALSE(QApplication::clipboard()->mimeData()->hasText());
}

}  // namespace
}  // namespace mantissa::gui
