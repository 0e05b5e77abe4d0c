// SPDX-License-Identifier: Apache-2.0
// Errors of one dot product that is summed in several ways. Operands are numbers of the input format. Products are formed in fp32, which is
// exact for all input formats except fp32. Sums are formed in fp32 and rounded to the way's format, like emulated operations; tensor cores
// follow kernels/dtype/tensor_core.h. Pure functions; any thread.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "kernels/dtype/accumulator.h"
#include "kernels/dtype/rounding.h"

namespace mantissa {

/// The distribution of the factors. Normal: mean 0, standard deviation 1. Uniform: both from 0 to 1. OneLarge: 256 × 1 first, then numbers
/// from 0 to 1/16, × 1. Alternating: from 1 to 2, and every second product is negative.
enum class DotValues : std::uint8_t { Normal, Uniform, OneLarge, Alternating };
inline constexpr std::array kAllDotValues{DotValues::Normal, DotValues::Uniform, DotValues::OneLarge, DotValues::Alternating};

struct DotInput {
    Dtype format = Dtype::F16;
    std::vector<float> a, b;
};

/// Returns `length` pairs of factors, rounded to `format`. Element i does not depend on the length. In fp6 and fp4 the 256 saturates. e8m0,
/// which has no 0, is not allowed.
DotInput dotInput(DotValues values, Dtype format, int length, std::uint64_t seed);

/// The order of summation. InOrder: sequential. Chunked: sums of `chunk` products each, which are then added in order (Wang et al. 2018,
/// arXiv 1812.08011). Pairwise: recursive halves. Kahan: with a compensation term in the format. TensorCore: fused operations along k.
/// Promoted: TensorCore, with the sum added to one in fp32 after each `chunk` elements.
enum class SumOrder : std::uint8_t { InOrder, Chunked, Pairwise, Kahan, TensorCore, Promoted };

struct SumWay {
    SumOrder order = SumOrder::InOrder;
    Dtype format = Dtype::F32;  // of sums; ignored on tensor cores
    RoundingMode rounding{};    // to `format`; unused for fp32
    int chunk = 128;            // products
    Accumulator core = Accumulator::Hopper;
};

/// Returns why inputs of this format cannot be summed this way, as a clause; empty if they can.
std::string whyNoSum(const SumWay& way, Dtype input);

/// Returns the sum of the first `length` products; NaN for a tensor core that does not support the format.
float dotOf(const DotInput& input, int length, const SumWay& way);

/// Returns the exact dot product of each of `lengths` (ascending), rounded once, to double.
std::vector<double> exactDots(const DotInput& input, const std::vector<int>& lengths);

/// Returns lengths from 1 to `length`, four to an octave.
std::vector<int> dotLengths(int length);

struct DotError {
    int length = 0;
    float result = 0;
    double exact = 0;
    double error = 0;     // result - exact
    double ulps = 0;      // |error| in ulps of the unit format at the exact sum; NaN if the error is not finite
    double relative = 0;  // |error| / |exact|; NaN if the exact sum is 0 and the result is not
};

/// Compares a result with the exact sum. `unit` is the format whose ulps are counted.
DotError dotError(int length, float result, double exact, Dtype unit);
std::vector<DotError> dotErrors(const DotInput& input, const std::vector<int>& lengths, const SumWay& way);

}  // namespace mantissa
