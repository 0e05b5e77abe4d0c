// SPDX-License-Identifier: Apache-2.0
// For readers that take paths: a folder with the input's files, and how an input is cut into several of them.
#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>

#include "tests/fuzz/refusal.h"

namespace mantissa {

/// A folder below TMPDIR, which goes with the process. Files stay open between inputs: making them again takes several times as long.
class InputFolder {
public:
    InputFolder() {
        std::string pattern = (std::filesystem::temp_directory_path() / "mantissa_fuzz_XXXXXX").string();
        require(mkdtemp(pattern.data()) != nullptr);
        m_path = pattern;
    }
    ~InputFolder() {
        for (const auto& [name, file] : m_files) close(file);
        std::error_code ignored;
        std::filesystem::remove_all(m_path, ignored);
    }
    InputFolder(const InputFolder&) = delete;
    InputFolder& operator=(const InputFolder&) = delete;

    const std::string& path() const { return m_path; }
    void write(const std::string& name, std::string_view bytes) {
        const auto [at, isNew] = m_files.try_emplace(name, -1);
        if (isNew) at->second = open((m_path + "/" + name).c_str(), O_CREAT | O_RDWR, 0600);
        const auto size = static_cast<off_t>(bytes.size());
        require(pwrite(at->second, bytes.data(), bytes.size(), 0) == size && ftruncate(at->second, size) == 0);
    }

private:
    std::string m_path;
    std::map<std::string, int> m_files;
};

/// Takes parts off the front of an input. What is not there is 0, or empty.
class Cutter {
public:
    Cutter(const std::uint8_t* data, std::size_t size) : m_rest(reinterpret_cast<const char*>(data), size) {}

    std::uint8_t byte() {
        const std::string_view taken = bytes(1);
        return taken.empty() ? 0 : static_cast<std::uint8_t>(taken[0]);
    }
    std::string_view bytes(std::size_t most) {
        const std::string_view taken = m_rest.substr(0, most);
        m_rest.remove_prefix(taken.size());
        return taken;
    }
    /// A part behind its length of two bytes, the low one first.
    std::string_view part() {
        const std::size_t low = byte(), high = byte();
        return bytes(low | high << 8);
    }
    std::string_view rest() { return bytes(m_rest.size()); }

private:
    std::string_view m_rest;
};

}  // namespace mantissa
