// SPDX-License-Identifier: GPL-3.0-or-later
// Prose and progress. Buttons are in lesson_cards.cpp.
#include "gui/lessons/lesson_parts.h"

#include <QDir>
#include <QEvent>
#include <QFileInfo>
#include <QFontDatabase>
#include <QImage>
#include <QImageReader>
#include <QPainter>
#include <QRegularExpression>
#include <QTextBlock>
#include <QTextDocument>
#include <QTextTable>
#include <QWheelEvent>
#include <cmath>
#include <vector>

#include "gui/app/language.h"
#include "gui/controls/number_text.h"
#include "gui/controls/run_sample.h"
#include "gui/plots/marks.h"

namespace mantissa::gui {
namespace {

/// Raises the exponents of "2^-10" and "10^38", and keeps "65 504" on one line.
QString proseOf(const std::string& markdown) {
    static const QRegularExpression power(QStringLiteral("(?<=[0-9])\\^(-?[0-9]+)"));
    QString text = QString::fromStdString(markdown);
    for (QRegularExpressionMatch match = power.match(text); match.hasMatch(); match = power.match(text))
        text.replace(match.capturedStart(), match.capturedLength(), powerOfTwoText(match.captured(1).toInt()).mid(1));
    static const QRegularExpression thousand(QStringLiteral("(?<=[0-9]) (?=[0-9]{3}(?![0-9]))"));
    return text.replace(thousand, QStringLiteral("\u202F"));
}

}  // namespace

const LessonSizes& LessonSizes::of(bool isPresenting, int tightness) {
    static const LessonSizes kDesk{18, 14, 16, 12, 12, 10, 8};
    static const LessonSizes kProjector[kTightest + 1] = {
        {30, 24, 32, 20, 19, 20, 14}, {23, 18, 23, 16, 15, 14, 10}, {21, 17, 21, 15, 14, 10, 7}, {19, 15, 18, 14, 13, 7, 5}};
    return isPresenting ? kProjector[std::clamp(tightness, 0, kTightest)] : kDesk;
}

void writeSize(QLabel* label, int pixels, bool isBold) {
    label->setStyleSheet(QStringLiteral("font-size: %1px; font-weight: %2;").arg(pixels).arg(isBold ? 600 : 400));
}

const std::vector<BundledLesson>& shownLessons() {
    return bundledLessons(spokenLanguage().toStdString());
}

QString wordsOf(const std::string& markdown) {
    QTextDocument document;
    document.setMarkdown(proseOf(markdown));
    return document.toPlainText().trimmed();
}

// ---- Prose ----

LessonText::LessonText(const QString& accessibleName, QWidget* parent) : QTextBrowser(parent), m_sizes(LessonSizes::of(false)) {
    setAccessibleName(accessibleName);
    setFrameShape(QFrame::NoFrame);
    setOpenLinks(false);  // the window handles links
    setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::LinksAccessibleByMouse | Qt::LinksAccessibleByKeyboard);
    setFocusPolicy(Qt::NoFocus);
    document()->setDocumentMargin(0);
    setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Fixed);
}

void LessonText::setProse(const std::string& markdown, const QString& folder) {
    m_markdown = proseOf(markdown);
    m_folder = folder;
    write();
}

QVariant LessonText::loadResource(int type, const QUrl& name) {
    constexpr qint64 kMostBytes = 16 << 20, kMostPixels = 32 << 20;
    const QVariant none = QImage();  // with an invalid value the document would load the file itself
    if (type != QTextDocument::ImageResource || m_folder.isEmpty() || !name.isRelative()) return none;
    const QFileInfo folder(m_folder), file(QDir(m_folder), name.path(QUrl::FullyDecoded));
    const bool isInside = file.canonicalFilePath().startsWith(folder.canonicalFilePath() + u'/');
    // Reading a pipe would block, and a device has no end.
    if (!isInside || !file.isFile() || file.size() > kMostBytes) return none;
    QImageReader reader(file.canonicalFilePath());
    reader.setDecideFormatFromContent(true);
    // Not SVG, which names other files.
    static const QList<QByteArray> kFormats{"png", "jpeg", "jpg", "gif", "bmp", "webp"};
    if (!kFormats.contains(reader.format())) return none;
    const QSize size = reader.size();
    const qint64 pixels = qint64{size.width()} * size.height();
    if (!size.isValid() || pixels > kMostPixels - m_pixels) return none;
    m_pixels += pixels;
    return reader.read();
}

