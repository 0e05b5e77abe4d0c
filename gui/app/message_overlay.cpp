// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/app/message_overlay.h"

#include <QEvent>
#include <QVBoxLayout>

namespace mantissa::gui {

MessageOverlay::MessageOverlay(QWidget* parent) : QWidget(parent), m_column(new QVBoxLayout(this)) {
    m_column->setContentsMargins(12, 0, 12, 0);
    cover(parent);
}

void MessageOverlay::cover(QWidget* host) {
    if (m_host == host) return;
    if (m_host) m_host->removeEventFilter(this);
    m_host = host;
    setParent(host);
    host->installEventFilter(this);
    show();
    fit();
}

/// As wide as the host and as high as its messages; hidden without messages, so that it takes no mouse events.
void MessageOverlay::fit() {
    if (!m_host) return;
    const int height = m_column->hasHeightForWidth() ? m_column->heightForWidth(m_host->width()) : m_column->sizeHint().height();
    setGeometry(0, 0, m_host->width(), m_column->isEmpty() ? 0 : height);
    raise();
}

bool MessageOverlay::event(QEvent* event) {
    const bool isDone = QWidget::event(event);
    if (event->type() == QEvent::LayoutRequest) fit();
    return isDone;
}

bool MessageOverlay::eventFilter(QObject* watched, QEvent* event) {
    if (watched == m_host && (event->type() == QEvent::Resize || event->type() == QEvent::Show)) fit();
    return QWidget::eventFilter(watched, event);
}

}  // namespace mantissa::gui
