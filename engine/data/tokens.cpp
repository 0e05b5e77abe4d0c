// SPDX-License-Identifier: Apache-2.0
#include "engine/data/tokens.h"

#include <algorithm>
#include <cstdio>
#include <stdexcept>

namespace mantissa {
namespace {

void appendUtf8(std::string& text, char32_t c) {
    const auto put = [&](char32_t byte) { text += static_cast<char>(static_cast<unsigned char>(byte)); };
    if (c < 0x80) {
        put(c);
    } else if (c < 0x800) {
        put(0xC0 | c >> 6);
        put(0x80 | (c & 0x3F));
    } else if (c < 0x10000) {
        put(0xE0 | c >> 12);
        put(0x80 | (c >> 6 & 0x3F));
        put(0x80 | (c & 0x3F));
    } else {
        put(0xF0 | c >> 18);
        put(0x80 | (c >> 12 & 0x3F));
        put(0x80 | (c >> 6 & 0x3F));
        put(0x80 | (c & 0x3F));
    }
}

}  // namespace

/// Table 3-7 of the Unicode standard: shortest forms only, no surrogates, nothing above U+10FFFF.
std::vector<char32_t> decodeUtf8(std::string_view text, std::size_t& badByte) {
    std::vector<char32_t> characters;
    characters.reserve(text.size());
    std::size_t at = 0;
    while (at < text.size()) {
        const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
        const unsigned char lead = byte(at);
        const std::size_t length = lead < 0x80 ? 1 : lead >= 0xC2 && lead < 0xE0 ? 2 : lead >= 0xE0 && lead < 0xF0 ? 3 : 4;
        if ((lead >= 0x80 && lead < 0xC2) || lead > 0xF4 || text.size() - at < length) break;
        char32_t c = length == 1 ? lead : lead & (0x7Fu >> length);
        bool isWhole = true;
        for (std::size_t i = 1; i < length; ++i) {
            isWhole = isWhole && (byte(at + i) & 0xC0) == 0x80;
            c = c << 6 | (byte(at + i) & 0x3F);
        }
        const bool isLong = (length == 3 && c < 0x800) || (length == 4 && c < 0x10000);
        if (!isWhole || isLong || (c >= 0xD800 && c < 0xE000) || c > 0x10FFFF) break;
        characters.push_back(c);
        at += length;
    }
    badByte = at;
    return characters;
}

std::string shownText(std::string_view text) {
    std::string shown;
    for (std::size_t at = 0; at < text.size();) {
        std::size_t good = 0;
        for (const char32_t c : decodeUtf8(text.substr(at), good)) {
            const bool isControl = (c < 0x20 && c != U'\n' && c != U'\t') || (c >= 0x7F && c < 0xA0);  // a terminal would interpret it
            appendUtf8(shown, isControl ? U'\uFFFD' : c);
        }
        at += good;
        if (at < text.size()) appendUtf8(shown, U'\uFFFD'), ++at;
    }
    return shown;
}

Vocabulary vocabularyOf(std::span<const char32_t> characters) {
    Vocabulary vocabulary;
    std::vector<bool> occurs(0x110000);
    for (const char32_t c : characters) {
        if (occurs[c]) continue;
        occurs[c] = true;
        vocabulary.characters.push_back(c);
    }
    std::sort(vocabulary.characters.begin(), vocabulary.characters.end());
    return vocabulary;
}

std::vector<std::int32_t> tokensOf(const Vocabulary& vocabulary, std::span<const char32_t> characters) {
    std::vector<std::int32_t> tokens;
    tokens.reserve(characters.size());
    for (const char32_t c : characters) {
        const auto found = std::lower_bound(vocabulary.characters.begin(), vocabulary.characters.end(), c);
        if (found == vocabulary.characters.end() || *found != c) {
            char code[16];
            std::snprintf(code, sizeof code, "U+%04X", static_cast<unsigned>(c));
            throw std::invalid_argument("the character " + std::string(code) + " is not in the vocabulary");
        }
        tokens.push_back(static_cast<std::int32_t>(found - vocabulary.characters.begin()));
    }
    return tokens;
}

std::vector<std::int32_t> Vocabulary::encode(std::string_view text) const {
    if (isBytes()) {
        std::vector<std::int32_t> tokens;
        tokens.reserve(text.size());
        for (const char c : text) tokens.push_back(static_cast<unsigned char>(c));
        return tokens;
    }
    std::size_t badByte = 0;
    const std::vector<char32_t> decoded = decodeUtf8(text, badByte);
    if (badByte < text.size()) throw std::invalid_argument("byte " + std::to_string(badByte) + " is not UTF-8");
    return tokensOf(*this, decoded);
}

std::string Vocabulary::decode(std::span<const std::int32_t> tokens) const {
    std::string text;
    for (const std::int32_t token : tokens) {
        if (isBytes()) {
            text += static_cast<char>(static_cast<unsigned char>(token));
        } else {
            appendUtf8(text, characters.at(static_cast<std::size_t>(token)));
        }
    }
    return text;
}

std::int64_t TokenData::windows(const std::vector<std::int32_t>& stream) const {
    return stream.empty() ? 0 : (static_cast<std::int64_t>(stream.size()) - 1) / context;
}

std::int64_t fewestTokens(std::int64_t context) {
    return 10 * context + 1;  // a tenth of them, rounded up, is context + 1
}

void splitTokens(TokenData& data, std::vector<std::int32_t> all) {
    const auto border = static_cast<std::ptrdiff_t>(all.size() * 9 / 10);
    data.validation.assign(all.begin() + border, all.end());
    all.resize(static_cast<std::size_t>(border));
    data.train = std::move(all);
}

}  // namespace mantissa
