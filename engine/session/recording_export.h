// SPDX-License-Identifier: Apache-2.0
// Export of a recording's runs as files of other programs. Removed runs are omitted; steps repeated after a rewind replace the earlier
// ones. One thread at a time.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/exchange/exported_run.h"
#include "engine/recording/recording.h"
#include "kernels/backend.h"

namespace mantissa {

/// The formats: "csv", "jsonl", "tensorboard", "html", and the frameworks (frameworkNames).
const std::vector<std::string>& exportFormats();

/// Returns the recording's runs by id; from a damaged recording, what can be read. `leftOut`: a sentence about the first run whose steps
/// are left out because its settings are not known; empty: none.
std::vector<ExportedRun> recordedRuns(const Recording& recording, std::string* leftOut = nullptr);

struct WrittenFiles {
    std::vector<std::filesystem::path> files;
    std::vector<std::string> remarks;  // omitted properties of the runs, sentences
    std::string leftOut;               // what of the recording could not be read, in a sentence; empty: all was
};

/// Writes the runs into `folder`, which is created. Throws InputError for an unknown format and for a recording without runs,
/// std::filesystem::filesystem_error if a file cannot be written.
WrittenFiles exportRecording(const Recording& recording, const std::string& format, const std::filesystem::path& folder);

/// Writes RUN.safetensors of each run before `step` into the existing `folder`, trained again from the nearest stored state; without a
/// step, after its last one. Runs without this step are omitted; remarks are about runs that differ from the recording, because of another
/// machine or build. Throws InputError if no run has the step, and for a run that cannot be trained here.
WrittenFiles exportWeights(const Recording& recording, std::optional<std::int64_t> step, std::shared_ptr<Backend> backend,
                           const std::filesystem::path& folder);

}  // namespace mantissa
