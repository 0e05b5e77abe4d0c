// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/lessons/training_line.h"

#include <QPainter>

#include "gui/controls/number_text.h"

namespace mantissa::gui {

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

}  // namespace mantissa::gui
