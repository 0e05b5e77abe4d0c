// SPDX-License-Identifier: Apache-2.0
// Rows of a long run made fewer, so that plots of it still show every extreme. Pure; any thread.
#pragma once

#include <functional>
#include <vector>

#include "engine/telemetry/record.h"

namespace mantissa {

/// The metrics whose extremes are kept.
inline constexpr Metric kKeptMetrics[] = {Metric::Loss, Metric::GradNorm, Metric::LossScale, Metric::SamplesPerSecond};

/// The rows of a run, one a step, by their number.
struct RunRows {
    std::size_t count = 0;
    std::function<std::int64_t(std::size_t)> step;  // ascending
    std::function<double(std::size_t, Metric)> value;
    std::function<std::uint32_t(std::size_t)> flags;
};

/// Whether each row is to be kept. The steps are divided into `blocks` stretches or fewer, whose length is a power of two, so that those of
/// a later call are made of whole ones of this call. Of each stretch: the first row, those with the least and the greatest of each kept
/// metric, the first with each flag, the first whose loss or norm is NaN, and the last that was validated; at most 20. Of all, the last
/// one.
std::vector<bool> rowsToKeep(const RunRows& rows, std::int64_t blocks);

void thinRecords(std::vector<StepRecord>& records, std::int64_t blocks);

}  // namespace mantissa
