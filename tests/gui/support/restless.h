// SPDX-License-Identifier: Apache-2.0
// Finds parts of a window that move, even for a moment.
#pragma once

#include <QLabel>
#include <QMoveEvent>
#include <QWidget>
#include <map>
#include <string>

namespace mantissa::gui {

/// Counts how often a visible part of a window is moved, shown or hidden, also if it is moved back at once, since a click in between would
/// miss. Labels are ignored: text after a number moves with its digits.
class Restless : public QObject {
public:
    /// Watches the current widgets of `window`, until either is destroyed.
    explicit Restless(const QWidget& window) {
        for (QWidget* each : window.findChildren<QWidget*>()) each->installEventFilter(this);
    }
    /// Returns the counts by class and accessible name.
    const std::map<std::string, int>& counts() const { return m_counts; }
    bool eventFilter(QObject* watched, QEvent* event) override {
        const auto* widget = qobject_cast<const QWidget*>(watched);
        if (qobject_cast<const QLabel*>(widget)) return false;
        const bool moves =
            event->type() == QEvent::Move && widget->isVisible() && static_cast<QMoveEvent*>(event)->oldPos() != widget->pos();
        if (moves || event->type() == QEvent::Show || event->type() == QEvent::Hide)
            ++m_counts[widget->metaObject()->className() + (" " + widget->accessibleName()).toStdString()];
        return false;
    }

private:
    std::map<std::string, int> m_counts;
};

}  // namespace mantissa::gui
