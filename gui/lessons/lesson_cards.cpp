// SPDX-License-Identifier: GPL-3.0-or-later
// Answers and lessons as cards. They are painted because Qt's buttons do not wrap text.
#include <QPainter>

#include "gui/app/icon.h"
#include "gui/lessons/lesson_parts.h"
#include "gui/plots/marks.h"

namespace mantissa::gui {
namespace {

/// Stacks texts, each as high as it is at `width`; also draws them if it has a painter.
class LineColumn {
public:
    LineColumn(int left, int top, int width, QPainter* painter = nullptr) : m_left(left), m_top(top), m_width(width), m_painter(painter) {}
    void add(const QString& text, const QFont& font, const QColor& ink, int gap) {
        if (text.isEmpty()) return;
        m_top += gap;
        const QRect place(m_left, m_top, m_width, 10000);
        const int flags = Qt::AlignLeft | Qt::AlignTop | Qt::TextWordWrap;
        const QRect taken = QFontMetrics(font).boundingRect(place, flags, text);
        if (m_painter) {
            m_painter->setFont(font);
            m_painter->setPen(ink);
            m_painter->drawText(place, flags, text);
        }
        m_top += taken.height();
    }
    int bottom() const { return m_top; }

private:
    int m_left, m_top, m_width;
    QPainter* m_painter;
};

void paintFrame(QPainter& painter, const QRect& rect, const QColor& fill, const QColor& edge, qreal pen) {
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(edge, pen));
    painter.setBrush(fill);
    painter.drawRoundedRect(QRectF(rect).adjusted(pen / 2, pen / 2, -pen / 2, -pen / 2), 6, 6);
}

void paintMark(QPainter& painter, const QRectF& circle, const QString& text, const QFont& font, bool isStrong) {
    const Theme& theme = Theme::current();
    painter.setPen(Qt::NoPen);
    painter.setBrush(isStrong ? theme.accent : theme.sunken);
    painter.drawEllipse(circle);
    painter.setFont(font);
    painter.setPen(isStrong ? theme.onAccent : theme.ink);
    painter.drawText(circle, Qt::AlignCenter, text);
}

}  // namespace

// ---- Answers ----

AnswerCard::AnswerCard(int place, const QString& text, QWidget* parent)
    : QRadioButton(parent), m_letter(QChar(u'A' + place)), m_answer(text), m_sizes(LessonSizes::of(false)) {
    setAccessibleName(tr("Answer %1: %2").arg(m_letter, text));
    setFocusPolicy(Qt::TabFocus);
    setMouseTracking(true);
    QSizePolicy policy(QSizePolicy::Ignored, QSizePolicy::Fixed);
    policy.setHeightForWidth(true);
    setSizePolicy(policy);
}

void AnswerCard::setSizes(const LessonSizes& sizes) {
    m_sizes = sizes;
    updateGeometry();
    update();
}

void AnswerCard::setVerdict(Verdict verdict, const QString& why) {
    m_verdict = verdict;
    m_why = why;
    setAccessibleDescription(noteText().isEmpty() ? why : tr("%1. %2").arg(noteText(), why));
    updateGeometry();
    update();
}

void AnswerCard::setVotes(bool counting, std::optional<int> votes, int all) {
    m_isCounting = counting;
    m_votes = votes;
    m_allVotes = all;
    setAccessibleName(tr("Answer %1: %2").arg(m_letter, m_answer) + (votes ? QStringLiteral(". ") + votesText() : QString()));
    updateGeometry();
    update();
}

QString AnswerCard::votesText() const {
    const QString count = *m_votes == 1 ? tr("1 vote") : tr("%1 votes").arg(*m_votes);
    return m_allVotes == 0 ? count : tr("%1, %2 %").arg(count).arg(qRound(100.0 * *m_votes / m_allVotes));
}

QString AnswerCard::noteText() const {
    if (m_verdict == Verdict::Open) return {};
    if (m_verdict == Verdict::Right) return isChecked() ? tr("Right, and your answer") : tr("Right");
    return isChecked() ? tr("Your answer, but not right") : QString();
}

void AnswerCard::nextCheckState() {
    if (m_verdict == Verdict::Open && !m_isCounting) QRadioButton::nextCheckState();
}

int AnswerCard::heightForWidth(int width) const {
    const int circle = m_sizes.text + 12, left = m_sizes.padding + circle + m_sizes.padding;
    LineColumn lines(left, m_sizes.padding, width - left - m_sizes.padding);
    lines.add(m_answer, pixelFont(font(), m_sizes.text), {}, 0);
    const int one = QFontMetrics(pixelFont(font(), m_sizes.text)).height();
    const int lift = qMax(0, circle - one);  // a single line is centred on the letter
    lines.add(noteText(), pixelFont(font(), m_sizes.small, true), {}, 4);
    lines.add(m_why, pixelFont(font(), m_sizes.small), {}, 4);
    const int votes = m_votes ? m_sizes.gap / 2 + QFontMetrics(pixelFont(font(), m_sizes.small, true)).height() : 0;
    return qMax(lines.bottom() + lift, m_sizes.padding + circle) + votes + m_sizes.padding;
}

QSize AnswerCard::sizeHint() const {
    return {320, heightForWidth(qMax(width(), 240))};
}

