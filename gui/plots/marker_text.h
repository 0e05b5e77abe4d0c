// SPDX-License-Identifier: GPL-3.0-or-later
// Formats changed settings. Pure functions.
#pragma once

#include "gui/link/session_model.h"

namespace mantissa::gui {

/// Returns a change without the run: "scale 2¹⁸ → 2²⁶", "FP32 → BF16", "lr 0.001 → 0.003".
QString changeText(const Marker& marker);

}  // namespace mantissa::gui
