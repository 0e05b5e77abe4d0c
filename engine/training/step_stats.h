// SPDX-License-Identifier: Apache-2.0
// Tensor statistics, read from the backend's memory. One thread at a time.
#pragma once

#include <vector>

#include "engine/diagnosis/tensor_stats.h"
#include "engine/training/run_memory.h"

namespace mantissa {

/// Returns the statistics of the last measured step, in order of execution; empty if the plan does not measure. Waits for the queue.
std::vector<TensorStats> readStats(const ReadyPlan& training, Backend& backend, Queue& queue, double lossScale);

}  // namespace mantissa
