// SPDX-License-Identifier: Apache-2.0
// export: a recording's runs as files of other programs.
#include <iostream>

#include "engine/cli/commands.h"
#include "engine/cli/train_output.h"
#include "engine/session/recording_export.h"
#include "engine/telemetry/joined.h"

namespace mantissa {
namespace {

constexpr const char* kWeights = "safetensors";

struct ExportOptions {
    std::string file, format, folder;
    std::optional<std::int64_t> step;  // of weights
};

WrittenFiles writeWeights(const Recording& recording, const ExportOptions& options) {
    try {
        return exportWeights(recording, options.step, createCpuBackend(), options.folder);
    } catch (const std::invalid_argument& error) {
        throw InputError(options.file, "", error.what());
    }
}

int exportFile(const ExportOptions& options) {
    const bool isOfWeights = options.format == kWeights;
    if (options.step && !isOfWeights) throw UsageError(std::string("--step is for --to ") + kWeights + " alone");
    const Recording recording(options.file);
    makeFolder(options.folder);
    WrittenFiles written;
    try {
        written = isOfWeights ? writeWeights(recording, options) : exportRecording(recording, options.format, options.folder);
        for (const std::string& remark : written.remarks) complain(options.file + ": " + remark);
        for (const std::filesystem::path& file : written.files) std::cout << file.string() << '\n';
    } catch (const InputError& error) {
        complainOf(recording, options.file, error);
    }
    return sayWhatIsMissing(recording, options.file, written.leftOut);
}

}  // namespace

void addExport(CLI::App& app, Work& work) {
    CLI::App* command = app.add_subcommand("export", "Write a recording's runs as files of other programs");
    auto o = std::make_shared<ExportOptions>();
    std::vector<std::string> known = exportFormats();
    known.push_back(kWeights);
    command->add_option("FILE", o->file, "a recording (.mantissa)")->required();
    command->add_option("--to", o->format, joined(known))->required()->check(CLI::IsMember(known));
    command->add_option("--step", o->step, "weights as they were before this step; without it, the last ones")->check(wholeNumberFrom(0));
    command->add_option("--out", o->folder, "the folder, which is made")->required();
    command->callback([&work, o] { work = [o] { return exportFile(*o); }; });
}

}  // namespace mantissa
