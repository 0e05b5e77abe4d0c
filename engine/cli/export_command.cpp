// SPDX-License-Identifier: Apache-2.0
// export: a recording's runs as files of other programs.
#include <iostream>

#include "engine/cli/commands.h"
#include "engine/cli/train_output.h"
#include "engine/session/recording_export.h"

namespace mantissa {
namespace {

struct ExportOptions {
    std::string file, format, folder;
};

int exportFile(const ExportOptions& options) {
    const Recording recording(options.file);
    makeFolder(options.folder);
    for (const std::filesystem::path& file : exportRecording(recording, options.format, options.folder)) std::cout << file.string() << '\n';
    if (!recording.whyReadOnly().empty()) std::cerr << "mantissa: " << options.file << ": " << recording.whyReadOnly() << '\n';
    return kExitDone;
}

}  // namespace

void addExport(CLI::App& app, Work& work) {
    CLI::App* command = app.add_subcommand("export", "Write a recording's runs as files of other programs");
    auto o = std::make_shared<ExportOptions>();
    std::string formats;
    for (const std::string& format : exportFormats()) formats += (formats.empty() ? "" : ", ") + format;
    command->add_option("FILE", o->file, "a recording (.mantissa)")->required();
    command->add_option("--to", o->format, formats)->required()->check(CLI::IsMember(exportFormats()));
    command->add_option("--out", o->folder, "the folder, which is made")->required();
    command->callback([&work, o] { work = [o] { return exportFile(*o); }; });
}

}  // namespace mantissa
