// SPDX-License-Identifier: Apache-2.0
// Settings of Hugging Face's TrainingArguments, Accelerate's configuration and DeepSpeed's, read as an experiment of ours. Pure; any
// thread.
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
    std::vector<std::string> leftOut;  // what of the files it has not, sentences
};

/// One run, `name`, with the settings of all files; data and model are the default experiment's. What each file is follows from its keys. A
/// later file holds over an earlier one, but for DeepSpeed's "auto", which stands for what another file says. What a file does not say is
/// as its framework has it. Throws InputError.
ImportedSettings importSettings(const std::vector<SettingsFile>& files, const std::string& name);

}  // namespace mantissa
