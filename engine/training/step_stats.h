// SPDX-License-Identifier: Apache-2.0
// What a plan's looks have seen, out of the backend's memory. One thread at a time.
#pragma once

#include <vector>

#include "engine/diagnosis/tensor_stats.h"
#include "engine/training/run_memory.h"

namespace mantissa {

/// In the order of the looks; empty for a plan without. Waits for the queue.
std::vector<TensorStats> readStats(const ReadyPlan& training, Backend& backend, Queue& queue, double lossScale);

}  // namespace mantissa
