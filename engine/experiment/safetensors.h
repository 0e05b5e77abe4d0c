// SPDX-License-Identifier: Apache-2.0
// safetensors: u64 little-endian header length, a JSON header from tensor name to {dtype, shape, data_offsets}, packed little-endian data.
// A file is not trusted: sizes are checked before anything is allocated. NaN and Inf in tensors are legal content.
// InputError for bad files, with the pointer into the header; std::runtime_error when writing fails.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "engine/models/model.h"

namespace mantissa {

inline constexpr std::uint64_t kMaxHeaderBytes = 100'000'000;  // the reference implementation's limit

/// All tensors of the file, in the order of its header. F32, F16 and BF16 are read, to float; the format's other types are refused by name.
std::vector<NamedTensor> readSafetensors(const std::filesystem::path& path);

/// `tensors` in the order of `shapes`. Throws InputError that names all that is missing, left over or of another shape.
std::vector<NamedTensor> matchWeights(std::vector<NamedTensor> tensors, const std::vector<ParameterShape>& shapes,
                                      const std::string& source);

/// A file as `init.weights` wants it: exactly the model's parameters.
std::vector<NamedTensor> loadWeights(const std::filesystem::path& path, const std::vector<ParameterShape>& shapes);

/// Writes each tensor in its own format: F32, F16 or BF16. The file appears whole or not at all.
void writeSafetensors(const std::filesystem::path& path, const std::vector<NamedTensor>& tensors);

}  // namespace mantissa
