// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/app/focus_ring.h"

#include <QAbstractItemView>
#include <QFocusEvent>
#include <QPainter>

#include "gui/app/theme.h"

namespace mantissa::gui {
namespace {

class Ring : public QWidget {
public:
    explicit Ring(QWidget* view) : QWidget(view) {
        setAttribute(Qt::WA_TransparentForMouseEvents);
        setFocusPolicy(Qt::NoFocus);
        setGeometry(view->rect());
        raise();
        show();
    }

protected:
    void paintEvent(QPaintEvent*) override {
        QPainter painter(this);
        painter.setPen(QPen(Theme::current().accent, 2, Qt::SolidLine, Qt::SquareCap, Qt::MiterJoin));
        painter.drawRect(QRectF(rect()).adjusted(1, 1, -1, -1));
    }
};

}  // namespace

bool FocusRing::eventFilter(QObject* object, QEvent* event) {
    const bool isGained = event->type() == QEvent::FocusIn, isLost = event->type() == QEvent::FocusOut;
    if ((isGained || isLost) && qobject_cast<QAbstractItemView*>(object)) {
        delete m_ring;
        const Qt::FocusReason reason = static_cast<QFocusEvent*>(event)->reason();
        if (isGained && (reason == Qt::TabFocusReason || reason == Qt::BacktabFocusReason || reason == Qt::ShortcutFocusReason))
            m_ring = new Ring(static_cast<QWidget*>(object));
    }
    if (m_ring && event->type() == QEvent::Resize && object == m_ring->parent()) m_ring->setGeometry(m_ring->parentWidget()->rect());
    return QObject::eventFilter(object, event);
}

}  // namespace mantissa::gui
