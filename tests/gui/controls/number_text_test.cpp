// SPDX-License-Identifier: Apache-2.0
#include "gui/controls/number_text.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace mantissa::gui {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();

struct Case {
    QString got;
    const char16_t* expected;
};

void check(const std::vector<Case>& cases) {
    for (const Case& c : cases) EXPECT_EQ(c.got.toStdString(), QString::fromUtf16(c.expected).toStdString());
}

TEST(NumberText, ThinSpacesTrueMinusAndPowers) {
    check({{groupedText(0), u"0"},
           {groupedText(999), u"999"},
           {groupedText(1247), u"1\u202F247"},
           {groupedText(-1234567), u"\u22121\u202F234\u202F567"},
           {numberText(0.0081234), u"0.008123"},
           {numberText(66246), u"66\u202F246"},
           {numberText(1.5), u"1.5"},
           {numberText(-2), u"\u22122"},
           {numberText(3e-8), u"3\u00B710\u207B\u2078"},
           {numberText(-1.25e12), u"\u22121.25\u00B710\u00B9\u00B2"},
           {numberText(0), u"0"},
           {fixedText(0.5, 3), u"0.500"},
           {fixedText(12345.678, 1), u"12\u202F345.7"}});
}

TEST(NumberText, NonFiniteValuesAreNamed) {
    check({{numberText(std::nan("")), u"NaN"}, {numberText(kInf), u"+Inf"}, {fixedText(-kInf, 2), u"\u2212Inf"}});
}

TEST(NumberText, ScalesArePowersOfTwoWhereTheyAre) {
    check({{scaleText(65536), u"2\u00B9\u2076"},
           {scaleText(std::ldexp(1, -36)), u"2\u207B\u00B3\u2076"},
           {scaleText(1), u"2\u2070"},
           {scaleText(1000), u"1\u202F000"},
           {scaleText(0), u"0"},
           {scaleText(std::ldexp(1, -149)), u"2\u207B\u00B9\u2074\u2079"},
           {scaleText(kInf), u"+Inf"},
           {shownText(QStringLiteral("2^18")), u"2\u00B9\u2078"},
           {shownText(QStringLiteral("from 2^-3 to 2^18, not 1.2^5")), u"from 2\u207B\u00B3 to 2\u00B9\u2078, not 1.2^5"},
           {shownText(QStringLiteral("FP16")), u"FP16"}});
    EXPECT_EQ(toDigits(74'362, 3), 74'400);
    EXPECT_EQ(toDigits(-0.08349, 2), -0.083);
    EXPECT_EQ(toDigits(0, 2), 0);
    EXPECT_TRUE(std::isnan(toDigits(std::nan(""), 2)));
}

TEST(NumberText, BytesInDecimalUnits) {
    check({{bytesText(999), u"999\u202FB"},
           {bytesText(571000), u"571\u202FkB"},
           {bytesText(999600), u"1.0\u202FMB"},
           {bytesText(3200000), u"3.2\u202FMB"},
           {bytesText(120000000), u"120\u202FMB"}});
}

TEST(NumberText, ReadsWhatItWritesAndNothingElse) {
    EXPECT_EQ(parseNumber(QStringLiteral("0.001")), 0.001);
    EXPECT_EQ(parseNumber(QStringLiteral(" 1e-3 ")), 0.001);
    EXPECT_EQ(parseNumber(QStringLiteral("2^-14")), std::ldexp(1, -14));
    EXPECT_EQ(parseNumber(groupedText(1234567)), 1234567);
    EXPECT_EQ(parseNumber(numberText(-2.5)), -2.5);
    for (const double value : {0.1, 1e-12, 3.0, 1.0 / 3}) EXPECT_EQ(parseNumber(editText(value)), value);
    for (const char* bad : {"", "abc", "0,001", "1.5x", "nan", "inf", "1e999", "2^", "2^9999", "--1"})
        EXPECT_FALSE(parseNumber(QString::fromLatin1(bad))) << bad;
}

}  // namespace
}  // namespace mantissa::gui
