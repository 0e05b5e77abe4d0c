// SPDX-License-Identifier: Apache-2.0
// The exception for a failed allocation, with its purpose, the size requested and the free memory. A std::bad_alloc: the requester
// continues without the memory or ends its run; other runs continue.
#pragma once

#include <cstdint>
#include <new>
#include <optional>
#include <string>

namespace mantissa {

/// A size for display: "3.2 MiB", "48 bytes".
std::string memoryText(std::int64_t bytes);

class OutOfMemory : public std::bad_alloc {
public:
    /// "no memory for the gradients: 3.2 MiB were asked for, and 1.0 MiB are free". Sizes in bytes; no `asked`: a library's request of
    /// unknown size.
    OutOfMemory(const std::string& purpose, std::optional<std::int64_t> asked, std::int64_t free);
    const char* what() const noexcept override { return m_sentence.c_str(); }

private:
    std::string m_sentence;
};

}  // namespace mantissa
