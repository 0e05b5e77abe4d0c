// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/app/guide_browser.h"

#include <QEvent>
#include <QFile>
#include <QRegularExpression>
#include <QTextBlock>
#include <QTextTable>
#include <utility>

#include "gui/app/theme.h"

// The resources are in a static library: nothing pulls them in unless they are named. The macro must stand outside a namespace.
static void loadGuide() {
    Q_INIT_RESOURCE(guide);
}

namespace mantissa::gui {
namespace {

const QString kFirstPage = QStringLiteral("README.md");
constexpr int kBodyPixels = 14, kCodePixels = 13;
constexpr int kHeadingPixels[] = {24, 18, 15};

QString markdownOf(const QString& file) {
    loadGuide();
    QFile page(QStringLiteral(":/guide/") + file);
    return page.open(QIODevice::ReadOnly) ? QString::fromUtf8(page.readAll()) : QString();
}

/// Lower case, without punctuation, blanks as hyphens.
QString anchorOf(const QString& heading) {
    QString anchor;
    for (const QChar letter : heading.toLower())
        if (letter.isLetterOrNumber() || letter == u'_' || letter == u'-')
            anchor += letter;
        else if (letter.isSpace())
            anchor += u'-';
    return anchor;
}

GuidePage readPage(const QString& file) {
    QTextDocument document;
    document.setMarkdown(markdownOf(file));
    GuidePage page{file, file, document.toPlainText(), {}};
    for (QTextBlock block = document.begin(); block.isValid(); block = block.next())
        if (const int level = block.blockFormat().headingLevel(); level > 0)
            page.headings.append({level, block.text(), anchorOf(block.text())});
    if (!page.headings.isEmpty()) page.title = page.headings.first().text;
    return page;
}

QTextCharFormat sized(int pixels) {
    QTextCharFormat format;
    format.setProperty(QTextFormat::FontPixelSize, pixels);
    return format;
}

void dressTable(QTextTable* table, const Theme& theme) {
    QTextTableFormat format = table->format();
    format.setBorderCollapse(true);
    format.setBorder(1);
    format.setBorderStyle(QTextFrameFormat::BorderStyle_Solid);
    format.setBorderBrush(theme.line);
    format.setCellPadding(6);
    format.setCellSpacing(0);
    format.setTopMargin(8);
    format.setBottomMargin(12);
    table->setFormat(format);
    for (int column = 0; column < table->columns(); ++column) {
        QTextTableCell cell = table->cellAt(0, column);
        QTextCharFormat head = cell.format();
        head.setBackground(theme.sunken);
        cell.setFormat(head);
    }
}

}  // namespace

const QList<GuidePage>& guidePages() {
    static const QList<GuidePage> kPages = [] {
        QList<GuidePage> pages{readPage(kFirstPage)};
        static const QRegularExpression kLink(QStringLiteral(R"(\]\(([a-z-]+\.md)\))"));
        for (auto links = kLink.globalMatch(markdownOf(kFirstPage)); links.hasNext();) pages.append(readPage(links.next().captured(1)));
        return pages;
    }();
    return kPages;
}

QUrl guideUrl(const QString& place) {
    return QUrl(QStringLiteral("qrc:/guide/") + place);
}

QString guideFile(const QUrl& url) {
    return url.fileName();
}

GuideBrowser::GuideBrowser(QWidget* parent) : QTextBrowser(parent) {
    loadGuide();
    setOpenExternalLinks(true);
    setFrameShape(QFrame::NoFrame);
    setAccessibleName(tr("Page of the guide"));
    document()->setDocumentMargin(24);
    connect(this, &QTextBrowser::sourceChanged, this, &GuideBrowser::showPage);  // by links, and by back and forward
}

void GuideBrowser::doSetSource(const QUrl& name, QTextDocument::ResourceType) {
    QTextBrowser::doSetSource(name, QTextDocument::MarkdownResource);
}

void GuideBrowser::showPage(const QUrl& url) {
    // A place of the same page keeps the document, and so its dress.
    if (std::exchange(m_dressed, guideFile(url)) != guideFile(url)) dress();
    if (url.hasFragment()) scrollToAnchor(url.fragment());  // what it looks for was not there before
}

void GuideBrowser::changeEvent(QEvent* event) {
    QTextBrowser::changeEvent(event);
    if (event->type() == QEvent::PaletteChange && !document()->isEmpty()) dress();
}

void GuideBrowser::dress() {
    const Theme& theme = Theme::current();
    document()->setUndoRedoEnabled(false);
    QTextCursor cursor(document());
    cursor.beginEditBlock();
    for (QTextBlock block = document()->begin(); block.isValid(); block = block.next()) {
        const int level = block.blockFormat().headingLevel();
        const bool isCode = block.blockFormat().hasProperty(QTextFormat::BlockCodeFence) ||
                            block.blockFormat().hasProperty(QTextFormat::BlockCodeLanguage) || block.blockFormat().nonBreakableLines();
        QTextBlockFormat spacing;
        if (level > 0) {
            spacing.setTopMargin(level == 1 ? 0 : 20);
            spacing.setBottomMargin(8);
        } else if (isCode) {
            spacing.setBackground(theme.sunken);
            spacing.setNonBreakableLines(false);  // a long line goes on below, and the page needs no scrolling sideways
            spacing.setLeftMargin(12);
        } else {
            spacing.setLineHeight(125, QTextBlockFormat::ProportionalHeight);
            if (!QTextCursor(block).currentTable()) spacing.setBottomMargin(block.textList() ? 5 : 10);
        }
        QTextCursor whole(block);
        whole.mergeBlockFormat(spacing);
        whole.mergeBlockCharFormat(sized(kBodyPixels));  // of a list's numbers
        // The words' own formats (strong, code, link) stay; what the theme says of them is laid over.
        QList<std::pair<int, int>> parts;
        for (auto part = block.begin(); !part.atEnd(); ++part) parts.append({part.fragment().position(), part.fragment().length()});
        for (const auto& [position, length] : parts) {
            QTextCursor words(document());
            words.setPosition(position);
            words.setPosition(position + length, QTextCursor::KeepAnchor);
            const QTextCharFormat before = words.charFormat();
            const bool isCodeWord = isCode || before.fontFixedPitch();
            QTextCharFormat format = sized(level > 0 ? kHeadingPixels[std::min(level, 3) - 1] : isCodeWord ? kCodePixels : kBodyPixels);
            format.clearProperty(QTextFormat::FontSizeAdjustment);
            format.setForeground(before.isAnchor() && !before.anchorHref().isEmpty() ? theme.accentText : theme.ink);
            if (isCodeWord && !isCode && level == 0) format.setBackground(theme.sunken);
            if (level > 0) {
                format.setAnchor(true);
                format.setAnchorNames({anchorOf(block.text())});
            }
            words.mergeCharFormat(format);
        }
    }
    cursor.endEditBlock();
    for (QTextFrame* frame : document()->rootFrame()->childFrames())
        if (auto* table = qobject_cast<QTextTable*>(frame)) dressTable(table, theme);
}

int GuideBrowser::mark(const QString& words) {
    const Theme& theme = Theme::current();
    QList<ExtraSelection> marks;
    if (!words.isEmpty())
        for (QTextCursor place = document()->find(words, 0); !place.isNull(); place = document()->find(words, place)) {
            ExtraSelection mark;
            mark.cursor = place;
            mark.format.setBackground(theme.accentWeak);
            mark.format.setForeground(theme.accentText);
            marks.append(mark);
        }
    setExtraSelections(marks);
    return static_cast<int>(marks.size());
}

bool GuideBrowser::step(const QString& words, bool isBackward) {
    return find(words, isBackward ? QTextDocument::FindBackward : QTextDocument::FindFlags());
}

}  // namespace mantissa::gui
