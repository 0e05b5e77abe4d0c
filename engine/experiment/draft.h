// SPDX-License-Identifier: Apache-2.0
// A new experiment in a form: settings that all runs share, and one run for each precision. The rows of the form follow from the table of
// fields. Values are checked only when the text is parsed. Values; any thread.
#pragma once

#include <array>
#include <map>
#include <string>
#include <vector>

#include "engine/experiment/fields.h"

namespace mantissa {

enum class DraftSection : std::uint8_t { Data, Model, Training };
inline constexpr std::array kDraftSections{DraftSection::Data, DraftSection::Model, DraftSection::Training};

/// One row of the form, with its present value.
struct DraftRow {
    std::string pointer;  // "/optimizer/lr", "/optimizer/schedule/warmup_steps"
    std::string label;
    DraftSection section = DraftSection::Data;
    FieldKind kind = FieldKind::Number;
    std::vector<std::string> choices;
    std::vector<std::string> choiceLabels;  // as in Field
    std::string unset;                      // display text of a null value; empty: it always has one
    bool isFolder = false;                  // of a path
    Json value;
    bool operator==(const DraftRow&) const = default;
};

class Draft {
public:
    /// Starts from a run's settings, without precision and scaler, which follow from `policies`. Default values are not copied, so that
    /// they stay defaults when a kind changes: AdamW's weight decay differs from SGD's.
    explicit Draft(const RunSettings& from = {}, std::vector<std::string> policies = {"fp32"})
        : Draft(std::vector{from}, std::move(policies)) {}
    /// Starts from at least one run: the first run's kinds of data, model and optimizer, and the other values that all runs share.
    Draft(const std::vector<RunSettings>& runs, std::vector<std::string> policies);

    /// Sets a value; null restores the default. Values that do not belong to the present kinds are kept for when these kinds are chosen
    /// again.
    void set(const std::string& pointer, Json value);
    void setPolicies(std::vector<std::string> policies) { m_policies = std::move(policies); }
    const std::vector<std::string>& policies() const { return m_policies; }
    /// Sets the title. Empty: a default like "gpt on opticks".
    void setTitle(std::string title) { m_title = std::move(title); }
    std::string title() const;
    /// The file name that follows from the title: "gpt-on-opticks".
    std::string name() const;

    /// Returns the rows that the present settings allow, in the order of the table.
    std::vector<DraftRow> rows() const;
    /// The settings, with the default for each value that cannot be read.
    const RunSettings& settings() const { return m_settings; }
    /// Returns the experiment file, with the values that differ from the defaults.
    std::string text() const;

private:
    std::map<std::string, Json> m_values;  // by pointer; a field of several parts has an entry for each
    std::vector<std::string> m_policies;
    std::string m_title;
    RunSettings m_settings;

    void readSettings();
    Json givenValue(const Field& field) const;
};

}  // namespace mantissa
