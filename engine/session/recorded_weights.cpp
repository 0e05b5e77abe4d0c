// SPDX-License-Identifier: Apache-2.0
#include "engine/session/recorded_weights.h"

#include "engine/experiment/safetensors.h"
#include "engine/session/trained_run.h"

namespace mantissa {
WrittenWeights exportWeights(const Recording& recording, std::optional<std::int64_t> step, std::shared_ptr<Backend> backend,
                             const std::filesystem::path& folder) {
    RecordedRuns recorded;
    (void)readAll(recording, recorded, [](Event&&) {});
    recorded.requireRuns();
    recorded.take(recording.snapshots());
    WrittenWeights written;
    written.leftOut = recorded.trouble();
    std::vector<RunSettings> named;  // two runs of a forged recording may have one name
    for (const auto& [id, way] : recorded.runs()) {
        const std::int64_t wanted = step.value_or(way.nextStep());
        if (way.isWatched() || way.info.settings.name.empty() || wanted < way.run.firstStep || wanted > way.nextStep()) continue;
        const RepeatableRun run = recordedRunBefore(wanted, recording, way, backend, wanted);
        const std::string name = freeName(named, run.course().settings.name);
        named.emplace_back().name = name;
        written.files.push_back(runFile(folder, name, ".safetensors"));
        writeSafetensors(written.files.back(), run.trainer().weights());
        if (run.differsAt() >= 0)
            written.remarks.push_back("run '" + run.course().settings.name + "' differs from step " + std::to_string(run.differsAt()) +
                                      " on: its weights are what this machine and build make of it");
    }
    if (written.files.empty()) {
        const std::string lacking =
            std::string("the recording holds no run") + (step ? " that has come to step " + std::to_string(*step) : "");
        throw InputError("", "", lacking + (recording.whyReadOnly().empty() ? "" : ": " + recording.whyReadOnly()));
    }
    return written;
}

}  // namespace mantissa
