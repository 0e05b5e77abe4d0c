// SPDX-License-Identifier: Apache-2.0
// An experiment being put together in a form: the settings that all its runs share, and one run for each precision. What the form shows
// follows from the table of fields; what is wrong with a value is for whoever reads the text to say. Values; any thread.
#pragma once

#include <array>
#include <map>
#include <string>
#include <vector>

#include "engine/experiment/fields.h"

namespace mantissa {

enum class DraftSection : std::uint8_t { Data, Model, Training };
inline constexpr std::array kDraftSections{DraftSection::Data, DraftSection::Model, DraftSection::Training};

/// One question of the form with its present answer.
struct DraftRow {
    std::string pointer;  // "/optimizer/lr", "/optimizer/schedule/warmup_steps"
    std::string label;
    DraftSection section = DraftSection::Data;
    FieldKind kind = FieldKind::Number;
    std::vector<std::string> choices;
    std::string unset;      // what holds while the value is null; empty: it always has one
    bool isFolder = false;  // of a path
    Json value;
    bool operator==(const DraftRow&) const = default;
};

class Draft {
public:
    /// From a run as it is, without its precision and its scaler: those follow from `policies`. Its values that are just the defaults are
    /// not taken along, so that they stay defaults when a kind changes: AdamW's weight decay is not SGD's.
    explicit Draft(const RunSettings& from = {}, std::vector<std::string> policies = {"fp32"})
        : Draft(std::vector{from}, std::move(policies)) {}
    /// From several: the first one's kinds of data, model and optimizer, and of the other values those that all runs share. At least one.
    Draft(const std::vector<RunSettings>& runs, std::vector<std::string> policies);

    /// Null: not given, so the default holds. What does not belong to the present kinds is kept, and is there again when they come back.
    void set(const std::string& pointer, Json value);
    void setPolicies(std::vector<std::string> policies) { m_policies = std::move(policies); }
    const std::vector<std::string>& policies() const { return m_policies; }
    /// Empty: "gpt on opticks".
    void setTitle(std::string title) { m_title = std::move(title); }
    std::string title() const;
    /// What the title would make a file's name: "gpt-on-opticks".
    std::string name() const;

    /// In the order of the table; exactly those that the settings so far allow.
    std::vector<DraftRow> rows() const;
    /// As far as its values can be read.
    const RunSettings& settings() const { return m_settings; }
    /// As a file; nothing but what differs from the defaults.
    std::string text() const;

private:
    std::map<std::string, Json> m_values;  // by pointer, each part of a field for itself
    std::vector<std::string> m_policies;
    std::string m_title;
    RunSettings m_settings;

    void readSettings();
    Json givenValue(const Field& field) const;
};

}  // namespace mantissa
