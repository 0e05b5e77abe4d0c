// SPDX-License-Identifier: Apache-2.0
// Puts temporary files into memory: tests of killed programs test the program, not the disk, and a busy disk takes half a second to sync a
// page.
#pragma once

#include <stdlib.h>

#include <filesystem>

namespace mantissa::test {

/// Puts temporary folders of this process, and of those that it starts, into memory from here on. Without enough space nothing changes.
inline void keepFilesInMemory() {
    constexpr const char* kFolder = "/dev/shm";
    std::error_code failed;
    const std::filesystem::space_info room = std::filesystem::space(kFolder, failed);
    if (!failed && room.available > (std::uintmax_t{512} << 20)) setenv("TMPDIR", kFolder, 1);
}

}  // namespace mantissa::test
