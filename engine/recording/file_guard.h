// SPDX-License-Identifier: Apache-2.0
// Holds a recording's file in this process, in addition to SQLite: the write lock, and the first bytes.
//
// Closing any descriptor of a file releases all POSIX locks of the process on that file, including SQLite's. So all guards of one file
// share their descriptors, which are closed with the last guard, and a guard must outlive SQLite's handles of its file. Any thread.
#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace mantissa {

inline constexpr const char* kInUse = "it is being written to at this moment";

class FileGuard {
public:
    /// Opens the file. Throws InputError if it does not exist or cannot be read.
    explicit FileGuard(const std::string& path);
    ~FileGuard();
    FileGuard(const FileGuard&) = delete;
    FileGuard& operator=(const FileGuard&) = delete;

    /// Takes the write lock, held until the guard is destroyed or the program ends. Returns false if this program or another one holds it.
    bool lockForWriting();
    /// Whether another guard or program holds the write lock.
    bool isWritten() const;
    /// Reads up to `bytes.size()` bytes from the file's beginning. Returns their number.
    std::size_t readFirst(std::span<unsigned char> bytes) const;

private:
    struct OpenFile;
    struct Registry;
    static Registry& registry();
    OpenFile* m_file = nullptr;
    bool m_isWriter = false;
};

}  // namespace mantissa
