// SPDX-License-Identifier: Apache-2.0
#include "engine/telemetry/text.h"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "engine/telemetry/number_format.h"

namespace mantissa {
namespace {

using Translated = std::function<std::string(const std::string&)>;

/// Inserts arguments into patterns. Parts, characters of patterns and characters of the result use a budget shared with nested arguments,
/// so that rendering ends for any patterns.
class Renderer {
public:
    explicit Renderer(const Translated& translated) : m_translated(translated) {}

    std::string render(const Text& text) {
        std::string all;
        for (const TextPart& part : text.parts) {
            if (m_left == 0) break;
            --m_left;
            if (!all.empty()) all += ' ';
            all += filled(m_translated(part.pattern), part.arguments);
        }
        return all;
    }

private:
    const Translated& m_translated;
    std::size_t m_left = 65536;

    std::string shown(const TextArgument& argument) {
        switch (argument.kind) {
            case TextArgument::Kind::Count:
                return groupedText(argument.count);
            case TextArgument::Kind::Figure:
                return numberText(argument.value, std::clamp(argument.digits, 1, 17));
            case TextArgument::Kind::Percent:
                return shareText(argument.value);
            case TextArgument::Kind::PowerOfTwo:
                return powerOfTwoText(argument.value);
            case TextArgument::Kind::Name:
                return argument.name;
            case TextArgument::Kind::Text:
                return render(argument.text);
        }
        return {};
    }

    std::string filled(const std::string& pattern, const std::vector<TextArgument>& arguments) {
        std::string text;
        for (std::size_t i = 0; i < pattern.size() && m_left > 0; ++i) {
            --m_left;
            const std::size_t place = pattern[i] == '%' && i + 1 < pattern.size() ? static_cast<std::size_t>(pattern[i + 1] - '1') : 9;
            if (place >= arguments.size() || place >= 9) {
                text += pattern[i];
                continue;
            }
            const std::string part = shown(arguments[place]);
            text += part.substr(0, m_left);
            m_left -= std::min(m_left, part.size());
            ++i;
        }
        return text;
    }
};

}  // namespace

// Defined where a part is a complete type.
Text::Text() = default;
Text::Text(const Text&) = default;
Text::Text(Text&&) noexcept = default;
Text& Text::operator=(const Text&) = default;
Text& Text::operator=(Text&&) noexcept = default;
Text::~Text() = default;

Text Text::verbatim(std::string text) {
    Text verbatim;
    if (!text.empty()) verbatim.parts.push_back({"%1", {TextArgument(std::move(text))}});
    return verbatim;
}

Text Text::term(std::string words) {
    Text term;
    if (!words.empty()) term.parts.push_back({std::move(words), {}});
    return term;
}

bool Text::empty() const {
    return parts.empty();
}

bool Text::operator==(const Text& other) const {
    return parts == other.parts;
}

Text& Text::operator+=(Text more) {
    parts.insert(parts.end(), std::make_move_iterator(more.parts.begin()), std::make_move_iterator(more.parts.end()));
    return *this;
}

Text operator+(Text first, Text more) {
    return std::move(first += std::move(more));
}

std::string Text::english() const {
    return in([](const std::string& pattern) { return pattern; });
}

std::string Text::in(const Translated& translated) const {
    return Renderer(translated).render(*this);
}

std::string shareText(double share) {
    if (std::isnan(share)) return "";
    const double percent = share * 100;
    if (percent == 0) return "0 %";
    return percent >= 9.95 ? fixedText(percent, 0) + " %" : numberText(percent, 2) + " %";
}

Text listOf(const std::vector<std::string>& names) {
    constexpr std::size_t kMost = 3;
    std::string text;
    for (std::size_t i = 0; i < std::min(kMost, names.size()); ++i) text += (i > 0 ? ", " : "") + names[i];
    if (names.size() <= kMost) return Text::verbatim(text);
    return {"%1 and %2 more"_text, text, static_cast<std::int64_t>(names.size() - kMost)};
}

}  // namespace mantissa
