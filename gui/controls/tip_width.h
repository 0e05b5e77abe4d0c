// SPDX-License-Identifier: GPL-3.0-or-later
// Wraps tool tips to lines of at most kTipColumns. Install the filter on the application. GUI thread only.
#pragma once

#include <QObject>
#include <QRect>
#include <QString>

class QWidget;

namespace mantissa::gui {

inline constexpr int kTipColumns = 60;  // characters; Chinese ones count twice

/// Returns the text in lines of at most kTipColumns, broken between words if possible. Markup in it is shown as it is.
QString wrappedTip(const QString& text);

/// Shows a tool tip of a widget that has several.
void showTip(const QPoint& globalPlace, const QString& text, QWidget* widget, const QRect& area = {});

/// Wraps the tool tips of widgets, of entries in menus, and of cells and headers in views.
class TipWidth : public QObject {
public:
    using QObject::QObject;

protected:
    bool eventFilter(QObject* object, QEvent* event) override;
};

}  // namespace mantissa::gui
