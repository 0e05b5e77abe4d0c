// SPDX-License-Identifier: Apache-2.0
// Exports a run's settings for another framework: a complete program, or a file of settings.
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
/// The frameworks' names: "pytorch", "keras", "huggingface", "accelerate", "deepspeed".
const std::vector<std::string>& frameworkNames();
/// Nothing for unknown names.
std::optional<Framework> frameworkFromName(std::string_view name);

struct Snippet {
    std::string text;
    std::vector<std::string> leftOut;  // what the text omits, in sentences; a program has them in its heading
};

/// Exports a run. For PyTorch and Keras a Python program: model, data, optimizer, schedule, formats, loss scaler, clipping and accumulation
/// as in the run. It reads the run's batches, data and, in PyTorch, initial weights from the files that writeSnippet puts beside it. For
/// the others a JSON file: TrainingArguments, Accelerate's configuration, DeepSpeed's. It lists what has no short equivalent, and
/// `remarks`. `data`: the shape of the run's data set (shapeOf). Pure; any thread.
Snippet frameworkSnippet(const RunSettings& run, const DataShape& data, Framework framework, const std::vector<std::string>& remarks = {});

/// What a snippet omits of a run that did not have these settings since step 0: changes, by step and pointer, and the first step of a fork.
/// Sentences.
std::vector<std::string> remarksOf(std::span<const std::pair<std::int64_t, std::string>> changes, std::int64_t firstStep);

/// The file's path: RUN.py for programs, RUN.deepspeed.json and similar for settings.
std::filesystem::path snippetFile(const std::filesystem::path& folder, const std::string& runName, Framework framework);

struct WrittenSnippet {
    std::vector<std::filesystem::path> files;
    std::vector<std::string> leftOut;
};

/// Writes the snippet into `path`, and beside a program RUN.py its input files: RUN.batches.npy, int32 [batches, samples], the samples (for
/// tokens, the starts of the windows) of each micro-batch; RUN.data.npz, unless the data are the user's own files; RUN.initial.safetensors,
/// unless the framework initialises weights itself. Throws std::filesystem::filesystem_error if a file cannot be written, InputError and
/// DataError for weights and data that cannot be read.
WrittenSnippet writeSnippet(const RunSettings& run, Framework framework, const std::filesystem::path& path,
                            const std::vector<std::string>& remarks = {});

}  // namespace mantissa
