// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/app/step_counter.h"

#include <QMouseEvent>
#include <QPainter>

#include "gui/app/theme.h"
#include "gui/controls/number_text.h"
#include "gui/controls/parts.h"

namespace mantissa::gui {
namespace {

constexpr int kCompactWidth = 156, kFullWidth = 228;
constexpr int kTrack = 4, kTimelineZone = 12;  // px: height of the track, and of the clickable area

}  // namespace

StepCounter::StepCounter(QWidget* parent) : QWidget(parent) {
    auto* row = makeRow(6, {0, 0, 0, 7}, this);
    m_stepLabel = makeLabel({}, "headline", this);
    m_rest = makeLabel({}, "secondary", this);
    row->addWidget(m_stepLabel, 0, Qt::AlignBottom);
    row->addWidget(m_rest, 1, Qt::AlignBottom);
    setFixedHeight(34);
    setToolTip(tr("The timeline: press it to choose a step"));
    setCompact(false);
    show(0, 0, 0);
}

void StepCounter::setCompact(bool compact) {
    m_isCompact = compact;
    // A fixed width for all numbers, so that the buttons beside it do not move; less if the bar has little space.
    setMinimumWidth(kCompactWidth);
    setMaximumWidth(compact ? kCompactWidth : kFullWidth);
    updateGeometry();
}

void StepCounter::show(qint64 step, qint64 steps, double epoch) {
    m_step = step;
    m_steps = steps;
    m_epoch = epoch;
    write();
    update();
}

void StepCounter::write() {
    m_stepLabel->setText(tr("step %1").arg(groupedText(m_step)));
    const QString rest = m_steps > 0 ? tr("of %1").arg(groupedText(m_steps)) : QString();
    const QString all = m_steps > 0 ? rest + tr(" · epoch %1").arg(fixedText(m_epoch, 1)) : QString();
    const int room = width() - m_stepLabel->sizeHint().width() - layout()->spacing();
    const bool fits = !m_isCompact && m_rest->fontMetrics().horizontalAdvance(all) <= room;
    m_rest->setText(fits ? all : rest);
    setAccessibleName(m_stepLabel->text() + u' ' + all);
}

double StepCounter::placeOf(qint64 step) const {
    return width() * std::min(1.0, static_cast<double>(step) / static_cast<double>(length()));
}

void StepCounter::paintEvent(QPaintEvent*) {
    const Theme& theme = Theme::current();
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(Qt::NoPen);
    const QRectF track(0, height() - kTrack - 1, width(), kTrack);
    painter.setBrush(theme.line);
    painter.drawRoundedRect(track, 2, 2);
    if (m_step > 0) {
        painter.setBrush(theme.ink2);
        painter.drawRoundedRect(QRectF(track.left(), track.top(), std::max(3.0, placeOf(m_step)), kTrack), 2, 2);
    }
    painter.setRenderHint(QPainter::Antialiasing, false);
    for (const qint64 mark : m_marks) painter.fillRect(QRectF(std::round(placeOf(mark)) - 1, track.top(), 2, kTrack), theme.danger);
    if (m_chosen < 0) return;
    // The chosen step's marker is taller than the track, in the accent colour.
    const double x = std::clamp(std::round(placeOf(m_chosen)), 1.0, width() - 2.0);
    painter.fillRect(QRectF(x - 2, track.top() - 5, 5, kTrack + 6), theme.window);
    painter.fillRect(QRectF(x - 1, track.top() - 5, 3, kTrack + 6), theme.accent);
}

void StepCounter::choose(QMouseEvent* event) {
    if (!event->buttons().testFlag(Qt::LeftButton) || m_step == 0) return;
    const double share = std::clamp(event->position().x() / width(), 0.0, 1.0);
    emit stepChosen(std::min<qint64>(m_step - 1, std::llround(share * static_cast<double>(length()))));
}

void StepCounter::mousePressEvent(QMouseEvent* event) {
    if (event->position().y() >= height() - kTimelineZone) choose(event);
}

}  // namespace mantissa::gui
