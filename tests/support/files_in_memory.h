// SPDX-License-Identifier: Apache-2.0
// What a killed program loses is asked of the program, not of the disk: one that is busy takes half a second to sync a page.
#pragma once

#include <stdlib.h>

#include <filesystem>

namespace mantissa::test {

/// Temporary folders of this process, and of those that it starts, are in memory from here on. Where there is no room, all stays as it was.
inline void keepFilesInMemory() {
    constexpr const char* kFolder = "/dev/shm";
    std::error_code failed;
    const std::filesystem::space_info room = std::filesystem::space(kFolder, failed);
    if (!failed && room.available > (std::uintmax_t{512} << 20)) setenv("TMPDIR", kFolder, 1);
}

}  // namespace mantissa::test
