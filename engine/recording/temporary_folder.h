// SPDX-License-Identifier: Apache-2.0
// A private folder below the system's temporary folder, removed with its content by the destructor. One thread.
#pragma once

#include <stdlib.h>

#include <cerrno>
#include <filesystem>
#include <system_error>

namespace mantissa {

class TemporaryFolder {
public:
    /// Throws std::system_error.
    TemporaryFolder() : m_path((std::filesystem::temp_directory_path() / "mantissa-XXXXXX").string()) {
        if (mkdtemp(m_path.data()) == nullptr) throw std::system_error(errno, std::generic_category(), m_path);
    }
    ~TemporaryFolder() {
        std::error_code ignored;
        std::filesystem::remove_all(m_path, ignored);
    }
    TemporaryFolder(const TemporaryFolder&) = delete;
    TemporaryFolder& operator=(const TemporaryFolder&) = delete;

    std::filesystem::path path() const { return m_path; }

private:
    std::string m_path;
};

}  // namespace mantissa
