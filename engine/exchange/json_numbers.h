// SPDX-License-Identifier: Apache-2.0
// Reads non-finite numbers in other programs' JSON: Python writes them bare, which is not JSON. Pure; any thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "engine/experiment/experiment.h"

namespace mantissa {

/// Puts quotes around NaN, Infinity and -Infinity outside strings.
std::string quoteNonFinite(std::string_view text);
/// A number, or a word for a non-finite one; nothing for other values.
std::optional<double> looseNumberOf(const Json& value);

}  // namespace mantissa
