// SPDX-License-Identifier: Apache-2.0
// Audits: find the first non-finite tensor of a step by repeating it and checking every output. One thread at a time.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/plan/executor.h"
#include "engine/telemetry/record.h"

namespace mantissa {

/// The element that represents a non-finite tensor, and its class.
struct NonFiniteElement {
    std::int64_t index = -1;  // -1: all are finite
    std::string cls;          // "+Inf", "-Inf", "NaN"
};
/// Returns the first infinity in memory order, which explains a NaN of the same operation; without one, the first NaN. Records, events,
/// cards and recordings all use it.
NonFiniteElement firstNonFinite(std::span<const float> values);

/// Runs the instructions [begin, end) and returns the first non-finite output; nothing if all are finite. Tensors in `brokenBefore` are
/// ignored (see Provenance). `step` of the result is 0.
std::optional<FirstNonFinite> auditPasses(Executor& executor, const Plan& plan, Queue& queue, std::int64_t begin, std::int64_t end,
                                          const std::vector<std::string>& brokenBefore = {});

/// Returns the names of the running statistics that are not finite.
std::vector<std::string> brokenStatistics(Executor& executor, const Plan& plan, Queue& queue);

/// Returns the unscaled gradient that is not finite although the passes were: an overflow of unscaling (the reciprocal of a tiny scale is
/// Inf), or of the global norm.
FirstNonFinite auditGradients(Executor& executor, const Plan& plan, Queue& queue);

/// Returns a non-finite running statistic, which affects only validation; nothing if all are finite. `step` of the result is 0.
std::optional<FirstNonFinite> auditStatistics(Executor& executor, const Plan& plan, Queue& queue);

}  // namespace mantissa
