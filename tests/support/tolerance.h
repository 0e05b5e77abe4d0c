// SPDX-License-Identifier: Apache-2.0
// Limits for whole runs compared with PyTorch's, from the same weights and batches. (Those of operations: kernels/conformance/tolerance.h.)
// Two correct programs sum in different orders, and training amplifies the difference, so these limits are not derived: they are the lab's
// guarantee. Measured values are in tests/RESULTS.md.
#pragma once

#include "kernels/dtype/dtype.h"

namespace mantissa::test {

/// Returns the limit for an element of a parameter's first gradient, `largest` being the tensor's largest magnitude. fp32: sums of up to 64
/// terms through 4 passes. Narrower: a few activations rounded the other way, 2 ulp of the largest.
double gradientLimit(Dtype compute, double largest);

/// Returns the limit for the relative 2-norm of the difference of a parameter's first gradient in tf32. fp32 sums of 64 terms in another
/// order put at most one operand in 2^7 on the other side of a tie, an ulp away: 2 u sqrt(2^-7) is 0.18 u. Operands that are not rounded
/// differ by 0.7 u and more.
double tf32GradientLimit();

/// Returns the limit for the relative 2-norm of the difference of a residual network's first gradient in fp16 and in bf16. One relu that
/// changes side changes it by percents, and the last bit of a sum suffices for that: when it sums convolutions in double, PyTorch 2.15
/// differs from itself by up to 0.11 and 0.16 (40 seeds). With all sums in double both programs agree (first_gradients_test.cpp).
double residualGradientLimit(Dtype compute);

/// Returns the limit for the relative 2-norm of the difference of a parameter after the run: 2e-5 in fp32, 8 u in narrower formats.
double finalWeightsLimit(Dtype compute);

}  // namespace mantissa::test
