// SPDX-License-Identifier: Apache-2.0
// The table of tolerances for operations: every limit follows from the output's format and the length of the sum.
// Notation: u the unit roundoff (DtypeFacts::unitRoundoff), arithmetic and accumulation in fp32.
#pragma once

#include <cstdint>

#include "kernels/backend.h"

namespace mantissa::conformance {

/// Limit of one rounding of y to the output: u|y|, and half the smallest subnormal where the result underflows.
double roundingLimit(Dtype out, double y);

/// Limit of a sum of `terms` fp32 terms (products count, their own rounding is in the same first-order bound) whose magnitudes add up to
/// `sumOfMagnitudes`, rounded once: terms * u_fp32 * sum|a b| (any order; Higham 2002, section 3.1) plus the rounding.
double sumLimit(Dtype out, std::int64_t terms, double sumOfMagnitudes, double y);

/// A product of k terms whose magnitudes add up to `sumOfMagnitudes`, scaled if the description is, plus `bias`; sums in fp32. A tensor
/// core's sums are exact (tensor_core_reference.h).
double productLimit(const MatmulDesc& desc, double sumOfMagnitudes, double bias, double y);

/// productLimit for fp8 tensor cores (Ada's, Hopper's), whose sums are narrower: products are added to the running sum in groups of 16 or
/// more, each truncated to 13 fraction bits of the largest, which is at most the sum of all magnitudes. cuBLASLt promotes partial sums to
/// fp32 at intervals that it does not document.
double narrowSumLimit(const MatmulDesc& desc, double sumOfMagnitudes, double bias, double y);

/// Limit of a chain of `roundings` fp32 operations whose intermediate values stay within `magnitude`, rounded once.
/// A libm function counts as two roundings: glibc documents at most 2 ulp (1 ulp = 2u) for expf, tanhf, erff on x86-64.
double chainLimit(Dtype out, double roundings, double magnitude, double y);

/// Limit of an activation y = f(x): argument, function (2), sum, product or quotient.
double activationLimit(Activation kind, Dtype out, double x, double y);

/// Limit of gradOutput * f'(x).
double activationGradLimit(Activation kind, Dtype out, double gradOutput, double x, double gradInput);

/// Limit of the mean cross-entropy of `rows` rows whose logits stay within `largestLogit`.
double crossEntropyLimit(std::int64_t rows, std::int64_t classes, double largestLogit, double loss);

/// Limit of a log-probability in fp32, before rounding to another format.
double logProbabilityLimit(std::int64_t classes, double largestLogit);

/// Limit of (softmax - onehot) * factor.
double crossEntropyGradLimit(std::int64_t classes, double largestLogit, double factor, double gradient);

/// One step of an optimizer, from the magnitudes of its terms. `weight`: of the new weight; the others: of the new state.
struct AdamWLimits {
    double m = 0, v = 0, weight = 0;
};
/// gradient, m, v: before the step; newM, newV, weight: after it. denominator = sqrt(newV) / rootCorrection + epsilon.
AdamWLimits adamwLimits(double gradient, double m, double newM, double newV, double rootCorrection, double epsilon, double stepSize,
                        double weight);

/// The limit of values stored in `out`: `limit` of the fp32 result, and one rounding.
double storedLimit(Dtype out, double limit, double y);

/// `directionSize`, `bufferSize`: sums of the terms' magnitudes.
double sgdBufferLimit(double bufferSize, double newBuffer);
double sgdWeightLimit(double lr, double directionSize, double weight);

/// A 2-norm summed in double over `count` elements and stored as fp32.
double normLimit(std::int64_t count, double norm);

/// Steps over which runs in narrow formats are compared. Two correct programs sum in different orders, and training amplifies the
/// difference, so limits of whole runs are conventions, not derived. In a narrow format a rounding in the other direction is a full ulp,
/// after which runs diverge.
inline constexpr int kLowTrajectorySteps = 20;

/// Limit of one step's loss: 2e-4 of it in fp32, 1e-2 in narrower formats.
double trajectoryLimit(Dtype compute, double loss);

}  // namespace mantissa::conformance
