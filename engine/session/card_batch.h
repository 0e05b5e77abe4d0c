// SPDX-License-Identifier: Apache-2.0
// The batch that a run's settings may name and that fits a card. Pure; any thread. Throws std::invalid_argument as buildPlans does.
#pragma once

#include "engine/experiment/experiment.h"
#include "engine/training/largest_batch.h"

namespace mantissa {

/// The largest batch whose ledger fits beside the run's data on a card of `cardBytes`, at most what a file may ask for: 0 and `isStale` as
/// largestBatch has them.
std::int64_t batchForCard(const RunSettings& run, const Dataset& dataset, const Backend& backend, std::int64_t cardBytes,
                          const std::function<bool()>& isStale = {});

}  // namespace mantissa
