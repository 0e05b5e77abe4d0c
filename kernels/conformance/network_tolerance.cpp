// SPDX-License-Identifier: Apache-2.0
#include "kernels/conformance/network_tolerance.h"

#include <cmath>

#include "kernels/conformance/tolerance.h"

namespace mantissa::conformance {
namespace {
constexpr double kDoubleRoundoff = 0x1p-53;
}  // namespace

double batchedProductLimit(const BatchedMatmulDesc& desc, double sumOfMagnitudes, double y) {
    // As one product of all heads' terms; the rounding of the scale counts as one more term.
    return productLimit({.k = desc.k * desc.outDivisor + (desc.scale == 1 ? 0 : 1),
                         .out = desc.out,
                         .compute = desc.compute,
                         .accumulator = desc.accumulator},
                        sumOfMagnitudes, 0, y);
}

double softmaxLimit(Dtype out, std::int64_t cols, double distance, double y) {
    // The difference's rounding is a relative error of exp of up to u * distance, and in the sum one of at most 0.4 u a term (t exp(-t) has
    // its maximum there); exp twice (2 each), the sum's own roundings, the quotient. Where exp is subnormal it errs by one of those.
    return chainLimit(out, distance + 1.4 * static_cast<double>(cols) + 5, y, y);
}

double naiveSoftmaxLimit(Dtype format, std::int64_t cols, double y) {
    // Roundings to the format: the exponential, those in the sum, the sum; the quotient's is that of the result. In fp32 the sum's own, exp
    // twice, and the quotient. Second orders: (1 + u)^3 - 1 <= 3.1 u up to bf16's u = 2^-8.
    const double narrow = 3.1 * facts(format).unitRoundoff() * y;
    return narrow + chainLimit(format, static_cast<double>(cols) + 5, y, y + narrow);
}

double softmaxGradLimit(Dtype out, std::int64_t cols, double gradOutput, double y, double sumOfMagnitudes, double gradInput) {
    // A product and the sum of each term, then difference and product.
    return chainLimit(out, static_cast<double>(cols + 3), std::fabs(y) * (std::fabs(gradOutput) + sumOfMagnitudes), gradInput);
}

NormErrors normErrors(std::span<const double> x, double mean, double epsilon) {
    const double u = facts(Dtype::F32).unitRoundoff(), n = static_cast<double>(x.size());
    double magnitudes = 0, squares = 0;
    for (const double v : x) {
        magnitudes += std::fabs(v);
        squares += (v - mean) * (v - mean);
    }
    NormErrors errors;
    errors.mean = mean == 0 ? 0 : (n + 1) * (u * magnitudes / n + facts(Dtype::F32).minSubnormal / 2);
    // An error of the mean adds its square to the variance, since differences from the right mean cancel. Then a difference (twice),
    // square, sum, quotient; epsilon's constant and sum. The root halves the error and rounds, as the inverse does.
    const double variance = squares / n;
    const double varianceError = (n + 4) * u * variance + errors.mean * errors.mean + 2 * u * (variance + epsilon);
    errors.inverse = varianceError / (2 * (variance + epsilon)) + 2 * u;
    return errors;
}

double NormErrors::result(Dtype out, double difference, double inverseDeviation, double weight, double bias, double y) const {
    const double u = facts(Dtype::F32).unitRoundoff(), product = std::fabs(difference * inverseDeviation * weight);
    // The difference has the mean's error and a rounding; then two products and a sum. A subnormal first product errs by half the smallest
    // subnormal, times the weight.
    const double ofSubnormal = facts(Dtype::F32).minSubnormal / 2 * std::fabs(weight);
    const double error = mean * inverseDeviation * std::fabs(weight) + (inverse + 4 * u) * product + u * std::fabs(bias) + ofSubnormal;
    return error + chainLimit(out, 1, 0, std::fabs(y) + error);
}

double normGradLimit(Dtype out, std::int64_t cols, double magnitude, double gradInput) {
    // The longest chain: difference, product (n), product (h), product, the sum, quotient, product with n, two differences, product.
    return chainLimit(out, static_cast<double>(cols + 9), magnitude, gradInput);
}

BatchNormErrors batchNormErrors(std::span<const double> x, double mean, double epsilon) {
    const auto n = static_cast<double>(x.size());
    double magnitudes = 0, squares = 0;
    for (const double v : x) {
        magnitudes += std::fabs(v);
        squares += (v - mean) * (v - mean);
    }
    BatchNormErrors errors;
    errors.mean = (n + 1) * kDoubleRoundoff * magnitudes / n;
    errors.norm.mean = errors.mean + roundingLimit(Dtype::F32, mean);
    // A difference (twice), square, sum, quotient, and the square of the mean's error; epsilon's sum, root and quotient after it.
    const double variance = squares / n, error = (n + 4) * kDoubleRoundoff * variance + errors.mean * errors.mean;
    errors.variance = variance > 0 ? error / variance : 0;
    errors.norm.inverse = error / (2 * (variance + epsilon)) + 3 * kDoubleRoundoff + roundingLimit(Dtype::F32, 1);
    return errors;
}

double runningLimit(double before, double batch, double batchError, double y) {
    return 3 * kDoubleRoundoff * (std::fabs(before) + std::fabs(batch)) + batchError + roundingLimit(Dtype::F32, y);
}

double doubleSumLimit(Dtype out, std::int64_t terms, double roundings, double sumOfMagnitudes, double y) {
    const double relative = static_cast<double>(terms) * kDoubleRoundoff + roundings * facts(Dtype::F32).unitRoundoff();
    const double error = relative * sumOfMagnitudes;
    return storedLimit(out, error + roundingLimit(Dtype::F32, std::fabs(y) + error), y);
}

double batchNormGradLimit(Dtype out, double magnitude, double gradInput) {
    // The longest chain: difference and product (n) in the sum, its mean's rounding, n once more, product, two differences, and the factor,
    // itself a product.
    return chainLimit(out, 10, magnitude, gradInput);
}

double rotaryLimit(Dtype out, double left, double right, double y) {
    return chainLimit(out, 3, std::fabs(left) + std::fabs(right), y);
}

double attentionLimit(const FusedAttentionDesc& desc, double scores, double magnitude, double narrow, double y) {
    // A score errs by (headDim + 1) u of its magnitudes: a relative error of its probability, and again of their sum. Then the roundings of
    // softmax and of the sum over keys.
    const double roundings = 2 * static_cast<double>(desc.headDim + 1) * scores + 2.4 * static_cast<double>(desc.length) + 6;
    return narrow + chainLimit(desc.dtype, roundings, magnitude + narrow, std::fabs(y) + narrow);
}

constexpr double kSecondOrder = 1.05;  // products of two errors, each at most 2^-8

/// Largest effect of half the smallest number of `compute` in an exponential. Their sum is at least 1. Where tied maxima are shifted it
/// is exp(logSumExp - 2 maximum) or exp(logSumExp), at least exp(-|logSumExp|) in both cases.
double smallestExponentialError(const FusedAttentionDesc& desc, double logSumExp) {
    return facts(desc.compute).minSubnormal / 2 * (desc.shiftsTies ? std::exp(std::fabs(logSumExp)) : 1);
}

double narrowComputeError(const FusedAttentionDesc& desc, double magnitude, double others, double y, double logSumExp) {
    // Every exponential errs by u of itself, or by half the smallest number; then also their sum, and the product.
    if (desc.compute == Dtype::F32) return 0;
    return kSecondOrder * (facts(desc.compute).unitRoundoff() * (2 * magnitude + std::fabs(y)) +
                           smallestExponentialError(desc, logSumExp) * (2 * others + 1));
}

double logSumExpLimit(const FusedAttentionDesc& desc, double scores, double y) {
    const double relative = static_cast<double>(desc.headDim + 2) * scores + 1.4 * static_cast<double>(desc.length) + 2;
    const double narrow = facts(desc.compute).unitRoundoff() + smallestExponentialError(desc, y) * static_cast<double>(desc.length);
    return (desc.compute == Dtype::F32 ? 0 : kSecondOrder * narrow) + chainLimit(Dtype::F32, relative, 1, 0) +
           chainLimit(Dtype::F32, 3, scores + std::fabs(y), y);
}

double attentionGradLimit(const FusedAttentionDesc& desc, double scores, double magnitude, double narrow, double gradient) {
    // A probability as above, without the sum; then sums over headDim, difference, two products, and a sum over keys or over the rows of
    // all heads of a group.
    const std::int64_t terms = desc.length * desc.heads / desc.keyHeads;
    const double roundings = static_cast<double>(desc.headDim + 2) * scores + static_cast<double>(2 * desc.headDim + terms) + 8;
    return narrow + chainLimit(desc.dtype, roundings, magnitude + narrow, std::fabs(gradient) + narrow);
}

double narrowFactorError(const FusedAttentionDesc& desc, double magnitude, double others) {
    // Factors are at most max(1, scale).
    const DtypeFacts& format = facts(desc.dtype);
    if (desc.dtype != Dtype::F16 && desc.dtype != Dtype::BF16) return 0;
    return format.unitRoundoff() * magnitude + std::fmax(1.0, std::fabs(desc.scale)) * format.minSubnormal / 2 * others;
}

double sharedHeadsError(const FusedAttentionDesc& desc, double magnitude) {
    const DtypeFacts& format = facts(desc.dtype);
    const std::int64_t group = desc.heads / desc.keyHeads;
    if ((desc.dtype != Dtype::F16 && desc.dtype != Dtype::BF16) || group == 1) return 0;
    return format.unitRoundoff() * magnitude + static_cast<double>(group) * format.minSubnormal / 2;
}

double swiGluLimit(Dtype out, double gate, double y) {
    return chainLimit(out, 1, std::fabs(y), 0) + activationLimit(Activation::Silu, out, gate, y);
}

double swiGluGateLimit(Dtype out, double gradOutputUp, double gate, double gradGate) {
    return chainLimit(out, 2, std::fabs(gradGate), 0) + activationGradLimit(Activation::Silu, out, gradOutputUp, gate, gradGate);
}

}  // namespace mantissa::conformance
