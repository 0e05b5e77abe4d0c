// SPDX-License-Identifier: Apache-2.0
#include "packaging/manual/command_tree.h"

#include <regex>

#include "engine/cli/commands.h"
#include "engine/experiment/experiment.h"
#include "engine/lessons/lesson.h"

namespace mantissa {
namespace {

ManualOption optionOf(const CLI::Option& option) {
    ManualOption read;
    for (const std::string& name : option.get_snames()) read.names.push_back("-" + name);
    for (const std::string& name : option.get_lnames()) read.names.push_back("--" + name);
    if (option.get_positional()) read.names = {option.get_name(true)};
    read.help = option.get_description();
    read.isRequired = option.get_required();
    read.isRepeatable = option.get_expected_max() == CLI::detail::expected_max_vector_size;
    if (option.get_items_expected_max() == 0) return read;
    const std::string type = option.get_type_name();  // "TEXT:{csv,jsonl}", "INT:NONNEGATIVE"
    read.value = type.substr(0, type.find(':'));
    read.kind = kindOf(read.help);
    if (read.kind == ValueKind::File || read.kind == ValueKind::Recording) read.value = "FILE";
    if (read.kind == ValueKind::Folder) read.value = "FOLDER";
    read.choices = listedChoices(read.help);
    return read;
}

bool isWithin(const std::string& text, const char* part) {
    return text.find(part) != std::string::npos;
}

}  // namespace

std::vector<std::string> listedChoices(const std::string& help) {
    static const std::regex kList(R"((?:^|: )([\w.:-]+(?:, [\w.:-]+)+(?: or [\w.:-]+)?)(?: \(|$))"), kWord(R"([^, ]+)");
    std::smatch match;
    if (!std::regex_search(help, match, kList)) return {};
    const std::string list = match[1].str();
    std::vector<std::string> choices;
    for (auto word = std::sregex_iterator(list.begin(), list.end(), kWord); word != std::sregex_iterator(); ++word)
        if (word->str() != "or") choices.push_back(word->str());
    if (isWithin(help, "key=value"))
        for (std::string& choice : choices) choice += "=";
    return choices;
}

ValueKind kindOf(const std::string& help) {
    if (!listedChoices(help).empty()) return ValueKind::Choice;
    if (isWithin(help, "=")) return ValueKind::Text;
    if (isWithin(help, "bundled lesson")) return ValueKind::Lesson;
    if (isWithin(help, "bundled")) return ValueKind::Experiment;
    if (isWithin(help, "(.mantissa)")) return ValueKind::Recording;
    if (isWithin(help, "folder")) return ValueKind::Folder;
    return isWithin(help, "file") ? ValueKind::File : ValueKind::Text;
}

CommandTree commandTree() {
    CLI::App app;
    Work work;
    addCommands(app, work);
    CommandTree tree;
    for (const CLI::Option* option : app.get_options()) tree.options.push_back(optionOf(*option));
    for (const CLI::App* subcommand : app.get_subcommands({})) {
        if (subcommand->get_group().empty()) continue;  // an earlier name
        ManualCommand command{subcommand->get_name(), subcommand->get_description(), {}, {}};
        for (const CLI::Option* option : subcommand->get_options())
            (option->get_positional() ? command.arguments : command.options).push_back(optionOf(*option));
        tree.commands.push_back(std::move(command));
    }
    for (const BundledExperiment& experiment : bundledExperiments()) tree.experiments.push_back(experiment.name);
    for (const BundledLesson& lesson : bundledLessons()) tree.lessons.push_back(lesson.name);
    return tree;
}

}  // namespace mantissa
