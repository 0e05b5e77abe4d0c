// SPDX-License-Identifier: Apache-2.0
// safetensors: u64 little-endian header length, a JSON header from tensor name to {dtype, shape, data_offsets}, packed little-endian data.
// Files are not trusted: sizes are checked before anything is allocated. NaN and Inf in tensors are allowed. Throws InputError for bad
// files, with the pointer into the header, and std::runtime_error if writing fails.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "engine/models/model.h"

namespace mantissa {

inline constexpr std::uint64_t kMaxHeaderBytes = 100'000'000;  // the reference implementation's limit

/// Reads a file's tensors, in the order of its header, converted to float. F32, F16 and BF16 are supported; other types are refused, except
/// bookkeeping tensors, which are omitted.
std::vector<NamedTensor> readSafetensors(const std::filesystem::path& path);
/// Reads the tensors of a file in memory. `source` names it in errors.
std::vector<NamedTensor> parseSafetensors(std::string_view bytes, const std::string& source);

/// Writes each tensor in its own format: F32, F16 or BF16. The file is written completely or not at all.
void writeSafetensors(const std::filesystem::path& path, const std::vector<NamedTensor>& tensors);

}  // namespace mantissa
