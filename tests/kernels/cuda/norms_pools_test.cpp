// SPDX-License-Identifier: Apache-2.0
// Norms and pools on the emulated card: rows of a block, pieces of columns that meet, and windows of every kind as the CPU has them.
#include <cmath>

#include "tests/kernels/cuda/beside_cpu.h"
#include "tests/kernels/cuda/larger_cases.h"
#include "tests/kernels/cuda/repeated.h"
#include "tests/support/non_finite.h"

namespace mantissa::test {
namespace {

TEST(CudaNorms, LongRowsAndManyPiecesAgree) {
    expectAgreementInShapes("layer norm", {"2x1500", "1x1", "5x264", "5x1000", "2100x64"});
    expectAgreementInShapes("layer norm gradient", {"2x1500", "1x1", "5x264", "5x1000", "2100x64"});
    expectAgreementInShapes("batch norm", {"4500x16", "40x2000"});
    expectAgreementInShapes("batch norm gradient", {"4500x16", "40x2000"});
}

// Of whole numbers, whose sums are exact in any order.
TEST(CudaNorms, PiecesMeetInEveryStep) {
    constexpr std::int64_t kRows = 150, kCols = 256, kElements = kRows * kCols;
    const auto wholes = [](std::int64_t count, unsigned seed) {
        std::vector<float> values = normalNumbers(static_cast<std::size_t>(count), seed);
        for (float& v : values) v = std::round(v * 2);
        return bytesOfAll(values);
    };
    const auto powers = [](std::int64_t count) { return bytesOfAll(std::vector<float>(static_cast<std::size_t>(count), 0.5f)); };
    const Bytes g = wholes(kElements, 1), x = wholes(kElements, 2), weight = wholes(kCols, 3), row = roomFor(Dtype::F32, kCols),
                matrix = roomFor(Dtype::F32, kElements);
    for (const Trial& trial : {Trial{.desc = LayerNormGradDesc{.rows = kRows, .cols = kCols},
                              .operands = {g, x, weight, wholes(kRows, 4), powers(kRows), matrix, row, row}},
                               Trial{.desc = BatchNormGradDesc{.rows = kRows, .channels = kCols},
                               .operands = {g, x, weight, wholes(kCols, 4), powers(kCols), matrix, row, row}}}) {
        expectSameAsCpu(trial);
        expectSameInEveryLaunch(trial);
    }
    // Rows that no warp can hold go by pieces of columns.
    const LayerNormGradDesc inPieces{.rows = kRows, .cols = kCols - 1};
    const Bytes odd = wholes(kRows * (kCols - 1), 5), oddRow = roomFor(Dtype::F32, kCols - 1);
    const Trial trial{.desc = inPieces,
                      .operands = {odd, odd, wholes(kCols - 1, 3), wholes(kRows, 4), powers(kRows), roomFor(Dtype::F32, kRows * (kCols - 1)),
                                   oddRow, oddRow}};
    expectSameAsCpu(trial);
    expectSameInEveryLaunch(trial);
    expectSameInEveryLaunch(
        {.desc = BatchNormDesc{.rows = kRows, .channels = kCols}, .operands = {x, weight, weight, row, row, matrix, row, row}});
}

/// Rows as on the CPU: sums are made in another order, so of numbers whose sums are exact.
TEST(CudaNorms, NarrowArithmeticIsThatOfTheCpu) {
    for (const Dtype compute : {Dtype::F16, Dtype::BF16}) {
        for (const std::int64_t cols : {61, 2050}) {  // of a warp, of a block
            constexpr std::int64_t kRows = 11;
            std::vector<float> x = normalNumbers(static_cast<std::size_t>(kRows * cols), 7);
            for (float& v : x) v = static_cast<float>(static_cast<int>(v * 2));
            const Bytes weight = normalBytes(Dtype::F32, cols, 8), bias = normalBytes(Dtype::F32, cols, 9);
            const LayerNormDesc forward{.rows = kRows, .cols = cols, .to = compute, .compute = compute};
            expectSameAsCpu({.desc = forward,
                             .operands = {bytesOfAll(x), weight, bias, roomFor(compute, kRows * cols), roomFor(Dtype::F32, kRows),
                                          roomFor(Dtype::F32, kRows)}});
            const LayerNormGradDesc backward{.rows = kRows, .cols = cols, .gradInput = compute, .compute = compute};
            expectSameAsCpu({.desc = backward,
                             .operands = {bytesOfAll(x), bytesOfAll(x), bytesOfAll(std::vector<float>(static_cast<std::size_t>(cols), 2)),
                                          bytesOfAll(std::vector<float>(kRows, 1)), bytesOfAll(std::vector<float>(kRows, 0.5f)),
                                          roomFor(compute, kRows * cols), roomFor(Dtype::F32, cols), roomFor(Dtype::F32, cols)}});
        }
    }
}

TEST(CudaPools, EveryWindowIsThatOfTheCpu) {
    struct Shape {
        std::int64_t samples, height, width, channels;
        Window window;
    };
    for (const Shape& s : {Shape{3, 9, 7, 13, {3, 3, 2, 2, 1, 1}},  // overlapping and padded, part of a chunk
                           {2, 8, 8, 40, {2, 2, 2, 2}},             // whole chunks
                           {1, 1, 1, 1, {}},                        // one element
                           {2, 5, 6, 33, {3, 2, 1, 1, 2, 1}},       // most elements in several windows
                           {1, 7, 7, 2, {2, 2, 3, 3}},              // some in none
                           {2, 6, 5, 24, {6, 5}},                   // global
                           {70, 33, 31, 128, {33, 31, 33, 31}},     // more than the grid has threads for
                           {4, 11, 3, 8, {4, 3, 5, 1, 3, 2}}}) {
        for (const Pooling kind : {Pooling::Max, Pooling::Average}) {
            for (const Dtype dtype : {Dtype::F32, Dtype::BF16, Dtype::E4M3}) {
                const bool isLarge = s.samples == 70;
                if (isLarge && (dtype != Dtype::BF16 || kind != Pooling::Max)) continue;
                const PoolDesc d{kind, s.samples, s.height, s.width, s.channels, s.window, dtype};
                const std::int64_t in = s.samples * s.height * s.width * s.channels,
                                   out = s.samples * s.window.outHeight(s.height) * s.window.outWidth(s.width) * s.channels;
                std::vector<float> x = normalNumbers(static_cast<std::size_t>(in), 3);
                for (std::size_t i = 0; i < x.size(); i += 29) x[i] = i % 2 == 0 ? kNan : 1.0f;
                const Trial forward{
                    .desc = d, .operands = {stored(dtype, x), roomFor(dtype, out), roomFor(Dtype::F32, kind == Pooling::Max ? out : 0)}};
                const std::vector<Bytes> expected = resultsOn(*createCpuBackend(), forward), actual = resultsOnCard(forward);
                EXPECT_EQ(expected[2], actual[2]);
                const auto numbers = [&](const std::vector<Bytes>& results) { return valuesOf(dtype, results[1]); };
                EXPECT_TRUE(conformance::compareExact(numbers(actual), numbers(expected), conformance::kAnything));
                const Bytes g = normalBytes(dtype, out, 4);
                if (!isLarge) expectSameAsCpu({.desc = PoolGradDesc{d}, .operands = {g, expected[2], roomFor(dtype, in)}});
            }
        }
    }
}

}  // namespace
}  // namespace mantissa::test
