// SPDX-License-Identifier: Apache-2.0
#include "packaging/manual/written.h"

namespace mantissa {
namespace {

/// As roff prints it letter by letter: a hyphen that can be copied, no request at a line's start.
std::string roff(const std::string& text) {
    std::string out;
    for (const char c : text) {
        if (c == '-') {
            out += "\\-";
        } else if (c == '\\') {
            out += "\\e";
        } else if (c == '\'') {
            out += "\\(aq";
        } else {
            out += c;
        }
    }
    return out.starts_with('.') ? "\\&" + out : out;
}

/// "\fB--steps\fR \fIINT\fR"
std::string term(const ManualOption& option) {
    std::string out;
    for (const std::string& name : option.names) out += (out.empty() ? "\\fB" : "\\fR, \\fB") + roff(name);
    return out + "\\fR" + (option.value.empty() ? "" : " \\fI" + roff(option.value) + "\\fR");
}

std::string sentence(const ManualOption& option) {
    return roff(option.help) + (option.isRequired ? " (required)" : "") + "\n";
}

}  // namespace

std::string manOptionsAndCommands(const CommandTree& tree) {
    std::string out;
    for (const ManualOption& option : tree.options) out += ".TP\n" + term(option) + "\n" + sentence(option);
    out += ".SH COMMANDS\n";
    for (const ManualCommand& command : tree.commands) {
        out += ".SS \"mantissa " + roff(command.name);
        if (!command.options.empty()) out += " [OPTIONS]";
        for (const ManualOption& argument : command.arguments)
            out += argument.isRequired ? " " + argument.names[0] : " [" + argument.names[0] + "]";
        out += "\"\n" + roff(command.help) + ".\n";
        for (const ManualOption& argument : command.arguments) out += ".TP\n\\fI" + roff(argument.names[0]) + "\\fR\n" + sentence(argument);
        for (const ManualOption& option : command.options) {
            if (option.names.back() != "--help") out += ".TP\n" + term(option) + "\n" + sentence(option);
        }
    }
    return out;
}

}  // namespace mantissa
