// SPDX-License-Identifier: Apache-2.0
#include "kernels/out_of_memory.h"

#include <cstdio>

namespace mantissa {

std::string memoryText(std::int64_t bytes) {
    constexpr double kMebi = 1024.0 * 1024.0, kGibi = 1024 * kMebi, kLeastShown = 0.05 * kMebi;
    const auto size = static_cast<double>(bytes);
    if (size > 0 && size < kLeastShown) return std::to_string(bytes) + " bytes";
    char text[32];
    std::snprintf(text, sizeof text, size < kGibi ? "%.1f MiB" : "%.1f GiB", size / (size < kGibi ? kMebi : kGibi));
    return text;
}

OutOfMemory::OutOfMemory(const std::string& purpose, std::optional<std::int64_t> asked, std::int64_t free)
    : m_sentence("no memory for " + purpose + ": " + (asked ? memoryText(*asked) + " were asked for, and " : "") + memoryText(free) +
                 " are free") {}

}  // namespace mantissa
