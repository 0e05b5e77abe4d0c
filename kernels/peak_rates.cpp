// SPDX-License-Identifier: Apache-2.0
// Sources: NVIDIA's data sheets and architecture whitepapers (V100, A100, H100, Ada v2.02), without sparsity. GeForce GPUs run at half the
// rate with fp32 sums as with fp16 sums, data-centre GPUs do not: the table has the rates with fp32 sums, which training uses.
#include "kernels/peak_rates.h"

#include <algorithm>
#include <array>

namespace mantissa {
namespace {

constexpr std::array kGpus{
    GpuRates{"v100", "V100-SXM2", 15.7, 0, 125, 0, 0.9, false},
    GpuRates{"a100", "A100-SXM4", 19.5, 156, 312, 0, 2.039},  // memory: of the one with 80 GB; 1.555 with 40
    GpuRates{"h100", "H100 80GB HBM3", 66.9, 494.7, 989.4, 1978.9, 3.35},
    GpuRates{"h100-pcie", "H100 PCIe", 51.2, 378, 756, 1513, 2},
    GpuRates{"h200", "H200", 67, 495, 989, 1979, 4.8},
    GpuRates{"rtx-3090", "GeForce RTX 3090", 35.6, 35.6, 71, 0, 0.936},
    GpuRates{"rtx-4090", "GeForce RTX 4090", 82.6, 82.6, 165.2, 330.3, 1.008},
};

/// "NVIDIA A100-SXM4-80GB, capability 8.0, ..." gives "A100-SXM4-80GB".
std::string_view modelOf(std::string_view description) {
    description = description.substr(0, description.find(','));
    for (const std::string_view maker : {"NVIDIA ", "Tesla "}) {
        if (description.starts_with(maker)) description.remove_prefix(maker.size());
    }
    return description;
}

bool isOfModel(std::string_view model, std::string_view gpu) {
    return model.starts_with(gpu) && (model.size() == gpu.size() || model[gpu.size()] == '-');
}

}  // namespace

double GpuRates::tflops(Dtype compute) const {
    switch (compute) {
        case Dtype::F32:
            return fp32;
        case Dtype::TF32:
            return tf32;
        case Dtype::F16:
            return half;
        case Dtype::BF16:
            return hasBf16 ? half : 0;
        case Dtype::E4M3:
        case Dtype::E5M2:
            return fp8;
        default:
            return 0;
    }
}

std::span<const GpuRates> gpuRates() {
    return kGpus;
}

double peakTflops(std::string_view description, Dtype compute) {
    const std::string_view model = modelOf(description);
    const auto gpu = std::find_if(kGpus.begin(), kGpus.end(), [&](const GpuRates& each) { return isOfModel(model, each.model); });
    return gpu == kGpus.end() ? 0 : gpu->tflops(compute);
}

}  // namespace mantissa
