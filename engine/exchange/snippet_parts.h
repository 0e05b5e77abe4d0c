// SPDX-License-Identifier: Apache-2.0
// The frameworks' programs and their models, each in a file of its own. Pure; any thread.
#pragma once

#include <string>

#include "engine/experiment/experiment.h"

namespace mantissa {

std::string pytorchProgram(const RunSettings& run, const DataShape& data);
/// Classes, and `model = ...` at the end; parameters named as ours, so that weights can be exchanged.
std::string pytorchModel(const ModelSettings& model, const DataShape& data);
/// class LossScaler: the preset with its numbers, written out.
std::string pytorchScaler(const ScalerSettings& settings);

std::string kerasProgram(const RunSettings& run, const DataShape& data);
std::string kerasModel(const ModelSettings& model, const DataShape& data);

}  // namespace mantissa
