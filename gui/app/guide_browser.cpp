// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/app/guide_browser.h"

#include <QDesktopServices>
#include <QEvent>
#include <QFile>
#include <QRegularExpression>
#include <QScrollBar>
#include <QTextBlock>
#include <QTextTable>
#include <utility>

#include "gui/app/theme.h"

// The resources are in a static library: they are not linked unless they are named. The macro must be outside namespaces.
static void loadGuide() {
    Q_INIT_RESOURCE(guide);
}

namespace mantissa::gui {
namespace {

const QString kFirstPage = QStringLiteral("README.md");
constexpr int kBodyPixels = 14, kCodePixels = 13, kPageMargin = 24;
constexpr int kHeadingPixels[] = {24, 18, 15};

QString markdownOf(const QString& file) {
    loadGuide();
    QFile page(QStringLiteral(":/guide/") + file);
    return page.open(QIODevice::ReadOnly) ? QString::fromUtf8(page.readAll()) : QString();
}

/// Lower case, without punctuation, with hyphens for spaces.
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

/// Applies the theme to a page. Fast for a page without a window: no layout is done in between.
void dress(QTextDocument* page) {
    const Theme& theme = Theme::current();
    page->setUndoRedoEnabled(false);
    QTextCursor cursor(page);
    cursor.beginEditBlock();
    for (QTextBlock block = page->begin(); block.isValid(); block = block.next()) {
        const int level = block.blockFormat().headingLevel();
        const bool isCode = block.blockFormat().hasProperty(QTextFormat::BlockCodeFence) ||
                            block.blockFormat().hasProperty(QTextFormat::BlockCodeLanguage) || block.blockFormat().nonBreakableLines();
        QTextBlockFormat spacing;
        if (level > 0) {
            spacing.setTopMargin(level == 1 ? 0 : 20);
            spacing.setBottomMargin(8);
        } else if (isCode) {
            spacing.setBackground(theme.sunken);
            spacing.setNonBreakableLines(false);  // a long line wraps, so that the page needs no horizontal scrolling
            spacing.setLeftMargin(12);
        } else {
            spacing.setLineHeight(125, QTextBlockFormat::ProportionalHeight);
            if (!QTextCursor(block).currentTable()) spacing.setBottomMargin(block.textList() ? 5 : 10);
        }
        QTextCursor whole(block);
        whole.mergeBlockFormat(spacing);
        whole.mergeBlockCharFormat(sized(kBodyPixels));  // for the numbers of lists
        // The text's own formats (strong, code, link) stay; the theme's properties are merged into them.
        QList<std::pair<int, int>> parts;
        for (auto part = block.begin(); !part.atEnd(); ++part) parts.append({part.fragment().position(), part.fragment().length()});
        for (const auto& [position, length] : parts) {
            QTextCursor words(page);
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
    for (QTextFrame* frame : page->rootFrame()->childFrames())
        if (auto* table = qobject_cast<QTextTable*>(frame)) dressTable(table, theme);
    cursor.endEditBlock();
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

GuideBrowser::GuideBrowser(QWidget* parent) : QTextBrowser(parent) {
    setOpenLinks(false);
    setFrameShape(QFrame::NoFrame);
    setAccessibleName(tr("Page of the guide"));
    connect(this, &QTextBrowser::anchorClicked, this, [this](const QUrl& link) {
        const QUrl place = this->place().resolved(link);
        place.scheme() == this->place().scheme() ? open(place) : void(QDesktopServices::openUrl(place));
    });
}

// Replaces QTextBrowser's source and history, which import a page into the visible document and repeat its layout for
// every fragment.
QTextDocument* GuideBrowser::pageOf(const QString& file) {
    QTextDocument*& page = m_pages[file];
    if (!page) {
        page = new QTextDocument(parentWidget());  // a child of the browser would be deleted with the next page
        page->setDefaultFont(font());
        page->setDocumentMargin(kPageMargin);
        page->setMarkdown(markdownOf(file));
        dress(page);
    }
    return page;
}

void GuideBrowser::open(const QUrl& place) {
    if (place == this->place()) return visit(m_visit);
    m_visits.resize(m_visit + 1);
    m_visits.append({place});
    visit(m_visit + 1);
}

void GuideBrowser::backward() {
    if (m_visit > 0) visit(m_visit - 1);
}

void GuideBrowser::forward() {
    if (m_visit + 1 < m_visits.size()) visit(m_visit + 1);
}

void GuideBrowser::visit(int index) {
    if (m_visit >= 0 && index != m_visit) m_visits[m_visit].scroll = verticalScrollBar()->value();
    m_visit = index;
    const Visit& now = m_visits[index];
    if (QTextDocument* page = pageOf(now.place.fileName()); page != document()) setDocument(page);
    if (now.scroll >= 0)
        verticalScrollBar()->setValue(now.scroll);
    else if (now.place.hasFragment())
        scrollToAnchor(now.place.fragment());
    else
        verticalScrollBar()->setValue(0);
    emit backwardAvailable(index > 0);
    emit forwardAvailable(index + 1 < m_visits.size());
    emit placeChanged(now.place);
}

void GuideBrowser::changeEvent(QEvent* event) {
    QTextBrowser::changeEvent(event);
    if (event->type() != QEvent::PaletteChange) return;
    for (QTextDocument* page : std::as_const(m_pages)) dress(page);
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
