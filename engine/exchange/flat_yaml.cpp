// SPDX-License-Identifier: Apache-2.0
#include "engine/exchange/flat_yaml.h"

#include <sstream>

#include "engine/data/tokens.h"
#include "engine/exchange/trimmed.h"

namespace mantissa {
namespace {

/// The line without its comment, which begins after a space.
std::string uncommented(const std::string& line) {
    for (std::size_t at = line.find('#'); at != std::string::npos; at = line.find('#', at + 1))
        if (at == 0 || line[at - 1] == ' ') return line.substr(0, at);
    return line;
}

Json scalar(const std::string& text) {
    if (text == "null" || text == "~") return nullptr;
    if (text == "true" || text == "True") return true;
    if (text == "false" || text == "False") return false;
    if (text == "{}") return Json::object();
    if (text == "[]") return Json::array();
    const bool isQuoted = text.size() > 1 && (text.front() == '\'' || text.front() == '"') && text.back() == text.front();
    if (isQuoted) return text.substr(1, text.size() - 2);
    const Json number = Json::parse(text, nullptr, false);
    return number.is_number() ? number : Json(text);
}

}  // namespace

Json readFlatYaml(std::string_view text, const std::string& source) {
    Json root = Json::object();
    std::vector<std::pair<std::size_t, Json*>> open{{0, &root}};  // by depth
    Json* last = nullptr;                                         // the last key without a value: deeper lines belong to it
    std::istringstream lines{std::string(text)};
    std::size_t number = 0;
    for (std::string line; std::getline(lines, line);) {
        ++number;
        const std::string content(trimmed(uncommented(line)));
        if (content.empty() || content == "---") continue;
        const std::size_t depth = line.find_first_not_of(' '), colon = content.find(':');
        const auto refuse = [&](const char* sentence) { throw InputError(source, "", "line " + std::to_string(number) + ": " + sentence); };
        std::size_t badByte = 0;
        decodeUtf8(line, badByte);
        if (badByte < line.size()) refuse("holds bytes that are no UTF-8");
        if (content[0] == '-' || content[0] == '&' || content[0] == '*' || colon == std::string::npos ||
            (colon + 1 < content.size() && content[colon + 1] != ' '))
            refuse("is no 'key: value'");
        if (depth > open.back().first) {
            if (last == nullptr) refuse("is indented below nothing");
            *last = Json::object();
            open.emplace_back(depth, last);
        }
        while (depth < open.back().first) open.pop_back();
        if (depth != open.back().first) refuse("is indented as no line above");
        const std::string key = content.substr(0, colon), value(trimmed(std::string_view(content).substr(colon + 1)));
        Json& object = *open.back().second;
        if (object.contains(key)) refuse("comes twice");
        object[key] = value.empty() ? Json() : scalar(value);
        last = value.empty() ? &object[key] : nullptr;
    }
    return root;
}

}  // namespace mantissa
