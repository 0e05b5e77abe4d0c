// SPDX-License-Identifier: Apache-2.0
// Numbers that are not finite in JSON by other programs: Python writes them bare, which is no JSON. Pure; any thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "engine/experiment/experiment.h"

namespace mantissa {

/// The text with quotes around NaN, Infinity and -Infinity outside strings.
std::string quoteNonFinite(std::string_view text);
/// A number, or a word for one that is not finite; nothing for any other value.
std::optional<double> looseNumberOf(const Json& value);

}  // namespace mantissa
