// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <set>

#include "engine/cli/commands.h"
#include "engine/experiment/error_text.h"
#include "engine/experiment/experiment.h"
#include "engine/experiment/fields.h"
#include "engine/experiment/memory_reserve.h"
#include "engine/recording/recording.h"
#include "engine/wire/wire.h"
#include "kernels/out_of_memory.h"
#include "kernels/program_file.h"

namespace mantissa {
namespace {

constexpr const char* kCannotPrint = "standard output could not be written";

/// Spinning OpenMP threads starve a live window, and libgomp reads its policy when it is loaded: programs that train restart themselves
/// with the policy set.
void setWaitPolicy(int argc, char** argv) {
    static const std::set<std::string> kComputing{"train", "serve", "bench",   "selftest", "replay", "diagnose", "batches",
                                                  "plan",  "race",  "compare", "twins",    "lesson", "rl"};
    if (argc < 2 || !kComputing.contains(argv[1]) || std::getenv("OMP_WAIT_POLICY") != nullptr) return;
    setenv("OMP_WAIT_POLICY", "PASSIVE", 1);
    execv(programFile().c_str(), argv);  // on failure: continue without the policy
}

/// `-inf` is a value for `bits`, not three flags: it is moved to the end, behind `--`. CLI11 takes the arguments in reverse.
std::vector<std::string> argumentsOf(int argc, char** argv) {
    std::vector<std::string> arguments(argv + 1, argv + argc);
    const auto isValue = [](const std::string& a) { return a == "-inf" || a == "-Inf" || a == "-Infinity"; };
    const auto value = std::find_if(arguments.begin(), arguments.end(), isValue);
    if (value != arguments.end() && (value == arguments.begin() || *(value - 1) != "--")) {
        std::rotate(value, value + 1, arguments.end());
        arguments.insert(arguments.end() - 1, "--");
    }
    std::reverse(arguments.begin(), arguments.end());
    return arguments;
}

int failWith(const std::string& sentence, int code) {
    complain(sentence);
    return code;
}

/// CLI11's message, preceded by the command's name if it is missing. An unknown command is followed by a similar one.
std::string sentenceOf(const CLI::ParseError& error, const CLI::App& app, const std::string& command) {
    std::vector<std::string> known;
    for (const CLI::App* each : app.get_subcommands({})) known.push_back(each->get_name());
    const std::string sentence = error.what();
    if (command.empty() || command.starts_with('-')) return sentence;
    if (std::find(known.begin(), known.end(), command) == known.end())
        return "there is no command '" + command + "'" + didYouMean(command, known);
    return sentence.starts_with(command + ":") ? sentence : command + ": " + sentence;
}

int run(int argc, char** argv) {
    CLI::App app;
    Work work;
    addCommands(app, work);
    try {
        app.parse(argumentsOf(argc, argv));
        const int code = work();
        std::cout.flush();
        if (!std::cout) throw RunError(kCannotPrint);
        return code;
    } catch (const CLI::ParseError& error) {
        if (error.get_exit_code() == 0) {  // --help, --version
            app.exit(error);
            std::cout.flush();
            return std::cout ? 0 : failWith(kCannotPrint, kExitCouldNotGoOn);
        }
        std::string sentence = sentenceOf(error, app, argc > 1 ? argv[1] : "");
        for (char& c : sentence) c = c == '\n' ? ' ' : c;
        return failWith(sentence + " (mantissa --help lists the commands)", kExitBadInput);
    } catch (const DamagedRecording& error) {
        return failWith(error.what(), kExitCouldNotGoOn);
    } catch (const InputError& error) {
        return failWith(error.what(), kExitBadInput);
    } catch (const UsageError& error) {
        return failWith(error.what(), kExitBadInput);
    } catch (const RunError& error) {
        return failWith(error.what(), kExitCouldNotGoOn);
    } catch (const DeviceError& error) {
        return failWith(kDeviceFailure + error.reason, kExitCouldNotGoOn);
    } catch (const OutOfMemory& error) {
        return failWith(error.what(), kExitCouldNotGoOn);
    } catch (const std::bad_alloc&) {
        return failWith("there is not enough memory", kExitCouldNotGoOn);
    } catch (const std::exception& error) {
        return failWith(errorText(error), kExitCouldNotGoOn);
    }
}

}  // namespace
}  // namespace mantissa

int main(int argc, char** argv) {
    std::ios::sync_with_stdio(false);
    mantissa::keepMemoryReserve();
    mantissa::setWaitPolicy(argc, argv);
    return mantissa::run(argc, argv);
}
