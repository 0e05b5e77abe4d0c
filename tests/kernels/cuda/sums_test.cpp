// SPDX-License-Identifier: Apache-2.0
// Sums over rows, and magnitudes over tensors, that several blocks of the emulated card form together; whole numbers are exact in any
// order.
#include <cmath>
#include <cstring>
#include <limits>

#include "kernels/conformance/compare.h"
#include "kernels/conformance/tolerance.h"
#include "tests/kernels/cuda/beside_cpu.h"

namespace mantissa::test {
namespace {

Bytes wholeBytes(Dtype dtype, std::int64_t count) {
    std::vector<float> values(static_cast<std::size_t>(count));
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(static_cast<int>(i * 2654435761u >> 13) % 7 - 3);
    return stored(dtype, values);
}

TEST(CudaSums, ColumnsOfAnyHeight) {
    for (const Dtype dtype : {Dtype::F32, Dtype::BF16, Dtype::E4M3}) {
        for (const std::int64_t cols : {1, 10, 64, 65}) {
            for (const std::int64_t rows : {1, 31, 700, 5000}) {
                if (rows * cols > 600'000) continue;
                expectSameAsCpu({.desc = BiasGradDesc{rows, cols, dtype, Dtype::F32},
                                 .operands = {wholeBytes(dtype, rows * cols), roomFor(Dtype::F32, cols)},
                                 .isRecorded = cols == 10,
                                 .earlier = {normalBytes(dtype, rows * cols, 38), roomFor(Dtype::F32, cols)}});
            }
        }
    }
}

TEST(CudaSums, MeanSquaredErrorOfManyBlocks) {
    for (const std::int64_t count : {1, 2048, 2049, 40'001}) {
        const std::vector<float> p = normalNumbers(static_cast<std::size_t>(count), 31), t = normalNumbers(p.size(), 32),
                                 other = normalNumbers(p.size(), 39);
        const Bytes after = resultsOnCard({.desc = MeanSquaredErrorDesc{count},
                                           .operands = {bytesOfAll(p), bytesOfAll(t), Bytes(4)},
                                           .earlier = {bytesOfAll(t), bytesOfAll(other), Bytes(4)}})[2];
        double sum = 0;
        for (std::size_t i = 0; i < p.size(); ++i) sum += std::pow(static_cast<double>(p[i]) - static_cast<double>(t[i]), 2);
        const double expected = sum / static_cast<double>(count);
        // A thread's terms, one after the other, and folds after them.
        const double limit = conformance::chainLimit(Dtype::F32, 40, expected, expected);
        EXPECT_NEAR(valuesOf(Dtype::F32, after)[0], expected, limit) << count;
    }
}

/// Few often, many never, as words are.
std::vector<std::int32_t> wordsOf(std::int64_t rows, std::int64_t tableRows) {
    std::vector<std::int32_t> indices;
    std::mt19937 random(33);
    for (std::int64_t i = 0; i < rows; ++i) {
        const double share = static_cast<double>(random()) * 0x1p-32;
        indices.push_back(static_cast<std::int32_t>(static_cast<double>(tableRows) * share * share * share * share));
    }
    indices.back() = static_cast<std::int32_t>(tableRows - 1);
    return indices;
}

TEST(CudaSums, EmbeddingsGradientsAreAddedInAscendingOrder) {
    for (const auto& [rows, tableRows, cols] : {std::array<std::int64_t, 3>{2000, 65, 9}, {700, 7000, 3}, {1, 1, 300}, {40'000, 3, 1}}) {
        for (const Dtype dtype : {Dtype::F32, Dtype::F16}) {
            expectSameAsCpu({.desc = EmbeddingGradDesc{rows, cols, tableRows, dtype, Dtype::F32},
                             .operands = {normalBytes(dtype, rows * cols, 34), bytesOfAll(wordsOf(rows, tableRows)),
                                          roomFor(Dtype::F32, tableRows * cols)},
                             .isRecorded = cols == 9});
            if (rows > 10'000) break;
        }
    }
}

TEST(CudaSums, EmbeddingsOfEachFormatToEach) {
    constexpr std::int64_t kLookups = 90, kCols = 21, kTableRows = 40;
    for (const Dtype table : kStored) {
        for (const Dtype out : kStored) {
            expectSameAsCpu({.desc = EmbeddingDesc{kLookups, kCols, kTableRows, table, out},
                             .operands = {normalBytes(table, kTableRows * kCols, 35), bytesOfAll(wordsOf(kLookups, kTableRows)),
                                          roomFor(out, kLookups * kCols)}});
        }
    }
}

Bytes scaleBytes(const QuantScale& scale) {
    Bytes bytes(sizeof scale);
    std::memcpy(bytes.data(), &scale, sizeof scale);
    return bytes;
}

TEST(CudaQuantize, EveryBlocksMagnitudeCounts) {
    for (const ScaleSource source : {ScaleSource::Current, ScaleSource::Delayed, ScaleSource::Frozen}) {
        for (const std::int64_t count : {2049, 33'001}) {
            for (const std::size_t largestAt : {std::size_t{0}, static_cast<std::size_t>(count - 1)}) {
                std::vector<float> values = normalNumbers(static_cast<std::size_t>(count), 36);
                values[largestAt] = -1000;
                values[1] = std::nanf("");
                for (const Dtype from : {Dtype::F32, Dtype::BF16}) {
                    const Bytes own = stored(from, values);
                    std::vector<float> doubled = values;
                    for (float& v : doubled) v *= 2;
                    for (const QuantScale before : {QuantScale{}, {.scale = 2, .inverse = 0.5f, .absMax = 3, .newest = 1}}) {
                        std::vector<Bytes> larger;  // whose magnitude must be forgotten
                        if (source == ScaleSource::Current)
                            larger = {stored(from, doubled), roomFor(Dtype::E4M3, count), scaleBytes(before)};
                        expectSameAsCpu({.desc = QuantizeDesc{count, from, Dtype::E4M3, source, 1},
                                         .operands = {own, roomFor(Dtype::E4M3, count), scaleBytes(before)},
                                         .offset = facts(from).storageBytes() == 4 ? 0u : 4u,
                                         .isRecorded = from == Dtype::F32,
                                         .earlier = larger});
                    }
                }
            }
        }
    }
}

TEST(CudaQuantize, TheTransposedCopyHasTheSameCodes) {
    struct Matrix {
        std::int64_t rows, cols;
        std::size_t offset;  // bytes that the source lies beside a wide access
    };
    for (const Matrix matrix : {Matrix{48, 1024, 0}, {1024, 48, 0}, {101, 333, 4}}) {
        const std::int64_t count = matrix.rows * matrix.cols;
        std::vector<float> values = normalNumbers(static_cast<std::size_t>(count), 39);
        values[static_cast<std::size_t>(count - 1)] = 700;
        values[1] = std::nanf("");
        for (const ScaleSource source : {ScaleSource::Current, ScaleSource::Delayed, ScaleSource::Frozen}) {
            QuantizeDesc desc{count, Dtype::BF16, Dtype::E4M3, source, 1};
            desc.transposedRows = matrix.rows;
            expectSameAsCpu({.desc = desc,
                             .operands = {stored(Dtype::BF16, values), roomFor(Dtype::E4M3, count),
                                          scaleBytes({.scale = 2, .inverse = 0.5f, .absMax = 3, .newest = 1}), roomFor(Dtype::E4M3, count)},
                             .offset = matrix.offset,
                             .isRecorded = matrix.offset == 0});
        }
    }
}

TEST(CudaQuantize, ATensorThatIsNotFiniteHasScaleOne) {
    for (const std::int64_t count : {100, 33'000}) {
        std::vector<float> values = normalNumbers(static_cast<std::size_t>(count), 37);
        values[50] = std::numeric_limits<float>::infinity();
        expectSameAsCpu({.desc = QuantizeDesc{count, Dtype::F32, Dtype::E5M2, ScaleSource::Current, 0},
                         .operands = {bytesOfAll(values), roomFor(Dtype::E5M2, count), scaleBytes({.scale = 5, .inverse = 0.2f})}});
    }
}

TEST(CudaQuantize, ScalesFollowTheirHistories) {
    for (const bool usesNewestOnly : {false, true}) {
        constexpr std::int64_t kHistory = 1024, kScales = 70;
        const UpdateScalesDesc desc{std::vector<Dtype>(kScales, Dtype::E4M3), kHistory, usesNewestOnly, 0};
        Bytes memory(kScales * quantScaleBytes(kHistory));
        for (std::size_t i = 0; i < kScales; ++i) {
            const Bytes history = normalBytes(Dtype::F32, kHistory, static_cast<unsigned>(40 + i));
            const Bytes scale =
                scaleBytes({.absMax = static_cast<float>(i % 5), .newest = static_cast<std::int32_t>(kHistory - 1 - i % 3)});
            std::copy(scale.begin(), scale.end(), memory.begin() + static_cast<std::ptrdiff_t>(i * quantScaleBytes(kHistory)));
            std::copy(history.begin(), history.end(),
                      memory.begin() + static_cast<std::ptrdiff_t>(i * quantScaleBytes(kHistory) + sizeof(QuantScale)));
        }
        expectSameAsCpu({.desc = desc, .operands = {memory}, .isRecorded = usesNewestOnly});
    }
}

}  // namespace
}  // namespace mantissa::test
