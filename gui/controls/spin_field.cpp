// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/controls/spin_field.h"

#include <QAbstractSpinBox>
#include <QEvent>
#include <QLineEdit>
#include <QStyle>
#include <QStyleOptionFrame>

namespace mantissa::gui {

bool SpinField::eventFilter(QObject* object, QEvent* event) {
    if (event->type() == QEvent::Resize || event->type() == QEvent::Move) {
        auto* field = qobject_cast<QLineEdit*>(object);
        const auto* box = field ? qobject_cast<const QAbstractSpinBox*>(field->parentWidget()) : nullptr;
        if (box && box->buttonSymbols() == QAbstractSpinBox::NoButtons) {
            QStyleOptionFrame frame;
            frame.initFrom(box);
            const QRect room = box->style()->subElementRect(QStyle::SE_LineEditContents, &frame, box);
            if (field->geometry() != room) field->setGeometry(room);  // setGeometry enters here again and finds it equal
        }
    }
    return QObject::eventFilter(object, event);
}

}  // namespace mantissa::gui
