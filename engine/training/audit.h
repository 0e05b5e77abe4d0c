// SPDX-License-Identifier: Apache-2.0
// Naming the first non-finite tensor of a step by repeating it with a look at every output. One thread at a time.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/plan/executor.h"
#include "engine/telemetry/record.h"

namespace mantissa {

/// The element that stands for a tensor which is not finite, and its class.
struct NonFiniteElement {
    std::int64_t index = -1;  // -1: all are finite
    std::string cls;          // "+Inf", "-Inf", "NaN"
};
/// The first infinity in memory order, which explains a NaN of the same operation; without one, the first NaN. Records, events, cards and
/// recordings all name what this returns.
NonFiniteElement firstNonFinite(std::span<const float> values);

/// Runs [begin, end) until an output is not finite, and names it; nothing when all are finite. Tensors named in `brokenBefore` are passed
/// over: see Provenance. `step` is left at 0.
std::optional<FirstNonFinite> auditPasses(Executor& executor, const Plan& plan, Queue& queue, std::int64_t begin, std::int64_t end,
                                          const std::vector<std::string>& brokenBefore = {});

/// The running statistics that are not finite now.
std::vector<std::string> brokenStatistics(Executor& executor, const Plan& plan, Queue& queue);

/// Names the unscaled gradient that is not finite although all passes were: an overflow of the unscaling itself (the reciprocal of a tiny
/// scale is Inf), or of the global norm.
FirstNonFinite auditGradients(Executor& executor, const Plan& plan, Queue& queue);

/// Names a running statistic that is not finite: training does not show it, since only validation reads it. `step` is left at 0.
std::optional<FirstNonFinite> auditStatistics(Executor& executor, const Plan& plan, Queue& queue);

}  // namespace mantissa
