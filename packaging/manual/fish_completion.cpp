// SPDX-License-Identifier: Apache-2.0
#include "engine/telemetry/joined.h"
#include "packaging/manual/written.h"

namespace mantissa {
namespace {

std::string fishText(const std::string& text) {
    std::string out = "'";
    for (const char c : text) out += c == '\'' || c == '\\' ? std::string("\\") + c : std::string(1, c);
    return out + "'";
}

/// What comes after `-a`: words, or a call whose lines are the words; empty: nothing to offer. Sets whether files are offered beside it.
std::string offered(const ManualOption& option, const CommandTree& tree, bool& hasFiles) {
    hasFiles = option.kind == ValueKind::File || option.kind == ValueKind::Experiment || option.kind == ValueKind::Lesson;
    switch (option.kind) {
        case ValueKind::Choice:
            return fishText(joined(option.choices, " "));
        case ValueKind::Experiment:
            return fishText(joined(tree.experiments, " "));
        case ValueKind::Lesson:
            return fishText(joined(tree.lessons, " "));
        case ValueKind::Recording:
            return "'(__fish_complete_suffix .mantissa)'";
        case ValueKind::Folder:
            return "'(__fish_complete_directories)'";
        case ValueKind::File:
        case ValueKind::Text:
        case ValueKind::Nothing:
            return {};
    }
    return {};
}

std::string fishOption(const ManualOption& option, const CommandTree& tree) {
    std::string out;
    for (const std::string& name : option.names) out += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
    if (!option.value.empty()) {
        bool hasFiles = false;
        const std::string words = offered(option, tree, hasFiles);
        out += std::string(hasFiles ? " -r -F" : " -x") + (words.empty() ? "" : " -a " + words);
    }
    return out + " -d " + fishText(option.help) + "\n";
}

}  // namespace

std::string fishCompletion(const CommandTree& tree) {
    std::string out =
        "# fish completion for mantissa: written from the program's own commands by packaging/manual.\n"
        "complete -c mantissa -f\n";
    for (const ManualOption& option : tree.options) out += "complete -c mantissa -n __fish_use_subcommand" + fishOption(option, tree);
    for (const ManualCommand& command : tree.commands) {
        out += "complete -c mantissa -n __fish_use_subcommand -a " + command.name + " -d " + fishText(command.help) + "\n";
        const std::string within = "complete -c mantissa -n '__fish_seen_subcommand_from " + command.name + "'";
        for (const ManualOption& argument : command.arguments) {
            bool hasFiles = false;
            const std::string words = offered(argument, tree, hasFiles);
            if (hasFiles || !words.empty()) out += within + (hasFiles ? " -F" : "") + (words.empty() ? "" : " -a " + words) + "\n";
        }
        for (const ManualOption& option : command.options) out += within + fishOption(option, tree);
    }
    return out;
}

}  // namespace mantissa
