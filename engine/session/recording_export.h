// SPDX-License-Identifier: Apache-2.0
// A recording's runs as files of other programs. Runs that were removed are left out; of steps that came again after a rewind the later
// ones hold. One thread at a time.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "engine/exchange/exported_run.h"
#include "engine/recording/recording.h"

namespace mantissa {

/// "csv", "jsonl", "tensorboard", "html", and the frameworks (frameworkNames).
const std::vector<std::string>& exportFormats();

/// The runs by their ids, as all that was recorded tells them. Of a damaged recording: what can be read.
std::vector<ExportedRun> recordedRuns(const Recording& recording);

struct WrittenFiles {
    std::vector<std::filesystem::path> files;
    std::vector<std::string> remarks;  // what they leave out of the runs, sentences
};

/// Writes the runs into `folder`, which it makes. Throws InputError for a format that is none and for a recording
/// without runs; std::filesystem::filesystem_error when a file cannot be written.
WrittenFiles exportRecording(const Recording& recording, const std::string& format, const std::filesystem::path& folder);

}  // namespace mantissa
