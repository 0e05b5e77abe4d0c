// SPDX-License-Identifier: Apache-2.0
#include "engine/recording/log_beside.h"

#include <array>
#include <cstring>
#include <filesystem>
#include <fstream>

namespace mantissa {
namespace {

namespace fs = std::filesystem;

// sqlite.org/fileformat.html, 4.1: a log's header, and that of its first page. Pages of the log as it is have the header's two salts.
constexpr std::size_t kLogHeaderBytes = 32, kPageHeaderBytes = 24, kSaltBytes = 8;
constexpr std::size_t kSaltOfLog = 16, kSaltOfPage = kLogHeaderBytes + 8;

}  // namespace

bool hasPages(const std::string& log) {
    std::array<char, kLogHeaderBytes + kPageHeaderBytes> bytes{};
    std::ifstream in(log, std::ios::binary);
    if (!in.read(bytes.data(), bytes.size())) return false;
    return std::memcmp(&bytes[kSaltOfLog], &bytes[kSaltOfPage], kSaltBytes) == 0;
}

PrivateCopy::PrivateCopy(const std::string& file) {
    for (const auto& [from, to] : {std::pair(file, path()), std::pair(logOf(file), logOf(path()))}) {
        fs::copy_file(from, to);
        fs::permissions(to, fs::perms::owner_read | fs::perms::owner_write);
    }
}

}  // namespace mantissa
