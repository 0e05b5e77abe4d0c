// SPDX-License-Identifier: Apache-2.0
// Names of metrics in files: ours, and those of other programs. Constant data; any thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "engine/telemetry/record.h"

namespace mantissa {

/// The metric of a name, and the name's rank: if several columns mean one metric, the smallest rank wins.
struct NamedMetric {
    Metric metric = Metric::Loss;
    int rank = 0;
};
/// Finds the metric of "loss", "train/loss", "Train/Loss", "trainLoss", ...; nothing for an unknown name.
std::optional<NamedMetric> metricFromName(std::string_view name);

/// Whether a column of that name only counts or dates rows, such as "epoch" and "_timestamp", and is not plotted.
bool datesRows(std::string_view name);

/// The rank of a name as the step column: "step", "global_step", "trainer/global_step", "Iteration"; nothing for other names.
std::optional<int> stepNameRank(std::string_view name);

}  // namespace mantissa