void LessonText::setSizes(const LessonSizes& sizes) {
    m_sizes = sizes;
    write();
}

void LessonText::write() {
    const Theme& theme = Theme::current();
    document()->setDefaultFont(pixelFont(font(), m_sizes.text));
    m_pixels = 0;
    document()->setMarkdown(m_markdown);
    // Markdown has its own style of code, tables and spacing; the theme replaces it.
    for (QTextBlock block = document()->begin(); block.isValid(); block = block.next()) {
        QTextCursor cursor(block);
        QTextBlockFormat format = block.blockFormat();
        const bool isCode = format.nonBreakableLines() || format.hasProperty(QTextFormat::BlockCodeFence) ||
                            format.hasProperty(QTextFormat::BlockCodeLanguage);
        const auto isCodeToo = [](const QTextBlock& other) {
            return other.isValid() &&
                   (other.blockFormat().nonBreakableLines() || other.blockFormat().hasProperty(QTextFormat::BlockCodeLanguage));
        };
        const bool goesOn = isCode && isCodeToo(block.next());
        const bool isInCell = cursor.currentTable() != nullptr;
        format.setTopMargin(0);
        format.setBottomMargin(goesOn || isInCell ? 0 : block.textList() ? m_sizes.gap / 2 : m_sizes.gap);
        format.setNonBreakableLines(false);
        if (isCode) format.setBackground(theme.sunken);
        if (!isInCell && !isCode) format.setLineHeight(m_sizes.text * 1.6, QTextBlockFormat::MinimumHeight);
        cursor.setBlockFormat(format);
        struct Piece {
            int begin, end;
            QTextCharFormat format;
        };
        std::vector<Piece> pieces;  // collected first: a new format merges fragments
        for (auto it = block.begin(); !it.atEnd(); ++it)
            pieces.push_back({it.fragment().position(), it.fragment().position() + it.fragment().length(), it.fragment().charFormat()});
        for (auto& [begin, end, words] : pieces) {
            const bool isMono = words.fontFixedPitch() || isCode;
            QFont face = isMono ? QFontDatabase::systemFont(QFontDatabase::FixedFont) : pixelFont(font(), m_sizes.text);
            face.setPixelSize(isMono ? (isCode ? m_sizes.code : m_sizes.text - 1) : isInCell ? m_sizes.small : m_sizes.text);
            face.setBold(words.fontWeight() > QFont::Normal);
            face.setItalic(words.fontItalic());
            const QString address = words.anchorHref();
            words.setFont(face, QTextCharFormat::FontPropertiesAll);
            words.setFontUnderline(!address.isEmpty());
            words.setForeground(address.isEmpty() ? theme.ink : theme.accentText);
            QTextCursor piece(document());
            piece.setPosition(begin);
            piece.setPosition(end, QTextCursor::KeepAnchor);
            piece.setCharFormat(words);
        }
        if (QTextTable* table = cursor.currentTable()) {
            QTextTableFormat grid = table->format();
            grid.setBorder(1);
            grid.setBorderStyle(QTextFrameFormat::BorderStyle_Solid);
            grid.setBorderBrush(theme.line);
            grid.setBorderCollapse(true);
            grid.setCellPadding(4);
            grid.setCellSpacing(0);
            grid.setBottomMargin(m_sizes.gap);
            table->setFormat(grid);
        }
    }
    fit();
}

void LessonText::setFolded(bool folded) {
    m_isFolded = folded;
    fit();
}

void LessonText::fit() {
    setVisible(!m_isFolded && !m_markdown.trimmed().isEmpty());
    document()->setTextWidth(viewport()->width());
    setFixedHeight(static_cast<int>(std::ceil(document()->size().height())) + 2);
    viewport()->update();  // also if the line breaks changed at an equal height
}

