// SPDX-License-Identifier: Apache-2.0
// Reads files of data sets, which are not trusted: sizes are known before any allocation. All throw DataError with the file's name.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "engine/data/dataset.h"

namespace mantissa {

/// Limit of a data set in memory, and of a file's read size, in bytes.
inline constexpr std::int64_t kMostDataBytes = std::int64_t{8} << 30;

[[noreturn]] void refuseFile(const std::filesystem::path& file, const std::string& sentence);

/// Reads a whole regular file; refuses pipes and devices, which may never end.
std::string readFile(const std::filesystem::path& file, std::int64_t most = kMostDataBytes);

/// Returns `settings.path`, which must be a folder. `holds`: its expected content, for the error message.
std::filesystem::path folderOf(const DataSettings& settings, const char* holds);

/// Decompresses gzip, at most `most` bytes; `isWhole` is set to whether that is all. Throws if the data before that is damaged.
std::string gunzip(const std::filesystem::path& file, std::string_view packed, std::int64_t most, bool& isWhole);

/// Refuses more than kMostDataBytes of fp32, or more samples than a 32-bit index allows.
void requireFits(const std::string& key, const std::string& what, double samples, double valuesEach);

}  // namespace mantissa
