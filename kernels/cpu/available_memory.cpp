// SPDX-License-Identifier: Apache-2.0
// Sources: proc(5) for MemAvailable, cgroups(7), the kernel's admin-guide on cgroup-v1/memory and cgroup-v2.
#include "kernels/cpu/available_memory.h"

#include <algorithm>
#include <fstream>
#include <limits>
#include <optional>
#include <string>

namespace mantissa::cpu {
namespace {

constexpr std::int64_t kUnknown = std::numeric_limits<std::int64_t>::max();

/// The number that is a file's whole content; nullopt if there is no such file, or it says "max".
std::optional<std::int64_t> numberIn(const std::filesystem::path& file) {
    std::ifstream in(file);
    std::int64_t number = 0;
    return in >> number ? std::optional(number) : std::nullopt;
}

/// The number after `key` in a file of lines "key number"; 0 if there is none.
std::int64_t numberAfter(const std::filesystem::path& file, const std::string& key) {
    std::ifstream in(file);
    std::string word, rest;
    for (std::int64_t number = 0; in >> word >> number; std::getline(in, rest)) {
        if (word == key) return number;
    }
    return 0;
}

struct GroupFiles {
    const char *limit, *usage, *reclaimable;  // reclaimable: a key of memory.stat, the page cache that the kernel can free
};
constexpr GroupFiles kVersion1{"memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"};
constexpr GroupFiles kVersion2{"memory.max", "memory.current", "inactive_file"};

/// The smallest remaining allowance of a group and its ancestors, up to `mount`.
std::int64_t allowedBy(const std::filesystem::path& mount, const std::string& group, const GroupFiles& files) {
    std::int64_t least = kUnknown;
    std::filesystem::path place = std::filesystem::path(group).relative_path();
    while (true) {
        const std::filesystem::path folder = mount / place;
        const auto limit = numberIn(folder / files.limit), usage = numberIn(folder / files.usage);
        if (limit && usage)
            least = std::min(least, std::max<std::int64_t>(0, *limit - *usage + numberAfter(folder / "memory.stat", files.reclaimable)));
        if (place.empty()) return least;
        place = place.parent_path();
    }
}

std::int64_t allowedByGroups(const std::filesystem::path& root) {
    const std::filesystem::path mount = root / "sys/fs/cgroup";
    std::ifstream in(root / "proc/self/cgroup");  // lines "number:controllers:path"; version 2's is "0::path"
    std::int64_t least = kUnknown;
    for (std::string line; std::getline(in, line);) {
        const std::size_t first = line.find(':'), second = line.find(':', first + 1);
        if (first == std::string::npos || second == std::string::npos) continue;
        const std::string controllers = "," + line.substr(first + 1, second - first - 1) + ",", path = line.substr(second + 1);
        if (controllers == ",,") least = std::min(least, allowedBy(mount, path, kVersion2));
        if (controllers.find(",memory,") != std::string::npos) least = std::min(least, allowedBy(mount / "memory", path, kVersion1));
    }
    return least;
}

}  // namespace

std::int64_t availableMemory(const std::filesystem::path& root) {
    const std::int64_t kilobytes = numberAfter(root / "proc/meminfo", "MemAvailable:");
    const std::int64_t bytes = std::min(kilobytes > 0 ? kilobytes * 1024 : kUnknown, allowedByGroups(root));
    return bytes == kUnknown ? kUnknown : bytes - bytes / 16;
}

}  // namespace mantissa::cpu
