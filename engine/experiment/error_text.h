// SPDX-License-Identifier: Apache-2.0
// Messages of exceptions for users. Pure; any thread.
#pragma once

#include <exception>
#include <string>

namespace mantissa {

/// Returns the message of `error` without the prefixes and suffixes of libraries: "[json.exception.out_of_range.403] key 'step' not found"
/// becomes "key 'step' not found", "filesystem error: cannot be written: No space left on device [a.csv]" becomes "a.csv: cannot be
/// written: No space left on device".
std::string errorText(const std::exception& error);

}  // namespace mantissa
