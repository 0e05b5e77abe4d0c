// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace mantissa {

/// The text without blanks, tabs and carriage returns at both ends.
inline std::string_view trimmed(std::string_view text) {
    constexpr std::string_view kBlanks = " \t\r";
    const std::size_t begin = text.find_first_not_of(kBlanks), end = text.find_last_not_of(kBlanks);
    return begin == std::string_view::npos ? std::string_view() : text.substr(begin, end - begin + 1);
}

}  // namespace mantissa
