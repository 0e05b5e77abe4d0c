// SPDX-License-Identifier: Apache-2.0
// Imports settings of Hugging Face's TrainingArguments, Accelerate's configuration and DeepSpeed's as an experiment. Pure; any thread.
#pragma once

#include <string>
#include <vector>

#include "engine/experiment/experiment.h"

namespace mantissa {

struct SettingsFile {
    std::string source;  // its name in messages
    std::string text;    // JSON; Accelerate's may be YAML of keys and values
};

struct ImportedSettings {
    Experiment experiment;
    std::vector<std::string> leftOut;  // what the experiment omits of the files, in sentences
};

/// One run `name` with the settings of all files; data and model are the default experiment's. A file's keys determine its kind. A later
/// file overrides an earlier one, except that DeepSpeed's "auto" takes another file's value. Missing settings have their framework's
/// defaults. Throws InputError.
ImportedSettings importSettings(const std::vector<SettingsFile>& files, const std::string& name);

}  // namespace mantissa
