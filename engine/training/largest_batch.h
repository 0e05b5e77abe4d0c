// SPDX-License-Identifier: Apache-2.0
// The largest batch that fits a GPU, from plans alone. Pure; any thread. Throws std::invalid_argument like `buildPlans`.
#pragma once

#include <cstdint>
#include <functional>

#include "engine/training/build_plan.h"

namespace mantissa {

/// Returns the bytes of a run's data on its device, which its ledger does not include.
std::int64_t residentBytes(const Dataset& dataset);

/// Returns the largest batch, at most kMostBatch, whose ledger's total is at most `bytes`; 0 if even the smallest batch that the model
/// accepts does not fit. `isStale` is called before each plan; if it returns true the search ends with -1.
inline constexpr std::int64_t kMostBatch = 1 << 30;
std::int64_t largestBatch(const TrainingSettings& settings, const DataShape& shape, const Backend& backend, std::int64_t bytes,
                          const std::function<bool()>& isStale = {});

}  // namespace mantissa
