// SPDX-License-Identifier: Apache-2.0
// The field of a spin box that a style sheet draws without buttons keeps its room, whatever Qt makes of it.
#include "gui/controls/spin_field.h"

#include <gtest/gtest.h>

#include <QApplication>
#include <QLineEdit>
#include <QSpinBox>

namespace mantissa::gui {
namespace {

TEST(SpinField, HasTheRoomInsideBorderAndPadding) {
    SpinField filter;
    qApp->installEventFilter(&filter);
    QWidget window;
    window.setStyleSheet(
        QStringLiteral("QSpinBox { border: 1px solid gray; padding: 0 7px; min-height: 26px; } QSpinBox QLineEdit { border: none; }"));
    QSpinBox box(&window);
    box.setButtonSymbols(QAbstractSpinBox::NoButtons);
    box.setGeometry(0, 0, 80, 28);
    window.show();
    auto* field = box.findChild<QLineEdit*>();
    EXPECT_EQ(field->geometry(), QRect(8, 1, 64, 26));
    field->setGeometry(0, 1, 1, 26);  // as Qt 6.12 does
    EXPECT_EQ(field->geometry(), QRect(8, 1, 64, 26));
}

TEST(SpinField, LeavesBoxesWithButtonsAlone) {
    SpinField filter;
    qApp->installEventFilter(&filter);
    QSpinBox box;
    box.resize(80, 28);
    box.show();
    auto* field = box.findChild<QLineEdit*>();
    field->setGeometry(3, 3, 20, 20);
    EXPECT_EQ(field->geometry(), QRect(3, 3, 20, 20));
}

}  // namespace
}  // namespace mantissa::gui
