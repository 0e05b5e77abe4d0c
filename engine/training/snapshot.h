// SPDX-License-Identifier: Apache-2.0
// The complete state of a run between two steps. A trainer that restores it continues bit-exactly. Plain values; any thread. Batches,
// dropout and schedules are functions of the counters.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "engine/telemetry/record.h"
#include "engine/training/settings.h"

namespace mantissa {

struct TrainingCounters {
    std::int64_t nextStep = 0;
    std::int64_t nextMicroBatch = 0;
    std::int64_t optimizerStep = 0;
    std::int64_t scheduleStep = 0;
    std::int64_t skippedTotal = 0;
    double wallSeconds = 0;
    std::uint32_t flagsForNext = 0;  // of StepRecord
    bool hasMomentum = false;        // SGD's buffer is filled; as in PyTorch it is kept through steps without momentum
    bool planKeepsMomentum = false;  // it was filled when the present plan was made
};

struct Snapshot {
    TrainingSettings settings;  // effective, with all changes so far
    LossScaler::State scaler;
    TrainingCounters counters;
    std::optional<FirstNonFinite> first;
    std::vector<std::byte> memory;  // weights, moments, statistics, scales, as stored
};

}  // namespace mantissa
