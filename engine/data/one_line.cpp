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
        for (const char c : text.substr(0, good)) {
            const auto byte = static_cast<unsigned char>(c);
            byte >= 0x20 && byte != 0x7f ? line.push_back(c) : escape("\\u%04x", c);
        }
        if (good == 0) escape("\\x%02x", text.front());
        text.remove_prefix(std::max<std::size_t>(good, 1));
    }
    return line;
}

}  // namespace mantissa
