// SPDX-License-Identifier: Apache-2.0
// The batch that fits a card, from plans alone. Pure; any thread. Throws std::invalid_argument as buildPlans does.
#pragma once

#include <cstdint>
#include <functional>

#include "engine/training/build_plan.h"

namespace mantissa {

/// What a run keeps of its data set on its device, beside its ledger.
std::int64_t residentBytes(const Dataset& dataset);

/// The largest batch whose ledger's total is at most `bytes`: it fits and the next one does not. 0 when not even the fewest samples that
/// the model can be trained on fit; at most kMostBatch. `isStale` is asked before each plan: when it says yes the search ends with -1.
inline constexpr std::int64_t kMostBatch = 1 << 30;
std::int64_t largestBatch(const TrainingSettings& settings, const DataShape& shape, const Backend& backend, std::int64_t bytes,
                          const std::function<bool()>& isStale = {});

}  // namespace mantissa
