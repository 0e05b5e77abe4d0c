// SPDX-License-Identifier: Apache-2.0
// safetensors: u64 little-endian header length, a JSON header from tensor name to {dtype, shape, data_offsets}, packed little-endian data.
// A file is not trusted: sizes are checked before anything is allocated. NaN and Inf in tensors are legal content.
// InputError for bad files, with the pointer into the header; std::runtime_error when writing fails.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "engine/models/model.h"

namespace mantissa {

inline constexpr std::uint64_t kMaxHeaderBytes = 100'000'000;  // the reference implementation's limit

/// The tensors of the file, in the order of its header. F32, F16 and BF16 are read, to float; the format's other types are refused by name,
/// but for an original's bookkeeping, which is left out.
std::vector<NamedTensor> readSafetensors(const std::filesystem::path& path);
/// The same of a file in memory.
std::vector<NamedTensor> parseSafetensors(std::string_view bytes, const std::string& source);

/// Writes each tensor in its own format: F32, F16 or BF16. The file appears whole or not at all.
void writeSafetensors(const std::filesystem::path& path, const std::vector<NamedTensor>& tensors);

}  // namespace mantissa
