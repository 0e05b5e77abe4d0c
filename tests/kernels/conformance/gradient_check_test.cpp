// SPDX-License-Identifier: Apache-2.0
// The reference that judges the kernels is itself proved: its gradients by central differences, its forward formulas by known values.
#include "kernels/conformance/gradient_check.h"

#include <gtest/gtest.h>

#include <cmath>

#include "kernels/conformance/convolution_reference.h"
#include "kernels/conformance/reference.h"

namespace mantissa::conformance {
namespace {

TEST(Reference, GradientsAgreeWithCentralDifferences) {
    const std::vector<GradientCheck> checks = checkReferenceGradients();
    EXPECT_EQ(checks.size(), 5u + 4 * 3 + 3 + 6 + 6 + 2 + 4 + 2);
    for (const GradientCheck& check : checks) {
        EXPECT_TRUE(check.holds()) << check.gradient << ": " << check.worst;
        EXPECT_GT(check.worst, 0) << check.gradient << ": differences are never exact";
        EXPECT_GT(check.count, 2u) << check.gradient;
    }
}

// Tables: Phi(1) = 0.841344746068543, tanh and the logistic function of 1, log 2.
TEST(Reference, ForwardFormulasHaveTheKnownValues) {
    EXPECT_EQ(reference::activation(Activation::Relu, -1), 0);
    EXPECT_EQ(reference::activation(Activation::Relu, 2), 2);
    EXPECT_NEAR(reference::activation(Activation::Gelu, 1), 0.841344746068543, 1e-15);
    EXPECT_NEAR(reference::activation(Activation::Tanh, 1), 0.761594155955765, 1e-15);
    EXPECT_NEAR(reference::activation(Activation::Sigmoid, 1), 0.731058578630005, 1e-15);
    const std::vector<double> logits{0, 0, 1, 1};
    const std::vector<std::int32_t> labels{0, 1};
    EXPECT_NEAR(reference::crossEntropy(2, logits, labels).loss, std::log(2.0), 1e-15);
    EXPECT_EQ(reference::crossEntropy(2, logits, labels).correct, 1);  // of equals the first one counts
}

TEST(Reference, ProductsOfTransposesAreTheProduct) {
    const std::vector<double> a{1, 2, 3, 4, 5, 6}, aT{1, 4, 2, 5, 3, 6}, b{7, 8, 9, 10, 11, 12}, bT{7, 9, 11, 8, 10, 12}, bias{1, -1};
    const std::vector<double> expected{59, 63, 140, 153};
    EXPECT_EQ(reference::product({2, 2, 3, false, false}, a, b, bias).values, expected);
    EXPECT_EQ(reference::product({2, 2, 3, true, false}, aT, b, bias).values, expected);
    EXPECT_EQ(reference::product({2, 2, 3, false, true}, a, bT, bias).values, expected);
    EXPECT_EQ(reference::product({2, 2, 3, true, true}, aT, bT, bias).values, expected);
    EXPECT_EQ(reference::product({2, 2, 3, false, false}, a, b, bias).magnitudes, (std::vector<double>{59, 65, 140, 155}));
}

// By hand: windows of 2 x 2 over 3 x 3, from a corner of padding on.
TEST(Reference, AConvolutionSumsItsWindows) {
    const Convolution2dDesc d{.samples = 1, .height = 3, .width = 3, .inChannels = 1, .outChannels = 1, .window = {2, 2, 2, 2, 1, 1}};
    const std::vector<double> x{1, 2, 3, 4, 5, 6, 7, 8, 9}, weight{1, 10, 100, 1000};
    EXPECT_EQ(reference::convolution(d, x, weight).values, (std::vector<double>{1000, 3200, 7040, 9865}));
}

TEST(Reference, AWindowHasOneLargestElement) {
    PoolDesc d{.samples = 1, .height = 2, .width = 4, .channels = 1, .window = {2, 2, 2, 2}};
    const std::vector<double> x{3, -1, NAN, 9, 3, 2, NAN, 5};
    const reference::Pooled largest = reference::pool(d, x);
    EXPECT_EQ(largest.values[0], 3);
    EXPECT_TRUE(std::isnan(largest.values[1]));
    EXPECT_EQ(largest.indices, (std::vector<std::int32_t>{0, 6}));  // the first of equals, the last NaN
    d.kind = Pooling::Average;
    EXPECT_EQ(reference::pool(d, x).values[0], 1.75);
}

}  // namespace
}  // namespace mantissa::conformance
