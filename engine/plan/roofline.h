// SPDX-License-Identifier: Apache-2.0
// The time that a GPU would need for a plan's step, predicted from each instruction's flops and bytes (Williams, Waterman, Patterson,
// "Roofline: an insightful visual performance model", CACM 52, 2009). Pure; any thread.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "engine/plan/plan.h"
#include "kernels/peak_rates.h"

namespace mantissa {

/// What an instruction's time is mostly spent on: multiplying, reading and writing memory, or the start and end of its kernel.
enum class RooflineLimit : std::uint8_t { Products, Memory, Launch };
std::string_view limitName(RooflineLimit limit);

struct InstructionTime {
    double seconds = 0;  // each time it runs
    RooflineLimit limit = RooflineLimit::Launch;
    std::int64_t repeats = 1;  // per step: 0 for tensor statistics, which only measured steps have
};

/// The time of each instruction, in the plan's order; `microBatches` per step. An instruction takes the longer of two times, that of its
/// products and that of its bytes, and kLaunchSeconds. Rates are the shares of the data sheet's that were measured on an H200
/// (tests/device/RESULTS.md). A format without products on the GPU is computed at the rate of the next wider one that has them.
std::vector<InstructionTime> predictTimes(const Plan& plan, const CardRates& card, std::int64_t microBatches);

/// Start and end of a kernel in a captured graph.
inline constexpr double kLaunchSeconds = 2.5e-6;

/// Products in 16 or 8 bits of which a dimension is no multiple of 8 (16 bits) or 16 (8 bits): tensor cores then compute on padding.
std::int64_t unalignedProducts(const Plan& plan);

}  // namespace mantissa
