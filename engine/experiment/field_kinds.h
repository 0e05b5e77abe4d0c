// SPDX-License-Identifier: Apache-2.0
// Kinds of fields for the table of settings, each for a member of one of a run's parts: `&OptimizerSettings::lr`. A field is fixed for the
// life of a run unless it is `live`.
#pragma once

#include <functional>
#include <limits>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "engine/experiment/value_schema.h"

namespace mantissa {

inline constexpr std::int64_t kMaxCount = 1'000'000'000'000;  // batch, widths: the size check is the real bound

/// The part of a run, const or not, that has the members of `Settings`.
template <class Settings>
auto& partOf(auto& run) {
    auto& training = run.training;
    if constexpr (std::is_same_v<Settings, DataSettings>) {
        return training.data;
    } else if constexpr (std::is_same_v<Settings, ModelSettings>) {
        return training.model;
    } else if constexpr (std::is_same_v<Settings, LossSettings>) {
        return training.loss;
    } else if constexpr (std::is_same_v<Settings, InitSettings>) {
        return training.init;
    } else if constexpr (std::is_same_v<Settings, OptimizerSettings>) {
        return training.optimizer;
    } else if constexpr (std::is_same_v<Settings, ScheduleSettings>) {
        return training.optimizer.schedule;
    } else if constexpr (std::is_same_v<Settings, ScalerSettings>) {
        return training.scaler;
    } else {
        static_assert(std::is_same_v<Settings, TrainingSettings>);
        return training;
    }
}

/// The group of the keys of `Settings`.
template <class Settings>
constexpr const char* groupOf() {
    if (std::is_same_v<Settings, DataSettings>) return "data";
    if (std::is_same_v<Settings, ModelSettings>) return "model";
    if (std::is_same_v<Settings, LossSettings>) return "loss";
    if (std::is_same_v<Settings, InitSettings>) return "init";
    if (std::is_same_v<Settings, ScalerSettings>) return "scaler";
    return std::is_same_v<Settings, TrainingSettings> ? "" : "optimizer";
}

/// A value as JSON; null for an optional that is empty.
template <class Value>
Json jsonOf(const Value& value) {
    if constexpr (requires { value.has_value(); }) {
        return value ? Json(*value) : Json();
    } else {
        return value;
    }
}

/// A field that is what `read` makes of its JSON.
template <class Settings, class Value, class Read>
Field fieldOf(std::string key, std::string label, Value Settings::*member, FieldKind kind, Json schema, Read read) {
    Field field{groupOf<Settings>(),
                std::move(key),
                std::move(label),
                false,
                [=](RunSettings& run, const Json& value) { partOf<Settings>(run).*member = read(value); },
                [=](const RunSettings& run) { return std::optional<Json>(jsonOf(partOf<Settings>(run).*member)); },
                nullptr,
                kind};
    field.schema = std::move(schema);
    return field;
}

template <class Settings, class Value>
Field number(std::string key, std::string label, Value Settings::*member, Bound bound) {
    return fieldOf(std::move(key), std::move(label), member, FieldKind::Number, numberSchema(bound),
                   [=](const Json& value) { return readNumber(value, bound); });
}

template <class Settings, class Value>
Field integer(std::string key, std::string label, Value Settings::*member, std::int64_t least, std::int64_t most) {
    return fieldOf(std::move(key), std::move(label), member, FieldKind::Count, integerSchema(least, most),
                   [=](const Json& value) { return readInteger(value, least, most); });
}

template <class Settings>
Field flag(std::string key, std::string label, bool Settings::*member) {
    return fieldOf(std::move(key), std::move(label), member, FieldKind::Flag, flagSchema(), readFlag);
}

template <class Settings>
Field choice(std::string key, const char* what, std::string Settings::*member, std::vector<std::string> known) {
    Field field = fieldOf(std::move(key), what, member, FieldKind::Choice, choiceSchema(known),
                          [=](const Json& value) { return readChoice(value, what, known); });
    field.choices = std::move(known);
    return field;
}

template <class Settings>
Field seed(std::uint64_t Settings::*member) {
    const Json schema{{"type", "integer"}, {"minimum", 0}, {"maximum", std::numeric_limits<std::uint64_t>::max()}};
    return fieldOf("seed", "seed", member, FieldKind::Count, schema, [](const Json& value) {
        if (!value.is_number_unsigned() && !(value.is_number_integer() && value.get<std::int64_t>() >= 0))
            refuse("must be a whole number from 0 to 2^64 - 1");
        return value.get<std::uint64_t>();
    });
}

/// The field, written only if it differs from its default, for which a form shows `unset`.
template <class Settings, class Value>
Field optionalField(Field field, Value Settings::*member, std::string unset) {
    field.write = [=](const RunSettings& run) {
        const Value& value = partOf<Settings>(run).*member;
        return value == Settings{}.*member ? std::nullopt : std::optional<Json>(jsonOf(value));
    };
    field.unset = std::move(unset);
    return field;
}

/// The field, of which null restores the default.
template <class Settings, class Value>
Field nullableField(Field field, Value Settings::*member) {
    field.read = [member, read = std::move(field.read)](RunSettings& run, const Json& value) {
        if (value.is_null()) {
            partOf<Settings>(run).*member = Settings{}.*member;
        } else {
            read(run, value);
        }
    };
    field.schema = nullableSchema(std::move(field.schema));
    return field;
}

/// The field, which may change between two steps.
Field live(Field field, std::vector<std::string> choiceLabels = {});

/// Restricts a field to some kinds of the group `data`, `model` or `optimizer`. With others it is an error: "optimizer 'sgd' has no betas,
/// only 'adamw' has".
Field onlyFor(const std::string& group, std::vector<std::string> kinds, Field field);

std::vector<std::string> modelKindsThat(bool (*test)(std::string_view));

// The fields of groups, each defined in its own file.
std::vector<Field> dataFields();
std::vector<Field> modelFields();
std::vector<Field> optimizerFields();

}  // namespace mantissa
