// SPDX-License-Identifier: Apache-2.0
// Statistics of quantised operands: planted tensors with figures computed by hand, and those of a step against a plain computation.
#include "engine/training/block_stats.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "kernels/cpu/block_array.h"
#include "tests/engine/training/small_run.h"
#include "tests/support/non_finite.h"

namespace mantissa {
namespace {

BlockFormat blockFormatNamed(const char* name, MatrixShape block, ScaleRule rule = ScaleRule::Floor) {
    BlockFormat format = blockFormatFromName(name).value();
    format.block = block;
    return format.isNvfp4() ? format : withRule(format, rule);
}

/// Quantises on the CPU and takes the statistics.
OperandBlocks statisticsOf(const BlockFormat& format, MatrixShape shape, const std::vector<float>& numbers, bool isRotated = false) {
    const QuantizeBlocksDesc desc{.shape = shape, .from = Dtype::F32, .format = format, .isRotated = isRotated};
    const auto backend = createCpuBackend();
    const auto queue = backend->createQueue();
    std::vector<float> source = numbers;
    std::vector<std::byte> stored(static_cast<std::size_t>(format.storageBytes(shape)) + 64), workspace(backend->workspaceBytes(desc));
    QuantScale scale;
    const std::array<void*, 5> operands{source.data(), stored.data(), &scale, nullptr, workspace.data()};
    backend->prepare(desc)->enqueue(*queue, operands);
    queue->wait();
    return blockStatistics(desc, numbers, stored, static_cast<double>(scale.inverse));
}

std::vector<float> normalNumbers(std::int64_t count) {
    std::mt19937 random(3);
    std::normal_distribution<float> normal;
    std::vector<float> numbers(static_cast<std::size_t>(count));
    for (float& x : numbers) x = normal(random);
    return numbers;
}

TEST(BlockStats, AnOutlierFlushesItsBlock) {
    std::vector<float> numbers(64, 0.0f);
    numbers[0] = 0x1p20f;                                     // scale 2^(20 - 8); the smallest element is 2^-9, the smallest number 8
    for (std::size_t i = 1; i <= 10; ++i) numbers[i] = 1.0f;  // below its half
    numbers[11] = -8.0f;
    const OperandBlocks found = statisticsOf(blockFormatNamed("mxfp8_e4m3", {1, 32}), {1, 64}, numbers);
    EXPECT_EQ(found.nonZero, 12);
    EXPECT_EQ(found.flushed, 10);
    EXPECT_EQ(found.saturated, 0);
    EXPECT_EQ(found.blocks, 2);
    EXPECT_EQ(found.zeroBlocks, 1);
    EXPECT_EQ(found.scales, (std::vector<ScaleBin>{{-127, 1}, {12, 1}}));
    EXPECT_EQ(found.smallestScale, 0x1p-127);
    EXPECT_EQ(found.largestScale, 0x1p12);
    EXPECT_EQ(found.factor, 1);
    EXPECT_DOUBLE_EQ(found.sqnr, 10 * std::log10((0x1p40 + 74) / 10));
    EXPECT_EQ(found.largest, 0x1p20);
    EXPECT_TRUE(std::isnan(found.largestRotated));
    ASSERT_EQ(found.map.rows, 1);
    ASSERT_EQ(found.map.cols, 2);
    EXPECT_FLOAT_EQ(found.map.sqnr[0], static_cast<float>(found.sqnr));
    EXPECT_TRUE(std::isnan(found.map.sqnr[1])) << "a block of zeros";
    EXPECT_FLOAT_EQ(found.map.flushed[0], 10.0f / 12);
    EXPECT_EQ(found.map.flushed[1], 0);
}

TEST(BlockStats, TheFloorRuleSaturatesAndRoundUpDoesNot) {
    std::vector<float> numbers(32, 1.0f);
    numbers[7] = -500.0f;
    const OperandBlocks floor = statisticsOf(blockFormatNamed("mxfp8_e4m3", {1, 32}), {1, 32}, numbers);
    EXPECT_EQ(floor.saturated, 1) << "500 > 448 * 2^0";
    EXPECT_DOUBLE_EQ(floor.sqnr, 10 * std::log10((500.0 * 500 + 31) / (52.0 * 52)));
    const OperandBlocks up = statisticsOf(blockFormatNamed("mxfp8_e4m3", {1, 32}, ScaleRule::RoundUp), {1, 32}, numbers);
    EXPECT_EQ(up.saturated, 0);
    EXPECT_EQ(up.largestScale, 2);
}

TEST(BlockStats, Nvfp4ByHand) {
    std::vector<float> numbers(32, 0.0f);
    numbers[0] = 2688;  // 6 * 448: the tensor's factor is 1, the block's scale 448
    numbers[1] = 100;   // below a half of the smallest element's 224
    numbers[2] = -112;  // the half, a tie
    numbers[3] = 224;
    numbers[16] = 0x1p-10f;  // its block's scale rounds to 0
    const OperandBlocks found = statisticsOf(blockFormatNamed("nvfp4", {1, 16}), {1, 32}, numbers);
    EXPECT_EQ(found.factor, 1);
    EXPECT_EQ(found.nonZero, 5);
    EXPECT_EQ(found.flushed, 3);
    EXPECT_EQ(found.saturated, 0);
    EXPECT_EQ(found.zeroBlocks, 1);
    EXPECT_EQ(found.zeroScales, 1);
    EXPECT_EQ(found.scales, (std::vector<ScaleBin>{{8, 1}}));
    EXPECT_EQ(found.smallestScale, 448);
    const double error = 100.0 * 100 + 112.0 * 112;
    EXPECT_NEAR(found.sqnr, 10 * std::log10((2688.0 * 2688 + 224.0 * 224 + error) / error), 1e-5);
    EXPECT_EQ(found.map.sqnr[1], 0) << "all of the block is lost";
    EXPECT_EQ(found.map.flushed[1], 1);
}

TEST(BlockStats, TheRotationSpreadsAnOutlier) {
    std::vector<float> numbers(20 * 3, 0.0f);
    numbers[3 * 3 + 1] = 16;
    const OperandBlocks found = statisticsOf(blockFormatNamed("nvfp4", {16, 1}), {20, 3}, numbers, true);
    EXPECT_EQ(found.largest, 16);
    EXPECT_EQ(found.largestRotated, 4);
    EXPECT_EQ(found.nonZero, 16);
    EXPECT_GT(found.sqnr, 120) << "all sixteen are +-4, the largest of the tensor";
    EXPECT_EQ(found.blocks, 6);
    EXPECT_EQ(found.zeroBlocks, 5);
    numbers[18 * 3] = 32;  // in the rows after the last sixteen
    EXPECT_EQ(statisticsOf(blockFormatNamed("nvfp4", {16, 1}), {20, 3}, numbers, true).largestRotated, 32);
}

TEST(BlockStats, ACellHasTheWorstOfItsBlocks) {
    constexpr MatrixShape kShape{130, 64};  // 130 x 2 blocks, three rows to a cell
    std::vector<float> numbers(static_cast<std::size_t>(kShape.count()), 1.0f);
    numbers[5 * 64] = 0x1p20f;  // flushes the other 31
    numbers[9 * 64 + 63] = NAN;
    for (std::size_t row = 12; row < 15; ++row) std::fill_n(numbers.begin() + static_cast<std::ptrdiff_t>(row * 64), 32, 0.0f);
    const OperandBlocks found = statisticsOf(blockFormatNamed("mxfp8_e4m3", {1, 32}), kShape, numbers);
    const BlockMap& map = found.map;
    ASSERT_EQ(map.rows, 44);
    ASSERT_EQ(map.cols, 2);
    EXPECT_EQ(map.blockRowsPerCell, 3);
    EXPECT_EQ(map.blockColsPerCell, 1);
    const auto at = [&](std::size_t row, std::size_t col) { return map.sqnr[row * 2 + col]; };
    EXPECT_EQ(at(0, 0), INFINITY);
    EXPECT_FLOAT_EQ(at(1, 0), static_cast<float>(10 * std::log10((0x1p40 + 31) / 31)));
    EXPECT_EQ(map.flushed[2], 31.0f / 32);
    EXPECT_EQ(at(3, 1), -INFINITY);
    EXPECT_TRUE(std::isnan(at(4, 0)));
    EXPECT_EQ(at(4, 1), INFINITY);
    EXPECT_EQ(found.nanScales, 1);
    EXPECT_EQ(found.zeroBlocks, 3);
    EXPECT_TRUE(std::isfinite(found.sqnr)) << "without the block of the NaN";
}

TEST(BlockStats, NormalNumbersHaveTheKnownNoise) {
    constexpr MatrixShape kShape{1024, 1024};
    const std::vector<float> numbers = normalNumbers(kShape.count());
    EXPECT_NEAR(statisticsOf(blockFormatNamed("nvfp4", {1, 16}), kShape, numbers).sqnr, 20.43, 0.1);
    EXPECT_NEAR(statisticsOf(blockFormatNamed("mxfp8_e4m3", {1, 32}, ScaleRule::RoundUp), kShape, numbers).sqnr, 31.51, 0.1);
}

/// Against quantising and decoding in one go, in every format and for blocks and packed codes that do not divide the matrix.
TEST(BlockStats, AgreeWithAPlainComputation) {
    constexpr MatrixShape kShape{37, 41};
    std::vector<float> numbers = normalNumbers(kShape.count());
    for (float& x : numbers) x = roundTo(Dtype::BF16, x);
    for (const BlockFormat& each : blockFormats()) {
        for (const MatrixShape block : blockShapes(each)) {
            BlockFormat format = each;
            format.block = block;
            std::vector<float> rounded(numbers.size());
            const float S = tensorScaleOf(format, largestMagnitude(numbers.data(), kShape.count()));
            roundBlocks(format, kShape, numbers.data(), S, rounded.data());
            double signal = 0, error = 0;
            std::int64_t flushed = 0;
            for (std::size_t i = 0; i < numbers.size(); ++i) {
                const auto x = static_cast<double>(numbers[i]), difference = x - static_cast<double>(rounded[i]);
                signal += x * x;
                error += difference * difference;
                flushed += numbers[i] != 0 && rounded[i] == 0 ? 1 : 0;
            }
            const OperandBlocks found = statisticsOf(format, kShape, numbers);
            EXPECT_NEAR(found.sqnr, 10 * std::log10(signal / error), 1e-4) << format.name << blockShapeName(block);
            EXPECT_EQ(found.flushed, flushed) << format.name << blockShapeName(block);
            EXPECT_EQ(found.blocks, format.scales(kShape).count());
        }
    }
}

TrainingSettings blockStatsRun(const std::string& policy) {
    TrainingSettings settings = smallRun(policy);
    settings.model.hidden = {48, 40};
    settings.data.batchSize = 24;
    return settings;
}

TEST(BlockStats, AStepHasItsOperandsAndTheTrainerStays) {
    const TrainingSettings settings = blockStatsRun("mxfp8");
    const auto data = loadDataset(settings.data);
    Trainer trainer(settings, data, createCpuBackend()), other(settings, data, createCpuBackend());
    for (int i = 0; i < 3; ++i) (void)trainer.step(), (void)other.step();
    const std::vector<OperandBlocks> all = readBlocks(trainer);
    const std::vector<OperandBlocks> again = readBlocks(trainer);
    ASSERT_EQ(all.size(), again.size());
    std::vector<std::string> texts;
    for (std::size_t i = 0; i < all.size(); ++i) {
        std::string text = all[i].tensor + ":";
        for (const Direction product : all[i].products) text += " " + std::string(directionName(product));
        texts.push_back(text);
        EXPECT_EQ(all[i].sqnr, again[i].sqnr) << text;
        EXPECT_GT(all[i].sqnr, 20) << text;
        EXPECT_EQ(all[i].layer.rfind("layers.", 0), 0u) << text;
        EXPECT_EQ(all[i].format, "mxfp8_e4m3");
    }
    EXPECT_EQ(texts, (std::vector<std::string>{"layers.0.weight: forward", "layers.1.weight: forward", "layers.1.weight: input_grad",
                                               "input: forward", "input: weight_grad", "activations.0.output: forward",
                                               "activations.0.output: weight_grad", "layers.1.output.grad: weight_grad",
                                               "layers.1.output.grad: input_grad", "layers.0.output.grad: weight_grad"}));
    for (int i = 0; i < 3; ++i) EXPECT_EQ(trainer.step().loss, other.step().loss);
}

TEST(BlockStats, ARecomputedOperandIsOne) {
    TrainingSettings settings;
    settings.model = {.kind = "gpt", .nLayer = 2, .nHead = 2, .nEmbd = 16, .gradientCheckpointing = true};
    settings.data = {.name = "synthetic-tokens", .batchSize = 2, .context = 8, .length = 500};
    settings.accumulate = 2;
    settings.precision = {.policy = "nvfp4", .blocks = {.keepLast = 0}};
    Trainer trainer(settings, loadDataset(settings.data), createCpuBackend());
    const std::vector<OperandBlocks> all = readBlocks(trainer);
    settings.model.gradientCheckpointing = false;
    Trainer whole(settings, loadDataset(settings.data), createCpuBackend());
    const std::vector<OperandBlocks> expected = readBlocks(whole);
    EXPECT_EQ(all.size(), expected.size());
    for (const OperandBlocks& each : expected) {
        const auto found = std::find_if(all.begin(), all.end(), [&](const OperandBlocks& one) {
            return one.tensor == each.tensor && one.layer == each.layer && one.products == each.products && one.blockCols == each.blockCols;
        });
        ASSERT_NE(found, all.end()) << each.tensor;
        if (!each.isStochastic) {
            EXPECT_EQ(found->sqnr, each.sqnr) << each.tensor;
        }
        EXPECT_EQ(each.isRotated, !std::isnan(each.largestRotated));
    }
}

// The scale of a block with the largest magnitude a is about a / 448: none saturates by its rounding.
TEST(BlockStats, Fp32ScalesAreCountedByTheirBinade) {
    std::vector<float> numbers(512, 1.0f);
    numbers[0] = 448 * 1.5f;
    numbers[200] = 448 * 3;
    std::fill(numbers.begin() + 256, numbers.begin() + 384, 0.0f);
    numbers[400] = test::kNan;
    const OperandBlocks found = statisticsOf(blockFormatNamed("fp8_block_e4m3", {1, 128}, ScaleRule::Fp32), {1, 512}, numbers);
    EXPECT_EQ(found.scales, (std::vector<ScaleBin>{{0, 2}, {1, 1}}));  // 1.5, 3, and 1 of the zeros
    EXPECT_EQ(found.nanScales, 1);
    EXPECT_EQ(found.zeroBlocks, 1);
    EXPECT_FLOAT_EQ(static_cast<float>(found.largestScale), 3);
    EXPECT_EQ(found.smallestScale, 1);
    std::vector<float> some = normalNumbers(128 * 64);
    const OperandBlocks normal = statisticsOf(blockFormatNamed("fp8_block_e4m3", {1, 128}, ScaleRule::Fp32), {64, 128}, some);
    EXPECT_EQ(normal.saturated, 0);
    EXPECT_GT(normal.sqnr, 30);
}

TEST(BlockStats, ARequantisedOperandHasTheNumbersOfItsRows) {
    for (const ScaleRule rule : {ScaleRule::PowerOfTwo, ScaleRule::Fp32}) {
        TrainingSettings settings = blockStatsRun("fp8-block");
        settings.precision.blocks = {.scaleRule = rule, .requantizesInput = true};
        Trainer trainer(settings, loadDataset(settings.data), createCpuBackend());
        int requantised = 0;
        for (const OperandBlocks& each : readBlocks(trainer)) {
            const bool isColumnsOfInput = each.operand == LinearOperand::Input && each.products.front() == Direction::WeightGrad;
            EXPECT_EQ(each.isRequantized, isColumnsOfInput) << each.tensor;
            EXPECT_GT(each.sqnr, 20) << each.tensor;
            requantised += each.isRequantized ? 1 : 0;
        }
        EXPECT_EQ(requantised, 2);
    }
}

TEST(BlockStats, WithoutBlocksThereIsAReason) {
    const TrainingSettings settings = blockStatsRun("bf16");
    Trainer trainer(settings, loadDataset(settings.data), createCpuBackend());
    try {
        readBlocks(trainer);
        FAIL();
    } catch (const std::invalid_argument& error) {
        EXPECT_STREQ(error.what(), "step 0 quantises nothing to blocks: its precision is bf16");
    }
}

}  // namespace
}  // namespace mantissa
