// SPDX-License-Identifier: Apache-2.0
// Fields and segments by keyboard and mouse, without an engine.
#include <gtest/gtest.h>

#include <QLineEdit>
#include <QLocale>
#include <QSignalSpy>
#include <QTest>
#include <cmath>

#include "gui/controls/number_field.h"
#include "gui/controls/number_text.h"
#include "gui/controls/precision_control.h"
#include "gui/controls/scale_spin.h"

namespace mantissa::gui {
namespace {

NumberField::Rule aboveZero() {
    return {[](double v) { return v > 0; }, QStringLiteral("above 0"), true};
}

PendingChange request(const Json& value) {
    return {1, QStringLiteral("/any"), value, {}};
}

void typeInto(QWidget* widget, const char* text) {
    auto* line = qobject_cast<QLineEdit*>(widget);
    if (!line) line = widget->findChild<QLineEdit*>();
    line->selectAll();
    // QTest types ASCII alone; anything else arrives as an input method sends it
    for (const QChar c : QString::fromUtf8(text)) {
        if (c.unicode() < 128) {
            QTest::keyClick(line, c.toLatin1());
            continue;
        }
        QInputMethodEvent composed;
        composed.setCommitString(QString(c));
        QCoreApplication::sendEvent(line, &composed);
    }
    QTest::keyClick(widget, Qt::Key_Return);
}

TEST(NumberField, SendsOnceAndOnlyWhatIsANumber) {
    NumberField field(QStringLiteral("clip"), aboveZero(), nullptr);
    field.setValue(1.0);
    QSignalSpy requested(&field, &NumberField::requested), problem(&field, &NumberField::problem);
    typeInto(&field, "0.5");
    EXPECT_EQ(requested.count(), 1);
    typeInto(&field, "-3");
    typeInto(&field, "0,5");
    EXPECT_EQ(requested.count(), 1);
    EXPECT_EQ(problem.last()[0].toString(), QStringLiteral("above 0"));
    EXPECT_EQ(field.property("state").toString(), QStringLiteral("refused"));
    QTest::keyClick(&field, Qt::Key_Escape);
    EXPECT_EQ(field.text(), QStringLiteral("1"));
    EXPECT_TRUE(problem.last()[0].toString().isEmpty());
}

TEST(NumberField, TheSameNumberInAnotherLocale) {
    QLocale::setDefault(QLocale(QLocale::German));
    NumberField field(QStringLiteral("lr"), aboveZero(), nullptr);
    field.setValue(0.001);
    EXPECT_EQ(field.text(), QStringLiteral("0.001"));
    QSignalSpy requested(&field, &NumberField::requested);
    typeInto(&field, "0.002");
    QLocale::setDefault(QLocale::c());
    EXPECT_EQ(requested.count(), 1);
}

TEST(NumberField, NeverOverwritesWhatIsBeingTyped) {
    NumberField field(QStringLiteral("lr"), aboveZero(), nullptr);
    field.setValue(0.001);
    field.selectAll();
    QTest::keyClicks(&field, QStringLiteral("0.0"));
    field.setValue(0.5);
    EXPECT_EQ(field.text(), QStringLiteral("0.0"));
}

TEST(NumberField, APendingRequestIsShownAndThenTheValue) {
    NumberField field(QStringLiteral("lr"), aboveZero(), nullptr);
    field.setValue(0.001);
    const PendingChange pending = request(0.003);
    field.setPending(&pending);
    EXPECT_EQ(field.text(), QStringLiteral("0.003"));
    EXPECT_EQ(field.property("state").toString(), QStringLiteral("pending"));
    field.setValue(0.003);
    field.setPending(nullptr);
    EXPECT_EQ(field.text(), QStringLiteral("0.003"));
    EXPECT_EQ(field.property("state").toString(), QString());
}

TEST(NumberField, ARequestIsWithdrawnByTheCurrentValue) {
    NumberField field(QStringLiteral("clip"), aboveZero(), nullptr);
    field.setValue(1.0);
    std::vector<std::optional<double>> requests;
    PendingChange pending;
    QObject::connect(&field, &NumberField::requested, [&](std::optional<double> value) {
        requests.push_back(value);
        pending = request(value ? Json(*value) : Json(nullptr));
        field.setPending(&pending);
    });
    for (const char* text : {"0.5", "0.50", "1", "", "1"}) {
        field.clear();
        typeInto(&field, *text ? text : " ");
    }
    EXPECT_EQ(requests, (std::vector<std::optional<double>>{0.5, 1.0, std::nullopt, 1.0}));
    EXPECT_EQ(field.text(), QStringLiteral("1"));
    EXPECT_EQ(field.property("state").toString(), QStringLiteral("pending"));
}

TEST(NumberField, EmptyTurnsTheSettingOff) {
    NumberField field(QStringLiteral("clip"), aboveZero(), nullptr);
    field.setValue(1.0);
    std::optional<double> request = 7.0;
    QObject::connect(&field, &NumberField::requested, [&](std::optional<double> value) { request = value; });
    field.selectAll();
    QTest::keyClick(&field, Qt::Key_Delete);
    QTest::keyClick(&field, Qt::Key_Return);
    EXPECT_FALSE(request.has_value());
}

TEST(ScaleSpin, ShowsPowersAndTakesSeveralSpellings) {
    ScaleSpin spin(QStringLiteral("scale"), nullptr);
    spin.setScale(65536);
    EXPECT_EQ(spin.text(), QStringLiteral("2¹⁶"));
    double request = 0;
    QObject::connect(&spin, &ScaleSpin::requested, [&](double scale) { request = scale; });
    typeInto(&spin, "2^20");
    EXPECT_EQ(request, std::ldexp(1, 20));
    typeInto(&spin, "2¹⁸");
    EXPECT_EQ(request, std::ldexp(1, 18));
    typeInto(&spin, "1024");
    EXPECT_EQ(request, 1024);
    QSignalSpy problem(&spin, &ScaleSpin::problem);
    request = 0;
    for (const char* bad : {"0", "-4", "2^200", "x"}) typeInto(&spin, bad);
    EXPECT_EQ(request, 0);
    EXPECT_GE(problem.count(), 4);
}

TEST(ScaleSpin, ARequestIsWithdrawnByTheCurrentScale) {
    ScaleSpin spin(QStringLiteral("scale"), nullptr);
    spin.setScale(65536);
    std::vector<double> requests;
    PendingChange pending;
    QObject::connect(&spin, &ScaleSpin::requested, [&](double scale) {
        requests.push_back(scale);
        pending = request(scale);
        spin.setPending(&pending);
    });
    for (const char* text : {"2^20", "2^20", "2^16"}) typeInto(&spin, text);
    EXPECT_EQ(requests, (std::vector<double>{std::ldexp(1, 20), std::ldexp(1, 16)}));
}

TEST(ScaleSpin, ArrowKeysAskForSteps) {
    ScaleSpin spin(QStringLiteral("scale"), nullptr);
    QSignalSpy stepped(&spin, &ScaleSpin::stepped);
    QTest::keyClick(&spin, Qt::Key_Up);
    QTest::keyClick(&spin, Qt::Key_Down);
    ASSERT_EQ(stepped.count(), 2);
    EXPECT_EQ(stepped[0][0].toInt(), 1);
    EXPECT_EQ(stepped[1][0].toInt(), -1);
}

TEST(PrecisionControl, AClickIsARequestAndTheOldFormatStays) {
    PrecisionControl control(nullptr);
    control.setState(QStringLiteral("fp32"), {}, QStringLiteral("run"));
    control.resize(280, 28);
    control.show();
    QSignalSpy requested(&control, &PrecisionControl::requested);
    const auto segments = control.findChildren<QAbstractButton*>();
    ASSERT_EQ(segments.size(), 6);  // the last opens the menu
    QTest::mouseClick(segments[2], Qt::LeftButton);
    ASSERT_EQ(requested.count(), 1);
    EXPECT_EQ(requested[0][0].toString(), QStringLiteral("fp16"));
    EXPECT_TRUE(segments[0]->accessibleName().contains(QStringLiteral("current")));
    control.setState(QStringLiteral("fp32"), QStringLiteral("fp16"), QStringLiteral("run"));
    EXPECT_TRUE(segments[2]->accessibleName().contains(QStringLiteral("pending")));
    EXPECT_TRUE(segments[0]->accessibleName().contains(QStringLiteral("current")));
}

TEST(PrecisionControl, TheLastSegmentAsksForTheMenuAndNamesWhatHasNoSegment) {
    PrecisionControl control(nullptr);
    control.setState(QStringLiteral("pure-bf16"), QStringLiteral("pure-fp16"), QStringLiteral("run"));
    control.show();
    QSignalSpy requested(&control, &PrecisionControl::requested), asked(&control, &PrecisionControl::menuAsked);
    auto* last = control.findChildren<QAbstractButton*>().last();
    EXPECT_EQ(last->text(), QStringLiteral("pure BF16"));
    EXPECT_TRUE(last->accessibleName().contains(QStringLiteral("current")));
    EXPECT_FALSE(last->accessibleName().contains(QStringLiteral("FP32")));
    QTest::mouseClick(last, Qt::LeftButton);
    EXPECT_EQ(asked.count(), 1);
    EXPECT_EQ(requested.count(), 0);
}

TEST(PrecisionControl, OneStopForTabAndArrowsInside) {
    PrecisionControl control(nullptr);
    control.setState(QStringLiteral("tf32"), {}, QStringLiteral("run"));
    control.show();
    const auto segments = control.findChildren<QAbstractButton*>();
    int stops = 0;
    for (const QAbstractButton* segment : segments) stops += (segment->focusPolicy() & Qt::TabFocus) ? 1 : 0;
    EXPECT_EQ(stops, 1);
    QSignalSpy requested(&control, &PrecisionControl::requested);
    control.activateWindow();
    ASSERT_TRUE(QTest::qWaitForWindowActive(&control, 60000));
    segments[1]->setFocus();
    QTest::keyClick(segments[1], Qt::Key_Right);
    EXPECT_EQ(control.focusWidget(), segments[2]);
    QTest::keyClick(segments[2], Qt::Key_Return);
    QTRY_COMPARE_WITH_TIMEOUT(requested.count(), 1, 5000);
}

}  // namespace
}  // namespace mantissa::gui
