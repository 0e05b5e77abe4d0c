// SPDX-License-Identifier: Apache-2.0
#include "engine/telemetry/text.h"

#include <gtest/gtest.h>

#include <cmath>

namespace mantissa {
namespace {

TEST(Text, PlacesAreFilledByKind) {
    const Text text("%1 of %2, %3, %4, %5, %6"_text, std::int64_t{12345}, Figure{0.016123, 3}, Percent{0.0005}, PowerOfTwo{65536},
                    std::string("layers.%1"), Text("a term"_text));
    EXPECT_EQ(text.english(), "12\u202f345 of 0.0161, 0.05 %, 2¹⁶, layers.%1, a term");
}

TEST(Text, WhatIsNoPlaceStays) {
    EXPECT_EQ(Text("75 % of %2 %0 %9 %"_text, std::string("x")).english(), "75 % of %2 %0 %9 %");
    EXPECT_EQ(Text("%1, %1"_text, std::string("x")).english(), "x, x");
    EXPECT_EQ(Text::verbatim("%1").english(), "%1");
    EXPECT_EQ(Text().english(), "");
}

TEST(Text, SentencesFollowOneAnother) {
    Text text("One."_text);
    text += Text();
    text += Text("Two %1."_text, std::int64_t{2});
    EXPECT_EQ(text.english(), "One. Two 2.");
    EXPECT_EQ((Text() + text).english(), "One. Two 2.");
    EXPECT_TRUE(Text().empty());
    EXPECT_FALSE(text.empty());
}

TEST(Text, ATranslationMayTurnPlacesRoundAndHoldsForWhatIsWithin) {
    const Text text("%1 of %2"_text, Text("one"_text), std::string("one"));
    const auto german = [](const std::string& pattern) { return pattern == "one" ? "eins" : "von %2 %1"; };
    EXPECT_EQ(text.in(german), "von one eins");
}

TEST(Text, OneIsSingular) {
    EXPECT_EQ(counted(1, "%1 skip %2"_text, "%1 skips %2"_text, std::string("x")).english(), "1 skip x");
    EXPECT_EQ(counted(0, "%1 skip %2"_text, "%1 skips %2"_text, std::string("x")).english(), "0 skips x");
}

TEST(Text, ListsEndAfterThreeNames) {
    EXPECT_EQ(listOf({}).english(), "");
    EXPECT_EQ(listOf({"a", "b", "c"}).english(), "a, b, c");
    EXPECT_EQ(listOf({"a", "b", "c", "d"}).english(), "a, b, c and 1 more");
}

TEST(Text, PatternsThatMultiplyTheirArgumentsEnd) {
    Text text(Pattern{"%1%1%1%1%1%1%1%1"}, std::string(1000, 'x')), empty(Pattern{"%1%1%1%1%1%1%1%1"}, Text());
    for (int depth = 0; depth < 40; ++depth) {
        text = {Pattern{"%1%1%1%1%1%1%1%1"}, text};
        empty = {Pattern{"%1%1%1%1%1%1%1%1"}, empty};
    }
    EXPECT_LE(text.english().size(), 65536u);
    Text parts;
    for (int i = 0; i < 100000; ++i) parts.parts.push_back({"", {}});
    EXPECT_LE(Text(Pattern{"%1%1%1%1%1%1%1%1"}, parts).english().size(), 65536u);
    EXPECT_EQ(empty.english(), "");
    Text twice("a."_text);
    twice += twice;
    EXPECT_EQ(twice.english(), "a. a.");
}

TEST(Text, NothingIsEmpty) {
    EXPECT_TRUE(Text::term("").empty());
    EXPECT_TRUE(Text::verbatim("").empty());
}

TEST(Text, DigitsFromElsewhereAreBounded) {
    EXPECT_EQ(Text("%1"_text, Figure{2, -5}).english(), "2");
    EXPECT_EQ(Text("%1"_text, Figure{2, 1 << 30}).english(), "2");
    EXPECT_EQ(Text("%1"_text, Percent{NAN}).english(), "");
}

}  // namespace
}  // namespace mantissa
