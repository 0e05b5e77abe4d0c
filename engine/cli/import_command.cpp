// SPDX-License-Identifier: Apache-2.0
// import: other trainers' settings as an experiment file.
#include <fstream>
#include <iostream>

#include "engine/cli/commands.h"
#include "engine/data/files.h"
#include "engine/exchange/settings_import.h"
#include "engine/experiment/json_reader.h"

namespace mantissa {
namespace {

struct ImportOptions {
    std::vector<std::string> files;
    std::string name = "imported", out;
};

SettingsFile readSettingsFile(const std::string& path) {
    try {
        return {path, readFile(path, kMaxJsonBytes)};
    } catch (const DataError& error) {
        throw InputError("", "", error.what());
    }
}

int importFiles(const ImportOptions& options) {
    checkFreeName({}, options.name, "--name", "");
    std::vector<SettingsFile> files;
    for (const std::string& path : options.files) files.push_back(readSettingsFile(path));
    const ImportedSettings imported = importSettings(files, options.name);
    for (const std::string& each : imported.leftOut) complain("left out: " + each);
    const std::string text = writeExperiment(imported.experiment);
    if (options.out.empty()) {
        std::cout << text;
        return kExitDone;
    }
    std::ofstream file(options.out);
    if (!file) throw InputError(options.out, "", "cannot be written");
    file << text;
    file.close();
    if (!file) throw RunError(options.out + ": cannot be written");
    return kExitDone;
}

}  // namespace

void addImport(CLI::App& app, Work& work) {
    CLI::App* command = app.add_subcommand("import", "Read settings of Hugging Face, Accelerate or DeepSpeed as an experiment file");
    auto o = std::make_shared<ImportOptions>();
    command
        ->add_option("FILE", o->files, "files: TrainingArguments as JSON, configurations of Accelerate and DeepSpeed; several are one run")
        ->required();
    command->add_option("--name", o->name, "the run's name");
    command->add_option("--out", o->out, "the experiment file; without it, standard output");
    command->callback([&work, o] { work = [o] { return importFiles(*o); }; });
}

}  // namespace mantissa
