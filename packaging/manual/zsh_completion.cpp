// SPDX-License-Identifier: Apache-2.0
#include "packaging/manual/written.h"

namespace mantissa {
namespace {

/// Within single quotes, where `special` characters have a meaning to the function that reads them.
std::string zshText(const std::string& text, const std::string& special) {
    std::string out;
    for (const char c : text) {
        if (c == '\'') {
            out += "'\\''";
        } else {
            if (c == '\\' || special.find(c) != std::string::npos) out += '\\';
            out += c;
        }
    }
    return out;
}

/// ":INT:( a b )", what _arguments wants of a value.
std::string zshValue(const ManualOption& option, const std::string& message) {
    std::string action;
    switch (option.kind) {
        case ValueKind::Choice:
            for (const std::string& choice : option.choices) action += (action.empty() ? "(" : " ") + zshText(choice, ":");
            action += ")";
            break;
        case ValueKind::Experiment:
            action = "_mantissa_experiments";
            break;
        case ValueKind::Lesson:
            action = "_mantissa_lessons";
            break;
        case ValueKind::Recording:
            action = "_files -g \"*.mantissa\"";
            break;
        case ValueKind::File:
            action = "_files";
            break;
        case ValueKind::Folder:
            action = "_files -/";
            break;
        case ValueKind::Text:
        case ValueKind::Nothing:
            action = " ";
    }
    return ":" + zshText(message, ":") + ":" + action;
}

std::string zshArgument(const ManualOption& option) {
    std::string out;
    for (const std::string& name : option.names) {
        out += std::string(" \\\n                ") + (option.isRepeatable ? "'*" : "'") + name + "[" + zshText(option.help, "[]") + "]" +
               (option.value.empty() ? "" : zshValue(option, option.value)) + "'";
    }
    return out;
}

}  // namespace

std::string zshCompletion(const CommandTree& tree) {
    std::string out = R"(#compdef mantissa
# zsh completion for mantissa: written from the program's own commands by packaging/manual.

_mantissa_experiments() {
    _alternative 'experiments:bundled experiment:()";
    for (const std::string& experiment : tree.experiments) out += experiment + " ";
    out += R"()' 'files:file:_files'
}
_mantissa_lessons() {
    _alternative 'lessons:bundled lesson:()";
    for (const std::string& lesson : tree.lessons) out += lesson + " ";
    out += R"()' 'files:file:_files'
}

_mantissa() {
    local context state state_descr line
    typeset -A opt_args
    local -a commands=(
)";
    for (const ManualCommand& command : tree.commands) out += "        '" + command.name + ":" + zshText(command.help, ":") + "'\n";
    out += "    )\n    _arguments -C";
    for (const ManualOption& option : tree.options) out += zshArgument(option);
    out += R"( \
                '1:command:->command' '*::argument:->argument'
    case $state in
        command) _describe command commands ;;
        argument)
            case $line[1] in
)";
    for (const ManualCommand& command : tree.commands) {
        out += "                " + command.name + ") _arguments";
        for (const ManualOption& option : command.options) out += zshArgument(option);
        for (const ManualOption& argument : command.arguments)
            out += " \\\n                '" + std::string(argument.isRequired ? "1" : "1:") + zshValue(argument, argument.names[0]) + "'";
        out += " ;;\n";
    }
    return out + "            esac ;;\n    esac\n}\n\n_mantissa \"$@\"\n";
}

}  // namespace mantissa
