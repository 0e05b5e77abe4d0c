// SPDX-License-Identifier: Apache-2.0
// Kinds of fields for the table of settings. `access` maps a RunSettings, const or not, to the member.
#pragma once

#include <functional>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "engine/experiment/value_schema.h"

namespace mantissa {

inline constexpr std::int64_t kMaxCount = 1'000'000'000'000;  // batch, widths: the size check is the real bound

template <class Access>
Field number(std::string group, std::string key, std::string label, Access access, Bound bound) {
    Field field{std::move(group),
                std::move(key),
                std::move(label),
                true,
                [=](RunSettings& run, const Json& value) {
                    const double read = readNumber(value);
                    check(read, bound);
                    access(run) = read;
                },
                [=](const RunSettings& run) { return std::optional<Json>(access(run)); },
                nullptr,
                FieldKind::Number};
    field.schema = numberSchema(bound);
    return field;
}

template <class Access>
Field integer(std::string group, std::string key, std::string label, bool isLive, Access access, std::int64_t least, std::int64_t most) {
    Field field{std::move(group),
                std::move(key),
                std::move(label),
                isLive,
                [=](RunSettings& run, const Json& value) { access(run) = readInteger(value, least, most); },
                [=](const RunSettings& run) { return std::optional<Json>(access(run)); },
                nullptr,
                FieldKind::Count};
    field.schema = integerSchema(least, most);
    return field;
}

template <class Access>
Field choice(std::string group, std::string key, const char* what, Access access, std::vector<std::string> known) {
    Field field{std::move(group),
                std::move(key),
                what,
                false,
                [=](RunSettings& run, const Json& value) { access(run) = readChoice(value, what, known); },
                [=](const RunSettings& run) { return std::optional<Json>(access(run)); },
                nullptr,
                FieldKind::Choice,
                known};
    field.schema = choiceSchema(known);
    return field;
}

template <class Access>
Field seed(std::string group, Access access) {
    Field field{std::move(group),
                "seed",
                "seed",
                false,
                [=](RunSettings& run, const Json& value) {
                    if (!value.is_number_unsigned() && !(value.is_number_integer() && value.get<std::int64_t>() >= 0)) {
                        refuse("must be a whole number from 0 to 2^64 - 1");
                    }
                    access(run) = value.get<std::uint64_t>();
                },
                [=](const RunSettings& run) { return std::optional<Json>(access(run)); },
                nullptr,
                FieldKind::Count};
    field.schema = {{"type", "integer"}, {"minimum", 0}, {"maximum", std::numeric_limits<std::uint64_t>::max()}};
    return field;
}

/// Restricts a field to some kinds of its group. With others it is an error: "optimizer 'sgd' has no betas, only 'adamw' has". `kind` maps
/// a RunSettings to its kind.
Field onlyFor(std::vector<std::string> kinds, const char* what, std::function<const std::string&(const RunSettings&)> kind, Field field);

// The fields of groups, each defined in its own file.
std::vector<Field> dataFields();
std::vector<Field> modelFields();
std::vector<Field> optimizerFields();

}  // namespace mantissa
