// SPDX-License-Identifier: Apache-2.0
// Pieces of Python programs, common to both frameworks: data in numpy, the learning rate's factor. Pure; any thread.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/experiment/experiment.h"

namespace mantissa::python {

/// Replaces @name@ in `text` by the value of that name; removes a line that consists only of a name with an empty value.
std::string fill(std::string_view text, std::initializer_list<std::pair<std::string_view, std::string>> values);

std::string number(double value);  // a float's literal: "65536.0", "1e-08"
std::string number(std::int64_t value);
std::string truth(bool value);
std::string quoted(const std::string& text);
std::string list(const std::vector<std::int64_t>& values);  // "[128, 128]"

/// Import lines for the standard-library modules that `program` uses.
std::string importsOf(std::string_view program);

/// The first lines of a program: its purpose, the origin of its initial values, and what it omits of the run.
std::string heading(const RunSettings& run, std::string_view framework, std::string_view beginning,
                    const std::vector<std::string>& leftOut);

/// What every framework's program omits, in sentences: formats of single layers, accumulators, ...
std::vector<std::string> leftOutEverywhere(const RunSettings& run);

/// Adds the sentence for frameworks without Muon.
void noteMuon(std::vector<std::string>& leftOut, const OptimizerSettings& optimizer);

/// The width of the gated MLP in the Llama that is trained here; 0 for other models.
std::int64_t gatedWidth(const ModelSettings& model, const DataShape& data);

/// Whether a program reads the user's own files of this data set. All other data are written to a file beside the program.
bool readsDataFiles(const DataSettings& data);
/// load_data() and batches(), in numpy. For tokens: windows, and the tokens that follow them; for images [n, height, width, channels] if
/// the model takes images, otherwise [n, features].
std::string dataFunctions(const RunSettings& run, const DataShape& data);
/// Whether the labels are classes: tokens, or those of vectors and images.
bool hasClasses(const RunSettings& run, const DataShape& data);
/// Whether cross-entropy computes in fp32 regardless of the logits' format.
bool widensLogits(const RunSettings& run);

/// def lr_factor(step): the factor of the learning rate. Empty for a constant rate.
std::string scheduleFunction(const TrainingSettings& training);

}  // namespace mantissa::python
