// SPDX-License-Identifier: Apache-2.0
// The user guide inside the window: every page is there, is drawn whole, and every link leads somewhere.
#include <gtest/gtest.h>

#include <QDir>
#include <QLineEdit>
#include <QSet>
#include <QTest>
#include <QTextBlock>
#include <QTextTable>
#include <QTreeWidget>

#include "gui/app/guide_browser.h"
#include "gui/app/guide_window.h"
#include "gui/app/theme.h"

namespace mantissa::gui {
namespace {

struct GuideTest : testing::Test {
    QWidget parent;
    GuideWindow* guide = GuideWindow::of(&parent);
    GuideBrowser& browser() { return *guide->browser(); }
    QString shown() const { return guide->browser()->place().fileName(); }
};

TEST_F(GuideTest, HasEveryPageOfTheFolder) {
    QSet<QString> listed;
    for (const GuidePage& page : guidePages()) {
        listed.insert(page.file);
        EXPECT_NE(page.title, page.file) << page.file.toStdString() << " has no heading";
    }
    const QStringList files = QDir(QStringLiteral(MANTISSA_SOURCE_DIR "/resources/guide")).entryList({QStringLiteral("*.md")});
    EXPECT_EQ(listed, QSet<QString>(files.begin(), files.end())) << "README.md lists what the guide shows";
    EXPECT_EQ(shown(), QStringLiteral("README.md"));
    EXPECT_EQ(GuideWindow::of(&parent), guide) << "there is one of a window";
}

TEST_F(GuideTest, EveryLinkLeadsToAPlace) {
    QSet<QString> places;
    for (const GuidePage& page : guidePages()) {
        places.insert(page.file);
        for (const GuideHeading& heading : page.headings) places.insert(page.file + u'#' + heading.anchor);
    }
    int links = 0;
    for (const GuidePage& page : guidePages()) {
        guide->open(page.file);
        for (QTextBlock block = browser().document()->begin(); block.isValid(); block = block.next())
            for (auto part = block.begin(); !part.atEnd(); ++part) {
                const QString link = part.fragment().charFormat().anchorHref();
                if (link.isEmpty() || link.startsWith(QStringLiteral("https://"))) continue;
                ++links;
                const QString place = link.startsWith(u'#') ? page.file + link : link;
                EXPECT_TRUE(places.contains(place)) << page.file.toStdString() << " links to " << link.toStdString();
            }
    }
    EXPECT_GT(links, 30);
}

TEST_F(GuideTest, NoPageShowsItsMarkup) {
    int tables = 0;
    for (const GuidePage& page : guidePages()) {
        guide->open(page.file);
        EXPECT_GT(browser().document()->characterCount(), 500) << page.file.toStdString();
        for (QTextBlock block = browser().document()->begin(); block.isValid(); block = block.next()) {
            if (block.blockFormat().hasProperty(QTextFormat::BlockCodeFence)) continue;  // a lesson's text is markup
            QString words;
            for (auto part = block.begin(); !part.atEnd(); ++part)
                if (!part.fragment().charFormat().fontFixedPitch()) words += part.fragment().text();
            for (const char* mark : {"**", "](", "```", "|--", "| --", "`"})
                EXPECT_FALSE(words.contains(QLatin1String(mark))) << page.file.toStdString() << ": " << words.toStdString();
            EXPECT_FALSE(words.startsWith(u'#') || words.startsWith(u'|')) << page.file.toStdString() << ": " << words.toStdString();
        }
        for (QTextFrame* frame : browser().document()->rootFrame()->childFrames())
            if (const auto* table = qobject_cast<QTextTable*>(frame)) {
                ++tables;
                EXPECT_EQ(table->format().borderBrush().color(), Theme::current().line);
            }
    }
    EXPECT_GT(tables, 5);
}

TEST_F(GuideTest, ALinkGoesToItsHeadingAndBackReturns) {
    guide->resize(900, 500);
    guide->open(QStringLiteral("window.md"));
    guide->open(QStringLiteral("diagnosis.md#scaler-race"));
    EXPECT_EQ(shown(), QStringLiteral("diagnosis.md"));
    const QTextCursor top = browser().cursorForPosition({40, 8});
    EXPECT_EQ(top.block().text(), QStringLiteral("Scaler race"));
    EXPECT_EQ(guide->contents()->currentItem()->text(0), QStringLiteral("Scaler race")) << "the contents follow";
    browser().backward();
    EXPECT_EQ(shown(), QStringLiteral("window.md"));
    browser().forward();
    EXPECT_EQ(browser().place().fragment(), QStringLiteral("scaler-race"));
    guide->contents()->setCurrentItem(guide->contents()->topLevelItem(1));
    EXPECT_EQ(shown(), guidePages()[1].file) << "and lead";
}

TEST_F(GuideTest, WordsAreFoundInAllPages) {
    guide->open(QStringLiteral("window.md"));
    guide->field()->setText(QStringLiteral("crosshair"));
    EXPECT_FALSE(browser().extraSelections().isEmpty()) << "marked while one types";
    guide->field()->setText(QStringLiteral("Kahan"));
    EXPECT_EQ(shown(), QStringLiteral("window.md"));
    QTest::keyClick(guide->field(), Qt::Key_Return);
    EXPECT_NE(shown(), QStringLiteral("window.md")) << "where there are none, the next page that has them";
    EXPECT_EQ(browser().textCursor().selectedText().toLower(), QStringLiteral("kahan"));
    EXPECT_FALSE(browser().extraSelections().isEmpty());
    const QString first = shown();
    for (int i = 0; i < 60 && (i == 0 || shown() == first); ++i) guide->search(false);
    EXPECT_NE(shown(), first) << "behind the last one on a page comes the next page";
    guide->field()->setText(QStringLiteral("no such words at all"));
    const QUrl before = browser().place();
    guide->search(false);
    EXPECT_EQ(browser().place(), before) << "nothing found, nothing moved";
}

TEST_F(GuideTest, WearsTheThemeInForce) {
    guide->open(QStringLiteral("formats.md"));
    for (const ThemeKind kind : {ThemeKind::Dark, ThemeKind::Light}) {
        Theme::apply(*qApp, kind);
        QCoreApplication::processEvents();
        EXPECT_EQ(browser().document()->begin().begin().fragment().charFormat().foreground().color(), Theme::current().ink);
    }
}

}  // namespace
}  // namespace mantissa::gui
