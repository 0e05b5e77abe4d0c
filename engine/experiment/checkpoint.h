// SPDX-License-Identifier: Apache-2.0
// Weights from elsewhere, fitted to a model: files as PyTorch, torchvision, nanoGPT and Hugging Face's Llama save them.
// Pure functions but for reading files; any thread. InputError for what does not fit.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/models/model.h"

namespace mantissa {

/// `tensors` in the order of `shapes`, under the model's names. A prefix that all tensors share, torch.compile's "_orig_mod." or
/// DistributedDataParallel's "module.", is taken off; bookkeeping is left out; a tied head may be there under either of its names, and
/// under both if it is the same. Throws InputError that names all that is missing, left over or of another shape.
std::vector<NamedTensor> matchWeights(std::vector<NamedTensor> tensors, const std::vector<ParameterShape>& shapes,
                                      const std::string& source);

/// Whether `init.weights` names weights that the program ships: "bundled:NAME".
bool isBundledWeights(std::string_view weights);

/// What `init.weights` names, as the model wants it.
std::vector<NamedTensor> loadWeights(const std::string& weights, const std::vector<ParameterShape>& shapes);

}  // namespace mantissa
