// SPDX-License-Identifier: Apache-2.0
// The experiment as values, and reading and writing its file.
//
// Functions throw InputError for bad input, with its place. A failed call changes nothing.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "engine/training/settings.h"

namespace mantissa {

using Json = nlohmann::ordered_json;

/// An error that a user can fix. what() is one line, "FILE: at /json/pointer: what is wrong (did you mean 'x'?)", without the program's
/// name. `source` may be empty (a live command), and so may the pointer (not JSON).
class InputError : public std::runtime_error {
public:
    InputError(std::string source, std::string pointer, std::string sentence);
    const std::string& source() const { return m_source; }
    const std::string& pointer() const { return m_pointer; }
    const std::string& sentence() const { return m_sentence; }

private:
    std::string m_source, m_pointer, m_sentence;
};

struct RunSettings {
    std::string name;
    TrainingSettings training;
    bool isScalerChosen = false;  // `scaler` was given; else it follows from the precision
    bool operator==(const RunSettings&) const = default;
};

/// One of the file's `events`: `set` takes effect at step `step`.
struct ScheduledChange {
    std::int64_t step = 0;
    std::string run;
    std::vector<std::pair<std::string, Json>> set;  // pointer -> value
};

struct Experiment {
    std::string name;  // file name without .json, or the bundled name
    std::string title;
    std::string description;  // what it shows
    std::string lookFor;      // what to do and to watch for
    std::string group;        // of experimentGroups(); empty: none
    std::vector<RunSettings> runs;
    std::vector<ScheduledChange> events;
    Json defaults = Json::object();                    // the file's top-level settings: the defaults of a new run
    std::filesystem::path folder;                      // base of relative `init.weights` and `data.path`
    std::vector<std::shared_ptr<const Dataset>> data;  // the data sets of its runs, each loaded once
    std::int64_t steps() const;                        // of the longest run
};

/// Parses JSON text, and loads its data. `source` names it in errors; relative `init.weights` and `data.path` are resolved against
/// `folder`. Refuses repeated keys, unknown keys, depth over 64, numbers outside double, wrong types and values.
Experiment parseExperiment(std::string_view text, const std::string& source, const std::filesystem::path& folder = {});

/// Parses as above, after `--set` patches: /optimizer/lr, /runs/0/precision, ...
Experiment parseExperiment(std::string_view text, const std::string& source, const std::filesystem::path& folder,
                           const std::vector<std::pair<std::string, Json>>& patches);

/// Writes the experiment as JSON, with settings that all runs share at the top level. parse(write(e)) == e, except that events of removed
/// runs and events that the present settings do not allow are omitted, so that the file can be read.
std::string writeExperiment(const Experiment& experiment);

/// Describes the experiment's data sets in a sentence.
std::string dataText(const Experiment& experiment);

/// Returns a run from an element of `runs`, with the experiment's defaults. Throws InputError.
RunSettings makeRun(const Json& json, const Experiment& experiment);

/// Reads settings that `runToJson` wrote, without loading data. Throws InputError.
RunSettings readSettings(const Json& json);
/// Reads settings of a recording. Two keys that earlier versions lack get the earlier behaviour: `loss.logits` (cross-entropy in fp32) and
/// `model.fused_kernels` (one rounding of each of Llama's gates, rotations and sums of shared heads).
RunSettings readRecordedSettings(const Json& json);

/// Returns the run with the default scaler of its resolved policy, if no scaler was chosen.
RunSettings resolvedOn(const Backend& backend, RunSettings run);

/// Throws InputError if `name` is not a valid name of a run, or if it or its file name is used by one of `runs`.
void checkFreeName(const std::vector<RunSettings>& runs, const std::string& name, const std::string& source, const std::string& pointer);

/// Returns `name` if no run has it, else "name 2", "name 3", ...; a copy of "name 2" is "name 3".
std::string freeName(const std::vector<RunSettings>& runs, const std::string& name);

/// Returns a run's settings as the JSON object to which the pointers of live changes refer.
Json runToJson(const RunSettings& run);

/// Pointers of faults injected into the next step. They can be changed like settings; engine/training/settings.h has others.
inline constexpr const char *kInjectInputPointer = "/inject/input", *kInjectLabelPointer = "/inject/label",
                            *kInjectTensorPointer = "/inject/tensor";

/// Returns `run` with `value` at `pointer` ("/precision", "/optimizer/lr", "/scaler/preset"). Throws InputError. Pointers that are not
/// settings are checked as far as possible without data, and applied by the Session.
RunSettings withChange(const RunSettings& run, const std::string& pointer, const Json& value);
/// Returns `run` with a change before its first step, when fixed settings can change too. Throws InputError.
RunSettings withInitialChange(const RunSettings& run, const std::string& pointer, const Json& value);

/// Parses an injected value: a number, "inf", "-inf", "nan", or JSON output's "Infinity", "-Infinity", "NaN". Throws InputError at
/// `pointer`.
float injectedValue(const Json& value, const std::string& pointer = kInjectInputPointer);
/// Parses {"tensor": NAME, "value": as above, "element": optional index}. Throws InputError.
TensorInjection injectedTensor(const Json& value);

/// Returns a setting's label: "precision".
std::string settingLabel(const std::string& pointer);
/// Describes a precision except its policy: "inputs rounded to nearest even", "delayed scaling, layers.2 FP32"; may be empty.
std::string precisionDetail(const PrecisionSettings& precision);
/// Returns a setting's effective value as text: "FP16", "off"; a scaler's preset supplies values that were not given.
std::string settingText(const RunSettings& run, const std::string& pointer);
/// Returns a scale as text: "2^18" for powers of two, else the shortest number.
std::string scaleText(double scale);

struct BundledExperiment {
    std::string name, title, description;
    std::string data;  // sentence about its data sets
    std::string lookFor, group;
};
/// The bundled experiments, in the order of the list in resources/experiments; the first is the default, `four-formats`.
const std::vector<BundledExperiment>& bundledExperiments();

/// The topics of experiments, in the order of the gallery: "range", "precision", "scaler", ...
const std::vector<std::string>& experimentGroups();

/// The texts of an experiment in another language.
struct ExperimentWords {
    std::string title, description, lookFor;
};
/// Returns the texts of a bundled experiment in a language of resources/experiments ("de"); nothing without a translation.
std::optional<ExperimentWords> translatedWords(const std::string& bundledName, const std::string& language);

bool isBundledExperiment(const std::string& name);

/// Loads a bundled experiment by name, else a file by path: `./four-formats` is a file. Throws InputError.
std::string loadExperimentText(const std::string& nameOrPath, std::string& sourceOut, std::filesystem::path& folderOut);

/// Reads a small text file of this kind: "experiment". `bundled`: the names that an error suggests. Throws InputError.
std::string readTextFile(const std::string& path, const std::string& kind, const std::function<std::vector<std::string>()>& bundled);

/// Returns the beginning of a UTF-8 text, at most `most` bytes, without a cut character.
std::string cutToBytes(const std::string& text, std::size_t most);

/// Returns the file name for a run: `a b/c` -> `a_b_c`.
std::string fileStem(const std::string& runName);
/// Returns a run's file or folder: FOLDER/a_b_c.csv for the ending ".csv".
std::filesystem::path runFile(const std::filesystem::path& folder, const std::string& runName, const char* ending);

}  // namespace mantissa
