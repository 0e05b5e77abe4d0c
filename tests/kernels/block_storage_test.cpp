// SPDX-License-Identifier: Apache-2.0
// Matrices in block formats as products read them: packed codes of 8, 6 and 4 bits, and their numbers from any element on.
#include "kernels/cpu/block_storage.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "tests/support/blocks.h"
#include "tests/support/non_finite.h"

namespace mantissa::test {
namespace {

constexpr MatrixShape kMatrices[] = {{1, 1}, {1, 1056}, {3, 17}, {33, 40}, {70, 130}, {5, 2100}};

std::vector<float> normalMatrix(MatrixShape shape) {
    std::mt19937 random(5);
    std::normal_distribution<float> normal;
    std::vector<float> values(static_cast<std::size_t>(shape.count()));
    for (float& x : values) x = random() % 300 == 0 ? kNan : normal(random);
    return values;
}

std::vector<std::uint8_t> storedAs(const BlockFormat& format, const QuantizedMatrix& q) {
    std::vector<std::uint8_t> stored(static_cast<std::size_t>(format.packedBytes(q.shape)) + q.scales.size());
    cpu::packElements(format, q.elements.data(), stored.data(), 0, q.shape.count());
    std::copy(q.scales.begin(), q.scales.end(), stored.end() - static_cast<std::ptrdiff_t>(q.scales.size()));
    return stored;
}

TEST(BlockStorage, TakesTheBytesThatTheFormatSays) {
    for (const BlockFormat& given : blockFormats()) {
        for (const BlockFormat& format : everyStorage(given)) {
            for (const MatrixShape shape : kMatrices) {
                const std::int64_t factor = format.hasTensorScale() ? 4 : 0, ofScale = format.hasFp32Scales() ? 4 : 1;
                EXPECT_EQ(format.packedBytes(shape) + format.scales(shape).count() * ofScale + factor, format.storageBytes(shape));
            }
        }
    }
}

TEST(BlockStorage, PacksLowestBitsFirst) {
    const std::uint8_t codes[] = {1, 2, 3, 4, 5};
    std::uint8_t packed[4] = {};
    cpu::packElements(*blockFormatFromName("mxfp4"), codes, packed, 0, 5);
    EXPECT_EQ(packed[0], 0x21);  // the even element in the low nibble
    EXPECT_EQ(packed[1], 0x43);
    EXPECT_EQ(packed[2], 0x05);
    const std::uint8_t sixes[] = {0x3F, 0x01, 0x20, 0x15};
    cpu::packElements(*blockFormatFromName("mxfp6_e2m3"), sixes, packed, 0, 4);
    EXPECT_EQ(packed[0] | packed[1] << 8 | packed[2] << 16, 0x3F | 0x01 << 6 | 0x20 << 12 | 0x15 << 18);
}

TEST(BlockStorage, GivesTheNumbersFromAnyElementOn) {
    std::vector<BlockFormat> formats;
    for (const BlockFormat& given : blockFormats()) {
        for (const BlockFormat& each : everyStorage(given)) formats.push_back(each);
    }
    for (const BlockFormat& given : formats) {
        for (const MatrixShape shape : kMatrices) {
            auto blocks = std::vector<MatrixShape>{{1, shape.cols}, {shape.rows, 1}};
            for (const MatrixShape usual : blockShapes(given)) blocks.push_back(usual);
            for (const MatrixShape block : blocks) {
                BlockFormat format = given;
                format.block = block;
                QuantizedMatrix q = quantized(format, shape, normalMatrix(shape));
                const std::vector<std::uint8_t> stored = storedAs(format, q);
                q.tensorScale = 1;  // the factor is the product's
                const std::vector<float> expected = dequantized(format, q);
                std::vector<float> whole(expected.size());
                cpu::decodeStored(format, shape, stored.data(), 0, shape.count(), whole.data());
                std::mt19937 random(9);
                for (int i = 0; i < 20; ++i) {
                    const auto first = static_cast<std::int64_t>(random() % static_cast<unsigned>(shape.count()));
                    const auto count = static_cast<std::int64_t>(random() % static_cast<unsigned>(shape.count() - first + 1));
                    std::vector<float> part(static_cast<std::size_t>(count));
                    cpu::decodeStored(format, shape, stored.data(), first, count, part.data());
                    ASSERT_TRUE(std::equal(part.begin(), part.end(), whole.begin() + first,
                                           [](float a, float b) { return a == b || (std::isnan(a) && std::isnan(b)); }))
                        << format.name << " in " << blockShapeName(block) << ", " << count << " from " << first;
                }
                for (std::size_t i = 0; i < expected.size(); ++i) {
                    ASSERT_TRUE(whole[i] == expected[i] || (std::isnan(whole[i]) && std::isnan(expected[i])))
                        << format.name << " in " << blockShapeName(block) << ", element " << i << ": " << whole[i] << ", not "
                        << expected[i];
                    ASSERT_TRUE(std::isnan(whole[i]) || roundTo(format.numbers(), whole[i]) == whole[i]) << whole[i];
                }
            }
        }
    }
}

}  // namespace
}  // namespace mantissa::test
