// SPDX-License-Identifier: Apache-2.0
// The write-ahead log beside a recording, NAME-wal: after a program was killed, only the log has its last writes. Internal to
// engine/recording. One thread at a time.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "engine/recording/temporary_folder.h"

namespace mantissa {

/// SQLite's name for the log. `file` must not be a symbolic link: SQLite uses the folder of the file itself.
inline std::string logOf(const std::string& file) {
    return file + "-wal";
}

/// A big-endian number of four bytes, as SQLite stores it.
inline std::int64_t bigEndian(const unsigned char* bytes) {
    return std::int64_t{bytes[0]} << 24 | bytes[1] << 16 | bytes[2] << 8 | bytes[3];
}

/// Whether the log is complete: it has pages, and behind the last one whose checksum is right there is at most one that was begun; or it
/// was restarted and its pages are older ones that are all in the file. The latter is left by a program killed between a log's new header
/// and its first page. SQLite reads a log up to the first page that is damaged.
bool isWhole(const std::string& log);

/// A number that differs for the logs of other recordings: the first salt, less the number of times that the log was restarted. It stays the
/// same while one program writes, except that it may change once when a program goes on with a log that it found. Nothing: there is no log.
std::optional<std::int64_t> idOfLog(const std::string& log);

/// A copy of a recording and its log in a private folder, for reading: SQLite must write beside a log without its index (NAME-shm).
class PrivateCopy {
public:
    /// Copies the files. Throws std::system_error.
    explicit PrivateCopy(const std::string& file);

    std::string path() const { return m_folder.path() / "copy.mantissa"; }

private:
    TemporaryFolder m_folder;
};

}  // namespace mantissa
