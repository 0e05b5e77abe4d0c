// SPDX-License-Identifier: Apache-2.0
// The program's commands. Each adds itself to the command line; its work runs after parsing and returns the exit code:
// 0 done; 2 bad usage or bad input, with one line; 3 the run could not go on, or a recording is not whole; 128 + n ended by a signal
// (end_signals.h), with what was done written out.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <vector>

#include "engine/experiment/experiment.h"
#include "kernels/backend.h"

namespace mantissa {

inline constexpr int kExitDone = 0;
inline constexpr int kExitBadInput = 2;
inline constexpr int kExitCouldNotGoOn = 3;

/// What a user typed wrong, in one sentence; exit code 2.
class UsageError : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

/// What stopped a run that was rightly asked for (a full disk, a broken pipe); exit code 3.
class RunError : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

/// The command that was chosen, to be run after parsing.
using Work = std::function<int()>;

/// Makes `app` the whole command line: name, version, every command.
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
void addRace(CLI::App& app, Work& work);
void addLesson(CLI::App& app, Work& work);
void addCompare(CLI::App& app, Work& work);
void addExport(CLI::App& app, Work& work);
void addImport(CLI::App& app, Work& work);
void addAttach(CLI::App& app, Work& work);
void addServe(CLI::App& app, Work& work);

class Session;
/// `session.advance()`. A silent device ends the process here, with the reason: nothing of it can be given back.
bool advance(Session& session);

/// Non-finite numbers as the strings "NaN", "Infinity", "-Infinity"; JSON has no other way.
nlohmann::ordered_json jsonNumber(double value);

/// All backends that this build knows, available or not, with the reason.
std::vector<DeviceInfo> allDevices();

/// `--device`: auto, cpu or cuda:N. Throws UsageError with the reason when it is not to be had. Of the cards among `known` that auto had to
/// do without, it notes why.
std::shared_ptr<Backend> openDevice(const std::string& name, std::vector<DeviceInfo>* known = nullptr);

/// An experiment by file or bundled name, with `--set` assignments (/json/pointer=VALUE) over it. Throws InputError, UsageError.
Experiment loadExperiment(const std::string& nameOrPath, const std::vector<std::string>& assignments);

/// Does what was asked of `source`; what is wrong with it is said with its name.
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

class Recording;
/// Once it has been read: says in one line on standard error what is missing of the recording, or else why it can only be looked at.
/// Returns the exit code: `kExitCouldNotGoOn` where something is missing, or where it has no step.
int sayWhatIsMissing(const Recording& recording, const std::string& path);
/// What is wrong with what was asked of a recording that is not whole: as likely its fault, and RunError. Else the error as it is.
[[noreturn]] void complainOf(const Recording& recording, const std::string& path, const std::exception& error);

/// Checks of options: a whole number from `least` (0 or 1) on; any finite number from 0 on. What is wrong is said in a few words.
CLI::Validator wholeNumberFrom(std::int64_t least);
CLI::Validator numberFromZero();

/// "key=value" split at the first '='. Throws UsageError.
std::pair<std::string, std::string> splitAssignment(const std::string& text, const std::string& option);

/// A scaler from its preset's name and "key=value" texts, which read as the `scaler` object of an experiment does. What is complained about
/// begins with `command` ("race: ") and names `option` ("--set"). Throws UsageError.
ScalerSettings scalerFrom(const std::string& command, const std::string& option, const std::string& preset,
                          const std::vector<std::string>& assignments);

/// Left-aligned first column, right-aligned others, two spaces between.
std::string alignedTable(const std::vector<std::vector<std::string>>& rows);

struct Gauge;
/// Name, severity, value and sentence of each.
nlohmann::ordered_json gaugesJson(const std::vector<Gauge>& gauges);
/// Those that are not good, a line each, after `before`; empty: all are good.
std::string gaugesText(const std::vector<Gauge>& gauges, const std::string& before);

/// A number in a line of text: four digits, "NaN", "+Inf".
std::string brief(double value, const char* format = "%.4g");

}  // namespace mantissa