void LessonText::changeEvent(QEvent* event) {
    QTextBrowser::changeEvent(event);
    if (event->type() == QEvent::PaletteChange) write();
}

void LessonText::resizeEvent(QResizeEvent* event) {
    QTextBrowser::resizeEvent(event);
    fit();
}

void LessonText::wheelEvent(QWheelEvent* event) {
    event->ignore();  // the panel scrolls
}

// ---- Progress ----

StepDots::StepDots(QWidget* parent) : QWidget(parent) {
    setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed);
}

void StepDots::setPosition(int step, int count) {
    m_step = step;
    m_count = count;
    setAccessibleName(tr("Step %1 of %2").arg(step + 1).arg(count));
    setToolTip(accessibleName());
    updateGeometry();
    update();
}

void StepDots::setSizes(const LessonSizes& sizes) {
    m_pitch = sizes.text + 2;
    updateGeometry();
    update();
}

QSize StepDots::sizeHint() const {
    return {m_pitch * m_count, m_pitch};
}

void StepDots::paintEvent(QPaintEvent*) {
    const Theme& theme = Theme::current();
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    for (int i = 0; i < m_count; ++i) {
        const double radius = m_pitch * (i == m_step ? 0.36 : 0.27);
        // Size and fill show the state: done is filled, current is large, later is hollow.
        painter.setPen(i <= m_step ? Qt::NoPen : QPen(theme.axis, 1.4));
        painter.setBrush(i == m_step ? QBrush(theme.accent) : i < m_step ? QBrush(theme.neutralBar) : QBrush(Qt::NoBrush));
        painter.drawEllipse(QPointF(m_pitch * (i + 0.5), height() / 2.0), radius, radius);
    }
}

// ---- Training ----

TrainingLine::TrainingLine(QWidget* parent) : QWidget(parent) {
    setFixedHeight(4);
}

void TrainingLine::setProgress(std::int64_t done, std::int64_t until) {
    m_share = until > 0 ? qBound(0.0, static_cast<double>(done) / static_cast<double>(until), 1.0) : 0;
    setAccessibleName(tr("Step %1 of %2").arg(groupedText(done), groupedText(until)));
    update();
}

void TrainingLine::paintEvent(QPaintEvent*) {
    const Theme& theme = Theme::current();
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(Qt::NoPen);
    painter.setBrush(theme.line);
    painter.drawRoundedRect(QRectF(rect()), 2, 2);
    painter.setBrush(theme.accent);
    if (m_share > 0) painter.drawRoundedRect(QRectF(0, 0, qMax(4.0, width() * m_share), height()), 2, 2);
}

// ---- Hidden runs ----

HiddenRunChip::HiddenRunChip(const QString& text, int identity, QWidget* parent)
    : QWidget(parent), m_text(text), m_identity(identity), m_sizes(LessonSizes::of(false)) {
    setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed);
    setAccessibleName(m_text);
}

void HiddenRunChip::setSizes(const LessonSizes& sizes) {
    m_sizes = sizes;
    updateGeometry();
    update();
}

QSize HiddenRunChip::sizeHint() const {
    const QFontMetrics metrics(pixelFont(font(), m_sizes.small));
    return {metrics.horizontalAdvance(m_text) + 36 + 2 * m_sizes.gap + 6, metrics.height() + m_sizes.gap};
}

void HiddenRunChip::paintEvent(QPaintEvent*) {
    const Theme& theme = Theme::current();
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(theme.axis, 1, Qt::DashLine));
    painter.drawRoundedRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5), 4, 4);
    RunIdentity veiled = theme.run(m_identity);
    veiled.color = theme.ink2;
    drawRunSample(painter, QRectF(m_sizes.gap, height() / 2.0 - 8, 32, 16), veiled, theme.surface);
    painter.setPen(theme.ink2);
    painter.setFont(pixelFont(font(), m_sizes.small));
    painter.drawText(rect().adjusted(m_sizes.gap + 38, 0, 0, 0), Qt::AlignVCenter | Qt::AlignLeft, m_text);
}

}  // namespace mantissa::gui
