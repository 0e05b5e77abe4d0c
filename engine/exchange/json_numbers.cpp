// SPDX-License-Identifier: Apache-2.0
#include "engine/exchange/json_numbers.h"

#include <cmath>
#include <limits>

namespace mantissa {

std::string quoteNonFinite(std::string_view line) {
    std::string quoted;
    bool isInString = false;
    if (line.find("NaN") == std::string_view::npos && line.find("Infinity") == std::string_view::npos) return std::string(line);
    for (std::size_t i = 0; i < line.size();) {
        const char c = line[i];
        if (!isInString && (c == 'N' || c == 'I' || c == '-')) {
            const auto begins = [&](std::string_view word) { return line.substr(i).starts_with(word); };
            const std::string_view word = begins("NaN") ? "NaN" : begins("Infinity") ? "Infinity" : begins("-Infinity") ? "-Infinity" : "";
            if (!word.empty()) {
                quoted += '"' + std::string(word) + '"';
                i += word.size();
                continue;
            }
        }
        quoted += c;
        ++i;
        if (c == '"') isInString = !isInString;
        if (c == '\\' && isInString && i < line.size()) quoted += line[i++];
    }
    return quoted;
}

std::optional<double> looseNumberOf(const Json& value) {
    if (value.is_number()) return value.get<double>();
    if (!value.is_string()) return std::nullopt;
    const std::string& text = value.get_ref<const std::string&>();
    constexpr double kInf = std::numeric_limits<double>::infinity();
    if (text == "NaN" || text == "nan") return std::nan("");
    if (text == "Infinity" || text == "inf") return kInf;
    if (text == "-Infinity" || text == "-inf") return -kInf;
    return std::nullopt;
}

}  // namespace mantissa
