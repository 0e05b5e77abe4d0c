// SPDX-License-Identifier: Apache-2.0
// Describes a plan as a model: one line per operation of the forward pass, in order, without casts. Pure; any thread.
#pragma once

#include <vector>

#include "engine/plan/plan.h"

namespace mantissa {

std::vector<LayerLine> layerLines(const Plan& plan);

}  // namespace mantissa
