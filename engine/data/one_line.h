// SPDX-License-Identifier: Apache-2.0
// What names, keys and texts of a file may do to a sentence that quotes them: a refusal stays one line. Pure; any thread.
#pragma once

#include <string>
#include <string_view>

namespace mantissa {

/// The text with each control character escaped: "a\u000ab" for a line feed between a and b.
std::string oneLine(std::string_view text);

}  // namespace mantissa
