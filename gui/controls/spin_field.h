// SPDX-License-Identifier: GPL-3.0-or-later
// Sizes the field inside a spin box without buttons, under every Qt 6. Install the filter on the application. GUI thread only.
#pragma once

#include <QObject>

namespace mantissa::gui {

/// Gives the field the whole area inside the box's border and padding. Qt 6.4 does so itself; Qt 6.12 makes the field one pixel wide if a
/// style sheet draws the box.
class SpinField : public QObject {
public:
    using QObject::QObject;

protected:
    bool eventFilter(QObject* object, QEvent* event) override;
};

}  // namespace mantissa::gui
