// SPDX-License-Identifier: GPL-3.0-or-later
// Names runs after their format. Pure; GUI thread only.
#pragma once

#include <optional>
#include <string>

#include "gui/link/session_model.h"

namespace mantissa::gui {

/// Returns the name of a run after a change of its precision, if it was named after the previous one: "fp16" and "fp16 2" become "bf16",
/// with a number if that is taken. `from` and `to` are the marker's texts: "FP16", "FP8, delayed scaling". Nothing: it has another name.
std::optional<std::string> followedName(const SessionModel& session, const RunState& run, const std::string& name, const QString& from,
                                        const QString& to);

}  // namespace mantissa::gui
