// SPDX-License-Identifier: Apache-2.0
// Pieces of Python programs, and what both frameworks' programs share: data in numpy, the learning rate's factor. Pure; any thread.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/experiment/experiment.h"

namespace mantissa::python {

/// `text` with @name@ replaced by the value of that name; a line that is nothing but a name whose value is empty goes away.
std::string fill(std::string_view text, std::initializer_list<std::pair<std::string_view, std::string>> values);

std::string number(double value);  // a float's literal: "65536.0", "1e-08"
std::string number(std::int64_t value);
std::string truth(bool value);
std::string quoted(const std::string& text);
std::string list(const std::vector<std::int64_t>& values);  // "[128, 128]"

/// Import lines for those modules of Python's own that `program` uses.
std::string importsOf(std::string_view program);

/// The first lines: what the program is, where its numbers begin, and what of the run is not in it.
std::string heading(const RunSettings& run, std::string_view framework, std::string_view beginning,
                    const std::vector<std::string>& leftOut);

/// What no framework's program has, in words: formats of single layers, accumulators, ...
std::vector<std::string> leftOutEverywhere(const RunSettings& run);

/// Whether a program reads the user's own files of this data set. All other data go into a file beside the program.
bool readsDataFiles(const DataSettings& data);
/// load_data() and batches(), in numpy. Of tokens: windows, and the tokens that follow them; of images [n, height, width, channels] for
/// models that take images, else [n, features].
std::string dataFunctions(const RunSettings& run, const DataShape& data);
/// Whether the labels are classes: tokens', or those of vectors and images.
bool hasClasses(const RunSettings& run, const DataShape& data);
/// Whether cross-entropy computes in fp32 whatever format the logits are in.
bool widensLogits(const RunSettings& run);

/// def lr_factor(step): what the rate is multiplied with. Empty for a constant rate.
std::string scheduleFunction(const TrainingSettings& training);

}  // namespace mantissa::python
