// SPDX-License-Identifier: Apache-2.0
// Text as tokens: a vocabulary, and one stream for training and one for validation, whose windows are the samples. Plain values; any
// thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace mantissa {

/// Characters in the order of their code points, or the 256 bytes: a token is a place in it.
struct Vocabulary {
    std::vector<char32_t> characters;  // sorted; empty: bytes
    bool isBytes() const { return characters.empty(); }
    std::int64_t size() const { return isBytes() ? 256 : static_cast<std::int64_t>(characters.size()); }

    /// Throws std::invalid_argument for text that is not UTF-8 and for a character that the vocabulary lacks.
    std::vector<std::int32_t> encode(std::string_view text) const;
    /// Tokens of the vocabulary as text. Bytes come as they are, whether they make UTF-8 or not.
    std::string decode(std::span<const std::int32_t> tokens) const;
};

/// A sample is a window: inputs stream[start, start + context), and as labels the token after each of them.
struct TokenData {
    Vocabulary vocabulary;
    std::int64_t context = 0;
    std::vector<std::int32_t> train, validation;  // the streams: the first 90%, and the rest

    /// Windows side by side in a stream; number k begins at k * context.
    std::int64_t windows(const std::vector<std::int32_t>& stream) const;
    /// Places where a window may begin.
    std::int64_t starts(const std::vector<std::int32_t>& stream) const { return static_cast<std::int64_t>(stream.size()) - context; }
};

/// The fewest tokens whose two parts hold a window each.
std::int64_t fewestTokens(std::int64_t context);

/// Puts 90% of `all`, rounded down, to training and the rest to validation. At least fewestTokens(context) of them.
void splitTokens(TokenData& data, std::vector<std::int32_t> all);

/// The characters of UTF-8 text. `badByte`: the first place where it is none, or text.size().
std::vector<char32_t> decodeUtf8(std::string_view text, std::size_t& badByte);

/// Text for a screen: each byte that is no UTF-8 becomes U+FFFD, and so does each control character but tab and line feed.
std::string shownText(std::string_view text);

/// The characters that occur, each once, sorted.
Vocabulary vocabularyOf(std::span<const char32_t> characters);

/// Characters of the vocabulary as tokens.
std::vector<std::int32_t> tokensOf(const Vocabulary& vocabulary, std::span<const char32_t> characters);

}  // namespace mantissa
