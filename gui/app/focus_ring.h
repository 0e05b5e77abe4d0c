// SPDX-License-Identifier: GPL-3.0-or-later
// The ring around a list or a table that a key has given the focus to: style sheets can give it a border only by taking its room. Installed
// once, on the application. GUI thread only.
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
    QPointer<QWidget> m_ring;  // a child of the view that has the focus; null: none has
};

}  // namespace mantissa::gui
