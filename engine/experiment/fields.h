// SPDX-License-Identifier: Apache-2.0
// The one table of an experiment's settings: key, member, check, writer. The file, --set and live changes all go through it.
// Constant data and pure functions; any thread.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/experiment/experiment.h"

namespace mantissa {

inline constexpr std::size_t kMaxNameBytes = 100;  // of a run: it becomes a file name

/// What is wrong with a value, below the pointer of its field.
struct BadValue {
    std::string below;  // "/1", "/overrides/layers.2", or empty
    std::string sentence;
};

/// How a form asks for a value.
enum class FieldKind : std::uint8_t {
    None,  // it does not
    Path,
    Number,
    Count,  // a whole number
    Flag,
    Choice,
    Numbers,  // a list of them
    Parts,    // an object, part by part
};

/// A key of a field that is an object.
struct FieldPart {
    std::string key, label;
    FieldKind kind = FieldKind::Number;
    std::vector<std::string> choices = {};  // the first holds while none is given
    std::string unset = {};
};

struct Field {
    std::string group;    // "optimizer"; empty: at the top of a run
    std::string key;      // "lr"
    std::string label;    // on the screen, and in markers: "lr", "loss scaler"
    bool isLive = false;  // may change between two steps
    /// Throws BadValue.
    std::function<void(RunSettings&, const Json&)> read;
    /// Nothing where the key does not belong, as `betas` in an SGD run.
    std::function<std::optional<Json>(const RunSettings&)> write;
    /// Why the key cannot be given with these settings ("optimizer 'sgd' has no betas"); empty when it can.
    std::function<std::string(const RunSettings&)> whyNot;

    // What a form needs to know besides.
    FieldKind kind = FieldKind::None;
    std::vector<std::string> choices = {};                       // of a Choice
    std::string unset = {};                                      // what holds without the key: "off"; empty: it always has a value
    std::function<bool(const RunSettings&)> isFolder = nullptr;  // of a Path; null: a file
    std::function<std::vector<FieldPart>(const std::string& partKind)> parts = nullptr;  // of Parts: the first is their kind

    std::string pointer() const { return (group.empty() ? "" : "/" + group) + "/" + key; }
};

/// In the order of reading: what other fields depend on comes first.
const std::vector<Field>& fields();

/// Groups whose keys a run overrides one by one (`data model init optimizer`); `scaler` is replaced as a whole.
bool isMergedGroup(std::string_view key);
bool isGroup(std::string_view key);
/// The key of a group on which it depends which others the group has: "kind", of data "name".
std::string kindKey(std::string_view group);

/// The field that `pointer` is, or lies in; null when none does.
const Field* fieldAt(const std::string& pointer);

/// What no single field can see: contradictions between settings, layers that are not there.
struct Contradiction {
    std::string pointer;
    std::string sentence;
};
std::optional<Contradiction> findContradiction(const RunSettings& run);

/// What shows only beside the data: a model that cannot take it, sizes beyond any machine. Live changes touch neither.
std::optional<Contradiction> findMisfit(const RunSettings& run, const Dataset& dataset);

/// A model's graph for the smallest of data: any that the model takes give the same layers and the same values, but for their sizes.
Graph graphOf(const ModelSettings& model, bool isRegression);

/// Whether a pointer names a fault that is put into one step, and not a setting.
bool isInjection(std::string_view pointer);
/// What is wrong with such a fault for this run; nothing when it can be made. Without `dataset` what only the data can tell is left open:
/// how many elements a tensor has, and what an array file's targets are.
std::optional<BadValue> whyNotInjected(const RunSettings& run, const std::string& pointer, const Json& value, const Dataset* dataset);

/// The first change of the file's events, in the order of steps, that the settings before it do not allow.
struct ImpossibleEvent {
    std::size_t event = 0;  // index
    std::string pointer;    // within the event
    std::string sentence;
};
std::optional<ImpossibleEvent> findImpossibleEvent(const Experiment& experiment);

/// " (did you mean 'x'?)" when one of `known` is close to `word`, else nothing.
std::string didYouMean(std::string_view word, const std::vector<std::string>& known);

/// Of a run that none of `known` is; `source` and `pointer` say where it was asked for.
InputError noSuchRun(const std::string& name, const std::vector<std::string>& known, const std::string& source = {},
                     const std::string& pointer = {});

}  // namespace mantissa
