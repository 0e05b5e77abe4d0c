// SPDX-License-Identifier: GPL-3.0-or-later
// Draws a ring around a list or a table that has received the focus by a key; a style sheet's border would take space from the view.
// Installed once, on the application. GUI thread only.
#pragma once

#include <QObject>
#include <QPointer>
#include <QWidget>

namespace mantissa::gui {

class FocusRing : public QObject {
    Q_OBJECT
public:
    using QObject::QObject;

protected:
    bool eventFilter(QObject* object, QEvent* event) override;

private:
    QPointer<QWidget> m_ring;  // a child of the view that has the focus; null: none
};

}  // namespace mantissa::gui
