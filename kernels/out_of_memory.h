// SPDX-License-Identifier: Apache-2.0
// No memory for something, in a sentence that says for what, how much was asked for and how much was free. A std::bad_alloc: who asked goes
// without, or ends its run, and the others go on.
#pragma once

#include <cstdint>
#include <new>
#include <optional>
#include <string>

namespace mantissa {

/// "3.2 MiB", "48 bytes".
std::string memoryText(std::int64_t bytes);

class OutOfMemory : public std::bad_alloc {
public:
    /// "no memory for the gradients: 3.2 MiB were asked for, and 1.0 MiB are free". Bytes; where a library asks nobody knows how many.
    OutOfMemory(const std::string& purpose, std::optional<std::int64_t> asked, std::int64_t free);
    const char* what() const noexcept override { return m_sentence.c_str(); }

private:
    std::string m_sentence;
};

}  // namespace mantissa
