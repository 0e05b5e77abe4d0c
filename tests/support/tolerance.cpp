// SPDX-License-Identifier: Apache-2.0
#include "tests/support/tolerance.h"

namespace mantissa::test {

double gradientLimit(Dtype compute, double largest) {
    const double unitRoundoff = facts(compute).unitRoundoff();
    return (compute == Dtype::F32 ? 4 * 64 * unitRoundoff : 4 * unitRoundoff) * largest;
}

double tf32GradientLimit() {
    return facts(Dtype::TF32).unitRoundoff() / 4;
}

double residualGradientLimit(Dtype compute) {
    return compute == Dtype::F16 ? 0.1 : 0.17;
}

double finalWeightsLimit(Dtype compute) {
    return compute == Dtype::F32 ? 2e-5 : 8 * facts(compute).unitRoundoff();
}

}  // namespace mantissa::test
