// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/plots/overlays.h"

#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QPainterPath>

#include "gui/app/icon.h"
#include "gui/controls/number_text.h"
#include "gui/controls/run_sample.h"
#include "gui/plots/marks.h"
#include "gui/plots/metric_panels.h"

namespace mantissa::gui {
namespace {

/// Two digits: more would flicker.
QString speedText(double perSecond) {
    return numberText(toDigits(perSecond, 2), 2);
}

}  // namespace

FrozenTab::FrozenTab(QWidget* parent) : QWidget(parent) {
    setAttribute(Qt::WA_TransparentForMouseEvents);
    hide();
}

void FrozenTab::setCounts(std::int64_t frozenStep, std::int64_t unseen) {
    m_head = frozenStep < 0 ? tr("View frozen before the first step") : tr("View frozen at step %1").arg(groupedText(frozenStep));
    m_rest = tr("Training continues: %1 new %2. Unfreeze to return to the live end.")
                 .arg(groupedText(unseen), unseen == 1 ? tr("step") : tr("steps"));
    setAccessibleName(m_head + QStringLiteral(". ") + m_rest);
    resize(sizeHint());
    update();
}

QSize FrozenTab::sizeHint() const {
    const int head = QFontMetrics(pixelFont(font(), kTickPixels, true)).horizontalAdvance(m_head);
    return {36 + head + 10 + QFontMetrics(pixelFont(font(), kTickPixels)).horizontalAdvance(m_rest) + 14, 24};
}

void FrozenTab::paintEvent(QPaintEvent*) {
    const Theme& theme = Theme::current();
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    QPainterPath shape;
    shape.addRoundedRect(QRectF(0, 0, width(), height() + 8), 4, 4);
    painter.fillPath(shape, theme.frozenEdge);
    // The only ink with a contrast of 4.5:1 on amber in both themes.
    const QColor ink = Theme::light().ink;
    const QFont bold = pixelFont(font(), kTickPixels, true);
    const QPointF snow(20, height() / 2.0);
    painter.setPen(QPen(ink, 1.5));
    for (const double angle : {0.0, 60.0, 120.0}) {
        const QPointF arm(5.5 * std::cos(qDegreesToRadians(angle)), 5.5 * std::sin(qDegreesToRadians(angle)));
        painter.drawLine(snow - arm, snow + arm);
    }
    painter.setPen(ink);
    painter.setFont(bold);
    painter.drawText(QRect(36, 0, width(), height()), Qt::AlignVCenter | Qt::AlignLeft, m_head);
    const int left = 36 + QFontMetrics(bold).horizontalAdvance(m_head) + 10;
    painter.setFont(pixelFont(font(), kTickPixels));
    painter.drawText(QRect(left, 0, width(), height()), Qt::AlignVCenter | Qt::AlignLeft, m_rest);
}

EmptyState::EmptyState(QWidget* parent) : QWidget(parent) {
    setAttribute(Qt::WA_TransparentForMouseEvents);
    hide();
}

void EmptyState::setTexts(const QString& headline, const QString& sentence) {
    m_headline = headline;
    m_sentence = sentence;
    setAccessibleName(headline + QStringLiteral(". ") + sentence);
    update();
}

void EmptyState::paintEvent(QPaintEvent*) {
    const Theme& theme = Theme::current();
    QPainter painter(this);
    const QFont large = pixelFont(font(), 18, true), plain = pixelFont(font(), kTitlePixels);
    const int textWidth = std::max(QFontMetrics(large).horizontalAdvance(m_headline), QFontMetrics(plain).horizontalAdvance(m_sentence));
    QRect box(0, 0, std::min(width() - 8, textWidth + 64), 80);
    box.moveCenter(rect().center());
    painter.fillRect(box, theme.surface);  // hides grid lines behind the text
    painter.setFont(large);
    painter.setPen(theme.ink);
    painter.drawText(box.adjusted(0, 8, 0, -36), Qt::AlignCenter, m_headline);
    painter.setFont(plain);
    painter.setPen(theme.ink2);
    painter.drawText(box.adjusted(0, 40, 0, -8), Qt::AlignCenter, m_sentence);
}

ThroughputLine::ThroughputLine(QWidget* parent) : QWidget(parent) {
    setFocusPolicy(Qt::TabFocus);
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    setCursor(Qt::PointingHandCursor);
    setAccessibleName(tr("Throughput"));
}

void ThroughputLine::setTraces(const std::vector<const RunTrace*>& traces, bool isShared) {
    m_entries.clear();
    bool isEmulated = false;
    QStringList spoken;
    for (const RunTrace* trace : traces) {
        isEmulated |= trace->run->info.isEmulated;
        const Series& series = trace->smoothed(metricName(Metric::SamplesPerSecond));
        const std::int64_t last = series.latestStep(trace->shownSteps - 1);
        if (trace->run->isHidden) continue;
        const QString text = last < 0 ? QStringLiteral("\u2013") : speedText(series.value(last));
        m_entries.push_back({trace->run->identity, text});
        spoken << tr("%1: %2").arg(trace->run->name(), text);
    }
    m_unit = isEmulated ? tr("samples/s, emulated") : tr("samples/s");
    if (isShared && m_entries.size() > 1) m_unit += QStringLiteral(", ") + ThroughputPanel::sharingNote();
    setAccessibleDescription(m_unit + QStringLiteral(". ") + spoken.join(QStringLiteral("; ")));
    update();
}

void ThroughputLine::setUnfolded(bool on) {
    m_isUnfolded = on;
    update();
}

void ThroughputLine::paintEvent(QPaintEvent*) {
    const Theme& theme = Theme::current();
    QPainter painter(this);
    painter.fillRect(rect(), theme.surface);
    painter.fillRect(QRect(0, 0, width(), 1), theme.line);
    if (hasFocus()) {
        painter.setPen(QPen(theme.accent, 1));
        painter.drawRect(rect().adjusted(1, 2, -2, -2));
    }
    const int middle = height() / 2;
    themedIcon(m_isUnfolded ? QStringLiteral("chevron-down") : QStringLiteral("chevron-right"), IconInk::Ink2)
        .paint(&painter, QRect(34, middle - 7, 14, 14));
    int left = 56;
    painter.setPen(theme.ink);
    painter.setFont(pixelFont(font(), kTitlePixels, true));
    painter.drawText(QRect(left, 0, width(), height()), Qt::AlignVCenter | Qt::AlignLeft, tr("Throughput"));
    left += painter.fontMetrics().horizontalAdvance(tr("Throughput")) + 8;
    int right = width() - 12;
    painter.setFont(pixelFont(font(), kTitlePixels));
    for (auto entry = m_entries.rbegin(); entry != m_entries.rend(); ++entry) {
        const int text = std::max(30, painter.fontMetrics().horizontalAdvance(entry->text));
        painter.setPen(theme.ink);
        painter.drawText(QRect(right - text, 0, text, height()), Qt::AlignVCenter | Qt::AlignLeft, entry->text);
        drawRunSample(painter, QRectF(right - text - 30, middle - 8, 24, 16), theme.run(entry->identity), theme.surface);
        right -= text + 46;
    }
    painter.setFont(pixelFont(font(), kTickPixels));
    painter.setPen(theme.ink2);
    const QRect room(left, 0, std::max(0, right - left), height());
    painter.drawText(room, Qt::AlignVCenter | Qt::AlignLeft, painter.fontMetrics().elidedText(m_unit, Qt::ElideRight, room.width()));
}

void ThroughputLine::mouseReleaseEvent(QMouseEvent* event) {
    if (rect().contains(event->position().toPoint())) emit toggled();
}

void ThroughputLine::keyPressEvent(QKeyEvent* event) {
    if (event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter)
        emit toggled();
    else
        QWidget::keyPressEvent(event);
}

}  // namespace mantissa::gui
