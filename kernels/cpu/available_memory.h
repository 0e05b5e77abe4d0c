// SPDX-License-Identifier: Apache-2.0
// How much memory a run may take here without the machine swapping or the kernel ending the process. Any thread.
#pragma once

#include <cstdint>
#include <filesystem>

namespace mantissa::cpu {

/// Bytes: what Linux says is available, or what the process' control groups still allow, whichever is less; a sixteenth of it is left to
/// everybody else. The largest std::int64_t where nothing tells. `root`: where /proc and /sys lie.
std::int64_t availableMemory(const std::filesystem::path& root = "/");

}  // namespace mantissa::cpu
