// SPDX-License-Identifier: Apache-2.0
// The experiment: what the file says, as values; reading and writing it. The one place of the file's keys.
//
// Bad input throws InputError: one sentence with the place. Nothing is changed by a failed call.
#pragma once

#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "engine/training/settings.h"

namespace mantissa {

using Json = nlohmann::ordered_json;

/// What a user can mend. what() is one line, "FILE: at /json/pointer: what is wrong (did you mean 'x'?)", without the program's name;
/// `source` may be empty (a live command), and the pointer as well (not JSON at all).
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
    bool isScalerChosen = false;  // `scaler` was given; if not, it follows the precision
    bool operator==(const RunSettings&) const = default;
};

/// `events` of the file: `set` holds from step `step` itself.
struct ScheduledChange {
    std::int64_t step = 0;
    std::string run;
    std::vector<std::pair<std::string, Json>> set;  // pointer -> value
};

struct Experiment {
    std::string name;  // file name without .json, or the bundled name
    std::string title;
    std::string description;  // what it shows
    std::string lookFor;      // what to do, and what to look for then
    std::string group;        // of experimentGroups(); empty: none
    std::vector<RunSettings> runs;
    std::vector<ScheduledChange> events;
    Json defaults = Json::object();                    // the file's settings above its runs: what a new run starts from
    std::filesystem::path folder;                      // relative `init.weights` and `data.path` begin here
    std::vector<std::shared_ptr<const Dataset>> data;  // of its runs, each once: held, so that they are read once
    std::int64_t steps() const;                        // the longest run's
};

/// Parses JSON text, and loads its data. `source` names it in errors; relative `init.weights` and `data.path` are resolved against
/// `folder`. Refuses repeated keys, unknown keys, depth over 64, numbers outside double, wrong types and values.
Experiment parseExperiment(std::string_view text, const std::string& source, const std::filesystem::path& folder = {});

/// The same after `--set` patches: /optimizer/lr, /runs/0/precision, ...
Experiment parseExperiment(std::string_view text, const std::string& source, const std::filesystem::path& folder,
                           const std::vector<std::pair<std::string, Json>>& patches);

/// Back to JSON, settings that all runs share at the top level. parse(write(e)) == e, but for events whose run is gone or whose
/// settings have made them impossible since the file was read: they are left out, so that what is written can be read.
std::string writeExperiment(const Experiment& experiment);

/// What the experiment's data sets are, for people.
std::string dataText(const Experiment& experiment);

/// A run like an element of `runs`, over the experiment's defaults. Throws InputError.
RunSettings makeRun(const Json& json, const Experiment& experiment);

/// Settings as runToJson writes them. No data is loaded. Throws InputError.
RunSettings readSettings(const Json& json);
/// The same out of a recording. Two keys that one of an earlier version lacks stand for what the program did then: `loss.logits` for
/// cross-entropy in fp32, `model.fused_kernels` for one rounding of each of Llama's gates, rotations and sums of shared heads.
RunSettings readRecordedSettings(const Json& json);

/// With what only the backend can tell: the scaler that follows `auto`, when none was chosen.
RunSettings settledOn(const Backend& backend, RunSettings run);

/// Throws InputError when `name` cannot be a run's, or when it, or its file's name, is taken by one of `runs`.
void checkFreeName(const std::vector<RunSettings>& runs, const std::string& name, const std::string& source, const std::string& pointer);

/// `name` when it is free among `runs`, else "name 2", "name 3", ...; a copy of the copy "name 2" is "name 3".
std::string freeName(const std::vector<RunSettings>& runs, const std::string& name);

/// One run's settings as the JSON object that the pointers of live changes point into.
Json runToJson(const RunSettings& run);

/// What can be changed beside settings and what engine/training/settings.h names: faults put into the next step alone.
inline constexpr const char *kInjectInputPointer = "/inject/input", *kInjectLabelPointer = "/inject/label",
                            *kInjectTensorPointer = "/inject/tensor";

/// `run` with `value` at `pointer` ("/precision", "/optimizer/lr", "/scaler/preset"). Throws InputError.
/// What is no setting is checked here, as far as it can be without data, and set by the Session.
RunSettings withChange(const RunSettings& run, const std::string& pointer, const Json& value);
/// The same for a run that has not begun: settings that are fixed for its life can be changed too.
RunSettings withInitialChange(const RunSettings& run, const std::string& pointer, const Json& value);

/// What an injection puts in: a number, or "inf", "-inf", "nan", or as JSON output says them, "Infinity", "-Infinity", "NaN". Throws
/// InputError at `pointer`.
float injectedValue(const Json& value, const std::string& pointer = kInjectInputPointer);
/// {"tensor": NAME, "value": as above, "element": index, which may be left out}. Throws InputError.
TensorInjection injectedTensor(const Json& value);

/// A setting as people read it: "precision", "FP16", "off". The effective value: a scaler's preset fills in what was not given.
std::string settingLabel(const std::string& pointer);
/// What a precision is beside its policy: "operands nearest-even", "delayed scaling, layers.2 FP32"; empty when there is nothing.
std::string precisionDetail(const PrecisionSettings& precision);
std::string settingText(const RunSettings& run, const std::string& pointer);
/// "2^18" for powers of two, else the shortest number.
std::string scaleText(double scale);

struct BundledExperiment {
    std::string name, title, description;
    std::string data;  // the sentence of its data sets
    std::string lookFor, group;
};
/// In the order of the list in resources/experiments; the first is the default, `four-formats`.
const std::vector<BundledExperiment>& bundledExperiments();

/// What an experiment can be about, in the order of the gallery: "range", "precision", "scaler", ...
const std::vector<std::string>& experimentGroups();

/// The words of an experiment in another language.
struct ExperimentWords {
    std::string title, description, lookFor;
};
/// Those of a bundled experiment in a language of resources/experiments ("de"); nothing where there is no translation.
std::optional<ExperimentWords> translatedWords(const std::string& bundledName, const std::string& language);

bool isBundledExperiment(const std::string& name);

/// A bundled name, or else a path: `./four-formats` is the file of that name. Throws InputError.
std::string loadExperimentText(const std::string& nameOrPath, std::string& sourceOut, std::filesystem::path& folderOut);

/// The beginning of a UTF-8 text, of at most so many bytes, which ends with a whole character.
std::string cutToBytes(const std::string& text, std::size_t most);

/// The file name for a run: `a b/c` -> `a_b_c`.
std::string fileStem(const std::string& runName);
/// A run's file or folder: FOLDER/a_b_c.csv for the ending ".csv".
std::filesystem::path runFile(const std::filesystem::path& folder, const std::string& runName, const char* ending);

}  // namespace mantissa
