// SPDX-License-Identifier: Apache-2.0
// What cards can do at most, as their maker has it: dense products with fp32 sums, in TFLOP/s. Pure; any thread.
#pragma once

#include <string_view>

#include "kernels/dtype/dtype.h"

namespace mantissa {

/// By DeviceInfo::description, "NVIDIA H200, capability 9.0, 139 GiB"; 0 for a card that is not in the table, for a format that it has not,
/// and for a CPU.
double peakTflops(std::string_view description, Dtype compute);

}  // namespace mantissa
