// SPDX-License-Identifier: Apache-2.0
// Peak rates of GPUs from the manufacturer's data sheets: dense products with fp32 sums, and memory. Pure; any thread.
#pragma once

#include <span>
#include <string_view>

#include "kernels/dtype/dtype.h"

namespace mantissa {

/// Products in TFLOP/s, 0: the GPU has no instruction for them. Memory in TB/s.
struct GpuRates {
    std::string_view name;         // "h200"
    std::string_view model;        // as the driver names it, without the maker; a memory size may follow: "A100-SXM4-80GB"
    double fp32, tf32, half, fp8;  // half: fp16
    double memory;
    bool hasBf16 = true;
    double tflops(Dtype compute) const;
};
std::span<const GpuRates> gpuRates();

/// Peak rate in TFLOP/s by DeviceInfo::description, "NVIDIA H200, capability 9.0, 139 GiB"; 0 for a GPU that is not in the table, an
/// unsupported format, and a CPU.
double peakTflops(std::string_view description, Dtype compute);

}  // namespace mantissa
