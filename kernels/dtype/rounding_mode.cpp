// SPDX-License-Identifier: Apache-2.0
#include "kernels/dtype/rounding_mode.h"

namespace mantissa {

std::string_view roundingName(Rounding rounding) {
    constexpr std::array<std::string_view, kAllRoundings.size()> kNames{"nearest-even", "nearest-away", "toward-zero", "stochastic"};
    return kNames[static_cast<std::size_t>(rounding)];
}

std::optional<Rounding> roundingFromName(std::string_view name) {
    for (const Rounding rounding : kAllRoundings) {
        if (roundingName(rounding) == name) return rounding;
    }
    return std::nullopt;
}

}  // namespace mantissa
