// SPDX-License-Identifier: Apache-2.0
// The largest valid batch of a run that fits a GPU. Pure; any thread. Throws std::invalid_argument like `buildPlans`.
#pragma once

#include "engine/experiment/experiment.h"
#include "engine/training/largest_batch.h"

namespace mantissa {

/// Returns the largest batch that a file may request and that fits a GPU of `cardBytes` together with the run's data. 0 and `isStale` as
/// for `largestBatch`.
std::int64_t batchForCard(const RunSettings& run, const Dataset& dataset, const Backend& backend, std::int64_t cardBytes,
                          const std::function<bool()>& isStale = {});

}  // namespace mantissa
