// SPDX-License-Identifier: Apache-2.0
// The time of a plan's step by instruction: measured, or predicted for a GPU from each instruction's flops and bytes (Williams, Waterman,
// Patterson, "Roofline: an insightful visual performance model", CACM 52, 2009). Pure; any thread.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "engine/diagnosis/step_times.h"
#include "engine/plan/plan.h"
#include "kernels/peak_rates.h"

namespace mantissa {

/// "compute", "memory", "launch", of a predicted step.
std::string_view limitName(TimeLimit limit);

struct InstructionTime {
    double seconds = 0;  // each time it runs
    TimeLimit limit = TimeLimit::Launch;
    std::int64_t repeats = 1;  // per step: 0 for tensor statistics, which only measured steps have
};

/// Start and end of a kernel in a captured graph. On an H200 a graph of 560 empty kernels took 0.55 us a kernel, a small MLP's step 3.5 us
/// (tests/device/RESULTS.md); this lies between.
inline constexpr double kLaunchSeconds = 2.5e-6;

/// Predicts the time of each instruction, in the plan's order. An instruction takes its compute time or its memory time, whichever is
/// longer, plus kLaunchSeconds. Rates are the data sheet's times the shares that an H200 reached (tests/device/RESULTS.md). Products in a
/// format without instructions on the GPU are computed at the rate of `substitute`.
std::vector<InstructionTime> predictTimes(const Plan& plan, const GpuRates& gpu, std::int64_t microBatches);

/// Converts measured seconds, of all runs of each instruction in a step.
std::vector<InstructionTime> measuredTimes(const Plan& plan, std::span<const double> seconds, std::int64_t microBatches);

/// Sums the instructions' times by operation, without device, peaks and notes.
StepTimes timesByOperation(const Plan& plan, const std::vector<InstructionTime>& times);

/// Returns `predictTimes` by operation, with notes.
StepTimes predictStep(const Plan& plan, const GpuRates& gpu, std::int64_t microBatches);

/// Predicts the seconds that the tensor statistics of a plan add to a step that measures them; 0 for a plan without statistics.
double predictStatistics(const Plan& plan, const GpuRates& gpu);

/// The sentences of StepTimes::notes about a measured step; needs all its other members.
std::vector<Text> notesOfMeasured(const Plan& plan, const StepTimes& times, const Backend& backend);

/// The format at whose rate a GPU computes products in this one: itself, if the GPU has instructions for it.
Dtype substitute(const GpuRates& gpu, Dtype compute);

/// Counts matrix products and convolutions with a dimension, or a number of channels, that is not a multiple of 16 bytes: 16 elements in
/// fp8, 8 in 16 bits, 4 in tf32. Tensor cores pad these. Those in fp32 do not count.
std::int64_t unalignedProducts(const Plan& plan);

}  // namespace mantissa
