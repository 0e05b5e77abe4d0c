// SPDX-License-Identifier: Apache-2.0
// A recording's file as this process holds it beside SQLite: who may write it, and its first bytes.
//
// Any descriptor of a file that a process closes drops all its POSIX locks of that file, SQLite's among them. So all guards of one file
// share their descriptors, which are closed with the last of them, and a guard outlives what SQLite has open of its file. Any thread.
#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace mantissa {

inline constexpr const char* kInUse = "it is being written to at this moment";

class FileGuard {
public:
    /// Throws InputError when there is no such file, or it is none that can be read.
    explicit FileGuard(const std::string& path);
    ~FileGuard();
    FileGuard(const FileGuard&) = delete;
    FileGuard& operator=(const FileGuard&) = delete;

    /// False when it is being written to already, by this program or another one. Held until the guard goes, however the program ends.
    bool lockForWriting();
    /// Whether somebody else has locked it.
    bool isWritten() const;
    /// Fills as much of `bytes` as there is, from the file's beginning.
    std::size_t readFirst(std::span<unsigned char> bytes) const;

private:
    struct OpenFile;
    struct Registry;
    static Registry& registry();
    OpenFile* m_file = nullptr;
    bool m_isWriter = false;
};

}  // namespace mantissa
