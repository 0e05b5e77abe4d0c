// SPDX-License-Identifier: Apache-2.0
#include "kernels/conformance/gradient_check.h"

#include <algorithm>
#include <cmath>
#include <functional>

#include "kernels/conformance/convolution_reference.h"
#include "kernels/conformance/inputs.h"
#include "kernels/conformance/network_reference.h"
#include "kernels/conformance/reference.h"

namespace mantissa::conformance {
namespace {

/// Differences err by step^2 times a third derivative of about 1, and by double's roundoff over the step: both about 1e-10 to 1e-11.
constexpr double kNudge = 1e-5;
constexpr double kLimit = 1e-8;

Values numbers(std::size_t count, unsigned seed) {
    return toDouble(normals(count, seed));
}

double dot(const Values& a, const Values& b) {
    double sum = 0;
    for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
    return sum;
}

/// Compares `gradients` with the differences of `loss`, which reads `variables`.
GradientCheck check(std::string name, Values& variables, const Values& gradients, const std::function<double()>& loss) {
    GradientCheck result{.gradient = std::move(name), .count = gradients.size(), .limit = kLimit};
    for (std::size_t i = 0; i < variables.size(); ++i) {
        const double x = variables[i];
        variables[i] = x + kNudge;
        const double up = loss();
        variables[i] = x - kNudge;
        const double difference = (up - loss()) / (2 * kNudge);
        variables[i] = x;
        const double error = std::fabs(difference - gradients.at(i)) / std::max(1.0, std::fabs(gradients[i]));
        result.worst = error <= result.worst ? result.worst : error;  // NaN is kept, and fails the check
    }
    return result;
}

void activations(std::vector<GradientCheck>& checks) {
    for (const Activation kind : {Activation::Relu, Activation::Gelu, Activation::Tanh, Activation::Sigmoid, Activation::Silu}) {
        Values x, gradients;
        for (double v = -6; v <= 6; v += 0.0617) x.push_back(v);  // never within a step of relu's kink
        const Values weights = numbers(x.size(), 1);
        for (std::size_t i = 0; i < x.size(); ++i) {
            gradients.push_back(reference::activationGrad(kind, weights[i], x[i], reference::activation(kind, x[i])));
        }
        checks.push_back(check(std::string(activationName(kind)), x, gradients, [&] {
            double sum = 0;
            for (std::size_t i = 0; i < x.size(); ++i) sum += weights[i] * reference::activation(kind, x[i]);
            return sum;
        }));
    }
}

/// C = op(A) op(B) + bias with the loss sum(C * g): each operand's gradient is again a product, as in the engine's backward pass.
void products(std::vector<GradientCheck>& checks) {
    constexpr std::int64_t kM = 5, kN = 3, kK = 7;
    for (int layout = 0; layout < 4; ++layout) {
        const bool tA = (layout & 1) != 0, tB = (layout & 2) != 0;
        Values a = numbers(kM * kK, 2), b = numbers(kK * kN, 3), bias = numbers(kN, 4);
        const Values g = numbers(kM * kN, 5);
        const auto loss = [&] { return dot(reference::product({kM, kN, kK, tA, tB}, a, b, bias).values, g); };
        const Values gradA =
            (tA ? reference::product({kK, kM, kN, tB, true}, b, g, {}) : reference::product({kM, kK, kN, false, !tB}, g, b, {})).values;
        const Values gradB =
            (tB ? reference::product({kN, kK, kM, true, tA}, g, a, {}) : reference::product({kK, kN, kM, !tA, false}, a, g, {})).values;
        const std::string name = std::string("matmul ") + (tA ? "A'" : "A") + (tB ? " B'" : " B");
        checks.push_back(check(name + ", of its left operand", a, gradA, loss));
        checks.push_back(check(name + ", of its right operand", b, gradB, loss));
        checks.push_back(check(name + ", of its bias", bias, reference::columnSums(kM, kN, g).values, loss));
    }
}

void losses(std::vector<GradientCheck>& checks) {
    constexpr std::int64_t kClasses = 5;
    constexpr double kLossGrad = 3;
    Values logits = numbers(17 * kClasses, 6);
    std::vector<std::int32_t> labels;
    for (std::int32_t row = 0; row < 17; ++row) labels.push_back(row * 3 % static_cast<std::int32_t>(kClasses));
    for (const double smoothing : {0.0, 0.2}) {
        checks.push_back(check(smoothing == 0 ? "cross-entropy" : "cross-entropy, smoothed", logits,
                               reference::crossEntropyGrad(kClasses, logits, labels, kLossGrad, smoothing),
                               [&] { return kLossGrad * reference::crossEntropy(kClasses, logits, labels, smoothing).loss; }));
    }
    Values prediction = numbers(20, 20);
    const Values target = numbers(20, 21);
    checks.push_back(check("mean squared error", prediction, reference::meanSquaredErrorGrad(prediction, target, kLossGrad),
                           [&] { return kLossGrad * reference::meanSquaredError(prediction, target); }));
}

void rows(std::vector<GradientCheck>& checks) {
    constexpr std::size_t kCols = 7;
    Values x = numbers(kCols, 7), weight = numbers(kCols, 8), bias = numbers(kCols, 9);
    const Values g = numbers(kCols, 10);
    checks.push_back(check("softmax", x, reference::softmaxGrad(g, reference::softmax(x)), [&] { return dot(reference::softmax(x), g); }));
    for (const bool centres : {true, false}) {
        const reference::Norm norm{.centres = centres};
        const reference::NormRow forward = reference::layerNorm(norm, x, weight, bias);
        const reference::NormGradient gradient = reference::layerNormGrad(norm, g, x, weight, forward.mean, forward.inverseDeviation);
        const auto loss = [&] { return dot(reference::layerNorm(norm, x, weight, bias).y, g); };
        const std::string name = centres ? "layer norm" : "RMS norm";
        checks.push_back(check(name, x, gradient.input, loss));
        checks.push_back(check(name + ", of its weight", weight, gradient.weight, loss));
    }
    Values head = numbers(8, 11);
    const Values gHead = numbers(8, 12);
    checks.push_back(
        check("rotary", head, reference::rotate(gHead, 3, 500, -1), [&] { return dot(reference::rotate(head, 3, 500, 1), gHead); }));
}

void attentions(std::vector<GradientCheck>& checks) {
    for (const bool causal : {true, false}) {
        const reference::AttentionShape shape{2, 4, 2, 5, 3, causal, 0.6};
        Values q = numbers(120, 16), k = numbers(60, 17), v = numbers(60, 18);
        const Values g = numbers(120, 19);
        const reference::Attention forward = reference::attention(shape, q, k, v);
        const reference::AttentionGradient gradient = reference::attentionGrad(shape, g, q, k, v, forward.out, forward.logSumExp);
        const auto loss = [&] { return dot(reference::attention(shape, q, k, v).out, g); };
        const std::string name = causal ? "causal attention, of its " : "attention, of its ";
        checks.push_back(check(name + "queries", q, gradient.q, loss));
        checks.push_back(check(name + "keys", k, gradient.k, loss));
        checks.push_back(check(name + "values", v, gradient.v, loss));
    }
}

void gates(std::vector<GradientCheck>& checks) {
    Values gate = numbers(20, 13), up = numbers(20, 14), gradGate, gradUp;
    const Values g = numbers(20, 15);
    for (std::size_t i = 0; i < gate.size(); ++i) {
        const reference::SwiGluGradient own = reference::swiGluGrad(g[i], gate[i], up[i]);
        gradGate.push_back(own.gate);
        gradUp.push_back(own.up);
    }
    const auto loss = [&] {
        double sum = 0;
        for (std::size_t i = 0; i < gate.size(); ++i) sum += g[i] * reference::swiGlu(gate[i], up[i]);
        return sum;
    };
    checks.push_back(check("swiglu, of its gate", gate, gradGate, loss));
    checks.push_back(check("swiglu, of its other factor", up, gradUp, loss));
}

void convolutions(std::vector<GradientCheck>& checks) {
    const Convolution2dDesc plain{.samples = 2, .height = 4, .width = 5, .inChannels = 2, .outChannels = 3, .window = {3, 3, 1, 1, 1, 1}};
    const Convolution2dDesc grouped{
        .samples = 2, .height = 6, .width = 5, .inChannels = 4, .outChannels = 6, .window = {3, 2, 2, 1, 1, 0}, .groups = 2};
    for (const Convolution2dDesc& d : {plain, grouped}) {
        Values x = numbers(reference::sizeOfX(d), 20), weight = numbers(reference::sizeOfWeight(d), 21);
        const Values g = numbers(reference::convolution(d, x, weight).values.size(), 22);
        const auto loss = [&] { return dot(reference::convolution(d, x, weight).values, g); };
        const std::string name = d.groups == 1 ? "convolution, of its " : "grouped convolution, of its ";
        checks.push_back(check(name + "input", x, reference::convolutionInputGrad(d, g, weight).values, loss));
        checks.push_back(check(name + "weight", weight, reference::convolutionWeightGrad(d, g, x).values, loss));
    }
}

void pools(std::vector<GradientCheck>& checks) {
    for (const Pooling kind : {Pooling::Max, Pooling::Average}) {
        const PoolDesc d{.kind = kind, .samples = 2, .height = 5, .width = 6, .channels = 3, .window = {3, 2, 2, 1, 1, 0}};
        Values x = numbers(static_cast<std::size_t>(d.samples * d.height * d.width * d.channels), 23);
        const reference::Pooled forward = reference::pool(d, x);
        const Values g = numbers(forward.values.size(), 24);
        checks.push_back(check(kind == Pooling::Max ? "max pool" : "average pool", x, reference::poolGrad(d, g, forward.indices).values,
                               [&] { return dot(reference::pool(d, x).values, g); }));
    }
}

}  // namespace

std::vector<GradientCheck> checkReferenceGradients() {
    std::vector<GradientCheck> checks;
    activations(checks);
    products(checks);
    losses(checks);
    rows(checks);
    attentions(checks);
    gates(checks);
    convolutions(checks);
    pools(checks);
    return checks;
}

}  // namespace mantissa::conformance