void AnswerCard::paintEvent(QPaintEvent*) {
    const Theme& theme = Theme::current();
    QPainter painter(this);
    const bool isOpen = m_verdict == Verdict::Open, isRight = m_verdict == Verdict::Right;
    const bool isStrong = isOpen ? isChecked() : isRight;
    const QColor fill = isStrong ? theme.accentWeak : isOpen && underMouse() ? theme.sunken : theme.raised;
    paintFrame(painter, rect(), fill, isStrong || hasFocus() || isChecked() ? theme.accent : theme.controlBorder,
               hasFocus() || isStrong ? 2 : 1);
    const int circle = m_sizes.text + 12, left = m_sizes.padding + circle + m_sizes.padding;
    paintMark(painter, QRectF(m_sizes.padding, m_sizes.padding, circle, circle), m_letter, pixelFont(font(), m_sizes.small + 1, true),
              isStrong);
    const int lift = qMax(0, circle - QFontMetrics(pixelFont(font(), m_sizes.text)).height());
    const int sign = isRight ? m_sizes.text + 4 : 0;
    LineColumn lines(left, m_sizes.padding + lift / 2, width() - left - m_sizes.padding, &painter);
    lines.add(m_answer, pixelFont(font(), m_sizes.text), theme.ink, 0);
    const int noteTop = lines.bottom() + 4;
    LineColumn note(left + sign, lines.bottom(), width() - left - sign - m_sizes.padding, &painter);
    note.add(noteText(), pixelFont(font(), m_sizes.small, true), isRight ? theme.accentText : theme.ink, 4);
    if (sign > 0)
        painter.drawPixmap(left, noteTop,
                           themedPixmap(QStringLiteral("check"), m_sizes.small + 2, IconInk::AccentText, devicePixelRatioF()));
    LineColumn why(left, note.bottom(), width() - left - m_sizes.padding, &painter);
    why.add(m_why, pixelFont(font(), m_sizes.small), theme.ink2, 4);
    if (!m_votes) return;
    // The bar's length is the answer's share of all votes; the figure is behind its track.
    const QFont words = pixelFont(font(), m_sizes.small, true);
    const int high = QFontMetrics(words).height(), top = height() - m_sizes.padding - high;
    const int room = QFontMetrics(words).horizontalAdvance(tr("%1, %2 %").arg(tr("%1 votes").arg(888)).arg(100)) + m_sizes.padding;
    const QRectF track(left, top + high / 4.0, qMax(24, width() - left - m_sizes.padding - room), high / 2.0);
    painter.setPen(QPen(theme.controlBorder, 1));
    painter.setBrush(Qt::NoBrush);
    painter.drawRect(track);
    painter.setPen(Qt::NoPen);
    painter.setBrush(isRight ? theme.accent : theme.ink2);
    painter.drawRect(QRectF(track.topLeft(), QSizeF(track.width() * *m_votes / qMax(1, m_allVotes), track.height())));
    painter.setFont(words);
    painter.setPen(theme.ink);
    painter.drawText(QRectF(track.right(), top, room + m_sizes.padding, high), Qt::AlignVCenter | Qt::AlignLeft, u' ' + votesText());
}

// ---- Lessons ----

LessonEntry::LessonEntry(int number, const QString& title, const QString& summary, const QString& length, bool isFinished, QWidget* parent)
    : QPushButton(parent),
      m_number(QString::number(number)),
      m_title(title),
      m_summary(summary),
      m_length(isFinished ? tr("%1 · finished").arg(length) : length),
      m_isFinished(isFinished) {
    setAccessibleName(tr("Lesson %1: %2").arg(number).arg(title));
    setAccessibleDescription(tr("%1 %2").arg(summary, m_length));
    setFocusPolicy(Qt::TabFocus);
    setMouseTracking(true);
    setCursor(Qt::PointingHandCursor);
    QSizePolicy policy(QSizePolicy::Ignored, QSizePolicy::Fixed);
    policy.setHeightForWidth(true);
    setSizePolicy(policy);
}

/// Returns the bottom of the texts; also draws them if it has a painter.
int LessonEntry::layOut(int width, QPainter* painter) const {
    const Theme& theme = Theme::current();
    const LessonSizes& sizes = LessonSizes::of(false);
    const int left = 2 * sizes.padding + 26;
    LineColumn lines(left, 10, width - left - sizes.padding, painter);
    lines.add(m_title, pixelFont(font(), sizes.text, true), theme.ink, 0);
    lines.add(m_summary, pixelFont(font(), sizes.small), theme.ink2, 2);
    lines.add(m_length, pixelFont(font(), kTagPixels), theme.ink3, 4);
    return lines.bottom();
}

QSize LessonEntry::sizeHint() const {
    return {320, heightForWidth(qMax(width(), 240))};
}

void LessonEntry::paintEvent(QPaintEvent*) {
    const Theme& theme = Theme::current();
    const LessonSizes& sizes = LessonSizes::of(false);
    QPainter painter(this);
    paintFrame(painter, rect(), underMouse() || isDown() ? theme.sunken : theme.raised, hasFocus() ? theme.accent : theme.line,
               hasFocus() ? 2 : 1);
    const QRectF circle(sizes.padding, 9, 26, 26);
    if (m_isFinished) {
        paintMark(painter, circle, {}, font(), true);
        painter.drawPixmap(sizes.padding + 6, 15, themedPixmap(QStringLiteral("check"), 14, IconInk::OnAccent, devicePixelRatioF()));
    } else {
        paintMark(painter, circle, m_number, pixelFont(font(), sizes.small, true), false);
    }
    layOut(width(), &painter);
}

}  // namespace mantissa::gui
