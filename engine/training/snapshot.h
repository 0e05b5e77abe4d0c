// SPDX-License-Identifier: Apache-2.0
// A run's whole state between two steps. A trainer that restores it goes on as the one it was taken of, to the last bit. Plain values; any
// thread. What is not in it follows from it: batches, dropout and schedules are functions of the counters.
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
    bool hasMomentum = false;        // SGD's buffer has been filled: PyTorch keeps it through steps without momentum, and goes on from it
    bool planKeepsMomentum = false;  // it was filled when the plan in use was made
};

struct Snapshot {
    TrainingSettings settings;  // in force
    LossScaler::State scaler;
    TrainingCounters counters;
    std::optional<FirstNonFinite> first;
    std::vector<std::byte> memory;  // weights, moments, statistics, scales: as they are stored, one after another
};

}  // namespace mantissa
