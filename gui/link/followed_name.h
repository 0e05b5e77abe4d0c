// SPDX-License-Identifier: GPL-3.0-or-later
// Runs that are called by their format. Pure; GUI thread only.
#pragma once

#include <optional>
#include <string>

#include "gui/link/lab.h"

namespace mantissa::gui {

/// What a run of that name is called after a change of its precision, where it was called by the one before: "fp16" and "fp16 2" become
/// "bf16", with a number where that is taken. `from` and `to` are the marker's texts: "FP16", "FP8, delayed scaling". Nothing: it has a
/// name of its own.
std::optional<std::string> followedName(const Lab& lab, const RunState& run, const std::string& name, const QString& from,
                                        const QString& to);

}  // namespace mantissa::gui
