// SPDX-License-Identifier: Apache-2.0
#include "engine/data/one_line.h"

#include <cstdio>

namespace mantissa {

std::string oneLine(std::string_view text) {
    std::string line;
    line.reserve(text.size());
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        if (byte >= 0x20 && byte != 0x7f) {
            line += c;
            continue;
        }
        char escaped[8];
        std::snprintf(escaped, sizeof escaped, "\\u%04x", byte);
        line += escaped;
    }
    return line;
}

}  // namespace mantissa
