// SPDX-License-Identifier: Apache-2.0
// Thins the rows of a long run so that plots still show every extreme. Pure; any thread.
#pragma once

#include <functional>
#include <vector>

#include "engine/telemetry/record.h"

namespace mantissa {

/// The metrics whose extremes are kept.
inline constexpr Metric kKeptMetrics[] = {Metric::Loss, Metric::GradNorm, Metric::LossScale, Metric::SamplesPerSecond};

/// The rows of a run, one per step, by index.
struct RunRows {
    std::size_t count = 0;
    std::function<std::int64_t(std::size_t)> step;  // ascending
    std::function<double(std::size_t, Metric)> value;
    std::function<std::uint32_t(std::size_t)> flags;
};

/// Whether to keep each row. The steps are divided into at most `blocks` intervals, whose length is a power of two, so that the intervals
/// of a later call consist of whole intervals of this call. From each interval: the first row, those with the minimum and maximum of each
/// kept metric, the first with each flag, the first whose loss or norm is NaN, and the last validated one; at most 20. Also the last row of
/// all.
std::vector<bool> rowsToKeep(const RunRows& rows, std::int64_t blocks);

void thinRecords(std::vector<StepRecord>& records, std::int64_t blocks);

}  // namespace mantissa
