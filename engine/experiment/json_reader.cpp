// SPDX-License-Identifier: Apache-2.0
#include "engine/experiment/json_reader.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <unordered_set>

#include "engine/experiment/memory_reserve.h"

namespace mantissa {
namespace {

/// Refuses strings in parts (RFC 8949, 3.2.3): nothing here writes them, and nlohmann's reader calls itself for each part of a part.
void requireWholeStrings(std::span<const std::uint8_t> bytes) {
    constexpr unsigned kBytes = 2, kText = 3, kInParts = 31;
    for (std::size_t at = 0; at < bytes.size();) {
        const unsigned major = bytes[at] >> 5, low = bytes[at] & 31;
        const bool isString = major == kBytes || major == kText;
        if (isString && low == kInParts)
            throw InputError("", "", "not CBOR that is read here: a string in parts at byte " + std::to_string(at));
        ++at;
        const std::size_t size = low >= 24 && low <= 27 ? std::size_t{1} << (low - 24) : 0;
        if (size > bytes.size() - at) return;  // what is cut off is refused by the reader
        std::uint64_t argument = size == 0 ? low : 0;
        for (std::size_t i = 0; i < size; ++i) argument = argument << 8 | bytes[at + i];
        at += size;
        if (!isString) continue;
        if (argument > bytes.size() - at) return;
        at += argument;
    }
}

/// Frees what the value holds, without memory for it: nlohmann's destructor lists the members first. At most kMaxJsonDepth deep.
void empty(Json& value) {
    if (!value.is_structured()) return;
    for (Json& member : value) empty(member);
    if (value.is_array())
        value.get_ref<Json::array_t&>().clear();
    else
        value.get_ref<Json::object_t&>().clear();
}

/// Builds the value while reading, and tracks its pointer.
class StrictBuilder : public nlohmann::json_sax<Json> {
public:
    /// `text`: the input, for line numbers; nothing for CBOR.
    StrictBuilder(std::optional<std::string_view> text, const std::string& source) : m_text(text), m_source(source) {}
    ~StrictBuilder() override { empty(m_root); }
    StrictBuilder(const StrictBuilder&) = delete;
    StrictBuilder& operator=(const StrictBuilder&) = delete;
    /// Throws std::bad_alloc if there is not even the memory that the value's destructor takes.
    Json take() {
        ::operator delete(::operator new(m_values * sizeof(Json)));
        return std::move(m_root);
    }

    bool null() override { return put(nullptr), true; }
    bool boolean(bool value) override { return put(value), true; }
    bool number_integer(number_integer_t value) override { return put(value), true; }
    bool number_unsigned(number_unsigned_t value) override { return put(value), true; }
    bool number_float(number_float_t value, const string_t&) override { return put(value), true; }
    bool string(string_t& value) override { return put(std::move(value)), true; }
    bool binary(binary_t& bytes) override { return put(Json::binary(std::move(bytes))), true; }  // CBOR only

    bool start_object(std::size_t) override { return open(Json::object()); }
    bool start_array(std::size_t) override { return open(Json::array()); }
    bool end_object() override { return m_open.pop_back(), true; }
    bool end_array() override { return m_open.pop_back(), true; }

    bool key(string_t& name) override {
        Open& object = m_open.back();
        object.key = name;
        if (!object.keys.insert(name).second) throw InputError(m_source, place(), "key is there twice");
        return true;
    }

    bool parse_error(std::size_t position, const std::string& lastToken, const nlohmann::detail::exception& error) override {
        if (error.id == 406) throw InputError(m_source, place(), "number " + lastToken + " is beyond what a double can hold");
        if (!m_text) throw InputError(m_source, place(), "not CBOR at byte " + std::to_string(position));
        const std::string_view before = m_text->substr(0, std::min(position > 0 ? position - 1 : 0, m_text->size()));
        const auto line = 1 + std::count(before.begin(), before.end(), '\n');
        const std::size_t newline = before.rfind('\n');
        const std::size_t column = 1 + before.size() - (newline == std::string_view::npos ? 0 : newline + 1);
        // nlohmann: "[json...] parse error at line 1, column 2: syntax error while parsing value - unexpected ...; expected ..."
        std::string why = error.what();
        if (const std::size_t dash = why.find(" - "); dash != std::string::npos) why.erase(0, dash + 3);
        throw InputError(m_source, "", "not JSON: line " + std::to_string(line) + ", column " + std::to_string(column) + ": " + why);
    }

private:
    struct Open {
        Json* container;  // stays valid: only the innermost container grows
        std::string key;  // of an object: key of the next value
        std::unordered_set<std::string> keys;
    };
    std::optional<std::string_view> m_text;
    std::string m_source;
    Json m_root;
    std::vector<Open> m_open;
    std::size_t m_values = 0;

