// SPDX-License-Identifier: Apache-2.0
// Sources: NVIDIA's data sheets and architecture whitepapers (V100, A100, H100, Ada v2.02), without sparsity. GeForce GPUs run at half the
// rate with fp32 sums as with fp16 sums, data-centre GPUs do not: the table has the rates with fp32 sums, which training uses.
#include "kernels/peak_rates.h"

#include <array>

namespace mantissa {
namespace {

struct CardRates {
    std::string_view name;         // without the vendor; a memory size may follow: "A100-SXM4-80GB"
    double fp32, tf32, half, fp8;  // half: fp16
    bool hasBf16 = true;
};

constexpr std::array kCards{
    CardRates{"V100-SXM2", 15.7, 0, 125, 0, false},
    CardRates{"A100-SXM4", 19.5, 156, 312, 0},
    CardRates{"H100 80GB HBM3", 66.9, 494.7, 989.4, 1978.9},
    CardRates{"H100 PCIe", 51.2, 378, 756, 1513},
    CardRates{"H200", 67, 495, 989, 1979},
    CardRates{"GeForce RTX 3090", 35.6, 35.6, 71, 0},
    CardRates{"GeForce RTX 4090", 82.6, 82.6, 165.2, 330.3},
};

/// "NVIDIA A100-SXM4-80GB, capability 8.0, ..." gives "A100-SXM4-80GB".
std::string_view modelOf(std::string_view description) {
    description = description.substr(0, description.find(','));
    for (const std::string_view maker : {"NVIDIA ", "Tesla "}) {
        if (description.starts_with(maker)) description.remove_prefix(maker.size());
    }
    return description;
}

bool isNamed(std::string_view model, std::string_view card) {
    return model.starts_with(card) && (model.size() == card.size() || model[card.size()] == '-');
}

}  // namespace

double peakTflops(std::string_view description, Dtype compute) {
    const std::string_view model = modelOf(description);
    for (const CardRates& card : kCards) {
        if (!isNamed(model, card.name)) continue;
        switch (compute) {
            case Dtype::F32:
                return card.fp32;
            case Dtype::TF32:
                return card.tf32;
            case Dtype::F16:
                return card.half;
            case Dtype::BF16:
                return card.hasBf16 ? card.half : 0;
            case Dtype::E4M3:
            case Dtype::E5M2:
                return card.fp8;
            default:
                return 0;
        }
    }
    return 0;
}

}  // namespace mantissa
