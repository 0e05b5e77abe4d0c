// SPDX-License-Identifier: Apache-2.0
#include "engine/experiment/values.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "engine/telemetry/joined.h"

namespace mantissa {

void refuse(const std::string& sentence) {
    throw BadValue{"", sentence};
}

std::string kindOf(const Json& value) {
    if (value.is_null()) return "null";
    if (value.is_string()) return "text";
    if (value.is_boolean()) return value.get<bool>() ? "true" : "false";
    if (value.is_array()) return "a list";
    if (value.is_object()) return "an object";
    return value.dump();
}

std::string listed(const std::vector<std::string>& words) {
    return joined(words, " ");
}

double readNumber(const Json& value, Bound bound) {
    if (!value.is_number()) refuse("must be a number, not " + kindOf(value));
    const double number = value.get<double>();
    if (bound == Bound::NotNegative && !(number >= 0)) refuse("must not be negative");
    if (bound == Bound::Positive && !(number > 0)) refuse("must be greater than 0");
    if (bound == Bound::UpToOne && !(number >= 0 && number <= 1)) refuse("must be from 0 to 1");
    if (bound == Bound::BelowOne && !(number >= 0 && number < 1)) refuse("must be at least 0 and below 1");
    return number;
}

std::int64_t readInteger(const Json& value, std::int64_t least, std::int64_t most) {
    constexpr double kExact = 9007199254740992.0;  // 2^53: up to here a whole double is read as an integer
    std::int64_t whole = 0;
    if (value.is_number_float()) {
        const double number = value.get<double>();
        if (number != std::floor(number) || std::abs(number) > kExact) refuse("must be a whole number, not " + value.dump());
        whole = static_cast<std::int64_t>(number);
    } else if (value.is_number_unsigned() && value.get<std::uint64_t>() > static_cast<std::uint64_t>(most)) {
        whole = std::numeric_limits<std::int64_t>::max();
    } else if (value.is_number()) {
        whole = value.get<std::int64_t>();
    } else {
        refuse("must be a whole number, not " + kindOf(value));
    }
    if (whole < least) refuse("must be at least " + std::to_string(least));
    if (whole > most) refuse("must be at most " + std::to_string(most));
    return whole;
}

bool readFlag(const Json& value) {
    if (!value.is_boolean()) refuse("must be true or false, not " + kindOf(value));
    return value.get<bool>();
}

std::string readText(const Json& value) {
    if (!value.is_string()) refuse("must be text, not " + kindOf(value));
    return value.get<std::string>();
}

std::string readPlainText(const Json& value, std::size_t most) {
    const std::string text = readText(value);
    try {
        static_cast<void>(Json(text).dump());
    } catch (const Json::type_error&) {  // bytes from the command line or the wire may be invalid; a file's text was checked on reading
        refuse("must be UTF-8 text");
    }
    if (text.empty()) refuse("must not be empty");
    if (text.size() > most) refuse("is longer than " + std::to_string(most) + " bytes");
    if (std::any_of(text.begin(), text.end(), [](unsigned char c) { return c < 0x20 || c == 0x7f; })) {
        refuse("must not hold control characters");
    }
    return text;
}

std::string readChoice(const Json& value, const char* what, const std::vector<std::string>& known) {
    const std::string word = readText(value);
    if (std::find(known.begin(), known.end(), word) == known.end()) {
        refuse(std::string(what) + " '" + word + "' is not known, only " + listed(known) + didYouMean(word, known));
    }
    return word;
}

}  // namespace mantissa
