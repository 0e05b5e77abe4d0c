// SPDX-License-Identifier: Apache-2.0
#include "engine/telemetry/joined.h"
#include "packaging/manual/written.h"

namespace mantissa {
namespace {

/// The shell's call that offers such a value.
std::string offer(const ManualOption& option) {
    switch (option.kind) {
        case ValueKind::Choice:
            return "_mantissa_words '" + joined(option.choices, " ") + "'";
        case ValueKind::Experiment:
            return "_mantissa_experiments";
        case ValueKind::Lesson:
            return "_mantissa_lessons";
        case ValueKind::Recording:
            return "_mantissa_paths -f -X '!*.mantissa'";
        case ValueKind::File:
            return "_mantissa_paths -f";
        case ValueKind::Folder:
            return "_mantissa_paths";
        case ValueKind::Text:
        case ValueKind::Nothing:
            return ":";
    }
    return ":";
}

std::string namesOf(const std::vector<ManualOption>& options) {
    std::vector<std::string> names;
    for (const ManualOption& option : options) names.insert(names.end(), option.names.begin(), option.names.end());
    return joined(names, " ");
}

}  // namespace

std::string bashCompletion(const CommandTree& tree) {
    std::string out = R"(# bash completion for mantissa: written from the program's own commands by packaging/manual.

_mantissa_words() {
    mapfile -t COMPREPLY < <(compgen -W "$1" -- "$current")
    [[ $1 != *= ]] || compopt -o nospace 2>/dev/null
}

# Folders, and the files that compgen's arguments ask for.
_mantissa_paths() {
    compopt -o filenames 2>/dev/null
    mapfile -t COMPREPLY < <({ compgen -d -- "$current"; [ $# -eq 0 ] || compgen "$@" -- "$current"; } | sort -u)
}

# Files, and these names.
_mantissa_names() {
    _mantissa_paths -f
    mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(compgen -W "$1" -- "$current")
}
_mantissa_experiments() {
    _mantissa_names ')" +
                      joined(tree.experiments, " ") + R"('
}
_mantissa_lessons() {
    _mantissa_names ')" +
                      joined(tree.lessons, " ") + R"('
}

_mantissa() {
    local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]}
    # --option=value comes as three words
    if [ "$current" = = ]; then
        current=
    elif [ "$previous" = = ]; then
        previous=${COMP_WORDS[COMP_CWORD-2]}
    fi
    COMPREPLY=()
    if [ "$COMP_CWORD" -eq 1 ]; then
        _mantissa_words ')" +
                      joined(tree.commands, " ", &ManualCommand::name) + " " + namesOf(tree.options) + R"('
        return
    fi
    case "${COMP_WORDS[1]} $previous" in
)";
    for (const ManualCommand& command : tree.commands) {
        for (const ManualOption& option : command.options) {
            if (option.value.empty()) continue;
            std::string pattern;
            for (const std::string& name : option.names) pattern += (pattern.empty() ? "'" : " | '") + command.name + " " + name + "'";
            out += "        " + pattern + ") " + offer(option) + "; return ;;\n";
        }
    }
    out += "    esac\n    case \"${COMP_WORDS[1]} $current\" in\n";
    for (const ManualCommand& command : tree.commands) {
        out += "        '" + command.name + " -'*) _mantissa_words '" + namesOf(command.options) + "' ;;\n        '" + command.name +
               " '*) " + (command.arguments.empty() ? "_mantissa_words '" + namesOf(command.options) + "'" : offer(command.arguments[0])) +
               " ;;\n";
    }
    return out + "    esac\n}\n\ncomplete -F _mantissa mantissa\n";
}

}  // namespace mantissa
