// SPDX-License-Identifier: Apache-2.0
// Softmax cross-entropy at the ends of the range, as log_softmax and nll_loss have it. The conformance suite judges all other logits.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tests/support/non_finite.h"
#include "tests/support/operands.h"

namespace mantissa::test {
namespace {

struct Batch {
    std::int64_t rows, classes;
    std::vector<float> logits;
    std::vector<std::int32_t> labels;
};

class CrossEntropy : public ::testing::Test {
protected:
    std::shared_ptr<Backend> m_backend = createCpuBackend();

    struct Loss {
        float loss;
        std::int32_t correct;
    };
    Loss forward(const Batch& batch) {
        const GuardedBuffer logits(*m_backend, batch.logits), labels(*m_backend, batch.labels), loss(*m_backend, 4), correct(*m_backend, 4);
        runOperation(*m_backend, SoftmaxCrossEntropyDesc{batch.rows, batch.classes}, {&logits, &labels, &loss, &correct});
        return {loss.read<float>().front(), correct.read<std::int32_t>().front()};
    }
    std::vector<float> backward(const Batch& batch, float lossGrad) {
        const GuardedBuffer logits(*m_backend, batch.logits), labels(*m_backend, batch.labels),
            scalars(*m_backend, std::vector{StepScalars{.lossGrad = lossGrad}}), gradLogits(*m_backend, batch.logits.size() * 4);
        runOperation(*m_backend, SoftmaxCrossEntropyGradDesc{batch.rows, batch.classes}, {&logits, &labels, &scalars, &gradLogits});
        return gradLogits.read<float>();
    }
};

TEST_F(CrossEntropy, CountsRowsWhoseLabelIsLargest) {
    EXPECT_EQ(forward({4, 3, {0, 1, 2, 5, 1, 2, -1, -3, -2, 0, 0, 1}, {2, 0, 1, 2}}).correct, 3);
    EXPECT_EQ(forward({3, 3, {kNan, 1, 2, 0, kNan, 3, 1, 5, kNan}, {2, 2, 1}}).correct, 0);  // a NaN logit counts as wrong
    EXPECT_EQ(forward({2, 2, {kInf, 0, -kInf, 0}, {0, 1}}).correct, 2);
}

TEST_F(CrossEntropy, LargeLogitsDoNotOverflow) {
    const Loss loss = forward({1, 3, {3e38f, -3e38f, 3e38f}, {0}});
    EXPECT_EQ(loss.loss, std::log(2.0f));
    EXPECT_EQ(backward({1, 2, {1e38f, -1e38f}, {0}}, 1), (std::vector<float>{0, 0}));
}

// As log_softmax and nll_loss give it: data, never a crash.
TEST_F(CrossEntropy, NonFiniteLogitsReachTheLoss) {
    EXPECT_TRUE(std::isnan(forward({2, 3, {0, 1, 2, 0, kNan, 0}, {0, 0}}).loss));
    EXPECT_TRUE(std::isnan(forward({1, 3, {0, kInf, 0}, {1}}).loss));
    EXPECT_TRUE(std::isnan(forward({1, 2, {-kInf, -kInf}, {1}}).loss));
    EXPECT_EQ(forward({1, 2, {0, -kInf}, {1}}).loss, kInf);
    EXPECT_EQ(forward({1, 2, {0, -kInf}, {0}}).loss, 0);
    for (const float bad : {kNan, kInf}) {
        const std::vector<float> g = backward({2, 2, {0, bad, 1, 2}, {0, 0}}, 1);
        EXPECT_TRUE(std::isnan(g[0]) && std::isnan(g[1]));
        EXPECT_TRUE(std::isfinite(g[2]) && std::isfinite(g[3]));
    }
}

TEST_F(CrossEntropy, ALossScaleBeyondTheRangeMakesNonFiniteGradients) {
    EXPECT_EQ(backward({1, 2, {0, 0}, {0}}, kInf), (std::vector<float>{-kInf, kInf}));
}

}  // namespace
}  // namespace mantissa::test
