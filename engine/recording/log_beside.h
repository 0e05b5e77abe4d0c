// SPDX-License-Identifier: Apache-2.0
// The write-ahead log beside a recording, NAME-wal: what a killed program wrote last is there and nowhere else. Internal to
// engine/recording. One thread at a time.
#pragma once

#include <cstdint>
#include <string>

#include "engine/recording/temporary_folder.h"

namespace mantissa {

/// SQLite's name for it. `file` is no symbolic link: SQLite looks beside the file itself.
inline std::string logOf(const std::string& file) {
    return file + "-wal";
}

/// A number of four bytes, as SQLite writes it.
inline std::int64_t bigEndian(const unsigned char* bytes) {
    return std::int64_t{bytes[0]} << 24 | bytes[1] << 16 | bytes[2] << 8 | bytes[3];
}

/// Whether the log says that nothing of it was lost, by its first bytes: it has pages, or it was restarted, and its pages are older ones,
/// all of which are in the file. A program that is killed between a log's new header and its first page leaves the latter.
bool isWhole(const std::string& log);

/// A recording and its log in a folder of this program's own, for as long as it is read: SQLite needs to write beside a log that has lost
/// its index (NAME-shm).
class PrivateCopy {
public:
    /// Throws std::system_error.
    explicit PrivateCopy(const std::string& file);

    std::string path() const { return m_folder.path() / "copy.mantissa"; }

private:
    TemporaryFolder m_folder;
};

}  // namespace mantissa
