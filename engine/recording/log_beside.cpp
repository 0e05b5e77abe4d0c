// SPDX-License-Identifier: Apache-2.0
#include "engine/recording/log_beside.h"

#include <array>
#include <cstring>
#include <filesystem>
#include <fstream>

namespace mantissa {
namespace {

namespace fs = std::filesystem;

// sqlite.org/fileformat.html, 4.1: headers of a log and of its first page. Valid pages have the two salts of the log's header. A log is
// restarted once all its pages are in the file: the first salt then increases by one, and the second is a random number.
constexpr std::size_t kLogHeaderBytes = 32, kPageHeaderBytes = 24, kSaltBytes = 8;
constexpr std::size_t kSaltOfLog = 16, kSaltOfPage = kLogHeaderBytes + 8;

}  // namespace

bool isWhole(const std::string& log) {
    std::array<unsigned char, kLogHeaderBytes + kPageHeaderBytes> bytes{};
    std::ifstream in(log, std::ios::binary);
    if (!in.read(reinterpret_cast<char*>(bytes.data()), bytes.size())) return false;
    if (std::memcmp(&bytes[kSaltOfLog], &bytes[kSaltOfPage], kSaltBytes) == 0) return true;
    return bigEndian(&bytes[kSaltOfLog]) == (bigEndian(&bytes[kSaltOfPage]) + 1) % (std::int64_t{1} << 32);
}

PrivateCopy::PrivateCopy(const std::string& file) {
    for (const auto& [from, to] : {std::pair(file, path()), std::pair(logOf(file), logOf(path()))}) {
        fs::copy_file(from, to);
        fs::permissions(to, fs::perms::owner_read | fs::perms::owner_write);
    }
}

}  // namespace mantissa
