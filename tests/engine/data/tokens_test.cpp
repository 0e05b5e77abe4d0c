// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <set>

#include "engine/data/batch_order.h"
#include "tests/engine/data/data_files.h"

namespace mantissa {
namespace {

std::vector<std::int32_t> windows(BatchOrder& order, std::int64_t number, std::size_t size) {
    std::vector<std::int32_t> indices(size);
    order.indices(number, indices.data());
    return indices;
}

TEST(Opticks, CharactersInTheOrderOfTheirCodePoints) {
    const auto data = loadDataset({.name = "opticks", .context = 256});
    EXPECT_EQ(data->kind, DataKind::Tokens);
    EXPECT_EQ(data->tokens.vocabulary.size(), 91);
    EXPECT_TRUE(std::is_sorted(data->tokens.vocabulary.characters.begin(), data->tokens.vocabulary.characters.end()));
    const std::size_t train = data->tokens.train.size(), all = train + data->tokens.validation.size();
    EXPECT_EQ(train, all * 9 / 10);
    EXPECT_EQ(data->trainCount(), static_cast<std::int64_t>((train - 1) / 256));
    EXPECT_EQ(data->validationCount(), static_cast<std::int64_t>((all - train - 1) / 256));
    EXPECT_EQ(dataText(*data), "opticks: " + std::to_string(train) + " training and " + std::to_string(all - train) +
                                   " validation characters, 91 symbols, windows of 256");
    const auto bytes = loadDataset({.name = "opticks", .tokens = "bytes"});
    EXPECT_EQ(bytes->tokens.train.size() + bytes->tokens.validation.size(), 567'060u);
    EXPECT_EQ(bytes->tokens.vocabulary.size(), 256);
    EXPECT_NE(bytes, data);
    // the same text comes out again
    std::string text = data->tokens.vocabulary.decode(data->tokens.train) + data->tokens.vocabulary.decode(data->tokens.validation);
    EXPECT_EQ(text, bytes->tokens.vocabulary.decode(bytes->tokens.train) + bytes->tokens.vocabulary.decode(bytes->tokens.validation));
    EXPECT_EQ(data->tokens.vocabulary.encode(text).size(), all);
}

TEST(Vocabulary, EncodesAndDecodesEveryLengthOfUtf8) {
    const std::string text = "z\u00e9\u20ac\U0001F600za";
    std::size_t bad = 0;
    const Vocabulary vocabulary = vocabularyOf(decodeUtf8(text, bad));
    EXPECT_EQ(bad, text.size());
    EXPECT_EQ(vocabulary.characters, (std::vector<char32_t>{U'a', U'z', 0xe9, 0x20ac, 0x1f600}));
    EXPECT_EQ(vocabulary.encode(text), (std::vector<std::int32_t>{1, 2, 3, 4, 1, 0}));
    EXPECT_EQ(vocabulary.decode(vocabulary.encode(text)), text);
    EXPECT_THROW(vocabulary.encode("b"), std::invalid_argument);
    EXPECT_THROW(vocabulary.encode("a\xff"), std::invalid_argument);
    EXPECT_EQ(Vocabulary{}.encode("a\xff"), (std::vector<std::int32_t>{97, 255}));
    EXPECT_EQ(Vocabulary{}.decode(Vocabulary{}.encode("a\xff")), "a\xff");
}

TEST(Vocabulary, WhatIsNoUtf8IsFoundAtItsByte) {
    const std::vector<std::pair<std::string, std::size_t>> cases{
        {"ab\x80", 2},            // a continuation by itself
        {"\xc0\x80", 0},          // two bytes for NUL
        {"a\xc1\xbf", 1},         // two bytes for U+7F
        {"\xe0\x9f\xbf", 0},      // three bytes for U+7FF
        {"\xf0\x8f\xbf\xbf", 0},  // four bytes for U+FFFF
        {"ok\xed\xa0\x80", 2},    // a surrogate
        {"\xf4\x90\x80\x80", 0},  // above U+10FFFF
        {"\xf5\x80\x80\x80", 0},  // a lead byte that there is not
        {"abc\xe2\x82", 3},       // cut
        {"abc\xe2\x28\xa1", 3},   // no continuation
    };
    for (const auto& [text, place] : cases) {
        std::size_t bad = 99;
        decodeUtf8(text, bad);
        EXPECT_EQ(bad, place) << testing::PrintToString(text);
    }
}

class TokenOrder : public testing::Test {
protected:
    // 101 bytes: 90 train, 11 validate; windows of 10
    DataFolder folder;
    std::shared_ptr<const Dataset> data;
    void SetUp() override {
        std::string text;
        for (int i = 0; i < 101; ++i) text += static_cast<char>(i);
        folder.write("t", text);
        data = loadDataset({.name = "text", .path = (folder.path() / "t").string(), .context = 10, .tokens = "bytes"});
    }
};

TEST_F(TokenOrder, NineTenthsTrain) {
    EXPECT_EQ(data->tokens.train.size(), 90u);
    EXPECT_EQ(data->tokens.train.front(), 0);
    EXPECT_EQ(data->tokens.train.back(), 89);
    EXPECT_EQ(data->tokens.validation.size(), 11u);
    EXPECT_EQ(data->tokens.validation.front(), 90);
    EXPECT_EQ(data->trainCount(), 8);  // the ninth would lack its last label
    EXPECT_EQ(data->validationCount(), 1);
}

TEST_F(TokenOrder, SequentialWindowsLieSideBySideAndWrap) {
    BatchOrder order({.batchSize = 3, .order = "sequential"}, *data);
    EXPECT_EQ(windows(order, 0, 3), (std::vector<std::int32_t>{0, 10, 20}));
    EXPECT_EQ(windows(order, 2, 3), (std::vector<std::int32_t>{60, 70, 0}));
}

TEST_F(TokenOrder, ShuffledWindowsBeginAnywhereTheyFitAndCanBeRevisited) {
    BatchOrder order({.batchSize = 50, .order = "shuffled", .seed = 3}, *data),
        again({.batchSize = 50, .order = "shuffled", .seed = 3}, *data), other({.batchSize = 50, .order = "shuffled", .seed = 4}, *data);
    std::set<std::int32_t> seen;
    for (std::int64_t k = 0; k < 100; ++k) {
        for (const std::int32_t start : windows(order, k, 50)) seen.insert(start);
    }
    EXPECT_EQ(seen.size(), 80u);
    EXPECT_EQ(*seen.begin(), 0);
    EXPECT_EQ(*seen.rbegin(), 79);  // its last label is the last token, 89
    EXPECT_EQ(windows(again, 57, 50), windows(order, 57, 50));
    EXPECT_NE(windows(other, 57, 50), windows(order, 57, 50));
}

TEST(Tokens, ShownTextHoldsNothingThatATerminalWouldObey) {
    EXPECT_EQ(shownText("a\tb\nc"), "a\tb\nc");
    EXPECT_EQ(shownText("\x1b[2J"), "\uFFFD[2J");
    EXPECT_EQ(shownText(std::string_view("\0\r\x7f", 3)), "\uFFFD\uFFFD\uFFFD");
    EXPECT_EQ(shownText("\xc2\x9b"), "\uFFFD") << "a control sequence in one character";
    EXPECT_EQ(shownText("\xc3\xa9\xff\xc3"), "\u00e9\uFFFD\uFFFD");
}

}  // namespace
}  // namespace mantissa
