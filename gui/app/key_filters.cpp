// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/app/key_filters.h"

#include <QAbstractButton>
#include <QAbstractItemView>
#include <QAbstractSpinBox>
#include <QApplication>
#include <QComboBox>
#include <QKeyEvent>
#include <QLineEdit>
#include <QPainter>
#include <QPointer>

#include "gui/app/theme.h"

namespace mantissa::gui {
namespace {

class KeyGuard : public QObject {
public:
    using QObject::QObject;

protected:
    bool eventFilter(QObject* object, QEvent* event) override {
        if (event->type() == QEvent::ShortcutOverride) {
            const auto* key = static_cast<QKeyEvent*>(event);
            const bool isFunctionKey = key->key() >= Qt::Key_F1 && key->key() <= Qt::Key_F35;
            const bool isPlain = !(key->modifiers() & ~(Qt::ShiftModifier | Qt::KeypadModifier)) && !isFunctionKey;
            const auto* line = qobject_cast<QLineEdit*>(object);
            const bool takesText = qobject_cast<QAbstractSpinBox*>(object) || (line && !line->isReadOnly());
            const bool takesSpace = qobject_cast<QAbstractButton*>(object) || qobject_cast<QComboBox*>(object);
            const bool takesPages = qobject_cast<QAbstractItemView*>(object);
            const bool isPage = key->key() == Qt::Key_Home || key->key() == Qt::Key_PageUp || key->key() == Qt::Key_PageDown;
            if (isPlain && (takesText || (takesSpace && key->key() == Qt::Key_Space) || (takesPages && isPage))) {
                event->accept();
                return true;
            }
        }
        if (event->type() == QEvent::KeyPress) {
            const int key = static_cast<QKeyEvent*>(event)->key();
            auto* button = qobject_cast<QAbstractButton*>(object);
            if (button && button->isEnabled() && (key == Qt::Key_Return || key == Qt::Key_Enter)) {
                button->animateClick();
                return true;
            }
        }
        return QObject::eventFilter(object, event);
    }
};

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

class FocusRing : public QObject {
public:
    using QObject::QObject;

protected:
    bool eventFilter(QObject* object, QEvent* event) override {
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

private:
    QPointer<QWidget> m_ring;  // a child of the view that has the focus; null: none
};

}  // namespace

void installKeyFilters(QApplication* application) {
    application->installEventFilter(new KeyGuard(application));
    application->installEventFilter(new FocusRing(application));
}

}  // namespace mantissa::gui
