// SPDX-License-Identifier: Apache-2.0
#include "kernels/conformance/tolerance.h"

#include <algorithm>
#include <cmath>

namespace mantissa::conformance {

double roundingLimit(Dtype out, double y) {
    return facts(out).unitRoundoff() * std::fabs(y) + facts(out).minSubnormal / 2;
}

double chainLimit(Dtype out, double roundings, double magnitude, double y) {
    const DtypeFacts& fp32 = facts(Dtype::F32);
    const double arithmetic = roundings * (fp32.unitRoundoff() * magnitude + fp32.minSubnormal / 2);
    return arithmetic + roundingLimit(out, std::fabs(y) + arithmetic);
}

double sumLimit(Dtype out, std::int64_t terms, double sumOfMagnitudes, double y) {
    return chainLimit(out, static_cast<double>(terms), sumOfMagnitudes, y);
}

double productLimit(const MatmulDesc& desc, double sumOfMagnitudes, double bias, double y) {
    // The bias is one more term. A scale is a product of inverses and one with the sum: three roundings, as three terms.
    const std::int64_t terms = desc.k + (desc.hasBias ? 1 : 0) + (desc.isScaled ? 3 : 0);
    const double magnitude = sumOfMagnitudes + std::fabs(bias);
    return sumLimit(desc.out, terms, magnitude, y);
}

double narrowSumLimit(const MatmulDesc& desc, double sumOfMagnitudes, double bias, double y) {
    constexpr std::int64_t kGroup = 16;
    const double cuts = static_cast<double>((desc.k + kGroup - 1) / kGroup) * (kGroup + 1);
    const double lost = cuts * 0x1p-13 * sumOfMagnitudes;
    return lost + productLimit(desc, sumOfMagnitudes, bias, std::fabs(y) + lost);
}

double activationLimit(Activation kind, Dtype out, double x, double y) {
    switch (kind) {
        case Activation::Relu:
            return 0;
        case Activation::Gelu:
            return chainLimit(out, 5, std::fabs(x), y);  // the sum 1 + erf is below 2 even if it cancels: the error is relative to |x|
        case Activation::Silu:
        case Activation::Sigmoid:
            // If exp(-x) exceeds fp32's range, 1 / (1 + exp(-x)) is 0 in fp32. The lost value is subnormal in fp32, for silu times x.
            if (-x > std::log(facts(Dtype::F32).maxFinite)) return std::fabs(y) + roundingLimit(out, y);
            break;
        case Activation::Tanh:
            break;
    }
    return chainLimit(out, 5, std::fabs(y), y);
}

double activationGradLimit(Activation kind, Dtype out, double gradOutput, double x, double gradInput) {
    if (kind == Activation::Relu) return 0;
    // silu: s (1 + x (1 - s)), whose inner difference errs by u: s has four roundings, then there are five more.
    if (kind == Activation::Silu) return chainLimit(out, 9, std::fabs(gradOutput) * (1 + std::fabs(x)) / (1 + std::exp(-x)), gradInput);
    // gelu: Phi as above and x phi, both below 1.2. The others: two or three products and differences of numbers up to 1.
    return chainLimit(out, kind == Activation::Gelu ? 10 : 4, std::fabs(gradOutput), gradInput);
}

double crossEntropyLimit(std::int64_t rows, std::int64_t classes, double largestLogit, double loss) {
    const double magnitude = 2 * largestLogit + std::log(static_cast<double>(classes));  // bound on the terms of a row's loss
    // A row: subtraction, exp (2), the sum of the classes, log (2), two more; then the sum over rows and the division.
    return chainLimit(Dtype::F32, static_cast<double>(classes + 7 + rows + 1), magnitude, loss);
}

double logProbabilityLimit(std::int64_t classes, double largestLogit) {
    const double magnitude = 2 * largestLogit + std::log(static_cast<double>(classes));
    // Subtraction, log (2), difference. The sum of the exponentials (2) has a relative error of as many u, its logarithm an absolute one.
    return chainLimit(Dtype::F32, 4, magnitude, 0) + static_cast<double>(classes + 2) * facts(Dtype::F32).unitRoundoff();
}

double crossEntropyGradLimit(std::int64_t classes, double largestLogit, double factor, double gradient) {
    // The error of a difference of logits, up to u * 2 * largest, is a relative error of exp. Then exp (2), sum, division, difference,
    // product, and the factor's division.
    return chainLimit(Dtype::F32, 2 * largestLogit + static_cast<double>(classes) + 6, std::fabs(factor), gradient);
}

AdamWLimits adamwLimits(double gradient, double m, double newM, double newV, double rootCorrection, double epsilon, double stepSize,
                        double weight) {
    const double u = facts(Dtype::F32).unitRoundoff();
    AdamWLimits limits;
    limits.m = chainLimit(Dtype::F32, 4, std::fabs(m) + std::fabs(gradient), newM);  // a constant, difference, product, sum
    limits.v = chainLimit(Dtype::F32, 6, newV, newV);                                // two constants, three products, a sum
    // |sqrt(v +- e) - sqrt(v)| is at most e / sqrt(v), and at most sqrt(e). Then a constant, root, quotient, constant, sum.
    const double root = std::sqrt(newV), rootError = std::min(newV > 0 ? limits.v / root : INFINITY, std::sqrt(limits.v));
    const double denominator = root / rootCorrection + epsilon, denominatorError = rootError / rootCorrection + 5 * u * denominator;
    const double update = stepSize * newM / denominator;
    const double updateError =
        stepSize * (limits.m / denominator + std::fabs(newM) * denominatorError / (denominator * denominator)) + 3 * u * std::fabs(update);
    // The decay's constant and product, and the last sum.
    limits.weight = updateError + chainLimit(Dtype::F32, 3, std::fabs(weight) + std::fabs(update), weight);
    return limits;
}

double storedLimit(Dtype out, double limit, double y) {
    return out == Dtype::F32 ? limit : limit + roundingLimit(out, std::fabs(y) + limit);
}

double sgdBufferLimit(double bufferSize, double newBuffer) {
    return chainLimit(Dtype::F32, 6, bufferSize,
                      newBuffer);  // the gradient's product and sum with constant; another product, constant, sum
}

double sgdWeightLimit(double lr, double directionSize, double weight) {
    return chainLimit(Dtype::F32, 11, lr * directionSize, 0) + chainLimit(Dtype::F32, 1, std::fabs(weight) + lr * directionSize, weight);
}

double normLimit(std::int64_t count, double norm) {
    return roundingLimit(Dtype::F32, norm) + static_cast<double>(count) * 0x1p-53 * norm;
}

double trajectoryLimit(Dtype compute, double loss) {
    return (compute == Dtype::F32 ? 2e-4 : 1e-2) * std::fabs(loss);
}

}  // namespace mantissa::conformance
