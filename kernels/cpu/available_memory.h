// SPDX-License-Identifier: Apache-2.0
// The memory that a run may use without the machine swapping or the kernel killing the process. Any thread.
#pragma once

#include <cstdint>
#include <filesystem>

namespace mantissa::cpu {

/// Available memory in bytes: Linux's estimate, or the rest that the process' control groups allow, whichever is less; a sixteenth of it is
/// reserved for other processes. The largest std::int64_t if unknown. `root`: the folder of /proc and /sys.
std::int64_t availableMemory(const std::filesystem::path& root = "/");

}  // namespace mantissa::cpu
