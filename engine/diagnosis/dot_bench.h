// SPDX-License-Identifier: Apache-2.0
// One dot product, summed in several ways, against its exact value. Operands are numbers of the input format; products are formed in fp32,
// which is exact for all inputs but fp32's own. A way adds in fp32 and rounds each sum to its format, as emulated operations do; tensor
// cores add as kernels/dtype/tensor_core.h says. Pure functions; any thread.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "kernels/dtype/accumulator.h"
#include "kernels/dtype/rounding.h"

namespace mantissa {

/// Normal: mean 0, standard deviation 1. Uniform: both factors from 0 to 1. OneLarge: 256 times 1 first, then a number from 0 to 1/16
/// times 1. Alternating: factors from 1 to 2, and each second product is negative.
enum class DotValues : std::uint8_t { Normal, Uniform, OneLarge, Alternating };
inline constexpr std::array kAllDotValues{DotValues::Normal, DotValues::Uniform, DotValues::OneLarge, DotValues::Alternating};

struct DotInput {
    Dtype format = Dtype::F16;
    std::vector<float> a, b;
};

/// Element i is the same whatever the length. fp6 and fp4 make their largest number of the 256. e8m0, which has no 0, is no input.
DotInput dotInput(DotValues values, Dtype format, int length, std::uint64_t seed);

/// InOrder: one after the other. Chunked: sums of `chunk` products each, which are then added in order (Wang et al. 2018, arXiv
/// 1812.08011). Pairwise: halves of halves. Kahan: what a sum loses is carried along in a second number of the format. TensorCore: fused
/// operations along k. Promoted: the same, and after each `chunk` elements the sum moves to fp32.
enum class SumOrder : std::uint8_t { InOrder, Chunked, Pairwise, Kahan, TensorCore, Promoted };

struct SumWay {
    SumOrder order = SumOrder::InOrder;
    Dtype format = Dtype::F32;  // of sums, but on tensor cores
    RoundingMode rounding{};    // to that format; nothing is rounded where it is fp32
    int chunk = 128;            // products
    Accumulator core = Accumulator::Hopper;
};

/// Why these inputs cannot be summed so, in a clause; empty when they can.
std::string whyNoSum(const SumWay& way, Dtype input);

/// The sum of the first `length` products.
float dotOf(const DotInput& input, int length, const SumWay& way);

/// The same for each of `lengths`, ascending, without error: the sum of exact products, rounded at the end alone, to double.
std::vector<double> exactDots(const DotInput& input, const std::vector<int>& lengths);

/// 1 to `length`, four to an octave.
std::vector<int> dotLengths(int length);

struct DotError {
    int length = 0;
    float result = 0;
    double exact = 0;
    double error = 0;     // result - exact
    double ulps = 0;      // in units of the unit format at the exact sum; NaN where not finite
    double relative = 0;  // |error| / |exact|; NaN where the exact sum is 0 and the result is not
};

/// `unit`: the format whose ulps are counted.
DotError dotError(int length, float result, double exact, Dtype unit);
std::vector<DotError> dotErrors(const DotInput& input, const std::vector<int>& lengths, const SumWay& way);

}  // namespace mantissa
