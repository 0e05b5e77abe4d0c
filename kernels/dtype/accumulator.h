// SPDX-License-Identifier: Apache-2.0
// How a product's sums are formed: in fp32, or as on a tensor core (tensor_core.h has the arithmetic and its sources).
// Pure values; any thread.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "kernels/dtype/dtype.h"

namespace mantissa {

/// The accumulator of a product. Fp32: the backend's own sums in fp32. Fp16: Hopper's instruction with an fp16 accumulator. The others:
/// tensor cores with an fp32 one.
enum class Accumulator : std::uint8_t { Fp32, Fp16, Volta, Turing, Ampere, Ada, Hopper, Blackwell };
inline constexpr std::array kAllAccumulators{Accumulator::Fp32,   Accumulator::Fp16, Accumulator::Volta,  Accumulator::Turing,
                                             Accumulator::Ampere, Accumulator::Ada,  Accumulator::Hopper, Accumulator::Blackwell};

/// The name in files: "fp32 fp16 volta turing ampere ada hopper blackwell".
std::string_view accumulatorName(Accumulator accumulator);
/// The name for display: "In FP32", "Hopper's tensor cores".
std::string_view accumulatorScreenName(Accumulator accumulator);
std::optional<Accumulator> accumulatorFromName(std::string_view name);

/// One fused operation of a tensor core.
struct FusedDot {
    int terms = 16;
    int fractionBits = 25;
    int resultBits = 23;  // 13: Ada's and Hopper's fp8, "FP22"
    bool roundsToF16 = false;
};

/// The fused operation of the accumulator for operands in `compute`; nothing if it has none: Accumulator::Fp32 and F32 operands use no
/// tensor core.
std::optional<FusedDot> fusedDot(Accumulator accumulator, Dtype compute);

/// Why products in `compute` cannot use these sums, in a clause; empty if they can. Promotion must fall between two operations.
std::string whyNoSums(Accumulator accumulator, Dtype compute, std::int64_t promoteEvery);

}  // namespace mantissa
