// SPDX-License-Identifier: Apache-2.0
// Peak rates of GPUs from the manufacturer's data sheets: dense products with fp32 sums, in TFLOP/s. Pure; any thread.
#pragma once

#include <string_view>

#include "kernels/dtype/dtype.h"

namespace mantissa {

/// Peak rate in TFLOP/s by DeviceInfo::description, "NVIDIA H200, capability 9.0, 139 GiB"; 0 for a GPU that is not in the table, an
/// unsupported format, and a CPU.
double peakTflops(std::string_view description, Dtype compute);

}  // namespace mantissa
