// SPDX-License-Identifier: Apache-2.0
// Reads one line of a `do` block. Pure functions; any thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/lessons/lesson.h"

namespace mantissa {

/// Reads an action. `runs`: the experiment's runs. Throws InputError with source `place`.
LessonAction readAction(std::string_view line, const std::string& place, const std::vector<std::string>& runs);

}  // namespace mantissa
