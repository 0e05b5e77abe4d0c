// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/app/key_guard.h"

#include <QAbstractButton>
#include <QAbstractItemView>
#include <QAbstractSpinBox>
#include <QComboBox>
#include <QKeyEvent>
#include <QLineEdit>

namespace mantissa::gui {

bool KeyGuard::eventFilter(QObject* object, QEvent* event) {
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

}  // namespace mantissa::gui
