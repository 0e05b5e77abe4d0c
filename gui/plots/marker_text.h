// SPDX-License-Identifier: GPL-3.0-or-later
// A setting that took effect, in few words. Pure functions.
#pragma once

#include "gui/link/lab.h"

namespace mantissa::gui {

/// "scale 2¹⁸ → 2²⁶", "FP32 → BF16", "lr 0.001 → 0.003": without the run.
QString changeText(const Marker& marker);

}  // namespace mantissa::gui
