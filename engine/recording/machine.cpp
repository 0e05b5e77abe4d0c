// SPDX-License-Identifier: Apache-2.0
#include "engine/recording/machine.h"

#include <sqlite3.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <cstdint>
#include <ctime>
#include <random>
#include <thread>

#include "engine/recording/schema.h"

namespace mantissa {
namespace {

/// RFC 4122, version 4: random except for six bits.
std::string newUuid() {
    constexpr char kHex[] = "0123456789abcdef";
    std::random_device random;
    std::string uuid;
    for (int digit = 0; digit < 32; ++digit) {
        if (digit == 8 || digit == 12 || digit == 16 || digit == 20) uuid += '-';
        const unsigned nibble = random() & 15u;
        uuid += kHex[digit == 12 ? 4u : digit == 16 ? 8u | (nibble & 3u) : nibble];
    }
    return uuid;
}

std::string nowText() {
    const std::time_t now = std::time(nullptr);
    std::tm utc{};
    gmtime_r(&now, &utc);
    char text[32];
    return {text, std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &utc)};
}

std::string machineText() {
    std::string text;
    if (utsname names{}; uname(&names) == 0) text = std::string(names.sysname) + " " + names.release + " " + names.machine + ", ";
    text += std::to_string(std::thread::hardware_concurrency()) + " cores";
    const std::int64_t bytes = std::int64_t{sysconf(_SC_PHYS_PAGES)} * sysconf(_SC_PAGESIZE);
    if (bytes > 0) text += ", " + std::to_string((bytes + (1 << 29)) >> 30) + " GiB";
    return text;
}

std::string buildText() {
#if defined(__clang__)
    const std::string compiler = "clang " __clang_version__;
#else
    const std::string compiler = "gcc " __VERSION__;
#endif
    return compiler + ", SQLite " + sqlite3_libversion();
}

}  // namespace

std::map<std::string, std::string> ownFacts() {
    return {
        {kUuidKey, newUuid()}, {"started", nowText()}, {"version", MANTISSA_VERSION}, {"build", buildText()}, {"machine", machineText()}};
}

}  // namespace mantissa
