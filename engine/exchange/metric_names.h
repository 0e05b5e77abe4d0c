// SPDX-License-Identifier: Apache-2.0
// Names of metrics in files: ours, and those that other programs give to the same thing. Constant data; any thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "engine/telemetry/record.h"

namespace mantissa {

/// The metric that a name means, and how good the name is for it: the smaller rank wins where several columns mean the same metric.
struct NamedMetric {
    Metric metric = Metric::Loss;
    int rank = 0;
};
/// "loss", "train/loss", "Train/Loss", "trainLoss", ...; nothing for a name that is not known.
std::optional<NamedMetric> metricFromName(std::string_view name);

/// Whether a column of that name counts or dates rows, such as "epoch" and "_timestamp", and is nothing to plot.
bool datesRows(std::string_view name);

/// The rank of a name as the one that counts steps: "step", "global_step", "trainer/global_step", "Iteration"; nothing if it does not.
std::optional<int> stepNameRank(std::string_view name);

}  // namespace mantissa
