// SPDX-License-Identifier: Apache-2.0
// Loading of weights that PyTorch, torchvision, nanoGPT or Hugging Face's Llama saved. Any thread. Throws InputError for weights that do
// not match the model.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/models/model.h"

namespace mantissa {

/// Returns `tensors` in the order of `shapes`, with the model's names. A prefix that all tensors share, torch.compile's "_orig_mod." or
/// DistributedDataParallel's "module.", is removed; bookkeeping tensors are omitted. A tied head may have either name, or both if the
/// values are equal. Throws InputError that lists all missing, surplus and misshapen tensors.
std::vector<NamedTensor> matchWeights(std::vector<NamedTensor> tensors, const std::vector<ParameterShape>& shapes,
                                      const std::string& source);

/// Whether `init.weights` names bundled weights: "bundled:NAME".
bool isBundledWeights(std::string_view weights);

/// Loads the weights that `init.weights` names. Throws InputError as `matchWeights`.
std::vector<NamedTensor> loadWeights(const std::string& weights, const std::vector<ParameterShape>& shapes);

}  // namespace mantissa
