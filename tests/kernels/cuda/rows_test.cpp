// SPDX-License-Identifier: Apache-2.0
// Rows that are folded on the emulated card: of each length at which another plan begins, by a warp or a block, held or read again.
#include <cmath>
#include <limits>

#include "kernels/conformance/compare.h"
#include "kernels/conformance/network_reference.h"
#include "kernels/conformance/network_tolerance.h"
#include "kernels/conformance/reference.h"
#include "kernels/conformance/tolerance.h"
#include "tests/kernels/cuda/beside_cpu.h"

namespace mantissa::test {
namespace {

using conformance::compare;
using conformance::toDouble;
using Values = std::vector<double>;

/// The last ones of each plan and the first ones of the next. Odd ones begin their rows at other places in a chunk each.
constexpr std::int64_t kLengths[] = {1, 8, 248, 249, 1024, 1272, 1273, 8184, 8187, 20'011};
constexpr std::int64_t kRows = 3;

constexpr double kNotANumber = std::numeric_limits<double>::quiet_NaN();

std::span<const double> rowOf(const Values& values, std::int64_t row) {
    const std::size_t cols = values.size() / kRows;
    return std::span(values).subspan(static_cast<std::size_t>(row) * cols, cols);
}

TEST(CudaRows, SoftmaxOfEveryLength) {
    for (const std::int64_t cols : kLengths) {
        for (const Dtype dtype : {Dtype::F32, Dtype::BF16}) {
            const Bytes x = normalBytes(dtype, kRows * cols, 21);
            const std::vector<Bytes> after =
                resultsOnCard({.desc = SoftmaxDesc{kRows, cols, dtype, Dtype::F32}, .operands = {x, roomFor(Dtype::F32, kRows * cols)}});
            const Values numbers = valuesOf(dtype, x);
            Values expected, limits;
            for (std::int64_t row = 0; row < kRows; ++row) {
                const auto own = rowOf(numbers, row);
                const double largest = *std::max_element(own.begin(), own.end());
                const Values y = conformance::reference::softmax(own);
                for (std::size_t i = 0; i < y.size(); ++i)
                    limits.push_back(conformance::softmaxLimit(Dtype::F32, cols, largest - own[i], y[i]));
                expected.insert(expected.end(), y.begin(), y.end());
            }
            EXPECT_TRUE(compare(valuesOf(Dtype::F32, after[1]), expected, limits, conformance::kAnything)) << cols;
        }
    }
}

TEST(CudaRows, ANumberThatIsNoneTakesItsRowAlone) {
    for (const std::int64_t cols : kLengths) {
        for (const float planted : {INFINITY, std::nanf("")}) {
            std::vector<float> x = normalNumbers(static_cast<std::size_t>(kRows * cols), 22);
            x[static_cast<std::size_t>(2 * cols - 1)] = planted;  // the last one of the second row
            const Bytes after =
                resultsOnCard({.desc = SoftmaxDesc{kRows, cols}, .operands = {bytesOfAll(x), roomFor(Dtype::F32, kRows * cols)}})[1];
            const Values y = valuesOf(Dtype::F32, after);
            for (std::size_t i = 0; i < y.size(); ++i) EXPECT_EQ(std::isnan(y[i]), static_cast<std::int64_t>(i) / cols == 1) << cols;
        }
    }
}

TEST(CudaRows, SoftmaxGradientOfEveryLength) {
    for (const std::int64_t cols : kLengths) {
        const Bytes g = normalBytes(Dtype::F16, kRows * cols, 23), y = normalBytes(Dtype::F16, kRows * cols, 24);
        const std::vector<Bytes> after = resultsOnCard(
            {.desc = SoftmaxGradDesc{kRows, cols, Dtype::F16, Dtype::F32}, .operands = {g, y, roomFor(Dtype::F32, kRows * cols)}});
        const Values gradients = valuesOf(Dtype::F16, g), stored = valuesOf(Dtype::F16, y);
        Values expected, limits;
        for (std::int64_t row = 0; row < kRows; ++row) {
            const auto own = rowOf(gradients, row), values = rowOf(stored, row);
            double sum = 0;
            for (std::size_t i = 0; i < own.size(); ++i) sum += std::fabs(own[i] * values[i]);
            const Values result = conformance::reference::softmaxGrad(own, values);
            for (std::size_t i = 0; i < own.size(); ++i)
                limits.push_back(conformance::softmaxGradLimit(Dtype::F32, cols, own[i], values[i], sum, result[i]));
            expected.insert(expected.end(), result.begin(), result.end());
        }
        EXPECT_TRUE(compare(valuesOf(Dtype::F32, after[2]), expected, limits, conformance::kAnything)) << cols;
    }
}

/// Logits with labels that are right, wrong, and the second of two equals, by turns.
struct Batch {
    std::int64_t rows, classes;
    std::vector<float> logits;
    std::vector<std::int32_t> labels;

    Batch(std::int64_t r, std::int64_t c) : rows(r), classes(c), logits(normalNumbers(static_cast<std::size_t>(r * c), 25)) {
        for (std::int64_t row = 0; row < rows; ++row) {
            float* const x = logits.data() + row * classes;
            const std::int64_t largest = std::max_element(x, x + classes) - x, last = classes - 1;
            if (row % 3 == 2) x[last] = x[largest];
            labels.push_back(static_cast<std::int32_t>(row % 3 == 0 ? largest : row % 3 == 1 ? 0 : last));
        }
    }
    double largest() const {
        double result = 0;
        for (const float x : logits) result = std::max(result, std::fabs(static_cast<double>(x)));
        return result;
    }
};

void expectCrossEntropy(const Batch& batch, double smoothing, bool isRecorded) {
    const Bytes other = normalBytes(Dtype::F32, batch.rows * batch.classes, 29);
    const std::vector<Bytes> after = resultsOnCard({.desc = SoftmaxCrossEntropyDesc{batch.rows, batch.classes, smoothing},
                                                    .operands = {bytesOfAll(batch.logits), bytesOfAll(batch.labels), Bytes(4), Bytes(4)},
                                                    .isRecorded = isRecorded,
                                                    .earlier = {other, bytesOfAll(batch.labels), Bytes(4), Bytes(4)}});
    const auto expected = conformance::reference::crossEntropy(batch.classes, toDouble(batch.logits), batch.labels, smoothing);
    const double limit = conformance::crossEntropyLimit(batch.rows, batch.classes, batch.largest(), expected.loss);
    EXPECT_TRUE(compare(valuesOf(Dtype::F32, after[2]), Values{expected.loss}, Values{limit}, conformance::kAnything))
        << batch.rows << "x" << batch.classes;
    std::int32_t correct = -1;
    std::memcpy(&correct, after[3].data(), sizeof correct);
    EXPECT_EQ(correct, static_cast<std::int32_t>(expected.correct)) << batch.rows << "x" << batch.classes;
}

TEST(CudaLoss, CrossEntropyOfEveryLength) {
    for (const std::int64_t classes : kLengths) expectCrossEntropy(Batch(kRows, classes), classes % 2 == 0 ? 0 : 0.1, classes == 249);
    expectCrossEntropy(Batch(101, 10), 0.1, true);  // the last of many blocks adds them up
}

TEST(CudaLoss, SmoothedLossesAtTheEndsOfTheRangeAreTheCpus) {
    for (const std::int64_t classes : {10, 300, 9000}) {
        std::vector<float> huge(static_cast<std::size_t>(classes), 1e38f), masked = normalNumbers(huge.size(), 30);
        masked[3] = -INFINITY;  // the label
        for (const std::vector<float>& logits : {huge, masked}) {
            const Trial trial{.desc = SoftmaxCrossEntropyDesc{1, classes, 0.1},
                              .operands = {bytesOfAll(logits), bytesOfAll(std::vector<std::int32_t>{3}), Bytes(4), Bytes(4)}};
            const double expected = valuesOf(Dtype::F32, resultsOn(*createCpuBackend(), trial)[2])[0],
                         actual = valuesOf(Dtype::F32, resultsOnCard(trial)[2])[0];
            EXPECT_TRUE(actual == expected || std::fabs(actual - expected) < 1e-5) << actual << " for " << expected << ", " << classes;
        }
    }
}

TEST(CudaLoss, CrossEntropyGradientOfEveryLength) {
    for (const std::int64_t classes : kLengths) {
        const Batch batch(kRows, classes);
        constexpr float kLossGrad = 1000;
        const double smoothing = classes % 2 == 0 ? 0 : 0.1;
        const std::vector<StepScalars> scalars{{.lossGrad = kLossGrad}};
        const std::vector<Bytes> after = resultsOnCard(
            {.desc = SoftmaxCrossEntropyGradDesc{kRows, classes, smoothing},
             .operands = {bytesOfAll(batch.logits), bytesOfAll(batch.labels), bytesOfAll(scalars), roomFor(Dtype::F32, kRows * classes)}});
        const Values expected = conformance::reference::crossEntropyGrad(classes, toDouble(batch.logits), batch.labels,
                                                                         static_cast<double>(kLossGrad), smoothing);
        const double largest = batch.largest();
        Values limits;
        for (const double g : expected)
            limits.push_back(conformance::crossEntropyGradLimit(classes, largest, static_cast<double>(kLossGrad) / kRows, g));
        EXPECT_TRUE(compare(valuesOf(Dtype::F32, after[3]), expected, limits, conformance::kAnything)) << classes;
    }
}

/// Rows that are kept in shared memory, whole chunks of them and others, and rows that are too long for it.
TEST(CudaLoss, NarrowCrossEntropyOfLongRowsIsTheCpus) {
    for (const Dtype dtype : {Dtype::F16, Dtype::BF16}) {
        for (const std::int64_t classes : {8192, 9003, 60'000}) {
            const Batch batch(kRows, classes);
            const double smoothing = classes == 9003 ? 0.1 : 0;
            const Bytes logits = conformance::stored(dtype, batch.logits), labels = bytesOfAll(batch.labels);
            const std::vector<StepScalars> scalars{{.lossGrad = 30'000}};
            const Trial gradient{.desc = SoftmaxCrossEntropyGradDesc{kRows, classes, smoothing, dtype, dtype},
                                 .operands = {logits, labels, bytesOfAll(scalars), roomFor(dtype, kRows * classes)}};
            const auto gradientsOn = [&](Backend& backend) { return valuesOf(dtype, resultsOn(backend, gradient)[3]); };
            const Values expected = gradientsOn(*createCpuBackend()), actual = gradientsOn(*cuda::createBackend(0));
            const DtypeFacts& format = facts(dtype);
            double worst = 0;
            for (std::size_t i = 0; i < expected.size(); ++i) {
                const double ulp = std::fmax(2 * format.unitRoundoff() * std::fabs(expected[i]), format.minSubnormal);
                const double apart = std::fabs(actual[i] - expected[i]) / ulp;
                worst = std::isnan(apart) ? kNotANumber : std::fmax(worst, apart);
            }
            EXPECT_LE(worst, 1.01) << facts(dtype).name << " " << classes << ": within an ulp, as exponentials differ by one of fp32";
            const Trial loss{.desc = SoftmaxCrossEntropyDesc{kRows, classes, smoothing, dtype, dtype},
                             .operands = {logits, labels, Bytes(4), Bytes(4)}};
            const auto on = [&](Backend& backend) { return resultsOn(backend, loss); };
            const std::vector<Bytes> own = on(*cuda::createBackend(0)), cpu = on(*createCpuBackend());
            EXPECT_NEAR(valuesOf(Dtype::F32, own[2])[0], valuesOf(Dtype::F32, cpu[2])[0], 0.02) << classes;
            EXPECT_EQ(own[3], cpu[3]) << "as many are right";
        }
    }
}

TEST(CudaRows, MasksAsTheCpuDoesInPlaceToo) {
    for (const Dtype dtype : kStored) {
        for (const std::int64_t length : {1, 16, 33, 64, 300}) {
            const std::int64_t count = 2 * length * length;
            const Trial trial{.desc = CausalMaskDesc{2, length, dtype}, .operands = {normalBytes(dtype, count, 26), roomFor(dtype, count)}};
            expectSameAsCpu(trial);
            Trial inPlace = trial;
            inPlace.isInPlace = true;
            expectSameAsCpu(inPlace);
            Trial elsewhere = trial;
            elsewhere.offset = facts(dtype).storageBytes();
            expectSameAsCpu(elsewhere);
        }
    }
}

TEST(CudaRows, TurnsAsTheCpuDoesInPlaceToo) {
    for (const Dtype dtype : kStored) {
        for (const std::int64_t headDim : {2, 20, 64, 128}) {
            for (const bool isInPlace : {false, true}) {
                const RotaryDesc d{.rows = 90,
                                   .length = 45,
                                   .heads = 5,
                                   .headDim = headDim,
                                   .srcStride = 5 * headDim + 3,
                                   .dstStride = 5 * headDim + 3,
                                   .from = dtype,
                                   .to = dtype};
                expectSameAsCpu({.desc = d,
                                 .operands = {normalBytes(dtype, d.rows * d.srcStride, 27), normalBytes(dtype, d.rows * d.dstStride, 28)},
                                 .isInPlace = isInPlace});
            }
        }
    }
}

}  // namespace
}  // namespace mantissa::test
