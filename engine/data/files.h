// SPDX-License-Identifier: Apache-2.0
// Files of data sets, which are not trusted: sizes are known before anything is allocated. All throw DataError with the file's name.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "engine/data/dataset.h"

namespace mantissa {

/// The most that a data set may hold in memory, and that is read of a file.
inline constexpr std::int64_t kMostDataBytes = std::int64_t{8} << 30;

[[noreturn]] void refuseFile(const std::filesystem::path& file, const std::string& sentence);

/// The whole of a regular file; a pipe or a device, which may never end, is refused.
std::string readFile(const std::filesystem::path& file, std::int64_t most = kMostDataBytes);

/// `settings.path`, which must be a folder. `holds`: what to say is expected in it.
std::filesystem::path folderOf(const DataSettings& settings, const char* holds);

/// Inflates gzip, at most `most` bytes of it; `isWhole` says whether that was all. Throws when the data is damaged before that.
std::string gunzip(const std::filesystem::path& file, std::string_view packed, std::int64_t most, bool& isWhole);

/// Refuses more than kMostDataBytes of fp32, or more samples than an index of 32 bits counts.
void requireFits(const std::string& key, const std::string& what, double samples, double valuesEach);

}  // namespace mantissa
