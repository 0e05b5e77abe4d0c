// SPDX-License-Identifier: GPL-3.0-or-later
// Tool tips of lines that can be read: none is longer than kTipColumns. Install the filter on the application. GUI thread only.
#pragma once

#include <QObject>
#include <QRect>
#include <QString>

class QWidget;

namespace mantissa::gui {

inline constexpr int kTipColumns = 60;  // characters; those of Chinese count twice

/// The text in lines of at most so many columns, broken between words where there are any. Rich text stays as it is: Qt breaks it.
QString wrappedTip(const QString& text);

/// Shows a tool tip of a widget that has several.
void showTip(const QPoint& globalPlace, const QString& text, QWidget* widget, const QRect& area = {});

/// Breaks the tool tips of widgets, of entries in menus, and of cells and headers in views.
class TipWidth : public QObject {
public:
    using QObject::QObject;

protected:
    bool eventFilter(QObject* object, QEvent* event) override;
};

}  // namespace mantissa::gui
