// SPDX-License-Identifier: Apache-2.0
// Softmax cross-entropy and its gradient against the formulas in double, central differences, and non-finite logits.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include "tests/support/compare.h"
#include "tests/support/operands.h"
#include "tests/support/tolerance.h"

namespace mantissa::test {
namespace {

constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

struct Batch {
    std::int64_t rows, classes;
    std::vector<float> logits;
    std::vector<std::int32_t> labels;
};

Batch randomBatch(std::int64_t rows, std::int64_t classes, float deviation) {
    std::mt19937 random(static_cast<unsigned>(rows * 1000 + classes));
    std::normal_distribution<float> normal(0, deviation);
    Batch batch{rows, classes, std::vector<float>(static_cast<std::size_t>(rows * classes)),
                std::vector<std::int32_t>(static_cast<std::size_t>(rows))};
    for (float& x : batch.logits) x = normal(random);
    for (auto& label : batch.labels) label = static_cast<std::int32_t>(random() % static_cast<unsigned>(classes));
    return batch;
}

/// -log softmax at the label, in double.
double rowLoss(const double* x, std::int64_t classes, std::int32_t label) {
    const double largest = *std::max_element(x, x + classes);
    double sum = 0;
    for (std::int64_t i = 0; i < classes; ++i) sum += std::exp(x[i] - largest);
    return std::log(sum) + largest - x[label];
}

double meanLoss(const Batch& batch, const std::vector<double>& logits) {
    double sum = 0;
    for (std::int64_t row = 0; row < batch.rows; ++row) {
        sum += rowLoss(logits.data() + row * batch.classes, batch.classes, batch.labels[static_cast<std::size_t>(row)]);
    }
    return sum / static_cast<double>(batch.rows);
}

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

TEST_F(CrossEntropy, LossAgreesWithTheFormula) {
    for (const auto& [rows, classes] : {std::array{1, 2}, {64, 2}, {33, 10}, {500, 91}}) {
        for (const float deviation : {0.01f, 1.0f, 30.0f}) {
            const Batch batch = randomBatch(rows, classes, deviation);
            const double expected = meanLoss(batch, toDouble(batch.logits));
            double magnitude = 0;  // of what a row's loss is put together from
            for (const float x : batch.logits) magnitude = std::max(magnitude, 2 * std::fabs(static_cast<double>(x)) + std::log(classes));
            // A row: subtraction, exp (2), the sum of the classes, log (2), two more; then the sum over rows and the division.
            const double limit =
                chainLimit(Dtype::F32, static_cast<double>(classes) + 7 + static_cast<double>(rows) + 1, magnitude, expected);
            EXPECT_LE(std::fabs(static_cast<double>(forward(batch).loss) - expected), limit) << rows << 'x' << classes;
        }
    }
}

TEST_F(CrossEntropy, CountsRowsWhoseLabelIsLargest) {
    EXPECT_EQ(forward({4, 3, {0, 1, 2, 5, 1, 2, -1, -3, -2, 0, 0, 1}, {2, 0, 1, 2}}).correct, 3);
    EXPECT_EQ(forward({3, 3, {kNan, 1, 2, 0, kNan, 3, 1, 5, kNan}, {2, 2, 1}}).correct, 0);  // a NaN logit counts as wrong
    EXPECT_EQ(forward({2, 2, {kInf, 0, -kInf, 0}, {0, 1}}).correct, 2);
}

TEST_F(CrossEntropy, GradientAgreesWithTheFormulaAndWithDifferences) {
    for (const float lossGrad : {1.0f, 65536.0f / 3}) {
        const Batch batch = randomBatch(17, 5, 2);
        const std::vector<double> logits = toDouble(batch.logits);
        std::vector<double> expected, limits;
        for (std::int64_t row = 0; row < batch.rows; ++row) {
            const double* x = logits.data() + row * batch.classes;
            for (std::int32_t i = 0; i < batch.classes; ++i) {
                const double p = std::exp(-rowLoss(x, batch.classes, i)), onehot = i == batch.labels[static_cast<std::size_t>(row)] ? 1 : 0;
                const double factor = static_cast<double>(lossGrad) / static_cast<double>(batch.rows);
                expected.push_back((p - onehot) * factor);
                // p: subtraction (of logits up to 8 and so an error of 8 u), exp, sum, division; then the difference and the product.
                limits.push_back(chainLimit(Dtype::F32, 16 + static_cast<double>(batch.classes), factor, expected.back()));
                // Central differences of the loss: error of order h^2 and of the double loss over h.
                constexpr double kStep = 1e-5;
                std::vector<double> up = logits, down = logits;
                const auto at = static_cast<std::size_t>(row * batch.classes + i);
                up[at] += kStep;
                down[at] -= kStep;
                const double difference = (meanLoss(batch, up) - meanLoss(batch, down)) / (2 * kStep) * static_cast<double>(lossGrad);
                EXPECT_NEAR(expected.back(), difference, 1e-9 * static_cast<double>(lossGrad));
            }
        }
        const Comparison c = compare(toDouble(backward(batch, lossGrad)), expected, limits);
        EXPECT_TRUE(c) << c;
        EXPECT_GT(c.margin, 0.01) << c;
    }
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
