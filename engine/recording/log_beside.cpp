// SPDX-License-Identifier: Apache-2.0
#include "engine/recording/log_beside.h"

#include <array>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <vector>

namespace mantissa {
namespace {

namespace fs = std::filesystem;

// sqlite.org/fileformat.html, 4.1: headers of a log and of its first page. Valid pages have the two salts of the log's header. A log is
// restarted once all its pages are in the file: the first salt then increases by one, and the second is a random number.
constexpr std::size_t kLogHeaderBytes = 32, kPageHeaderBytes = 24, kSaltBytes = 8;
constexpr std::int64_t kLogMagic = 0x377f0683;  // the last bit is the byte order of the checksums
constexpr std::size_t kRestartsOfLog = 12, kSaltOfLog = 16, kSaltOfPage = kLogHeaderBytes + 8;

/// The checksum of a log, over words of four bytes in the order that its magic number says.
struct LogSum {
    bool isBigEndian = false;
    std::uint32_t first = 0, second = 0;

    void add(const unsigned char* bytes, std::size_t size) {
        for (const unsigned char* end = bytes + size; bytes != end; bytes += 8) {
            first += word(bytes) + second;
            second += word(bytes + 4) + first;
        }
    }
    /// Whether it is the one that is stored there.
    bool isAt(const unsigned char* bytes) const { return bigEndian(bytes) == first && bigEndian(bytes + 4) == second; }

private:
    std::uint32_t word(const unsigned char* bytes) const {
        const unsigned char swapped[] = {bytes[3], bytes[2], bytes[1], bytes[0]};
        return static_cast<std::uint32_t>(bigEndian(isBigEndian ? bytes : swapped));
    }
};

/// Whether no page of the log comes behind one that is damaged, cut short or older. `in` is behind the log's header.
bool isReadToItsEnd(std::ifstream& in, const unsigned char* header) {
    LogSum sum{.isBigEndian = (header[3] & 1) != 0};
    sum.add(header, kLogHeaderBytes - 8);
    const std::int64_t pageBytes = bigEndian(&header[8]);
    if (pageBytes < 512 || pageBytes > 65536) return false;
    std::vector<unsigned char> page(kPageHeaderBytes + static_cast<std::size_t>(pageBytes));
    for (bool hasEnded = false; in.read(reinterpret_cast<char*>(page.data()), static_cast<std::streamsize>(page.size()));) {
        const bool isOlder = std::memcmp(&header[kSaltOfLog], &page[8], kSaltBytes) != 0;
        if (hasEnded && !isOlder) return false;
        if (!isOlder) {
            sum.add(page.data(), 8);
            sum.add(&page[kPageHeaderBytes], static_cast<std::size_t>(pageBytes));
        }
        hasEnded = isOlder || !sum.isAt(&page[16]);
    }
    return true;
}

}  // namespace

std::optional<std::int64_t> idOfLog(const std::string& log) {
    std::array<unsigned char, kLogHeaderBytes> bytes{};
    std::error_code error;
    if (!fs::is_regular_file(log, error)) return std::nullopt;  // opening a pipe would wait for its other end
    std::ifstream in(log, std::ios::binary);
    if (!in.read(reinterpret_cast<char*>(bytes.data()), bytes.size()) || (bigEndian(bytes.data()) | 1) != kLogMagic) return std::nullopt;
    return static_cast<std::uint32_t>(bigEndian(&bytes[kSaltOfLog]) - bigEndian(&bytes[kRestartsOfLog]));
}

bool isWhole(const std::string& log) {
    std::array<unsigned char, kLogHeaderBytes + kPageHeaderBytes> bytes{};
    std::ifstream in(log, std::ios::binary);
    if (!in.read(reinterpret_cast<char*>(bytes.data()), bytes.size())) return false;
    if (std::memcmp(&bytes[kSaltOfLog], &bytes[kSaltOfPage], kSaltBytes) == 0) {
        in.seekg(kLogHeaderBytes);
        return isReadToItsEnd(in, bytes.data());
    }
    return bigEndian(&bytes[kSaltOfLog]) == (bigEndian(&bytes[kSaltOfPage]) + 1) % (std::int64_t{1} << 32);
}

PrivateCopy::PrivateCopy(const std::string& file) {
    for (const auto& [from, to] : {std::pair(file, path()), std::pair(logOf(file), logOf(path()))}) {
        fs::copy_file(from, to);
        fs::permissions(to, fs::perms::owner_read | fs::perms::owner_write);
    }
}

}  // namespace mantissa
