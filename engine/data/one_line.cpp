// SPDX-License-Identifier: Apache-2.0
#include "engine/data/one_line.h"

#include <algorithm>
#include <cstdio>

#include "engine/data/tokens.h"

namespace mantissa {

std::string oneLine(std::string_view text) {
    std::string line;
    line.reserve(text.size());
    const auto escape = [&line](const char* format, char c) {
        char escaped[8];
        std::snprintf(escaped, sizeof escaped, format, static_cast<unsigned char>(c));
        line += escaped;
    };
    while (!text.empty()) {
        constexpr std::size_t kWindow = 64;  // longer than a character
        std::size_t good = 0;
        (void)decodeUtf8(text.substr(0, kWindow), good);
        for (std::size_t i = 0; i < good; ++i) {
            const auto byte = static_cast<unsigned char>(text[i]);
            const bool isOfTwo = byte == 0xC2 && static_cast<unsigned char>(text[i + 1]) < 0xA0;  // U+0080 to U+009F control terminals too
            if (isOfTwo || byte < 0x20 || byte == 0x7f)
                escape("\\u%04x", text[i += isOfTwo ? 1 : 0]);
            else
                line.push_back(text[i]);
        }
        if (good == 0) escape("\\x%02x", text.front());
        text.remove_prefix(std::max<std::size_t>(good, 1));
    }
    return line;
}

}  // namespace mantissa