    std::string place() const {
        std::string pointer;
        for (std::size_t i = 0; i < m_open.size(); ++i) {
            const Open& open = m_open[i];
            const std::size_t isInside = i + 1 < m_open.size() ? 1 : 0;  // an element being built is already in its array
            pointer += open.container->is_array() ? pointerStep(open.container->size() - isInside) : pointerStep(open.key);
        }
        return pointer;
    }

    Json* put(Json value) {
        if (++m_values > kMaxJsonValues)
            throw InputError(m_source, "", "holds more than " + std::to_string(kMaxJsonValues) + " values, the most that are read");
        if (m_open.empty()) {
            m_root = std::move(value);
            return &m_root;
        }
        Json& container = *m_open.back().container;
        if (container.is_array()) {
            container.push_back(std::move(value));
            return &container.back();
        }
        // the key is new (see `key`), so no lookup is needed
        auto& members = container.get_ref<Json::object_t&>();
        static_cast<Json::object_t::Container&>(members).emplace_back(m_open.back().key, std::move(value));
        return &static_cast<Json::object_t::Container&>(members).back().second;
    }

    bool open(Json container) {
        if (m_open.size() >= kMaxJsonDepth) {
            throw InputError(m_source, place(), "nested deeper than " + std::to_string(kMaxJsonDepth) + " levels");
        }
        m_open.push_back({put(std::move(container)), {}, {}});
        return true;
    }
};

}  // namespace

Json readJson(std::string_view text, const std::string& source, std::size_t maxBytes) {
    if (text.size() > maxBytes) {
        throw InputError(source, "", "larger than " + std::to_string(maxBytes) + " bytes, the most that is read");
    }
    keepMemoryReserve();
    StrictBuilder builder(text, source);
    Json::sax_parse(text, &builder);
    return builder.take();
}

Json readCbor(std::span<const std::uint8_t> bytes) {
    keepMemoryReserve();
    requireWholeStrings(bytes);
    StrictBuilder builder(std::nullopt, "");
    Json::sax_parse(bytes.begin(), bytes.end(), &builder, Json::input_format_t::cbor);
    return builder.take();
}

std::string pointerStep(std::string_view token) {
    std::string step = "/";
    for (const char c : token) {
        if (c == '~') {
            step += "~0";
        } else if (c == '/') {
            step += "~1";
        } else {
            step += c;
        }
    }
    return step;
}

std::string pointerStep(std::size_t index) {
    return "/" + std::to_string(index);
}

std::vector<std::string> pointerTokens(const std::string& pointer, const std::string& source) {
    if (pointer.empty() || pointer.front() != '/') {
        throw InputError(source, "", "'" + pointer + "' is not a JSON pointer: one begins with '/', as in /optimizer/lr");
    }
    std::vector<std::string> tokens;
    for (std::size_t i = 0; i < pointer.size(); ++i) {
        if (pointer[i] == '/') {
            tokens.emplace_back();
        } else if (pointer[i] != '~') {
            tokens.back() += pointer[i];
        } else if (i + 1 < pointer.size() && (pointer[i + 1] == '0' || pointer[i + 1] == '1')) {
            tokens.back() += pointer[++i] == '0' ? '~' : '/';
        } else {
            throw InputError(source, "", "'" + pointer + "' is not a JSON pointer: '~' is written ~0");
        }
    }
    return tokens;
}

void setAt(Json& document, const std::string& pointer, const Json& value, const std::string& source) {
    const std::vector<std::string> tokens = pointerTokens(pointer, source);
    if (tokens.size() > kMaxJsonDepth) throw InputError(source, "", "a pointer of " + std::to_string(tokens.size()) + " steps");
    Json* here = &document;
    std::string place;
    for (const std::string& token : tokens) {
        if (here->is_null()) *here = Json::object();
        if (here->is_object()) {
            here = &(*here)[token];
        } else if (here->is_array()) {
            std::size_t index = 0;
            const auto [end, error] = std::from_chars(token.data(), token.data() + token.size(), index);
            const bool isPlain = token == "0" || !token.starts_with('0');
            if (!isPlain || error != std::errc() || end != token.data() + token.size() || index >= here->size()) {
                throw InputError(source, place + pointerStep(token),
                                 "there is no such element: the list has " + std::to_string(here->size()));
            }
            here = &(*here)[index];
        } else {
            throw InputError(source, place, std::string("is a ") + here->type_name() + ", which has nothing named '" + token + "'");
        }
        place += pointerStep(token);
    }
    *here = value;
}

}  // namespace mantissa
