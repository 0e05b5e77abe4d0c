// SPDX-License-Identifier: Apache-2.0
// How numbers are rounded to a format; rounding.h defines each rounding. Plain values, for host and device.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace mantissa {

enum class Rounding : std::uint8_t { NearestEven, NearestAway, TowardZero, Stochastic };

inline constexpr std::array kAllRoundings{Rounding::NearestEven, Rounding::NearestAway, Rounding::TowardZero, Rounding::Stochastic};

/// A rounding with its options. Stochastic rounding draws from a stream of its seed: element i of an array always gets the same 32 bits, on
/// every backend and for any number of threads.
struct RoundingMode {
    Rounding rounding = Rounding::NearestEven;
    bool saturate = false;
    std::uint32_t stream = 0;
    std::uint64_t seed = 0;
};

/// Names in files and on the command line: "nearest-even nearest-away toward-zero stochastic".
std::string_view roundingName(Rounding rounding);
std::optional<Rounding> roundingFromName(std::string_view name);

}  // namespace mantissa
