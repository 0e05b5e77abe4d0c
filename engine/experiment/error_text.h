// SPDX-License-Identifier: Apache-2.0
// What an exception says to people. Pure; any thread.
#pragma once

#include <exception>
#include <string>

namespace mantissa {

/// The sentence of `error`, without what libraries write around theirs: "[json.exception.out_of_range.403] key 'step' not found" becomes
/// "key 'step' not found", "filesystem error: cannot be written: No space left on device [a.csv]" becomes
/// "a.csv: cannot be written: No space left on device".
std::string errorText(const std::exception& error);

}  // namespace mantissa
