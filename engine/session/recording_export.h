// SPDX-License-Identifier: Apache-2.0
// Export of a recording's runs as files of other programs. Removed runs are omitted; steps repeated after a rewind replace the earlier
// ones. One thread at a time.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "engine/exchange/exported_run.h"
#include "engine/recording/recording.h"

namespace mantissa {

/// The formats: "csv", "jsonl", "tensorboard", "html", and the frameworks (frameworkNames).
const std::vector<std::string>& exportFormats();

/// Returns the recording's runs by id; from a damaged recording, what can be read. `leftOut`: a sentence about the first run whose steps
/// are left out because its settings are not known; empty: none.
std::vector<ExportedRun> recordedRuns(const Recording& recording, std::string* leftOut = nullptr);

struct WrittenFiles {
    std::vector<std::filesystem::path> files;
    std::vector<std::string> remarks;  // omitted properties of the runs, sentences
    std::string leftOut;               // as of recordedRuns
};

/// Writes the runs into `folder`, which is created. Throws InputError for an unknown format and for a recording without runs,
/// std::filesystem::filesystem_error if a file cannot be written.
WrittenFiles exportRecording(const Recording& recording, const std::string& format, const std::filesystem::path& folder);

}  // namespace mantissa
