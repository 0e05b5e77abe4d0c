// SPDX-License-Identifier: Apache-2.0
// What each reader promises: it reads its input, or refuses it in one line.
#pragma once

#include <cstdlib>
#include <string>

namespace mantissa {

/// Runs `read`. Stops the program where it throws an `Error` of more than one line; any other exception stops it by itself.
template <class Error, class Read>
void expectReadOrRefused(Read read) {
    try {
        read();
    } catch (const Error& error) {
        if (std::string(error.what()).find('\n') != std::string::npos) std::abort();
    }
}

/// Stops the program where something does not hold that the reader promises.
inline void require(bool holds) {
    if (!holds) std::abort();
}

}  // namespace mantissa
