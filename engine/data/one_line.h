// SPDX-License-Identifier: Apache-2.0
// Escapes names, keys and texts of files, so that an error message that quotes them stays one line. Pure; any thread.
#pragma once

#include <string>
#include <string_view>

namespace mantissa {

/// Escapes each control character, "a\u000ab" for a line feed between a and b, and each byte that is no UTF-8: "\xff".
std::string oneLine(std::string_view text);

}  // namespace mantissa
