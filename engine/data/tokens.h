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

/// A mapping of tokens to characters, in the order of their code points, or to the 256 bytes. A token is an index.
struct Vocabulary {
    std::vector<char32_t> characters;  // sorted; empty: bytes
    bool isBytes() const { return characters.empty(); }
    std::int64_t size() const { return isBytes() ? 256 : static_cast<std::int64_t>(characters.size()); }

    /// Converts text to tokens. Throws std::invalid_argument if it is not UTF-8 or has a character outside the vocabulary.
    std::vector<std::int32_t> encode(std::string_view text) const;
    /// Converts tokens to text. Bytes are not checked to be UTF-8.
    std::string decode(std::span<const std::int32_t> tokens) const;
};

/// A token data set. A sample is a window: inputs stream[start, start + context), labels the token after each of them.
struct TokenData {
    Vocabulary vocabulary;
    std::int64_t context = 0;
    std::vector<std::int32_t> train, validation;  // the streams: the first 90%, and the rest

    /// Number of adjacent windows in a stream; window k begins at k * context.
    std::int64_t windows(const std::vector<std::int32_t>& stream) const;
    /// Number of positions where a window can begin.
    std::int64_t starts(const std::vector<std::int32_t>& stream) const { return static_cast<std::int64_t>(stream.size()) - context; }
};

/// The fewest tokens with which both parts hold a window.
std::int64_t fewestTokens(std::int64_t context);

/// Splits `all`: 90%, rounded down, for training, the rest for validation. Needs at least fewestTokens(context) tokens.
void splitTokens(TokenData& data, std::vector<std::int32_t> all);

/// Decodes UTF-8 text. `badByte`: position of the first invalid byte, or text.size().
std::vector<char32_t> decodeUtf8(std::string_view text, std::size_t& badByte);

/// Text for display: invalid UTF-8 bytes and control characters except tab and line feed become U+FFFD.
std::string shownText(std::string_view text);

/// The vocabulary of a text: its distinct characters, sorted.
Vocabulary vocabularyOf(std::span<const char32_t> characters);

/// Converts characters of the vocabulary to tokens.
std::vector<std::int32_t> tokensOf(const Vocabulary& vocabulary, std::span<const char32_t> characters);

}  // namespace mantissa
