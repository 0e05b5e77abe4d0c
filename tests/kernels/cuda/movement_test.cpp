// SPDX-License-Identifier: Apache-2.0
// Moves and elementwise operations on the emulated card: many blocks, grids that stride, places between two wide accesses.
#include "tests/kernels/cuda/beside_cpu.h"

namespace mantissa::test {
namespace {

TEST(CudaMovement, CastsGoOnWhereTheGridEnds) {
    constexpr std::int64_t kCount = 4096 * 256 * 8 + 3000;  // more than a thread of each block has one chunk for
    std::vector<std::uint8_t> codes(kCount);
    for (std::size_t i = 0; i < codes.size(); ++i) codes[i] = static_cast<std::uint8_t>(i * 2654435761u >> 11);
    expectSameAsCpu({.desc = CastDesc{kCount, Dtype::E5M2, Dtype::F16}, .operands = {bytesOfAll(codes), roomFor(Dtype::F16, kCount)}});
}

TEST(CudaMovement, AnyPlaceAndCountWillDo) {
    for (const Dtype from : kStored) {
        for (const Dtype to : kStored) {
            for (const std::int64_t count : {1, 7, 8, 9, 2049}) {
                const Bytes src = normalBytes(from, count, 1), dst = normalBytes(to, count, 2);
                const std::size_t widest = std::max(facts(from).storageBytes(), facts(to).storageBytes());
                for (const std::size_t offset : {std::size_t{0}, widest, 3 * widest}) {
                    expectSameAsCpu({.desc = CastDesc{count, from, to}, .operands = {src, dst}, .offset = offset});
                    expectSameAsCpu({.desc = AccumulateDesc{count, from, to}, .operands = {src, dst}, .offset = offset});
                }
            }
        }
    }
}

TEST(CudaMovement, GathersRowsInWordsOfEachWidth) {
    for (const std::int64_t cols : {1, 2, 3, 4, 6, 8, 12, 1030}) {
        for (const std::int64_t stride : {std::int64_t{0}, std::int64_t{1}, cols + 2}) {
            std::vector<std::int32_t> indices(700);
            for (std::size_t i = 0; i < indices.size(); ++i) indices[i] = static_cast<std::int32_t>(i * i % 41);
            const auto rows = static_cast<std::int64_t>(indices.size());
            for (const std::size_t offset : {0, 4, 8}) {
                expectSameAsCpu(
                    {.desc = GatherRowsDesc{rows, cols, stride},
                     .operands = {normalBytes(Dtype::F32, 41 * (cols + 2), 3), bytesOfAll(indices), roomFor(Dtype::F32, rows * cols)},
                     .offset = offset});
            }
        }
    }
}

TEST(CudaMovement, LongRowsAreSharedByBlocks) {
    constexpr std::int64_t kCols = 700'001;  // 5 rows of them: more than 2048 blocks of a word a thread
    expectSameAsCpu(
        {.desc = GatherRowsDesc{2, kCols, 1},
         .operands = {normalBytes(Dtype::F32, kCols + 5, 4), bytesOfAll(std::vector<std::int32_t>{5, 2}), roomFor(Dtype::F32, 2 * kCols)}});
}

TEST(CudaMovement, CopiesColumnsOfEachFormat) {
    for (const Dtype dtype : kStored) {
        for (const CopyColumnsDesc& shape : {CopyColumnsDesc{300, 64, 192, 64, 128, 64},
                                             {300, 24, 48, 8, 40, 16},
                                             {300, 5, 7, 1, 9, 3},
                                             {300, 6, 10, 2, 8, 2},
                                             {1, 1, 1, 0, 1, 0}}) {
            CopyColumnsDesc d = shape;
            d.dtype = dtype;
            expectSameAsCpu(
                {.desc = d, .operands = {normalBytes(dtype, d.rows * d.srcWidth, 5), normalBytes(dtype, d.rows * d.dstWidth, 6)}});
        }
    }
}

TEST(CudaCombine, WhatIsAddedRepeatsWhereverAChunkBegins) {
    for (const Dtype dtype : kStored) {
        for (const std::int64_t repeated : {1, 3, 7, 8, 13, 64, 1000, 5003, 6000}) {
            constexpr std::int64_t kCount = 5003;
            for (const std::size_t offset : {0, 4}) {
                expectSameAsCpu({.desc = AddDesc{kCount, dtype, Dtype::F32, dtype, repeated},
                                 .operands = {normalBytes(dtype, kCount, 7), normalBytes(Dtype::F32, repeated, 8), roomFor(dtype, kCount)},
                                 .offset = offset});
            }
        }
    }
}

TEST(CudaCombine, DropoutDropsWhatTheCpuDrops) {
    for (const std::int64_t step : {std::int64_t{0}, std::int64_t{123'456'789}}) {
        constexpr std::int64_t kCount = 70'003;
        const std::vector<StepScalars> scalars{{.dropoutStep = step}};
        expectSameAsCpu({.desc = DropoutDesc{kCount, 0.3, 0xFEDCBA9876543210ull, 11, Dtype::BF16},
                         .operands = {normalBytes(Dtype::BF16, kCount, 9), bytesOfAll(scalars), roomFor(Dtype::BF16, kCount)},
                         .offset = 2});
    }
}

}  // namespace
}  // namespace mantissa::test
