// SPDX-License-Identifier: Apache-2.0
#include "engine/exchange/line_reader.h"

#include <gtest/gtest.h>

#include <sstream>

#include "engine/experiment/experiment.h"

namespace mantissa {
namespace {

constexpr std::size_t kMost = 1u << 20;

TEST(LineReader, LinesAboutEverySizeOfItsBufferAreReadWhole) {
    for (std::size_t size = 4096; size <= kMost; size *= 2) {
        for (std::size_t length = size - 3; length <= std::min(size + 3, kMost); ++length) {
            for (const std::string end : {"\n", "\r\n", ""}) {
                std::string text(length, 'x');
                for (std::size_t i = 0; i < length; ++i) text[i] = static_cast<char>('a' + i % 23);
                std::istringstream in(text + end + (end.empty() ? "" : "short\n"));
                LineReader reader(in, "file");
                std::string_view line;
                ASSERT_TRUE(reader.next(line));
                ASSERT_TRUE(line == text) << length;
                EXPECT_EQ(reader.isCut(), end.empty());
                if (!end.empty()) {
                    ASSERT_TRUE(reader.next(line));
                    EXPECT_EQ(line, "short");
                }
                EXPECT_FALSE(reader.next(line));
            }
        }
    }
}

TEST(LineReader, ALongerLineIsRefused) {
    std::istringstream in("1\n" + std::string(kMost + 2, 'x') + "\n");
    LineReader reader(in, "file");
    std::string_view line;
    ASSERT_TRUE(reader.next(line));
    EXPECT_THROW(reader.next(line), InputError);
    EXPECT_EQ(reader.place().number, 2u);
}

}  // namespace
}  // namespace mantissa
