// SPDX-License-Identifier: Apache-2.0
// The number inspector: bits that are flipped by mouse and by key, rows that follow, and names for all that has the keyboard.
#include "gui/bits/inspector_page.h"

#include <gtest/gtest.h>

#include <QAbstractButton>
#include <QAbstractSpinBox>
#include <QApplication>
#include <QComboBox>
#include <QTest>
#include <cmath>

#include "gui/app/theme.h"
#include "gui/bits/bits_window.h"
#include "gui/diagnosis/elements_panel.h"

namespace mantissa::gui {
namespace {

struct InspectorTest : testing::Test {
    QWidget owner;
    BitsWindow window{&owner};
    InspectorPage& page = *window.inspector();
    QLineEdit* field = page.findChild<QLineEdit*>();

    InspectorTest() {
        window.setAttribute(Qt::WA_DeleteOnClose, false);
        window.show();
    }
    void type(const char* text) {
        field->selectAll();
        QTest::keyClicks(field, QLatin1String(text));
    }
    BitStrip* strip(Dtype format) { return page.rows()->strip(format); }
    void click(Dtype format, int bit) { QTest::mouseClick(strip(format), Qt::LeftButton, {}, strip(format)->cellOf(bit).center()); }
    QPushButton* button(const QString& text) {
        for (QPushButton* each : page.findChildren<QPushButton*>())
            if (each->text() == text) return each;
        return nullptr;
    }
};

TEST_F(InspectorTest, AClickFlipsABitAndAllRowsFollow) {
    type("1");
    EXPECT_EQ(strip(Dtype::F16)->bits(), 0x3c00u);
    click(Dtype::F16, 9);  // the mantissa's first bit
    EXPECT_EQ(page.number().value, 1.5F);
    EXPECT_EQ(strip(Dtype::F16)->bits(), 0x3e00u);
    EXPECT_EQ(strip(Dtype::F32)->bits(), 0x3fc00000u);
    EXPECT_EQ(strip(Dtype::E4M3)->bits(), 0x3cu);
    EXPECT_EQ(field->text(), "1.5");
    click(Dtype::E4M3, 7);
    EXPECT_EQ(page.number().value, -1.5F);
    EXPECT_EQ(strip(Dtype::F16)->bits(), 0xbe00u);
    click(Dtype::F16, -1 + 10);
    EXPECT_EQ(page.number().value, -1);
}

TEST_F(InspectorTest, EveryCellOfEveryFormatIsThatBit) {
    for (const Dtype format : kAllDtypes) {
        for (int bit = 0; bit < facts(format).codeBits(); ++bit) {
            EXPECT_EQ(strip(format)->bitAt(strip(format)->cellOf(bit).center()), bit) << static_cast<int>(format);
            EXPECT_TRUE(strip(format)->rect().contains(strip(format)->cellOf(bit))) << static_cast<int>(format);
        }
        EXPECT_EQ(strip(format)->cellOf(facts(format).mantissaBits).right(), strip(Dtype::F32)->cellOf(23).right())
            << "exponents end together";
    }
}

TEST_F(InspectorTest, KeysGoFromBitToBitAndSpaceFlips) {
    type("1");
    BitStrip* fp16 = strip(Dtype::F16);
    fp16->setFocus();
    QTest::keyClick(fp16, Qt::Key_Home);
    QTest::keyClick(fp16, Qt::Key_Space);
    EXPECT_EQ(page.number().value, -1);
    QTest::keyClick(fp16, Qt::Key_End);
    QTest::keyClick(fp16, Qt::Key_Space);
    EXPECT_EQ(fp16->bits(), 0xbc01u);
    QTest::keyClick(fp16, Qt::Key_Left);
    EXPECT_EQ(fp16->current(), 1);
    QTest::keyClick(fp16, Qt::Key_Home);
    for (int i = 0; i < 5; ++i) QTest::keyClick(fp16, Qt::Key_Right);
    EXPECT_EQ(fp16->current(), 10) << "the exponent's last bit";
    QTest::keyClick(fp16, Qt::Key_Down);
    EXPECT_EQ(strip(Dtype::BF16)->current(), 7) << "the same column one format below";
    QTest::keyClick(strip(Dtype::F32), Qt::Key_Up);
    QTest::keyClick(fp16, Qt::Key_Enter);
    EXPECT_EQ(fp16->bits(), 0xb801u);
    EXPECT_TRUE(window.isVisible()) << "Enter closes nothing";
}

TEST_F(InspectorTest, ANanOfOnesOwnStaysAsItWasFlipped) {
    type("0 11111 0000000000");
    EXPECT_TRUE(std::isinf(page.number().value));
    click(Dtype::F16, 0);
    EXPECT_EQ(strip(Dtype::F16)->bits(), 0x7c01u);
    EXPECT_EQ(page.rows()->text(Dtype::F16, "class"), "NaN");
    EXPECT_EQ(page.rows()->text(Dtype::F32, "class"), "NaN");
    click(Dtype::F16, 0);
    EXPECT_TRUE(std::isinf(page.number().value));
}

TEST_F(InspectorTest, RowsSayWhatRoundingDoes) {
    type("65520");
    EXPECT_EQ(page.rows()->text(Dtype::F16, "rounded"), "+Inf");
    EXPECT_EQ(page.rows()->text(Dtype::F16, "class"), "Inf");
    EXPECT_EQ(page.rows()->text(Dtype::F32, "error"), "0");
    auto* rounding = page.findChild<QComboBox*>();
    rounding->setCurrentIndex(rounding->findData(static_cast<int>(Rounding::TowardZero)));
    emit rounding->activated(rounding->currentIndex());
    EXPECT_EQ(page.rows()->number(Dtype::F16).rounded, 65504);
    EXPECT_EQ(page.rows()->text(Dtype::F16, "ulp"), QStringLiteral("\u22120.5"));
    rounding->setCurrentIndex(0);
    emit rounding->activated(0);
    page.findChild<QCheckBox*>()->setChecked(true);
    EXPECT_EQ(page.rows()->number(Dtype::F16).rounded, 65504);
    EXPECT_EQ(page.rows()->text(Dtype::F16, "class"), "saturated");
}

TEST_F(InspectorTest, ANumberBeyondAFormatWithoutInfIsSaturated) {
    type("11.09");
    EXPECT_EQ(page.rows()->text(Dtype::E2M3, "class"), "saturated");
    EXPECT_EQ(page.rows()->text(Dtype::E2M1, "class"), "saturated");
    EXPECT_EQ(page.rows()->text(Dtype::E3M2, "class"), "normal");
}

TEST_F(InspectorTest, ButtonsStepToNeighboursAndToTheExtremes) {
    type("1");
    page.rows()->stepper(Dtype::F16, true)->click();
    EXPECT_EQ(page.number().value, 1 + 0x1p-10F);
    page.rows()->stepper(Dtype::F16, false)->click();
    page.rows()->stepper(Dtype::F16, false)->click();
    EXPECT_EQ(page.number().value, 1 - 0x1p-11F);
    emit page.rows()->formatChosen(Dtype::E4M3);
    button("largest")->click();
    EXPECT_EQ(page.number().value, 448);
    EXPECT_FALSE(page.rows()->stepper(Dtype::E4M3, true)->isEnabled()) << "above it is NaN";
    button("smallest subnormal")->click();
    EXPECT_EQ(page.number().value, 0x1p-9F);
    button("1 + ε")->click();
    EXPECT_EQ(page.number().value, 1.125F);
    type("inf");
    page.rows()->stepper(Dtype::F16, false)->click();
    EXPECT_EQ(page.number().value, 65504) << "below Inf is the largest number";
}

TEST_F(InspectorTest, WhatIsNoNumberIsSaidAndChangesNothing) {
    type("1");
    type("0x12345");
    EXPECT_EQ(field->property("state").toString(), "refused") << "FP16 has 16 bits";
    EXPECT_EQ(strip(Dtype::F16)->bits(), 0x1234u) << "the last text that was one";
}

TEST_F(InspectorTest, TheLineShowsATieAndChoosesByKey) {
    type("65520");
    EXPECT_TRUE(page.line()->accessibleDescription().contains("tie")) << page.line()->accessibleDescription().toStdString();
    type("1.2");
    QTest::keyClick(page.line(), Qt::Key_Left);
    EXPECT_EQ(page.number().value, 1.2001953125F - 0x1p-10F);
    QTest::keyClick(page.line(), Qt::Key_Right);
    EXPECT_EQ(page.number().value, 1.2001953125F);
    type("nan");
    EXPECT_FALSE(page.line()->grab().isNull());
}

TEST_F(InspectorTest, StochasticRoundingDrawsAgain) {
    auto* rounding = page.findChild<QComboBox*>();
    type("2049");
    rounding->setCurrentIndex(rounding->findData(static_cast<int>(Rounding::Stochastic)));
    emit rounding->activated(rounding->currentIndex());
    bool wentUp = false, wentDown = false;
    for (int i = 0; i < 40; ++i) {
        button("Draw again")->click();
        wentUp |= page.rows()->number(Dtype::F16).rounded == 2050;
        wentDown |= page.rows()->number(Dtype::F16).rounded == 2048;
    }
    EXPECT_TRUE(wentUp && wentDown) << "halfway: both come within 40 draws but for 2 in 2^40";
}

TEST_F(InspectorTest, EverythingThatTakesTheKeyboardHasAName) {
    int count = 0;
    for (QWidget* widget : window.findChildren<QWidget*>()) {
        if (widget->focusPolicy() == Qt::NoFocus || !widget->isEnabled()) continue;
        if (qobject_cast<QAbstractSpinBox*>(widget->parentWidget()) || widget->objectName().startsWith("qt_")) continue;
        if (widget->inherits("QComboBoxListView")) continue;  // Qt's own, in a box that has a name
        ++count;
        EXPECT_FALSE(widget->accessibleName().isEmpty()) << widget->metaObject()->className();
    }
    EXPECT_GT(count, 40);
}

TEST_F(InspectorTest, BothThemesAreDrawnInTheirOwnColours) {
    const auto pixel = [&] { return window.grab().toImage().pixelColor(4, window.height() - 4); };
    type("0.1");
    EXPECT_EQ(pixel(), Theme::light().window);
    const QImage light = strip(Dtype::F16)->grab().toImage();
    Theme::apply(*qApp, ThemeKind::Dark);
    QApplication::processEvents();
    EXPECT_EQ(pixel(), Theme::dark().window);
    EXPECT_NE(strip(Dtype::F16)->grab().toImage(), light);
    Theme::apply(*qApp, ThemeKind::Light);
}

TEST(ElementsInInspector, TheChosenElementOpensAsItWasStoredOrInFp32) {
    QWidget owner;
    ElementsPanel panel(&owner);
    panel.ask({.run = 0, .step = 3}, ElementChoice::NonFinite);
    ElementsRead read{.run = 0, .step = 3};
    read.found.total = 1;
    read.found.elements = {{.tensor = "a", .index = {0}, .storage = Dtype::BF16, .value = -INFINITY, .bits = 0xff80u, .wide = -70000}};
    panel.show(read);
    const auto inspect = [&] {
        for (QPushButton* each : panel.findChildren<QPushButton*>())
            if (each->text() == "Inspect") each->click();
    };
    inspect();
    auto* window = owner.findChild<BitsWindow*>();
    ASSERT_NE(window, nullptr);
    EXPECT_EQ(window->inspector()->number().value, -70000);
    EXPECT_EQ(window->inspector()->format(), Dtype::BF16);
    panel.findChild<QButtonGroup*>()->button(0)->click();  // as it was stored
    inspect();
    EXPECT_EQ(window->inspector()->number().heldBits, 0xff80u);
    EXPECT_TRUE(std::isinf(window->inspector()->number().value));
}

TEST_F(InspectorTest, ThereIsOneOfAWindowAndItFitsASmallScreen) {
    EXPECT_EQ(BitsWindow::of(&owner), &window);
    EXPECT_LE(window.minimumSizeHint().width(), 1280);
    EXPECT_LE(window.minimumSizeHint().height(), 690);
}

}  // namespace
}  // namespace mantissa::gui
