// SPDX-License-Identifier: Apache-2.0
// The smallest run that learns: one hidden layer of 32 on the digits, in their own order.
#pragma once

#include <string>

#include "engine/training/settings.h"

namespace mantissa {

inline TrainingSettings smallRun(const std::string& policy) {
    TrainingSettings settings;
    settings.model.hidden = {32};
    settings.data.order = "sequential";
    settings.precision.policy = policy;
    settings.steps = 400;
    return settings;
}

}  // namespace mantissa
