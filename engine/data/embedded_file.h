// SPDX-License-Identifier: Apache-2.0
// Finds a file that is compiled into the program, by its path. Constant data; any thread.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

#include "resources/embedded.h"

namespace mantissa {

inline std::string_view embeddedText(std::string_view path) {
    for (const EmbeddedFile& file : embeddedFiles()) {
        if (file.path == path) return file.text();
    }
    throw std::runtime_error("this build carries no " + std::string(path));
}

}  // namespace mantissa
