// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/controls/spoken.h"

#include <QAccessible>
#include <QWidget>

namespace mantissa::gui {

void sayAloud(QWidget* widget, const QString& text) {
    widget->setAccessibleName(text);
    QAccessibleEvent alert(widget, QAccessible::Alert);
    QAccessible::updateAccessibility(&alert);
}

}  // namespace mantissa::gui
