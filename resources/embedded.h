// SPDX-License-Identifier: Apache-2.0
// The files shipped inside the programs. Constant data; any thread.
#pragma once

#include <span>
#include <string_view>

namespace mantissa {

struct EmbeddedFile {
    std::string_view path;                  // relative to resources/: "data/digits.csv.gz"
    std::span<const unsigned char> bytes;
    std::string_view text() const { return {reinterpret_cast<const char*>(bytes.data()), bytes.size()}; }
};

std::span<const EmbeddedFile> embeddedFiles();

}  // namespace mantissa
