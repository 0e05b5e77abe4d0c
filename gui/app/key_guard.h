// SPDX-License-Identifier: GPL-3.0-or-later
// Lets single-key shortcuts (Space, letters, digits, PageUp) yield to the focused widget: Space and Enter press a focused button, a text
// field takes letters. Function keys stay with the window.
#pragma once

#include <QObject>

namespace mantissa::gui {

class KeyGuard : public QObject {
public:
    using QObject::QObject;

protected:
    bool eventFilter(QObject* object, QEvent* event) override;
};

}  // namespace mantissa::gui
