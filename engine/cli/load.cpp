// SPDX-License-Identifier: Apache-2.0
#include "engine/attach/probe_source.h"
#include "engine/cli/commands.h"
#include "engine/experiment/experiment.h"
#include "engine/recording/recording.h"

namespace mantissa {

Experiment loadExperiment(const std::string& nameOrPath, const std::vector<std::string>& assignments, std::int64_t steps) {
    if (isProbeFile(nameOrPath))
        throw InputError(nameOrPath, "",
                         "is a probe's file, not an experiment; mantissa attach FILE --record run.mantissa makes a recording of it");
    if (nameOrPath.ends_with(kRecordingExtension) && std::filesystem::exists(nameOrPath))
        throw InputError(nameOrPath, "", "is a recording, not an experiment; mantissa diagnose, replay and export read it");
    std::vector<std::pair<std::string, Json>> patches;
    for (const std::string& assignment : assignments) {
        const auto [pointer, text] = splitAssignment(assignment, "--set");
        Json value = Json::parse(text, nullptr, false);
        patches.emplace_back(pointer, value.is_discarded() ? Json(text) : std::move(value));  // /precision=bf16 needs no quotes
    }
    std::string source;
    std::filesystem::path folder;
    const std::string text = loadExperimentText(nameOrPath, source, folder);
    Experiment experiment = parseExperiment(text, source, folder, patches);
    if (steps >= 0)
        for (RunSettings& run : experiment.runs) run.training.steps = steps;
    return experiment;
}

}  // namespace mantissa
