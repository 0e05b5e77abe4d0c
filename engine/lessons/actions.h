// SPDX-License-Identifier: Apache-2.0
// One line of a `do` block. Pure functions; any thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/lessons/lesson.h"

namespace mantissa {

/// `runs`: those that the experiment has. Throws InputError, whose source is `place`.
LessonAction readAction(std::string_view line, const std::string& place, const std::vector<std::string>& runs);

}  // namespace mantissa
