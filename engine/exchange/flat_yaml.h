// SPDX-License-Identifier: Apache-2.0
// The YAML that `accelerate config` writes: keys with values, and objects of them one below another. Pure; any thread.
#pragma once

#include <string>
#include <string_view>

#include "engine/experiment/experiment.h"

namespace mantissa {

/// An object; numbers, true, false, null and text in it. Throws InputError with the line for YAML beyond that: lists, anchors, text over
/// lines.
Json readFlatYaml(std::string_view text, const std::string& source);

}  // namespace mantissa
