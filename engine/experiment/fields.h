// SPDX-License-Identifier: Apache-2.0
// The table of an experiment's settings: key, member, check, writer. The file, --set and live changes all use it. Constant data and pure
// functions; any thread.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/experiment/experiment.h"

namespace mantissa {

inline constexpr std::size_t kMaxNameBytes = 100;  // of a run, whose name becomes a file name

/// An error in a value, thrown by `Field::read`.
struct BadValue {
    std::string below;  // below the field's pointer: "/1", "/overrides/layers.2", or empty
    std::string sentence;
};

/// The kind of a field's input in a form.
enum class FieldKind : std::uint8_t {
    None,  // no input
    Path,
    Number,
    Count,  // a whole number
    Flag,
    Choice,
    Numbers,  // a list of numbers
    Parts,    // an object with several parts
};

/// A key of a field that is an object.
struct FieldPart {
    std::string key, label;
    FieldKind kind = FieldKind::Number;
    std::vector<std::string> choices = {};  // the first is the default
    std::string unset = {};
    std::int64_t least = 0;  // of a Count
};

struct Field {
    std::string group;    // "optimizer"; empty: at the top of a run
    std::string key;      // "lr"
    std::string label;    // in the window and in markers: "lr", "loss scaler"
    bool isLive = false;  // may change between two steps
    /// Sets the member from JSON. Throws BadValue.
    std::function<void(RunSettings&, const Json&)> read;
    /// Returns the member as JSON; nothing for a key that the run does not have, like SGD's `betas`.
    std::function<std::optional<Json>(const RunSettings&)> write;
    /// Returns why these settings do not allow the key ("optimizer 'sgd' has no betas"); empty if they do.
    std::function<std::string(const RunSettings&)> whyNot;

    // For forms:
    FieldKind kind = FieldKind::None;
    std::vector<std::string> choices = {};                       // of a Choice
    std::string unset = {};                                      // display text without the key: "off"; empty: it always has a value
    std::function<bool(const RunSettings&)> isFolder = nullptr;  // of a Path; null: a file
    std::function<std::vector<FieldPart>(const std::string& partKind)> parts = nullptr;  // of Parts: the first is their kind
    std::vector<std::string> choiceLabels = {};  // display texts of the choices, in their order; empty: the choices themselves

    Json schema = nullptr;  // JSON Schema of what `read` takes: types and ranges, not what other fields forbid

    std::string pointer() const { return (group.empty() ? "" : "/" + group) + "/" + key; }
};

/// All fields, in the order of reading: fields on which others depend come first.
const std::vector<Field>& fields();

/// Returns the display text of a field's choice: "before clipping" for "before_clip".
std::string choiceLabel(const Field& field, const std::string& choice);

/// Whether a run overrides the group's keys one by one (`data model init optimizer`); `scaler` is replaced as a whole.
bool isMergedGroup(std::string_view key);
bool isGroup(std::string_view key);
/// The key that determines a group's other keys: "kind", for data "name".
std::string kindKey(std::string_view group);

/// Whether the field is its group's kind.
bool isKind(const Field& field);
/// Whether these settings allow the field: those of another optimizer may not.
bool isAllowed(const Field& field, const RunSettings& run);

/// A key with a text at the top of the file.
struct TopText {
    std::string key;
    std::string help;
    std::string Experiment::*member;  // null: the text is not kept
};
const std::vector<TopText>& topTexts();

/// Returns the field that contains `pointer`; null if there is none.
const Field* fieldAt(const std::string& pointer);

/// An error that involves several settings, such as a layer that does not exist.
struct Contradiction {
    std::string pointer;
    std::string sentence;
};
std::optional<Contradiction> findContradiction(const RunSettings& run);

/// Returns an error that depends on the data: a model that does not accept it, or excessive sizes. Live changes cannot cause one.
std::optional<Contradiction> findMisfit(const RunSettings& run, const Dataset& dataset);

/// Throws an error of findContradiction or findMisfit as InputError, without a source.
void requireFit(const RunSettings& run, const Dataset& dataset);

/// Returns a model's graph for minimal data. Other data give the same layers and values, with other sizes.
Graph graphOf(const ModelSettings& model, bool isRegression);

/// Whether a pointer names an injected fault, and not a setting.
bool isInjection(std::string_view pointer);
/// Returns an error in an injected fault; nothing if it is valid. Without `dataset` the number of a tensor's elements and the targets of an
/// array file are not checked.
std::optional<BadValue> whyNotInjected(const RunSettings& run, const std::string& pointer, const Json& value, const Dataset* dataset);

/// Returns the JSON Schemas of injected faults, by pointer.
Json injectionSchemas();

/// The first scheduled change, in the order of steps, that the settings before it do not allow.
struct ImpossibleEvent {
    std::size_t event = 0;  // index
    std::string pointer;    // within the event
    std::string sentence;
};
std::optional<ImpossibleEvent> findImpossibleEvent(const Experiment& experiment);

/// Returns " (did you mean 'x'?)" if one of `known` is close to `word`, else an empty text.
std::string didYouMean(std::string_view word, const std::vector<std::string>& known);

/// Returns the error for a run that is not in `known`; `source` and `pointer` are the place of the name.
InputError noSuchRun(const std::string& name, const std::vector<std::string>& known, const std::string& source = {},
                     const std::string& pointer = {});

}  // namespace mantissa
