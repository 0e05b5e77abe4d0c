// SPDX-License-Identifier: Apache-2.0
// Reads the YAML subset of `accelerate config`: keys with values, and nested objects. Pure; any thread.
#pragma once

#include <string>
#include <string_view>

#include "engine/experiment/experiment.h"

namespace mantissa {

/// Parses an object with numbers, true, false, null and text. Throws InputError with the line for other YAML: lists, anchors, multi-line
/// text.
Json readFlatYaml(std::string_view text, const std::string& source);

}  // namespace mantissa
