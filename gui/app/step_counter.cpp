// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/app/step_counter.h"

#include <QHBoxLayout>
#include <QPainter>

#include "gui/app/theme.h"
#include "gui/controls/number_text.h"
#include "gui/controls/parts.h"

namespace mantissa::gui {

StepCounter::StepCounter(QWidget* parent) : QWidget(parent) {
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(0, 0, 0, 6);
    row->setSpacing(6);
    m_step = makeLabel({}, "headline", this);
    m_rest = makeLabel({}, "secondary", this);
    row->addWidget(m_step, 0, Qt::AlignBottom);
    row->addWidget(m_rest, 1, Qt::AlignBottom);
    setFixedHeight(32);
    setCompact(false);
    show(0, 0, 0);
}

void StepCounter::setCompact(bool compact) {
    m_isCompact = compact;
    // Fixed, so that the buttons beside it stand still while the number grows.
    setFixedWidth(compact ? 156 : 228);
}

void StepCounter::show(qint64 step, qint64 steps, double epoch) {
    m_step->setText(tr("step %1").arg(groupedText(step)));
    QString rest = steps > 0 ? tr("of %1").arg(groupedText(steps)) : QString();
    if (!m_isCompact && steps > 0) rest += tr(" · epoch %1").arg(fixedText(epoch, 1));
    m_rest->setText(rest);
    m_share = steps > 0 ? qBound(0.0, static_cast<double>(step) / static_cast<double>(steps), 1.0) : 0;
    setAccessibleName(m_step->text() + u' ' + rest);
    update();
}

void StepCounter::paintEvent(QPaintEvent*) {
    const Theme& theme = Theme::current();
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(Qt::NoPen);
    const QRectF track(0, height() - 3, width(), 3);
    painter.setBrush(theme.line);
    painter.drawRoundedRect(track, 1.5, 1.5);
    if (m_share <= 0) return;
    painter.setBrush(theme.ink2);
    painter.drawRoundedRect(QRectF(track.left(), track.top(), qMax(3.0, track.width() * m_share), 3), 1.5, 1.5);
}

}  // namespace mantissa::gui
