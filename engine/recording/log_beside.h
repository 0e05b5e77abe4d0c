// SPDX-License-Identifier: Apache-2.0
// The write-ahead log beside a recording, NAME-wal: what a killed program wrote last is there and nowhere else. Internal to
// engine/recording. One thread at a time.
#pragma once

#include <string>

#include "engine/recording/temporary_folder.h"

namespace mantissa {

/// SQLite's name for it. `file` is no symbolic link: SQLite looks beside the file itself.
inline std::string logOf(const std::string& file) {
    return file + "-wal";
}

/// Whether the log has anything to add to its file, by its first bytes: a log that was begun anew has older pages behind them.
bool hasPages(const std::string& log);

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
