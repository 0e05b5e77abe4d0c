// SPDX-License-Identifier: Apache-2.0
// The frameworks' programs and their models, each in a separate file. Pure; any thread.
#pragma once

#include <string>
#include <vector>

#include "engine/exchange/snippet.h"

namespace mantissa {

/// The number of the run's steps whose batches are written to a file.
std::int64_t programSteps(const TrainingSettings& training);

/// `remarks`: further omissions, in sentences.
std::string pytorchProgram(const RunSettings& run, const DataShape& data, const std::vector<std::string>& remarks);
/// Classes, and `model = ...` at the end; parameters have our names, so that weights can be exchanged.
std::string pytorchModel(const ModelSettings& model, const DataShape& data);
/// class LossScaler: the preset with its numbers, written out.
std::string pytorchScaler(const ScalerSettings& settings);

Snippet huggingFaceSettings(const RunSettings& run);
Snippet accelerateSettings(const RunSettings& run);
Snippet deepSpeedSettings(const RunSettings& run);

std::string kerasProgram(const RunSettings& run, const DataShape& data, const std::vector<std::string>& remarks);
std::string kerasModel(const ModelSettings& model, const DataShape& data);

}  // namespace mantissa
