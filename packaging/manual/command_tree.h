// SPDX-License-Identifier: Apache-2.0
// The program's commands as plain values, read from the command line itself; what the manual and the shells' completions are written from.
#pragma once

#include <string>
#include <vector>

namespace mantissa {

/// What a shell offers where a value is wanted.
enum class ValueKind { Nothing, Text, Choice, File, Folder, Recording, Experiment, Lesson };

/// An option, or an argument without a name of its own.
struct ManualOption {
    std::vector<std::string> names;  // as typed: "-h", "--help"; of an argument its one name, "EXPERIMENT"
    std::string value;               // what stands for the value: "INT", "FILE"; empty: takes none
    std::string help;
    ValueKind kind = ValueKind::Nothing;
    std::vector<std::string> choices;  // of ValueKind::Choice
    bool isRequired = false, isRepeatable = false;
};

struct ManualCommand {
    std::string name, help;
    std::vector<ManualOption> arguments, options;
};

struct CommandTree {
    std::vector<ManualOption> options;  // without a command
    std::vector<ManualCommand> commands;
    std::vector<std::string> experiments, lessons;  // the bundled ones
};

/// The commands of the program `mantissa` of this build.
CommandTree commandTree();

/// The values that a help text lists, "the format: fp32, tf32" or "auto, cpu or cuda:0"; empty when it is no list.
std::vector<std::string> listedChoices(const std::string& help);

/// What a value with this help text is: its list, an experiment, a lesson, a recording, a folder, a file, or text. A value "KEY=VALUE" is text.
ValueKind kindOf(const std::string& help);

}  // namespace mantissa
