// SPDX-License-Identifier: Apache-2.0
// A run's settings in the terms of another framework: a program, complete from data to validation, or a file of settings.
#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/experiment/experiment.h"

namespace mantissa {

enum class Framework : std::uint8_t { PyTorch, Keras, HuggingFace, Accelerate, DeepSpeed };
/// "pytorch", "keras", "huggingface", "accelerate", "deepspeed".
const std::vector<std::string>& frameworkNames();
/// Nothing for other names.
std::optional<Framework> frameworkFromName(std::string_view name);

struct Snippet {
    std::string text;
    std::vector<std::string> leftOut;  // what the text has no place to say, sentences; a program says it at its top
};

/// For PyTorch and Keras a Python program: model, data, optimizer, schedule, formats, loss scaler, clipping and accumulation as the run has
/// them. It reads the run's batches, data and, in PyTorch, initial weights from the files that writeSnippet puts beside it. For the others
/// a JSON file: TrainingArguments, Accelerate's configuration, DeepSpeed's. What has no short equivalent is named, and so are `remarks`.
/// `data`: what the run's data set brings (shapeOf). Pure; any thread.
Snippet frameworkSnippet(const RunSettings& run, const DataShape& data, Framework framework, const std::vector<std::string>& remarks = {});

/// What a snippet leaves out of a run that has not had these settings since step 0: changes, by step and pointer, and the first step of a
/// fork. Sentences.
std::vector<std::string> remarksOf(std::span<const std::pair<std::int64_t, std::string>> changes, std::int64_t firstStep);

/// RUN.py for programs, RUN.deepspeed.json and the like for settings.
std::filesystem::path snippetFile(const std::filesystem::path& folder, const std::string& runName, Framework framework);

struct WrittenSnippet {
    std::vector<std::filesystem::path> files;
    std::vector<std::string> leftOut;
};

/// Writes the snippet into `path`, and beside a program, RUN.py, what it reads: RUN.batches.npy, int32 [batches, samples], the samples (of
/// tokens, the starts of the windows) of each micro-batch; RUN.data.npz, unless the data are the user's own files; RUN.initial.safetensors,
/// unless the framework draws weights itself. Throws std::filesystem::filesystem_error for a file that cannot be written, InputError and
/// DataError for weights and data that cannot be read.
WrittenSnippet writeSnippet(const RunSettings& run, Framework framework, const std::filesystem::path& path,
                            const std::vector<std::string>& remarks = {});

}  // namespace mantissa
