// SPDX-License-Identifier: Apache-2.0
// What tests read of a page's widgets.
#pragma once

#include <gtest/gtest.h>

#include <QAbstractScrollArea>
#include <QLabel>
#include <QPushButton>

namespace mantissa::gui {

inline QStringList shownTexts(const QWidget& part) {
    QStringList texts;
    for (const QLabel* label : part.findChildren<QLabel*>())
        if (label->isVisibleTo(&part)) texts << label->text();
    return texts;
}

inline QPushButton* buttonOf(const QWidget& part, const QString& text) {
    for (QPushButton* button : part.findChildren<QPushButton*>())
        if (button->text() == text && button->isVisibleTo(&part)) return button;
    return nullptr;
}

inline void expectNamesInside(const QWidget& part) {
    for (const QWidget* widget : part.findChildren<QWidget*>()) {
        const bool isControl = widget->window() == part.window() && widget->focusPolicy() != Qt::NoFocus &&
                               !qobject_cast<const QAbstractScrollArea*>(widget->parentWidget());
        EXPECT_FALSE(isControl && widget->accessibleName().isEmpty()) << widget->metaObject()->className();
    }
}

}  // namespace mantissa::gui
