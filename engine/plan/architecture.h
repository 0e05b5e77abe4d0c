// SPDX-License-Identifier: Apache-2.0
// A plan as people read a model: one line an operation of the forward pass, in order, without casts. Pure; any thread.
#pragma once

#include <vector>

#include "engine/plan/plan.h"

namespace mantissa {

std::vector<LayerLine> layerLines(const Plan& plan);

}  // namespace mantissa
