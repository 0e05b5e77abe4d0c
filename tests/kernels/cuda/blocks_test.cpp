// SPDX-License-Identifier: Apache-2.0
// Block formats on the emulated card beside the CPU backend, bit for bit: every rule of scales and dialect of NVFP4 in every shape of block
// and every rounding, large matrices, runs one after the other, and products with a tensor core's sums.
#include <gtest/gtest.h>

#include <cctype>
#include <cmath>
#include <limits>

#include "tests/kernels/cuda/beside_cpu.h"
#include "tests/support/blocks.h"

namespace mantissa::test {
namespace {

/// Each block format with each of its rules or dialects.
std::vector<BlockFormat> everyFormat() {
    std::vector<BlockFormat> formats;
    for (const BlockFormat& format : blockFormats()) {
        const std::vector<BlockFormat> variants = everyVariant(format);
        formats.insert(formats.end(), variants.begin(), variants.end());
    }
    return formats;
}

std::string nameOf(const QuantizeBlocksDesc& d) {
    return std::string(d.format.name) + " " + std::string(scaleRuleName(d.format.rule)) + " " +
           std::string(nvfp4DialectName(d.format.dialect)) + " " + blockShapeName(d.format.block) + " " + std::to_string(d.shape.rows) +
           "x" + std::to_string(d.shape.cols) + " " + std::string(roundingName(d.rounding)) + (d.isRotated ? " rotated" : "");
}

/// Numbers of very different magnitudes, with zeros, a row of zeros, and infinities and NaN, unless all are `finite`.
std::vector<float> mixedNumbers(MatrixShape shape, bool finite) {
    constexpr float kInf = std::numeric_limits<float>::infinity(), kNan = std::numeric_limits<float>::quiet_NaN();
    std::vector<float> values = normalNumbers(static_cast<std::size_t>(shape.count()), 7);
    for (std::size_t i = 0; i < values.size(); ++i) {
        const std::size_t row = i / static_cast<std::size_t>(shape.cols);
        values[i] = std::ldexp(values[i], static_cast<int>(row % 7) * 20 - 60);
        if (i % 29 == 3 || row % 8 == 5) values[i] = 0;
        if (row % 16 == 9) values[i] *= 0x1p-100f;
        if (!finite && i % 211 == 17) values[i] = i % 3 == 0 ? -kNan : i % 3 == 1 ? kInf : -kInf;
    }
    return values;
}

std::size_t storedBytes(const QuantizeBlocksDesc& d) {
    return static_cast<std::size_t>(d.format.storageBytes(d.shape) - (d.format.hasTensorScale() ? 4 : 0));
}

Trial trialOf(const QuantizeBlocksDesc& d, bool finite) {
    Bytes values = stored(d.from, mixedNumbers(d.shape, finite));
    return {.desc = d,
            .operands = {std::move(values), Bytes(storedBytes(d)), bytesOfAll<QuantScale>({{}}),
                         bytesOfAll<StepScalars>({{.dropoutStep = 3}})}};
}

class BlockFormats : public testing::TestWithParam<std::size_t> {};

TEST_P(BlockFormats, AreQuantisedWithTheBitsOfTheCpu) {
    const BlockFormat format = everyFormat()[GetParam()];
    for (const MatrixShape block : blockShapes(format)) {
        for (const Rounding rounding : kAllRoundings) {
            QuantizeBlocksDesc d{.shape = {37, 70}, .format = format, .rounding = rounding, .seed = 5, .firstElement = 1002};
            d.format.block = block;
            d.isRotated = rounding == Rounding::Stochastic;
            if (!refusalOf(d.format, rounding).empty()) continue;
            for (const bool finite : {false, true}) {
                d.from = finite ? Dtype::F32 : Dtype::BF16;
                SCOPED_TRACE(nameOf(d) + (finite ? ", finite" : ""));
                expectSameAsCpu(trialOf(d, finite));
            }
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Emulated, BlockFormats, testing::Range(std::size_t{0}, everyFormat().size()), [](const auto& test) {
    const BlockFormat format = everyFormat()[test.param];
    std::string name = std::string(format.name) + "_" + variantName(format);
    for (char& c : name) c = std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
    return name;
});

TEST(BlockQuantising, ReadsEveryStorage) {
    for (const Dtype from : kStored) {
        for (const bool isRotated : {false, true}) {
            QuantizeBlocksDesc d{.shape = {35, 50}, .from = from, .format = *blockFormatFromName("nvfp4"), .isRotated = isRotated};
            expectSameAsCpu(trialOf(d, false));
        }
    }
}

/// The largest magnitude of one run must not remain for the next, and a tensor of zeros has its own factor.
TEST(BlockQuantising, StartsAnewEachTime) {
    for (const Nvfp4Dialect dialect : kAllNvfp4Dialects) {
        QuantizeBlocksDesc d{.shape = {64, 300}, .from = Dtype::F32, .format = *blockFormatFromName("nvfp4")};
        d.format.dialect = dialect;
        Trial trial = trialOf(d, true);
        trial.earlier = trial.operands;
        trial.operands[0] = Bytes(trial.operands[0].size());
        for (const bool isRecorded : {false, true}) {
            trial.isRecorded = isRecorded;
            trial.times = isRecorded ? 2 : 1;
            expectSameAsCpu(trial);
        }
    }
}

/// More blocks and rows than one thread block has lanes, and a block of a whole row or column.
TEST(BlockQuantising, ReachesAllOfALargeMatrix) {
    for (const MatrixShape shape : {MatrixShape{3, 5000}, {700, 260}}) {
        for (const MatrixShape block : {MatrixShape{1, shape.cols}, {shape.rows, 1}, {1, 128}, {128, 1}, {128, 128}, {5, 7}, {40, 33}}) {
            for (const BlockFormat& format : everyStorage(*blockFormatFromName("fp8_block_e4m3"))) {
                QuantizeBlocksDesc d{.shape = shape, .format = format};
                d.format.block = block;
                SCOPED_TRACE(nameOf(d));
                expectSameAsCpu(trialOf(d, false));
            }
        }
    }
}

/// A quantised operand as the CPU stores it, and its scale.
struct StoredBlocks {
    Bytes codes, scale;
};
StoredBlocks quantisedOnCpu(const BlockFormat& format, MatrixShape shape, unsigned seed) {
    const QuantizeBlocksDesc d{.shape = shape, .format = format};
    const std::vector<Bytes> results =
        resultsOn(*createCpuBackend(), {.desc = d,
                                        .operands = {normalBytes(Dtype::BF16, shape.count(), seed), Bytes(storedBytes(d)),
                                                     bytesOfAll<QuantScale>({{}}), bytesOfAll<StepScalars>({{}})}});
    return {results[1], results[2]};
}

/// Columns from the numbers of rows, rotated as well; scales of both storages.
TEST(BlockQuantising, ReadsAnotherBlockFormat) {
    for (const char* name : {"fp8_block_e4m3", "mxfp6_e2m3", "mxfp4"}) {
        for (const BlockFormat& format : everyStorage(*blockFormatFromName(name))) {
            for (const bool isRotated : {false, true}) {
                const MatrixShape shape{150, 139};
                QuantizeBlocksDesc d{.shape = shape, .from = format.numbers(), .format = format, .isRotated = isRotated, .source = format};
                std::swap(d.format.block.rows, d.format.block.cols);
                SCOPED_TRACE(nameOf(d));
                Trial trial{.desc = d,
                            .operands = {quantisedOnCpu(format, shape, 34).codes, Bytes(storedBytes(d)), bytesOfAll<QuantScale>({{}}),
                                         bytesOfAll<StepScalars>({{}})}};
                expectSameAsCpu(trial);
            }
        }
    }
}

/// A product whose operands lie in blocks, except b if it is stored in `plainB`.
Trial productTrial(MatmulDesc d, const BlockFormat& format, std::optional<Dtype> plainB = {}) {
    const MatrixShape a = d.transposeA ? MatrixShape{d.k, d.m} : MatrixShape{d.m, d.k};
    const MatrixShape b = d.transposeB ? MatrixShape{d.n, d.k} : MatrixShape{d.k, d.n};
    d.isScaled = true;
    d.a = format.numbers(), d.aBlocks = format;
    const StoredBlocks ofA = quantisedOnCpu(format, a, 31), ofB = quantisedOnCpu(format, b, 32);
    if (plainB) {
        d.b = *plainB;
    } else {
        d.b = format.numbers(), d.bBlocks = format;
    }
    Trial trial{.desc = d, .operands = {ofA.codes, plainB ? normalBytes(*plainB, b.count(), 32) : ofB.codes}};
    if (d.hasBias) trial.operands.push_back(normalBytes(d.out, d.n, 33));
    trial.operands.insert(trial.operands.end(), {ofA.scale, ofB.scale, roomFor(d.out, d.m * d.n)});
    return trial;
}

/// Sums of a tensor core have one order, so every bit is the CPU's.
TEST(BlockProducts, HaveTheBitsOfTheCpuInSumsOfATensorCore) {
    struct Sums {
        Dtype compute;
        Accumulator accumulator;
        std::int64_t promoteEvery = 0;
    };
    for (const Sums& sums : {Sums{Dtype::BF16, Accumulator::Ampere},
                             {Dtype::BF16, Accumulator::Blackwell},
                             {Dtype::E4M3, Accumulator::Hopper},
                             {Dtype::E4M3, Accumulator::Hopper, 128},
                             {Dtype::E4M3, Accumulator::Ada}}) {
        std::vector<BlockFormat> formats;
        for (const BlockFormat& each : blockFormats()) {
            for (const BlockFormat& stored : everyStorage(each)) formats.push_back(stored);
        }
        for (const BlockFormat& format : formats) {
            for (int layout = 0; layout < 4; ++layout) {
                MatmulDesc d{.m = 19, .n = 35, .k = 290, .transposeA = layout % 2 == 1, .transposeB = layout >= 2};
                d.hasBias = layout == 2;
                d.out = layout == 3 ? Dtype::F32 : Dtype::BF16;
                d.compute = sums.compute, d.accumulator = sums.accumulator, d.promoteEvery = sums.promoteEvery;
                SCOPED_TRACE(std::string(format.name) + " " + std::string(accumulatorName(sums.accumulator)) + std::to_string(layout));
                expectSameAsCpu(productTrial(d, format));
            }
        }
    }
}

TEST(BlockProducts, TakeOneOperandInBlocks) {
    for (const Dtype plain : {Dtype::BF16, Dtype::E4M3}) {
        MatmulDesc d{.m = 24, .n = 40, .k = 64, .out = Dtype::BF16, .compute = Dtype::BF16, .accumulator = Accumulator::Hopper};
        expectSameAsCpu(productTrial(d, *blockFormatFromName("mxfp6_e2m3"), plain));
    }
}

}  // namespace
}  // namespace mantissa::test
