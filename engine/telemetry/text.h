// SPDX-License-Identifier: Apache-2.0
// Sentences as data: an English pattern with typed arguments. The command line shows them in English, the window in the user's language.
// Plain values that cross threads and the wire.
#pragma once

#include <concepts>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace mantissa {

/// An English text with placeholders %1 to %9, the key of other languages' catalogues. It is written as a literal with the suffix _text, by
/// which the build target update_translations finds it.
struct Pattern {
    const char* text;
};
constexpr Pattern operator""_text(const char* text, std::size_t) {
    return {text};
}

struct Figure {
    double value = 0;
    int digits = 4;  // significant
};
struct Percent {
    double value = 0;  // 0 to 1; shown in percent
};
struct PowerOfTwo {
    double value = 1;  // shown as a power of two if it is one
};

struct TextPart;
/// A sentence or a part of one; several parts are consecutive sentences.
struct Text {
    std::vector<TextPart> parts;

    Text();
    Text(const Text&);
    Text(Text&&) noexcept;
    Text& operator=(const Text&);
    Text& operator=(Text&&) noexcept;
    ~Text();
    /// Arguments: std::int64_t, Figure, Percent, PowerOfTwo, Text, and std::string for names that are not translated.
    template <class... Arguments>
    Text(Pattern pattern, Arguments... arguments);
    /// A text that is not translated, such as a name; empty if `text` is.
    static Text verbatim(std::string text);
    /// Words of a table, such as the label of a setting, which catalogues translate; empty if `words` is.
    static Text term(std::string words);

    bool empty() const;
    /// Appends sentences.
    Text& operator+=(Text more);
    friend Text operator+(Text first, Text more);
    std::string english() const;
    /// The text in another language. `translated` returns the pattern in that language, or the pattern itself. At most 64 KiB: a text may
    /// come from any file.
    std::string in(const std::function<std::string(const std::string&)>& translated) const;
    bool operator==(const Text&) const;
};

struct TextArgument {
    enum class Kind : std::uint8_t { Count, Figure, Percent, PowerOfTwo, Name, Text };
    Kind kind = Kind::Count;
    std::int64_t count = 0;
    double value = 0;  // of Figure, Percent and PowerOfTwo
    int digits = 4;
    std::string name;
    mantissa::Text text;

    TextArgument() = default;
    template <std::integral T>
    requires(!std::same_as<T, bool>) TextArgument(T number) : count(static_cast<std::int64_t>(number)) {}
    TextArgument(mantissa::Figure figure) : kind(Kind::Figure), value(figure.value), digits(figure.digits) {}
    TextArgument(mantissa::Percent share) : kind(Kind::Percent), value(share.value) {}
    TextArgument(mantissa::PowerOfTwo scale) : kind(Kind::PowerOfTwo), value(scale.value) {}
    TextArgument(std::string word) : kind(Kind::Name), name(std::move(word)) {}
    TextArgument(mantissa::Text sentence) : kind(Kind::Text), text(std::move(sentence)) {}
    bool operator==(const TextArgument&) const = default;
};

struct TextPart {
    std::string pattern;
    std::vector<TextArgument> arguments;
    bool operator==(const TextPart&) const = default;
};

template <class... Arguments>
Text::Text(Pattern pattern, Arguments... arguments) : parts{{pattern.text, {TextArgument(std::move(arguments))...}}} {}

/// Selects `one` for a count of 1, otherwise `many`; %1 is the count.
template <class... Arguments>
Text counted(std::int64_t count, Pattern one, Pattern many, Arguments... arguments) {
    return {count == 1 ? one : many, count, std::move(arguments)...};
}

/// A share for display, "0.05 %", with enough digits to distinguish it from 0; "" for NaN.
std::string shareText(double share);
/// Up to three names with commas; of more, the number left out.
Text listOf(const std::vector<std::string>& names);

}  // namespace mantissa
