// SPDX-License-Identifier: Apache-2.0
#include "engine/experiment/draft.h"

#include <algorithm>

#include "engine/experiment/json_reader.h"

namespace mantissa {
namespace {

/// Whether the form has the field. Precisions belong to each run, and their scalers follow from them.
bool isAsked(const Field& field) {
    return field.kind != FieldKind::None && field.group != "scaler";
}

DraftSection sectionOf(const Field& field) {
    if (field.group == "data") return DraftSection::Data;
    return field.group == "model" || field.group == "init" ? DraftSection::Model : DraftSection::Training;
}

/// The kind if the value is an object with parts, else empty.
std::string partKind(const Json& value) {
    return value.is_object() ? value.value("kind", "") : "";
}

}  // namespace

Draft::Draft(const std::vector<RunSettings>& runs, std::vector<std::string> policies) : m_policies(std::move(policies)) {
    const RunSettings& from = runs.front();
    RunSettings plain;
    for (const Field& field : fields()) {
        if (isKind(field)) field.read(plain, *field.write(from));
    }
    for (const Field& field : fields()) {
        const std::optional<Json> value = field.write(from);
        if (!isAsked(field) || !value || value->is_null()) continue;
        const auto hasIt = [&](const RunSettings& run) { return field.write(run) == value; };
        if (!isKind(field) && !std::all_of(runs.begin(), runs.end(), hasIt)) continue;
        if (field.kind == FieldKind::Parts) {
            for (const auto& [key, part] : value->items()) m_values[field.pointer() + pointerStep(key)] = part;
        } else if (isKind(field) || value != field.write(plain)) {
            m_values[field.pointer()] = *value;
        }
    }
    readSettings();
}

void Draft::set(const std::string& pointer, Json value) {
    if (value.is_null()) {
        m_values.erase(pointer);
    } else {
        m_values[pointer] = std::move(value);
    }
    readSettings();
}

/// The field's own value, or an object of the parts that belong to its kind; null if there is none.
Json Draft::givenValue(const Field& field) const {
    const auto valueAt = [&](const std::string& pointer) {
        const auto found = m_values.find(pointer);
        return found == m_values.end() ? Json() : found->second;
    };
    if (field.kind != FieldKind::Parts) return valueAt(field.pointer());
    const Json kind = valueAt(field.pointer() + "/kind");
    Json whole;
    for (const FieldPart& part : field.parts(kind.is_string() ? kind.get<std::string>() : "")) {
        Json value = valueAt(field.pointer() + pointerStep(part.key));
        if (!value.is_null()) whole[part.key] = std::move(value);
    }
    return whole;
}

void Draft::readSettings() {
    m_settings = {};
    for (const Field& field : fields()) {
        if (!isAsked(field) || !isAllowed(field, m_settings)) continue;
        const Json value = givenValue(field);
        RunSettings next = m_settings;
        try {
            if (!value.is_null()) field.read(next, value);
            m_settings = std::move(next);
        } catch (const BadValue&) {
            // the form shows the default; the text keeps the user's input
        }
    }
}

std::vector<DraftRow> Draft::rows() const {
    std::vector<DraftRow> rows;
    for (const Field& field : fields()) {
        if (!isAsked(field) || !isAllowed(field, m_settings)) continue;
        Json value = givenValue(field);
        if (field.kind == FieldKind::Parts) {
            for (const FieldPart& part : field.parts(partKind(value))) {
                const Json given = value.is_object() && value.contains(part.key) ? value[part.key] : Json();
                rows.push_back({.pointer = field.pointer() + pointerStep(part.key),
                                .label = part.label,
                                .section = sectionOf(field),
                                .kind = part.kind,
                                .choices = part.choices,
                                .unset = part.unset,
                                .value = given.is_null() && !part.choices.empty() ? Json(part.choices.front()) : given});
            }
            continue;
        }
        if (value.is_null()) value = field.write(m_settings).value_or(Json());
        rows.push_back({.pointer = field.pointer(),
                        .label = field.label,
                        .section = sectionOf(field),
                        .kind = field.kind,
                        .choices = field.choices,
                        .choiceLabels = field.choiceLabels,
                        .unset = field.unset,
                        .isFolder = field.isFolder && field.isFolder(m_settings),
                        .value = std::move(value)});
    }
    return rows;
}

std::string Draft::title() const {
    return m_title.empty() ? m_settings.training.model.kind + " on " + m_settings.training.data.name : m_title;
}

std::string Draft::name() const {
    std::string name = fileStem(title());
    std::replace(name.begin(), name.end(), '_', '-');
    return name;
}

std::string Draft::text() const {
    Json document{{"title", title()}};
    for (const Field& field : fields()) {
        if (!isAsked(field) || !isAllowed(field, m_settings)) continue;
        Json value = givenValue(field);
        if (!value.is_null()) (field.group.empty() ? document : document[field.group])[field.key] = std::move(value);
    }
    document["runs"] = Json::array();
    for (const std::string& policy : m_policies) document["runs"].push_back({{"name", policy}, {"precision", policy}});
    return document.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace mantissa
