// SPDX-License-Identifier: Apache-2.0
// The program's commands. Each adds itself to the command line; its work runs after parsing and returns the exit code: 0 success; 2 bad
// usage or bad input, with one line; 3 the run could not continue, or a recording is incomplete; 128 + n ended by signal n (end_signals.h),
// after writing the results so far.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <nlohmann/json.hpp>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "engine/experiment/experiment.h"
#include "kernels/backend.h"

namespace mantissa {

inline constexpr int kExitDone = 0;
inline constexpr int kExitBadInput = 2;
inline constexpr int kExitCouldNotGoOn = 3;

/// An error in the command line, in one sentence; exit code 2.
class UsageError : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

/// A failure of a valid request (a full disk, a broken pipe); exit code 3.
class RunError : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

/// The chosen command, run after parsing.
using Work = std::function<int()>;

/// Adds name, version and every command to `app`.
void addCommands(CLI::App& app, Work& work);

void addTrain(CLI::App& app, Work& work);
void addExperiments(CLI::App& app, Work& work);
void addDevices(CLI::App& app, Work& work);
void addFormats(CLI::App& app, Work& work);
void addConvert(CLI::App& app, Work& work);
void addBits(CLI::App& app, Work& work);
void addSimulateScaler(CLI::App& app, Work& work);
void addPlan(CLI::App& app, Work& work);
void addBench(CLI::App& app, Work& work);
void addSelftest(CLI::App& app, Work& work);
void addReplay(CLI::App& app, Work& work);
void addDiagnose(CLI::App& app, Work& work);
void addBlocks(CLI::App& app, Work& work);
void addBatches(CLI::App& app, Work& work);
void addRl(CLI::App& app, Work& work);
void addRace(CLI::App& app, Work& work);
void addLesson(CLI::App& app, Work& work);
void addCompare(CLI::App& app, Work& work);
void addExport(CLI::App& app, Work& work);
void addQuery(CLI::App& app, Work& work);
void addImport(CLI::App& app, Work& work);
void addAttach(CLI::App& app, Work& work);
void addServe(CLI::App& app, Work& work);

class Session;
/// Calls `session.advance()`. Ends the process with the reason if a device does not respond: its memory cannot be released.
bool advance(Session& session);

/// Writes non-finite numbers as the strings "NaN", "Infinity", "-Infinity", since JSON has no such numbers.
nlohmann::ordered_json jsonNumber(double value);

/// All backends of this build; unavailable ones with the reason.
std::vector<DeviceInfo> allDevices();

/// Opens `--device`: auto, cpu or cuda:N. Throws UsageError with the reason if it is unavailable. In `known`, notes why auto did not take a
/// GPU.
std::shared_ptr<Backend> openDevice(const std::string& name, std::vector<DeviceInfo>* known = nullptr);

/// Loads an experiment by file or bundled name, and applies `--set` assignments (/json/pointer=VALUE). `steps` of every run; -1: their own.
/// Throws InputError, UsageError.
Experiment loadExperiment(const std::string& nameOrPath, const std::vector<std::string>& assignments, std::int64_t steps = -1);

/// Returns ask(); an InputError or std::invalid_argument becomes an InputError that names `source`.
template <typename Ask>
auto askedOf(const std::string& source, Ask ask) {
    try {
        return ask();
    } catch (const InputError& error) {
        if (!error.source().empty()) throw;
        throw InputError(source, error.pointer(), error.sentence());
    } catch (const std::invalid_argument& error) {
        throw InputError(source, "", error.what());
    }
}

/// Writes "mantissa: " and the sentence to standard error, as one line: control characters and bytes that are no UTF-8 are escaped, and the
/// middle of a very long one is left out.
void complain(std::string_view sentence);

class Recording;
/// Writes one line to standard error about a recording that was read: what is missing, or why it is read-only, and what the command left
/// out of it. Returns the exit code: `kExitCouldNotGoOn` if something is missing or left out, or if the recording has no step.
int sayWhatIsMissing(const Recording& recording, const std::string& path, const std::string& leftOut = {});
/// Throws an error of a request about a recording with its path: as RunError if the recording is incomplete (the likely cause) or the error
/// is no InputError, otherwise as InputError.
[[noreturn]] void complainOf(const Recording& recording, const std::string& path, const std::exception& error);

/// Validators of options: a whole number from `least` (0 or 1) on; any finite number from 0 on. A failure is described in a few words.
CLI::Validator wholeNumberFrom(std::int64_t least);
CLI::Validator numberFromZero();

/// Splits "key=value" at the first '='. Throws UsageError.
std::pair<std::string, std::string> splitAssignment(const std::string& text, const std::string& option);

/// Makes a scaler from its preset's name and "key=value" texts, read as in the `scaler` object of an experiment. Error messages begin with
/// `command` ("race: ") and name `option` ("--set"). Throws UsageError.
ScalerSettings scalerFrom(const std::string& command, const std::string& option, const std::string& preset,
                          const std::vector<std::string>& assignments);

/// Formats a table: the first column, or `leftColumns`, left-aligned, the others right-aligned, two spaces between.
std::string alignedTable(const std::vector<std::vector<std::string>>& rows, const std::set<std::size_t>& leftColumns = {0});

struct FirstNonFinite;
nlohmann::ordered_json firstNonFiniteJson(const FirstNonFinite& first);

struct Gauge;
/// Name, severity, value and sentence of each gauge.
nlohmann::ordered_json gaugesJson(const std::vector<Gauge>& gauges);
/// The gauges that are not good, one line each, after `before`; empty: all are good.
std::string gaugesText(const std::vector<Gauge>& gauges, const std::string& before);

/// A number for a line of text: four digits, "NaN", "+Inf".
std::string brief(double value, const char* format = "%.4g");

}  // namespace mantissa
